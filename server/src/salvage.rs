//! Rescues what is whole of a damaged store: every game whose chain holds, and the rows of the other
//! tables that can be read. What the records say is derived from them again.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

use adamant_protocol::EventFrame;
use bytes::Bytes;
use serde::Serialize;

use crate::{
    limits::CHECK_FINDINGS_MAX,
    maintenance::{MaintenanceError, StepBar},
    room::{GameLoader, LoadedGame},
    runtime::{files, time::TimeSource},
    signing::KEY_FILES,
    store::{
        Begin, COPIED, CheckStep, CopiedTable, EmbeddedTarget, FoundGame, RatingsMode,
        SalvageSource, WholeGame,
        sqlite::{FoundRecords, Gap, check_integrity, check_ratings, database_of, unpublish},
    },
};

/// The directory in the target in which the damaged files are copied for as long as they are read.
const COPY: &str = "salvage.tmp";

/// What follows from the records and is computed again: `games` and `game_users` with each game,
/// `ratings` from the results, `tallies` by the next server.
const DERIVED: [&str; 5] = ["games", "game_users", "journal", "ratings", "tallies"];

/// The tables of the published files, which hold only together.
const DOWNLOADS: [&str; 4] =
    ["download_state", "download_files", "download_games", "download_lines"];

/// What is lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LostPart {
    /// The table whose rows are lost.
    pub table: &'static str,
    /// The lost game, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The first of its records that is missing or wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<u64>,
    /// What is wrong, as a sentence.
    pub why: String,
}

/// The result of a rescue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SalvageReport {
    /// Rescued games.
    pub games: u64,
    /// Their records.
    pub records: u64,
    /// Rescued rows of other tables.
    pub rows: u64,
    /// All that is lost.
    pub lost: Vec<LostPart>,
    /// What the check of the new store has found; nothing, unless results are lost.
    pub findings: Vec<String>,
}

impl SalvageReport {
    /// Whether everything was rescued.
    pub const fn is_ok(&self) -> bool {
        self.lost.is_empty() && self.findings.is_empty()
    }

    /// Returns what is lost and, last, the counts, one per line.
    pub fn lines(&self) -> Vec<String> {
        let Self { games, records, rows, lost, findings } = self;
        let mut lines: Vec<String> =
            lost.iter().map(|part| format!("lost: {}", part.why)).chain(findings.clone()).collect();
        let lost = lost.len();
        lines.push(format!(
            "{games} games with {records} records and {rows} other rows rescued, {lost} lost"
        ));
        lines
    }

    fn add_gaps(&mut self, gaps: &[Gap]) {
        self.lost.extend(gaps.iter().map(|gap| LostPart {
            table: gap.table(),
            game: None,
            record: None,
            why: gap.to_string(),
        }));
    }

    fn add_downloads(&mut self) {
        let why = "what was published: the next server publishes all games anew, in other files";
        self.add("download_files", format!("download_files: {why}"));
    }

    fn add(&mut self, table: &'static str, why: String) {
        self.lost.push(LostPart { table, game: None, record: None, why });
    }
}

/// Copies what is whole of a data directory or a database file into a new directory, and checks
/// that. Nothing in the source changes. No server may use it.
pub fn salvage(data: &Path, to: &Path) -> Result<SalvageReport, MaintenanceError> {
    let target = NewDirectory::expect(to)?;
    let database = database_of(data);
    if !database.is_file() {
        return Err(MaintenanceError::NoDatabase { path: database.display().to_string() });
    }
    target.fill(|| rescue(&database, to))
}

/// A directory that a task fills: it is empty, or not there.
#[derive(Debug)]
pub(crate) struct NewDirectory<'a> {
    path: &'a Path,
    is_there: bool,
}

impl<'a> NewDirectory<'a> {
    /// Refuses a directory that has anything in it.
    pub(crate) fn expect(path: &'a Path) -> Result<Self, MaintenanceError> {
        match fs::read_dir(path).map(|mut entries| entries.next().is_some()) {
            Ok(true) => {
                Err(MaintenanceError::NotEmptyDirectory { path: path.display().to_string() })
            }
            Ok(false) => Ok(Self { path, is_there: true }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Self { path, is_there: false })
            }
            Err(error) => Err(MaintenanceError::file(path)(error)),
        }
    }

    /// Leaves it as it was if the task fails.
    pub(crate) fn fill<T, E: From<MaintenanceError>>(
        &self,
        task: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        files::create_private_directory(self.path).map_err(MaintenanceError::file(self.path))?;
        let filled = task();
        if filled.is_err() {
            // What cannot be removed is in the way of the next try.
            drop(self.clear());
        }
        filled
    }

    fn clear(&self) -> io::Result<()> {
        if !self.is_there {
            return fs::remove_dir_all(self.path);
        }
        for entry in fs::read_dir(self.path)? {
            let path = entry?.path();
            if path.is_dir() { fs::remove_dir_all(path)? } else { fs::remove_file(path)? }
        }
        Ok(())
    }
}

