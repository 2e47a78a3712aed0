//! The registry of rooms: starts the rooms with the games that the embedded store recovers, sends
//! commands to the room of a game, starts new games, and stores heartbeats.

use std::sync::{Arc, Weak};

use adamant_protocol::{GameId, UserName, from_client::Cursor, to_client::LiveGame};
use adamant_record::RecordError;
use adamant_rules::{Seat, Setup, table::Ruling};
use bytes::Bytes;
use futures::{StreamExt as _, stream};
use tokio::{sync::oneshot, task::JoinHandle, time::sleep};
use tokio_util::sync::CancellationToken;

use crate::cluster::{AppendedRecords, GoneNode, NodeId};
use crate::limits::{
    CLOCK_AHEAD_MAX_MS, CLOCK_AHEAD_WARN_MS, DUE_GAMES_EVERY, DUE_GAMES_PAGE, DUE_GAMES_PAGES_MAX,
    GAME_IDS_TRIED_MAX, STALL_OUTAGE_MS, TEXT_CACHE_BYTES_MAX,
};
use crate::outbound::{client::ClientHandle, frame::Frame};
use crate::ratings::{Pool, Rating};
use crate::room::loaded::{self};
use crate::room::loops::{InboxPlace, LoopServices, LoopStart, RoomLoops, complete};
use crate::room::{
    AudienceElsewhere, Command, GameLoader, GameSource, LoadedGame, NewGame, PlanRequest, ReadFor,
    Reply, ResumePlan, RoomContext, RulingRequest, StartGameError, Substitutes, TalkBroadcast,
    WorkError, attendance::report_first_turn,
};
use crate::runtime::time::{Stall, TimeSource};
use crate::runtime::{entropy::Entropy, environment::Environment, shutdown::Lifecycle};
use crate::store::{
    Backend, BeginError, DueGames, Heartbeat, OfferClaim, Outage, Recovery, Store, StoreError,
    TimedGame,
};
use crate::{address::ClientAddress, cache::Cache, error::Denial, occasions::Occasions};

/// The open rooms. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct RoomRegistry {
    pub(super) context: Arc<RoomContext>,
    pub(super) loops: RoomLoops,
    pub(super) store: Store,
    pub(super) source: GameSource,
    pub(super) time: TimeSource,
    pub(super) entropy: Entropy,
    pub(super) texts: Arc<Cache<GameId, Arc<str>>>,
}

/// The number of rooms, for metrics.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoomCounts {
    pub open: usize,
    /// Open rooms with a finished game.
    pub over: usize,
    pub damaged: usize,
}

/// Letters and digits of a game id, without those that look alike.
const GAME_ID_LETTERS: &[u8] = b"23456789abcdefghjkmnpqrstuvwxyz";
const GAME_ID_LENGTH: usize = 8;

impl RoomRegistry {
    /// Returns the server's bots that may take seats of players who leave.
    pub(crate) fn substitutes(&self) -> &Substitutes {
        &self.context.substitutes
    }

    /// Sends a command to the room of a game, which opens if needed. Waits while the loop of the
    /// game has no room for it. The room answers or refuses the command.
    pub(crate) async fn send(&self, game: &GameId, command: Command) {
        self.loops.send(game, command).await;
    }

