//! Whatever happens to nodes and databases, nothing that was acknowledged or shown is lost, and
//! nothing is doubled.

use std::{fmt::Write as _, fs::File, io::Write as _, time::Duration};

use futures::future::join_all;
use postgres_fixture::Cluster;
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng, seq::SliceRandom as _};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::contest::{FaultKind, Findings, Plan, Report, run_round};
use crate::harness::{Peer, Server, Setup, game};

/// The least share of contested appends, in percent, of a short contest that proves anything. It is
/// some 40 on a machine that does nothing else.
const CONTESTED_PERCENT: u64 = 10;

/// Faults of the short contest.
const FAULTS: [FaultKind; 10] = [
    FaultKind::NodeKill,
    FaultKind::NodeKill,
    FaultKind::NodeKill,
    FaultKind::NodeKill,
    FaultKind::NodePause,
    FaultKind::NodePause,
    FaultKind::PrimaryKill,
    FaultKind::PrimaryKill,
    FaultKind::PrimaryPause,
    FaultKind::StandbyKill,
];

/// Describes what happened.
fn describe(report: &Report) -> String {
    let mut text = format!(
        "{} games, {} writes, {} acknowledged, {} sent again, {} done before, {}% contested\n",
        report.games,
        report.writes,
        report.acknowledged,
        report.resent,
        report.done_before,
        report.contested_percent(),
    );
    for (kind, pauses) in &report.pauses {
        writeln!(text, "{kind}: {pauses:?} ms without an acknowledgement").unwrap();
    }
    for sentence in report.findings.sentences.iter().take(40) {
        writeln!(text, "{sentence}").unwrap();
    }
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "cargo xtask test runs it alone"]
async fn faults_lose_double_and_show_nothing_in_vain() {
    let seed: u64 = rand::rng().random();
    println!("seed {seed}");
    let mut faults = FAULTS.to_vec();
    faults.shuffle(&mut SmallRng::seed_from_u64(seed));
    let plan = Plan {
        seed,
        nodes: 2,
        users: 8,
        games: 2,
        commit_delay: Duration::from_millis(30),
        faults: Some(faults),
        acks_between: 60,
        seconds_between: None,
        acks: 0,
    };
    let report = run_round(&plan, |acks, next| println!("{acks} acknowledged; next: {next}")).await;
    println!("{}", describe(&report));
    assert_eq!(report.findings, Findings::default());
    for kind in FaultKind::ALL {
        let planned = FAULTS.iter().filter(|fault| **fault == kind).count();
        assert_eq!(report.count(kind), planned, "{}", kind.name());
    }
    assert!(report.resent > 0, "no fault hit an unanswered request");
    assert!(report.contested_percent() > CONTESTED_PERCENT, "the nodes do not compete");
}

/// The variable with the plan of a round: its seed, the number of its acknowledgements, nodes and
/// games, the milliseconds by which commits take longer, and the file for its report.
const ROUND_VARIABLE: &str = "ADAMANT_CONTEST";

/// Reads the plan of a round from the environment.
#[expect(clippy::disallowed_methods, reason = "`cargo xtask contest` chooses the round")]
fn chosen_round() -> Option<(Plan, String)> {
    let chosen = std::env::var(ROUND_VARIABLE).ok()?;
    let [seed, acks, nodes, games, delay, file] =
        chosen.splitn(6, ' ').collect::<Vec<_>>().try_into().expect("six words");
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let size = |text: &str| text.parse::<usize>().expect("a number");
    // Eight games of each two users.
    let games = size(games);
    let plan = Plan {
        seed: number(seed),
        nodes: size(nodes),
        users: 2 * games.div_ceil(8),
        games: games.min(8),
        commit_delay: Duration::from_millis(number(delay)),
        faults: None,
        acks_between: 1,
        seconds_between: Some(2..=6),
        acks: number(acks),
    };
    Some((plan, file.to_owned()))
}

/// One round of `cargo xtask contest`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "cargo xtask contest runs it, many times"]
async fn round_of_a_contest() {
    let (plan, file) = chosen_round().expect("a plan");
    // The command that started this reads the lines. The harness may have begun one.
    let report = run_round(&plan, |acks, next| println!("\n@{acks} {next}")).await;
    let mut file = File::create(file).expect("the report can be written");
    writeln!(file, "{}", report.to_json()).expect("the report can be written");
}

/// What the documents promise, and what a busy machine adds.
const ANSWERED_WITHIN: Duration = Duration::from_secs(11);

