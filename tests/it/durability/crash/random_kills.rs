//! The server is killed again and again while players are busy. No acknowledged request and no sent
//! event is lost, doubled or reverted.

use std::{collections::BTreeSet, net::SocketAddr, sync::Arc, time::Duration};

use adamant_client::{Client, Config, Dial, DialFuture, Inbox, Incoming, Transport};
use adamant_engine::choice::Level;
use adamant_protocol::{
    EventFrame, GameId, UserName,
    from_client::{Accept, Auth, Challenge, Move, Resign},
    values::{Options, TimeControl},
};
use adamant_record::{Head, Replay, chain_after};
use adamant_rules::Kind;
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use serde_json::{Value, json};
use tokio::{
    net::TcpStream,
    process::Command,
    sync::{Semaphore, watch},
    task::JoinSet,
    time::timeout,
};

use super::{
    checker::{History, ReceivedEvent, Violation},
    player::{Connection, SharedState},
};
use crate::harness::{self, Server, binary};

/// How often the server is killed, in the short and in the long form.
const KILLS: usize = 24;
const KILLS_LONG: usize = 200;

/// The variable that chooses another number of kills.
const KILLS_VARIABLE: &str = "ADAMANT_KILLS";

#[expect(clippy::disallowed_methods, reason = "the environment chooses the kills")]
fn chosen_kills() -> usize {
    let by_default = if harness::is_long() { KILLS_LONG } else { KILLS };
    let chosen = std::env::var(KILLS_VARIABLE);
    chosen.map_or(by_default, |kills| kills.parse().expect("a number of kills"))
}

/// Each player starts three games: about twenty-four games at once.
pub(crate) const PLAYERS: usize = 8;

/// The most acknowledgements between two kills. The fewest is one, so that some kills hit while
/// players still reconnect.
const ACKS_BETWEEN_KILLS_MAX: u64 = 160;

/// How long the players may take for that number of acknowledgements.
const ROUND_MAX: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_lose_double_and_revert_nothing() {
    let seed: u64 = rand::rng().random();
    println!("seed {seed}");
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut server = Server::with(|setup| {
        setup.argument("--no-limits");
        setup.argument("--no-house");
    })
    .await;
    let (told, address) = watch::channel(server.address());
    let shared = SharedState::new(PLAYERS, address);
    let mut playing = shared.play(&mut rng).await;

    let mut goes_on = true;
    for _ in 0..chosen_kills() {
        let target = *shared.acked.borrow() + rng.random_range(1..=ACKS_BETWEEN_KILLS_MAX);
        goes_on = goes_on && wait_for_acks(&shared.acked, target, &mut playing).await;
        if goes_on {
            server.kill().await;
            server.restart().await;
            told.send(server.address()).expect("the players listen");
        }
    }
    // Play continues after the last restart, too.
    let target = *shared.acked.borrow() + ACKS_BETWEEN_KILLS_MAX;
    goes_on = goes_on && wait_for_acks(&shared.acked, target, &mut playing).await;
    shared.stop.cancel();

    let (mut history, mut resent, mut done_before) = (History::default(), 0, 0);
    while let Ok(Some(player)) = timeout(ROUND_MAX, playing.join_next()).await {
        let player = player.expect("no player has failed");
        (resent, done_before) = (resent + player.resent, done_before + player.done_before);
        history.merge(player.history);
    }
    let (acks, games) = (history.acks.len(), history.games.len());
    println!("{games} games, {acks} acks, {resent} sent again, {done_before} done before");

    let mut longest: Vec<String> = Vec::new();
    let mut rated: Vec<Vec<String>> = Vec::new();
    let mut kinds = BTreeSet::new();
    for game in &history.games {
        let records = verified_records(&server, game, &history).await;
        kinds.insert(kind(&records));
        if records.last().is_some_and(|last| last.contains("\"kind\":\"rated\"")) {
            rated.push(records.clone());
        }
        if records.len() > longest.len() {
            longest = records;
        }
    }
    // Games most often stall because of a lost record, which the checks above would have named.
    assert!(goes_on, "the games stalled");
    assert!(playing.is_empty(), "some requests are never answered");
    assert!(games >= 3 * PLAYERS, "only {games} games were played");
    let all: BTreeSet<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(kinds.iter().map(String::as_str).collect::<BTreeSet<_>>(), all);
    assert!(resent > 0, "no kill hit an unanswered request");
    assert_tampering_is_found(&longest, &history);
    println!("{} games were rated", rated.len());
    verify_ratings(&server, &rated).await;
}

