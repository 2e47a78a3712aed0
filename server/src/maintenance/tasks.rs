//! Tasks on a data directory: check the database, back it up, and check or rebuild the ratings.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{error::MaintenanceError, progress::StepBar};
use crate::{
    runtime::{dates::date, files, time::TimeSource},
    signing::{KEY_FILES, VAPID_FILE},
    store::{
        CheckStep, IntegrityReport, RatingsMode, RatingsReport,
        sqlite::{self, BackupReport, check_ratings},
    },
};

/// What to do about differences between stored and computed ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RatingsTask {
    /// Report them.
    Check,
    /// Store the computed ratings.
    Rebuild,
}

/// The result of a check of the ratings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatingsSummary {
    /// The differences and, last, their number.
    pub lines: Vec<String>,
    /// Number of differences.
    pub found: u64,
}

impl RatingsTask {
    pub(super) const fn mode(self) -> RatingsMode {
        match self {
            Self::Check => RatingsMode::Check,
            Self::Rebuild => RatingsMode::Rebuild,
        }
    }
}

impl RatingsSummary {
    pub(super) fn new(report: RatingsReport, task: RatingsTask) -> Self {
        let mut lines = report.differences;
        let shown = lines.len() as u64;
        if report.found > shown {
            lines.push(format!("and {} more", report.found - shown));
        }
        let results = report.results;
        lines.push(match (task, report.found) {
            (_, 0) => format!("the ratings agree with the {results} results"),
            (RatingsTask::Check, found) => format!("{found} differences in {results} results"),
            (RatingsTask::Rebuild, found) => {
                format!("{found} differences in {results} results; stored the computed ratings")
            }
        });
        Self { lines, found: report.found }
    }

    /// Whether there is no difference.
    pub const fn is_ok(&self) -> bool {
        self.found == 0
    }
}

/// Computes all ratings from the records of rated games, in the order in which the games ended, and
/// compares them with the stored ratings. Shows its progress on a terminal.
pub fn ratings(data: &Path, task: RatingsTask) -> Result<RatingsSummary, MaintenanceError> {
    let mut bar = StepBar::default();
    let report =
        check_ratings(data, task.mode(), |done, total| bar.show(CheckStep::Ratings, done, total))?;
    drop(bar);
    Ok(RatingsSummary::new(report, task))
}

/// The result of a check of a database.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct DatabaseReport {
    /// The backup, if the task made one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<PathBuf>,
    /// Checked games.
    pub games: u64,
    /// Records that continue the chain of their game.
    pub records: u64,
    /// Number of findings.
    pub found: u64,
    /// The first findings, as sentences.
    pub findings: Vec<String>,
}

impl DatabaseReport {
    pub(super) fn new(inspection: IntegrityReport, backup: Option<PathBuf>) -> Self {
        let IntegrityReport { games, records, findings, found } = inspection;
        Self { backup, games, records, found, findings }
    }

    /// Whether there are no findings.
    pub const fn is_ok(&self) -> bool {
        self.found == 0
    }

    /// Returns the findings and, last, the counts, one per line.
    pub fn lines(&self) -> Vec<String> {
        let Self { backup, games, records, found, findings } = self;
        let mut lines = findings.clone();
        let shown = findings.len() as u64;
        if *found > shown {
            lines.push(format!("and {} more", found - shown));
        }
        let prefix =
            backup.as_ref().map(|path| format!("{}: ", path.display())).unwrap_or_default();
        let counts = format!("{prefix}{games} games with {records} records");
        lines.push(match found {
            0 => format!("{counts}, no findings"),
            1 => format!("{counts}, 1 finding"),
            _ => format!("{counts}, {found} findings"),
        });
        lines
    }
}

/// Checks a data directory or a database file: its pages, its WAL, the records of every game and
/// the ratings. Changes nothing; the server may be running.
pub fn check(data: &Path) -> Result<DatabaseReport, MaintenanceError> {
    let mut bar = StepBar::default();
    let inspection =
        sqlite::check_integrity(&sqlite::database_of(data), &mut |step, done, total| {
            bar.show(step, done, total);
        })?;
    Ok(DatabaseReport::new(inspection, None))
}

/// Copies the database to a new file, or into a directory under a name with the date, and checks
/// the copy. Copies the signing key on request. The server may be running.
pub fn backup(data: &Path, to: &Path, with_key: bool) -> Result<DatabaseReport, MaintenanceError> {
    let target = if to.is_dir() {
        to.join(format!("adamant-{}.db", date(TimeSource::from_system().now_ms())))
    } else {
        to.into()
    };
    let database = sqlite::database_of(data);
    let keys = if with_key { keys_to_copy(&database, &target)? } else { Vec::new() };
    let mut bar = StepBar::default();
    let BackupReport { path, report } =
        sqlite::copy(&database, &target, &mut |step, done, total| {
            bar.show(step, done, total);
        })?;
    for (path, text) in keys {
        files::replace_atomically(&path, &text, 0o600).map_err(MaintenanceError::file(&path))?;
    }
    Ok(DatabaseReport::new(report, Some(path)))
}

/// Returns the files of the signing key that are not yet beside the target, with their text.
/// Rejects another key there.
fn keys_to_copy(
    database: &Path,
    target: &Path,
) -> Result<Vec<(PathBuf, String)>, MaintenanceError> {
    let mut missing = Vec::new();
    for name in KEY_FILES {
        let (from, to) = (database.with_file_name(name), target.with_file_name(name));
        let text = match fs::read_to_string(&from) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && name == VAPID_FILE => continue,
            read => read.map_err(MaintenanceError::file(&from))?,
        };
        match fs::read_to_string(&to) {
            Ok(there) if there == text => {}
            Ok(_) => return Err(MaintenanceError::OtherKey { path: to.display().to_string() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push((to, text)),
            Err(error) => return Err(MaintenanceError::file(&to)(error)),
        }
    }
    Ok(missing)
}
