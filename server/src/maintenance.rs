//! What an operator asks of a data directory without starting a server: whether it is whole, a copy
//! of it, and whether its ratings are those that follow from its games.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

use crate::{
    runtime::{files, time::TimeSource},
    signing::KEY_FILES,
    store::sqlite::{
        self, BackupReport, CheckStep, IntegrityReport, OpenError, RatingsMode, check_ratings,
    },
};

/// What to do about ratings that do not follow from the games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RatingsTask {
    /// Name them.
    Check,
    /// Store what follows instead.
    Rebuild,
}

/// What was found, in sentences, and whether all is well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// A line each.
    pub lines: Vec<String>,
    /// Whether there was no difference.
    pub is_well: bool,
}

/// Why a data directory could not be looked at or copied.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The database cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// Which.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// There is another key beside the backup.
    #[error("{path} is another key than this server's: move it away, or copy to another directory")]
    OtherKey {
        /// Which.
        path: String,
    },
}

impl AuditError {
    fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::File { path: path.display().to_string(), error }
    }
}

/// Computes every rating from scratch, out of the records of the games that count, in the order in
/// which they ended, and compares. Shows its progress where somebody watches.
pub fn ratings(data: &Path, task: RatingsTask) -> Result<Findings, AuditError> {
    let mode = match task {
        RatingsTask::Check => RatingsMode::Check,
        RatingsTask::Rebuild => RatingsMode::Rebuild,
    };
    let mut bar = Bar::default();
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
        (_, 0) => format!("the ratings follow from the {results} results"),
        (RatingsTask::Check, found) => format!("{found} differences in {results} results"),
        (RatingsTask::Rebuild, found) => {
            format!("{found} differences in {results} results; the ratings are stored anew")
        }
    });
    Ok(Findings { lines, is_well: report.found == 0 })
}

/// The progress of the present step, shown on a terminal only.
#[derive(Default)]
struct Bar(Option<(CheckStep, ProgressBar)>);

/// How often a bar moves whose length is not known.
const TICK: Duration = Duration::from_millis(200);

impl Bar {
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

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

/// What a database holds, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Inspected {
    /// The copy, if one was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<PathBuf>,
    /// Games whose records were read.
    pub games: u64,
    /// Records that continue the chain of their game.
    pub records: u64,
    /// How much is wrong.
    pub found: u64,
    /// What is wrong, in sentences: the first few of it.
    pub findings: Vec<String>,
}

impl Inspected {
    fn new(inspection: IntegrityReport, backup: Option<PathBuf>) -> Self {
        let IntegrityReport { games, records, findings, found } = inspection;
        Self { backup, games, records, found, findings }
    }

    /// Whether nothing is wrong.
    pub const fn is_well(&self) -> bool {
        self.found == 0
    }

    /// The findings and, last, the counts, a line each.
    pub fn lines(&self) -> Vec<String> {
        let Self { backup, games, records, found, findings } = self;
        let mut lines = findings.clone();
        let shown = findings.len() as u64;
        if *found > shown {
            lines.push(format!("and {} more", found - shown));
        }
        let what = backup.as_ref().map(|path| format!("{}: ", path.display())).unwrap_or_default();
        let counts = format!("{what}{games} games with {records} records");
        lines.push(match found {
            0 => format!("{counts}, nothing is wrong"),
            1 => format!("{counts}, 1 finding"),
            _ => format!("{counts}, {found} findings"),
        });
        lines
    }
}

/// Looks whether a data directory, or a file that is a database, is whole: its pages, its log, the
/// records of every game and the ratings. Nothing changes, and a server may be running.
pub fn check(data: &Path) -> Result<Inspected, AuditError> {
    let mut bar = Bar::default();
    let inspection =
        sqlite::check_integrity(&sqlite::database_of(data), &mut |step, done, total| {
            bar.show(step, done, total);
        })?;
    Ok(Inspected::new(inspection, None))
}

/// Copies the database to a file that does not exist yet, or into a directory under the day's name;
/// on request with the signing key. A server may be running. The copy has been checked.
pub fn backup(data: &Path, to: &Path, with_key: bool) -> Result<Inspected, AuditError> {
    let target = if to.is_dir() { to.join(format!("adamant-{}.db", today())) } else { to.into() };
    let database = sqlite::database_of(data);
    let keys = if with_key { keys_to_copy(&database, &target)? } else { Vec::new() };
    let mut bar = Bar::default();
    let BackupReport { path, report } =
        sqlite::copy(&database, &target, &mut |step, done, total| {
            bar.show(step, done, total);
        })?;
    for (path, text) in keys {
        files::replace(&path, &text, 0o600).map_err(AuditError::file(&path))?;
    }
    Ok(Inspected::new(report, Some(path)))
}

/// The files of the signing key that are not beside the target yet, and what they hold. Another key
/// is not overwritten.
fn keys_to_copy(database: &Path, target: &Path) -> Result<Vec<(PathBuf, String)>, AuditError> {
    let mut missing = Vec::new();
    for name in KEY_FILES {
        let (from, to) = (database.with_file_name(name), target.with_file_name(name));
        let text = fs::read_to_string(&from).map_err(AuditError::file(&from))?;
        match fs::read_to_string(&to) {
            Ok(there) if there == text => {}
            Ok(_) => return Err(AuditError::OtherKey { path: to.display().to_string() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push((to, text)),
            Err(error) => return Err(AuditError::file(&to)(error)),
        }
    }
    Ok(missing)
}

/// The date in Greenwich, such as `2026-03-01`.
fn today() -> String {
    date_of(TimeSource::from_system().now_ms() / MS_PER_DAY)
}

/// Milliseconds of a day.
const MS_PER_DAY: u64 = 24 * 60 * 60 * 1000;

/// The date so many days after 1970-01-01.
fn date_of(days: u64) -> String {
    // Counted in spans of 400 years from a first of March, so that leap days come last.
    let days = days + 719_468;
    let (span, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", span * 400 + year + later)
}

#[cfg(test)]
mod tests {
    use super::date_of;

    #[test]
    fn days_have_their_dates() {
        let dates = [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_513, "2026-03-01"),
            (20_818, "2026-12-31"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ];
        for (days, date) in dates {
            assert_eq!(date_of(days), date);
        }
    }
}