/// Checks that the ratings agree with the games' records.
async fn verify_ratings(server: &Server, rated: &[Vec<String>]) {
    let mut command = Command::new(binary("adamant-server"));
    command.args(["ratings", "--check"]).args(server.store_arguments());
    let output = timeout(ROUND_MAX, command.output()).await.expect("in time").expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert_eq!(*said, format!("the ratings agree with the {} results\n", rated.len()));

    // The control: a missing and a doubled rating are found.
    let records = rated.first().expect("some games that count have ended");
    let cut = &records[..records.len() - 1];
    let fault = History::default().check(cut).unwrap_err();
    assert_eq!(fault, Violation::WrongRatings { times: 0 });
    let mut doubled = records.clone();
    doubled.extend(records.last().cloned());
    let fault = History::default().check(&chained_anew(&doubled)).unwrap_err();
    assert_eq!(fault, Violation::WrongRatings { times: 2 });
}

/// Waits until `acks` has reached `target`; false if it never does. A player who ends before has
/// failed.
pub(crate) async fn wait_for_acks<T: 'static>(
    acked: &watch::Sender<u64>,
    target: u64,
    playing: &mut JoinSet<T>,
) -> bool {
    let mut count = acked.subscribe();
    let reached = count.wait_for(|count| *count >= target);
    tokio::select! {
        reached = timeout(ROUND_MAX, reached) => reached.is_ok(),
        ended = playing.join_next() => {
            let left = ended.expect("there are players").is_ok();
            assert!(!left, "the game was over too soon");
            panic!("a player has failed");
        }
    }
}

/// Reads a game's whole record as a new spectator, compares it with what players received, and
/// compares the live position with the replayed one.
pub(crate) async fn verified_records(
    server: &Server,
    game: &str,
    history: &History,
) -> Vec<String> {
    let opened = Connection::open(server.address(), None, &json!({})).await;
    let (mut link, _) = opened.expect("the server runs");
    let watch = json!({"type": "watch", "id": "from the start", "game": game, "from": 1});
    link.send(&watch.to_string()).await.expect("the server runs");
    let done: Value = serde_json::from_str(&link.next().await.expect("a reply")).unwrap();
    let last = done["seq"].as_u64().unwrap_or_else(|| panic!("{game}: {done}"));
    let mut records = Vec::new();
    while (records.len() as u64) < last {
        let frame = link.next().await.expect("the record goes on");
        if frame.starts_with(r#"{"type":"event""#) {
            records.push(frame);
        }
    }
    let replay = match history.for_game(game).check(&records) {
        Ok(replay) => replay,
        Err(fault) => panic!("{game}: {fault:?}\n{}", records.join("\n")),
    };
    let watch = json!({"type": "watch", "id": "as it stands", "game": game});
    link.send(&watch.to_string()).await.expect("the server runs");
    let snapshot = loop {
        let frame = link.next().await.expect("a reply");
        let frame: Value = serde_json::from_str(&frame).unwrap();
        // Presence comes at any time.
        if frame["re"] == "as it stands" {
            break frame;
        }
        assert_eq!(frame["type"], "presence", "{frame}");
    };
    let table = replay.table().expect("there are records");
    assert_eq!(snapshot["hash"], format!("{:016x}", table.hash()), "{game}");
    assert_eq!(snapshot["seq"], replay.seq(), "{game}");
    assert_eq!(snapshot["chain"], replay.chain().to_string(), "{game}");
    assert_eq!(snapshot["turn"], table.turn(), "{game}");
    records
}

