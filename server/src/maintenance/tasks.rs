//! Tasks on a data directory: check the database, back it up, and check or rebuild the ratings.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

use super::transfer::{self, TransferReport};
use crate::{
    runtime::{
        files,
        time::{TimeSource, date},
    },
    signing::{KEY_FILES, SigningError, VAPID_FILE},
    store::{
        CheckStep, IntegrityReport, Postgres, PostgresError, PostgresOptions, PostgresUrl,
        RatingsMode, RatingsReport, StoreError,
        sqlite::{self, BackupReport, OpenError, check_ratings},
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

/// Where a database is, and whether it must have a synchronous standby.
#[derive(Debug, Clone, Copy)]
pub struct DatabaseTarget<'a> {
    /// The URL.
    pub url: &'a str,
    /// Whether commits count that are on no standby.
    pub is_unreplicated: bool,
}

/// Copies an embedded store into an empty PostgreSQL database, and verifies every chain and the
/// ratings there. No server may use either.
pub fn import(from: &Path, to: DatabaseTarget<'_>) -> Result<TransferReport, MaintenanceError> {
    with_database(to, true, async |database| {
        expect_unused(&database).await?;
        transfer::import(from, &database).await
    })
}

/// Copies a PostgreSQL database into a directory without a store, and verifies every chain and the
/// ratings there. No node may use the database.
pub fn export(from: DatabaseTarget<'_>, to: &Path) -> Result<TransferReport, MaintenanceError> {
    with_database(from, true, async |database| {
        expect_unused(&database).await?;
        transfer::export(&database, to).await
    })
}

/// Checks the records of every game and the ratings. Changes nothing; nodes may be running.
pub fn check_database(target: DatabaseTarget<'_>) -> Result<DatabaseReport, MaintenanceError> {
    with_database(target, false, async |database| {
        let mut bar = StepBar::default();
        let reading = database.begin_reading().await?;
        let checked = reading.check(&mut |step, done, total| bar.show(step, done, total)).await?;
        Ok(DatabaseReport::new(checked, None))
    })
}

/// Computes all ratings from the records of rated games, in the order in which the games ended, and
/// compares them with the stored ratings or replaces these. Nodes may be running only if it changes
/// nothing.
pub fn ratings_of_database(
    target: DatabaseTarget<'_>,
    task: RatingsTask,
) -> Result<RatingsSummary, MaintenanceError> {
    with_database(target, false, async |database| {
        let mut bar = StepBar::default();
        let transaction = match task {
            RatingsTask::Check => database.begin_reading().await?,
            RatingsTask::Rebuild => {
                let begun = database.begin_alone().await?;
                begun.map_err(|node| MaintenanceError::InUse { node })?
            }
        };
        let mut progress = |done, total| bar.show(CheckStep::Ratings, done, total);
        let report = transaction.check_ratings(task.mode(), &mut progress).await?;
        Ok(RatingsSummary::new(report, task))
    })
}

fn with_database<T>(
    target: DatabaseTarget<'_>,
    may_migrate: bool,
    task: impl AsyncFnOnce(Postgres) -> Result<T, MaintenanceError>,
) -> Result<T, MaintenanceError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(MaintenanceError::file(Path::new("tokio")))?;
    runtime.block_on(async {
        let url = PostgresUrl::parse(target.url)?;
        let (node, is_unreplicated) = ("maintenance".to_owned(), target.is_unreplicated);
        let options =
            PostgresOptions { url, node, is_unreplicated, metrics: std::sync::Arc::default() };
        task(Postgres::open_for_task(options, may_migrate).await?).await
    })
}

async fn expect_unused(database: &Postgres) -> Result<(), MaintenanceError> {
    match database.node_in_use().await? {
        Some(node) => Err(MaintenanceError::InUse { node }),
        None => Ok(()),
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
    /// The database cannot be opened.
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The public keys cannot be read or written.
    #[error(transparent)]
    Signing(#[from] SigningError),
    /// The database has users or games.
    #[error("the database is not empty: create a new one, and import into that")]
    NotEmpty,
    /// A node has used the database a moment ago.
    #[error("node {node} uses the database: stop all nodes first")]
    InUse {
        /// The node.
        node: String,
    },
    /// Another server's key is beside the backup.
    #[error("{path} is not this server's key: move it away, or back up to another directory")]
    OtherKey {
        /// The file.
        path: String,
    },
}

impl MaintenanceError {
    pub(super) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::File { path: path.display().to_string(), error }
    }
}

/// Progress of the present step, shown only on a terminal.
#[derive(Default)]
pub(super) struct StepBar(Option<(CheckStep, ProgressBar)>);

/// Interval at which a spinner moves.
const TICK: Duration = Duration::from_millis(200);

impl StepBar {
    pub(super) fn show(&mut self, step: CheckStep, done: u64, total: u64) {
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
            CheckStep::Rows => ("{bar:30} {pos} of {len} rows copied, {eta} left", true),
            CheckStep::Transfer => ("{bar:30} {pos} of {len} games copied, {eta} left", true),
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
