//! Checks a store: the records of every game, and the ratings, which are computed again and compared
//! with what is stored. Writes nothing, except for ratings that are to be stored again.

use std::{
    collections::{BTreeSet, HashMap},
    num::NonZero,
    panic::resume_unwind,
    thread::{self, available_parallelism},
};

use adamant_protocol::{
    EventBody, EventFrame, GameId, UserName,
    to_client::GameEntry,
    values::{RatingChange, SeatUser},
};
use adamant_record::{Head, LineHash, RecordError, Replay, wire::seat_number};
use adamant_rules::Table;
use bytes::Bytes;
use futures::future::join_all;
use parking_lot::Mutex;

use super::{
    check_downloads::{ComputedLines, Line},
    downloads::LineFrame,
    findings::{IntegrityReport, unless_found},
    games::{entry_of, entry_text, parse_entry, records, split_lines},
    ratings::{
        RATING_COLUMNS, RATING_COLUMNS_COUNT, RatingTable, ResultSeat, StoredRating, change,
        pools_to_rerate, read_pool, read_rating, replace_ratings, seats_after, seats_text,
    },
    sql::{Row, Sql, SqlError, SqlResult, params},
};
use crate::{
    limits::{CHECK_FINDINGS_MAX, TRANSFER_GAMES_AT_ONCE, TRANSFER_RESULTS_AT_ONCE},
    ratings::{Pool, RatedResult},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckStep {
    Copy,
    Rows,
    Transfer,
    Pages,
    Games,
    Ratings,
}

/// Receives the step, the number done and the total; 0 and 0 if they are unknown.
pub(crate) type Progress<'a> = dyn FnMut(CheckStep, u64, u64) + 'a;

/// What the audit says of a game that is lost, and whose result counts nonetheless.
pub(super) const LOST_GAME: &str = r#"{"salvage":"lost"}"#;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RatingsMode {
    /// Report them. A server may be running.
    Check,
    /// Store the computed ratings. No server may be running.
    Rebuild,
}

impl IntegrityReport {
    pub(crate) fn add_ratings(&mut self, ratings: RatingsReport) {
        let unnamed = ratings.found - ratings.differences.len() as u64;
        ratings.differences.into_iter().for_each(|difference| self.add(difference));
        self.found += unnamed;
    }
}

/// The records of a game that have arrived.
#[derive(Debug, Default)]
pub(super) struct ArrivedRecords {
    /// Those that are not in the rows of the journal, because they have arrived since the game was
    /// last archived.
    pub(super) later: Vec<Bytes>,
    /// Those that are archived and were not deleted yet, each with its seq.
    pub(super) stale: Vec<(u64, Bytes)>,
}

/// Returns the records of a game that have arrived. A shared database has none.
pub(super) type Arrivals<'a> = dyn Fn(&GameId) -> SqlResult<ArrivedRecords> + 'a;

/// A row of the journal. Its columns say what its records are.
#[derive(Debug)]
struct JournalRow {
    seq: u64,
    events: u64,
    chain: Vec<u8>,
    after: RowState,
    deadline: Option<u64>,
    records: Bytes,
}

/// What a row of the journal says of the game: after its records, or after those of later rows that
/// were archived with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RowState {
    ply: u32,
    to_move: Option<u8>,
    last_at: u64,
}

impl RowState {
    fn of(table: &Table) -> Self {
        let to_move = table.to_move().map(seat_number);
        Self { ply: table.ply(), to_move, last_at: table.last_at() }
    }
}

