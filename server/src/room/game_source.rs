//! Reads whole games from the store, a page of records at a time, and searches positions, in the
//! work pool. Fair queues keep long games of one client from delaying other clients, opinions from
//! delaying games, and analyses from delaying opinions and the moves of the server's bots. Games
//! whose records are damaged are remembered.

use std::collections::BTreeSet;
use std::sync::Arc;

use adamant_protocol::GameId;
use adamant_record::RecordError;
use bytes::Bytes;
use parking_lot::RwLock;
use tokio::{sync::watch, task::JoinHandle, time::timeout};

use crate::address::{ClientAddress, ClientNetwork};
use crate::error::Denial;
use crate::fair_queue::{FairPermit, FairQueue, Urgency};
use crate::limits::{
    ANALYSIS_YIELD_MAX, CORES_PER_REPLAY, REPLAY_CHUNK, REPLAY_RETRY, REPLAY_WAIT_MAX,
    REPLAYS_WAITING_MAX, THOUGHT_WAIT_MAX, THOUGHTS_WAITING_MAX,
};
use crate::room::{GameLoader, LoadedGame, ReadFor};
use crate::runtime::{time::milliseconds, work_pool::WorkPool};
use crate::store::{Journal, Store, StoreError};

/// The games of the store. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct GameSource {
    store: Store,
    reader: GameReader,
    /// Games whose records are damaged. The lock is held briefly.
    damaged: Arc<RwLock<BTreeSet<GameId>>>,
}

impl GameSource {
    pub(crate) fn new(store: Store, work: WorkPool) -> Self {
        let reader = GameReader::new(Arc::clone(&store.journal), work);
        Self { store, reader, damaged: Arc::default() }
    }

    /// Loads a game whose room opens, as of the seq `until`.
    pub(crate) async fn load(
        &self,
        game: &GameId,
        until: u64,
        reason: ReadFor,
    ) -> Result<LoadedGame, Denial> {
        let mut loaded = self.replay_until(game, until, reason).await?;
        if loaded.was_rated() {
            loaded.annulled = self.store.is_annulled(game.clone()).await?;
        }
        if let Some(shared) = &self.store.presence {
            // Without an answer the players are unknown until the next audit, and a claim asks.
            let found = shared.at_games(vec![game.clone()]).await.unwrap_or_default();
            loaded.present = found.into_iter().next().unwrap_or_default();
        }
        self.store.backend.room_opens(loaded.entry());
        Ok(loaded)
    }

    /// Replays a game on behalf of a client at this address.
    pub(super) async fn replay(
        &self,
        game: &GameId,
        from: Option<ClientAddress>,
    ) -> Result<LoadedGame, Denial> {
        self.replay_until(game, u64::MAX, ReadFor::Client(from)).await
    }

    async fn replay_until(
        &self,
        game: &GameId,
        until: u64,
        reason: ReadFor,
    ) -> Result<LoadedGame, Denial> {
        let not_found = || Denial::NotFound(format!("game {game}"));
        let step: fn(&mut GameLoader, &Bytes) -> _ = |loader, record| loader.push(record);
        let loader = self.read(game, until, reason, GameLoader::default(), step);
        loader.await?.finish().ok_or_else(not_found)
    }

    /// Folds the records of a game up to and including the seq `until`.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        game: &GameId,
        until: u64,
        reason: ReadFor,
        initial: T,
        step: fn(&mut T, &Bytes) -> Result<(), RecordError>,
    ) -> Result<T, Denial> {
        self.is_sound(game)?;
        // Boxed, since this rare future would otherwise enlarge every idle session.
        let result = Box::pin(self.reader.fold(game, until, reason, initial, step)).await;
        result.map_err(|error| {
            if let ReadError::Damaged(error) = &error {
                self.record_damage(game, error);
            }
            error.into_denial(game)
        })
    }

    pub(super) const fn reader(&self) -> &GameReader {
        &self.reader
    }

    /// Returns an error if the game's records are known to be damaged.
    pub(super) fn is_sound(&self, game: &GameId) -> Result<(), Denial> {
        let damaged = self.damaged.read();
        if damaged.contains(game) { Err(Denial::Damaged(game.clone())) } else { Ok(()) }
    }

    /// Records that a game's records are damaged, and logs it the first time.
    pub(super) fn record_damage(&self, game: &GameId, error: &RecordError) {
        if self.damaged.write().insert(game.clone()) {
            // operator: the game cannot be replayed and is not served. Restore it from a backup; see
            // "Damage"
            tracing::error!(%game, record = error.seq(), %error, "game records are damaged");
            if has_changed(error) {
                self.store.backend.note_damage(game, &error.to_string());
            }
        }
    }

    /// Number of games with damaged records.
    pub(super) fn damaged_count(&self) -> usize {
        self.damaged.read().len()
    }
}

