//! Reading whole games: some records at a time, outside the runtime's own threads, and in turns, so
//! that whoever reads long games holds nobody up.

use std::{num::NonZero, thread::available_parallelism};

use adamant_protocol::GameId;
use adamant_record::RecordError;
use bytes::Bytes;
use tokio::{task::spawn_blocking, time::timeout};

use crate::{
    address::{ClientAddress, ClientNetwork},
    error::Denial,
    fair_queue::{FairPermit, FairQueue},
    limits::{CORES_PER_REPLAY, REPLAY_CHUNK, REPLAY_RETRY, REPLAY_WAIT_MAX, REPLAYS_WAITING_MAX},
    runtime::time::milliseconds,
    store::{Journal as _, OpenGameRow, Sqlite, StoreError},
};

/// Where the records of a game are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RecordSource<'a> {
    /// Wherever the store has them.
    Store(&'a GameId),
    /// Where they were found at the start.
    Recovered(&'a OpenGameRow),
}

/// For whom a game is read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ReadFor {
    /// A client there, or somebody inside the process: it waits for a turn.
    Client(Option<ClientAddress>),
    /// The server that starts, when nobody else is there.
    Startup,
}

/// Why a game was not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// The store could not give its records.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// They are not those of a game.
    #[error(transparent)]
    Damaged(#[from] RecordError),
    /// Too many others read.
    #[error("many games are being read")]
    Busy,
}

impl ReadError {
    /// As whoever asked for a game is told it.
    pub(crate) fn into_denial(self, game: &GameId) -> Denial {
        match self {
            Self::Store(error) => error.into(),
            Self::Damaged(_) => Denial::Damaged(game.clone()),
            Self::Busy => {
                Denial::Busy { what: self.to_string(), retry_after_ms: milliseconds(REPLAY_RETRY) }
            }
        }
    }
}

/// Reads games. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct GameReader {
    store: Sqlite,
    turns: FairQueue<Option<ClientNetwork>>,
}

/// How many threads the machine runs at once.
pub(crate) fn cores() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}

impl GameReader {
    /// Out of this store.
    pub(crate) fn new(store: Sqlite) -> Self {
        let places = (cores() / CORES_PER_REPLAY).max(1);
        Self { store, turns: FairQueue::new(places, REPLAYS_WAITING_MAX) }
    }

    /// Hands the records of a game up to one seq to `take`, in their order, with what it has made of
    /// those before.
    pub(crate) async fn fold<T: Send + 'static>(
        &self,
        source: RecordSource<'_>,
        until: u64,
        whose: ReadFor,
        mut made: T,
        take: fn(&mut T, &Bytes) -> Result<(), RecordError>,
    ) -> Result<T, ReadError> {
        let mut next = 1;
        while next <= until {
            let left = usize::try_from(until - next).map_or(usize::MAX, |left| left + 1);
            let max = left.min(REPLAY_CHUNK);
            let turn = self.turn(whose).await?;
            let records = match source {
                RecordSource::Store(game) => self.store.read(game.clone(), next, max).await?,
                RecordSource::Recovered(found) => {
                    self.store.read_recovered(found, next, max).await?
                }
            };
            let count = records.len();
            if count > 0 {
                made = apart(move || {
                    // Given on when the work is done, even if nobody waits for it any more.
                    let _turn = turn;
                    records.iter().try_for_each(|record| take(&mut made, record))?;
                    Ok::<_, ReadError>(made)
                })
                .await??;
                next += count as u64;
            }
            if count < max {
                break;
            }
        }
        Ok(made)
    }

    /// Does something that takes a core for a moment outside the runtime's own threads.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        whose: ReadFor,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ReadError> {
        let turn = self.turn(whose).await?;
        apart(move || {
            let _turn = turn;
            work()
        })
        .await
    }

    async fn turn(
        &self,
        whose: ReadFor,
    ) -> Result<Option<FairPermit<Option<ClientNetwork>>>, ReadError> {
        let ReadFor::Client(from) = whose else { return Ok(None) };
        let turn = self.turns.take(from.map(ClientAddress::network));
        match timeout(REPLAY_WAIT_MAX, turn).await {
            Ok(Ok(turn)) => Ok(Some(turn)),
            Ok(Err(_)) | Err(_) => Err(ReadError::Busy),
        }
    }
}

async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ReadError> {
    spawn_blocking(work).await.map_err(|_| StoreError::Stopped.into())
}

#[cfg(test)]
mod tests {
    use std::{
        net::IpAddr,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
    };

    use super::*;
    use crate::{
        config,
        room::live_feed::fixture::entry,
        store::{Append, Summary},
    };

    /// Records read by anybody, and by this reader.
    type ReadCounts = (Arc<AtomicUsize>, usize);

    #[expect(clippy::unnecessary_wraps, reason = "games are read by functions that may fail")]
    fn count((all, mine): &mut ReadCounts, _: &Bytes) -> Result<(), RecordError> {
        all.fetch_add(1, Ordering::Relaxed);
        *mine += 1;
        Ok(())
    }

    async fn store(directory: &std::path::Path, games: &[(&str, usize)]) -> Sqlite {
        let config = config::StoreConfig { wal_mib: 1, ..config::StoreConfig::at(directory) };
        let (store, _) = Sqlite::open(&config, Arc::default()).unwrap();
        for (game, records) in games {
            let created = entry(game, "adamas", 1);
            let append = Append {
                game: created.game.clone(),
                expected_seq: 0,
                records: vec![Bytes::from_static(b"{}"); *records],
                summary: Summary { ply: 0, to_move: None, last_at: 1 },
                reseated: None,
                created: Some(Box::new(created)),
                closes: None,
                rematch_of: None,
                result: None,
            };
            store.append(append).await.unwrap();
        }
        store
    }

    #[tokio::test]
    async fn a_short_game_does_not_wait_for_the_long_ones_that_another_reads() {
        const LONG: usize = 40 * REPLAY_CHUNK;
        const READERS: usize = 4;
        let directory = tempfile::tempdir().unwrap();
        let store = store(directory.path(), &[("long", LONG), ("short", 3)]).await;
        let reader = GameReader { store, turns: FairQueue::new(1, REPLAYS_WAITING_MAX) };
        let (long, short) = ("long".parse::<GameId>().unwrap(), "short".parse::<GameId>().unwrap());
        let from = |address: &str| {
            ReadFor::Client(Some(ClientAddress::from(address.parse::<IpAddr>().unwrap())))
        };
        let all = Arc::new(AtomicUsize::new(0));
        let read = async |game, whose, until| {
            let made = (Arc::clone(&all), 0);
            reader.fold(RecordSource::Store(game), until, whose, made, count).await.unwrap().1
        };
        let greedy = (0..READERS).map(|_| read(&long, from("10.0.0.1"), u64::MAX));
        let other = async {
            let before = all.load(Ordering::Relaxed);
            let found = read(&short, from("10.0.0.2"), u64::MAX).await;
            (found, all.load(Ordering::Relaxed) - before)
        };
        let (greedy, (found, meanwhile)) = tokio::join!(futures::future::join_all(greedy), other);
        assert_eq!((greedy, found), (vec![LONG; READERS], 3));
        assert!(meanwhile <= 3 * REPLAY_CHUNK, "{meanwhile} records were read before");
        let some = u64::try_from(REPLAY_CHUNK).unwrap() + 1;
        assert_eq!(read(&long, from("10.0.0.2"), some).await, REPLAY_CHUNK + 1);
    }
}
