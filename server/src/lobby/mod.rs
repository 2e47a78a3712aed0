//! The lobby: how players find each other, and how a game begins.
//!
//! The lock is held for moments and never across an await. Seeks and challenges are no games: what
//! is acknowledged here is either stored (challenges) or ends with its session (seeks).

mod challenges;
mod online;
mod pairing;
mod rematch;
mod seeks;
mod terms;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use adamant_protocol::{
    ChallengeId, GameId, RequestId, SeekId, ToClient, UserName,
    from_client::{Cancel, Challenge, Decline, Seek},
    to_client::{
        ChallengeClosed, Challenged, ClosedReason, Done, HousePlayer, LobbyChange, OpenChallenge,
    },
};
use adamant_rules::Player;
use dashmap::DashMap;
use rand::seq::SliceRandom as _;
use tokio::sync::OnceCell;

use crate::{
    accounts::{Accounts, TokenDigest},
    caller::Caller,
    error::Denial,
    frame::Frame,
    room::{Command, From, RoomHandle},
    rooms::Rooms,
    store::{StoreError, StoredChallenge, User},
    time::TimeSource,
};
use challenges::{Accepted, Challenges};
use online::Online;
pub(crate) use rematch::Asked;
use seeks::{Joined, Seeks};
use terms::Terms;

/// Where players find each other. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Lobby {
    shared: Arc<Shared>,
    rooms: Rooms,
    accounts: Accounts,
    time: TimeSource,
    /// The server's own players, the weakest first.
    house: Arc<[HousePlayer]>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    online: Online,
    /// Rematches that are being made, by the game before.
    rematches: DashMap<GameId, Arc<OnceCell<ChallengeId>>>,
}

#[derive(Debug, Default)]
struct State {
    seeks: Seeks,
    challenges: Challenges,
    watchers: Vec<Arc<Caller>>,
}

/// A game that has just begun, whose players have yet to be seated.
#[derive(Debug)]
pub(crate) struct Begun {
    room: RoomHandle,
    players: Vec<UserName>,
    challenge: Option<ChallengeId>,
    rematch_of: Option<GameId>,
}

impl Lobby {
    /// Opens the lobby with the challenges that were stored.
    pub(crate) async fn open(
        rooms: Rooms,
        accounts: Accounts,
        time: TimeSource,
        house: Arc<[HousePlayer]>,
    ) -> Result<Self, StoreError> {
        let challenges = Challenges::new(rooms.store().challenges().await?);
        let state = State { challenges, ..State::default() };
        let shared = Shared {
            state: Mutex::new(state),
            online: Online::default(),
            rematches: DashMap::new(),
        };
        Ok(Self { shared: Arc::new(shared), rooms, accounts, time, house })
    }