/// Whether the stored bytes cannot be those that were written. Another version of the server may
/// have written what this one does not understand.
const fn has_changed(error: &RecordError) -> bool {
    !matches!(error, RecordError::Invalid { .. } | RecordError::Apply { .. })
}

/// Why a game was not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// The store cannot read the records.
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Damaged(#[from] RecordError),
    /// The work pool did not take the work.
    #[error(transparent)]
    Work(#[from] WorkError),
}

/// Why work was not done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkError {
    /// The server stops.
    #[error(transparent)]
    Stopped(StoreError),
    /// Too many games are being read.
    #[error("many games are being read")]
    Busy,
    /// Too many opinions are being computed.
    #[error("many clients ask for an opinion")]
    BusyThinking,
}

impl WorkError {
    /// Converts the error to the response of a request.
    pub(crate) fn into_denial(self) -> Denial {
        match self {
            Self::Stopped(error) => error.into(),
            Self::Busy | Self::BusyThinking => {
                Denial::Busy { what: self.to_string(), retry_after_ms: milliseconds(REPLAY_RETRY) }
            }
        }
    }
}

impl ReadError {
    /// Converts the error to the response of a request for the game.
    pub(crate) fn into_denial(self, game: &GameId) -> Denial {
        match self {
            Self::Store(error) => error.into(),
            Self::Damaged(_) => Denial::Damaged(game.clone()),
            Self::Work(error) => error.into_denial(),
        }
    }
}

/// Reads games. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct GameReader {
    journal: Arc<dyn Journal>,
    work: WorkPool,
    reads: FairQueue<Option<ClientNetwork>>,
    thoughts: FairQueue<Option<ClientNetwork>>,
    /// How many moves of live games are being searched.
    searches: watch::Sender<usize>,
}

/// A search for a move of a live game, until it is dropped.
struct LiveSearch(watch::Sender<usize>);

impl LiveSearch {
    fn begin(searches: &watch::Sender<usize>) -> Self {
        searches.send_modify(|running| *running += 1);
        Self(searches.clone())
    }
}

impl Drop for LiveSearch {
    fn drop(&mut self) {
        self.0.send_modify(|running| *running -= 1);
    }
}

impl GameReader {
    pub(crate) fn new(journal: Arc<dyn Journal>, work: WorkPool) -> Self {
        let permits = (work.parallelism() / CORES_PER_REPLAY).max(1);
        let reads = FairQueue::new(permits, REPLAYS_WAITING_MAX);
        let thoughts = FairQueue::new(1, THOUGHTS_WAITING_MAX);
        Self { journal, work, reads, thoughts, searches: watch::Sender::new(0) }
    }

