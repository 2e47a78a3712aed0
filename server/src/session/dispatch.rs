//! What a session says and is told: each request goes to the one part of the server that answers
//! it. A refusal never ends the session, except before `hello`.

use std::{sync::Arc, time::Duration};

use adamant_protocol::{
    CloseCode, FromClient, GameId, RequestId, ToClient, from_client,
    to_client::{Done, Pong, SignedHead},
};
use bytes::Bytes;

use super::{
    identity::IdentityCell,
    known_rooms::KnownRooms,
    request_limits::RequestLimits,
    requests::{catalogue::catalogue, play::PlayerRequest},
    round_trip::RoundTrip,
    session::Services,
};
use crate::{
    accounts::TokenDigest,
    address::ClientAddress,
    error::Denial,
    limits::{CATCH_UP_CHUNK, WATCHED_GAMES_MAX},
    outbound::{SessionId, client::ClientHandle, frame::Frame, outbox::Outbox},
    room::{Command, JoinFrom, PlayerAction, TableQuery},
    runtime::shutdown::Lifecycle,
    store::Journal as _,
};

/// One client's side of the session.
pub(super) struct Session {
    pub(super) services: Arc<Services>,
    pub(super) id: SessionId,
    pub(super) outbox: Outbox,
    /// Where the client is; `None` inside the process.
    pub(super) from: Option<ClientAddress>,
    /// The token that has opened the session, once somebody has said who they are.
    pub(super) opened_with: Option<TokenDigest>,
    /// When that token ends, in epoch milliseconds.
    pub(super) expires_at: Option<u64>,
    /// How many requests may come.
    pub(super) request_limits: RequestLimits,
    /// Who speaks; `None` before `hello`.
    pub(super) client: Option<Arc<ClientHandle>>,
    /// The same, for the writer.
    cell: IdentityCell,
    /// How long the way to the client and back is.
    pub(super) round_trip: RoundTrip,
    rooms: KnownRooms,
    /// Games that the client has asked to watch.
    watched: Vec<GameId>,
}

impl Session {
    pub(super) fn new(
        services: Arc<Services>,
        id: SessionId,
        outbox: Outbox,
        from: Option<ClientAddress>,
        round_trip: RoundTrip,
    ) -> Self {
        let request_limits =
            RequestLimits::new(&services.limits, &services.quotas, from, services.time.now_ms());
        Self {
            services,
            id,
            outbox,
            from,
            request_limits,
            opened_with: None,
            expires_at: None,
            client: None,
            cell: IdentityCell::default(),
            round_trip,
            rooms: KnownRooms::default(),
            watched: Vec::new(),
        }
    }

    pub(super) fn identity_cell(&self) -> IdentityCell {
        self.cell.clone()
    }

    pub(super) fn lifecycle(&self) -> &Lifecycle {
        &self.services.lifecycle
    }

    pub(super) fn idle_close(&self) -> Duration {
        self.services.limits.idle_close
    }

    /// Waits until the session's token ends; for ever if it does not.
    pub(super) async fn token_ended(&self) {
        self.services.time.reaches(self.expires_at).await;
    }

    pub(super) fn now_ms(&self) -> u64 {
        self.services.time.now_ms()
    }

    /// Whether `hello` has been said.
    pub(super) fn is_open(&self) -> bool {
        self.client.is_some()
    }

    /// From here on the session speaks as this caller.
    pub(super) fn speak_as(&mut self, client: &Arc<ClientHandle>) {
        if let Some(user) = &client.user {
            tracing::Span::current().record("user", user.as_str());
        }
        self.request_limits.speak_as(client.quota.as_ref());
        self.cell.set(Arc::clone(client));
        self.client = Some(Arc::clone(client));
    }

    /// The session ends.
    pub(super) fn end(&mut self) {
        if let Some(client) = self.client.take() {
            self.services.lobby.leave(&client);
            self.services.live_lists.leave(self.id);
        }
    }

    /// Hands a move to its room if the session knows the way and the room takes it at once, as it
    /// does but for the first. Gives back every other request.
    pub(super) fn try_send_move(
        &mut self,
        request: FromClient,
        received_at: u64,
    ) -> Option<FromClient> {
        let FromClient::Move(request) = request else { return Some(request) };
        let (Some(client), Some(room)) = (&self.client, self.rooms.get(&request.game)) else {
            return Some(FromClient::Move(request));
        };
        let Some(place) = room.try_reserve() else { return Some(FromClient::Move(request)) };
        place.send(Box::new(Command::Act {
            client: Arc::clone(client),
            re: request.id,
            action: PlayerAction::Move { turn: request.turn, notation: request.notation },
            received_at,
            lag_ms: self.round_trip.shortest_ms(),
        }));
        None
    }

    pub(super) async fn on_request(
        &mut self,
        request: FromClient,
        received_at: u64,
    ) -> Result<(), CloseCode> {
        let Some(client) = self.client.clone() else {
            return self.on_first_request(request).await;
        };
        let re = request.id().clone();
        if let Err(denial) = self.dispatch(&client, request, received_at).await {
            self.refuse(re, denial).await;
        }
        Ok(())
    }

