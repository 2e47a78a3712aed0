//! The rooms: finds the one of a game, opening it from the journal where need be, and starts new
//! ones.

use std::{
    collections::BTreeSet,
    sync::{Arc, PoisonError, RwLock},
};

use adamant_protocol::{ChallengeId, GameId, UserName, to_client::GameEntry};
use adamant_record::RecordError;
use adamant_rules::{Seat, Setup};
use bytes::Bytes;
use futures::{StreamExt as _, stream};
use tokio::{
    sync::{OnceCell, oneshot},
    time::sleep,
};

use crate::{
    address::ClientAddress,
    error::Denial,
    limits::{HEARTBEAT_EVERY, WAKE_AGAIN},
    outbound::client::ClientHandle,
    ratings::{Pool, Rating},
    room::{
        self, Command, GameLoader, LoadedGame, NewGame, ResumePlan, RoomContext, RoomHandle, Slot,
        StartError, TalkBroadcast,
        game_reader::{GameReader, ReadError, ReadFor, RecordSource, cores},
    },
    runtime::time::milliseconds,
    store::{AppendError, Found, HotGame, Sqlite, StoreError, TimedGame},
    text_cache::TextCache,
};

/// Every open room.
#[derive(Debug, Clone)]
pub(crate) struct RoomRegistry {
    context: Arc<RoomContext>,
    store: Sqlite,
    reader: GameReader,
    texts: Arc<TextCache>,
    damaged: Arc<Damaged>,
}

/// Games whose records have been found to be damaged. The lock is held for moments.
#[derive(Debug, Default)]
struct Damaged(RwLock<BTreeSet<GameId>>);

impl Damaged {
    fn has(&self, game: &GameId) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).contains(game)
    }

    fn count(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Remembers a game, and names it in the log the first time.
    fn note(&self, game: &GameId, error: &RecordError) {
        if self.0.write().unwrap_or_else(PoisonError::into_inner).insert(game.clone()) {
            tracing::error!(%game, record = error.seq(), %error, "a game's records are damaged");
        }
    }
}

/// How many rooms there are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoomCounts {
    /// Rooms that are open.
    pub open: usize,
    /// Those of them whose games are over.
    pub over: usize,
    /// Live games without a room.
    pub parked: usize,
    /// Games that cannot be opened.
    pub damaged: usize,
}

/// Letters and digits of a game's name: none that are easily mistaken for another.
const GAME_ID_LETTERS: &[u8] = b"23456789abcdefghjkmnpqrstuvwxyz";
const GAME_ID_LENGTH: usize = 8;

impl RoomRegistry {
    /// Opens the rooms of games that were found in the journal, and serves games from then on. A
    /// game whose records are damaged is left alone and named in the log; the others are not held
    /// up by it.
    pub(crate) async fn recover(
        context: RoomContext,
        store: Sqlite,
        found: Found,
    ) -> Result<Self, StoreError> {
        let reader = GameReader::new(store.clone());
        let mut rooms = Self {
            context: Arc::new(context),
            store,
            reader,
            texts: Arc::default(),
            damaged: Arc::default(),
        };
        let mut last_event = None;
        let mut settled = found.timed.iter().map(|game| game.last_at).min();
        let mut live = Vec::with_capacity(found.hot.len());
        let reader = rooms.reader.clone();
        let replays = stream::iter(found.hot).map(|game| replay_recovered(reader.clone(), game));
        let mut replayed = replays.buffered(cores());
        while let Some((game, loaded)) = replayed.next().await {
            match loaded {
                Ok(Some(loaded)) => {
                    let id = game.game.clone();
                    rooms.store.adopt(game, loaded.entry());
                    last_event = last_event.max(Some(loaded.last_at()));
                    if loaded.is_over() && !rooms.context.reads_only {
                        rooms.finish(&id, loaded).await;
                        continue;
                    }
                    if loaded.is_timed() {
                        settled = Some(settled.unwrap_or(u64::MAX).min(loaded.last_at()));
                    }
                    live.push((id, loaded));
                }
                Ok(None) => {}
                Err(ReadError::Damaged(error)) => rooms.damaged.note(&game.game, &error),
                Err(ReadError::Store(error)) => return Err(error),
                Err(ReadError::Busy) => return Err(StoreError::Stopped),
            }
        }
        if rooms.context.reads_only {
            // Games are shown as they stand: their rooms open when they are asked for.
            tracing::info!(live = live.len(), parked = found.parked, "games recovered to be read");
            return Ok(rooms);
        }
        // What comes before this was the outage; what comes after it the players answer for.
        let context = Arc::make_mut(&mut rooms.context);
        context.opened_at = context.time.now_ms();
        let outages = rooms.store.begin_serving(last_event, settled, context.opened_at).await?;
        context.outages = outages.into();
        let (live_games, parked) = (live.len(), found.parked);
        for (game, loaded) in live {
            let room = room::open(Arc::clone(&rooms.context), loaded);
            rooms.context.slots.insert(game, Arc::new(OnceCell::from(room)));
        }
        for TimedGame { game, last_at, deadline } in found.timed {
            let outages = rooms.context.outages.iter();
            let deadline = outages.fold(deadline, |at, outage| outage.moves(at, last_at));
            rooms.context.parked.set_deadline(&game, deadline);
        }
        tracing::info!(live = live_games, parked, "games recovered");
        Ok(rooms)
    }