/// Sends a request that must be refused, with the code that asks to send it again, in time.
async fn fails_in_time(peer: &mut Peer, request: Value) {
    let sent = Instant::now();
    let answer = peer.request(request.clone()).await;
    // Few lists are read at a time, also of what a user has.
    let codes = if request["type"] == "move" { ["internal"; 2] } else { ["internal", "busy"] };
    assert!(codes.iter().any(|code| answer["code"] == *code), "{request}: {answer}");
    let took = sent.elapsed();
    assert!(took < ANSWERED_WITHIN, "{request}: {} ms", took.as_millis());
}

#[tokio::test]
#[ignore = "long"]
async fn requests_fail_in_time_while_no_standby_is_left() {
    let database = Cluster::start(2);
    let url = database.url(&database.create_database());
    let server = Server::on_database(1, Setup::default(), &url).await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    let mut others = Vec::new();
    for name in ["cy", "dan", "eve", "fay"] {
        others.push(Peer::guest(&server, name).await);
    }
    for standby in &database.servers()[1..] {
        standby.kill();
    }
    let turn = game::move_request(&bob, &game, &game::choose_move(bob.table(&game)));
    let requests = [
        turn.clone(),
        json!({"type": "seek", "rules": "diam"}),
        json!({"type": "games"}),
        json!({"type": "challenge", "rules": "diam", "seats": ["eve", "ann"]}),
        json!({"type": "challenge", "rules": "diam", "seats": ["fay", "ann"]}),
    ];
    let peers = [&mut bob].into_iter().chain(&mut others);
    join_all(peers.zip(requests).map(|(peer, request)| fails_in_time(peer, request))).await;
    // Once it is known that the database is away, nobody waits for long.
    let sent = Instant::now();
    fails_in_time(&mut others[0], json!({"type": "seek", "rules": "diam"})).await;
    assert!(sent.elapsed() < ANSWERED_WITHIN / 2, "{} ms", sent.elapsed().as_millis());
    for standby in &database.servers()[1..] {
        standby.start();
    }
    // The move may have been stored; its sender was told to find out.
    loop {
        let answer = bob.request(turn.clone()).await;
        if answer["type"] == "ok" || answer["code"] == "stale_turn" {
            break;
        }
        assert_eq!(answer["code"], "internal", "{answer}");
    }
    bob.read_up_to(&game, ann.replay(&game).seq() + 1).await;
}

/// The time without a heartbeat after which a node counts as gone, in milliseconds. Its players are
/// away since its last one.
const NODE_GONE_MS: u64 = 1_500;

/// Waits until a player is shown that another one has left since a time by the node's clock.
async fn shown_away(peer: &mut Peer, game: &str, seat: usize, after: u64) {
    let is_away = |frame: &Value| {
        let shown = &frame["seats"][seat];
        frame["type"] == "presence"
            && frame["game"] == game
            && shown["online"] == false
            && shown["since"].as_u64().map(|since| since + NODE_GONE_MS) >= Some(after)
    };
    peer.next_matching("the other player's absence", is_away).await;
}

async fn now(peer: &mut Peer) -> u64 {
    peer.ask(json!({"type": "ping"})).await["t1"].as_u64().expect("a pong has the time")
}

#[tokio::test]
async fn clients_of_a_killed_node_go_on_at_another() {
    // A player is shown away at once.
    let without_grace = |setup: &mut Setup| setup.set("games", "claim_after_untimed", "1ms");
    let mut server = Server::cluster(3, without_grace).await;
    let mut ann = Peer::guest_at(server.node(0), "ann").await;
    let mut bob = Peer::guest_at(server.node(1), "bob").await;
    let mut eve = Peer::guest_at(server.node(1), "eve").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    eve.ask(json!({"type": "watch", "game": game, "from": 1})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 5).await;
    eve.read_up_to(&game, ann.replay(&game).seq()).await;
    let before = now(&mut ann).await;
    server.node_mut(1).kill().await;
    // The node that is left notices without a word of the dead one.
    shown_away(&mut ann, &game, 1, before).await;
    let mut bob = bob.reconnect_to(server.node(2).address()).await;
    let known = eve.replay(&game).seq();
    let mut eve = eve.reconnect_to(server.node(2).address()).await;
    eve.ask(json!({"type": "watch", "game": game, "from": known + 1})).await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 5).await;
    eve.read_up_to(&game, ann.replay(&game).seq()).await;
    assert_eq!(eve.records(&game), ann.records(&game));
    // It comes back, and takes players.
    server.node_mut(1).restart().await;
    let mut bob = bob.reconnect_to(server.node(1).address()).await;
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
}

/// The time for one move in the test of clocks, and how much of it has passed when the node is
/// killed.
const MOVE_MS: u64 = 5_000;
const THOUGHT_MS: u64 = 3_000;

