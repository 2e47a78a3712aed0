//! The appender: appends for all rooms of a node over one connection, a batch after the other. A
//! row of the journal is one append, all of its records or none.
//!
//! While a batch waits for a standby, the next one grows. A second connection would halve the
//! batches, and every commit costs each of the servers as much as several rows.
//!
//! An append that the appender has taken ends with certainty, as long as PostgreSQL comes back in
//! time: the appender sends it again until it is stored, or until another append has come first.

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
};

use adamant_protocol::{GameId, ids::Chain};
use adamant_record::wire;
use bytes::{Bytes, BytesMut};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep},
};
use tokio_postgres::{Row, types::ToSql};
use tokio_util::sync::CancellationToken;

use super::{
    announcements::EventQueue,
    connection::{Connection, from_sql, parse_all, to_sql},
    dialer::Dialer,
    errors::Failure,
    wake_times::WakeTimes,
};
use crate::{
    cluster::AppendedRecords,
    limits::{
        POSTGRES_BATCH_BYTES, POSTGRES_BATCH_GAMES, POSTGRES_DIAL_EVERY,
        POSTGRES_QUEUED_APPENDS_MAX, POSTGRES_SILENCE_MAX, POSTGRES_STATEMENT_MAX,
        POSTGRES_WAKE_LATE_MS,
    },
    outbound::frame::Frame,
    runtime::metrics::Metrics,
    store::{Append, AppendError, AppendOutcome, StoreError, games::split_lines},
};

/// Inserts rows, unless their game is over, or the game's last row is not the one onto which they
/// were sealed. So the journal gets no hole and no fork, even if a node is wrong about its end.
///
/// All nodes insert in the order of the games, so that batches wait for each other in one order.
/// Returns whether the commit waits for a standby, the games whose row is stored, and the games to
/// which a node would come too late when this one ends.
///
/// A select list unnests the arrays side by side. In a `FROM` each would be stored before it is
/// read.
macro_rules! insert {
    ($on_conflict:literal) => {
        concat!(
            "WITH new AS MATERIALIZED (
    SELECT new.*, games.wake_at
    FROM (SELECT unnest($1::text[]) AS game, unnest($2::int8[]) AS seq,
              unnest($3::bytea[]) AS prev, unnest($4::int8[]) AS events,
              unnest($5::bytea[]) AS chain, unnest($6::int8[]) AS ply,
              unnest($7::int8[]) AS to_move, unnest($8::int8[]) AS last_at,
              unnest($9::int8[]) AS deadline, unnest($10::bytea[]) AS records) AS new
         JOIN games ON games.game = new.game AND NOT games.finished
), stored AS (
    INSERT INTO journal (game, seq, events, chain, ply, to_move, last_at, deadline, records)
    SELECT new.game, new.seq, new.events, new.chain, new.ply, new.to_move, new.last_at,
        new.deadline, new.records
    FROM new JOIN LATERAL (
        SELECT journal.seq + journal.events AS next, journal.chain FROM journal
        WHERE journal.game = new.game ORDER BY journal.seq DESC LIMIT 1
    ) AS last ON last.next = new.seq AND last.chain = new.prev
    ORDER BY new.game ",
            $on_conflict,
            "
    RETURNING game
)
SELECT current_setting('synchronous_standby_names') <> ''
        AND current_setting('synchronous_commit') = 'on',
    (SELECT array_agg(game) FROM stored),
    (SELECT array_agg(game) FROM new
     WHERE deadline < coalesce(wake_at, 9223372036854775807) - $11)"
        )
    };
}

/// Fails as a whole if another append takes the key of one of the rows at the same moment.
const INSERT: &str = insert!("");

/// Leaves out rows whose key another append takes at the same moment. That costs more: PostgreSQL
/// looks for each key twice, and writes a record of WAL more for each row.
pub(super) const INSERT_CONTESTED: &str = insert!("ON CONFLICT (game, seq) DO NOTHING");

