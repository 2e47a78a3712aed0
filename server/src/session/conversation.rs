//! What a session says and is told: each request goes to the one part of the server that answers
//! it. A refusal never ends the session, except before `hello`.

use std::{collections::HashMap, sync::Arc, time::Duration};

use adamant_protocol::{
    CloseCode, FromClient, GameId, RequestId, ToClient,
    from_client::{self, GameState, Games},
    to_client::{Done, GameList, Pong},
};
use bytes::Bytes;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::{Services, speaker::CallerCell};
use crate::{
    caller::{Caller, SessionId},
    error::Denial,
    lifecycle::Lifecycle,
    limits::{CATCH_UP_CHUNK, GAMES_PAGE_MAX, SESSION_ROOMS_MAX},
    lobby::Begun,
    outbox::Outbox,
    room::{Action, Command, From, Question, RoomHandle},
    store::Journal as _,
};

/// One client's side of the conversation.
pub(super) struct Conversation {
    pub(super) services: Services,
    pub(super) id: SessionId,
    pub(super) outbox: Outbox,
    /// Who speaks; `None` before `hello`.
    pub(super) caller: Option<Arc<Caller>>,
    /// The same, for the writer.
    cell: CallerCell,
    /// Rooms that the session has sent something to: no registry is asked again per move.
    rooms: HashMap<GameId, RoomHandle>,
}

impl Conversation {
    pub(super) fn new(services: Services, id: SessionId, outbox: Outbox) -> Self {
        Self {
            services,
            id,
            outbox,
            caller: None,
            cell: CallerCell::default(),
            rooms: HashMap::new(),
        }
    }

    pub(super) fn caller_cell(&self) -> CallerCell {
        self.cell.clone()
    }

    pub(super) fn lifecycle(&self) -> &Lifecycle {
        &self.services.lifecycle
    }

    pub(super) fn idle_close(&self) -> Duration {
        self.services.limits.idle_close
    }

    pub(super) fn now_ms(&self) -> u64 {
        self.services.time.now_ms()
    }

    /// Whether `hello` has been said.
    pub(super) fn is_open(&self) -> bool {
        self.caller.is_some()
    }

    /// From here on the session speaks as this caller.
    pub(super) fn speak_as(&mut self, caller: &Arc<Caller>) {
        if let Some(user) = &caller.user {
            tracing::Span::current().record("user", user.as_str());
        }
        self.cell.set(Arc::clone(caller));
        self.caller = Some(Arc::clone(caller));
    }

    /// The session ends.
    pub(super) fn end(&mut self) {
        if let Some(caller) = self.caller.take() {
            self.services.lobby.leave(&caller);
        }
    }

    pub(super) async fn on_request(
        &mut self,
        request: FromClient,
        received_at: u64,
    ) -> Result<(), CloseCode> {
        let Some(caller) = self.caller.clone() else {
            return self.on_first_request(request).await;
        };
        let re = request.id().clone();
        if let Err(denial) = self.carry_out(&caller, request, received_at).await {
            self.refuse(re, denial).await;
        }
        Ok(())
    }

    async fn on_first_request(&mut self, request: FromClient) -> Result<(), CloseCode> {
        if let FromClient::Hello(hello) = request {
            return Box::pin(self.on_hello(hello)).await;
        }
        let denial = Denial::Unauthorized("the first message is hello".to_owned());
        self.refuse(request.id().clone(), denial).await;
        Err(CloseCode::BadHello)
    }

    pub(super) async fn refuse(&self, re: RequestId, denial: Denial) {
        if denial.is_fault() {
            tracing::error!(%denial, "a request could not be carried out");
        }
        self.outbox.send_waiting(&ToClient::Error(denial.into_failed(Some(re)))).await;
    }

    pub(super) async fn reply(&self, reply: impl Into<ToClient>) {
        self.outbox.send_waiting(&reply.into()).await;
    }

