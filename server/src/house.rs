//! The house players: bots that accept any challenge, so that somebody who is alone can play at
//! once, one for each level. Each goes through the same door as every bot, a session, though over a
//! pipe inside the process; and each thinks about one move at a time.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use adamant_bot::Level;
use adamant_protocol::{
    CloseCode, EventBody, EventFrame, FromClient, GameId, PROTOCOL_VERSION, RequestId, ToClient,
    UserName, codec,
    from_client::{Accept, Answer, Auth, Decline, DeclineReason, Hello, Move, Watch},
    to_client::{HouseLevel, HousePlayer, YourTurn},
};
use adamant_record::{Replay, wire};
use futures::{SinkExt as _, StreamExt as _};
use tokio::{io::DuplexStream, task::JoinHandle, time::sleep};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Message, protocol::Role},
};

use crate::{
    accounts::{Accounts, AuthError},
    limits::{HOUSE_GAMES_MAX, HOUSE_PAUSE, HOUSE_PIPE_BYTES, HOUSE_SEARCHES_MAX},
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
pub(crate) struct Player {
    name: UserName,
    level: HouseLevel,
    token: Box<str>,
}

impl Player {
    /// As it is told to clients.
    pub(crate) fn listed(&self) -> HousePlayer {
        HousePlayer { user: self.name.clone(), level: self.level }
    }

    /// How it chooses its moves.
    const fn thinks(&self) -> Level {
        match self.level {
            HouseLevel::Easy => Level::Random,
            HouseLevel::Medium => Level::Greedy,
            HouseLevel::Hard => Level::Search,
        }
    }

    /// Live games that it takes on.
    const fn games_max(&self) -> usize {
        match self.level {
            HouseLevel::Easy | HouseLevel::Medium => HOUSE_GAMES_MAX,
            HouseLevel::Hard => HOUSE_SEARCHES_MAX,
        }
    }
}

/// The house players with their tokens, whose accounts are made at the first start. A name that
/// somebody has had before there was such a player stays theirs.
pub(crate) async fn players(accounts: &Accounts) -> Result<Vec<Player>, AuthError> {
    let mut players = Vec::with_capacity(HOUSE.len());
    for (name, level) in HOUSE {
        let name: UserName = name.parse().expect("the house has proper names");
        let logged_in = accounts.house(name.clone()).await?;
        if let Some(token) = logged_in.and_then(|logged_in| logged_in.secret) {
            players.push(Player { name, level, token });
        } else {
            tracing::warn!("a player is called {name}, so the house does not play as it");
        }
    }
    Ok(players)
}

/// Plays until the server stops; a connection that ends for another reason is opened anew.
pub(crate) async fn play(services: Arc<Services>, player: Player) {
    // The house is as fast as the server lets it; its own limit is one thought at a time.
    let mut limits = (*services.limits).clone();
    limits.enforced = false;
    let services = Arc::new(Services { limits: limits.into(), ..(*services).clone() });
    let soft = services.lifecycle.soft.clone();
    while !soft.is_cancelled() {
        let (near, far) = tokio::io::duplex(HOUSE_PIPE_BYTES);
        let serving = session::serve_stream(Arc::clone(&services), far, None);
        let playing = async {
            let socket = WebSocketStream::from_raw_socket(near, Role::Client, None).await;
            House::new(socket, &player).run().await;
        };
        tokio::join!(serving, playing);
        if soft.run_until_cancelled(sleep(HOUSE_PAUSE)).await.is_none() {
            return;
        }
    }
}

/// A move that is being thought about.
type Thought = JoinHandle<Option<(GameId, u32, String)>>;

struct House<'a> {
    player: &'a Player,
    socket: WebSocketStream<DuplexStream>,
    games: HashMap<GameId, Replay>,
    /// Games in which it is the house's turn, the longest waiting first.
    due: VecDeque<GameId>,
    last_request: u64,
}

