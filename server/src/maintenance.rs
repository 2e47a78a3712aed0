//! The operator's tasks: check a database, back it up, check or rebuild the ratings, and move a
//! store between a data directory and PostgreSQL.

use std::{
    fs, io,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::Duration,
};

use adamant_protocol::{EventFrame, UserName};
use bytes::Bytes;
use indicatif::{ProgressBar, ProgressStyle};

use crate::{
    limits::{CHECK_FINDINGS_MAX, TRANSFER_ROWS_AT_ONCE},
    room::GameLoader,
    runtime::{
        files,
        time::{TimeSource, date},
    },
    signing::{self, KEY_FILES, PUBLIC_KEYS_FILE, SigningError, VAPID_FILE},
    store::{
        ArrivedGame, COPIED, CheckStep, EmbeddedSource, EmbeddedTarget, Glance, IntegrityReport,
        Postgres, PostgresError, PostgresOptions, PostgresUrl, RatingsMode, RatingsReport,
        StoreError,
        sqlite::{
            self, BackupReport, LAST_BACKUP_FILE, OpenError, check_integrity, check_ratings,
            database_of,
        },
    },
};

/// Adds how many findings there are beside the listed ones.
fn listed(mut findings: Vec<String>, found: u64) -> Vec<String> {
    let shown = findings.len() as u64;
    if found > shown {
        findings.push(format!("and {} more", found - shown));
    }
    findings
}

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
    const fn mode(self) -> RatingsMode {
        match self {
            Self::Check => RatingsMode::Check,
            Self::Rebuild => RatingsMode::Rebuild,
        }
    }
}

impl RatingsSummary {
    fn new(report: RatingsReport, task: RatingsTask) -> Self {
        let mut lines = listed(report.differences, report.found);
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
    let report = check_ratings(data, task.mode(), StepBar::of_ratings())?;
    Ok(RatingsSummary::new(report, task))
}

/// The result of a check of a database.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct DatabaseReport {
    /// The backup, if the task made one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<PathBuf>,
    /// The older backups that it removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<PathBuf>,
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
        let IntegrityReport { games, records, findings, found, .. } = inspection;
        Self { backup, removed: Vec::new(), games, records, found, findings }
    }

    /// Whether there are no findings.
    pub const fn is_ok(&self) -> bool {
        self.found == 0
    }

    /// Returns the findings and, last, the counts, one per line.
    pub fn lines(&self) -> Vec<String> {
        let Self { backup, removed, games, records, found, findings } = self;
        let mut lines = listed(findings.clone(), *found);
        lines.extend(removed.iter().map(|path| format!("removed: {}", path.display())));
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
    let inspection = check_integrity(&database_of(data), &mut StepBar::of_steps())?;
    Ok(DatabaseReport::new(inspection, None))
}

/// Looks at an embedded store: how much it has, and which of the moderators have no account.
pub(crate) fn look_at(data: &Path, moderators: &[UserName]) -> Result<Glance, MaintenanceError> {
    Ok(sqlite::look_at(&database_of(data), moderators)?)
}

/// Where a backup goes.
#[derive(Debug, Clone, Copy)]
pub struct BackupTarget<'a> {
    /// A new file, or a directory for a file named by the date.
    pub to: &'a Path,
    /// Whether the keys are copied beside it.
    pub with_key: bool,
    /// How many backups named by the date stay in the directory; `None` for all.
    pub keep: Option<NonZeroUsize>,
}

