//! What rooms want done outside: the store, and the loading of games.

use std::{fmt, sync::Arc};

use adamant_protocol::GameId;
use bytes::Bytes;
use futures::{FutureExt as _, StreamExt as _, future::BoxFuture, stream::FuturesUnordered};

use crate::room::{GameSource, Input, LoadedGame, Output, Pass, ReadFor, Room, RoomContext};
use crate::store::{
    Append, AppendOutcome, AppendOutcomes, Journal, PlayerAtGame, RecordRange, SharedPresence,
    StoreError,
};
use crate::{error::Denial, outbound::outbox::ClosedSessions, runtime::time::TimeSource};

/// An effect that has ended.
pub(super) enum Completion {
    /// The game with this key was loaded.
    Loaded(usize, Result<Box<LoadedGame>, Denial>),
    /// The outcomes of some appends of a batch are known, each with its place in the batch.
    Appended(RunningBatch, Vec<(usize, AppendOutcome)>),
    /// The announced records for the rooms with these keys were read.
    Followed(Vec<usize>, Vec<Result<Vec<Bytes>, StoreError>>),
    /// The store has answered which games have moved on.
    Audited(Result<Vec<(GameId, u64)>, StoreError>),
    /// The players at these games were read, over all nodes.
    PresenceRead(Vec<GameId>, Result<Vec<Vec<PlayerAtGame>>, StoreError>),
    /// The room with this key gets an answer.
    Answer(usize, Input),
}

/// A batch of appends, of which some outcomes are not known yet.
pub(super) struct RunningBatch {
    keys: Vec<usize>,
    /// Number of rooms that wait for their outcomes.
    waiting: usize,
    outcomes: AppendOutcomes,
}

impl RunningBatch {
    pub(super) fn key(&self, place: usize) -> Option<usize> {
        self.keys.get(place).copied()
    }

    async fn next(mut self) -> Completion {
        let known = self.outcomes.next().await.unwrap_or_default();
        self.waiting = if known.is_empty() { 0 } else { self.waiting.saturating_sub(known.len()) };
        Completion::Appended(self, known)
    }
}

/// The effects that are under way. Each batch of appends is one effect, whatever its size.
pub(crate) struct Effects {
    journal: Arc<dyn Journal>,
    presence: Option<Arc<dyn SharedPresence>>,
    source: GameSource,
    running: FuturesUnordered<BoxFuture<'static, Completion>>,
    /// The appends of the current pass.
    batch: Vec<Append>,
    /// The rooms of these appends.
    batch_keys: Vec<usize>,
    /// The announced records that rooms want to read in the current pass.
    follows: Vec<RecordRange>,
    /// The rooms that want to read them.
    follow_keys: Vec<usize>,
}

impl fmt::Debug for Effects {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Effects")
            .field("running", &self.running.len())
            .finish_non_exhaustive()
    }
}

impl Effects {
    pub(super) fn new(
        journal: Arc<dyn Journal>,
        presence: Option<Arc<dyn SharedPresence>>,
        source: GameSource,
    ) -> Self {
        let running = FuturesUnordered::new();
        Self {
            journal,
            presence,
            source,
            running,
            batch: Vec::new(),
            batch_keys: Vec::new(),
            follows: Vec::new(),
            follow_keys: Vec::new(),
        }
    }

    /// Whether nothing is under way.
    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Starts what a room wants done. Appends wait for [`flush`](Self::flush).
    pub(super) fn start(&mut self, key: usize, game: &GameId, output: Output) {
        match output {
            Output::Append(append) => {
                self.batch.push(append);
                self.batch_keys.push(key);
            }
            Output::ReadAnnounced { from, until } => {
                self.follows.push(RecordRange { game: game.clone(), from, until });
                self.follow_keys.push(key);
            }
            Output::Archive(_)
            | Output::Read { .. }
            | Output::ReadDurable { .. }
            | Output::ReadRating
            | Output::ReadPresence
            | Output::Close => {
                if let Some(answer) = ask(&*self.journal, self.presence.as_deref(), game, output) {
                    self.running
                        .push(answer.map(move |input| Completion::Answer(key, input)).boxed());
                }
            }
        }
    }