fn rescue(database: &Path, to: &Path) -> Result<SalvageReport, MaintenanceError> {
    let (mut report, mut bar) = (SalvageReport::default(), StepBar::of_steps());
    bar(CheckStep::Copy, 0, 0);
    let source = SalvageSource::open(database, &to.join(COPY))?;
    if let Some(loss) = &source.loss {
        report.add("journal", format!("the newest commits: the WAL is damaged: {loss}"));
    }
    let target = EmbeddedTarget::create(to)?;
    let (found, gaps) = source.games();
    report.add_gaps(&gaps);
    let mut rescue =
        Rescue { source: &source, target: &target, report, lost: BTreeSet::new(), last_at: 0 };
    rescue.copy_games(&found, &mut bar)?;
    rescue.copy_tables()?;
    let Rescue { mut report, last_at, .. } = rescue;
    target.finish(source.last_heartbeat().unwrap_or(last_at))?;
    source.close().map_err(MaintenanceError::file(to))?;
    copy_keys(database, to, &mut report)?;
    check_ratings(to, RatingsMode::Rebuild, |done, total| bar(CheckStep::Ratings, done, total))?;
    let mut checked = check_integrity(&database_of(to), &mut bar)?;
    if checked.has_wrong_downloads {
        unpublish(to)?;
        report.add_downloads();
        checked = check_integrity(&database_of(to), &mut bar)?;
    }
    report.findings = checked.findings;
    Ok(report)
}

struct Rescue<'a> {
    source: &'a SalvageSource,
    target: &'a EmbeddedTarget,
    report: SalvageReport,
    /// Games that are lost.
    lost: BTreeSet<String>,
    /// Time of the newest record, in epoch milliseconds.
    last_at: u64,
}

impl Rescue<'_> {
    fn copy_games(
        &mut self,
        found: &BTreeMap<String, FoundGame>,
        bar: &mut impl FnMut(CheckStep, u64, u64),
    ) -> Result<(), MaintenanceError> {
        let now = TimeSource::from_system().now_ms();
        let total = found.len() as u64;
        for (done, (id, found)) in (1..).zip(found) {
            match whole(id, found, self.source.records(found)) {
                Ok(game) => {
                    self.target.add_game(&game)?;
                    self.report.games += 1;
                    self.report.records += game.begin.records.len() as u64;
                    self.last_at = self.last_at.max(game.begin.entry.last_at);
                }
                Err(Broken { record, why }) => {
                    self.target.note_lost(id, &why, now)?;
                    self.lost.insert(id.clone());
                    let (game, why) = (Some(id.clone()), format!("game {id}: {why}"));
                    self.report.lost.push(LostPart { table: "journal", game, record, why });
                }
            }
            bar(CheckStep::Transfer, done, total);
        }
        Ok(())
    }

    fn copy_tables(&mut self) -> Result<(), MaintenanceError> {
        for table in COPIED {
            if !DERIVED.contains(&table.name) && !DOWNLOADS.contains(&table.name) {
                self.copy_table(table);
            }
        }
        self.copy_downloads()
    }

    /// Copies the rows that can be read and fit the others.
    fn copy_table(&mut self, table: &CopiedTable) {
        let (target, lost) = (self.target, &self.lost);
        let (mut rows, mut refused) = (0, Vec::new());
        let gaps = self.source.rows(table, &mut |row| {
            let leads_to_lost =
                table.name == "rematches" && row.texts().any(|id| lost.contains(id));
            if leads_to_lost {
                return;
            }
            match target.add_row(table, row.clone()) {
                Ok(()) => rows += 1,
                Err(_) => refused.push(row),
            }
        });
        self.report.add_gaps(&gaps);
        // A row may have come before the one that it refers to.
        let mut unfit = 0;
        for row in refused {
            match target.add_row(table, row) {
                Ok(()) => rows += 1,
                Err(error) => {
                    unfit += 1;
                    if unfit <= CHECK_FINDINGS_MAX {
                        let name = table.name;
                        self.report.add(name, format!("{name}: a row that does not fit: {error}"));
                    }
                }
            }
        }
        if unfit > CHECK_FINDINGS_MAX {
            let (name, more) = (table.name, unfit - CHECK_FINDINGS_MAX);
            self.report.add(name, format!("{name}: and {more} more rows"));
        }
        self.report.rows += rows;
    }

    /// Copies what is published if all of it is whole. Otherwise the next server publishes again.
    fn copy_downloads(&mut self) -> Result<(), MaintenanceError> {
        let (mut all, mut is_whole) = (Vec::new(), true);
        for table in COPIED.iter().filter(|table| DOWNLOADS.contains(&table.name)) {
            let mut rows = Vec::new();
            is_whole &= self.source.rows(table, &mut |row| rows.push(row)).is_empty();
            is_whole &= !rows.iter().any(|row| row.texts().any(|id| self.lost.contains(id)));
            all.push((table, rows));
        }
        if !is_whole {
            self.report.add_downloads();
            return Ok(self.target.unpublish()?);
        }
        let count: usize = all.iter().map(|(_, rows)| rows.len()).sum();
        if all.iter().any(|(table, rows)| self.target.add_rows(table, rows).is_err()) {
            self.report.add_downloads();
            return Ok(self.target.unpublish()?);
        }
        self.report.rows += count as u64;
        Ok(())
    }
}