/// Copies the database to a new file, or into a directory under a name with the date, and checks
/// the copy. After a good one removes the oldest, as asked, and tells the server's directory of it.
/// The server may be running.
pub fn backup(data: &Path, target: BackupTarget<'_>) -> Result<DatabaseReport, MaintenanceError> {
    let BackupTarget { to, with_key, keep } = target;
    let is_directory = to.is_dir();
    if keep.is_some() && !is_directory {
        return Err(MaintenanceError::KeepsInDirectory { path: to.display().to_string() });
    }
    let target = if is_directory { new_name(to)? } else { to.into() };
    let database = database_of(data);
    let keys = if with_key { keys_to_copy(&database, &target)? } else { Vec::new() };
    let BackupReport { path, report } = sqlite::copy(&database, &target, &mut StepBar::of_steps())?;
    for (path, text) in keys {
        files::replace_atomically(&path, &text, 0o600).map_err(MaintenanceError::file(&path))?;
    }
    let mut report = DatabaseReport::new(report, Some(path));
    if report.is_ok() {
        let mark = database.with_file_name(LAST_BACKUP_FILE);
        // The copy is good all the same, where nobody may write here or the disk is full.
        files::replace_atomically(&mark, "", 0o600).ok();
        if let Some(keep) = keep {
            report.removed = remove_oldest(to, keep.get())?;
        }
    }
    Ok(report)
}

/// Returns a name with the date that no backup in a directory has: `adamant-2026-11-22.db`, and for
/// later ones of the day `adamant-2026-11-22.2.db`.
fn new_name(directory: &Path) -> Result<PathBuf, MaintenanceError> {
    let today = date(TimeSource::from_system().now_ms());
    let of_today = dated(directory)?.into_iter().filter(|(date, ..)| *date == today);
    let number = of_today.map(|(_, number, _)| number).max().map_or(1, |last| last + 1);
    let number = if number > 1 { format!(".{number}") } else { String::new() };
    Ok(directory.join(format!("adamant-{today}{number}.db")))
}

/// The date of a backup, its number of that day, and its file.
type DatedBackup = (String, u32, PathBuf);

/// The backups of a directory that are named by the date, the oldest first.
fn dated(directory: &Path) -> Result<Vec<DatedBackup>, MaintenanceError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).map_err(MaintenanceError::file(directory))? {
        let path = entry.map_err(MaintenanceError::file(directory))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let stem = name.and_then(|name| name.strip_prefix("adamant-")?.strip_suffix(".db"));
        let Some(stem) = stem else { continue };
        let (day, number) = stem.split_once('.').unwrap_or((stem, "1"));
        let is_date = day.len() == "2026-11-22".len()
            && day.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        if let (true, Ok(number)) = (is_date, number.parse()) {
            found.push((day.to_owned(), number, path));
        }
    }
    found.sort();
    Ok(found)
}

/// Removes the oldest backups of a directory that are named by the date, up to so many.
fn remove_oldest(directory: &Path, keep: usize) -> Result<Vec<PathBuf>, MaintenanceError> {
    let mut removed = dated(directory)?;
    removed.truncate(removed.len().saturating_sub(keep));
    for (.., path) in &removed {
        fs::remove_file(path).map_err(MaintenanceError::file(path))?;
    }
    Ok(removed.into_iter().map(|(.., path)| path).collect())
}