    /// Returns a place for a command to the room of a game; `None` if the command has to wait.
    pub(crate) fn try_reserve(&self, game: &GameId) -> Option<InboxPlace<'_>> {
        self.loops.try_reserve(game)
    }

    /// Sends a command that answers, and waits for the answer.
    async fn ask<T>(
        &self,
        game: &GameId,
        command: impl FnOnce(Reply<T>) -> Command,
    ) -> Result<T, Denial> {
        let (reply, answer) = oneshot::channel();
        self.send(game, command(reply)).await;
        answer.await.unwrap_or_else(|_| Err(StoreError::Stopped.into()))
    }

    /// Returns the game as lists show it to spectators, if a room is open. With other nodes, which
    /// may play it, a room opens.
    pub(crate) async fn live_game(&self, game: &GameId) -> Option<LiveGame> {
        self.ask(game, |reply| Command::ReadLiveGame { reply }).await.ok()
    }

    /// Returns the snapshot for a spectator at this address.
    pub(crate) async fn snapshot(
        &self,
        game: &GameId,
        from: Option<ClientAddress>,
    ) -> Result<Frame, Denial> {
        self.ask(game, |reply| Command::ReadSnapshot { from, reply }).await
    }

    /// Broadcasts talk to the audience of a game. Does nothing if the game has no audience.
    pub(crate) async fn broadcast_talk(&self, game: &GameId, broadcast: TalkBroadcast) {
        self.send(game, Command::BroadcastTalk(Box::new(broadcast))).await;
    }

    /// Ends a game by an operator's decision. Returns once the end is durable.
    pub(crate) async fn rule(&self, game: &GameId, ruling: Ruling) -> Result<(), Denial> {
        let request = |reply| Box::new(RulingRequest { ruling, followed: false, reply });
        self.ask(game, |reply| Command::Rule(request(reply))).await
    }

    /// Says that the result of a game is annulled. A room that opens later reads it.
    pub(crate) async fn note_annulled(&self, game: &GameId) {
        self.send(game, Command::NoteAnnulled).await;
    }

    /// Hands on that other nodes have appended records of these games, up to these seqs.
    pub(crate) async fn announced(&self, games: Vec<AppendedRecords>) {
        self.loops.announced(games).await;
    }

    /// Reads what the open rooms may have missed, because announcements may be lost.
    pub(crate) async fn audit(&self) {
        self.loops.audit().await;
    }

    /// Hands on who is at a game at another node.
    pub(crate) async fn elsewhere(&self, node: NodeId, game: GameId, what: AudienceElsewhere) {
        self.loops.elsewhere(node, game, what).await;
    }

    /// Forgets the sessions at a node that has gone.
    pub(crate) async fn node_gone(&self, gone: GoneNode) {
        self.loops.node_gone(gone).await;
    }

    /// Opens the games that have something due while no node has a room for them, until shutdown.
    pub(crate) async fn run_due_games(self, stop: CancellationToken) {
        while stop.run_until_cancelled(sleep(DUE_GAMES_EVERY)).await.is_some() {
            if let Err(error) = self.open_due_games().await {
                tracing::debug!(%error, "finding the games that are due failed");
            }
        }
    }

    /// Opens the games that are due. After an outage these may be many: a page follows the other
    /// until one is not full, and the rest waits for the next round.
    async fn open_due_games(&self) -> Result<(), StoreError> {
        for _ in 0..DUE_GAMES_PAGES_MAX {
            let DueGames { due, looked_at } = self.store.claim_due(DUE_GAMES_PAGE).await?;
            self.loops.due(due).await;
            if looked_at < DUE_GAMES_PAGE {
                break;
            }
        }
        Ok(())
    }

    pub(crate) fn counts(&self) -> RoomCounts {
        let (open, over) = self.loops.counts();
        RoomCounts { open, over, damaged: self.source.damaged_count() }
    }

    /// Returns an error if the game's records are known to be damaged.
    pub(crate) fn is_sound(&self, game: &GameId) -> Result<(), Denial> {
        self.source.is_sound(game)
    }

    /// Folds the records of a game up to and including the seq `until`, on behalf of a client at
    /// this address.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        game: &GameId,
        until: u64,
        from: Option<ClientAddress>,
        initial: T,
        step: fn(&mut T, &Bytes) -> Result<(), RecordError>,
    ) -> Result<T, Denial> {
        self.source.read(game, until, ReadFor::Client(from), initial, step).await
    }

    /// Runs work that takes a core some milliseconds, on behalf of a client at this address.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        from: Option<ClientAddress>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Denial> {
        self.source.reader().work(from, work).await.map_err(WorkError::into_denial)
    }

    /// Runs the search of an opinion, on behalf of a client at this address.
    pub(crate) async fn think<T: Send + 'static>(
        &self,
        from: Option<ClientAddress>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Denial> {
        self.source.reader().think(from, work).await.map_err(WorkError::into_denial)
    }

    /// Runs a search that comes after all others.
    pub(crate) async fn think_last<T: Send + 'static>(
        &self,
        from: Option<ClientAddress>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Denial> {
        self.source.reader().think_last(from, work).await.map_err(WorkError::into_denial)
    }

    /// Searches a move of a live game.
    pub(crate) fn search<T: Send + 'static>(
        &self,
        search: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        self.source.reader().search(search)
    }

    /// Plans how a session of this user resumes a game from a cursor.
    pub(crate) async fn resume_plan(
        &self,
        game: &GameId,
        user: Option<&UserName>,
        reason: ReadFor,
        cursor: Option<Cursor>,
    ) -> Result<ResumePlan, Denial> {
        let (user, anew, followed) = (user.cloned(), None, false);
        self.ask(game, |reply| {
            let plan = PlanRequest { user, reason, cursor, reply, anew, followed };
            Command::PlanResume(Box::new(plan))
        })
        .await
    }

    /// Plans how a session rejoins a game. It is removed from the audience until it joins again.
    pub(crate) async fn rejoin_plan(
        &self,
        game: &GameId,
        client: &ClientHandle,
    ) -> Result<ResumePlan, Denial> {
        let (user, anew) = (client.user.clone(), Some(client.session));
        let reason = ReadFor::Client(client.from);
        let (cursor, followed) = (None, false);
        self.ask(game, |reply| {
            let plan = PlanRequest { user, reason, cursor, reply, anew, followed };
            Command::PlanResume(Box::new(plan))
        })
        .await
    }

    /// Starts a game and returns its id. The lobby has checked how many games each player has.
    pub(crate) async fn start(
        &self,
        mut setup: Setup,
        offer: Option<OfferClaim>,
        rematch_of: Option<GameId>,
    ) -> Result<GameId, Denial> {
        let users = setup
            .seats
            .iter()
            .map(|player| player.user.parse::<UserName>())
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| Denial::BadMessage(error.to_string()))?;
        let pool = Pool::of(setup.kind, users.len());
        let names = users.clone();
        let ratings = self.store.ratings(pool, users).await?;
        for (seat, rating) in Seat::all(ratings.len()).zip(ratings) {
            setup.seats[seat].rating = rating.map(Rating::rounded);
        }
        let entropy = &mut self.entropy.clone();
        let new =
            NewGame { game: new_game_id(entropy), setup, payers: Vec::new(), offer, rematch_of };
        for _ in 1..GAME_IDS_TRIED_MAX {
            match self.start_as(NewGame { game: new_game_id(entropy), ..new.clone() }, &names).await
            {
                Err(StartGameError::Begin(BeginError::IdTaken)) => {}
                started => return Ok(started?),
            }
        }
        Ok(self.start_as(new, &names).await?)
    }

    /// Starts a game of these players, unless another game has its id.
    async fn start_as(
        &self,
        mut new: NewGame,
        players: &[UserName],
    ) -> Result<GameId, StartGameError> {
        let (game, now) = (new.game.clone(), self.time.now_ms());
        let quotas = &self.context.quotas;
        new.payers = quotas.begin_game(&game, players, now)?;
        let budgets = new.payers.clone();
        let begun = loaded::begin(&*self.store.journal, new, now).await;
        let loaded = begun.inspect_err(|_| quotas.game_over(&game))?;
        report_first_turn(&self.context.occasions, &loaded, now);
        self.loops.begin(loaded, budgets).await;
        Ok(game)
    }

    /// Returns a game's text record and whether the game is over.
    pub(crate) async fn text_record(
        &self,
        game: &GameId,
        from: Option<ClientAddress>,
    ) -> Result<(Arc<str>, bool), Denial> {
        if let Some(text) = self.texts.get(game) {
            return Ok((text, true));
        }
        let table = match self.ask(game, |reply| Command::ReadTable { as_seen: true, reply }).await
        {
            Ok(table) => *table,
            Err(_) => self.source.replay(game, from).await?.into_visible_table(),
        };
        let is_over = table.outcome().is_some();
        let write = move || Arc::from(adamant_rules::record::write(&table));
        let text = self.work(from, write).await;
        let text: Arc<str> = text?;
        if is_over {
            self.texts.insert(game.clone(), Arc::clone(&text), text.len());
        }
        Ok((text, is_over))
    }

    /// Returns a game as it stands, for what the server must know of it and tells nobody.
    pub(crate) async fn present_table(
        &self,
        game: &GameId,
        from: Option<ClientAddress>,
    ) -> Result<adamant_rules::Table, Denial> {
        match self.open_table(game).await {
            Some(table) => Ok(table),
            None => Ok(self.source.replay(game, from).await?.table),
        }
    }

    /// Returns a game as it stands in its room; `None` if none is open on this node.
    pub(crate) async fn open_table(&self, game: &GameId) -> Option<adamant_rules::Table> {
        let table = self.ask(game, |reply| Command::ReadTable { as_seen: false, reply }).await;
        table.ok().map(|table| *table)
    }

    /// Returns where to report what users who are away may want to know.
    pub(crate) fn occasions(&self) -> &Occasions {
        &self.context.occasions
    }

    pub(crate) const fn store(&self) -> &Store {
        &self.store
    }

    /// Starts the loops, with the rooms of the games that the store has recovered, and returns the
    /// registry. No loop count starts a loop for each core.
    pub(crate) async fn start_rooms(
        context: RoomContext,
        store: Store,
        recovery: Option<Recovery>,
        environment: &Environment,
        lifecycle: &Lifecycle,
        loops: Option<usize>,
    ) -> Result<Self, StoreError> {
        let context = Arc::new(context);
        let Environment { time, entropy, work } = environment.clone();
        let source = GameSource::new(store.clone(), work.clone());
        let recovered = match recovery {
            Some(recovery) => replay(recovery, &context, &store, &source, environment).await?,
            None => RecoveredRooms::default(),
        };
        let RecoveredRooms { live, parked, timed, last_event, settled } = recovered;
        let live_games = live.len();
        let mut start = LoopStart::default();
        let absent_since = time.now_ms();
        if context.reads_only {
            // Games cannot change. Their rooms open on request.
            // operator: the numbers of live and of parked games on a read-only server
            tracing::info!(live = live_games, parked, "games recovered read-only");
        } else {
            // The outage ends here. From now on the clocks run.
            let outages = store.backend.begin_serving(last_event, settled, absent_since).await?;
            context.outages.extend(outages);
            context.outages.note_start();
            if !context.cluster.is_alone() {
                let (now, every) = (time.now_ms(), store.backend.heartbeat_every());
                context.outages.note_heartbeat(absent_since, now, every);
            }
            start.live = live;
            start.deadlines = timed
                .into_iter()
                .map(|TimedGame { game, last_at, deadline }| {
                    (game, context.outages.shift_deadline(deadline, last_at))
                })
                .collect();
            // operator: the numbers of live and of parked games
            tracing::info!(live = live_games, parked, "games recovered");
        }
        let heard = Arc::clone(&context);
        // The listener outlives a server that ends at its start, and its store must be closed then.
        let backend = Arc::downgrade(&store.backend);
        time.on_stall(move |stall| heard_stall(&heard, &backend, stall));
        let services = LoopServices {
            context: Arc::clone(&context),
            journal: Arc::clone(&store.journal),
            source: source.clone(),
            time: time.clone(),
            absent_since,
        };
        let count = loops.unwrap_or_else(|| work.parallelism());
        let loops = RoomLoops::start(count, &Arc::new(services), lifecycle, start);
        let texts = Arc::new(Cache::new(TEXT_CACHE_BYTES_MAX));
        Ok(Self { context, loops, store, source, time, entropy, texts })
    }

    /// Notices, until shutdown, when this process stands still. A simulation never does.
    pub(crate) async fn run_pulse(self, stop: CancellationToken) {
        if self.time.is_real() {
            let beating = self.time.beat(self.context.cluster.is_alone());
            stop.run_until_cancelled(beating).await;
        }
    }

    /// Stores a heartbeat regularly until shutdown, so that the outage after it can be measured.
    pub(crate) async fn run_heartbeat(self, lifecycle: Lifecycle) {
        let backend = &self.store.backend;
        let mut was_apart = false;
        let mut stored = self.context.outages.count();
        loop {
            tokio::select! {
                biased;
                () = lifecycle.soft.cancelled() => return,
                () = sleep(backend.heartbeat_every()) => {}
            }
            if self.context.cluster.is_alone() {
                stored = self.store_outages(stored).await;
            }
            let sent = self.time.now_ms();
            match backend.heartbeat(sent).await {
                Ok(Heartbeat { outages, ahead_ms }) => {
                    self.context.outages.extend(outages);
                    if !self.context.cluster.is_alone() {
                        let (now, every) = (self.time.now_ms(), backend.heartbeat_every());
                        self.context.outages.note_heartbeat(sent, now, every);
                    }
                    if let Some(ahead_ms) = ahead_ms {
                        was_apart = self.follow_clock(ahead_ms, was_apart);
                    }
                }
                // The store has logged this already.
                Err(StoreError::ReadOnly) => {}
                // operator: usually after a failed commit. A crash now would credit players with
                // more thinking time than the outage took
                Err(error) => tracing::warn!(%error, "heartbeat write failed"),
            }
        }
    }

    /// Stores the outages that this process has found while it ran, for games that are parked until
    /// after a restart. Returns how many outages are stored.
    async fn store_outages(&self, mut stored: u32) -> u32 {
        while let Some(outage) = self.context.outages.get(stored) {
            if let Err(error) = self.store.backend.record_outage(outage).await {
                tracing::warn!(%error, "heartbeat write failed");
                break;
            }
            stored += 1;
        }
        stored
    }

    /// Approaches the store's clock, unless one of the two is wrong. Warns of a large difference
    /// once. Returns whether there is one.
    fn follow_clock(&self, ahead_ms: i64, was_apart: bool) -> bool {
        self.context.metrics.set_clock_ahead(ahead_ms);
        let apart = ahead_ms.unsigned_abs();
        let is_apart = apart > CLOCK_AHEAD_WARN_MS;
        if is_apart && !was_apart {
            // operator: the node follows by at most 5 ms a second, and not at all beyond a second.
            // Check the time service of both machines
            tracing::warn!(ahead_ms, "clock differs from the store's");
        }
        if apart <= CLOCK_AHEAD_MAX_MS {
            self.time.adjust(ahead_ms);
        }
        is_apart
    }
}