/// Why a game is not whole.
#[derive(Debug)]
pub(crate) struct Broken {
    /// The first record that is missing or wrong.
    pub record: Option<u64>,
    pub why: String,
}

impl Broken {
    pub(crate) fn missing(record: u64) -> Self {
        Self { record: Some(record), why: format!("record {record} cannot be read") }
    }
}

/// Replays a game from what was found of its records, which must be all.
fn whole(id: &str, found: &FoundGame, records: FoundRecords) -> Result<WholeGame, Broken> {
    let mut replayed = replay(id, records);
    if let Some(broken) = replayed.broken.take() {
        return Err(broken);
    }
    let seq = replayed.records.len() as u64;
    let game = replayed.game.ok_or_else(|| Broken::missing(1))?;
    let is_last = seq >= found.last_seq();
    if !is_last && !game.is_over() {
        return Err(Broken::missing(seq + 1));
    }
    let listed = found.listed;
    Ok(WholeGame {
        begin: begin_of(&game, replayed.records),
        // A game that is over and is not finished is finished by the next server.
        is_finished: is_last && listed.is_some_and(|listed| listed.is_finished) && game.is_over(),
        is_published: listed.is_some_and(|listed| listed.is_published),
        is_counted: false,
    })
}

/// The records of a game from the first up to the first that is missing or wrong.
pub(crate) struct Replayed {
    pub game: Option<LoadedGame>,
    pub records: Vec<Bytes>,
    /// What is wrong with the next one, unless there is none.
    pub broken: Option<Broken>,
}

pub(crate) fn replay(id: &str, mut found: FoundRecords) -> Replayed {
    let (mut loader, mut records, mut broken) = (GameLoader::default(), Vec::new(), None);
    while let Some(stored) = found.remove(&(records.len() as u64 + 1)) {
        let mut wrong = None;
        let whole = stored.into_iter().find(|record| {
            loader.push(record).inspect_err(|error| wrong = Some(error.to_string())).is_ok()
        });
        let Some(record) = whole else {
            let record = Some(records.len() as u64 + 1);
            broken = wrong.map(|why| Broken { record, why });
            break;
        };
        records.push(record);
    }
    if broken.is_none() && !found.is_empty() {
        broken = Some(Broken::missing(records.len() as u64 + 1));
    }
    let game = loader.finish();
    if let Some(other) =
        game.as_ref().map(|game| game.entry().game).filter(|game| game.as_str() != id)
    {
        broken =
            Some(Broken { record: Some(1), why: format!("its records belong to game {other}") });
    }
    Replayed { game, records, broken }
}

/// Returns what a server stores of a game that has these records.
pub(crate) fn begin_of(game: &LoadedGame, records: Vec<Bytes>) -> Begin {
    let last = records.last().and_then(|record| EventFrame::from_bytes(record).ok());
    Begin {
        entry: Box::new(game.entry()),
        records,
        chain: last.map(|frame| frame.chain).unwrap_or_default(),
        deadline: game.deadline(),
        offer: None,
        rematch_of: None,
    }
}

/// Copies the keys that lie beside a database.
fn copy_keys(
    database: &Path,
    to: &Path,
    report: &mut SalvageReport,
) -> Result<(), MaintenanceError> {
    for name in KEY_FILES {
        let target = to.join(name);
        match fs::read_to_string(database.with_file_name(name)) {
            Ok(text) => files::replace_atomically(&target, &text, 0o600)
                .map_err(MaintenanceError::file(&target))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => report.add("keys", format!("{name}: {error}")),
        }
    }
    Ok(())
}