#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("this is not a game id")]
    Name,
    #[error("there are {found} records instead of {wanted}")]
    Count { found: u64, wanted: u64 },
    #[error("its records belong to game {0}")]
    OtherGame(GameId),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("the row of the journal at record {seq} does not describe its records")]
    Row { seq: u64 },
    #[error("the table arrivals does not have record {0} as it is archived")]
    Stale(u64),
    #[error("the table games does not have what its records say: {0}")]
    Listed(&'static str),
    #[error("its records are unreadable: {0}")]
    Database(#[from] SqlError),
}

/// What the records of rated games say, so that they are read once.
pub(super) type RecordedResults = HashMap<GameId, RecordedResult>;

/// Replays every game, and checks the downloads of them. Returns the results of the rated ones.
pub(super) async fn check_games(
    sql: &impl Sql,
    arrivals: &Arrivals<'_>,
    report: &mut IntegrityReport,
    progress: &mut Progress<'_>,
) -> SqlResult<RecordedResults> {
    let mut results = RecordedResults::new();
    progress(CheckStep::Games, 0, 0);
    let total = sql.count("SELECT COUNT(*) FROM games", &[]).await? as u64;
    let mut after = String::new();
    let mut lines = ComputedLines::default();
    loop {
        let select =
            "SELECT game, archived_seq, finished, rules, players, delay, unlisted, started_at,
                 ended_at, entry, published
             FROM games WHERE game > $1 ORDER BY game LIMIT $2";
        let mut page = sql.query(select, params![&after, TRANSFER_GAMES_AT_ONCE]).await?;
        if page.is_empty() {
            break;
        }
        let before = after.clone();
        let mut unreadable = Vec::new();
        let mut listed = Vec::with_capacity(page.len());
        for row in &mut page {
            let name: String = row.get(0)?;
            after.clone_from(&name);
            match Listed::read(name.clone(), row) {
                Ok(row) => listed.push(row),
                Err(error) => {
                    report.games += 1;
                    report.add(format!("game {name}: the table games: {error}"));
                    unreadable.push(name);
                }
            }
        }
        let mut frames = lines.frames(sql, &before, Some(&after), report).await?;
        for name in unreadable {
            if let Some(frame) = frames.remove(name.as_str()) {
                lines.add(frame.game, None);
            }
        }
        let games = stored_games(sql, listed, arrivals, &mut frames).await?;
        lines.add_unlisted(frames, report);
        for ReplayedGame { name, records, result, line } in on_all_cores(games, replay_stored) {
            match result {
                Ok(Some((id, result))) => drop(results.insert(id, result)),
                Ok(None) => {}
                Err(fault) => report.add(format!("game {name}: {fault}")),
            }
            if let Some((game, line)) = line {
                lines.add(game, line);
            }
            report.games += 1;
            report.records += records;
        }
        progress(CheckStep::Games, report.games, total);
    }
    let frames = lines.frames(sql, &after, None, report).await?;
    lines.add_unlisted(frames, report);
    lines.check(sql, report).await?;
    check_game_users(sql, report).await?;
    let unlisted = "SELECT DISTINCT game FROM journal
         WHERE NOT EXISTS (SELECT 1 FROM games WHERE games.game = journal.game)
         ORDER BY game LIMIT $1";
    for row in &mut sql.query(unlisted, params![CHECK_FINDINGS_MAX]).await? {
        let game: String = row.get(0)?;
        report.add(format!("game {game}: it has records, and is not listed"));
    }
    Ok(results)
}

/// Reads the records of listed games.
async fn stored_games(
    sql: &impl Sql,
    listed: Vec<Listed>,
    arrivals: &Arrivals<'_>,
    frames: &mut HashMap<GameId, LineFrame>,
) -> SqlResult<Vec<StoredGame>> {
    let rows = join_all(listed.iter().map(|game| rows_of(sql, &game.name))).await;
    let stored = |(listed, rows): (Listed, SqlResult<_>)| {
        let rows = match rows.map_err(unless_found) {
            Ok(rows) => Ok(rows),
            Err(Ok(found)) => Err(found),
            Err(Err(error)) => return Err(error),
        };
        let name = listed.name.parse::<GameId>();
        let arrived = name.map_or_else(|_| Ok(ArrivedRecords::default()), |game| arrivals(&game));
        let frame = frames.remove(listed.name.as_str());
        Ok(StoredGame { listed, rows, arrived, frame })
    };
    listed.into_iter().zip(rows).map(stored).collect()
}

/// Compares the games of users with the list of games, which the records vouch for. Indices have all
/// columns but one a second time.
async fn check_game_users(sql: &impl Sql, report: &mut IntegrityReport) -> SqlResult<()> {
    let differing = "SELECT game_users.game FROM game_users
             LEFT JOIN games ON games.game = game_users.game
         WHERE games.game IS NULL
             OR (game_users.rules, game_users.players, game_users.unlisted, game_users.started_at)
                 <> (games.rules, games.players, games.unlisted, games.started_at)
             OR game_users.ended_at IS DISTINCT FROM games.ended_at
         LIMIT $1";
    match sql.query(differing, params![CHECK_FINDINGS_MAX]).await.map_err(unless_found) {
        Ok(rows) => {
            for mut row in rows {
                let game: String = row.get(0)?;
                report.add(format!(
                    "game {game}: the table game_users does not have what the table games has"
                ));
            }
        }
        Err(error) => report.add(format!("the tables games and game_users: {}", error?)),
    }
    Ok(())
}

async fn rows_of(sql: &impl Sql, game: &str) -> SqlResult<Vec<JournalRow>> {
    let select = "SELECT seq, events, chain, records, ply, to_move, last_at, deadline
         FROM journal WHERE game = $1 ORDER BY seq";
    let read = |row: &mut Row| {
        let records: Vec<u8> = row.get(3)?;
        let (seq, events, chain) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let after = RowState { ply: row.get(4)?, to_move: row.get(5)?, last_at: row.get(6)? };
        let (deadline, records) = (row.get(7)?, records.into());
        Ok(JournalRow { seq, events, chain, after, deadline, records })
    };
    sql.query(select, params![game]).await?.iter_mut().map(read).collect()
}

/// A game as the store has it, with the records that have arrived since it was archived.
struct StoredGame {
    listed: Listed,
    rows: SqlResult<Vec<JournalRow>>,
    arrived: SqlResult<ArrivedRecords>,
    /// What its line of the downloads has beside its records, if it is published.
    frame: Option<LineFrame>,
}

/// A row of the table `games`.
struct Listed {
    name: String,
    archived_seq: u64,
    finished: bool,
    rules: String,
    players: u64,
    delay: u64,
    unlisted: bool,
    started_at: u64,
    ended_at: Option<u64>,
    entry: Box<str>,
    published: bool,
}

impl Listed {
    fn read(name: String, row: &mut Row) -> SqlResult<Self> {
        Ok(Self {
            name,
            archived_seq: row.get(1)?,
            finished: row.get(2)?,
            rules: row.get(3)?,
            players: row.get(4)?,
            delay: row.get(5)?,
            unlisted: row.get(6)?,
            started_at: row.get(7)?,
            ended_at: row.get(8)?,
            entry: row.get(9)?,
            published: row.get(10)?,
        })
    }

    /// Compares the row with what its records say. What changes with each move of a live game is in
    /// the journal, and an operator may have annulled the result.
    fn compare(&self, replay: &Replay, recording: &Recording, has_line: bool) -> Result<(), Fault> {
        let (Some(table), Some(game)) = (replay.table(), replay.game()) else { return Ok(()) };
        let Some(stored) = parse_entry(&self.entry) else { return Err(Fault::Listed("entry")) };
        let head = Head { game: game.clone(), seq: replay.seq(), chain: replay.chain() };
        let ratings = recording.published.first();
        let mut entry = entry_of(table, &head, recording.started_at, ratings);
        if self.finished {
            if stored.annulled {
                entry = GameEntry { annulled: true, ratings: None, ..entry };
            }
        } else {
            let GameEntry { seats, substituted, ratings, .. } = stored;
            let GameEntry { state, ply, to_move, last_at, result, .. } = stored;
            let entry_now = GameEntry { seats, substituted, ratings, ..entry };
            entry = GameEntry { state, ply, to_move, last_at, result, ..entry_now };
        }
        let columns = [
            // As text: a field with a damaged name would be passed over.
            (*self.entry == entry_text(&entry), "entry"),
            (*self.rules == *entry.rules.name, "rules"),
            (self.players == entry.seats.len() as u64, "players"),
            (self.delay == u64::from(entry.delay), "delay"),
            (self.unlisted == entry.unlisted, "unlisted"),
            (self.started_at == entry.started_at, "started_at"),
            (self.ended_at == self.finished.then_some(entry.last_at), "ended_at"),
            (!self.finished || table.outcome().is_some(), "finished"),
            // A game whose records were damaged is published without a line.
            (self.published || !has_line, "published"),
        ];
        let differs = columns.into_iter().find(|(is_same, _)| !is_same);
        differs.map_or(Ok(()), |(_, column)| Err(Fault::Listed(column)))
    }
}

struct ReplayedGame {
    name: String,
    /// The number of its records that continue its chain.
    records: u64,
    /// Its result, if it is rated and over.
    result: Result<Option<(GameId, RecordedResult)>, Fault>,
    /// Its line of the downloads, if it is published; `None` if it has a fault.
    line: Option<(GameId, Option<LineHash>)>,
}

/// What becomes known of a game as its records are replayed.
#[derive(Default)]
struct Replaying {
    replay: Replay,
    recording: Recording,
    line: Option<Line>,
}

impl Replaying {
    fn push(&mut self, record: &[u8]) -> Result<(), RecordError> {
        let (frame, _) = self.replay.push_frame(record)?;
        self.recording.add(frame);
        if let Some(line) = &mut self.line {
            line.push(self.replay.seq(), record);
        }
        Ok(())
    }
}

fn replay_stored(game: StoredGame) -> ReplayedGame {
    let StoredGame { listed, rows, arrived, frame } = game;
    let published = frame.as_ref().map(|frame| frame.game.clone());
    let mut game = Replaying { line: frame.map(Line::begin), ..Replaying::default() };
    let replayed = replay_game(&listed, rows, arrived, &mut game);
    let Replaying { replay, recording, line } = game;
    let line = line.filter(|_| replayed.is_ok()).map(Line::finish);
    ReplayedGame {
        name: listed.name,
        records: replay.seq(),
        result: replayed.map(|id| recording.finish().ok().map(|result| (id, result))),
        line: published.map(|game| (game, line)),
    }
}

/// Applies a function to each item on all cores. The results are in the order of the items.
fn on_all_cores<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let cores = available_parallelism().map_or(1, NonZero::get).min(items.len());
    let waiting = Mutex::new(items.into_iter().enumerate());
    let work_off = || {
        let mut done = Vec::new();
        loop {
            // The lock is held only until the item is taken.
            let next = waiting.lock().next();
            let Some((place, item)) = next else { return done };
            done.push((place, work(item)));
        }
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..cores).map(|_| scope.spawn(work_off)).collect();
        let mut done = work_off();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

fn replay_game(
    listed: &Listed,
    rows: SqlResult<Vec<JournalRow>>,
    arrived: SqlResult<ArrivedRecords>,
    replaying: &mut Replaying,
) -> Result<GameId, Fault> {
    let game: GameId = listed.name.parse().map_err(|_| Fault::Name)?;
    let (later, stale) = match arrived {
        Ok(arrived) => (Ok(arrived.later), arrived.stale),
        Err(error) => (Err(error), Vec::new()),
    };
    replay_archived(rows?, stale, replaying)?;
    let found = replaying.replay.seq();
    if found < listed.archived_seq {
        return Err(Fault::Count { found, wanted: listed.archived_seq });
    }
    for record in later? {
        replaying.push(&record)?;
    }
    let Replaying { replay, recording, line } = replaying;
    match replay.game() {
        Some(named) if *named == game => {}
        Some(named) => return Err(Fault::OtherGame(named.clone())),
        None => return Err(Fault::Count { found: 0, wanted: 1 }),
    }
    listed.compare(replay, recording, line.is_some())?;
    Ok(game)
}

/// Replays the rows of the journal, and compares their records with those that have arrived.
fn replay_archived(
    rows: Vec<JournalRow>,
    mut stale: Vec<(u64, Bytes)>,
    replaying: &mut Replaying,
) -> Result<(), Fault> {
    stale.sort_unstable_by_key(|(seq, _)| *seq);
    let mut stale = stale.into_iter().peekable();
    // A row that says something else than its records, and what it says.
    let mut said = None;
    for row in rows {
        if let Some((seq, said)) = said.take()
            && said != row.after
        {
            return Err(Fault::Row { seq });
        }
        let first = replaying.replay.seq() + 1;
        for record in split_lines(&row.records) {
            replaying.push(&record)?;
            let archived = (replaying.replay.seq(), record);
            while let Some(arrived) = stale.next_if(|(seq, _)| *seq <= archived.0) {
                if arrived != archived {
                    return Err(Fault::Stale(arrived.0));
                }
            }
        }
        let Replaying { replay, .. } = replaying;
        let described = (first, replay.seq() + 1 - first, &replay.chain().0[..]);
        if (row.seq, row.events, &row.chain[..]) != described {
            return Err(Fault::Row { seq: row.seq });
        }
        let after = replay.table().map(RowState::of);
        let is_over = replay.table().is_some_and(|table| table.outcome().is_some());
        if is_over && row.deadline.is_some() {
            return Err(Fault::Row { seq: row.seq });
        }
        said = (after != Some(row.after)).then_some((row.seq, row.after));
    }
    if let Some((seq, _)) = said {
        return Err(Fault::Row { seq });
    }
    stale.next().map_or(Ok(()), |(seq, _)| Err(Fault::Stale(seq)))
}

/// Rates every result again, in the order in which they were rated, and compares them with what is
/// stored or replaces that. `known` has results that were read before. `progress` receives the number
/// done and the total.
pub(super) async fn check_ratings(
    sql: &impl Sql,
    mode: RatingsMode,
    arrivals: &Arrivals<'_>,
    known: RecordedResults,
    progress: &mut dyn FnMut(u64, u64),
) -> SqlResult<RatingsReport> {
    let total = sql.count("SELECT COUNT(*) FROM results", &[]).await? as u64;
    let rerated = pools_to_rerate(sql).await?;
    let replay = RatingsReplay { rerated, ..RatingsReplay::default() };
    let mut check = RatingsCheck { sql, mode, arrivals, known, replay };
    check.rate_listed(&mut |done| progress(done, total)).await?;
    check.rate_unlisted().await?;
    check.replay.compare_ratings(all_ratings(sql).await?);
    if mode == RatingsMode::Rebuild {
        replace_ratings(sql, check.replay.table()).await?;
    }
    Ok(check.replay.into_report())
}

async fn all_ratings(sql: &impl Sql) -> SqlResult<RatingTable> {
    let select = format!("SELECT {RATING_COLUMNS}, pool, user_name FROM ratings");
    let first = RATING_COLUMNS_COUNT;
    let read = |row: &mut Row| {
        let rating = read_rating(row, 0)?;
        Ok(((row.get(first)?, row.parse(first + 1)?), rating))
    };
    sql.query(&select, &[]).await?.iter_mut().map(read).collect()
}

/// Where the result of a game comes from.
enum ResultSource {
    /// The game is lost.
    Lost,
    Known(RecordedResult),
    Records(Vec<Bytes>),
}

struct RatingsCheck<'a, S> {
    sql: &'a S,
    mode: RatingsMode,
    arrivals: &'a Arrivals<'a>,
    known: RecordedResults,
    replay: RatingsReplay,
}

