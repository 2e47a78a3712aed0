//! Loops: the games that they open and close, and the batches that they give to the journal.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use adamant_protocol::{
    ErrorCode, GameId, ToClient, event::OfferKind, ids::Chain, values::RatingChange,
};
use adamant_rules::TimeControl;
use bytes::Bytes;
use futures::{FutureExt as _, StreamExt as _, future::BoxFuture, stream};
use tempfile::TempDir;
use tokio::sync::{Semaphore, oneshot};

use super::*;
use crate::outbound::{frame::Frame, outbox::OutboxItem};
use crate::room::tests::{BEGINNING, Client, begun, context, setup};
use crate::room::{Command, GameSource, PlayerAction};
use crate::runtime::{shutdown::Lifecycle, time::TimeSource, work_pool::WorkPool};
use crate::store::{
    Append, AppendOutcome, AppendOutcomes, ArchiveError, ArchivedGame, Begin, BeginError, Journal,
    Sqlite, StoreError, StoreFuture, memory::Memory,
};
use crate::{config::StoreConfig, error::Denial, limits::LOOP_PASS_INPUTS_MAX};

/// A journal that counts, and that archives when the test lets it.
#[derive(Debug)]
struct CountingJournal {
    inner: Arc<dyn Journal>,
    /// The size of each batch.
    batches: Mutex<Vec<usize>>,
    /// Permits to archive.
    archives: Arc<Semaphore>,
    /// Whether the disk is full.
    is_full: bool,
    /// A game whose appends wait for these permits, while others of their batch do not.
    slow: (GameId, Arc<Semaphore>),
}

impl Journal for CountingJournal {
    fn append(&self, batch: Vec<Append>) -> BoxFuture<'static, Vec<AppendOutcome>> {
        self.batches.lock().unwrap().push(batch.len());
        if self.is_full {
            let outcomes = batch.iter().map(|_| Err(StoreError::ReadOnly.into())).collect();
            return std::future::ready(outcomes).boxed();
        }
        self.inner.append(batch)
    }

    fn append_each(&self, batch: Vec<Append>) -> AppendOutcomes {
        let games: Vec<GameId> = batch.iter().map(|append| append.game.clone()).collect();
        let appended = self.append(batch).map(|outcomes| stream::iter(outcomes).enumerate());
        let (slow, permits) = self.slow.clone();
        let is_slow = move |place: usize| games.get(place) == Some(&slow);
        let one_by_one = appended.flatten_stream().map(move |(place, outcome)| {
            let permits = is_slow(place).then(|| Arc::clone(&permits));
            async move {
                if let Some(permits) = permits {
                    permits.acquire().await.unwrap().forget();
                }
                vec![(place, outcome)]
            }
        });
        one_by_one.buffer_unordered(usize::MAX).boxed()
    }

    fn begin(&self, game: Begin) -> BoxFuture<'static, Result<(), BeginError>> {
        self.inner.begin(game)
    }

    fn archive(&self, game: ArchivedGame) -> BoxFuture<'static, Result<(), ArchiveError>> {
        let (permits, archive) = (Arc::clone(&self.archives), self.inner.archive(game));
        async move {
            permits.acquire().await.unwrap().forget();
            archive.await
        }
        .boxed()
    }

    fn rating_change(&self, game: GameId) -> StoreFuture<Option<RatingChange>> {
        self.inner.rating_change(game)
    }

    fn read(&self, game: GameId, from: u64, max: usize) -> StoreFuture<Vec<Bytes>> {
        self.inner.read(game, from, max)
    }
}

/// One loop over a store with the game `stored`.
struct Loop {
    loops: RoomLoops,
    lifecycle: Lifecycle,
    journal: Arc<CountingJournal>,
    _directory: TempDir,
}

/// What differs between the tests.
struct Start {
    park_after: Duration,
    is_full: bool,
    /// Number of live games in the journal in memory, each with a room.
    live: usize,
    clock: TimeControl,
    /// Epoch milliseconds.
    now: u64,
}

impl Default for Start {
    fn default() -> Self {
        let park_after = Duration::from_hours(1);
        Self { park_after, is_full: false, live: 0, clock: TimeControl::None, now: BEGINNING }
    }
}

fn stored() -> GameId {
    "stored".parse().unwrap()
}

/// The game whose appends are slow.
fn slow() -> GameId {
    live(1)
}

fn live(number: usize) -> GameId {
    format!("live{number}").parse().unwrap()
}