/// Returns the files of the keys that are not yet beside the target, with their text. Those that
/// this server had earlier are replaced; another server's key there is rejected.
pub(crate) fn keys_to_copy(
    database: &Path,
    target: &Path,
) -> Result<Vec<(PathBuf, String)>, MaintenanceError> {
    let read = |beside: &Path| fs::read_to_string(beside.with_file_name(PUBLIC_KEYS_FILE));
    // A server keeps its earlier public keys.
    let is_earlier = match (read(database), read(target)) {
        (Ok(ours), Ok(there)) => {
            !there.is_empty() && there.lines().all(|key| ours.lines().any(|own| own == key))
        }
        (_, _) => false,
    };
    let mut missing = Vec::new();
    for name in KEY_FILES {
        let (from, to) = (database.with_file_name(name), target.with_file_name(name));
        let text = match fs::read_to_string(&from) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && name == VAPID_FILE => continue,
            read => read.map_err(MaintenanceError::file(&from))?,
        };
        match fs::read_to_string(&to) {
            Ok(there) if there == text => {}
            Ok(_) if is_earlier => missing.push((to, text)),
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
    with_database(to, true, async |database| import_into(&database, from).await)
}

/// Copies a PostgreSQL database into a directory without a store, and verifies every chain and the
/// ratings there. No node may use the database.
pub fn export(from: DatabaseTarget<'_>, to: &Path) -> Result<TransferReport, MaintenanceError> {
    with_database(from, true, async |database| export_from(&database, to).await)
}

/// Checks the records of every game and the ratings. Changes nothing; nodes may be running.
pub fn check_database(target: DatabaseTarget<'_>) -> Result<DatabaseReport, MaintenanceError> {
    with_database(target, false, async |database| {
        let reading = database.begin_reading().await?;
        let checked = reading.check(&mut StepBar::of_steps()).await?;
        Ok(DatabaseReport::new(checked, None))
    })
}

/// Looks at a database as [`look_at`] does. Nodes may be running.
pub(crate) fn look_at_database(
    target: DatabaseTarget<'_>,
    moderators: &[UserName],
) -> Result<Glance, MaintenanceError> {
    with_database(target, false, async |database| {
        Ok(database.begin_reading().await?.look(moderators).await?)
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
        let transaction = match task {
            RatingsTask::Check => database.begin_reading().await?,
            RatingsTask::Rebuild => {
                let begun = database.begin_alone().await?;
                begun.map_err(|node| MaintenanceError::InUse { node })?
            }
        };
        let report = transaction.check_ratings(task.mode(), &mut StepBar::of_ratings()).await?;
        Ok(RatingsSummary::new(report, task))
    })
}

/// Runs a task on a database. One for which it must be unused may migrate it.
fn with_database<T>(
    target: DatabaseTarget<'_>,
    is_alone: bool,
    task: impl AsyncFnOnce(Postgres) -> Result<T, MaintenanceError>,
) -> Result<T, MaintenanceError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(MaintenanceError::file(Path::new("tokio")))?;
    runtime.block_on(async {
        let url = PostgresUrl::parse(target.url)?;
        let (node, is_unreplicated) = ("maintenance".to_owned(), target.is_unreplicated);
        let metrics = std::sync::Arc::default();
        let options = PostgresOptions { url, node, is_unreplicated, metrics };
        let database = Postgres::open_for_task(options, is_alone).await?;
        if is_alone && let Some(node) = database.node_in_use().await? {
            return Err(MaintenanceError::InUse { node });
        }
        task(database).await
    })
}

/// Why a task on a data directory failed.
#[expect(missing_docs, reason = "each message says it")]
#[derive(Debug, thiserror::Error)]
pub enum MaintenanceError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("{path}: {error}")]
    File { path: String, error: io::Error },
    #[error(transparent)]
    Postgres(#[from] PostgresError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] SigningError),
    #[error("the database is not empty: create a new one, and import into that")]
    NotEmpty,
    #[error("node {node} uses the database: stop all nodes first")]
    InUse { node: String },
    #[error("{path} is not empty: name a directory that is")]
    NotEmptyDirectory { path: String },
    #[error("{path}: there is no database")]
    NoDatabase { path: String },
    #[error("{path} is not a directory: --keep removes old backups from one")]
    KeepsInDirectory { path: String },
    #[error("{path} is not this server's key: move it away, or back up to another directory")]
    OtherKey { path: String },
}

impl MaintenanceError {
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::File { path: path.display().to_string(), error }
    }
}

/// Progress of the present step, shown only on a terminal.
#[derive(Default)]
pub(crate) struct StepBar(Option<(CheckStep, ProgressBar)>);

/// Interval at which a spinner moves.
const TICK: Duration = Duration::from_millis(200);

impl StepBar {
    pub(crate) fn of_steps() -> impl FnMut(CheckStep, u64, u64) {
        let mut bar = Self::default();
        move |step, done, total| bar.show(step, done, total)
    }

    pub(crate) fn of_ratings() -> impl FnMut(u64, u64) {
        let mut show = Self::of_steps();
        move |done, total| show(CheckStep::Ratings, done, total)
    }

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

/// The result of an import or an export.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct TransferReport {
    /// Rows of tables other than games.
    pub rows: u64,
    /// Games in the target.
    pub games: u64,
    /// Records that continue the chain of their game.
    pub records: u64,
    /// Number of findings.
    pub found: u64,
    /// The first findings, as sentences.
    pub findings: Vec<String>,
}

