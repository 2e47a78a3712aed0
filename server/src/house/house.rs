//! The house players: bots that accept challenges at once, so that a visitor who is alone can play,
//! one for each level. Each goes through the same door as every bot, a session, though over a pipe
//! inside the process; and each search_level about one move at a time.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use adamant_bot::Level;
use adamant_protocol::{
    CloseCode, EventBody, EventFrame, FromClient, GameId, OfferId, PROTOCOL_VERSION, RequestId,
    ToClient, UserName, codec,
    event::OfferKind,
    from_client::{Accept, Answer, Auth, Hello, Move, Watch},
    to_client::{
        Challenged, ClosedReason, Done, Failed, HouseLevel, HousePlayer, Welcome, YourTurn,
    },
};
use adamant_record::{Replay, wire};
use futures::{SinkExt as _, StreamExt as _};
use tokio::{
    io::DuplexStream,
    task::JoinHandle,
    time::{Instant, MissedTickBehavior, interval, sleep, sleep_until},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Error, Message, protocol::Role},
};

use crate::house::absent_opponents::{AbandonedGames, WaitLimits};
use crate::house::admission::{Admission, Refusal};
use crate::{
    accounts::{Accounts, AuthError},
    address::ClientNetwork,
    config,
    error::Denial,
    limits::{
        HOUSE_GAMES_MAX, HOUSE_PAUSE, HOUSE_PIPE_BYTES, HOUSE_SEARCHES_MAX, HOUSE_UNTIMED_SHARE,
        STORE_RETRY,
    },
    session::{self, Services},
};

/// The names that challenges go to and what they stand for, the weakest first.
const HOUSE: [(&str, HouseLevel); 3] = [
    ("house-easy", HouseLevel::Easy),
    ("house", HouseLevel::Medium),
    ("house-hard", HouseLevel::Hard),
];

/// A house player that has an account.
#[derive(Debug)]
pub(crate) struct HouseBot {
    pub(super) name: UserName,
    pub(super) level: HouseLevel,
    pub(super) token: Box<str>,
}

impl HouseBot {
    /// As it is told to clients.
    pub(crate) fn listed(&self) -> HousePlayer {
        HousePlayer { user: self.name.clone(), level: self.level }
    }

    /// How it chooses its moves.
    const fn search_level(&self) -> Level {
        match self.level {
            HouseLevel::Easy => Level::Random,
            HouseLevel::Medium => Level::Greedy,
            HouseLevel::Hard => Level::Search,
        }
    }

    /// Live games up to which it takes on those without a clock.
    pub(super) const fn untimed_max(&self) -> usize {
        self.games_max() / HOUSE_UNTIMED_SHARE
    }

    /// Live games that it takes on.
    pub(super) const fn games_max(&self) -> usize {
        match self.level {
            HouseLevel::Easy | HouseLevel::Medium => HOUSE_GAMES_MAX,
            HouseLevel::Hard => HOUSE_SEARCHES_MAX,
        }
    }
}

/// The house players with their tokens, whose accounts are made at the first start. A name that
/// somebody has had before there was such a player stays theirs.
pub(crate) async fn players(accounts: &Accounts) -> Result<Vec<HouseBot>, AuthError> {
    let mut players = Vec::with_capacity(HOUSE.len());
    for (name, level) in HOUSE {
        let name: UserName = name.parse().expect("the house has proper names");
        let logged_in = accounts.house(name.clone()).await?;
        if let Some(token) = logged_in.and_then(|logged_in| logged_in.secret) {
            players.push(HouseBot { name, level, token });
        } else {
            tracing::warn!("a player is called {name}, so the house does not play as it");
        }
    }
    Ok(players)
}

/// Plays until the server stops; a connection that ends for another reason is opened anew.
pub(crate) async fn play(services: Arc<Services>, player: HouseBot, games: config::Games) {
    let admission = Admission::new(services.limits.enforced);
    let wait_limits = WaitLimits::new(&games);
    // The house is as fast as the server lets it; its own limit is one search at a time.
    let mut limits = (*services.limits).clone();
    limits.enforced = false;
    let services = Arc::new(Services { limits: limits.into(), ..(*services).clone() });
    let soft = services.lifecycle.soft.clone();
    while !soft.is_cancelled() {
        let (near, far) = tokio::io::duplex(HOUSE_PIPE_BYTES);
        let serving = session::serve_stream(Arc::clone(&services), far, None);
        let playing = async {
            let socket = WebSocketStream::from_raw_socket(near, Role::Client, None).await;
            BotSession::new(socket, &services, &player, &admission, wait_limits).run().await;
        };
        tokio::join!(serving, playing);
        if soft.run_until_cancelled(sleep(HOUSE_PAUSE)).await.is_none() {
            return;
        }
    }
}

/// A move that is being search about.
type SearchTask = JoinHandle<Option<(GameId, u32, String)>>;

