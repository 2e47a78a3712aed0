//! The tasks that append and read for all rooms of this node. Reads that wait at the same time
//! share one question to PostgreSQL.

use std::{collections::VecDeque, sync::Arc};

use adamant_protocol::GameId;
use bytes::Bytes;
use futures::FutureExt as _;
use tokio::sync::{
    Semaphore,
    mpsc::{self, error::TrySendError},
    oneshot,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    announcements::EventQueue,
    appender::{AppendRow, Appender, WaitingAppend},
    connection::{Transaction, from_sql, parse, to_sql},
    errors::Failure,
    pool::ConnectionPool,
    wake_times::WakeTimes,
};
use crate::{
    limits::{
        POSTGRES_QUEUED_APPENDS_MAX, POSTGRES_QUEUED_READS_MAX, POSTGRES_READ_QUERIES_MAX,
        POSTGRES_READS_PER_QUERY,
    },
    store::{Append, AppendOutcome, RecordRange, StoreError, games::split_lines},
};

/// The rows of some ranges of records, beginning with the row that has the first one.
const SELECT: &str = "SELECT wanted.place, found.seq, found.records
    FROM unnest($1::int4[], $2::text[], $3::int8[], $4::int8[])
             AS wanted (place, game, first, until)
         CROSS JOIN LATERAL (
             SELECT journal.seq, journal.records FROM journal
             WHERE journal.game = wanted.game AND journal.seq <= wanted.until
                 AND journal.seq >= coalesce((
                     SELECT max(before.seq) FROM journal AS before
                     WHERE before.game = wanted.game AND before.seq <= wanted.first
                 ), 0)
         ) AS found
    ORDER BY wanted.place, found.seq";

/// Those of some games that have later records.
const MOVED_ON: &str = "SELECT known.game, last.seq
    FROM unnest($1::text[], $2::int8[]) AS known (game, seq)
         CROSS JOIN LATERAL (
             SELECT journal.seq + journal.events - 1 AS seq FROM journal
             WHERE journal.game = known.game ORDER BY journal.seq DESC LIMIT 1
         ) AS last
    WHERE last.seq > known.seq";

pub(super) async fn records(
    transaction: &Transaction,
    ranges: &[RecordRange],
) -> Result<Vec<Vec<Bytes>>, Failure> {
    let places: Vec<i32> = (0..).take(ranges.len()).collect();
    let games: Vec<&str> = ranges.iter().map(|range| range.game.as_str()).collect();
    let first: Vec<i64> = ranges.iter().map(|range| to_sql(range.from)).collect();
    let until: Vec<i64> = ranges.iter().map(|range| to_sql(range.until)).collect();
    let rows = transaction.query(SELECT, &[&places, &games, &first, &until]).await?;
    let mut records = vec![Vec::new(); ranges.len()];
    for row in &rows {
        let place = usize::try_from(row.try_get::<_, i32>(0)?).unwrap_or(usize::MAX);
        let (Some(range), Some(records)) = (ranges.get(place), records.get_mut(place)) else {
            continue;
        };
        let seq = from_sql(row.try_get(1)?);
        let block = Bytes::copy_from_slice(row.try_get(2)?);
        let wanted = (seq..)
            .zip(split_lines(&block))
            .filter(|(seq, _)| (range.from..=range.until).contains(seq));
        records.extend(wanted.map(|(_, record)| record));
    }
    Ok(records)
}

/// Returns those of some games that have records after the stated seq, with the last one's seq.
pub(super) async fn moved_on(
    transaction: &Transaction,
    known: &[(GameId, u64)],
) -> Result<Vec<(GameId, u64)>, Failure> {
    let games: Vec<&str> = known.iter().map(|(game, _)| game.as_str()).collect();
    let seqs: Vec<i64> = known.iter().map(|(_, seq)| to_sql(*seq)).collect();
    let rows = transaction.query(MOVED_ON, &[&games, &seqs]).await?;
    rows.iter().map(|row| Ok((parse(row, 0)?, from_sql(row.try_get(1)?)))).collect()
}

