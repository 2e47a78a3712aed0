//! The lobby: how players find each other, and how a game begins.
//!
//! The store decides about challenges, invites and seeks. What this node knows of them is a replica
//! for lists, kept by its own decisions and by what other nodes announce. Its lock is held for
//! moments and never across an await.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use adamant_protocol::{
    ChallengeId, GameId, ToClient, UserName,
    from_client::Lobby as Request,
    to_client::{ChallengeClosed, HousePlayer, LobbyChange},
};
use adamant_rules::Setup;
use tokio::{sync::Notify, task::yield_now, time::sleep};
use tokio_util::sync::CancellationToken;

use super::{
    bot_directory::BotDirectory, lines_reported::LinesReported, online::Online,
    online_elsewhere::OnlineElsewhere, open_games::OpenGames, subscribers::Subscribers,
};
use crate::{
    accounts::{Accounts, TokenDigest},
    address::{ClientAddress, ClientNetwork},
    cluster::{Cluster, ClusterEvent},
    error::Denial,
    limits::{CHALLENGES_PAGE_MAX, GAMES_PER_USER_MAX, LOBBY_CHUNK, LOBBY_EVERY},
    outbound::{
        client::{Caller, ClientHandle},
        frame::Frame,
    },
    room::{Command, JoinFrom, registry::RoomRegistry},
    runtime::{entropy::Entropy, environment::Environment, time::TimeSource},
    store::{OfferClaim, Store, StoreError},
};

/// Where players find each other. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Lobby {
    pub(super) shared: Arc<LobbyShared>,
    pub(super) store: Store,
    pub(super) rooms: RoomRegistry,
    pub(super) accounts: Accounts,
    pub(super) time: TimeSource,
    pub(super) entropy: Entropy,
    /// The server's own players, the weakest first.
    pub(super) house: Arc<[HousePlayer]>,
    pub(super) cluster: Cluster,
    /// Whether networks have bounds of their own.
    bounds_networks: bool,
}

/// Where both locks are needed, that of the subscribers is taken first.
#[derive(Debug)]
pub(super) struct LobbyShared {
    open_games: Mutex<OpenGames>,
    subscribers: Mutex<Subscribers>,
    pub(super) seeks_changed: Notify,
    /// Something expires earlier than what was open before.
    pub(super) expiry_changed: Notify,
    pub(super) online: Online,
    pub(super) online_elsewhere: OnlineElsewhere,
    /// The bots that say which challenges they accept.
    pub(super) bots: BotDirectory,
    /// Held while this node announces who is connected to it.
    pub(super) announcing: Mutex<()>,
    /// The replica may be wrong.
    pub(super) reload_wanted: Notify,
    pub(super) lines_reported: LinesReported,
}

impl LobbyShared {
    fn subscribers(&self) -> MutexGuard<'_, Subscribers> {
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A game that has just started, whose players have yet to be seated.
#[derive(Debug, Clone)]
pub(crate) struct StartedGame {
    pub(super) game: GameId,
    pub(super) players: Vec<UserName>,
    pub(super) challenge: Option<ChallengeId>,
    pub(super) rematch_of: Option<GameId>,
}

impl Lobby {
    /// Opens the lobby with the stored offers. `bounds_networks` turns on
    /// the limits of one network.
    pub(crate) async fn open(
        store: Store,
        rooms: RoomRegistry,
        accounts: Accounts,
        environment: &Environment,
        house: Arc<[HousePlayer]>,
        bounds_networks: bool,
        cluster: Cluster,
    ) -> Result<Self, StoreError> {
        let Environment { time, entropy, .. } = environment.clone();
        let stored = if store.backend.read_only().is_some() {
            // What has ended with its session cannot be deleted.
            let mut stored = store.open_offers().await?;
            stored.retain(|open| open.expires().is_some());
            stored
        } else {
            // Sessions of this server's last run may have left seeks.
            for id in store.end_offers_of_node(cluster.node()).await? {
                cluster.publish(|| ClusterEvent::OfferChanged(id));
            }
            store.open_offers().await?
        };
        let shared = LobbyShared {
            open_games: Mutex::new(OpenGames::new(stored)),
            subscribers: Mutex::default(),
            seeks_changed: Notify::new(),
            expiry_changed: Notify::new(),
            online: Online::default(),
            online_elsewhere: OnlineElsewhere::default(),
            bots: BotDirectory::default(),
            announcing: Mutex::default(),
            reload_wanted: Notify::new(),
            lines_reported: LinesReported::default(),
        };
        let shared = Arc::new(shared);
        Ok(Self { shared, store, rooms, accounts, time, entropy, house, cluster, bounds_networks })
    }