impl<S: Sql> RatingsCheck<'_, S> {
    async fn rate_listed(&mut self, progress: &mut dyn FnMut(u64)) -> SqlResult<()> {
        let select = "SELECT results.id, results.game, COALESCE(NOT games.finished, false), pool,
                 seats, annulled, rated_again, games.game IS NULL AND EXISTS (SELECT 1 FROM admin_acts
                     WHERE subject = results.game AND request = $3)
             FROM results LEFT JOIN games ON games.game = results.game
             WHERE results.id > $1 ORDER BY results.id LIMIT $2";
        let mut after: i64 = 0;
        loop {
            let page = params![after, TRANSFER_RESULTS_AT_ONCE, LOST_GAME];
            let page = self.sql.query(select, page).await?;
            if page.is_empty() {
                return Ok(());
            }
            let mut results = Vec::with_capacity(page.len());
            for mut row in page {
                after = row.get(0)?;
                let game: GameId = row.parse(1)?;
                let stored = StoredResult {
                    pool: read_pool(&mut row, 3)?,
                    seats: row.json(4)?,
                    annulled: row.get(5)?,
                    rated_again: row.get(6)?,
                };
                let source = if row.get(7)? {
                    ResultSource::Lost
                } else if let Some(known) = self.known.remove(&game) {
                    ResultSource::Known(known)
                } else {
                    ResultSource::Records(self.records(&game).await?)
                };
                results.push((game, row.get(2)?, stored, source));
            }
            let read = |(game, is_live, stored, source): (_, bool, _, _)| {
                let recorded = match source {
                    ResultSource::Lost => None,
                    ResultSource::Known(result) => Some(Ok(result)),
                    ResultSource::Records(records) => Some(recorded(&records)),
                };
                (game, is_live, stored, recorded)
            };
            for (game, is_live, stored, recorded) in on_all_cores(results, read) {
                let Some(recorded) = recorded else {
                    self.replay.keep(stored);
                    continue;
                };
                let differs = self.replay.rate(&game, recorded, Some(&stored), is_live);
                if let Some(computed) = self.to_store(differs) {
                    let update = "UPDATE results SET pool = $2, seats = $3 WHERE game = $1";
                    self.store(update, &game, &computed).await?;
                }
            }
            progress(self.replay.results());
        }
    }

    /// Rates finished games with a recorded but no stored rating, in the order of their ends.
    async fn rate_unlisted(&mut self) -> SqlResult<()> {
        let select = "SELECT game, entry FROM games
             WHERE finished AND entry LIKE '%\"ratings\":%'
               AND NOT EXISTS (SELECT 1 FROM results WHERE results.game = games.game)
             ORDER BY ended_at, game";
        for mut row in self.sql.query(select, &[]).await? {
            let (game, entry): (GameId, Box<str>) = (row.parse(0)?, row.get(1)?);
            if parse_entry(&entry).is_none_or(|entry| entry.ratings.is_none()) {
                continue;
            }
            let recorded = recorded(&self.records(&game).await?);
            let differs = self.replay.rate(&game, recorded, None, false);
            if let Some(computed) = self.to_store(differs) {
                let insert = "INSERT INTO results (game, pool, seats) VALUES ($1, $2, $3)";
                self.store(insert, &game, &computed).await?;
            }
        }
        Ok(())
    }

    async fn records(&self, game: &GameId) -> SqlResult<Vec<Bytes>> {
        let mut all = records(self.sql, game, 1, usize::MAX).await?;
        all.extend((self.arrivals)(game)?.later);
        Ok(all)
    }

    /// Returns a computed result if it is to be stored.
    fn to_store(&self, differs: Option<StoredResult>) -> Option<StoredResult> {
        differs.filter(|_| self.mode == RatingsMode::Rebuild)
    }

    async fn store(&self, statement: &str, game: &GameId, result: &StoredResult) -> SqlResult<()> {
        let (pool, seats) = (result.pool.to_string(), seats_text(&result.seats));
        self.sql.execute(statement, params![game.as_str(), pool, seats]).await?;
        Ok(())
    }
}