impl TransferReport {
    fn add(&mut self, finding: String) {
        self.found += 1;
        if self.findings.len() < CHECK_FINDINGS_MAX {
            self.findings.push(finding);
        }
    }

    /// Adds what a check of the target has found.
    fn add_check(&mut self, checked: IntegrityReport) {
        let IntegrityReport { games, records, findings, found, .. } = checked;
        (self.games, self.records) = (games, records);
        self.found += found;
        self.findings.extend(findings);
    }

    /// Whether there are no findings.
    pub const fn is_ok(&self) -> bool {
        self.found == 0
    }

    /// Returns the findings and, last, the counts, one per line.
    pub fn lines(&self) -> Vec<String> {
        let Self { rows, games, records, found, findings } = self;
        let mut lines = listed(findings.clone(), *found);
        lines.push(format!("{rows} rows, {games} games with {records} records, {found} findings"));
        lines
    }
}

async fn import_into(to: &Postgres, from: &Path) -> Result<TransferReport, MaintenanceError> {
    let source = EmbeddedSource::open(from)?;
    if !to.is_empty().await? {
        return Err(MaintenanceError::NotEmpty);
    }
    to.begin_import().await?;
    let (mut report, mut bar) = (TransferReport::default(), StepBar::of_steps());
    let mut total = 0;
    for table in COPIED {
        total += source.count(table)?;
    }
    for table in COPIED {
        let mut after = None;
        loop {
            let rows = source.rows(table, after.as_ref(), TRANSFER_ROWS_AT_ONCE)?;
            let Some(last) = rows.last() else { break };
            after = Some(last.clone());
            report.rows += rows.len() as u64;
            to.add_rows(table, rows).await?;
            bar(CheckStep::Rows, report.rows, total);
        }
    }
    let arrived = source.arrived()?;
    for (done, found) in (1..).zip(&arrived) {
        match arrived_game(found.archived_seq, source.records(found)?) {
            Ok(game) => to.add_arrived(game).await?,
            Err(why) => report.add(format!("game {} is not imported: {why}", found.game)),
        }
        bar(CheckStep::Transfer, done, arrived.len() as u64);
    }
    to.add_public_keys(signing::public_keys(from)?).await?;
    let checked = to.begin_reading().await?;
    report.add_check(checked.check(&mut bar).await?);
    to.finish_import(source.last_heartbeat()?).await?;
    Ok(report)
}

/// Replays a game, and returns what the rows of the journal lack of it.
fn arrived_game(archived_seq: u64, mut records: Vec<Bytes>) -> Result<ArrivedGame, String> {
    let mut loader = GameLoader::default();
    for record in &records {
        loader.push(record).map_err(|error| error.to_string())?;
    }
    let game = loader.finish().ok_or("it has no records")?;
    let last = records.last().ok_or("it has no records")?;
    let chain = EventFrame::from_bytes(last).map_err(|error| error.to_string())?.chain;
    let (entry, deadline) = (game.entry(), game.deadline());
    let archived = usize::try_from(archived_seq).map_err(|error| error.to_string())?;
    let records = records.split_off(archived.min(records.len()));
    Ok(ArrivedGame { entry, deadline, archived_seq, records, chain })
}

async fn export_from(from: &Postgres, to: &Path) -> Result<TransferReport, MaintenanceError> {
    let target = EmbeddedTarget::create(to)?;
    let (mut report, mut bar) = (TransferReport::default(), StepBar::of_steps());
    let mut total = 0;
    for table in COPIED {
        total += from.count(table).await?;
    }
    for table in COPIED {
        let mut after = None;
        loop {
            let rows = from.rows(table, after, TRANSFER_ROWS_AT_ONCE).await?;
            let Some(last) = rows.last() else { break };
            after = Some(last.clone());
            report.rows += rows.len() as u64;
            target.add_rows(table, &rows)?;
            bar(CheckStep::Rows, report.rows, total);
        }
    }
    target.finish(from.alive_at().await?)?;
    signing::add_public_keys(to, from.public_keys().await?)?;
    report.add_check(check_integrity(&database_of(to), &mut bar)?);
    Ok(report)
}