    /// The other nodes.
    pub(crate) const fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The users who are connected to this node.
    pub(crate) fn users_here(&self) -> BTreeSet<UserName> {
        self.shared.online.users()
    }

    /// The server's own players, the weakest first; none where the house does not play.
    pub(crate) fn house(&self) -> &[HousePlayer] {
        &self.house
    }

    /// Whether a user is one of the server's own players.
    pub(crate) fn is_house(&self, user: &UserName) -> bool {
        self.house.iter().any(|player| player.user.is_same(user.as_str()))
    }

    pub(super) fn open_games(&self) -> MutexGuard<'_, OpenGames> {
        self.shared.open_games.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a session after `hello`, with a token unless it is anonymous. Returns the
    /// challenges that its user has yet to answer, for [`send_pending`](Self::send_pending).
    pub(crate) fn enter(
        &self,
        client: &Arc<ClientHandle>,
        token: Option<TokenDigest>,
    ) -> Vec<ChallengeId> {
        // Under the lock: challenges made from here on are sent to the session when they are made.
        let open_games = self.open_games();
        if let Some(token) = token {
            if let Some(user) = &client.user {
                self.shared.lines_reported.forget(user);
            }
            let opened_at = self.time.now_ms();
            self.shared.online.enter(client, token, opened_at);
            self.announce_session(client, token, opened_at);
        }
        let newest = CHALLENGES_PAGE_MAX as usize;
        let awaiting = client.user.as_ref().map(|user| open_games.awaiting(user, newest));
        awaiting.unwrap_or_default()
    }

    /// The tokens that the open sessions were opened with.
    pub(crate) fn open_tokens(&self) -> BTreeSet<TokenDigest> {
        self.shared.online.tokens()
    }

    /// A session has ended, or speaks for another user from now on.
    pub(crate) async fn leave(&self, client: &ClientHandle) {
        if let Some(user) = &client.user {
            self.shared.online.leave(user, client.session);
            self.unlist_bot(user, client.session);
            self.announce_user(user);
        }
        self.shared.subscribers().leave(client.session);
        // Afterwards: a seek that is being stored finds that its session has ended.
        self.end_seeks(client).await;
    }

    /// The open sessions of a user.
    pub(crate) fn sessions_of(&self, user: &UserName) -> Vec<Arc<ClientHandle>> {
        self.shared.online.of(user)
    }

    /// Whether a user is connected, to this node or another.
    pub(crate) fn is_online(&self, user: &UserName) -> bool {
        self.shared.online.has(user) || self.shared.online_elsewhere.has(user)
    }

    /// The users with sessions from an address, on this node.
    pub(crate) fn users_at(&self, from: ClientAddress) -> Vec<UserName> {
        self.shared.online.users_at(from)
    }

    /// Watches the open seeks, or no longer. The answer lists them.
    pub(crate) fn watch(&self, client: &Arc<ClientHandle>, request: &Request) {
        let mut subscribers = self.shared.subscribers();
        let (add, more) = self.open_games().seek_page(request.before.as_ref());
        // The lock is still held, so that no change can be sent before the list.
        let re = Some(request.id.clone());
        client.reply(LobbyChange { re, add, remove: Vec::new(), more });
        if request.before.is_some() {
            // A further page: the subscription of the first one continues.
            return;
        }
        subscribers.leave(client.session);
        if request.watch {
            subscribers.enter(client);
        }
    }

    /// Tells the subscribers of seeks what changes, until the server stops.
    pub(crate) async fn broadcast_changes(self, stop: CancellationToken) {
        let round = async {
            loop {
                self.shared.seeks_changed.notified().await;
                self.broadcast_seek_changes().await;
                sleep(LOBBY_EVERY).await;
            }
        };
        // The loop has no end of its own.
        let _stopped: Option<()> = stop.run_until_cancelled(round).await;
    }