    async fn on_first_request(&mut self, request: FromClient) -> Result<(), CloseCode> {
        if let FromClient::Hello(hello) = request {
            return self.on_hello(hello).await;
        }
        let denial = Denial::Unauthorized("the first message is hello".to_owned());
        self.refuse(request.id().clone(), denial).await;
        Err(CloseCode::BadHello)
    }

    pub(super) async fn refuse(&self, re: RequestId, denial: Denial) {
        if denial.is_fault() {
            tracing::error!(session = %self.id, %denial, "a request could not be carried out");
        }
        self.outbox.send_waiting(&ToClient::Error(denial.into_failed(Some(re)))).await;
    }

    pub(super) async fn reply(&self, reply: impl Into<ToClient>) {
        self.outbox.send_waiting(&reply.into()).await;
    }

    /// One line a message: what it means is known where it is sent to.
    async fn dispatch(
        &mut self,
        client: &Arc<ClientHandle>,
        request: FromClient,
        received_at: u64,
    ) -> Result<(), Denial> {
        match request {
            FromClient::Hello(_) => {
                return Err(Denial::BadMessage("hello has been said already".to_owned()));
            }
            FromClient::Signup(request) => self.sign_up(client, request).await?,
            FromClient::TokenCreate(request) => self.create_token(client, request).await?,
            FromClient::TokenList(request) => self.list_tokens(client, request).await?,
            FromClient::TokenRevoke(request) => self.revoke_token(client, request).await?,
            FromClient::Logout(request) => self.log_out(client, request).await?,
            FromClient::PasswordChange(request) => {
                self.change_password(client, request).await?;
            }
            FromClient::BotCreate(request) => self.create_bot(client, request).await?,
            FromClient::BotList(request) => self.list_bots(client, request).await?,
            FromClient::Seek(request) => self.seek(client, request).await?,
            FromClient::Unseek(request) => self.unseek(client, request).await?,
            FromClient::Challenge(request) => self.challenge(client, request).await?,
            FromClient::Accept(request) => self.accept(client, request).await?,
            FromClient::Decline(request) => self.decline(client, request).await?,
            FromClient::Cancel(request) => self.cancel(client, request).await?,
            FromClient::Challenges(request) => {
                self.reply(self.services.lobby.list_challenges(client, request).await?).await;
            }
            FromClient::Lobby(request) => self.watch_lobby(client, &request),
            FromClient::Games(request) => self.list_games(request).await?,
            FromClient::Catalogue(request) => {
                self.reply(catalogue(request.id, self.services.lobby.house())).await;
            }
            FromClient::Standings(request) => self.list_standings(request).await?,
            FromClient::User(request) => self.show_user(request).await?,
            FromClient::History(request) => self.list_history(request).await?,
            FromClient::Watch(request) => self.watch(client, request).await?,
            FromClient::Unwatch(request) => self.unwatch(client, request).await?,
            FromClient::Ping(request) => {
                let t2 = self.now_ms();
                self.reply(Pong { re: request.id, t0: request.t0, t1: received_at, t2 }).await;
            }
            FromClient::Say(request) => self.say(client, request).await?,
            FromClient::Unsay(request) => self.unsay(client, request).await?,
            FromClient::Talk(request) => self.list_talk(client, request).await?,
            FromClient::Mute(request) => self.mute(client, request).await?,
            FromClient::Unmute(request) => self.unmute(client, request).await?,
            FromClient::Mutes(request) => self.list_mutes(client, request).await?,
            FromClient::Positions(request) => {
                let list = self.services.position_pages.positions(client, request).await?;
                self.reply(list).await;
            }
            FromClient::Tv(request) => self.services.live_lists.tv(client, &request)?,
            FromClient::Live(request) => {
                self.services.live_lists.live(client, request).await?;
            }
            FromClient::Signature(request) => {
                let (user, from) = (client.user.as_ref(), client.from);
                let signed = self.services.sign_head(&request.game, user, from).await?;
                self.reply(SignedHead { re: Some(request.id), ..signed }).await;
            }
            FromClient::Layout(request) => {
                self.ask(client, request.id, &request.game, TableQuery::Layout).await?;
            }
            FromClient::Hints(request) => {
                let query = TableQuery::Hints { from: request.from, sketch: request.sketch };
                self.ask(client, request.id, &request.game, query).await?;
            }
            FromClient::Moves(request) => {
                let from_client::Moves { id, game, from, after, limit } = request;
                self.ask(client, id, &game, TableQuery::Moves { from, after, limit }).await?;
            }
            FromClient::Try(request) => {
                let query = TableQuery::Try { turn: request.turn, notation: request.notation };
                self.ask(client, request.id, &request.game, query).await?;
            }
            FromClient::Move(request) => self.act(client, request, received_at).await?,
            FromClient::Resign(request) => self.act(client, request, received_at).await?,
            FromClient::Abort(request) => self.act(client, request, received_at).await?,
            FromClient::Offer(request) => self.act(client, request, received_at).await?,
            FromClient::Answer(request) => self.act(client, request, received_at).await?,
            FromClient::Withdraw(request) => self.act(client, request, received_at).await?,
            FromClient::Claim(request) => self.act(client, request, received_at).await?,
            FromClient::Rematch(request) => self.rematch(client, request).await?,
        }
        Ok(())
    }

