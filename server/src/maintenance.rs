//! The operator's tasks on a data directory: check the database, back it up, and check or rebuild
//! the ratings.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

use crate::{
    runtime::{dates::date, files, time::TimeSource},
    signing::{KEY_FILES, VAPID_FILE},
    store::sqlite::{
        self, BackupReport, CheckStep, IntegrityReport, OpenError, RatingsMode, check_ratings,
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

impl RatingsSummary {
    /// Whether there is no difference.
    pub const fn is_ok(&self) -> bool {
        self.found == 0
    }
}

/// Why a task on a data directory failed.
#[derive(Debug, thiserror::Error)]
pub enum MaintenanceError {
    /// The database cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// The cause.
        error: io::Error,
    },
    /// Another server's key is beside the backup.
    #[error("{path} is not this server's key: move it away, or back up to another directory")]
    OtherKey {
        /// The file.
        path: String,
    },
}

impl MaintenanceError {
    fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::File { path: path.display().to_string(), error }
    }
}

/// Computes all ratings from the records of rated games, in the order in which the games ended, and
/// compares them with the stored ratings. Shows its progress on a terminal.
pub fn ratings(data: &Path, task: RatingsTask) -> Result<RatingsSummary, MaintenanceError> {
    let mode = match task {
        RatingsTask::Check => RatingsMode::Check,
        RatingsTask::Rebuild => RatingsMode::Rebuild,
    };
    let mut bar = StepBar::default();
    let report =
        check_ratings(data, mode, |done, total| bar.show(CheckStep::Ratings, done, total))?;
    drop(bar);
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
    Ok(RatingsSummary { lines, found: report.found })
}

/// Progress of the present step, shown only on a terminal.
#[derive(Default)]
struct StepBar(Option<(CheckStep, ProgressBar)>);

/// Interval at which a spinner moves.
const TICK: Duration = Duration::from_millis(200);

impl StepBar {
    fn show(&mut self, step: CheckStep, done: u64, total: u64) {
        if let Some((shown, bar)) = &self.0
            && *shown == step
            && total > 0
        {
            bar.set_length(total);
            bar.set_position(done);
            return;
        }
        let (template, is_counted) = match step {
            CheckStep::Copy => ("{spinner} copying the database", false),
            CheckStep::Pages => ("{spinner} checking the pages of the database", false),
            CheckStep::Games => ("{bar:30} {pos} of {len} games, {eta} left", true),
            CheckStep::Ratings => ("{bar:30} {pos} of {len} results, {eta} left", true),
        };
        let style = ProgressStyle::with_template(template).expect("the template is well-formed");
        self.clear();
        let bar = ProgressBar::new(total).with_style(style).with_position(done);
        if !is_counted {
            bar.enable_steady_tick(TICK);
        }
        self.0 = Some((step, bar));
    }

    fn clear(&mut self) {
        if let Some((_, bar)) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for StepBar {
    fn drop(&mut self) {
        self.clear();
    }
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
    fn new(inspection: IntegrityReport, backup: Option<PathBuf>) -> Self {
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