pub(super) const LOOK: &str =
    "SELECT wanted.place, games.finished, last.seq, last.chain, tried.records
    FROM unnest($1::int4[], $2::text[], $3::int8[], $4::bool[])
             AS wanted (place, game, seq, tried)
         LEFT JOIN games ON games.game = wanted.game
         LEFT JOIN LATERAL (
             SELECT journal.seq + journal.events - 1 AS seq, journal.chain FROM journal
             WHERE journal.game = wanted.game ORDER BY journal.seq DESC LIMIT 1
         ) AS last ON true
         LEFT JOIN journal AS tried
             ON wanted.tried AND tried.game = wanted.game AND tried.seq = wanted.seq";

#[derive(Debug)]
pub(super) struct AppendRow {
    pub(super) game: GameId,
    pub(super) seq: u64,
    prev: Chain,
    events: i64,
    chain: Chain,
    ply: i64,
    to_move: Option<i64>,
    last_at: i64,
    deadline: Option<i64>,
    records: Bytes,
}

#[derive(Debug)]
pub(super) struct Inserted {
    /// The games whose row is stored, in order.
    pub(super) games: Vec<GameId>,
    /// The games whose clock runs out long before a node would look.
    pub(super) late: Vec<GameId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RowRefusal {
    Ours,
    /// Another append has come first, or the game is over. Its last record has this seq.
    Conflict(u64),
    /// Nothing is in its way any more.
    Passed,
    /// It was not sealed onto the game's last record.
    Unsealed,
}

/// Joins records to one value, one a line. No record has a line break.
pub(super) fn join_records<'a>(records: impl Iterator<Item = &'a [u8]> + Clone) -> Bytes {
    let mut joined = BytesMut::with_capacity(records.clone().map(|record| record.len() + 1).sum());
    for record in records {
        if !joined.is_empty() {
            joined.extend_from_slice(b"\n");
        }
        joined.extend_from_slice(record);
    }
    joined.freeze()
}

impl AppendRow {
    pub(super) fn new(append: &Append) -> Self {
        let summary = &append.summary;
        Self {
            game: append.game.clone(),
            seq: append.expected_seq + 1,
            prev: append.prev,
            events: to_sql(append.records.len() as u64),
            chain: append.chain,
            ply: summary.ply.into(),
            to_move: summary.to_move.map(|seat| wire::seat_number(seat).into()),
            last_at: to_sql(summary.last_at),
            deadline: append.deadline.map(to_sql),
            records: join_records(append.records.iter().map(Frame::payload)),
        }
    }

    /// Its records, as they are announced once a standby has them.
    pub(super) fn appended(&self) -> AppendedRecords {
        let records = split_lines(&self.records).collect();
        AppendedRecords { game: self.game.clone(), until: self.last_seq(), records }
    }

    pub(super) fn bytes(&self) -> usize {
        self.records.len()
    }

    pub(super) fn record_count(&self) -> u64 {
        from_sql(self.events)
    }

    pub(super) fn last_seq(&self) -> u64 {
        self.seq + self.record_count() - 1
    }

    pub(super) fn deadline(&self) -> Option<u64> {
        self.deadline.map(from_sql)
    }

    fn refusal(&self, found: &Row) -> Result<RowRefusal, Failure> {
        let tried: Option<&[u8]> = found.try_get(4)?;
        if tried.is_some_and(|records| *records == *self.records) {
            return Ok(RowRefusal::Ours);
        }
        let last_seq = found.try_get::<_, Option<i64>>(2)?.map_or(0, from_sql);
        let is_finished: Option<bool> = found.try_get(1)?;
        if last_seq != self.seq - 1 || is_finished != Some(false) {
            return Ok(RowRefusal::Conflict(last_seq));
        }
        let chain: Option<&[u8]> = found.try_get(3)?;
        let is_sealed_onto = chain.is_some_and(|chain| *chain == self.prev.0);
        Ok(if is_sealed_onto { RowRefusal::Passed } else { RowRefusal::Unsealed })
    }
}

#[derive(Debug)]
pub(super) struct InsertRows<'a> {
    games: Vec<&'a str>,
    seqs: Vec<i64>,
    prevs: Vec<&'a [u8]>,
    events: Vec<i64>,
    chains: Vec<&'a [u8]>,
    plies: Vec<i64>,
    to_move: Vec<Option<i64>>,
    last_at: Vec<i64>,
    deadlines: Vec<Option<i64>>,
    records: Vec<&'a [u8]>,
}

