//! The rooms: finds the one of a game, opening it from the journal where need be, and starts new
//! ones.

use std::sync::Arc;

use adamant_protocol::{ChallengeId, GameId, UserName, to_client::GameEntry};
use adamant_record::RecordError;
use adamant_rules::{Seat, Setup};
use bytes::Bytes;
use tokio::sync::oneshot;

use crate::{
    address::ClientAddress,
    error::Denial,
    outbound::client::ClientHandle,
    ratings::{Pool, Rating},
    room::{
        self, Command, GameLoader, LoadedGame, NewGame, ResumePlan, RoomContext, RoomHandle, Slot,
        StartError, TalkBroadcast,
        damaged::DamagedGames,
        game_reader::{GameReader, ReadError, ReadFor, RecordSource},
    },
    store::{AppendError, Sqlite, StoreError},
    text_cache::TextCache,
};

/// Every open room.
#[derive(Debug, Clone)]
pub(crate) struct RoomRegistry {
    pub(super) context: Arc<RoomContext>,
    pub(super) store: Sqlite,
    pub(super) reader: GameReader,
    pub(super) texts: Arc<TextCache>,
    pub(super) damaged: Arc<DamagedGames>,
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
            live += usize::from(self.store.live().contains(slot.key()));
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
            Box::pin(room::archive_finished(Arc::clone(&self.context), loaded)).await?;
            loaded = self.replay(game, from).await?;
        }
        self.store.live().unpark(loaded.entry());
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
        if self.damaged.contains(game) { Err(Denial::Damaged(game.clone())) } else { Ok(()) }
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
                self.damaged.record(game, error);
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

fn new_game_id() -> GameId {
    use rand::seq::IndexedRandom as _;
    let mut rng = rand::rng();
    let letters: String = (0..GAME_ID_LENGTH)
        .map(|_| char::from(*GAME_ID_LETTERS.choose(&mut rng).expect("there are letters")))
        .collect();
    letters.parse().expect("these letters make an id")
}