/// The control: changed records do not pass the check.
fn assert_tampering_is_found(records: &[String], history: &History) {
    let game = &records_game(records);
    let history = history.for_game(game);
    let ack = history.acks.iter().max_by_key(|ack| ack.seq).expect("the longest game was played");
    let at = usize::try_from(ack.seq).unwrap() - 1;
    let is_missing = |fault: &Violation| matches!(fault, Violation::LostAck { .. });

    let mut lost = records.to_vec();
    lost.remove(at);
    let fault = history.check(&chained_anew(&lost)).unwrap_err();
    assert!(is_missing(&fault), "an acknowledged record is lost: {fault:?}");
    let fault = history.check(&records[..at]).unwrap_err();
    assert!(is_missing(&fault), "the end of the record is lost: {fault:?}");

    let mut doubled = records.to_vec();
    doubled.push(records[at].clone());
    let fault = history.check(&chained_anew(&doubled)).unwrap_err();
    assert_eq!(fault, Violation::DuplicateRequest { req: ack.req.clone() });

    let mut extended = history.clone();
    let seq = records.len() as u64 + 1;
    let text = records[at].replace(&format!("\"seq\":{}", ack.seq), &format!("\"seq\":{seq}"));
    extended.events.push(ReceivedEvent { game: game.clone(), seq, text });
    assert_eq!(extended.check(records).unwrap_err(), Violation::LostEvent { seq });

    let mut other = history.clone();
    other.acks[0].asked["type"] = json!("abort");
    let fault = other.check(records).unwrap_err();
    assert!(
        matches!(fault, Violation::DifferentRequest { .. }),
        "another request is on record: {fault:?}"
    );

    let mut refused = history.clone();
    Arc::make_mut(&mut refused.refused).insert(ack.req.clone());
    assert_eq!(
        refused.check(records).unwrap_err(),
        Violation::RejectedButRecorded { req: ack.req.clone() }
    );

    // Without a history that contradicts it, only the chain shows the change.
    let mut changed = records.to_vec();
    changed[0] = changed[0].replacen("\"at\":1", "\"at\":2", 1);
    let fault = History::default().check(&changed).unwrap_err();
    assert!(matches!(fault, Violation::InvalidRecord { seq: 1, .. }), "{fault:?}");
    assert!(history.check(records).is_ok(), "the record itself is fine");
}

/// The name of the game of these records.
fn kind(records: &[String]) -> String {
    let first: Value = serde_json::from_str(&records[0]).expect("it was proven");
    let (name, _) = first["rules"].as_str().and_then(|rules| rules.split_once('@')).unwrap();
    name.to_owned()
}

fn records_game(records: &[String]) -> String {
    let first = EventFrame::from_bytes(records[0].as_bytes()).expect("it was proven");
    first.game.to_string()
}

/// Numbers and chains changed events again, as if they had always been these.
fn chained_anew(records: &[String]) -> Vec<String> {
    let mut head: Option<Head> = None;
    let mut anew = Vec::new();
    for record in records {
        let frame = EventFrame::from_bytes(record.as_bytes()).expect("it was proven");
        let head = head.get_or_insert_with(|| Head::new(frame.game.clone()));
        head.seq += 1;
        let (game, req) = (&frame.game, frame.req.as_ref());
        let unsealed =
            EventFrame::unsealed_bytes(game, head.seq, frame.at, &frame.body, req, frame.hash);
        head.chain = chain_after(head.chain, &unsealed);
        let sealed = EventFrame::seal(unsealed, head.chain);
        anew.push(String::from_utf8(sealed).expect("records are text"));
    }
    anew
}

/// How often the server is killed during the game.
const LIBRARY_KILLS: u64 = 4;

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
                _ => {}
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
    for _ in 0..LIBRARY_KILLS {
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