    /// One line a message: what it means is known where it is sent to.
    async fn carry_out(
        &mut self,
        caller: &Arc<Caller>,
        request: FromClient,
        received_at: u64,
    ) -> Result<(), Denial> {
        let lobby = self.services.lobby.clone();
        match request {
            FromClient::Hello(_) => {
                return Err(Denial::BadMessage("hello has been said already".to_owned()));
            }
            FromClient::Signup(request) => self.sign_up(caller, request).await?,
            FromClient::TokenCreate(request) => self.create_token(caller, request).await?,
            FromClient::Seek(request) => {
                let (done, begun) = lobby.seek(caller, request).await?;
                self.reply(done).await;
                if let Some(begun) = begun {
                    lobby.seat(begun).await;
                }
            }
            FromClient::Unseek(request) => {
                let done = lobby.unseek(caller, request.id, &request.seek)?;
                self.reply(done).await;
            }
            FromClient::Challenge(request) => {
                let done = lobby.challenge(caller, request).await?;
                let challenge = done.challenge.clone();
                self.reply(done).await;
                if let Some(challenge) = challenge {
                    lobby.tell_challenged(&challenge);
                }
            }
            FromClient::Accept(request) => self.accept(caller, request).await?,
            FromClient::Decline(request) => {
                let done = lobby.decline(caller, request).await?;
                self.reply(done).await;
            }
            FromClient::Cancel(request) => {
                let done = lobby.cancel(caller, request).await?;
                self.reply(done).await;
            }
            FromClient::Lobby(request) => lobby.watch(caller, request.id, request.watch),
            FromClient::Games(request) => self.list_games(request).await?,
            FromClient::Watch(request) => self.watch(caller, request).await?,
            FromClient::Unwatch(request) => {
                let command = Command::Leave { caller: Arc::clone(caller), re: request.id };
                self.send_to_room(&request.game, command).await?;
            }
            FromClient::Ping(request) => {
                let t2 = self.now_ms();
                self.reply(Pong { re: request.id, t0: request.t0, t1: received_at, t2 }).await;
            }
            FromClient::Layout(request) => {
                self.ask(caller, request.id, &request.game, Question::Layout).await?;
            }
            FromClient::Hints(request) => {
                let question = Question::Hints { from: request.from, sketch: request.sketch };
                self.ask(caller, request.id, &request.game, question).await?;
            }
            FromClient::Try(request) => {
                let question = Question::Try { turn: request.turn, notation: request.notation };
                self.ask(caller, request.id, &request.game, question).await?;
            }
            FromClient::Move(request) => {
                let action = Action::Move { turn: request.turn, notation: request.notation };
                self.act(caller, request.id, &request.game, action, received_at).await?;
            }
            FromClient::Resign(request) => {
                self.act(caller, request.id, &request.game, Action::Resign, received_at).await?;
            }
            FromClient::Abort(request) => {
                self.act(caller, request.id, &request.game, Action::Abort, received_at).await?;
            }
            FromClient::Offer(request) => {
                let action = Action::Offer(request.what);
                self.act(caller, request.id, &request.game, action, received_at).await?;
            }
            FromClient::Answer(request) => {
                let action = Action::Answer { offer: request.offer, accept: request.accept };
                self.act(caller, request.id, &request.game, action, received_at).await?;
            }
            FromClient::Claim(_) => {
                let message = "nobody's absence can be claimed on this server".to_owned();
                return Err(Denial::Forbidden(message));
            }
            FromClient::Rematch(_) => {
                let message = "make a challenge for another game".to_owned();
                return Err(Denial::Forbidden(message));
            }
            FromClient::Withdraw(request) => {
                let action = Action::Withdraw(request.offer);
                self.act(caller, request.id, &request.game, action, received_at).await?;
            }
        }
        Ok(())
    }

    async fn act(
        &mut self,
        caller: &Arc<Caller>,
        re: RequestId,
        game: &GameId,
        action: Action,
        received_at: u64,
    ) -> Result<(), Denial> {
        let command = Command::Act { caller: Arc::clone(caller), re, action, received_at };
        self.send_to_room(game, command).await
    }