    /// The server's own players, the weakest first; none where the house does not play.
    pub(crate) fn house(&self) -> &[HousePlayer] {
        &self.house
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A session has said who it is, with a token unless it is nobody. Gives back the challenges
    /// that its user has yet to answer, for [`remind`](Self::remind).
    pub(crate) fn enter(
        &self,
        caller: &Arc<Caller>,
        token: Option<TokenDigest>,
    ) -> Vec<ChallengeId> {
        // Under the lock: of what is made from here on, the session is told when it is made.
        let state = self.state();
        if let Some(token) = token {
            self.shared.online.enter(caller, token);
        }
        let awaiting = caller.user.as_ref().map(|user| state.challenges.awaiting(user));
        awaiting.into_iter().flatten().map(|challenged| challenged.challenge).collect()
    }

    /// Ends the sessions of a user whose tokens are good no more.
    pub(crate) fn end_sessions(
        &self,
        user: &UserName,
        ended: impl Fn(&Caller, TokenDigest) -> bool,
    ) {
        self.shared.online.end(user, ended);
    }

    /// A session has ended, or speaks for another user from now on.
    pub(crate) fn leave(&self, caller: &Caller) {
        if let Some(user) = &caller.user {
            self.shared.online.leave(user, caller.session);
        }
        let mut state = self.state();
        state.watchers.retain(|watcher| watcher.session != caller.session);
        if let Some(change) = state.seeks.forget(caller.session) {
            tell_watchers(&mut state.watchers, change);
        }
    }

    /// The open sessions of a user.
    pub(crate) fn sessions_of(&self, user: &UserName) -> Vec<Arc<Caller>> {
        self.shared.online.of(user)
    }

    /// Whether a user is connected.
    pub(crate) fn is_online(&self, user: &UserName) -> bool {
        self.shared.online.has(user)
    }

    /// The open challenges that concern a user.
    pub(crate) async fn challenges_of(&self, user: &UserName) -> Vec<OpenChallenge> {
        self.expire_challenges().await;
        self.state().challenges.of(user)
    }

    /// Tells a session of those challenges that its user has yet to answer.
    pub(crate) fn remind(&self, caller: &Caller, challenges: &[ChallengeId]) {
        let Some(user) = &caller.user else { return };
        let mut awaiting = self.state().challenges.awaiting(user);
        awaiting.retain(|challenged| challenges.contains(&challenged.challenge));
        for challenged in awaiting {
            caller.reply(challenged);
        }
    }

    /// Watches the open seeks, or no longer.
    pub(crate) fn watch(&self, caller: &Arc<Caller>, re: RequestId, watch: bool) {
        let mut state = self.state();
        state.watchers.retain(|watcher| watcher.session != caller.session);
        if watch {
            state.watchers.push(Arc::clone(caller));
        }
        // Answered under the lock, so that no change can slip in before the list.
        let add = state.seeks.list();
        caller.reply(LobbyChange { re: Some(re), add, remove: Vec::new() });
    }

    /// Looks for opponents. Who seeks what another seeks already plays with them.
    pub(crate) async fn seek(
        &self,
        caller: &Arc<Caller>,
        seek: Seek,
    ) -> Result<(Done, Option<Begun>), Denial> {
        let joined = {
            let mut state = self.state();
            let joined = state.seeks.open(caller, &seek)?;
            tell_watchers(&mut state.watchers, change_of(&joined));
            joined
        };
        self.play_if_full(seek.id, joined).await
    }

    /// Takes a seek. Once all are there the game begins.
    pub(crate) async fn accept_seek(
        &self,
        caller: &Arc<Caller>,
        re: RequestId,
        seek: &SeekId,
    ) -> Result<(Done, Option<Begun>), Denial> {
        let joined = {
            let mut state = self.state();
            let joined = state.seeks.join(caller, seek)?;
            tell_watchers(&mut state.watchers, change_of(&joined));
            joined
        };
        self.play_if_full(re, joined).await
    }

    /// Closes one's own seek, or leaves one that was joined.
    pub(crate) fn unseek(
        &self,
        caller: &Caller,
        re: RequestId,
        seek: &SeekId,
    ) -> Result<Done, Denial> {
        let mut state = self.state();
        let change = match state.seeks.close(caller, seek)? {
            None => LobbyChange { re: None, add: Vec::new(), remove: vec![seek.clone()] },
            Some(left) => LobbyChange { re: None, add: vec![left], remove: Vec::new() },
        };
        tell_watchers(&mut state.watchers, change);
        Ok(Done::new(re))
    }

    async fn play_if_full(
        &self,
        re: RequestId,
        joined: Joined,
    ) -> Result<(Done, Option<Begun>), Denial> {
        let mut done = Done::new(re);
        let (seek, terms, seated) = match joined {
            Joined::Waiting(entry) => {
                done.seek = Some(entry.seek);
                return Ok((done, None));
            }
            Joined::Full { seek, terms, seated } => (seek, terms, seated),
        };
        done.seek = Some(seek);
        let players: Vec<Player> = seated.iter().map(|caller| seeks::player(caller)).collect();
        let names = seated.iter().filter_map(|caller| caller.user.clone()).collect();
        let room = self.rooms.start(terms.setup(players)?, None, None).await?;
        done.game = Some(room.game().clone());
        Ok((done, Some(Begun { room, players: names, challenge: None, rematch_of: None })))
    }

    /// Challenges somebody. The challenge is stored before it is acknowledged or told.
    pub(crate) async fn challenge(
        &self,
        caller: &Caller,
        request: Challenge,
    ) -> Result<Done, Denial> {
        let by = caller
            .user
            .clone()
            .ok_or_else(|| Denial::Forbidden("say who you are to play".to_owned()))?;
        if !challenges::has(&request.seats, &by) {
            let message = "the seats of a challenge include yourself".to_owned();
            return Err(Denial::BadMessage(message));
        }
        let terms = Terms::read(
            &request.rules,
            &request.options,
            request.clock,
            request.rated,
            request.delay,
            request.seats.len(),
        )?;
        let seats = self.spell(&request.seats).await?;
        let mut challenged = challenges::challenged(&terms, &by, seats);
        challenged.shuffle = request.shuffle;
        self.expire_challenges().await;
        let mut done = Done::new(request.id);
        done.challenge = Some(self.open_challenge(caller, challenged).await?);
        Ok(done)
    }

    /// Stores a challenge and opens it.
    async fn open_challenge(
        &self,
        caller: &Caller,
        challenged: Challenged,
    ) -> Result<ChallengeId, Denial> {
        let id = challenged.challenge.clone();
        let stored = StoredChallenge {
            id: id.clone(),
            bots: if caller.bot { vec![challenged.by.clone()] } else { Vec::new() },
            challenged,
            created_at: self.time.now_ms(),
        };
        self.state().challenges.add(stored.clone())?;
        if let Err(error) = self.rooms.store().add_challenge(stored).await {
            self.state().challenges.remove(&id);
            return Err(error.into());
        }
        Ok(id)
    }

    /// Tells those who are challenged; called once the challenger has been answered.
    pub(crate) fn tell_challenged(&self, challenge: &ChallengeId) {
        let open = self.state().challenges.get(challenge).map(|open| open.challenged.clone());
        if let Some(challenged) = open {
            let names = challenged.seats.clone();
            let others = names.iter().filter(|name| !name.is_same(challenged.by.as_str()));
            self.tell(others, &ToClient::Challenged(challenged.clone()));
        }
    }

    /// Each name as its user spells it; everyone must exist and be named once.
    async fn spell(&self, names: &[UserName]) -> Result<Vec<UserName>, Denial> {
        let mut spelt: Vec<UserName> = Vec::with_capacity(names.len());
        for name in names {
            let user = self.find_user(name).await?;
            if user.house && self.house.iter().all(|player| player.user != user.name) {
                return Err(Denial::Forbidden("the house does not play on this server".to_owned()));
            }
            if challenges::has(&spelt, &user.name) {
                let message = format!("{} cannot take two seats", user.name);
                return Err(Denial::BadMessage(message));
            }
            spelt.push(user.name);
        }
        Ok(spelt)
    }

    async fn find_user(&self, name: &UserName) -> Result<User, Denial> {
        self.accounts
            .find(name.clone())
            .await?
            .ok_or_else(|| Denial::NotFound(format!("user called {name}")))
    }

    /// Takes a challenge. Once all have agreed the game begins.
    pub(crate) async fn accept_challenge(
        &self,
        caller: &Caller,
        re: RequestId,
        id: &ChallengeId,
    ) -> Result<(Done, Option<Begun>), Denial> {
        let user = caller
            .user
            .clone()
            .ok_or_else(|| Denial::Forbidden("say who you are to play".to_owned()))?;
        self.expire_challenges().await;
        let accepted = self.state().challenges.accept(id, &user, caller.bot)?;
        let mut done = Done::new(re);
        done.challenge = Some(id.clone());
        let full = match accepted {
            Accepted::Waiting(waiting) => {
                self.rooms.store().update_challenge(waiting.clone()).await?;
                let names = waiting.challenged.seats.clone();
                self.tell(&names, &ToClient::Challenged(waiting.challenged));
                return Ok((done, None));
            }
            Accepted::Full(full) => full,
        };
        let room = match self.start_challenged(&full).await {
            Ok(room) => room,
            Err(denial) => {
                self.state().challenges.restore(full);
                return Err(denial);
            }
        };
        done.game = Some(room.game().clone());
        let players = full.challenged.seats;
        let rematch_of = full.challenged.rematch_of;
        Ok((done, Some(Begun { room, players, challenge: Some(id.clone()), rematch_of })))
    }

    async fn start_challenged(&self, full: &StoredChallenge) -> Result<RoomHandle, Denial> {
        let mut players = Vec::with_capacity(full.challenged.seats.len());
        for name in &full.challenged.seats {
            let user = self.find_user(name).await?;
            let bot = user.is_bot() || challenges::has(&full.bots, &user.name);
            let guest = user.guest;
            players.push(Player { user: user.name.as_str().into(), bot, guest, rating: None });
        }
        if full.challenged.shuffle {
            players.shuffle(&mut rand::rng());
        }
        let setup = challenges::terms(&full.challenged)?.setup(players)?;
        let (challenge, rematch_of) = (full.id.clone(), full.challenged.rematch_of.clone());
        self.rooms.start(setup, Some(challenge), rematch_of).await
    }

    /// Seats the players of a game that has begun: each of their sessions hears of it from its
    /// first event on.
    pub(crate) async fn seat(&self, begun: Begun) {
        if let Some(challenge) = begun.challenge {
            let game = Some(begun.room.game().clone());
            let rematch_of = begun.rematch_of;
            let closed = ChallengeClosed { challenge, game, reason: None, by: None, rematch_of };
            self.tell(&begun.players, &ToClient::ChallengeClosed(closed));
        }
        for caller in begun.players.iter().flat_map(|user| self.shared.online.of(user)) {
            let named = caller.wishes.named;
            let join = Command::Join { caller, re: None, from: From::Beginning, named };
            if begun.room.send(join).await.is_err() {
                tracing::warn!(game = %begun.room.game(), "a new room has ended already");
                return;
            }
        }
    }

    /// Turns a challenge down.
    pub(crate) async fn decline(&self, caller: &Caller, request: Decline) -> Result<Done, Denial> {
        let user = caller
            .user
            .as_ref()
            .ok_or_else(|| Denial::Forbidden("say who you are first".to_owned()))?;
        let open = self.state().challenges.decline(&request.challenge, user)?;
        self.close(open, request.reason.into(), Some(user.clone())).await?;
        Ok(Done::new(request.id))
    }

    /// Takes one's own challenge back.
    pub(crate) async fn cancel(&self, caller: &Caller, request: Cancel) -> Result<Done, Denial> {
        let user = caller
            .user
            .as_ref()
            .ok_or_else(|| Denial::Forbidden("say who you are first".to_owned()))?;
        let open = self.state().challenges.cancel(&request.challenge, user)?;
        self.close(open, ClosedReason::Cancelled, Some(user.clone())).await?;
        Ok(Done::new(request.id))
    }

    async fn expire_challenges(&self) {
        let expired = self.state().challenges.take_expired(self.time.now_ms());
        for open in expired {
            if let Err(error) = self.close(open, ClosedReason::Expired, None).await {
                tracing::warn!(%error, "an expired challenge could not be deleted");
            }
        }
    }

    async fn close(
        &self,
        open: StoredChallenge,
        reason: ClosedReason,
        by: Option<UserName>,
    ) -> Result<(), StoreError> {
        self.rooms.store().delete_challenge(open.id.clone()).await?;
        let Challenged { seats, rematch_of, .. } = open.challenged;
        let (challenge, reason) = (open.id, Some(reason));
        let closed = ChallengeClosed { challenge, game: None, reason, by, rematch_of };
        self.tell(&seats, &ToClient::ChallengeClosed(closed));
        Ok(())
    }

    /// Tells every session of some users; encoded once.
    fn tell<'a>(&self, users: impl IntoIterator<Item = &'a UserName>, message: &ToClient) {
        let frame = Frame::of(message);
        for caller in users.into_iter().flat_map(|user| self.shared.online.of(user)) {
            // An overflow has ended that session; it is reminded when it comes back.
            let _offer = caller.outbox.offer_or_evict(&frame);
        }
    }
}

/// What the watchers of seeks are told of a seek that was opened or joined.
fn change_of(joined: &Joined) -> LobbyChange {
    match joined {
        Joined::Waiting(entry) => {
            LobbyChange { re: None, add: vec![entry.clone()], remove: Vec::new() }
        }
        Joined::Full { seek, .. } => {
            LobbyChange { re: None, add: Vec::new(), remove: vec![seek.clone()] }
        }
    }
}

/// Tells the watchers of seeks of a change, and forgets those who have gone.
fn tell_watchers(watchers: &mut Vec<Arc<Caller>>, change: LobbyChange) {
    let frame = Frame::of(&ToClient::Lobby(change));
    watchers.retain(|watcher| {
        // A watcher that cannot keep up is sent away: a list with holes would be worth nothing.
        watcher.outbox.offer_or_evict(&frame) == crate::outbox::Offer::Taken
    });
}
