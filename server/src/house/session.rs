//! One bot's session over a pipe inside the process: how it answers challenges, follows its games and
//! moves.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
};

use adamant_protocol::{
    CloseCode, EventBody, EventFrame, FromClient, GameId, OfferId, PROTOCOL_VERSION, RequestId,
    ToClient, UserName, codec,
    event::OfferKind,
    from_client::{Accept, Answer, Auth, Hello, Move, Offer, Watch},
    to_client::{Challenged, ClosedReason, Done, Failed, Welcome, YourTurn},
};
use adamant_record::{Replay, wire};
use adamant_rules::Table;
use futures::{
    FutureExt as _, SinkExt as _, StreamExt as _, future::BoxFuture, stream::FuturesUnordered,
};
use tokio::{
    io::DuplexStream,
    sync::Semaphore,
    time::{Instant, MissedTickBehavior, interval, sleep, sleep_until},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Error, Message, protocol::Role},
};

use super::{
    absent_opponents::{AbandonedGames, WaitLimits},
    admission::{Admission, FULL},
    bot::HouseBot,
};
use crate::{
    config,
    error::Denial,
    fair_queue::{FairQueue, Urgency},
    limits::{
        EXHIBITION_PACE, EXHIBITION_PLIES_MAX, HOUSE_CLOCKED_SEARCHES_MAX, HOUSE_PAUSE,
        HOUSE_PIPE_BYTES, HOUSE_SEARCHES_AT_ONCE_MAX, HOUSE_USE, STORE_RETRY,
    },
    lobby::Refusal,
    runtime::time::milliseconds,
    session::{self, Services},
    store::SharedWork,
};

/// The search for a move, once there is a place for it.
type SearchTask = BoxFuture<'static, Option<(GameId, u32, String)>>;

/// The places for searches of all bots together. A game with a clock waits for none without.
#[derive(Debug, Clone)]
pub(crate) struct Searches {
    clocked: FairQueue<UserName>,
    others: FairQueue<UserName>,
    /// That of the others which exhibitions share: people who play come first.
    exhibition: Arc<Semaphore>,
}

impl Default for Searches {
    fn default() -> Self {
        Self {
            clocked: FairQueue::new(HOUSE_CLOCKED_SEARCHES_MAX, HOUSE_CLOCKED_SEARCHES_MAX),
            others: FairQueue::new(HOUSE_SEARCHES_AT_ONCE_MAX, 1),
            exhibition: Arc::new(Semaphore::new(1)),
        }
    }
}

/// A game in which it is the house's turn.
#[derive(Debug)]
struct DueTurn {
    game: GameId,
    since: Instant,
    has_clock: bool,
}

struct BotSession<'a> {
    pub(super) services: &'a Services,
    pub(super) player: &'a HouseBot,
    pub(super) admission: &'a Admission,
    searches: &'a Searches,
    pub(super) wait_limits: WaitLimits,
    pub(super) socket: WebSocketStream<DuplexStream>,
    pub(super) games: HashMap<GameId, Replay>,
    /// Games in which it is the house's turn, the longest waiting first.
    due: VecDeque<DueTurn>,
    /// Exhibitions in which it is the house's turn, and when each is due.
    paced: VecDeque<(Instant, GameId)>,
    /// Games from before whose records are still to be read, one after the other.
    pub(super) unread: VecDeque<GameId>,
    pub(super) reading: Option<RecordFetch>,
    /// Challenges to answer, one after the other: each game counts for the next.
    pub(super) challenges: VecDeque<Challenged>,
    accepting: Option<PendingAccept>,
    /// Nothing could be stored: challenges are answered again from then on.
    answers_again_at: Option<Instant>,
    abandoned: AbandonedGames,
    last_request: u64,
}

/// A game whose record is being read.
pub(super) struct RecordFetch {
    pub(super) request: RequestId,
    pub(super) game: GameId,
    /// Up to which event, once that is known.
    pub(super) until: Option<u64>,
}

/// A challenge whose acceptance is not answered yet.
struct PendingAccept {
    pub(super) request: RequestId,
    pub(super) challenged: Challenged,
}