pub(super) async fn check_rated(
    sql: &impl Sql,
    arrivals: &Arrivals<'_>,
    known: RecordedResults,
    report: &mut IntegrityReport,
    progress: &mut Progress<'_>,
) -> SqlResult<()> {
    progress(CheckStep::Ratings, 0, 0);
    let mut rated = |done, total| progress(CheckStep::Ratings, done, total);
    let ratings = check_ratings(sql, RatingsMode::Check, arrivals, known, &mut rated).await?;
    report.add_ratings(ratings);
    Ok(())
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RatingsReport {
    pub results: u64,
    /// The first differences between stored or recorded and computed ratings.
    pub differences: Vec<String>,
    pub found: u64,
}

impl RatingsReport {
    fn add_difference(&mut self, difference: String) {
        self.found += 1;
        if self.differences.len() < CHECK_FINDINGS_MAX {
            self.differences.push(difference);
        }
    }

    fn add_rating(&mut self, pool: &str, user: &UserName, found: &str) {
        self.add_difference(format!("the table ratings: {pool} {user}: stored {found}"));
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredResult {
    pub(crate) pool: Pool,
    pub(crate) seats: Vec<ResultSeat>,
    /// It changes no rating.
    pub(crate) annulled: bool,
    /// It says something else than the record, since an earlier one was annulled.
    pub(crate) rated_again: bool,
}

/// The result of a game by its records, with the rating changes that these have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordedResult {
    result: RatedResult,
    published: Vec<RatingChange>,
}

#[derive(Debug, Default)]
pub(crate) struct RatingsReplay {
    table: RatingTable,
    /// The pools whose results a server has yet to rate again: nothing to compare.
    rerated: BTreeSet<String>,
    report: RatingsReport,
}

impl RatingsReplay {
    /// Rates the next result and compares. Returns the computed result if another or none is
    /// stored. A game that `is_live` may not have its `rated` event yet.
    pub(crate) fn rate(
        &mut self,
        game: &GameId,
        recorded: Result<RecordedResult, String>,
        stored: Option<&StoredResult>,
        is_live: bool,
    ) -> Option<StoredResult> {
        self.report.results += 1;
        let RecordedResult { result, published } = match recorded {
            Ok(recorded) => recorded,
            Err(why) => {
                self.report.add_difference(format!("game {game}: {why}"));
                return None;
            }
        };
        let pool = result.pool.to_string();
        let users = result.users.iter().map(UserName::folded);
        let keys: Vec<_> = users.map(|user| (pool.clone(), user)).collect();
        let start = StoredRating::START;
        let before: Vec<StoredRating> =
            keys.iter().map(|key| *self.table.get(key).unwrap_or(&start)).collect();
        let (annulled, rated_again) =
            stored.map_or((false, false), |stored| (stored.annulled, stored.rated_again));
        let (mut seats, after) = seats_after(&result, &before);
        if annulled {
            for seat in &mut seats {
                seat.after = seat.before;
            }
        } else {
            let rated = seats.iter().zip(keys.into_iter().zip(after));
            self.table.extend(rated.filter(|(seat, _)| !seat.unrated).map(|(_, rated)| rated));
        }
        let is_to_be_rerated = self.rerated.contains(&pool);
        let is_as_recorded = !annulled && !rated_again && !is_to_be_rerated;
        let recorded = is_as_recorded.then(|| change(&seats));
        self.compare_published(game, &published, recorded.as_ref(), is_live);
        if is_to_be_rerated && stored.is_some() {
            return None;
        }
        let computed = StoredResult { pool: result.pool, seats, annulled, rated_again };
        self.compare_stored(game, stored, &computed).then_some(computed)
    }

    /// Compares with the recorded `rated` event. A live game may have none. One that was rated
    /// again, or is annulled, has what was computed at its end: there is nothing to compare.
    fn compare_published(
        &mut self,
        game: &GameId,
        published: &[RatingChange],
        computed: Option<&RatingChange>,
        is_live: bool,
    ) {
        match (published, computed) {
            ([], _) if is_live => {}
            ([_], None) => {}
            ([once], Some(computed)) if once == computed => {}
            ([once], Some(computed)) => self.report.add_difference(format!(
                "game {game}: its record has {}, computed {}",
                format_change(once),
                format_change(computed)
            )),
            (_, _) => {
                let times = published.len();
                self.report
                    .add_difference(format!("game {game}: its record has {times} rating changes"));
            }
        }
    }

    /// Compares a stored result with the computed one; returns whether they differ.
    fn compare_stored(
        &mut self,
        game: &GameId,
        stored: Option<&StoredResult>,
        computed: &StoredResult,
    ) -> bool {
        match stored {
            Some(stored) if stored == computed => return false,
            Some(stored) => self.report.add_difference(format!(
                "game {game}: its result is stored as {} {}, computed {} {}",
                stored.pool,
                format_seats(&stored.seats),
                computed.pool,
                format_seats(&computed.seats)
            )),
            None => {
                self.report.add_difference(format!("game {game}: it counts, but has no result"));
            }
        }
        true
    }

    /// Takes over a result whose game is lost: the records of later games say what it has changed.
    pub(crate) fn keep(&mut self, stored: StoredResult) {
        self.report.results += 1;
        let StoredResult { pool, seats, annulled, .. } = stored;
        if annulled {
            return;
        }
        let places: Vec<u8> = seats.iter().map(|seat| seat.place).collect();
        for seat in seats.into_iter().filter(|seat| !seat.unrated) {
            let stored =
                self.table.entry((pool.to_string(), seat.user)).or_insert(StoredRating::START);
            stored.rating = seat.after;
            stored.score = stored.score.with(seat.place, &places);
        }
    }

    pub(crate) fn compare_ratings(&mut self, mut stored: RatingTable) {
        stored.retain(|(pool, _), _| !self.rerated.contains(pool));
        for ((pool, user), computed) in &self.table {
            if self.rerated.contains(pool) {
                continue;
            }
            let found = stored.remove(&(pool.clone(), user.clone()));
            if found != Some(*computed) {
                let computed = format_rating(computed);
                let found = found.as_ref().map_or_else(|| "no rating".to_owned(), format_rating);
                self.report.add_rating(pool, user, &format!("{found}, computed {computed}"));
            }
        }
        for ((pool, user), found) in stored {
            let found = format_rating(&found);
            self.report.add_rating(&pool, &user, &format!("{found}, but no game counts"));
        }
    }

    pub(crate) fn table(&self) -> &RatingTable {
        &self.table
    }

    pub(crate) const fn results(&self) -> u64 {
        self.report.results
    }

    pub(crate) fn into_report(self) -> RatingsReport {
        self.report
    }
}

pub(crate) fn recorded(records: &[Bytes]) -> Result<RecordedResult, String> {
    let mut recording = Recording::default();
    for (number, record) in (1..).zip(records) {
        let frame = EventFrame::from_bytes(record)
            .map_err(|error| format!("its record {number} is unreadable: {error}"))?;
        recording.add(frame);
    }
    recording.finish()
}

/// What a rating needs to know of the records of a game.
#[derive(Debug, Default)]
struct Recording {
    started_at: u64,
    agreed: Option<(Box<str>, bool)>,
    seats: Vec<SeatUser>,
    places: Option<Vec<u8>>,
    /// The seat that a computer has taken, and the user who left it.
    substituted: Option<(u8, UserName)>,
    published: Vec<RatingChange>,
}

impl Recording {
    fn add(&mut self, frame: EventFrame) {
        match frame.body {
            EventBody::Created(created) => {
                self.started_at = frame.at;
                self.agreed = Some((created.rules.name, created.rated));
                self.seats = created.seats;
            }
            EventBody::Swapped(swapped) => self.seats = swapped.seats,
            EventBody::Substituted(substituted) => {
                let left = self.seats.get(usize::from(substituted.seat));
                self.substituted = left.map(|left| (substituted.seat, left.user.clone()));
            }
            EventBody::Ended(ended) => self.places = Some(ended.places),
            EventBody::Rated(rated) => {
                let change = RatingChange { before: rated.before, after: rated.after };
                self.published.push(change);
            }
            _ => {}
        }
    }

    fn finish(self) -> Result<RecordedResult, String> {
        let Self { agreed, seats, places, substituted, published, .. } = self;
        let (rules, rated) = agreed.ok_or("it has no records")?;
        let places = places.ok_or("it counts, but its record has no result")?;
        if !rated || seats.iter().any(|seat| seat.guest) || places.len() != seats.len() {
            return Err("it counts, but should not by its record".to_owned());
        }
        let players = u8::try_from(seats.len()).map_err(|error| error.to_string())?;
        let users = seats.into_iter().map(|seat| seat.user).collect();
        let result = RatedResult::new(Pool { rules, players }, users, places);
        let result = match substituted {
            Some((seat, user)) => result.of_substituted(seat, user),
            None => result,
        };
        Ok(RecordedResult { result, published })
    }
}

fn format_change(change: &RatingChange) -> String {
    format!("{:?} -> {:?}", change.before, change.after)
}

fn format_seats(seats: &[ResultSeat]) -> String {
    let seat = |seat: &ResultSeat| {
        let (before, after) = (seat.before.milli, seat.after.milli);
        format!("{} {}. {:.3} -> {:.3}", seat.user, seat.place, points(before), points(after))
    };
    seats.iter().map(seat).collect::<Vec<_>>().join(", ")
}

fn format_rating(rating: &StoredRating) -> String {
    let (rating, score) = (rating.rating, rating.score);
    format!(
        "{:.3} ±{:.3} after {} games ({} won, {} drawn, {} lost)",
        points(rating.milli),
        points(rating.deviation_milli),
        score.games,
        score.wins,
        score.draws,
        score.losses
    )
}

fn points(milli: u32) -> f64 {
    f64::from(milli) / 1000.0
}