    /// A game that ended shortly before the server did.
    async fn finish(&self, game: &GameId, loaded: LoadedGame) {
        if let Err(error) = Box::pin(room::finish(Arc::clone(&self.context), loaded)).await {
            tracing::warn!(%game, %error, "a finished game could not be rated and folded");
        }
    }

    /// Moves the mark of life on as long as the server runs, so that the next one knows for how
    /// long there was none.
    pub(crate) async fn run_heartbeat(self) {
        let RoomContext { time, lifecycle, .. } = &*self.context;
        loop {
            tokio::select! {
                () = lifecycle.soft.cancelled() => return,
                () = sleep(HEARTBEAT_EVERY) => {}
            }
            // Without games nobody loses time, and the disk may rest; unless it failed, and somebody
            // has to find out that it does no longer.
            let is_due = !self.store.live().is_empty() || !self.store.is_healthy();
            match if is_due { self.store.mark_alive(time.now_ms()).await } else { Ok(()) } {
                // That nothing can be stored stands in the log already.
                Ok(()) | Err(StoreError::Unwritten) => {}
                Err(error) => tracing::warn!(%error, "the mark of life could not be stored"),
            }
        }
    }

    /// Opens the room of every parked game whose clock runs out, until the server stops. What
    /// follows from that is the room's to decide.
    pub(crate) async fn keep_deadlines(self) {
        let RoomContext { parked, time, lifecycle, .. } = &*self.context;
        loop {
            tokio::select! {
                () = lifecycle.soft.cancelled() => return,
                () = parked.changed() => continue,
                () = parked.session_closed() => {
                    parked.sweep(time.now_ms());
                    continue;
                }
                () = time.reaches(parked.next_deadline()) => {}
            }
            let now = time.now_ms();
            for game in parked.due(now) {
                tracing::debug!(%game, "a parked game's clock runs out");
                match self.get_or_open(&game, None).await {
                    Ok(_) => {}
                    Err(Denial::Damaged(_)) => parked.forget(&game),
                    Err(denial) => {
                        tracing::warn!(%game, %denial, "a parked game could not be loaded");
                        parked.set_deadline(&game, now.saturating_add(milliseconds(WAKE_AGAIN)));
                    }
                }
            }
        }
    }

    /// The room of a game, opened from its records if need be, for somebody there.
    pub(crate) async fn get_or_open(
        &self,
        game: &GameId,
        from: Option<ClientAddress>,
    ) -> Result<RoomHandle, Denial> {
        loop {
            let slot = Arc::clone(&self.context.slots.entry(game.clone()).or_default());
            let found = slot.get_or_try_init(|| self.open(game, from)).await;
            match found {
                Ok(handle) if !handle.is_closed() => return Ok(handle.clone()),
                Ok(handle) => {
                    // It is being parked: its record must be let go of before it is read again.
                    handle.ended().await;
                    self.forget(game, &slot);
                    if self.context.lifecycle.soft.is_cancelled() {
                        return Err(StoreError::Stopped.into());
                    }
                }
                Err(denial) => {
                    self.forget(game, &slot);
                    return Err(denial);
                }
            }
        }
    }

    /// The room of a game, if one is open.
    pub(crate) fn get(&self, game: &GameId) -> Option<RoomHandle> {
        let slot = self.context.slots.get(game).map(|slot| Arc::clone(&slot))?;
        slot.get().filter(|room| !room.is_closed()).cloned()
    }