impl Loop {
    async fn start(start: Start) -> Self {
        let Start { park_after, is_full, live: games, clock, now } = start;
        let directory = tempfile::tempdir().unwrap();
        let config = StoreConfig { wal_mib: 1, ..StoreConfig::at(directory.path()) };
        let (store, _) = Sqlite::open(&config, Arc::default()).unwrap();
        let memory = Arc::<Memory>::default();
        let setup = setup(&["ann", "bob"], clock);
        let loaded = begun(&memory, stored(), setup.clone());
        let records = memory.read(stored(), 1, usize::MAX).await.unwrap();
        let (offer, rematch_of) = (None, None);
        let entry = Box::new(loaded.entry());
        let (chain, deadline) = (Chain::default(), None);
        let begin = Begin { entry, records, chain, deadline, offer, rematch_of };
        store.begin(begin).await.unwrap();
        let live: Vec<_> =
            (0..games).map(|number| begun(&memory, live(number), setup.clone())).collect();
        let inner: Arc<dyn Journal> =
            if games == 0 { Arc::new(store.clone()) } else { Arc::clone(&memory) as _ };
        let journal = Arc::new(CountingJournal {
            inner,
            batches: Mutex::default(),
            archives: Arc::new(Semaphore::new(0)),
            is_full,
            slow: (slow(), Arc::new(Semaphore::new(0))),
        });
        let services = LoopServices {
            context: Arc::new(context(park_after)),
            journal: Arc::clone(&journal) as _,
            source: GameSource::new(store.into(), WorkPool::Threads),
            time: TimeSource::starting_at(now),
            absent_since: BEGINNING,
        };
        let (lifecycle, deadlines) = (Lifecycle::default(), Vec::new());
        let start = LoopStart { live, deadlines };
        let loops = RoomLoops::start(1, &Arc::new(services), &lifecycle, start);
        Self { loops, lifecycle, journal, _directory: directory }
    }

    /// Sends a command without a pause, so that those of a test share a pass.
    fn send(&self, game: &GameId, command: Command) {
        self.loops.try_reserve(game).unwrap().send(game.clone(), command);
    }

    /// Asks for a snapshot, which opens the game.
    fn ask(&self, game: &GameId) -> oneshot::Receiver<Result<Frame, Denial>> {
        let (reply, answer) = oneshot::channel();
        self.send(game, Command::ReadSnapshot { from: None, reply });
        answer
    }

    fn batches(&self) -> Vec<usize> {
        self.journal.batches.lock().unwrap().clone()
    }

    /// Stops the loop, and waits until it has ended.
    async fn stop(&self) {
        self.lifecycle.soft.cancel();
        self.lifecycle.rooms.close();
        self.lifecycle.rooms.wait().await;
    }
}

impl Client {
    /// Waits for the next response.
    async fn reply(&mut self) -> ToClient {
        loop {
            let OutboxItem::Frame(frame) = self.received.next().await else {
                panic!("the session has ended")
            };
            let message = ToClient::from_bytes(frame.payload()).unwrap().unwrap();
            if message.re().is_some() {
                return message;
            }
        }
    }
}

fn resign(client: &Client) -> Command {
    client.acts("r", PlayerAction::Resign, BEGINNING)
}

#[tokio::test]
async fn commands_for_a_game_without_a_room_open_it_once_and_keep_their_order() {
    let started = Loop::start(Start::default()).await;
    let (mut ann, mut bob) = (Client::new(1, "ann"), Client::new(2, "bob"));
    started.journal.archives.add_permits(1);
    assert_eq!(started.loops.counts(), (0, 0));
    let snapshot = started.ask(&stored());
    started.send(&stored(), ann.acts("a", PlayerAction::Abort, BEGINNING));
    started.send(&stored(), resign(&bob));
    assert!(snapshot.await.unwrap().is_ok());
    assert!(matches!(ann.reply().await, ToClient::Ok(_)));
    let late = bob.reply().await;
    assert!(matches!(&late, ToClient::Error(failed) if failed.code == ErrorCode::GameOver));
    assert_eq!(started.loops.counts(), (1, 1));
}

#[tokio::test]
async fn each_command_for_an_unknown_game_is_refused() {
    let started = Loop::start(Start::default()).await;
    let unknown: GameId = "unknown".parse().unwrap();
    let mut ann = Client::new(1, "ann");
    let answers = [started.ask(&unknown), started.ask(&unknown)];
    started.send(&unknown, resign(&ann));
    for answer in answers {
        assert!(matches!(answer.await.unwrap(), Err(Denial::NotFound(_))));
    }
    let refused = ann.reply().await;
    assert!(matches!(&refused, ToClient::Error(failed) if failed.code == ErrorCode::NotFound));
    assert_eq!(started.loops.counts(), (0, 0));
}

