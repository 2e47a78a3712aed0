//! The registry of rooms: sends commands to the room of a game, and starts new games.

use std::sync::Arc;

use adamant_protocol::{GameId, UserName, from_client::Cursor, to_client::LiveGame};
use adamant_record::RecordError;
use adamant_rules::{Seat, Setup};
use bytes::Bytes;
use tokio::{sync::oneshot, time::sleep};
use tokio_util::sync::CancellationToken;

use super::{
    away::report_first_turn,
    begin::{self, NewGame, StartGameError},
    command::{Command, PlanRequest, Reply, ResumePlan, TalkBroadcast},
    game_reader::{ReadFor, WorkError},
    game_source::GameSource,
    input::AudienceElsewhere,
    loops::{InboxPlace, RoomLoops},
    state::RoomContext,
};
use crate::{
    address::ClientAddress,
    cache::Cache,
    cluster::{AppendedRecords, GoneNode, NodeId},
    error::Denial,
    limits::{DUE_GAMES_EVERY, DUE_GAMES_PAGE, DUE_GAMES_PAGES_MAX, GAME_IDS_TRIED_MAX},
    occasions::Occasions,
    outbound::{client::ClientHandle, frame::Frame},
    ratings::{Pool, Rating},
    runtime::{entropy::Entropy, time::TimeSource},
    store::{BeginError, DueGames, OfferClaim, Store, StoreError},
};

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
    /// Open rooms.
    pub open: usize,
    /// Open rooms with a finished game.
    pub over: usize,
    /// Games with damaged records.
    pub damaged: usize,
}

/// Letters and digits of a game id, without those that look alike.
const GAME_ID_LETTERS: &[u8] = b"23456789abcdefghjkmnpqrstuvwxyz";
const GAME_ID_LENGTH: usize = 8;

impl RoomRegistry {
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

    /// Counts the rooms.
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
        let begun = begin::begin(&*self.store.journal, new, now).await;
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
        match self.ask(game, |reply| Command::ReadTable { as_seen: false, reply }).await {
            Ok(table) => Ok(*table),
            Err(_) => Ok(self.source.replay(game, from).await?.table),
        }
    }

    /// Returns where to report what users who are away may want to know.
    pub(crate) fn occasions(&self) -> &Occasions {
        &self.context.occasions
    }

    /// Returns the store.
    pub(crate) const fn store(&self) -> &Store {
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
