//! One bot's session: its state, and the frames that it sends and receives.

use std::collections::{HashMap, VecDeque};

use adamant_protocol::{
    CloseCode, FromClient, GameId, PROTOCOL_VERSION, RequestId, ToClient, codec,
    from_client::{Auth, Hello},
    to_client::{Challenged, ClosedReason, Done, Failed, Welcome},
};
use adamant_record::Replay;
use futures::{SinkExt as _, StreamExt as _};
use tokio::{
    io::DuplexStream,
    task::JoinHandle,
    time::{Instant, MissedTickBehavior, interval, sleep_until},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Error, Message},
};

use super::{
    absent_opponents::{AbandonedGames, WaitLimits},
    admission::Admission,
    bot::HouseBot,
};
use crate::{lobby::Refusal, session::Services};

/// The search for a move.
pub(super) type SearchTask = JoinHandle<Option<(GameId, u32, String)>>;

pub(super) struct BotSession<'a> {
    pub(super) services: &'a Services,
    pub(super) player: &'a HouseBot,
    pub(super) admission: &'a Admission,
    pub(super) wait_limits: WaitLimits,
    pub(super) socket: WebSocketStream<DuplexStream>,
    pub(super) games: HashMap<GameId, Replay>,
    /// Games in which it is the house's turn, the longest waiting first.
    pub(super) due: VecDeque<GameId>,
    /// Games from before whose records are still to be read, one after the other.
    pub(super) unread: VecDeque<GameId>,
    pub(super) reading: Option<RecordFetch>,
    /// Challenges to answer, one after the other: each game counts for the next.
    pub(super) challenges: VecDeque<Challenged>,
    pub(super) accepting: Option<PendingAccept>,
    /// Nothing could be stored: challenges are answered again from then on.
    pub(super) answers_again_at: Option<Instant>,
    pub(super) abandoned: AbandonedGames,
    pub(super) last_request: u64,
}

/// A game whose record is being read.
pub(super) struct RecordFetch {
    pub(super) request: RequestId,
    pub(super) game: GameId,
    /// Up to which event, once that is known.
    pub(super) until: Option<u64>,
}

/// A challenge whose acceptance is not answered yet.
pub(super) struct PendingAccept {
    pub(super) request: RequestId,
    pub(super) challenged: Challenged,
}

impl<'a> BotSession<'a> {
    pub(super) fn new(
        socket: WebSocketStream<DuplexStream>,
        services: &'a Services,
        player: &'a HouseBot,
        admission: &'a Admission,
        wait_limits: WaitLimits,
    ) -> Self {
        Self {
            services,
            player,
            admission,
            wait_limits,
            socket,
            games: HashMap::new(),
            due: VecDeque::new(),
            unread: VecDeque::new(),
            reading: None,
            challenges: VecDeque::new(),
            accepting: None,
            answers_again_at: None,
            abandoned: AbandonedGames::default(),
            last_request: 0,
        }
    }

    pub(super) async fn run(mut self) {
        let hello = Hello {
            id: self.next_id(),
            proto: vec![PROTOCOL_VERSION],
            client: None,
            auth: Some(Auth::Token(self.player.token.clone())),
            caps: Vec::new(),
            resume: adamant_protocol::values::Named::default(),
        };
        let mut alive = self.send(hello.into()).await;
        let mut search: Option<SearchTask> = None;
        let mut rounds = interval(self.wait_limits.every);
        rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while alive {
            if search.is_none() {
                search = self.start_search();
            }
            alive = tokio::select! {
                biased;
                moved = search_result(&mut search) => {
                    search = None;
                    match moved {
                        Some((game, turn, notation)) => self.make_move(game, turn, &notation).await,
                        None => true,
                    }
                }
                _ = rounds.tick() => self.end_abandoned().await,
                () = at(self.answers_again_at) => {
                    self.answers_again_at = None;
                    self.answer_challenges().await
                }
                // Last, because frames may keep coming.
                frame = self.socket.next() => self.on_message(frame).await,
            };
        }
    }

    /// Whether the session goes on.
    async fn on_message(&mut self, message: Option<Result<Message, Error>>) -> bool {
        match message {
            Some(Ok(Message::Text(text))) => self.on_frame(text.as_bytes()).await,
            Some(Ok(
                Message::Ping(_) | Message::Pong(_) | Message::Binary(_) | Message::Frame(_),
            )) => true,
            Some(Ok(Message::Close(close))) => {
                let code = close.map(|close| u16::from(close.code));
                if code != Some(CloseCode::Restart.number()) {
                    // operator: the server closed its session; the bot connects again
                    tracing::warn!(?code, player = %self.player.name, "server bot disconnected");
                }
                false
            }
            Some(Err(_)) | None => false,
        }
    }

    pub(super) fn next_id(&mut self) -> RequestId {
        self.last_request += 1;
        format!("house-{}", self.last_request).parse().expect("a short id")
    }