fn new_game_id(entropy: &mut Entropy) -> GameId {
    use rand::seq::IndexedRandom as _;
    let letters: String = (0..GAME_ID_LENGTH)
        .map(|_| char::from(*GAME_ID_LETTERS.choose(entropy).expect("there are letters")))
        .collect();
    letters.parse().expect("these letters make an id")
}

/// What a server starts with: the games of its journal, replayed.
#[derive(Debug, Default)]
struct RecoveredRooms {
    live: Vec<LoadedGame>,
    parked: usize,
    /// The parked games with running clocks.
    timed: Vec<TimedGame>,
    /// The time of the last event, in epoch milliseconds.
    last_event: Option<u64>,
    /// Every game has been credited with the outages until this time, in epoch milliseconds.
    settled: Option<u64>,
}

/// Notes a stall of this process. A long one is an outage of a server with a store of its own.
fn heard_stall(context: &RoomContext, backend: &Weak<dyn Backend>, stall: Stall) {
    let Stall { from, until } = stall;
    let lasted_ms = until.saturating_sub(from);
    if lasted_ms < STALL_OUTAGE_MS || !context.cluster.is_alone() {
        return context.outages.add_stall(stall);
    }
    // operator: the process did not run for a second or longer: the machine slept, was moved or had
    // no core to spare. Running clocks get the time back
    tracing::warn!(lasted_ms, "the server stood still: games are credited the time");
    let outage = Outage { from, until };
    context.outages.extend([outage]);
    if let Some(backend) = backend.upgrade() {
        backend.note_outage(outage);
    }
}