    async fn act(
        &mut self,
        client: &Arc<ClientHandle>,
        request: impl Into<PlayerRequest>,
        received_at: u64,
    ) -> Result<(), Denial> {
        let PlayerRequest { re, game, action } = request.into();
        let (client, lag_ms) = (Arc::clone(client), self.round_trip.shortest_ms());
        let command = Command::Act { client, re, action, received_at, lag_ms };
        self.send_to_room(&game, command).await
    }

    async fn ask(
        &mut self,
        client: &Arc<ClientHandle>,
        re: RequestId,
        game: &GameId,
        query: TableQuery,
    ) -> Result<(), Denial> {
        self.send_to_room(game, Command::Query { client: Arc::clone(client), re, query }).await
    }

    /// Sends a command to a room, waiting while its mailbox is full.
    pub(super) async fn send_to_room(
        &mut self,
        game: &GameId,
        mut command: Command,
    ) -> Result<(), Denial> {
        if let Some(room) = self.rooms.get(game) {
            match room.send(command).await {
                Ok(()) => return Ok(()),
                Err(returned) => command = returned,
            }
        }
        let room = self.services.rooms.send(game, command).await?;
        self.rooms.remember(room);
        Ok(())
    }

    async fn watch(
        &mut self,
        client: &Arc<ClientHandle>,
        request: from_client::Watch,
    ) -> Result<(), Denial> {
        let named = request.named.unwrap_or(client.prefs.named);
        let watches = self.watched.contains(&request.game);
        if !watches && self.watched.len() >= WATCHED_GAMES_MAX {
            let what = "games watched at once: unwatch one first";
            return Err(Denial::LimitReached {
                limit: "watched_games",
                what,
                max: WATCHED_GAMES_MAX,
            });
        }
        let game = request.game.clone();
        self.join_as_asked(client, request, named).await?;
        if !watches {
            if self.watched.is_empty() {
                self.watched.reserve_exact(1);
            }
            self.watched.push(game);
        }
        Ok(())
    }

    async fn unwatch(
        &mut self,
        client: &Arc<ClientHandle>,
        request: from_client::Unwatch,
    ) -> Result<(), Denial> {
        self.watched.retain(|game| *game != request.game);
        if !self.services.rooms.leave_parked(&request.game, client) {
            let command = Command::Leave { client: Arc::clone(client), re: request.id };
            return self.send_to_room(&request.game, command).await;
        }
        let mut done = Done::new(request.id);
        done.game = Some(request.game);
        self.reply(done).await;
        Ok(())
    }

    async fn join_as_asked(
        &mut self,
        client: &Arc<ClientHandle>,
        request: from_client::Watch,
        named: bool,
    ) -> Result<(), Denial> {
        match request.from {
            None => {
                let from = JoinFrom::Snapshot(None);
                let re = Some(request.id);
                let command = Command::Join { client: Arc::clone(client), re, from, named };
                self.send_to_room(&request.game, command).await
            }
            Some(from) => {
                let plan = self.services.rooms.rejoin_plan(&request.game, client).await?;
                let mut done = Done::new(request.id);
                done.game = Some(request.game.clone());
                done.seq = Some(plan.seq);
                self.reply(done).await;
                let game = &request.game;
                if let Err(denial) = self.follow_from(client, game, from, plan.seq, named).await {
                    // It has been answered already; the client comes back and asks again.
                    tracing::warn!(
                        session = %self.id, %game, %denial,
                        "a session could not follow a game"
                    );
                    self.outbox.end(CloseCode::Restart);
                }
                Ok(())
            }
        }
    }

    /// Brings the client up to date from an event on, and lets it listen from there. All but the
    /// last few records are read here, at the client's own pace: a room waits for nobody. Nothing
    /// is read behind `until`: the client may not know of it yet.
    pub(super) async fn follow_from(
        &mut self,
        client: &Arc<ClientHandle>,
        game: &GameId,
        from: u64,
        until: u64,
        named: bool,
    ) -> Result<(), Denial> {
        let store = self.services.rooms.store().clone();
        let mut next = from.max(1);
        while next.saturating_add(CATCH_UP_CHUNK as u64) <= until {
            let records: Vec<Bytes> = store.read(game.clone(), next, CATCH_UP_CHUNK).await?;
            if records.len() < CATCH_UP_CHUNK {
                break;
            }
            next += records.len() as u64;
            for record in records {
                self.outbox.send_frame_waiting(&Frame::text(&record)).await;
            }
        }
        let from = JoinFrom::Seq(next);
        let join = Command::Join { client: Arc::clone(client), re: None, from, named };
        self.send_to_room(game, join).await
    }
}