    /// Whether the server is still there.
    pub(super) async fn send(&mut self, request: FromClient) -> bool {
        let text = codec::encode_request(&request);
        self.socket.send(Message::Text(text.into())).await.is_ok()
    }

    async fn on_frame(&mut self, bytes: &[u8]) -> bool {
        let message = match ToClient::from_bytes(bytes) {
            Ok(Some(message)) => message,
            Ok(None) => return true,
            Err(error) => {
                // operator: a fault of the server: report it
                tracing::error!(%error, "server bot received an unreadable frame");
                return true;
            }
        };
        match message {
            ToClient::Event(frame) => {
                self.on_event(&frame, bytes);
                self.on_offer(&frame).await && self.read_next().await
            }
            ToClient::YourTurn(turn) => {
                self.on_turn(&turn);
                true
            }
            ToClient::Challenged(challenged) => self.on_challenge(challenged).await,
            ToClient::ChallengeClosed(closed) => {
                self.admission.close(&closed.challenge, closed.game.as_ref());
                self.challenges.retain(|open| open.challenge != closed.challenge);
                true
            }
            // A game from before: its record is read from the beginning, like any bot can.
            ToClient::Snapshot(snapshot) => {
                self.games.insert(snapshot.game.clone(), Replay::new());
                self.unread.push_back(snapshot.game.clone());
                self.read_next().await
            }
            ToClient::Error(failed) => self.on_refusal(failed).await,
            ToClient::Welcome(welcome) => {
                self.on_welcome(&welcome);
                true
            }
            ToClient::Ok(done) => self.on_done(&done).await,
            ToClient::Signature(_)
            | ToClient::Layout(_)
            | ToClient::Hints(_)
            | ToClient::Moves(_)
            | ToClient::Games(_)
            | ToClient::Invite(_)
            | ToClient::Invites(_)
            | ToClient::Blocks(_)
            | ToClient::Settings(_)
            | ToClient::Tokens(_)
            | ToClient::Bots(_)
            | ToClient::Directory(_)
            | ToClient::PushSubscriptions(_)
            | ToClient::Webhook(_)
            | ToClient::Catalogue(_)
            | ToClient::Standings(_)
            | ToClient::Stats(_)
            | ToClient::User(_)
            | ToClient::History(_)
            | ToClient::Pong(_)
            | ToClient::Presence(_)
            | ToClient::Challenges(_)
            | ToClient::Lobby(_)
            | ToClient::Positions(_)
            | ToClient::Explored(_)
            | ToClient::Tv(_)
            | ToClient::Live(_)
            | ToClient::Said(_)
            | ToClient::Unsaid(_)
            | ToClient::Talk(_)
            | ToClient::Mutes(_)
            | ToClient::Notice(_) => true,
        }
    }

    fn on_welcome(&self, welcome: &Welcome) {
        for open in &welcome.challenges {
            if self.has_accepted(&open.challenged) {
                let from = self.services.lobby.network_of_challenge(&open.challenged.challenge);
                self.admission.accept(&open.challenged, from);
            }
        }
    }

    async fn on_done(&mut self, done: &Done) -> bool {
        self.abandoned.done(&done.re);
        if let Some(reading) = &mut self.reading
            && reading.request == done.re
        {
            reading.until = done.seq;
            return self.read_next().await;
        }
        if let Some(accepting) = self.accepting.take_if(|accepting| accepting.request == done.re) {
            if done.game.is_some() {
                self.admission.close(&accepting.challenged.challenge, done.game.as_ref());
            }
            return self.answer_challenges().await;
        }
        true
    }

    /// A refusal has a consequence for those who wait for the house.
    async fn on_refusal(&mut self, failed: Failed) -> bool {
        tracing::debug!(code = %failed.code, message = %failed.message, "server bot's request denied");
        if let Some(game_to_end) = self.abandoned.refused(&failed) {
            let id = self.next_id();
            let request = self.abandoned.ask(id, game_to_end);
            return self.send(request).await;
        }
        let re = failed.re.as_ref();
        if self.reading.take_if(|reading| Some(&reading.request) == re).is_some() {
            return self.read_next().await;
        }
        if let Some(accepting) = self.accepting.take_if(|accepting| Some(&accepting.request) == re)
        {
            self.admission.close(&accepting.challenged.challenge, None);
            let name = &self.player.name;
            let message = format!("{name} cannot take this on now: {}", failed.message);
            let refusal =
                Refusal { reason: ClosedReason::Later, limit: None, message: Some(message.into()) };
            self.decline(accepting.challenged, refusal).await;
            return self.answer_challenges().await;
        }
        true
    }
}

/// Waits for a search; for ever if there is none.
async fn search_result(search: &mut Option<SearchTask>) -> Option<(GameId, u32, String)> {
    match search {
        Some(search) => search.await.ok().flatten(),
        None => std::future::pending().await,
    }
}

/// Waits until a moment; for ever if there is none.
async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
