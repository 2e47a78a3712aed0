//! What the parts of the lobby share, who is connected, the lists of seeks and bots, and what follows
//! when a game begins.

use std::{collections::BTreeSet, sync::Arc};

use adamant_protocol::{
    ChallengeId, CloseCode, ToClient, TokenId, UserName,
    from_client::{Acceptance, BotStatus, Lobby as Request},
    to_client::{ChallengeClosed, DirectoryEntry, HousePlayer, LobbyChange},
    values::Named,
};
use parking_lot::{Mutex, MutexGuard};
use tokio::{
    sync::{Notify, mpsc},
    task::yield_now,
    time::sleep,
};
use tokio_util::sync::CancellationToken;

use super::{
    bots::{self, BotDirectory, DirectoryQuery},
    exhibitions::Exhibitions,
    online::{Online, Session},
    open_games::{OpenGames, Subscribers},
    terms::{self, forbidden},
};
use crate::{
    accounts::{Accounts, TokenDigest},
    address::{ClientAddress, ClientNetwork},
    cluster::{Cluster, ClusterEvent, EndedSessions, NodeId, StartedGame},
    limits::{CHALLENGES_PAGE_MAX, LOBBY_CHUNK, LOBBY_EVERY},
    outbound::{
        SessionId,
        client::{Caller, ClientHandle},
        frame::Frame,
    },
    room::{Command, JoinFrom, registry::RoomRegistry},
    runtime::{entropy::Entropy, environment::Environment, time::TimeSource},
    store::{Store, StoreError, or_default_if},
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
    pub(super) house: Arc<[HousePlayer]>,
    pub(super) cluster: Cluster,
    /// Whether networks have bounds of their own.
    bounds_networks: bool,
}

/// Where both locks are needed, that of the subscribers is taken first.
#[derive(Debug, Default)]
pub(super) struct LobbyShared {
    open_games: Mutex<OpenGames>,
    subscribers: Mutex<Subscribers>,
    pub(super) online: Online,
    pub(super) bots: BotDirectory,
    pub(super) exhibitions: Exhibitions,
    pub(super) seeks_changed: Notify,
    /// Something expires earlier than what was open before.
    pub(super) expiry_changed: Notify,
    /// The replica may be wrong.
    pub(super) reload_wanted: Notify,
    /// Held while this node announces who is connected to it, and which bots it lists, so that the
    /// last announcement has the last state.
    pub(super) announcing: Mutex<()>,
}

