//! A connection above its own rate waits: the server reads on when the next message is due.

use serde_json::{Value, json};
use tokio::time::{Duration, Instant};

use crate::harness::raw_socket::{FINAL, PING, RawSocket, TEXT, frame};
use crate::harness::{Frame, Peer, Server, game};

/// Starts a server with this rate for one connection.
async fn server_with_rate(burst: i64, per_s: i64) -> Server {
    Server::with(|setup| {
        setup.set("limits", "messages_burst", burst);
        setup.set("limits", "messages_per_s", per_s);
    })
    .await
}

fn milliseconds(frame: &Frame, field: &str) -> Duration {
    Duration::from_millis(frame[field].as_u64().expect("a time in milliseconds"))
}

#[tokio::test]
async fn players_that_know_nothing_of_rates_play_on() {
    const MOVES: usize = 60;
    let server = server_with_rate(10, 20).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({"rules": "hexma"})).await;
    let began = Instant::now();
    game::play_moves(&mut [&mut ann, &mut bob], &game, MOVES).await;
    // Each of them has sent more than the burst.
    let least = Duration::from_secs(1) * (u32::try_from(MOVES / 2).unwrap() - 10) / 20;
    assert!(began.elapsed() >= least, "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_second_above_the_rate_waits_and_more_is_rejected() {
    const SENT: usize = 60;
    let server = server_with_rate(10, 10).await;
    let mut eve = RawSocket::greeted(server.address()).await;
    let ping = |number| json!({"type": "ping", "id": format!("p{number}")}).to_string();
    let pings: Vec<u8> =
        (0..SENT).flat_map(|number| frame(FINAL | TEXT, ping(number).as_bytes())).collect();
    eve.write(&pings).await;
    let mut replies = Vec::<Value>::new();
    while replies.len() < SENT {
        replies.push(eve.next_json().await.expect("every request has a reply"));
    }
    // The `hello` has taken one of the burst; in a second ten more are due.
    let in_turn = replies.iter().take_while(|reply| reply["type"] == "pong").count();
    assert!((19..40).contains(&in_turn), "{in_turn} were answered before a rejection");
    for refusal in replies.iter().filter(|reply| reply["type"] != "pong") {
        assert_eq!(
            (&refusal["code"], &refusal["limit"]),
            (&json!("rate_limited"), &json!("messages"))
        );
        assert_eq!(refusal["retry"], "after");
        assert!((1..=1_000).contains(&refusal["retry_after_ms"].as_u64().unwrap()), "{refusal}");
    }
}

#[tokio::test]
async fn a_move_is_not_charged_for_the_time_it_waits() {
    let server = server_with_rate(10, 1).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let clock = json!({"clock": {"mode": "fischer", "base_ms": 300_000, "inc_ms": 0}});
    let game = game::start(&mut [&mut bob, &mut ann], clock).await;
    // One more than the burst: its reply comes when it is due, and a second passes to the next.
    for _ in 0..10 {
        ann.ask(json!({"type": "ping"})).await;
    }
    let (paced, bob_moved) = (Instant::now(), Instant::now());
    game::play_moves(&mut [&mut bob, &mut ann], &game, 1).await;
    let sent_after = bob_moved.elapsed();
    let notation = game::choose_move(ann.table(&game));
    game::make_move(&mut ann, &game, &notation).await;
    assert!(paced.elapsed() >= Duration::from_millis(900), "the move was paced");
    let is_mine = |frame: &Frame| frame["kind"] == "moved" && frame["seat"] == 1;
    let moved = ann.next_matching("the move", is_mine).await;
    let charged = milliseconds(&moved, "spent_ms");
    assert!(charged < sent_after + Duration::from_millis(400), "{charged:?} of {sent_after:?}");
}

#[tokio::test]
async fn a_connection_that_waits_is_not_idle() {
    let server = Server::with(|setup| {
        setup.set("limits", "messages_burst", 1);
        setup.set("limits", "messages_per_s", 1);
        setup.set("limits", "ping_every", "450ms");
        setup.set("limits", "idle_close", "900ms");
    })
    .await;
    let mut ann = Peer::guest(&server, "ann").await;
    for _ in 0..3 {
        ann.ask(json!({"type": "ping"})).await;
    }
}

#[tokio::test]
async fn a_heartbeat_is_answered_before_the_wait() {
    let server = server_with_rate(1, 1).await;
    let mut eve = RawSocket::greeted(server.address()).await;
    let ping = frame(FINAL | TEXT, br#"{"type":"ping","id":"p"}"#);
    eve.write(&[frame(FINAL | PING, b"alive?"), ping].concat()).await;
    eve.next_pong().await;
    let answered = Instant::now();
    eve.next_json().await.expect("a reply");
    assert!(answered.elapsed() >= Duration::from_millis(300), "{:?}", answered.elapsed());
}