    /// Sends the subscribers what has changed since the last update. It is encoded once and sent to
    /// a few subscribers at a time.
    async fn broadcast_seek_changes(&self) {
        let (changes, subscriptions) = {
            // A client that subscribes from here on finds these changes in the list.
            let subscribers = self.shared.subscribers();
            (self.open_games().take_changes(), subscribers.subscriptions())
        };
        let frames: Vec<Frame> = changes.into_messages().map(|change| Frame::of(&change)).collect();
        for some in subscriptions.chunks(LOBBY_CHUNK) {
            self.shared.subscribers().send(some, &frames);
            yield_now().await;
        }
    }

    /// The network of a client, if networks have bounds of their own.
    pub(super) fn network_of(&self, client: &ClientHandle) -> Option<ClientNetwork> {
        client.from.filter(|_| self.bounds_networks).map(ClientAddress::network)
    }

    /// Whether a user may play one more game. How many the server's own players take is theirs to
    /// decide.
    pub(super) async fn has_room_for_a_game(&self, user: &UserName) -> Result<bool, StoreError> {
        Ok(self.is_house(user) || self.store.count_live_of(user).await? < GAMES_PER_USER_MAX)
    }

    /// Refuses a user who plays as many games as one may.
    pub(super) async fn check_live_games(&self, client: &ClientHandle) -> Result<(), Denial> {
        if let Some(user) = &client.user
            && !self.has_room_for_a_game(user).await?
        {
            let what = "live games a user";
            return Err(Denial::LimitReached {
                limit: "games",
                what,
                max: GAMES_PER_USER_MAX,
                by_others: false,
            });
        }
        Ok(())
    }

    /// The same for all who would play.
    pub(super) async fn check_live_games_of(&self, users: &[UserName]) -> Result<(), Denial> {
        for user in users {
            if !self.has_room_for_a_game(user).await? {
                return Err(Denial::GamesFull { user: user.clone(), max: GAMES_PER_USER_MAX });
            }
        }
        Ok(())
    }

    /// Starts a game.
    pub(super) async fn start_game(
        &self,
        setup: Setup,
        offer: OfferClaim,
        rematch_of: Option<GameId>,
    ) -> Result<GameId, Denial> {
        let started = self.rooms.start(setup, Some(offer), rematch_of).await;
        started.inspect_err(|denial| {
            if let Denial::Store(error) = denial {
                self.doubt(error);
            }
        })
    }

    /// Seats the players of a game that has started: each of their sessions hears of it from its
    /// first event on. Other nodes seat those that they have.
    pub(crate) async fn seat(&self, started: StartedGame) {
        self.cluster.publish(|| {
            let StartedGame { game, players, challenge, rematch_of } = started.clone();
            ClusterEvent::Began { game, players, challenge, rematch_of }
        });
        self.seat_here(started).await;
    }

    /// Seats the players' sessions on this node.
    pub(super) async fn seat_here(&self, started: StartedGame) {
        let StartedGame { game, players, challenge, rematch_of } = started;
        if let Some(challenge) = challenge {
            let (reason, by, message) = (None, None, None);
            let game = Some(game.clone());
            let closed = ChallengeClosed { challenge, game, reason, by, message, rematch_of };
            self.send_to_users(&players, &ToClient::ChallengeClosed(closed));
        }
        for client in players.iter().flat_map(|user| self.shared.online.of(user)) {
            let named = client.prefs.named;
            let client = Caller::uncounted(client);
            let join = Command::join(client, None, JoinFrom::Start, named);
            self.rooms.send(&game, join).await;
        }
    }

    /// Tells every session of some users; encoded once.
    pub(super) fn send_to_users<'a>(
        &self,
        users: impl IntoIterator<Item = &'a UserName>,
        message: &ToClient,
    ) {
        let frame = Frame::of(message);
        for client in users.into_iter().flat_map(|user| self.shared.online.of(user)) {
            // An overflow has ended that session; it is reminded when it comes back.
            client.outbox.send_or_evict(&frame);
        }
    }
}