#[tokio::test]
#[ignore = "long"]
async fn a_player_of_a_killed_node_loses_no_time_until_coming_back() {
    // The nodes of the opponent, and at which the player comes back: one that has the game open,
    // one that has not, and the next run of the killed one.
    for (opponent, next) in [(0, 0), (1, 0), (1, 1)] {
        let mut server = Server::cluster(2, |_| {}).await;
        let mut ann = Peer::guest_at(server.node(opponent), "ann").await;
        let mut bob = Peer::guest_at(server.node(1), "bob").await;
        let clock = json!({"clock": {"mode": "per_move", "move_ms": MOVE_MS}});
        let game = game::start(&mut [&mut ann, &mut bob], clock).await;
        game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
        let began = bob.table(&game).last_at();
        sleep(Duration::from_millis(THOUGHT_MS)).await;
        server.node_mut(1).kill().await;
        // Bob's time runs out meanwhile.
        sleep(Duration::from_millis(MOVE_MS - THOUGHT_MS + 2_000)).await;
        if next == 1 {
            server.node_mut(1).restart().await;
        }
        let mut bob = bob.reconnect_to(server.node(next).address()).await;
        let adjusted = bob.next_event(&game, "clock_adjusted").await;
        assert_eq!((&adjusted["seat"], &adjusted["reason"]), (&json!(1), &json!("outage")));
        let by_ms = adjusted["by_ms"].as_u64().expect("a number");
        let passed_ms = adjusted["at"].as_u64().expect("a time") - began;
        assert!((MOVE_MS - THOUGHT_MS + 2_000..passed_ms).contains(&by_ms), "{adjusted}");
        let play = game::move_request(&bob, &game, &game::choose_move(bob.table(&game)));
        let done = bob.ask(play).await;
        bob.read_up_to(&game, done["seq"].as_u64().expect("a number")).await;
        let is_credit = |record: &&String| record.contains("\"reason\":\"outage\"");
        let records = bob.records(&game);
        assert_eq!(records.iter().filter(is_credit).count(), 1, "{records:?}");
    }
}

#[tokio::test]
async fn seeks_of_a_killed_node_end() {
    let mut server = Server::cluster(2, |_| {}).await;
    let mut ann = Peer::guest_at(server.node(0), "ann").await;
    let mut bob = Peer::guest_at(server.node(1), "bob").await;
    let seek = json!({"type": "seek", "rules": "adamas", "players": 2});
    ann.ask(json!({"type": "lobby"})).await;
    let id = bob.ask(seek.clone()).await["seek"].clone();
    assert_eq!(ann.next_of("lobby").await["add"][0]["seek"], id);
    server.node_mut(1).kill().await;
    assert_eq!(ann.next_of("lobby").await["remove"], json!([id]));
}

#[tokio::test]
async fn seeks_end_with_all_nodes() {
    let mut server = Server::cluster(1, |_| {}).await;
    let mut ann = Peer::guest_at(server.node(0), "ann").await;
    ann.ask(json!({"type": "seek", "rules": "adamas", "players": 2})).await;
    // No node is left that could end the seek.
    server.node_mut(0).kill().await;
    server.node_mut(0).restart().await;
    let mut bob = Peer::guest_at(server.node(0), "bob").await;
    let listed = bob.ask(json!({"type": "lobby"})).await;
    assert_eq!(listed["add"], json!([]), "{listed}");
}

#[tokio::test]
async fn a_paused_node_goes_on_where_the_others_are() {
    let server = Server::cluster(2, |_| {}).await;
    let mut ann = Peer::guest_at(server.node(0), "ann").await;
    let mut bob = Peer::guest_at(server.node(1), "bob").await;
    let game = game::start_and_play(&mut [&mut ann, &mut bob], 4).await;
    let before = now(&mut ann).await;
    server.node(1).pause().await;
    shown_away(&mut ann, &game, 1, before).await;
    // Another session of bob plays on while the node stands still.
    let token = bob.token.clone().expect("a guest has a token");
    let mut other = Peer::with_token_at(server.node(0), &token).await;
    other.ask(json!({"type": "watch", "game": game, "from": 1})).await;
    let known = ann.replay(&game).seq();
    other.read_up_to(&game, known).await;
    game::play_moves(&mut [&mut ann, &mut other], &game, 3).await;
    server.node(1).resume().await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    drop(other);
    game::play_moves(&mut [&mut ann, &mut bob], &game, 4).await;
    let here = json!([{"seat": 0, "online": true}, {"seat": 1, "online": true}]);
    let seen = ann.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(seen["presence"], here, "the node has noted its players again");
}
