//! A game through `adamant-client`, which reconnects by itself: the program that uses it only sends
//! requests and reads events.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use adamant_client::{Client, Config, Dial, DialFuture, Inbox, Incoming, Transport};
use adamant_engine::choice::Level;
use adamant_protocol::{
    GameId, UserName,
    from_client::{Accept, Auth, Challenge, Move, Resign},
    values::{Options, TimeControl},
};
use adamant_record::Replay;
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use tokio::{
    net::TcpStream,
    sync::{Semaphore, watch},
    task::JoinSet,
    time::timeout,
};

use super::{
    checker::{History, ReceivedEvent},
    random_kills::{verified_records, wait_for_acks},
};
use crate::harness::Server;

/// How often the server is killed during the game.
const KILLS: u64 = 4;

/// The most moves between two kills.
const MOVES_BETWEEN_KILLS_MAX: u64 = 6;

/// The longest that the whole game may take.
const GAME_MAX: Duration = Duration::from_mins(1);

/// Connects to the server's current address: a restarted server has another port.
struct CurrentAddress(watch::Receiver<SocketAddr>);

impl Dial for CurrentAddress {
    fn dial(&self) -> DialFuture {
        let address = *self.0.borrow();
        Box::pin(async move {
            let stream = TcpStream::connect(address).await?;
            Ok(Box::new(stream) as Box<dyn Transport>)
        })
    }
}

async fn connect(name: &str, address: &watch::Receiver<SocketAddr>) -> (Client, Inbox) {
    let here = address.borrow().to_string().parse().expect("an address");
    let auth = Auth::Guest(name.parse().expect("a name"));
    let config = Config::new(here).with_auth(auth);
    let dial = Arc::new(CurrentAddress(address.clone()));
    let (client, inbox, _) = Client::connect_over(config, dial).await.expect("the server runs");
    (client, inbox)
}

/// One side of a game.
struct Side {
    client: Client,
    inbox: Inbox,
    rng: SmallRng,
    replay: Replay,
    events: Vec<ReceivedEvent>,
    /// The last answered turn: the server may send it again before the event of the move.
    answered: Option<u32>,
    moves: watch::Sender<u64>,
    /// One permit for each allowed move, so that a late kill still hits a running game. Closed when
    /// the side to move is to resign.
    permits: Arc<Semaphore>,
}

impl Side {
    /// Plays to the end of the game and returns every event received.
    async fn play(mut self) -> Vec<ReceivedEvent> {
        loop {
            let heard = self.inbox.next().await.expect("the client never gives up");
            match heard {
                Incoming::Event { frame, bytes } => {
                    self.replay.push(&bytes).expect("each event once and in order");
                    let text = String::from_utf8(bytes.to_vec()).expect("events are text");
                    self.events.push(ReceivedEvent {
                        game: frame.game.to_string(),
                        seq: frame.seq,
                        text,
                    });
                    if self.replay.table().is_some_and(|table| table.outcome().is_some()) {
                        self.client.close().await;
                        return self.events;
                    }
                }
                Incoming::YourTurn(turn) => self.answer(turn.game, turn.turn).await,
                Incoming::Disconnected { reason, retry_in: None } => {
                    panic!("the client gives up: {reason}")
                }
                Incoming::Snapshot(_)
                | Incoming::Presence(_)
                | Incoming::Challenged(_)
                | Incoming::ChallengeClosed(_)
                | Incoming::Invite(_)
                | Incoming::Lobby(_)
                | Incoming::Featured(_)
                | Incoming::Live(_)
                | Incoming::Said(_)
                | Incoming::Unsaid(_)
                | Incoming::Notice(_)
                | Incoming::ServerError(_)
                | Incoming::Connected(_)
                | Incoming::Disconnected { retry_in: Some(_), .. } => {}
            }
        }
    }

    async fn answer(&mut self, game: GameId, turn: u32) {
        let table = self.replay.table().expect("events come before a turn");
        if self.answered.replace(turn) == Some(turn) || table.turn() != turn {
            return;
        }
        let play = adamant_engine::choice::choose(table.position(), Level::Random, &mut self.rng)
            .expect("the side to move has a legal move");
        let notation = play.to_string().into();
        let Ok(permit) = self.permits.acquire().await else {
            self.client.done(|id| Resign { id, game }).await.expect("the game is live");
            return;
        };
        permit.forget();
        let done = self.client.done(|id| Move { id, game, turn, notation }).await;
        done.expect("a move survives the crash");
        self.moves.send_modify(|moves| *moves += 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_client_library_reconnects_by_itself() {
    let seed: u64 = rand::rng().random();
    println!("seed {seed}");
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut server = Server::with(|setup| setup.argument("--no-house")).await;
    let (told, address) = watch::channel(server.address());
    let (ann, ann_hears) = connect("ann", &address).await;
    let (bob, mut bob_hears) = connect("bob", &address).await;

    let seats: Vec<UserName> = ["ann", "bob"].map(|name| name.parse().expect("a name")).into();
    let (rules, clock) = ("adamas".parse().expect("a game"), TimeControl::None);
    // So large that the game outlasts all kills.
    let options = Options::Text("-size=8".into());
    let asked = |id| Challenge {
        id,
        rules,
        options,
        seats,
        shuffle: false,
        clock,
        rated: false,
        delay: 0,
        unlisted: false,
    };
    let made = ann.done(asked).await.expect("bob is there");
    loop {
        let heard = bob_hears.next().await.expect("the connection is open");
        if matches!(heard, Incoming::Challenged(_)) {
            break;
        }
    }
    let accepted = bob
        .done(|id| Accept { id, seek: None, challenge: made.challenge, invite: None })
        .await
        .expect("the challenge is open");
    let game = accepted.game.expect("both agree").to_string();

    let moves = watch::Sender::new(0);
    let permits = Arc::new(Semaphore::new(0));
    let mut playing = JoinSet::new();
    for (client, inbox) in [(ann, ann_hears), (bob, bob_hears)] {
        let side = Side {
            client,
            inbox,
            rng: rng.fork(),
            replay: Replay::new(),
            events: Vec::new(),
            answered: None,
            moves: moves.clone(),
            permits: Arc::clone(&permits),
        };
        playing.spawn(side.play());
    }
    let mut allowed = 0;
    for _ in 0..KILLS {
        let target = *moves.borrow() + rng.random_range(1..=MOVES_BETWEEN_KILLS_MAX);
        // One more move is allowed than awaited: the kill hits it in progress or just done.
        let more = usize::try_from(target - allowed + 1).expect("a small number");
        permits.add_permits(more);
        allowed = target + 1;
        assert!(wait_for_acks(&moves, target, &mut playing).await, "the game stands still");
        server.kill().await;
        server.restart().await;
        told.send(server.address()).expect("the clients listen");
    }

    permits.close();
    let mut history = History::default();
    let ended = timeout(GAME_MAX, async {
        while let Some(events) = playing.join_next().await {
            history.events.extend(events.expect("neither side has failed"));
        }
    });
    ended.await.expect("the game comes to its end");
    let records = verified_records(&server, &game, &history).await;
    assert_eq!(history.events.len(), 2 * records.len(), "each side has received every event once");
}