impl Lobby {
    /// Opens the lobby with the stored offers. `bounds_networks` turns on the limits of one network.
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
        let is_read_only = store.backend.read_only().is_some();
        if !is_read_only {
            // Sessions of this server's last run may have left seeks.
            for id in store.end_offers_of_node(cluster.node()).await? {
                cluster.publish(|| ClusterEvent::OfferChanged(id));
            }
        }
        let mut stored = or_default_if(is_read_only, store.open_offers().await)?;
        // What has ended with its session cannot be deleted in a store that is read alone.
        stored.retain(|open| !is_read_only || open.expires().is_some());
        let open_games = Mutex::new(OpenGames::new(stored));
        let shared = Arc::new(LobbyShared { open_games, ..LobbyShared::default() });
        Ok(Self { shared, store, rooms, accounts, time, entropy, house, cluster, bounds_networks })
    }

    pub(crate) const fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The server's own players, the weakest first; none where the house does not play.
    pub(crate) fn house(&self) -> &[HousePlayer] {
        &self.house
    }

    /// Whether a user is one of the server's own players.
    pub(crate) fn is_house(&self, user: &UserName) -> bool {
        let mut names =
            self.house.iter().flat_map(|player| player.twin.iter().chain([&player.user]));
        names.any(|name| name.is_same(user.as_str()))
    }

    pub(super) fn open_games(&self) -> MutexGuard<'_, OpenGames> {
        self.shared.open_games.lock()
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
        let Some(user) = &client.user else { return Vec::new() };
        if let Some(token) = token {
            self.rooms.occasions().is_back(user);
            let at = self.time.now_ms();
            self.shared.online.enter(client, user, token, at);
            if client.bot {
                let (user, token) = (user.clone(), token.id());
                self.cluster.publish(|| ClusterEvent::SessionOpened { user, token, at });
            }
            self.announce_user(user);
        }
        open_games.awaiting(user, CHALLENGES_PAGE_MAX as usize)
    }

    /// A session has ended, or speaks for another user from now on.
    pub(crate) async fn leave(&self, client: &ClientHandle) {
        if let Some(user) = &client.user {
            self.shared.online.leave(user, client.session);
            self.unlist_bot(user, client.session);
            self.announce_user(user);
        }
        self.shared.subscribers.lock().leave(client.session);
        // Afterwards: a seek that is being stored finds that its session has ended.
        self.end_seeks(client).await;
    }

    /// The network of a client, if networks have bounds of their own.
    pub(super) fn network_of(&self, client: &ClientHandle) -> Option<ClientNetwork> {
        client.from.filter(|_| self.bounds_networks).map(ClientAddress::network)
    }

    /// Seats the players of a game that has started: each of their sessions hears of it from its
    /// first event on. Other nodes seat those that they have.
    pub(crate) async fn seat(&self, started: StartedGame) {
        self.cluster.publish(|| ClusterEvent::Began(started.clone()));
        self.seat_here(started).await;
    }

    /// Seats the bots that take the seats of players who leave, until the server stops.
    pub(crate) async fn seat_substitutes(
        self,
        mut seated: mpsc::Receiver<StartedGame>,
        stop: CancellationToken,
    ) {
        while let Some(Some(game)) = stop.run_until_cancelled(seated.recv()).await {
            self.seat(game).await;
        }
    }

    /// Seats the players' sessions on this node.
    pub(super) async fn seat_here(&self, started: StartedGame) {
        let StartedGame { game, players, challenge, rematch_of } = started;
        if let Some(challenge) = challenge {
            let game = Some(game.clone());
            let closed = ChallengeClosed { game, rematch_of, ..ChallengeClosed::new(challenge) };
            self.send_to_users(&players, &ToClient::ChallengeClosed(closed));
        }
        for client in players.iter().flat_map(|user| self.shared.online.of(user)) {
            let named = client.prefs.named;
            let join = Command::join(Caller::uncounted(client), None, JoinFrom::Start, named);
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

    /// The users who are connected to this node, in the order of their names.
    pub(crate) fn users_here(&self) -> BTreeSet<UserName> {
        self.shared.online.users()
    }

    /// The tokens that the open sessions were opened with.
    pub(crate) fn open_tokens(&self) -> BTreeSet<TokenDigest> {
        self.shared.online.all(|_, open| Some(open.token))
    }

    pub(crate) fn sessions_of(&self, user: &UserName) -> Vec<Arc<ClientHandle>> {
        self.shared.online.of(user)
    }

    /// Whether a user is connected, to this node or another.
    pub(crate) fn is_online(&self, user: &UserName) -> bool {
        self.shared.online.has(user)
    }

    /// The users with sessions from an address, on this node.
    pub(crate) fn users_at(&self, from: ClientAddress) -> Vec<UserName> {
        let is_there = |open: &Session| open.client.from == Some(from);
        let there = self.shared.online.all(|user, open| is_there(open).then(|| user.clone()));
        there.into_iter().collect()
    }

    /// Ends the sessions of a user whose tokens are valid no longer, on all nodes.
    pub(crate) fn end_sessions(&self, user: &UserName, ended: EndedSessions) {
        self.end_sessions_here(user, &ended);
        self.cluster.publish(|| ClusterEvent::SessionsEnded { user: user.clone(), ended });
    }

    /// Ends the sessions of a user on all nodes that other tokens have opened, those of programs only
    /// if this is stated. One that a newer token has opened meanwhile stays.
    pub(crate) async fn end_other_sessions(&self, user: &UserName, keep: TokenId, programs: bool) {
        let ended = EndedSessions::AllBut { keep, programs };
        if self.end_invalid_sessions(user, &ended).await.is_err() {
            self.end_sessions_here(user, &ended);
        }
        self.cluster.publish(|| ClusterEvent::SessionsEnded { user: user.clone(), ended });
    }

    /// Closes the sessions on this node of which this is true. Their clients come back.
    pub(crate) fn send_away(&self, is_meant: impl Fn(&ClientHandle) -> bool) {
        let meant = |_: &UserName, open: &Session| {
            is_meant(&open.client).then(|| open.client.outbox.end(CloseCode::Restart))
        };
        self.shared.online.all(meant);
    }

    /// Sends a message to the sessions on this node of one user, or of all.
    pub(crate) fn send_notice(&self, user: Option<&UserName>, message: &ToClient) {
        let all = if user.is_none() { self.users_here() } else { BTreeSet::new() };
        self.send_to_users(all.iter().chain(user), message);
    }

    /// Returns the other nodes to which a user is connected.
    pub(crate) fn nodes_of(&self, user: &UserName) -> Vec<NodeId> {
        self.shared.online.nodes_of(user)
    }

    pub(super) fn end_sessions_here(&self, user: &UserName, ended: &EndedSessions) {
        let is_ended = |open: &Session| ended.includes(open.client.bot, &open.token.id());
        self.shared.online.end(user, CloseCode::TokenEnded, is_ended);
    }

    /// A bot says which challenges it accepts, or that it accepts none.
    pub(crate) async fn set_bot_status(
        &self,
        client: &ClientHandle,
        request: BotStatus,
    ) -> terms::Result<()> {
        let Some(user) = client.user.as_ref().filter(|_| client.bot) else {
            return Err(forbidden(
                "only programs are in the directory: open the session with the token of a bot",
            ));
        };
        let Some(accepts) = request.accepts else {
            self.unlist_bot(user, client.session);
            return Ok(());
        };
        bots::check(&accepts, request.free)?;
        let owner = self.accounts.find(user.clone()).await?.and_then(|user| user.owner);
        let (user, guest, free) = (user.clone(), client.guest, Some(request.free));
        let (level, ratings) = (None, Named::default());
        let entry =
            DirectoryEntry { user: user.clone(), owner, guest, level, ratings, accepts, free };
        if self.shared.bots.list(client.session, self.network_of(client), entry)? {
            // A session that has just ended is not listed: its end may have come before.
            if !self.shared.online.has_session(client) {
                self.shared.bots.unlist(&user, client.session);
            }
            self.announce_bot(&user);
        }
        Ok(())
    }

    /// Takes away what a session says, and announces it.
    pub(super) fn unlist_bot(&self, user: &UserName, session: SessionId) {
        if self.shared.bots.unlist(user, session) {
            self.announce_bot(user);
        }
    }

    /// Returns a page of the directory, with the server's own bots, and whether there are more.
    /// The ratings are not in it.
    pub(crate) fn directory(
        &self,
        query: &DirectoryQuery,
        limit: usize,
    ) -> (Vec<DirectoryEntry>, bool) {
        let house = self.house.iter().map(|player| DirectoryEntry {
            user: player.user.clone(),
            owner: None,
            guest: false,
            level: Some(player.level),
            ratings: Named::default(),
            accepts: Acceptance::default(),
            free: None,
        });
        self.shared.bots.page(&house.collect::<Vec<_>>(), query, limit)
    }

    /// Watches the open seeks, or no longer. The answer lists them.
    pub(crate) fn watch(&self, client: &Arc<ClientHandle>, request: &Request) {
        let mut subscribers = self.shared.subscribers.lock();
        let (add, more) = self.open_games().seek_page(request.before.as_ref());
        // The lock is still held, so that no change can be sent before the list.
        let re = Some(request.id.clone());
        client.reply(LobbyChange { re, add, remove: Vec::new(), more });
        if request.before.is_some() {
            // A further page: the subscription of the first one continues.
            return;
        }
        if request.watch {
            subscribers.enter(client);
        } else {
            subscribers.leave(client.session);
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
            let subscribers = self.shared.subscribers.lock();
            (self.open_games().take_changes(), subscribers.subscriptions())
        };
        let frames: Vec<Frame> =
            changes.into_iter().map(|change| Frame::of(&change.into())).collect();
        for some in subscriptions.chunks(LOBBY_CHUNK) {
            self.shared.subscribers.lock().send(some, &frames);
            yield_now().await;
        }
    }
}