struct BotSession<'a> {
    services: &'a Services,
    player: &'a HouseBot,
    admission: &'a Admission,
    wait_limits: WaitLimits,
    socket: WebSocketStream<DuplexStream>,
    games: HashMap<GameId, Replay>,
    /// Games in which it is the house's turn, the longest waiting first.
    due: VecDeque<GameId>,
    /// Games from before whose records are still to be read, one after the other.
    unread: VecDeque<GameId>,
    reading: Option<RecordFetch>,
    /// Challenges that are still to be answered, one after the other: each game counts for the next.
    challenges: VecDeque<Challenged>,
    accepting: Option<PendingAccept>,
    /// Nothing could be stored: challenges are answered again from then on.
    answers_again_at: Option<Instant>,
    abandoned: AbandonedGames,
    last_request: u64,
}

/// A game whose record is being read.
struct RecordFetch {
    request: RequestId,
    game: GameId,
    /// Up to which event, once that is known.
    until: Option<u64>,
}

/// A challenge whose acceptance is not answered yet.
struct PendingAccept {
    request: RequestId,
    challenged: Challenged,
}

impl<'a> BotSession<'a> {
    fn new(
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

    async fn run(mut self) {
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
                frame = self.socket.next() => self.on_message(frame).await,
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
                    tracing::warn!(?code, player = %self.player.name, "the house was sent away");
                }
                false
            }
            Some(Err(_)) | None => false,
        }
    }

    fn next_id(&mut self) -> RequestId {
        self.last_request += 1;
        format!("house-{}", self.last_request).parse().expect("a short id")
    }

    /// Whether the server is still there.
    async fn send(&mut self, request: FromClient) -> bool {
        let text = codec::encode_request(&request);
        self.socket.send(Message::Text(text.into())).await.is_ok()
    }

    async fn on_frame(&mut self, bytes: &[u8]) -> bool {
        let message = match ToClient::from_bytes(bytes) {
            Ok(Some(message)) => message,
            Ok(None) => return true,
            Err(error) => {
                tracing::error!(%error, "the house was told something that it cannot read");
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
            | ToClient::Tokens(_)
            | ToClient::Bots(_)
            | ToClient::Catalogue(_)
            | ToClient::Standings(_)
            | ToClient::User(_)
            | ToClient::History(_)
            | ToClient::Pong(_)
            | ToClient::Presence(_)
            | ToClient::Challenges(_)
            | ToClient::Lobby(_)
            | ToClient::Positions(_)
            | ToClient::Tv(_)
            | ToClient::Live(_)
            | ToClient::Said(_)
            | ToClient::Unsaid(_)
            | ToClient::Talk(_)
            | ToClient::Mutes(_)
            | ToClient::Notice(_) => true,
        }
    }

    fn on_event(&mut self, frame: &EventFrame, bytes: &[u8]) {
        if frame.seq == 1 {
            self.games.entry(frame.game.clone()).or_default();
        }
        let is_unread = self.is_unread(&frame.game);
        // What follows upon the end of a game is not the house's business any more.
        let Some(game) = self.games.get_mut(&frame.game) else { return };
        let is_early = frame.seq > game.seq() + 1 && is_unread;
        if frame.seq <= game.seq() || is_early {
            return;
        }
        if let Err(error) = game.push(bytes) {
            tracing::error!(game = %frame.game, %error, "the house cannot follow a game");
            self.games.remove(&frame.game);
            return;
        }
        if matches!(frame.body, EventBody::Ended(_) | EventBody::Aborted(_)) {
            self.games.remove(&frame.game);
        }
    }

    /// Whether a game's record from before is still to come, or on its way.
    fn is_unread(&self, game: &GameId) -> bool {
        self.unread.contains(game)
            || self.reading.as_ref().is_some_and(|reading| reading.game == *game)
    }

    /// Reads the record of the next game from before, once that of the last one is there: all of them
    /// at once would be more than may wait for a session.
    async fn read_next(&mut self) -> bool {
        if let Some(RecordFetch { game, until, .. }) = &self.reading {
            let seq = self.games.get(game).map(Replay::seq);
            if seq.is_some_and(|seq| until.is_none_or(|until| seq < until)) {
                return true;
            }
        }
        self.reading = None;
        let Some(game) = self.unread.pop_front() else { return true };
        let request = self.next_id();
        self.reading =
            Some(RecordFetch { request: request.clone(), game: game.clone(), until: None });
        self.send(Watch { id: request, game, from: Some(1), named: None }.into()).await
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
        tracing::debug!(code = %failed.code, message = %failed.message, "the house was refused");
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
            self.decline(accepting.challenged, (ClosedReason::Later, message.into())).await;
            return self.answer_challenges().await;
        }
        true
    }

    fn has_accepted(&self, challenged: &Challenged) -> bool {
        challenged.accepted.iter().any(|user| user.is_same(self.player.name.as_str()))
    }

    async fn on_challenge(&mut self, challenged: Challenged) -> bool {
        let known = |other: &Challenged| other.challenge == challenged.challenge;
        let is_answered = self.has_accepted(&challenged)
            || self.challenges.iter().any(known)
            || self.accepting.as_ref().is_some_and(|accepting| known(&accepting.challenged));
        if is_answered {
            return true;
        }
        self.challenges.push_back(challenged);
        self.answer_challenges().await
    }

    /// Answers the challenges up to one that is accepted, whose answer is waited for.
    async fn answer_challenges(&mut self) -> bool {
        while self.accepting.is_none()
            && self.answers_again_at.is_none()
            && let Some(challenged) = self.challenges.pop_front()
        {
            let from = self.services.lobby.network_of_challenge(&challenged.challenge);
            if let Some(refusal) = self.refusal(&challenged, from) {
                self.decline(challenged, refusal).await;
                continue;
            }
            self.admission.accept(&challenged, from);
            let id = self.next_id();
            let challenge = Some(challenged.challenge.clone());
            self.accepting = Some(PendingAccept { request: id.clone(), challenged });
            return self.send(Accept { id, seek: None, challenge }.into()).await;
        }
        true
    }

    fn refusal(&self, challenged: &Challenged, from: Option<ClientNetwork>) -> Option<Refusal> {
        self.admission.refusal(self.player, challenged, from, self.services.rooms.store().live())
    }

    /// Declines out loud. What cannot be stored now is said later.
    async fn decline(&mut self, challenged: Challenged, refusal: Refusal) {
        let lobby = &self.services.lobby;
        let said = lobby.decline_for_house(&self.player.name, &challenged.challenge, refusal).await;
        // Refused otherwise, it is closed already.
        if let Err(Denial::ReadOnly | Denial::Store(_)) = said {
            self.challenges.push_front(challenged);
            self.answers_again_at = Some(Instant::now() + STORE_RETRY);
        }
    }

    /// Ends games whose opponent does not come back.
    async fn end_abandoned(&mut self) -> bool {
        let Services { rooms, lobby, time, .. } = self.services;
        let live = rooms.store().live();
        self.abandoned.keep(|game| live.has(game));
        for game in live.of_user(&self.player.name) {
            let entry = match rooms.store().entry(&game).await {
                Ok(Some(entry)) if entry.result.is_none() => entry,
                Ok(_) => continue,
                Err(error) => {
                    tracing::warn!(%game, %error, "the house cannot look at a game");
                    continue;
                }
            };
            let seen = (self.wait_limits, lobby, time.now_ms());
            if let Some(game_to_end) = self.abandoned.check(&entry, &self.player.name, seen) {
                let id = self.next_id();
                let request = self.abandoned.ask(id, game_to_end);
                if !self.send(request).await {
                    return false;
                }
            }
        }
        true
    }

    /// The house grants takebacks where nothing counts, and turns every other offer down at once.
    async fn on_offer(&mut self, frame: &EventFrame) -> bool {
        let EventBody::Offered(offered) = &frame.body else { return true };
        match self.answer_to(&frame.game, offered.offer, &offered.needs, offered.what) {
            Some(accept) => {
                let (id, game) = (self.next_id(), frame.game.clone());
                self.send(Answer { id, game, offer: offered.offer, accept }.into()).await
            }
            None => true,
        }
    }

    /// What the house says to an offer; `None` if that is not for it to say.
    fn answer_to(
        &self,
        game: &GameId,
        offer: OfferId,
        needs: &[u8],
        what: OfferKind,
    ) -> Option<bool> {
        let table = self.games.get(game).and_then(Replay::table)?;
        table.offers().iter().find(|open| open.offer.0 == offer.0)?;
        let seat = table.seat_of(self.player.name.as_str())?;
        let is_asked = needs.contains(&wire::seat_number(seat));
        is_asked.then_some(what == OfferKind::Takeback && !table.setup().rated)
    }

    fn on_turn(&mut self, turn: &YourTurn) {
        let known = self.games.get(&turn.game).and_then(Replay::table);
        // Before a game's record has been read there is nothing to start_search about yet; the turn is
        // told again behind it.
        if known.is_some_and(|table| table.turn() == turn.turn) && !self.due.contains(&turn.game) {
            self.due.push_back(turn.game.clone());
        }
    }

    /// Begins to start_search about the longest waiting game, on a thread of its own.
    fn start_search(&mut self) -> Option<SearchTask> {
        while let Some(game) = self.due.pop_front() {
            let Some(table) = self.games.get(&game).and_then(Replay::table) else { continue };
            let (turn, position) = (table.turn(), table.position().clone());
            let (level, seen) = (self.player.search_level(), table.positions_seen().to_vec());
            return Some(tokio::task::spawn_blocking(move || {
                let play = adamant_bot::choose_after(&seen, &position, level, &mut rand::rng())?;
                Some((game, turn, play.to_string()))
            }));
        }
        None
    }

    async fn make_move(&mut self, game: GameId, turn: u32, notation: &str) -> bool {
        // Named by game and turn: however often it is sent, it is one move.
        let id = format!("{game}:{turn}").parse().expect("a short id");
        self.send(Move { id, game, turn, notation: notation.into() }.into()).await
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