impl<'a> House<'a> {
    fn new(socket: WebSocketStream<DuplexStream>, player: &'a Player) -> Self {
        Self { player, socket, games: HashMap::new(), due: VecDeque::new(), last_request: 0 }
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
        let mut thought: Option<Thought> = None;
        while alive {
            if thought.is_none() {
                thought = self.think();
            }
            alive = tokio::select! {
                frame = self.socket.next() => match frame {
                    Some(Ok(Message::Text(text))) => self.on_frame(text.as_bytes()).await,
                    Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Binary(_) | Message::Frame(_))) => true,
                    Some(Ok(Message::Close(close))) => {
                        let code = close.map(|close| u16::from(close.code));
                        if code != Some(CloseCode::Restart.number()) {
                            tracing::warn!(?code, player = %self.player.name, "the house was sent away");
                        }
                        false
                    }
                    Some(Err(_)) | None => false,
                },
                moved = thought_of(&mut thought) => {
                    thought = None;
                    match moved {
                        Some((game, turn, notation)) => self.make_move(game, turn, &notation).await,
                        None => true,
                    }
                }
            };
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
                self.on_offer(&frame).await
            }
            ToClient::YourTurn(turn) => {
                self.on_turn(&turn);
                true
            }
            ToClient::Challenged(challenged) => {
                let id = self.next_id();
                let challenge = challenged.challenge;
                let answer: FromClient = if self.games.len() < self.player.games_max() {
                    Accept { id, seek: None, challenge: Some(challenge) }.into()
                } else {
                    Decline { id, challenge, reason: DeclineReason::Busy }.into()
                };
                self.send(answer).await
            }
            // A game from before: its record is read from the beginning, like any bot can.
            ToClient::Snapshot(snapshot) => {
                self.games.insert(snapshot.game.clone(), Replay::new());
                let watch = Watch {
                    id: self.next_id(),
                    game: snapshot.game.clone(),
                    from: Some(1),
                    named: None,
                };
                self.send(watch.into()).await
            }
            ToClient::Error(failed) => {
                tracing::debug!(code = %failed.code, message = %failed.message, "the house was refused");
                true
            }
            ToClient::Welcome(_)
            | ToClient::Ok(_)
            | ToClient::Signature(_)
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
            | ToClient::ChallengeClosed(_)
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
        let game = self.games.entry(frame.game.clone()).or_default();
        if frame.seq <= game.seq() {
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

    /// The house plays on: it turns every offer down, so that nobody waits for an answer.
    async fn on_offer(&mut self, frame: &EventFrame) -> bool {
        let EventBody::Offered(offered) = &frame.body else { return true };
        let seat = self.games.get(&frame.game).and_then(Replay::table).and_then(|table| {
            table.offers().iter().find(|open| open.offer.0 == offered.offer.0)?;
            table.seat_of(self.player.name.as_str())
        });
        if !seat.is_some_and(|seat| offered.needs.contains(&wire::seat_number(seat))) {
            return true;
        }
        let (id, game) = (self.next_id(), frame.game.clone());
        self.send(Answer { id, game, offer: offered.offer, accept: false }.into()).await
    }

    fn on_turn(&mut self, turn: &YourTurn) {
        let known = self.games.get(&turn.game).and_then(Replay::table);
        // Before a game's record has been read there is nothing to think about yet; the turn is
        // told again behind it.
        if known.is_some_and(|table| table.turn() == turn.turn) && !self.due.contains(&turn.game) {
            self.due.push_back(turn.game.clone());
        }
    }

    /// Begins to think about the longest waiting game, on a thread of its own.
    fn think(&mut self) -> Option<Thought> {
        while let Some(game) = self.due.pop_front() {
            let Some(table) = self.games.get(&game).and_then(Replay::table) else { continue };
            let (turn, position) = (table.turn(), table.position().clone());
            let (level, seen) = (self.player.thinks(), table.positions_seen().to_vec());
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

/// Waits for a thought; for ever if there is none.
async fn thought_of(thought: &mut Option<Thought>) -> Option<(GameId, u32, String)> {
    match thought {
        Some(thought) => thought.await.ok().flatten(),
        None => std::future::pending().await,
    }
}
