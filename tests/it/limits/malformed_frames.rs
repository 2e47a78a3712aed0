//! Frames that are no requests, and bytes that are no frames.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::interval;
use tokio_tungstenite::tungstenite::Message;

use crate::harness::raw_socket::{CONTINUATION, FINAL, PING, TEXT, Wire, frame, unmasked};
use crate::harness::{Peer, Server, game};

/// The largest frame that the server takes.
const FRAME_BYTES_MAX: usize = 16 * 1024;

#[tokio::test]
async fn the_third_unreadable_frame_in_a_minute_ends_the_session_and_no_other() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::begin(&mut [&mut ann, &mut bob], json!({})).await;
    let mut eve = Peer::guest(&server, "eve").await;
    for (frame, code) in [("{", "bad_json"), ("[]", "bad_message"), ("\u{0}", "bad_json")] {
        eve.send_raw(Message::text(frame)).await;
        let error = eve.next_of("error").await;
        assert_eq!(error["code"], code, "{frame:?}");
        assert_eq!(error.get("re"), None, "there was no id to name");
        game::play(&mut [&mut ann, &mut bob], &game, 2).await;
    }
    assert_eq!(eve.expect_close().await, 1008);
    game::play_out(&mut [&mut ann, &mut bob], &game).await;
}

#[tokio::test]
async fn requests_of_wrong_shape_or_type_never_end_a_session() {
    let server = Server::start().await;
    let mut eve = Peer::guest(&server, "eve").await;
    let wrong = [
        json!({"type": "move", "game": 7, "turn": 0, "move": "c1-c2"}),
        json!({"type": "move", "game": "g", "turn": "0", "move": "c1-c2"}),
        json!({"type": "move", "game": "g", "turn": 0, "move": ["c1-c2"]}),
        json!({"type": "move", "game": "g", "turn": 0}),
        json!({"type": "watch", "game": "../../etc/passwd"}),
        json!({"type": "watch", "game": ""}),
        json!({"type": "watch", "game": null}),
        json!({"type": "challenge", "rules": "adamas", "seats": "ann"}),
        json!({"type": "challenge", "rules": {}, "seats": ["eve", "ann"]}),
        json!({"type": "seek", "rules": "adamas", "clock": {"mode": "sundial"}}),
        json!({"type": "seek", "rules": "adamas", "options": {"size": [3]}}),
        json!({"type": "seek", "rules": "adamas", "options": 3}),
        json!({"type": "offer", "game": "g", "what": "bribe"}),
        json!({"type": "answer", "game": "g", "offer": "o_-1", "accept": true}),
        json!({"type": "answer", "game": "g", "offer": "o_1", "accept": "yes"}),
        json!({"type": "accept"}),
        json!({"type": "hello", "proto": [1]}),
        json!({"no": "type"}),
    ];
    for request in wrong {
        eve.refused(request, "bad_message").await;
    }
    for number in 0..10 {
        eve.refused(json!({"type": format!("fly_{number}")}), "unknown_type").await;
    }
    eve.refused(json!({"type": "x".repeat(10_000)}), "unknown_type").await;
    eve.ask(json!({"type": "ping"})).await;
}

#[tokio::test]
async fn size_is_bounded_and_depth_is_harmless() {
    let server = Server::start().await;
    let mut eve = Peer::guest(&server, "eve").await;
    let ping = r#"{"type":"ping","id":"large"}"#;
    let largest = format!("{ping}{}", " ".repeat(FRAME_BYTES_MAX - ping.len()));
    eve.send_raw(Message::text(largest.clone())).await;
    eve.next_matching("the pong", |frame| frame["re"] == "large").await;

    let deep = |open: &str| format!(r#"{{"type":"ping","id":"deep","x":{}"#, open.repeat(4_000));
    eve.send_raw(Message::text(deep("["))).await;
    assert_eq!(eve.next_of("error").await["code"], "bad_json");
    eve.send_raw(Message::text(deep(r#"{"":"#))).await;
    assert_eq!(eve.next_of("error").await["code"], "bad_json");
    eve.ask(json!({"type": "ping"})).await;

    eve.send_raw(Message::text(format!("{largest} "))).await;
    assert_eq!(eve.expect_close().await, 1009);
    let mut pieces = Wire::greeted(server.address()).await;
    let piece = [b' '; 1_000];
    pieces.write(&frame(TEXT, &piece)).await;
    for _ in 0..FRAME_BYTES_MAX / piece.len() {
        pieces.write(&frame(CONTINUATION, &piece)).await;
    }
    assert_eq!(pieces.close_code().await, Some(1009));
}

#[tokio::test]
async fn what_is_not_text_in_good_frames_is_refused() {
    let server = Server::start().await;
    let mut eve = Peer::guest(&server, "eve").await;
    eve.send_raw(Message::binary(&b"{\"type\":\"ping\",\"id\":\"1\"}"[..])).await;
    assert_eq!(eve.expect_close().await, 1003);

    let ping = br#"{"type":"ping","id":"1"}"#;
    let breaches = [
        ("text that is not UTF-8", frame(FINAL | TEXT, b"\"\xff\xfe\"")),
        ("half a character", frame(FINAL | TEXT, b"{\"\xe2\x98")),
        ("a client's frame without a mask", unmasked(FINAL | TEXT, ping)),
        ("a reserved bit", frame(FINAL | 0x40 | TEXT, ping)),
        ("a reserved opcode", frame(FINAL | 0x3, ping)),
        ("a continuation of nothing", frame(FINAL | CONTINUATION, ping)),
        ("a control frame in pieces", frame(PING, b"")),
        ("a control frame that is too long", frame(FINAL | PING, &[0; 126])),
        ("a message inside a message", [frame(TEXT, b"{"), frame(FINAL | TEXT, b"{")].concat()),
    ];
    for (what, bytes) in breaches {
        let mut wire = Wire::greeted(server.address()).await;
        wire.write(&bytes).await;
        assert_eq!(wire.close_code().await, Some(1008), "{what}");
    }
}

/// The server whose connections are to give a sign of life within a second.
async fn impatient() -> Server {
    Server::with(|setup| {
        setup.set("limits", "ping_every", "250ms");
        setup.set("limits", "idle_close", "1s");
    })
    .await
}

#[tokio::test]
async fn whoever_gives_no_sign_of_life_is_given_up() {
    let server = impatient().await;
    // This one says nothing either, but its pongs are enough.
    let mut quiet = Peer::guest(&server, "quiet").await;
    let given_up = async {
        let mut silent = Wire::greeted(server.address()).await;
        assert_eq!(silent.close_code().await, Some(4006));

        let mut half = Wire::greeted(server.address()).await;
        let whole = frame(FINAL | TEXT, br#"{"type":"ping","id":"1"}"#);
        half.write(&whole[..whole.len() / 2]).await;
        assert_eq!(half.close_code().await, Some(4006), "half a frame");

        let mut endless = Wire::greeted(server.address()).await;
        endless.write(&frame(TEXT, b"{")).await;
        let mut pace = interval(Duration::from_millis(50));
        // Pieces without content never grow too large, but they say nothing either.
        let code = loop {
            tokio::select! {
                code = endless.close_code() => break code,
                _ = pace.tick() => {}
            }
            endless.write(&frame(CONTINUATION, b"")).await;
        };
        assert_eq!(code, Some(4006), "endless fragments");
    };
    tokio::select! {
        code = quiet.expect_close() => panic!("it answered every ping and was closed with {code}"),
        () = given_up => {}
    }
    let pong: Value = quiet.ask(json!({"type": "ping"})).await;
    assert_eq!(pong["type"], "pong");
}