    /// Passes on to those who listen to a game what was said there. Where a room is open, being put
    /// away or opened, or somebody listens in name, somebody may be there to hear it.
    pub(crate) async fn broadcast_talk(
        &self,
        game: &GameId,
        broadcast: TalkBroadcast,
    ) -> Result<(), Denial> {
        let RoomContext { slots, parked, .. } = &*self.context;
        // The slot is looked at before and behind those who listen in name: a room that closes takes
        // its slot away when it has listed them, and one that opens does so before it takes them.
        let is_heard =
            slots.contains_key(game) || parked.has_listeners(game) || slots.contains_key(game);
        if is_heard {
            self.send(game, Command::BroadcastTalk(broadcast)).await?;
        }
        Ok(())
    }

    /// Takes a session away that listens in name to a game without a room; whether it did.
    pub(crate) fn leave_parked(&self, game: &GameId, client: &ClientHandle) -> bool {
        let RoomContext { parked, time, .. } = &*self.context;
        parked.leave(game, client.session, time.now_ms())
    }

    /// Looks at what lists say of every game whose room is open.
    pub(crate) fn for_each(&self, mut look: impl FnMut(&GameEntry)) {
        for slot in self.context.slots.iter() {
            if slot.get().is_some_and(|room| !room.is_closed()) {
                self.store.live().with(slot.key(), |live| look(&live.entry));
            }
        }
    }

    /// How many rooms are open and of how many games.
    pub(crate) fn counts(&self) -> RoomCounts {
        let (mut open, mut live) = (0, 0);
        for slot in self
            .context
            .slots
            .iter()
            .filter(|slot| slot.get().is_some_and(|room| !room.is_closed()))
        {
            open += 1;
            live += usize::from(self.store.live().has(slot.key()));
        }
        let parked = self.store.live().len().saturating_sub(live);
        RoomCounts { open, over: open - live, parked, damaged: self.damaged.count() }
    }

    /// Takes a slot away, unless another has taken its place.
    fn forget(&self, game: &GameId, slot: &Slot) {
        self.context.slots.remove_if(game, |_, present| Arc::ptr_eq(present, slot));
    }

    async fn open(&self, game: &GameId, from: Option<ClientAddress>) -> Result<RoomHandle, Denial> {
        let mut loaded = self.replay(game, from).await?;
        if loaded.awaits_rating() && !self.context.reads_only {
            // Boxed: what hardly ever happens would otherwise take room in every idle session.
            Box::pin(room::finish(Arc::clone(&self.context), loaded)).await?;
            loaded = self.replay(game, from).await?;
        }
        self.store.live().wake(loaded.entry());
        Ok(room::open(Arc::clone(&self.context), loaded))
    }

    async fn replay(
        &self,
        game: &GameId,
        from: Option<ClientAddress>,
    ) -> Result<LoadedGame, Denial> {
        let not_found = || Denial::NotFound(format!("game {game}"));
        let loader = self.read(game, u64::MAX, from, GameLoader::default(), GameLoader::push);
        loader.await?.finish().ok_or_else(not_found)
    }

    /// Refuses a game whose records have been found to be damaged.
    pub(crate) fn is_sound(&self, game: &GameId) -> Result<(), Denial> {
        if self.damaged.has(game) { Err(Denial::Damaged(game.clone())) } else { Ok(()) }
    }