#[tokio::test]
async fn commands_that_arrive_while_a_room_parks_open_it_again() {
    // A room without clients parks at once.
    let started = Loop::start(Start { park_after: Duration::ZERO, ..Start::default() }).await;
    assert!(started.ask(&stored()).await.unwrap().is_ok());
    assert_eq!(started.loops.counts(), (1, 0));
    let mut ann = Client::new(1, "ann");
    let mut late = started.ask(&stored());
    started.send(&stored(), resign(&ann));
    tokio::task::yield_now().await;
    assert!(late.try_recv().is_err(), "it waits until the game is archived");
    assert_eq!(started.batches(), Vec::<usize>::new());
    started.journal.archives.add_permits(2);
    assert!(late.await.unwrap().is_ok());
    assert!(matches!(ann.reply().await, ToClient::Ok(_)));
    assert_eq!(started.batches(), [1]);
}

#[tokio::test]
async fn appends_of_a_pass_are_one_batch() {
    let games = LOOP_PASS_INPUTS_MAX + 1;
    let started = Loop::start(Start { live: games, ..Start::default() }).await;
    assert_eq!(started.loops.counts(), (games, 0));
    started.journal.archives.add_permits(games);
    started.journal.slow.1.add_permits(1);
    let mut anns: Vec<Client> =
        (0..games).map(|number| Client::new(number as u64, "ann")).collect();
    for (number, ann) in anns.iter().enumerate() {
        started.send(&live(number), resign(ann));
    }
    for ann in &mut anns {
        assert!(matches!(ann.reply().await, ToClient::Ok(_)));
    }
    assert_eq!(started.batches(), [LOOP_PASS_INPUTS_MAX, 1]);
}

#[tokio::test]
async fn slow_append_delays_no_answer_of_its_pass() {
    let started = Loop::start(Start { live: 3, ..Start::default() }).await;
    let mut anns: Vec<Client> = (0..3).map(|number| Client::new(number, "ann")).collect();
    let offer = |ann: &Client| ann.acts("o", PlayerAction::Offer(OfferKind::Draw), BEGINNING);
    for (number, ann) in anns.iter().enumerate() {
        started.send(&live(number), offer(ann));
    }
    for number in [0, 2] {
        assert!(matches!(anns[number].reply().await, ToClient::Ok(_)));
    }
    assert_eq!(started.batches(), [3]);
    assert!(anns[1].received.pop().is_none(), "its append is slow");
    started.journal.slow.1.add_permits(1);
    assert!(matches!(anns[1].reply().await, ToClient::Ok(_)));
}

#[tokio::test]
async fn shutdown_answers_accepted_commands() {
    let started = Loop::start(Start { live: 1, ..Start::default() }).await;
    let (mut ann, mut eve) = (Client::new(1, "ann"), Client::new(3, "eve"));
    started.send(&live(0), eve.joins());
    let offer = PlayerAction::Offer(OfferKind::Draw);
    started.send(&live(0), ann.acts("o", offer, BEGINNING));
    // This one opens its game first.
    let snapshot = started.ask(&stored());
    started.stop().await;
    assert!(matches!(ann.reply().await, ToClient::Ok(done) if done.seq == Some(3)));
    assert!(snapshot.await.unwrap().is_ok());
    let mut kinds = Vec::new();
    while let Some(frame) = eve.received.pop() {
        if let Some(ToClient::Event(event)) = ToClient::from_bytes(frame.payload()).unwrap() {
            kinds.push(event.body.kind().to_owned());
        }
    }
    assert_eq!(kinds, ["created", "started", "offered"], "spectators have every event");
    let (reply, refused) = oneshot::channel();
    started.loops.send(&live(0), Command::ReadSnapshot { from: None, reply }).await;
    assert!(matches!(refused.await.unwrap(), Err(Denial::Store(StoreError::Stopped))));
}

/// A flag that cannot be stored ends its room. The loop tries again later, not at once.
#[tokio::test]
async fn game_whose_flag_cannot_be_stored_does_not_keep_the_loop_busy() {
    let (clock, now) = (TimeControl::PerMove { move_ms: 60_000 }, BEGINNING + 60_000);
    let started = Loop::start(Start { is_full: true, clock, now, ..Start::default() }).await;
    let mut ann = Client::new(1, "ann");
    started.send(&stored(), ann.acts("r", PlayerAction::Resign, now));
    let refused = ann.reply().await;
    assert!(matches!(&refused, ToClient::Error(failed) if failed.code == ErrorCode::ReadOnly));
    // Far more reads than to open a game takes.
    for _ in 0..50 {
        started.journal.read(stored(), 1, 1).await.unwrap();
    }
    assert_eq!((started.batches(), started.loops.counts()), (vec![1], (0, 0)));
    assert!(started.ask(&stored()).await.unwrap().is_ok(), "it can be read");
}