    async fn ask(
        &mut self,
        caller: &Arc<Caller>,
        re: RequestId,
        game: &GameId,
        question: Question,
    ) -> Result<(), Denial> {
        self.send_to_room(game, Command::Ask { caller: Arc::clone(caller), re, question }).await
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
        if self.rooms.len() >= SESSION_ROOMS_MAX {
            self.rooms.clear();
        }
        self.rooms.insert(game.clone(), room);
        Ok(())
    }

    async fn accept(
        &mut self,
        caller: &Arc<Caller>,
        request: from_client::Accept,
    ) -> Result<(), Denial> {
        let lobby = self.services.lobby.clone();
        let (done, begun): (Done, Option<Begun>) = match (request.seek, request.challenge) {
            (Some(seek), None) => lobby.accept_seek(caller, request.id, &seek).await?,
            (None, Some(challenge)) => {
                lobby.accept_challenge(caller, request.id, &challenge).await?
            }
            (Some(_), Some(_)) | (None, None) => {
                let message = "accept names either a seek or a challenge".to_owned();
                return Err(Denial::BadMessage(message));
            }
        };
        self.reply(done).await;
        if let Some(begun) = begun {
            lobby.seat(begun).await;
        }
        Ok(())
    }

    async fn watch(
        &mut self,
        caller: &Arc<Caller>,
        request: from_client::Watch,
    ) -> Result<(), Denial> {
        match request.from {
            None => {
                let from = From::Snapshot(None);
                let re = Some(request.id);
                let command = Command::Join { caller: Arc::clone(caller), re, from };
                self.send_to_room(&request.game, command).await
            }
            Some(from) => {
                let verdict = self.services.rooms.verdict(&request.game, None).await?;
                let mut done = Done::new(request.id);
                done.game = Some(request.game.clone());
                done.seq = Some(verdict.seq);
                self.reply(done).await;
                self.follow_from(caller, &request.game, from).await
            }
        }
    }

    /// Brings the client up to date from an event on, and lets it listen from there. All but the
    /// last few records are read here, at the client's own pace: a room waits for nobody.
    pub(super) async fn follow_from(
        &mut self,
        caller: &Arc<Caller>,
        game: &GameId,
        from: u64,
    ) -> Result<(), Denial> {
        let store = self.services.rooms.store().clone();
        let mut next = from.max(1);
        loop {
            let records: Vec<Bytes> = store.read(game.clone(), next, CATCH_UP_CHUNK).await?;
            if records.len() < CATCH_UP_CHUNK {
                break;
            }
            next += records.len() as u64;
            for record in records {
                let frame = Utf8Bytes::try_from(record).expect("records are JSON, which is UTF-8");
                self.outbox.send_frame_waiting(frame).await;
            }
        }
        let from = From::Event(next);
        self.send_to_room(game, Command::Join { caller: Arc::clone(caller), re: None, from }).await
    }

    async fn list_games(&self, request: Games) -> Result<(), Denial> {
        let limit = request.limit.unwrap_or(GAMES_PAGE_MAX).clamp(1, GAMES_PAGE_MAX);
        let page = usize::try_from(limit).unwrap_or(usize::MAX);
        let rules = request.rules.map(|rules| rules.name);
        let store = self.services.rooms.store();
        let mut games = match request.state {
            GameState::Live => {
                let listed = store.live().list(|entry| {
                    let of_user = request.user.as_ref().is_none_or(|user| {
                        entry.seats.iter().any(|seat| seat.user.is_same(user.as_str()))
                    });
                    let of_rules = rules.as_ref().is_none_or(|rules| entry.rules.name == *rules);
                    of_user && of_rules
                });
                let skip = request.before.as_ref().map_or(0, |before| {
                    listed.iter().position(|entry| entry.game == *before).map_or(0, |at| at + 1)
                });
                listed.into_iter().skip(skip).take(page + 1).collect()
            }
            GameState::Finished => {
                store.finished_games(request.user, rules, request.before, limit + 1).await?
            }
        };
        let more = games.len() > page;
        games.truncate(page);
        self.reply(GameList { re: request.id, games, more }).await;
        Ok(())
    }
}