impl<'a> InsertRows<'a> {
    pub(super) fn new(rows: impl Iterator<Item = &'a AppendRow> + Clone) -> Self {
        Self {
            games: rows.clone().map(|row| row.game.as_str()).collect(),
            seqs: rows.clone().map(|row| to_sql(row.seq)).collect(),
            prevs: rows.clone().map(|row| &row.prev.0[..]).collect(),
            events: rows.clone().map(|row| row.events).collect(),
            chains: rows.clone().map(|row| &row.chain.0[..]).collect(),
            plies: rows.clone().map(|row| row.ply).collect(),
            to_move: rows.clone().map(|row| row.to_move).collect(),
            last_at: rows.clone().map(|row| row.last_at).collect(),
            deadlines: rows.clone().map(|row| row.deadline).collect(),
            records: rows.map(|row| &row.records[..]).collect(),
        }
    }

    pub(super) fn parameters(&self) -> [&(dyn ToSql + Sync); 11] {
        [
            &self.games,
            &self.seqs,
            &self.prevs,
            &self.events,
            &self.chains,
            &self.plies,
            &self.to_move,
            &self.last_at,
            &self.deadlines,
            &self.records,
            &POSTGRES_WAKE_LATE_MS,
        ]
    }

    pub(super) fn read(rows: &[Row]) -> Result<Inserted, Failure> {
        let row = rows.first().ok_or_else(|| Failure::fault("an insert returned nothing"))?;
        let mut games: Vec<GameId> = parse_all(row, 1)?;
        games.sort_unstable();
        Ok(Inserted { games, late: parse_all(row, 2)? })
    }
}

#[derive(Debug)]
pub(super) struct LookAtGames<'a> {
    rows: Vec<&'a AppendRow>,
    places: Vec<i32>,
    games: Vec<&'a str>,
    seqs: Vec<i64>,
    tried: Vec<bool>,
}

impl<'a> LookAtGames<'a> {
    /// Collects rows, each with whether an earlier try may have stored it.
    pub(super) fn new(rows: impl Iterator<Item = (&'a AppendRow, bool)>) -> Self {
        let (rows, tried): (Vec<&AppendRow>, Vec<bool>) = rows.unzip();
        Self {
            places: (0..).take(rows.len()).collect(),
            games: rows.iter().map(|row| row.game.as_str()).collect(),
            seqs: rows.iter().map(|row| to_sql(row.seq)).collect(),
            rows,
            tried,
        }
    }

    pub(super) fn parameters(&self) -> [&(dyn ToSql + Sync); 4] {
        [&self.places, &self.games, &self.seqs, &self.tried]
    }

    pub(super) fn read(&self, found: &[Row]) -> Result<Vec<RowRefusal>, Failure> {
        let mut refusals = vec![RowRefusal::Conflict(0); self.rows.len()];
        for found in found {
            let place = usize::try_from(found.try_get::<_, i32>(0)?).unwrap_or(usize::MAX);
            if let (Some(row), Some(refusal)) = (self.rows.get(place), refusals.get_mut(place)) {
                *refusal = row.refusal(found)?;
            }
        }
        Ok(refusals)
    }
}

/// Makes PostgreSQL plan the insert once, and by the indices. It would scan whole tables while they
/// are small, and go on for some time after they have grown.
const SETTINGS: &str = "SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan";

#[derive(Debug)]
pub(super) struct WaitingAppend {
    row: AppendRow,
    reply: oneshot::Sender<AppendOutcome>,
    deadline: Instant,
    tried: bool,
}

impl WaitingAppend {
    pub(super) fn new(row: AppendRow) -> (Self, oneshot::Receiver<AppendOutcome>) {
        let (reply, outcome) = oneshot::channel();
        let deadline = Instant::now() + POSTGRES_SILENCE_MAX;
        (Self { row, reply, deadline, tried: false }, outcome)
    }

    fn finish(self, outcome: AppendOutcome) {
        // The caller may be gone.
        drop(self.reply.send(outcome));
    }