    /// Gives all appends of the pass to the store as one batch, and asks for all announced records
    /// at once.
    pub(super) fn flush(&mut self) {
        if !self.follows.is_empty() {
            let keys = std::mem::take(&mut self.follow_keys);
            let pages = self.journal.read_durable(std::mem::take(&mut self.follows));
            self.running.push(pages.map(move |pages| Completion::Followed(keys, pages)).boxed());
        }
        if self.batch.is_empty() {
            return;
        }
        // The next pass has about as many.
        let next = (Vec::with_capacity(self.batch.len()), Vec::with_capacity(self.batch.len()));
        let appends = std::mem::replace(&mut self.batch, next.0);
        let keys = std::mem::replace(&mut self.batch_keys, next.1);
        let outcomes = self.journal.append_each(appends);
        let batch = RunningBatch { waiting: keys.len(), keys, outcomes };
        self.running.push(batch.next().boxed());
    }

    /// Waits for the rest of a batch.
    pub(super) fn await_rest(&mut self, batch: RunningBatch) {
        if batch.waiting > 0 {
            self.running.push(batch.next().boxed());
        }
    }

    /// Asks which of these games have records after the stated seq, and which players are at them.
    pub(super) fn audit(&mut self, known: Vec<(GameId, u64)>) {
        if let Some(presence) = &self.presence {
            let games: Vec<GameId> = known.iter().map(|(game, _)| game.clone()).collect();
            let found = presence.at_games(games.clone());
            self.running.push(found.map(|found| Completion::PresenceRead(games, found)).boxed());
        }
        self.running.push(self.journal.moved_on(known).map(Completion::Audited).boxed());
    }

    /// Loads a game as of the seq `until`.
    pub(super) fn load(&mut self, key: usize, game: GameId, until: u64, reason: ReadFor) {
        let source = self.source.clone();
        let loading = async move {
            let loaded = source.load(&game, until, reason).await;
            Completion::Loaded(key, loaded.map(Box::new))
        };
        self.running.push(loading.boxed());
    }

    /// Waits for the next effect to end. There must be one.
    pub(super) async fn next(&mut self) -> Option<Completion> {
        debug_assert!(!self.is_empty());
        self.running.next().await
    }

    /// Returns the next effect that has ended already.
    pub(super) fn next_ended(&mut self) -> Option<Completion> {
        self.running.next().now_or_never().flatten()
    }
}

/// Asks the store what a room wants to know; `None` if it wants nothing of the store.
fn ask(
    journal: &dyn Journal,
    presence: Option<&dyn SharedPresence>,
    game: &GameId,
    output: Output,
) -> Option<BoxFuture<'static, Input>> {
    let game = game.clone();
    Some(match output {
        Output::Append(append) => {
            let outcomes = journal.append(vec![append]);
            let first = |mut outcomes: Vec<AppendOutcome>| {
                outcomes.pop().unwrap_or_else(|| Err(StoreError::Stopped.into()))
            };
            outcomes.map(move |outcomes| Input::Appended(first(outcomes))).boxed()
        }
        Output::Archive(archived) => journal.archive(archived).map(Input::Archived).boxed(),
        Output::Read { from, max } => journal.read(game, from, max).map(Input::Records).boxed(),
        Output::ReadDurable { from, until } | Output::ReadAnnounced { from, until } => {
            let pages = journal.read_durable(vec![RecordRange { game, from, until }]);
            let first = |mut pages: Vec<Result<Vec<Bytes>, StoreError>>| {
                pages.pop().unwrap_or(Err(StoreError::Stopped))
            };
            pages.map(move |pages| Input::Records(first(pages))).boxed()
        }
        Output::ReadRating => journal.rating_change(game).map(Input::Rating).boxed(),
        Output::ReadPresence => {
            let first = |found: Result<Vec<Vec<PlayerAtGame>>, StoreError>| {
                found.map(|games| games.into_iter().next().unwrap_or_default())
            };
            let found = presence?.at_games(vec![game]);
            found.map(move |found| Input::Presence(first(found))).boxed()
        }
        Output::Close => return None,
    })
}

/// Completes a game that ended shortly before the server stopped: records its missing rating change
/// and archives it.
pub(crate) async fn complete(
    context: Arc<RoomContext>,
    journal: &dyn Journal,
    time: &TimeSource,
    loaded: LoadedGame,
) {
    let game = loaded.head.game.clone();
    let closed = Arc::<ClosedSessions>::default();
    let now = time.now_ms();
    let mut room = Room::new(context, loaded, None, now, closed.listener(0), now);
    let (mut outputs, mut input) =
        (Vec::new(), Some(Input::Opened { archived: false, behind: false }));
    while let Some(next) = input.take() {
        room.handle(next, &mut Pass { now: time.now_ms(), outputs: &mut outputs });
        for output in outputs.drain(..) {
            if let Some(answer) = ask(journal, None, &game, output) {
                input = Some(answer.await);
            }
        }
    }
}