/// Replays the games of the journal. A game with damaged records is logged and skipped, and a game
/// that is over is completed.
async fn replay(
    recovery: Recovery,
    context: &Arc<RoomContext>,
    store: &Store,
    source: &GameSource,
    environment: &Environment,
) -> Result<RecoveredRooms, StoreError> {
    let Environment { time, work, .. } = environment;
    let Recovery { games, timed, parked, .. } = recovery;
    let mut last_event = None;
    let mut settled = timed.iter().map(|game| game.last_at).min();
    let mut live = Vec::new();
    let replays = stream::iter(games).map(|games| games.replay(GameLoader::push));
    let mut replayed = replays.buffered(work.parallelism());
    while let Some(games) = replayed.next().await {
        for (game, loader) in games? {
            let loaded = match loader.map(GameLoader::finish) {
                Ok(Some(loaded)) => loaded,
                Ok(None) => continue,
                Err(error) => {
                    source.record_damage(game.game(), &error);
                    continue;
                }
            };
            game.restore(&loaded.entry());
            last_event = last_event.max(Some(loaded.last_at()));
            if loaded.is_over() && !context.reads_only {
                // Boxed, since this is rare.
                let completed = complete(Arc::clone(context), &*store.journal, time, loaded);
                Box::pin(completed).await;
                continue;
            }
            if loaded.is_timed() {
                settled = Some(settled.unwrap_or(u64::MAX).min(loaded.last_at()));
            }
            live.push(loaded);
        }
    }
    Ok(RecoveredRooms { live, parked, timed, last_event, settled })
}