    /// Ends an append that failed. Only if it was never sent, nothing was stored for certain.
    fn fail(self, error: StoreError) {
        let error = match error {
            StoreError::ReadOnly if self.tried => StoreError::Failed(
                "the outcome of an append is unknown, and the disk is full".into(),
            ),
            error => error,
        };
        self.finish(Err(AppendError::Store(error)));
    }
}

#[derive(Debug)]
pub(super) struct Appender {
    pub(super) dialer: Arc<Dialer>,
    pub(super) events: EventQueue,
    pub(super) wake_times: WakeTimes,
    pub(super) metrics: Arc<Metrics>,
    pub(super) appends: mpsc::Receiver<WaitingAppend>,
    pub(super) queue: VecDeque<WaitingAppend>,
    pub(super) connection: Option<Connection>,
    pub(super) stop: CancellationToken,
}

type Settled = Vec<Option<AppendOutcome>>;

impl Appender {
    /// Appends until the stop, and until all appends have their outcomes.
    pub(super) async fn run(mut self) {
        loop {
            if self.queue.is_empty() {
                let Some(append) = self.next_append().await else { return };
                self.queue.push_back(append);
            }
            self.take_waiting();
            self.expire();
            let Some(deadline) = self.queue.iter().map(|append| append.deadline).min() else {
                continue;
            };
            if self.connection.as_ref().is_none_or(|held| !self.dialer.is_current(held)) {
                self.connection = self.connect(deadline).await;
            }
            // Without a connection, those that waited longest have expired.
            let Some(connection) = self.connection.take() else { continue };
            self.append_batch(&connection).await;
            self.connection = connection.is_usable().then_some(connection);
        }
    }

    async fn next_append(&mut self) -> Option<WaitingAppend> {
        if let Some(append) = self.stop.run_until_cancelled(self.appends.recv()).await {
            return append;
        }
        self.appends.close();
        self.appends.recv().await
    }

    async fn connect(&self, deadline: Instant) -> Option<Connection> {
        let connection = self.dialer.dial(deadline).await.ok()?;
        connection.batch(SETTINGS, POSTGRES_STATEMENT_MAX).await.ok()?;
        Some(connection)
    }

    fn take_waiting(&mut self) {
        while self.queue.len() < POSTGRES_QUEUED_APPENDS_MAX
            && let Ok(append) = self.appends.try_recv()
        {
            self.queue.push_back(append);
        }
    }

    fn expire(&mut self) {
        let now = Instant::now();
        for append in std::mem::take(&mut self.queue) {
            if append.deadline <= now {
                self.metrics.commit_failures.inc();
                append.fail(StoreError::Failed("PostgreSQL does not answer".into()));
            } else {
                self.queue.push_back(append);
            }
        }
    }

    /// Takes the next batch: each game at most once, in the order of the games.
    fn next_batch(&mut self) -> Vec<WaitingAppend> {
        let (mut batch, mut bytes) = (Vec::<WaitingAppend>::new(), 0);
        let (mut games, mut later) = (HashSet::new(), VecDeque::new());
        while let Some(append) = self.queue.pop_front() {
            let is_full = batch.len() >= POSTGRES_BATCH_GAMES
                || (bytes + append.row.bytes() > POSTGRES_BATCH_BYTES && !batch.is_empty());
            if is_full {
                later.push_back(append);
                break;
            }
            if games.insert(append.row.game.clone()) {
                bytes += append.row.bytes();
                batch.push(append);
            } else {
                later.push_back(append);
            }
        }
        later.append(&mut self.queue);
        self.queue = later;
        batch.sort_unstable_by(|a, b| a.row.game.cmp(&b.row.game));
        batch
    }