#[derive(Debug)]
pub(super) struct WaitingRead {
    pub(super) range: RecordRange,
    pub(super) reply: oneshot::Sender<Result<Vec<Bytes>, StoreError>>,
}

pub(super) async fn answer_reads(
    pool: ConnectionPool,
    tasks: TaskTracker,
    mut reads: mpsc::Receiver<WaitingRead>,
    stop: CancellationToken,
) {
    let queries = Arc::new(Semaphore::new(POSTGRES_READ_QUERIES_MAX));
    loop {
        let Ok(query) = Arc::clone(&queries).acquire_owned().await else { return };
        let mut waiting = Vec::new();
        let read = reads.recv_many(&mut waiting, POSTGRES_READS_PER_QUERY);
        if stop.run_until_cancelled(read).await.is_none_or(|count| count == 0) {
            return;
        }
        let pool = pool.clone();
        tasks.spawn(async move {
            answer(&pool, waiting).await;
            drop(query);
        });
    }
}

async fn answer(pool: &ConnectionPool, waiting: Vec<WaitingRead>) {
    let (ranges, replies): (Vec<_>, Vec<_>) =
        waiting.into_iter().map(|read| (read.range, read.reply)).unzip();
    let read = pool
        .read_confirmed(ranges, |transaction, ranges| records(transaction, ranges).boxed())
        .await;
    // A caller may be gone.
    match read {
        Ok(found) => {
            for (reply, records) in replies.into_iter().zip(found) {
                drop(reply.send(Ok(records)));
            }
        }
        Err(error) => {
            for reply in replies {
                drop(reply.send(Err(error.clone())));
            }
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct JournalTasks {
    appends: mpsc::Sender<WaitingAppend>,
    reads: mpsc::Sender<WaitingRead>,
    wake_times: WakeTimes,
    stop: CancellationToken,
}

impl JournalTasks {
    pub(super) fn start(pool: &ConnectionPool, events: &EventQueue, tasks: &TaskTracker) -> Self {
        let stop = CancellationToken::new();
        let wake_times = WakeTimes::new(pool.clone(), tasks.clone());
        let (appends, sent) = mpsc::channel(POSTGRES_QUEUED_APPENDS_MAX);
        let appender = Appender {
            dialer: Arc::clone(pool.dialer()),
            events: events.clone(),
            wake_times: wake_times.clone(),
            metrics: Arc::clone(pool.metrics()),
            appends: sent,
            queue: VecDeque::new(),
            connection: None,
            stop: stop.clone(),
        };
        tasks.spawn(appender.run());
        let (reads, waiting) = mpsc::channel(POSTGRES_QUEUED_READS_MAX);
        tasks.spawn(answer_reads(pool.clone(), tasks.clone(), waiting, stop.clone()));
        Self { appends, reads, wake_times, stop }
    }

    /// Ends the tasks: the appender once all appends have their outcomes, and the reads at once.
    pub(super) fn stop(&self) {
        self.stop.cancel();
    }

    pub(super) fn wake_times(&self) -> &WakeTimes {
        &self.wake_times
    }

    pub(super) fn send(&self, append: &Append) -> impl Future<Output = AppendOutcome> + use<> {
        let (waiting, outcome) = WaitingAppend::new(AppendRow::new(append));
        let unsent = match self.appends.try_send(waiting) {
            Err(TrySendError::Full(waiting)) => Some((self.appends.clone(), waiting)),
            // If the appender is gone, so is the sender of the outcome.
            Ok(()) | Err(TrySendError::Closed(_)) => None,
        };
        async move {
            if let Some((appender, waiting)) = unsent {
                drop(appender.send(waiting).await);
            }
            outcome.await.unwrap_or_else(|_| Err(StoreError::Stopped.into()))
        }
    }

    pub(super) async fn read(self, range: RecordRange) -> Result<Vec<Bytes>, StoreError> {
        let (reply, records) = oneshot::channel();
        let read = WaitingRead { range, reply };
        self.reads.send(read).await.map_err(|_| StoreError::Stopped)?;
        records.await.map_err(|_| StoreError::Stopped)?
    }
}