impl<'a> BotSession<'a> {
    pub(super) fn new(
        socket: WebSocketStream<DuplexStream>,
        services: &'a Services,
        player: &'a HouseBot,
        (admission, searches): (&'a Admission, &'a Searches),
        wait_limits: WaitLimits,
    ) -> Self {
        Self {
            services,
            player,
            admission,
            searches,
            wait_limits,
            socket,
            games: HashMap::new(),
            due: VecDeque::new(),
            paced: VecDeque::new(),
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
        let (mut clocked, mut others) = (FuturesUnordered::new(), FuturesUnordered::new());
        let mut rounds = interval(self.wait_limits.every);
        rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while alive {
            while clocked.len() < HOUSE_CLOCKED_SEARCHES_MAX
                && let Some(search) = self.start_search(true)
            {
                clocked.push(search);
            }
            if others.is_empty() {
                others.extend(self.start_search(false));
            }
            alive = tokio::select! {
                biased;
                Some(moved) = clocked.next() => self.make_found_move(moved).await,
                Some(moved) = others.next() => self.make_found_move(moved).await,
                _ = rounds.tick() => {
                    self.tell_room();
                    self.end_abandoned().await
                }
                () = at(self.answers_again_at) => {
                    self.answers_again_at = None;
                    self.answer_challenges().await
                }
                () = at(self.paced.front().map(|(due, _)| *due)) => self.go_on_exhibiting().await,
                // Last, because frames may keep coming.
                frame = self.socket.next() => self.on_message(frame).await,
            };
        }
    }

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

    fn next_id(&mut self) -> RequestId {
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
            // The rest answers no request of a bot, or needs no answer.
            _ => true,
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

/// Waits until a moment; for ever if there is none.
async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

impl BotSession<'_> {
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
            let in_use = self.games_in_use();
            let load = (&self.services.store, &in_use);
            match self.admission.refusal(self.player, &challenged, from, load).await {
                Ok(None) => {}
                Ok(Some(refusal)) => {
                    self.tell_full(refusal.limit == Some(FULL));
                    self.decline(challenged, refusal).await;
                    continue;
                }
                Err(error) => {
                    // operator: the store failed; the bot answers the challenge later
                    tracing::warn!(%error, "server bot cannot count its games");
                    self.answer_later(challenged);
                    continue;
                }
            }
            self.admission.accept(&challenged, from);
            let id = self.next_id();
            let challenge = Some(challenged.challenge.clone());
            self.accepting = Some(PendingAccept { request: id.clone(), challenged });
            return self.send(Accept { id, seek: None, challenge, invite: None }.into()).await;
        }
        true
    }

    /// Declines out loud. What cannot be stored now is said later.
    pub(super) async fn decline(&mut self, challenged: Challenged, refusal: Refusal) {
        let (lobby, id) = (&self.services.lobby, challenged.challenge.clone());
        let said = lobby.decline_for(&self.player.name, id, refusal).await;
        // Refused otherwise, it is closed already.
        if let Err(Denial::ReadOnly | Denial::Store(_)) = said {
            self.answer_later(challenged);
        }
    }

    /// Warns of a bot that plays as many games as it can.
    fn tell_full(&self, is_full: bool) {
        let (name, games) = (&self.player.name, self.player.games_max());
        if is_full && self.services.metrics.set_full(name.as_str(), true) {
            // operator: players who challenge this level are declined, until some of its games end.
            // Logged once, until then
            tracing::warn!(%name, games, "a server bot plays as many games as it can");
        }
    }

    /// Takes the warning back once there is room.
    fn tell_room(&self) {
        let has_room = self.games_in_use().len() < self.player.games_max();
        if has_room && self.services.metrics.set_full(self.player.name.as_str(), false) {
            // operator: end of `a server bot plays as many games as it can`
            tracing::info!(name = %self.player.name, "a server bot has room for games again");
        }
    }

    fn answer_later(&mut self, challenged: Challenged) {
        self.challenges.push_front(challenged);
        self.answers_again_at = Some(Instant::now() + STORE_RETRY);
    }

    fn has_accepted(&self, challenged: &Challenged) -> bool {
        challenged.accepted.iter().any(|user| user.is_same(self.player.name.as_str()))
    }
}

