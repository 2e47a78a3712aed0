//! The registry of rooms: finds the room of a game, loads it if needed, and starts new games.

use std::sync::Arc;

use adamant_protocol::{ChallengeId, GameId, UserName, to_client::GameEntry};
use adamant_record::RecordError;
use adamant_rules::{Seat, Setup};
use bytes::Bytes;
use dashmap::Entry;
use tokio::sync::oneshot;

use crate::{
    address::ClientAddress,
    error::Denial,
    limits::GAME_IDS_TRIED_MAX,
    outbound::client::ClientHandle,
    ratings::{Pool, Rating},
    room::{
        self, Command, GameLoader, LoadedGame, NewGame, ResumePlan, RoomContext, RoomHandle, Slot,
        StartGameError, TalkBroadcast,
        damaged::DamagedGames,
        game_reader::{GameReader, ReadError, ReadFor, RecordSource},
    },
    runtime::entropy::Entropy,
    store::{BeginError, Sqlite, Standings as _, StoreError},
    text_cache::TextCache,
};

/// The open rooms. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct RoomRegistry {
    pub(super) context: Arc<RoomContext>,
    pub(super) store: Sqlite,
    pub(super) reader: GameReader,
    pub(super) texts: Arc<TextCache>,
    pub(super) damaged: Arc<DamagedGames>,
}

/// The number of rooms, for metrics.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoomCounts {
    /// Open rooms.
    pub open: usize,
    /// Open rooms with a finished game.
    pub over: usize,
    /// Live games without a room.
    pub parked: usize,
    /// Games with damaged records.
    pub damaged: usize,
}

/// Letters and digits of a game id, without those that look alike.
const GAME_ID_LETTERS: &[u8] = b"23456789abcdefghjkmnpqrstuvwxyz";
const GAME_ID_LENGTH: usize = 8;

impl RoomRegistry {
    /// Returns the room of a game. Loads the game if no room is open, on behalf of a client at this
    /// address.
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
                    // The room is parking. It must end before the game is loaded again.
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

    /// Returns the room of a game, if one is open.
    pub(crate) fn get(&self, game: &GameId) -> Option<RoomHandle> {
        let slot = self.context.slots.get(game).map(|slot| Arc::clone(&slot))?;
        slot.get().filter(|room| !room.is_closed()).cloned()
    }

    /// Broadcasts talk to the audience of a game. Does nothing if the game has neither a room nor a
    /// parked audience.
    pub(crate) async fn broadcast_talk(
        &self,
        game: &GameId,
        broadcast: TalkBroadcast,
    ) -> Result<(), Denial> {
        let RoomContext { slots, parked, .. } = &*self.context;
        // The slot is checked before and after the parked audience: a closing room removes its slot
        // after it has parked its audience, and an opening room adds its slot before it restores
        // it.
        let has_audience =
            slots.contains_key(game) || parked.has_listeners(game) || slots.contains_key(game);
        if has_audience {
            self.send(game, Command::BroadcastTalk(broadcast)).await?;
        }
        Ok(())
    }

    /// Removes a session from the audience of a parked game. Returns whether it was in it.
    pub(crate) fn leave_parked(&self, game: &GameId, client: &ClientHandle) -> bool {
        let RoomContext { parked, time, .. } = &*self.context;
        parked.leave(game, client.session, time.now_ms())
    }

    /// Calls a function with the list entry of every live game with an open room.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(&GameEntry)) {
        for slot in self.context.slots.iter() {
            if slot.get().is_some_and(|room| !room.is_closed()) {
                self.store.live().with(slot.key(), |live| visit(&live.entry));
            }
        }
    }

    /// Counts the rooms.
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

    /// Removes a slot, unless another slot has replaced it.
    fn forget(&self, game: &GameId, slot: &Slot) {
        self.context.slots.remove_if(game, |_, present| Arc::ptr_eq(present, slot));
    }

    async fn open(&self, game: &GameId, from: Option<ClientAddress>) -> Result<RoomHandle, Denial> {
        let mut loaded = self.replay(game, from).await?;
        if loaded.awaits_rating() && !self.context.reads_only {
            // Boxed, since this rare future would otherwise enlarge every idle session.
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

    /// Returns an error if the game's records are known to be damaged.
    pub(crate) fn is_sound(&self, game: &GameId) -> Result<(), Denial> {
        if self.damaged.contains(game) { Err(Denial::Damaged(game.clone())) } else { Ok(()) }
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
        self.is_sound(game)?;
        let (source, reason) = (RecordSource::Store(game), ReadFor::Client(from));
        // Boxed, since this rare future would otherwise enlarge every idle session.
        let result = Box::pin(self.reader.fold(source, until, reason, initial, step)).await;
        result.map_err(|error| {
            if let ReadError::Damaged(error) = &error {
                self.damaged.record(game, error);
            }
            error.into_denial(game)
        })
    }

    /// Sends a command to the room of a game, and opens the room if needed.
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

    /// Plans how a session of this user resumes a game from a cursor.
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

    /// Plans how a session rejoins a game. It is removed from the audience until it joins again.
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

    /// Starts a game. The lobby has checked how many games each player has.
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
        let entropy = &mut self.context.entropy.clone();
        let new = NewGame {
            game: new_game_id(entropy),
            setup,
            payers: Vec::new(),
            challenge,
            rematch_of,
        };
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
    ) -> Result<RoomHandle, StartGameError> {
        let game = new.game.clone();
        // The slot is added first: the game is listed as soon as it is stored, and a client that
        // finds it there must reach this room and not open another.
        let slot = Slot::default();
        match self.context.slots.entry(game.clone()) {
            Entry::Vacant(free) => drop(free.insert(Arc::clone(&slot))),
            Entry::Occupied(_) => return Err(BeginError::IdTaken.into()),
        }
        let RoomContext { quotas, time, .. } = &*self.context;
        let started = slot
            .get_or_try_init(async || {
                new.payers = quotas.begin_game(&game, players, time.now_ms())?;
                let started = room::start(Arc::clone(&self.context), new).await;
                started.inspect_err(|_| quotas.game_over(&game))
            })
            .await;
        started.cloned().inspect_err(|_| self.forget(&game, &slot))
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
        let open = match self.get(game) {
            Some(room) => room.table().await,
            None => None,
        };
        let table = match open {
            Some(table) => *table,
            None => self.replay(game, from).await?.into_visible_table(),
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

    /// Returns the store.
    pub(crate) fn store(&self) -> &Sqlite {
        &self.store
    }
}

fn new_game_id(entropy: &mut Entropy) -> GameId {
    use rand::seq::IndexedRandom as _;
    let letters: String = (0..GAME_ID_LENGTH)
        .map(|_| char::from(*GAME_ID_LETTERS.choose(entropy).expect("there are letters")))
        .collect();
    letters.parse().expect("these letters make an id")
}