    /// Folds the records of a game up to and including the seq `until`, in order.
    pub(crate) async fn fold<T: Send + 'static>(
        &self,
        game: &GameId,
        until: u64,
        reason: ReadFor,
        mut state: T,
        step: fn(&mut T, &Bytes) -> Result<(), RecordError>,
    ) -> Result<T, ReadError> {
        let mut next = 1;
        while next <= until {
            let left = usize::try_from(until - next).map_or(usize::MAX, |left| left + 1);
            let max = left.min(REPLAY_CHUNK);
            let permit = self.permit_to_read(reason).await?;
            let records = self.journal.read(game.clone(), next, max).await?;
            let count = records.len();
            if count > 0 {
                let replay = self.work.run(move || {
                    // Held until the work is done, even if the request is cancelled.
                    let _permit = permit;
                    records.iter().try_for_each(|record| step(&mut state, record))?;
                    Ok::<_, ReadError>(state)
                });
                state = replay.await.map_err(|_| StoreError::Stopped)??;
                next += count as u64;
            }
            if count < max {
                break;
            }
        }
        Ok(state)
    }

    /// Runs work on a game that a core does in some milliseconds.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        from: Option<ClientAddress>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WorkError> {
        let permit = self.permit_to_read(ReadFor::Client(from)).await?;
        self.run(permit, work).await
    }

    /// Runs the search of an opinion, which takes a core for longer.
    pub(crate) async fn think<T: Send + 'static>(
        &self,
        from: Option<ClientAddress>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WorkError> {
        let permit = self.thoughts.acquire(from.map(ClientAddress::network), Urgency::Ordinary);
        match timeout(THOUGHT_WAIT_MAX, permit).await {
            Ok(Ok(permit)) => self.run(permit, work).await,
            Ok(Err(_)) | Err(_) => Err(WorkError::BusyThinking),
        }
    }

    /// Searches a move of a live game. It waits for nothing.
    pub(crate) fn search<T: Send + 'static>(
        &self,
        search: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        let live = LiveSearch::begin(&self.searches);
        self.work.run(move || {
            let _live = live;
            search()
        })
    }

    /// Runs a search that comes after all opinions, and for a while after all moves of live games.
    pub(crate) async fn think_last<T: Send + 'static>(
        &self,
        from: Option<ClientAddress>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WorkError> {
        let mut searches = self.searches.subscribe();
        // Bots that are always busy do not stop it.
        drop(timeout(ANALYSIS_YIELD_MAX, searches.wait_for(|&running| running == 0)).await);
        let permit = self.thoughts.acquire(from.map(ClientAddress::network), Urgency::Last).await;
        self.run(permit.map_err(|_| WorkError::BusyThinking)?, work).await
    }

    async fn run<T: Send + 'static>(
        &self,
        permit: FairPermit<Option<ClientNetwork>>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WorkError> {
        let done = self.work.run(move || {
            let _permit = permit;
            work()
        });
        done.await.map_err(|_| WorkError::Stopped(StoreError::Stopped))
    }

    async fn permit_to_read(
        &self,
        reason: ReadFor,
    ) -> Result<FairPermit<Option<ClientNetwork>>, WorkError> {
        let (from, urgency) = match reason {
            ReadFor::Player(from) => (from, Urgency::Urgent),
            ReadFor::Client(from) => (from, Urgency::Ordinary),
        };
        let permit = self.reads.acquire(from.map(ClientAddress::network), urgency);
        match timeout(REPLAY_WAIT_MAX, permit).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => Err(WorkError::Busy),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        net::IpAddr,
        pin::pin,
        sync::atomic::{AtomicUsize, Ordering},
    };

    use adamant_protocol::ids::Chain;
    use futures::FutureExt as _;

    use crate::{
        config,
        store::{Begin, Sqlite, fixture::entry},
    };

    use super::*;

    /// Number of records read by all readers, by this one, and by all until its last one.
    type ReadCounts = (Arc<AtomicUsize>, usize, usize);

    #[expect(clippy::unnecessary_wraps, reason = "games are read by functions that may fail")]
    fn count((all, mine, until): &mut ReadCounts, _: &Bytes) -> Result<(), RecordError> {
        *until = all.fetch_add(1, Ordering::Relaxed) + 1;
        *mine += 1;
        Ok(())
    }

    #[tokio::test]
    async fn opinions_keep_nobody_from_a_game() {
        let directory = tempfile::tempdir().unwrap();
        let journal = store(directory.path(), &[("short", 3)]).await;
        let reader = GameReader::new(Arc::new(journal), WorkPool::default());
        let (go_on, waits) = std::sync::mpsc::channel::<()>();
        let mut thinking = pin!(reader.think(None, move || waits.recv().is_ok()));
        assert!((&mut thinking).now_or_never().is_none());
        let short = "short".parse::<GameId>().unwrap();
        let counts = (Arc::default(), 0, 0);
        let read = reader.fold(&short, u64::MAX, ReadFor::Client(None), counts, count).await;
        assert_eq!(read.unwrap().1, 3);
        go_on.send(()).unwrap();
        assert!(thinking.await.unwrap());
    }

    #[tokio::test]
    async fn an_analysis_waits_for_opinions_and_for_moves_of_live_games() {
        let directory = tempfile::tempdir().unwrap();
        let journal = store(directory.path(), &[]).await;
        let reader = GameReader::new(Arc::new(journal), WorkPool::default());
        let (opine, thinks) = std::sync::mpsc::channel::<()>();
        let (make_move, searches) = std::sync::mpsc::channel::<()>();
        let mut opinion = pin!(reader.think(None, move || thinks.recv().is_ok()));
        assert!((&mut opinion).now_or_never().is_none());
        let mut analysis = pin!(reader.think_last(None, || ()));
        assert!((&mut analysis).now_or_never().is_none());
        opine.send(()).unwrap();
        assert!(opinion.await.unwrap());
        analysis.await.unwrap();

        let search = reader.search(move || searches.recv().is_ok());
        let mut analysis = pin!(reader.think_last(None, || ()));
        assert!((&mut analysis).now_or_never().is_none());
        make_move.send(()).unwrap();
        assert!(search.await.unwrap());
        analysis.await.unwrap();
    }

    async fn store(directory: &std::path::Path, games: &[(&str, usize)]) -> Sqlite {
        let config = config::StoreConfig { wal_mib: 1, ..config::StoreConfig::at(directory) };
        let (store, _) = Sqlite::open(&config, Arc::default()).unwrap();
        for (game, records) in games {
            let created = entry(game, "adamas", 1);
            let begin = Begin {
                entry: Box::new(created),
                records: vec![Bytes::from_static(b"{}"); *records],
                chain: Chain::default(),
                deadline: None,
                offer: None,
                rematch_of: None,
            };
            store.begin(begin).await.unwrap();
        }
        store
    }

    #[tokio::test]
    async fn short_game_does_not_wait_for_long_games_of_another_client() {
        const LONG: usize = 40 * REPLAY_CHUNK;
        const READERS: usize = 4;
        let directory = tempfile::tempdir().unwrap();
        let store = store(directory.path(), &[("long", LONG), ("short", 3)]).await;
        let reads = FairQueue::new(1, REPLAYS_WAITING_MAX);
        let reader = GameReader { reads, ..GameReader::new(Arc::new(store), WorkPool::default()) };
        let (long, short) = ("long".parse::<GameId>().unwrap(), "short".parse::<GameId>().unwrap());
        let from = |address: &str| {
            ReadFor::Client(Some(ClientAddress::from(address.parse::<IpAddr>().unwrap())))
        };
        let all = Arc::new(AtomicUsize::new(0));
        let read = async |game, whose, until| {
            let made = (Arc::clone(&all), 0, 0);
            let read = reader.fold(game, until, whose, made, count).await;
            let (_, mine, until) = read.unwrap();
            (mine, until)
        };
        let greedy = (0..READERS).map(|_| read(&long, from("10.0.0.1"), u64::MAX));
        let other = async {
            let before = all.load(Ordering::Relaxed);
            let (found, until) = read(&short, from("10.0.0.2"), u64::MAX).await;
            (found, until - before)
        };
        let (greedy, (found, read_before)) = tokio::join!(futures::future::join_all(greedy), other);
        let greedy: Vec<usize> = greedy.into_iter().map(|(mine, _)| mine).collect();
        assert_eq!((greedy, found), (vec![LONG; READERS], 3));
        assert!(read_before <= 3 * REPLAY_CHUNK, "{read_before} records were read before");
        let some = u64::try_from(REPLAY_CHUNK).unwrap() + 1;
        assert_eq!(read(&long, from("10.0.0.2"), some).await.0, REPLAY_CHUNK + 1);
    }
}