    /// Hands the records of a game up to one seq to `take`, in their order, with what it has made of
    /// those before. It is read for somebody there.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        game: &GameId,
        until: u64,
        from: Option<ClientAddress>,
        made: T,
        take: fn(&mut T, &Bytes) -> Result<(), RecordError>,
    ) -> Result<T, Denial> {
        self.is_sound(game)?;
        let (source, whose) = (RecordSource::Store(game), ReadFor::Client(from));
        // Boxed: what takes long seldom happens, and would otherwise take room in every idle session.
        let made = Box::pin(self.reader.fold(source, until, whose, made, take)).await;
        made.map_err(|error| {
            if let ReadError::Damaged(error) = &error {
                self.damaged.note(game, error);
            }
            error.into_denial(game)
        })
    }

    /// Sends a command to the room of a game, opening it if it has just been parked.
    pub(crate) async fn send(
        &self,
        game: &GameId,
        mut command: Command,
    ) -> Result<RoomHandle, Denial> {
        loop {
            let room = self.get_or_open(game, command.origin()).await?;
            match room.send(command).await {
                Ok(()) => return Ok(room),
                Err(returned) => command = returned,
            }
        }
    }

    /// How a session of this user, somewhere, with this cursor would be brought up to date.
    pub(crate) async fn resume_plan(
        &self,
        game: &GameId,
        user: Option<&UserName>,
        from: Option<ClientAddress>,
        cursor: Option<adamant_protocol::from_client::Cursor>,
    ) -> Result<ResumePlan, Denial> {
        let user = user.cloned();
        self.ask(game, |reply| Command::PlanResume { user, from, cursor, anew: None, reply }).await
    }

    /// How a session that may listen already would be brought up to date. It hears nothing more
    /// until it joins.
    pub(crate) async fn rejoin_plan(
        &self,
        game: &GameId,
        client: &ClientHandle,
    ) -> Result<ResumePlan, Denial> {
        let (user, from, anew) = (client.user.clone(), client.from, Some(client.session));
        self.ask(game, |reply| Command::PlanResume { user, from, cursor: None, anew, reply }).await
    }

    async fn ask(
        &self,
        game: &GameId,
        command: impl FnOnce(oneshot::Sender<ResumePlan>) -> Command,
    ) -> Result<ResumePlan, Denial> {
        let (reply, plan) = oneshot::channel();
        self.send(game, command(reply)).await?;
        plan.await.map_err(|_| StoreError::Stopped.into())
    }

    /// Starts a game. How many its players may have at once is the lobby's to say.
    pub(crate) async fn start(
        &self,
        mut setup: Setup,
        challenge: Option<ChallengeId>,
        rematch_of: Option<GameId>,
    ) -> Result<RoomHandle, Denial> {
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
        let game = new_game_id();
        let payers = self.context.quotas.begin_game(&game, &names, self.context.time.now_ms())?;
        // The slot is taken first: the game is listed as soon as it is stored, and whoever finds
        // it there must come to this room and not open another.
        let slot = Slot::default();
        self.context.slots.insert(game.clone(), Arc::clone(&slot));
        let new = NewGame { game: game.clone(), payers, setup, challenge, rematch_of };
        let started = slot.get_or_try_init(|| room::start(Arc::clone(&self.context), new)).await;
        match started {
            Ok(room) => Ok(room.clone()),
            Err(error) => {
                self.forget(&game, &slot);
                self.context.quotas.game_over(&game);
                Err(match error {
                    StartError::Setup(error) => Denial::from(error),
                    StartError::Append(AppendError::Store(error)) => error.into(),
                    StartError::Append(error @ AppendError::Conflict { .. }) => {
                        Denial::Store(StoreError::Failed(error.to_string().into()))
                    }
                })
            }
        }
    }

    /// A game as people write it down, and whether it is over. A room that is open has it at hand.
    pub(crate) async fn text_record(
        &self,
        game: &GameId,
        from: Option<ClientAddress>,
    ) -> Result<(Arc<str>, bool), Denial> {
        if let Some(text) = self.texts.get(game) {
            return Ok((text, true));
        }
        let shown = match self.get(game) {
            Some(room) => room.table().await,
            None => None,
        };
        let table = match shown {
            Some(table) => *table,
            None => self.replay(game, from).await?.into_seen(),
        };
        let is_over = table.outcome().is_some();
        let write = move || Arc::from(adamant_rules::record::write(&table));
        let text = self.reader.work(ReadFor::Client(from), write).await;
        let text: Arc<str> = text.map_err(|error| error.into_denial(game))?;
        if is_over {
            self.texts.insert(game, &text);
        }
        Ok((text, is_over))
    }

    /// Where the records are.
    pub(crate) fn store(&self) -> &Sqlite {
        &self.store
    }
}

/// Replays a game that was found in the journal.
async fn replay_recovered(
    reader: GameReader,
    game: HotGame,
) -> (HotGame, Result<Option<LoadedGame>, ReadError>) {
    let loader = GameLoader::default();
    let source = RecordSource::Recovered(&game);
    let loader = reader.fold(source, u64::MAX, ReadFor::Startup, loader, GameLoader::push).await;
    (game, loader.map(GameLoader::finish))
}

fn new_game_id() -> GameId {
    use rand::seq::IndexedRandom as _;
    let mut rng = rand::rng();
    let letters: String = (0..GAME_ID_LENGTH)
        .map(|_| char::from(*GAME_ID_LETTERS.choose(&mut rng).expect("there are letters")))
        .collect();
    letters.parse().expect("these letters make an id")
}