impl BotSession<'_> {
    pub(super) fn on_event(&mut self, frame: &EventFrame, bytes: &[u8]) {
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
            // operator: a fault of the server: report it. The bot continues with its other games
            tracing::error!(game = %frame.game, %error, "server bot cannot follow a game");
            self.games.remove(&frame.game);
            return;
        }
        if matches!(frame.body, EventBody::Ended(_) | EventBody::Aborted(_)) {
            self.games.remove(&frame.game);
        }
    }

    /// The games that hold a place: one of the opponents is connected, and something has happened
    /// lately.
    fn games_in_use(&self) -> HashSet<GameId> {
        let Services { lobby, time, .. } = self.services;
        let since = time.now_ms().saturating_sub(milliseconds(HOUSE_USE));
        let is_there = |user: &str| {
            user.parse().is_ok_and(|user| !lobby.is_house(&user) && lobby.is_online(&user))
        };
        let is_used = |table: &Table| {
            table.last_at() >= since && table.players().iter().any(|player| is_there(&player.user))
        };
        let games = self.games.iter().filter(|(_, replay)| replay.table().is_some_and(is_used));
        games.map(|(game, _)| game.clone()).collect()
    }

    /// Whether a game's record from before is still to come, or on its way.
    fn is_unread(&self, game: &GameId) -> bool {
        self.unread.contains(game)
            || self.reading.as_ref().is_some_and(|reading| reading.game == *game)
    }

    /// Reads the record of the next earlier game once the last one is complete. All at once would
    /// overflow the session's outbox.
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

    /// Ends games whose opponent does not come back.
    async fn end_abandoned(&mut self) -> bool {
        let Services { store, lobby, time, .. } = self.services;
        let live = match store.live_games_of(&self.player.name).await {
            Ok(live) => live,
            Err(error) => {
                // operator: the store failed; the bot looks again later for games that its
                // opponents have left
                tracing::warn!(%error, "server bot cannot list its games");
                return true;
            }
        };
        self.abandoned.keep(&live);
        // The seat of a player who left may be one that this session has not heard of.
        let is_new = |game: &&GameId| !self.games.contains_key(*game) && !self.is_unread(game);
        let new: Vec<GameId> = live.iter().filter(is_new).cloned().collect();
        self.unread.extend(new);
        if !self.read_next().await {
            return false;
        }
        for game in live {
            let entry = match store.game_entry(&game).await {
                Ok(Some(entry)) if entry.result.is_none() => entry,
                Ok(_) => continue,
                Err(error) => {
                    // operator: the store failed; the bot retries
                    tracing::warn!(%game, %error, "server bot cannot read a game");
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

    /// The house grants takebacks where nothing counts, and plays on with another computer. It turns
    /// every other offer down at once.
    async fn on_offer(&mut self, frame: &EventFrame) -> bool {
        let (offer, needs, what) = match &frame.body {
            EventBody::Offered(offered) => (offered.offer, &offered.needs, offered.what),
            EventBody::SeatOffered(offered) => {
                (offered.offer, &offered.needs, OfferKind::Substitute)
            }
            _ => return true,
        };
        match self.answer_to(&frame.game, offer, needs, what) {
            Some(accept) => {
                let (id, game) = (self.next_id(), frame.game.clone());
                self.send(Answer { id, game, offer, accept }.into()).await
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
        is_asked.then(|| match what {
            OfferKind::Takeback => !table.setup().rated,
            OfferKind::Draw => self.is_exhibition(table),
            OfferKind::Substitute => true,
            _ => false,
        })
    }

    fn on_turn(&mut self, turn: &YourTurn) {
        let known = self.games.get(&turn.game).and_then(Replay::table);
        // Before a game's record has been read there is nothing to search. The server sends the
        // turn again after the record.
        let Some(table) = known.filter(|table| table.turn() == turn.turn) else { return };
        let is_paced = || self.paced.iter().any(|(_, game)| *game == turn.game);
        if self.due.iter().any(|due| due.game == turn.game) || is_paced() {
            return;
        }
        let (game, now) = (turn.game.clone(), Instant::now());
        if self.is_exhibition(table) {
            self.paced.push_back((now + EXHIBITION_PACE, game));
        } else {
            let has_clock = table.clock().left_ms().is_some();
            self.due.push_back(DueTurn { game, since: now, has_clock });
        }
    }

    fn is_exhibition(&self, table: &Table) -> bool {
        self.services.lobby.is_exhibition(table.players().iter().map(|player| &*player.user))
    }

    /// Makes the first exhibition due whose time has come, or offers the draw that ends it.
    async fn go_on_exhibiting(&mut self) -> bool {
        let Some((_, game)) = self.paced.pop_front() else { return true };
        let ply = self.games.get(&game).and_then(Replay::table).map(Table::ply);
        if ply.is_some_and(|ply| ply >= EXHIBITION_PLIES_MAX) {
            let id = self.next_id();
            return self.send(Offer { id, game, what: OfferKind::Draw }.into()).await;
        }
        self.due.push_back(DueTurn { game, since: Instant::now(), has_clock: false });
        true
    }

    /// Starts the search of the game with a clock, or without, that has waited longest, in the work
    /// pool.
    fn start_search(&mut self, has_clock: bool) -> Option<SearchTask> {
        while let Some(at) = self.due.iter().position(|due| due.has_clock == has_clock) {
            let DueTurn { game, since, .. } = self.due.remove(at)?;
            let Some(table) = self.games.get(&game).and_then(Replay::table) else { continue };
            let exhibition = if self.is_exhibition(table) {
                let Ok(place) = Arc::clone(&self.searches.exhibition).try_acquire_owned() else {
                    self.paced.push_back((Instant::now() + EXHIBITION_PACE, game));
                    continue;
                };
                Some(place)
            } else {
                None
            };
            let (turn, position) = (table.turn(), table.position().clone());
            let (level, seen) = (self.player.search_level(), table.positions_seen().to_vec());
            let mut entropy = self.services.entropy.clone();
            let places = if has_clock { &self.searches.clocked } else { &self.searches.others };
            let (rooms, places) = (self.services.rooms.clone(), places.clone());
            let (metrics, name) = (Arc::clone(&self.services.metrics), self.player.name.clone());
            let search = async move {
                let place = places.acquire(name, Urgency::Ordinary).await.ok()?;
                if has_clock {
                    metrics.observe_house_wait(since.elapsed());
                }
                let search = rooms.search(move || {
                    // Until the search ends, also if nobody waits for it any longer.
                    let _places = (place, exhibition);
                    let play =
                        adamant_engine::choice::choose_after(&seen, &position, level, &mut entropy);
                    Some((game, turn, play?.to_string()))
                });
                search.await.ok().flatten()
            };
            return Some(search.boxed());
        }
        None
    }

    async fn make_found_move(&mut self, found: Option<(GameId, u32, String)>) -> bool {
        let Some((game, turn, notation)) = found else { return true };
        // Named by game and turn: however often it is sent, it is one move.
        let id = format!("{game}:{turn}").parse().expect("a short id");
        self.send(Move { id, game, turn, notation: notation.into() }.into()).await
    }
}

/// Plays until the server stops; a connection that ends for another reason is opened again. Of
/// several nodes one plays at a time. When another one does, its session goes on with all games.
pub(crate) async fn play(
    services: Arc<Services>,
    player: HouseBot,
    games: config::GamesConfig,
    searches: Searches,
) {
    let admission = Admission::new(services.limits.get().enforced);
    let wait_limits = WaitLimits::new(&games);
    // The house is as fast as the server lets it; its own limit is one search at a time.
    let mut limits = config::Limits::clone(&services.limits.get());
    limits.enforced = false;
    let services = Arc::new(Services { limits: (&limits).into(), ..(*services).clone() });
    let soft = services.lifecycle.soft.clone();
    let work = SharedWork::new(&services.store.backend, services.lobby.cluster(), player.work);
    while soft.run_until_cancelled(work.taken()).await.is_some() {
        let (near, far) = tokio::io::duplex(HOUSE_PIPE_BYTES);
        let serving = session::serve_stream(Arc::clone(&services), far, None);
        let playing = async {
            let socket = WebSocketStream::from_raw_socket(near, Role::Client, None).await;
            let session =
                BotSession::new(socket, &services, &player, (&admission, &searches), wait_limits);
            tokio::select! {
                biased;
                () = session.run() => {}
                () = work.lost() => {
                    // operator: this node's session of the bot ends; its games go on from the other
                    // node
                    tracing::info!(player = %player.name, "another node plays for a server bot");
                }
            }
        };
        tokio::join!(serving, playing);
        if soft.run_until_cancelled(sleep(HOUSE_PAUSE)).await.is_none() {
            return;
        }
    }
}
