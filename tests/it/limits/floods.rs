//! Too many sockets, requests and pings.

use serde_json::{Value, json};
use tokio::time::{Duration, Instant};

use crate::harness::{
    Frame, Peer, Server, game,
    raw_socket::{FINAL, PING, RawSocket, TEXT, frame},
};

/// The most sockets of one address.
const CAP: i64 = 100;

#[tokio::test]
async fn the_sockets_of_an_address_are_limited() {
    let server = Server::with(|setup| {
        setup.set("limits", "connections_per_address", CAP);
    })
    .await;
    let mut inside = Vec::new();
    for _ in 0..CAP {
        inside.push(RawSocket::greeted(server.address()).await);
    }
    for _ in 0..CAP {
        let (_, answer) = RawSocket::upgrade_with(server.address(), "").await;
        assert_eq!(answer.status, 429, "{answer:?}");
        let seconds: u64 =
            answer.header("retry-after").expect("when to come back").parse().unwrap();
        let problem = answer.json();
        assert_eq!(problem["code"], "rate_limited");
        assert_eq!(problem["retry_after_ms"], seconds * 1_000);
    }
    for wire in &mut inside {
        wire.text(r#"{"type":"ping","id":"p"}"#).await;
        assert_eq!(wire.next_json().await.expect("a pong")["re"], "p");
    }
}

#[tokio::test]
async fn a_flood_is_rejected_then_closed_and_others_play_on() {
    let server = Server::with(|setup| {
        setup.set("limits", "messages_burst", 40);
        setup.set("limits", "messages_per_s", 10);
    })
    .await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    let flood = async {
        let mut eve = RawSocket::greeted(server.address()).await;
        let watch = json!({"type": "watch", "id": "w", "game": game}).to_string();
        let ping = frame(FINAL | TEXT, br#"{"type":"ping","id":"p"}"#);
        eve.write(&[frame(FINAL | TEXT, watch.as_bytes()), ping.repeat(1_000)].concat()).await;
        let (mut answered, mut refused) = (0, Vec::<Value>::new());
        while let Some(reply) = eve.next_json().await {
            match reply["type"].as_str() {
                Some("pong") => answered += 1,
                Some("error") => refused.push(reply),
                _ => {}
            }
        }
        assert!((30..100).contains(&answered), "{answered} were answered");
        assert!(refused.len() >= 100, "{} were refused", refused.len());
        for refusal in &refused {
            assert_eq!(refusal["code"], "rate_limited");
            assert_eq!(refusal["retry"], "after");
            let wait = refusal["retry_after_ms"].as_u64().expect("when to try again");
            assert!((1..=1_000).contains(&wait), "{refusal}");
        }
        eve.close_code().await
    };
    let mut players = [&mut ann, &mut bob];
    let (code, ()) = tokio::join!(flood, game::play_moves(&mut players, &game, 40));
    assert_eq!(code, Some(4005));
}

#[tokio::test]
async fn pings_count_as_frames() {
    let server = Server::with(|setup| {
        setup.set("limits", "messages_burst", 40);
        setup.set("limits", "messages_per_s", 10);
    })
    .await;
    let mut eve = RawSocket::greeted(server.address()).await;
    eve.write(&frame(FINAL | PING, b"").repeat(1_000)).await;
    assert_eq!(eve.close_code().await, Some(4005));
}

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
    let (mut ann, mut bob, game) = game::start_two_with(&server, json!({"rules": "hexma"})).await;
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
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
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