    async fn append_batch(&mut self, connection: &Connection) {
        let mut batch = self.next_batch();
        let outcome = self.try_batch(connection, &batch).await;
        match outcome {
            Ok(settled) => {
                let clean = batch
                    .iter()
                    .zip(&settled)
                    .filter(|(_, outcome)| matches!(outcome, Some(Ok(_))));
                let rows: Vec<&AppendRow> = clean.map(|(append, _)| &append.row).collect();
                let records = rows.iter().map(|row| row.record_count()).sum();
                self.metrics.records.inc_by(records);
                if !rows.is_empty() {
                    let appended = rows.into_iter().map(AppendRow::appended);
                    self.events.publish_appended(appended);
                }
                for (append, outcome) in batch.into_iter().zip(settled).rev() {
                    match outcome {
                        Some(outcome) => append.finish(outcome),
                        None => self.queue.push_front(append),
                    }
                }
            }
            Err(Failure::Final(error)) => {
                self.metrics.commit_failures.inc();
                for append in batch {
                    append.fail(error.clone());
                }
            }
            Err(failure) => {
                tracing::debug!(?failure, appends = batch.len(), "sending appends again");
                for append in &mut batch {
                    append.tried = true;
                }
                batch.into_iter().rev().for_each(|append| self.queue.push_front(append));
                if matches!(failure, Failure::Unknown(_)) {
                    sleep(POSTGRES_DIAL_EVERY).await;
                }
            }
        }
    }

    async fn try_batch(
        &self,
        connection: &Connection,
        batch: &[WaitingAppend],
    ) -> Result<Settled, Failure> {
        let insert = InsertRows::new(batch.iter().map(|append| &append.row));
        // Few appends are contested. The others are spared what only a contested one needs.
        let statement =
            if batch.iter().any(|append| append.tried) { INSERT_CONTESTED } else { INSERT };
        let sent_at = Instant::now();
        let rows = connection.query_durably(statement, &insert.parameters()).await?;
        let inserted = InsertRows::read(&rows)?;
        let primary = self.dialer.primary();
        // A transaction that has written nothing waits for no standby.
        if !inserted.games.is_empty() {
            primary.has_committed(connection.server(), sent_at);
            self.metrics.observe_commit(inserted.games.len(), sent_at.elapsed());
        }
        self.wake_earlier(&inserted.late, batch);

        let is_stored =
            |append: &WaitingAppend| inserted.games.binary_search(&append.row.game).is_ok();
        let mut settled: Settled =
            batch.iter().map(|append| is_stored(append).then_some(Ok(None))).collect();
        let refused = || batch.iter().filter(|append| !is_stored(append));
        if refused().next().is_none() {
            return Ok(settled);
        }
        let look = LookAtGames::new(refused().map(|append| (&append.row, append.tried)));
        // What is stored by now has its outcome, even if the look fails.
        let refusals = match look_at_games(connection, &look).await {
            Ok((refusals, sent_at)) => {
                primary.has_committed(connection.server(), sent_at);
                refusals
            }
            Err(Failure::Final(error)) => {
                let failed = || Some(Err(AppendError::Store(error.clone())));
                for outcome in &mut settled {
                    *outcome = outcome.take().or_else(failed);
                }
                return Ok(settled);
            }
            Err(Failure::Unknown(_) | Failure::Contested) => return Ok(settled),
        };
        let open = settled.iter_mut().filter(|outcome| outcome.is_none());
        for (outcome, refusal) in open.zip(refusals) {
            *outcome = match refusal {
                RowRefusal::Ours => Some(Ok(None)),
                RowRefusal::Conflict(last_seq) => Some(Err(AppendError::Conflict { last_seq })),
                RowRefusal::Passed => None,
                RowRefusal::Unsealed => {
                    let error = "an append does not continue what the journal has".into();
                    Some(Err(StoreError::Failed(error).into()))
                }
            };
        }
        Ok(settled)
    }

    /// Has nodes look earlier at games whose clock runs out earlier than was expected.
    fn wake_earlier(&self, late: &[GameId], batch: &[WaitingAppend]) {
        let rows = late.iter().filter_map(|game| {
            let place = batch.binary_search_by(|append| append.row.game.cmp(game)).ok()?;
            Some((game.clone(), batch[place].row.deadline()?))
        });
        self.wake_times.set(rows.collect());
    }
}

/// Runs the look, and waits until a standby has all that it shows. Also returns when the barrier
/// was sent.
async fn look_at_games(
    connection: &Connection,
    look: &LookAtGames<'_>,
) -> Result<(Vec<RowRefusal>, Instant), Failure> {
    let found = connection.query(LOOK, &look.parameters()).await?;
    let refusals = look.read(&found)?;
    Ok((refusals, connection.barrier().await?))
}
