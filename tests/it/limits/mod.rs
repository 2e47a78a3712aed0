//! What clients cannot do to the server: rates, floods, malformed input, exhausted resources.

mod connections; // sockets that do not do what a client does
mod floods; // too many sockets, requests and pings
mod rate_limits; // rates by user, address and network
mod resource_exhaustion; // no descriptors, a full disk, a failing disk

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::interval;
use tokio_tungstenite::tungstenite::Message;

use crate::harness::{
    Peer, Server, game,
    raw_socket::{CLOSE, CONTINUATION, FINAL, PING, RawSocket, TEXT, frame, unmasked},
};

/// The largest frame that the server accepts.
const FRAME_BYTES_MAX: usize = 64 * 1024;

#[tokio::test]
async fn the_third_unparsable_frame_in_a_minute_closes_only_that_session() {
    let (server, mut ann, mut bob, game) = game::server_with_two().await;
    let mut eve = Peer::guest(&server, "eve").await;
    for (frame, code) in [("{", "bad_json"), ("[]", "bad_message"), ("\u{0}", "bad_json")] {
        eve.send_raw(Message::text(frame)).await;
        let error = eve.next_of("error").await;
        assert_eq!(error["code"], code, "{frame:?}");
        assert_eq!(error.get("re"), None, "there was no id to name");
        game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    }
    assert_eq!(eve.expect_close().await, 1008);
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
}

#[tokio::test]
async fn malformed_requests_never_close_a_session() {
    let (_server, [mut eve]) = Peer::start_with_guests(["eve"]).await;
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
async fn frame_size_is_limited_and_nesting_is_harmless() {
    let (server, [mut eve]) = Peer::start_with_guests(["eve"]).await;
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
    let mut pieces = RawSocket::greeted(server.address()).await;
    let piece = [b' '; 1_000];
    pieces.write(&frame(TEXT, &piece)).await;
    for _ in 0..FRAME_BYTES_MAX / piece.len() {
        pieces.write(&frame(CONTINUATION, &piece)).await;
    }
    assert_eq!(pieces.close_code().await, Some(1009));
}

#[tokio::test]
async fn frames_that_break_the_protocol_are_rejected() {
    let (server, [mut eve]) = Peer::start_with_guests(["eve"]).await;
    eve.send_raw(Message::binary(&b"{\"type\":\"ping\",\"id\":\"1\"}"[..])).await;
    assert_eq!(eve.expect_close().await, 1003);

    let ping = br#"{"type":"ping","id":"1"}"#;
    let no_text = [
        ("text that is not UTF-8", frame(FINAL | TEXT, b"\"\xff\xfe\"")),
        ("half a character", frame(FINAL | TEXT, b"{\"\xe2\x98")),
        ("a goodbye that is not UTF-8", frame(FINAL | CLOSE, b"\x03\xe8\xce\xba\xff")),
    ];
    let breaches = [
        ("a client's frame without a mask", unmasked(FINAL | TEXT, ping)),
        ("a reserved bit", frame(FINAL | 0x40 | TEXT, ping)),
        ("a reserved opcode", frame(FINAL | 0x3, ping)),
        ("a continuation of nothing", frame(FINAL | CONTINUATION, ping)),
        ("a control frame in pieces", frame(PING, b"")),
        ("a control frame that is too long", frame(FINAL | PING, &[0; 126])),
        ("a message inside a message", [frame(TEXT, b"{"), frame(FINAL | TEXT, b"{")].concat()),
        ("a goodbye of one byte", frame(FINAL | CLOSE, b"\x03")),
        ("a goodbye that is too long", frame(FINAL | CLOSE, &[b'x'; 126])),
    ];
    let no_text = no_text.map(|(what, bytes)| (what, bytes, 1007));
    for (what, bytes, code) in
        breaches.map(|(what, bytes)| (what, bytes, 1002)).into_iter().chain(no_text)
    {
        let mut wire = RawSocket::greeted(server.address()).await;
        wire.write(&bytes).await;
        assert_eq!(wire.close_code().await, Some(code), "{what}");
    }
}

/// Starts a server that closes connections after a second without a sign of life.
async fn server_with_short_timeout() -> Server {
    Server::with(|setup| {
        setup.set("limits", "ping_every", "250ms");
        setup.set("limits", "idle_close", "1s");
    })
    .await
}

#[tokio::test]
async fn a_silent_connection_is_closed() {
    let server = server_with_short_timeout().await;
    // This client sends no frames either, but its pongs suffice.
    let mut quiet = Peer::guest(&server, "quiet").await;
    let silent = async {
        let mut silent = RawSocket::greeted(server.address()).await;
        assert_eq!(silent.close_code().await, Some(4006));
    };
    let half = async {
        let mut half = RawSocket::greeted(server.address()).await;
        let whole = frame(FINAL | TEXT, br#"{"type":"ping","id":"1"}"#);
        half.write(&whole[..whole.len() / 2]).await;
        assert_eq!(half.close_code().await, Some(4006), "half a frame");
    };
    let endless = async {
        let mut endless = RawSocket::greeted(server.address()).await;
        endless.write(&frame(TEXT, b"{")).await;
        let mut pace = interval(Duration::from_millis(50));
        // Empty fragments never exceed the size limit, but do not count as a sign of life.
        let code = loop {
            tokio::select! {
                code = endless.close_code() => break code,
                _ = pace.tick() => {}
            }
            endless.write(&frame(CONTINUATION, b"")).await;
        };
        assert_eq!(code, Some(4006), "endless fragments");
    };
    let given_up = async { tokio::join!(silent, half, endless) };
    tokio::select! {
        code = quiet.expect_close() => panic!("it answered every ping and was closed with {code}"),
        ((), (), ()) = given_up => {}
    }
    let pong: Value = quiet.ask(json!({"type": "ping"})).await;
    assert_eq!(pong["type"], "pong");
}

/// Invalid names.
const NAMES: [&str; 16] = [
    "",
    "a",
    "-ann",
    "_ann",
    "ann bob",
    "ann\n",
    "ann\u{0}",
    "ann.bob",
    "änn",
    "аnn",
    "\u{202e}nna",
    "ann\u{200b}",
    "'; DROP TABLE users; --",
    "<script>alert(1)</script>",
    "../../etc/passwd",
    "abcdefghijklmnopqrstu",
];

#[tokio::test]
async fn invalid_names_are_rejected() {
    let (server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let mut anonymous = Peer::anonymous(&server).await;
    let long = "x".repeat(5_000);
    for name in NAMES.into_iter().chain([long.as_str()]) {
        let signup = json!({"type": "signup", "user": name, "password": "correct horse"});
        anonymous.refused(signup, "bad_message").await;
        let challenge = json!({"type": "challenge", "rules": "adamas", "seats": ["ann", name]});
        ann.refused(challenge, "bad_message").await;
        ann.refused(json!({"type": "games", "user": name}), "bad_message").await;
        let mut guest = Peer::connect(server.address()).await;
        let hello = json!({"type": "hello", "proto": [1], "auth": {"guest": name}});
        guest.refused(hello, "bad_message").await;
    }
    for name in ["house", "HOUSE", "Ann"] {
        let mut guest = Peer::connect(server.address()).await;
        let hello = json!({"type": "hello", "proto": [1], "auth": {"guest": name}});
        guest.refused(hello, "name_taken").await;
        let signup = json!({"type": "signup", "user": name, "password": "correct horse"});
        anonymous.refused(signup, "name_taken").await;
    }
    let unknown = json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "zoe"]});
    ann.refused(unknown, "not_found").await;
    anonymous.ask(json!({"type": "ping"})).await;
    ann.ask(json!({"type": "ping"})).await;
}

#[tokio::test]
async fn a_request_id_is_any_text_of_up_to_64_bytes() {
    let (mut server, mut ann, mut bob, game) = game::server_with_two().await;
    let ids = [
        r#""},"seq":1,{"\\"#.to_owned(),
        "\u{2603} ü \u{1f3b2} \u{202e}".to_owned(),
        "'; DROP TABLE journal; --".to_owned(),
        "é".repeat(32),
        " ".to_owned(),
    ];
    let mut made = Vec::new();
    for (number, id) in ids.iter().enumerate() {
        let (mover, other) =
            if number % 2 == 0 { (&mut ann, &mut bob) } else { (&mut bob, &mut ann) };
        let mut request = game::move_request(mover, &game, &game::choose_move(mover.table(&game)));
        request["id"] = json!(id);
        let ok = mover.ask(request.clone()).await;
        assert_eq!(ok["re"], id.as_str());
        for peer in [mover, other] {
            assert_eq!(peer.next_event(&game, "moved").await["req"], id.as_str());
        }
        made.push((number % 2, request, ok["seq"].clone()));
    }

    server.crash().await;
    let mut back = [ann.reconnect(&server).await, bob.reconnect(&server).await];
    for (seat, request, seq) in made {
        let again = back[seat].ask(request).await;
        assert_eq!((&again["seq"], &again["dup"]), (&seq, &json!(true)));
    }
    // The error cannot repeat an invalid id.
    for id in [json!("x".repeat(65)), json!("é".repeat(33)), json!(""), json!("a\nb"), json!(7)] {
        let mut eve = Peer::anonymous(&server).await;
        eve.send_unchecked(&json!({"type": "ping", "id": id})).await;
        let error = eve.next_of("error").await;
        assert_eq!((&error["code"], error.get("re")), (&json!("bad_message"), None), "{id}");
    }
}

#[tokio::test]
async fn numbers_out_of_range_are_rejected_or_harmless() {
    let (server, mut ann, mut bob, game) = game::server_with_two().await;
    let mut eve = Peer::guest(&server, "eve").await;
    let refused = [
        json!({"type": "move", "game": game, "turn": 4_294_967_296_u64, "move": "c1-c2"}),
        json!({"type": "move", "game": game, "turn": -1, "move": "c1-c2"}),
        json!({"type": "move", "game": game, "turn": 0.5, "move": "c1-c2"}),
        json!({"type": "watch", "game": game, "from": -1}),
        json!({"type": "games", "limit": 4_294_967_296_u64}),
        json!({"type": "seek", "rules": "adamas", "players": 255}),
        json!({"type": "seek", "rules": "adamas", "players": 0}),
        json!({"type": "seek", "rules": "adamas", "players": 1}),
        json!({"type": "seek", "rules": "adamas", "seat": 255}),
        json!({"type": "seek", "rules": "adamas", "options": {"size": 4_294_967_295_u32}}),
        json!({"type": "seek", "rules": "adamas", "options": {"size": u64::MAX}}),
        json!({"type": "seek", "rules": "adamas", "options": "-size=99999999999999999999"}),
        json!({"type": "seek", "rules": "adamas",
            "clock": {"mode": "fischer", "base_ms": u64::MAX, "inc_ms": u64::MAX}}),
        json!({"type": "seek", "rules": "adamas", "clock": {"mode": "per_move", "move_ms": 0}}),
        json!({"type": "answer", "game": game, "offer": "o_99999999999", "accept": true}),
        json!({"type": "token_create", "label": "t", "expires": 1}),
    ];
    for request in refused {
        eve.refused(request, "bad_message").await;
    }
    let harmless = [
        json!({"type": "ping", "t0": u64::MAX}),
        json!({"type": "games", "limit": u32::MAX}),
        json!({"type": "games", "limit": 0}),
        json!({"type": "games", "state": "finished", "limit": u32::MAX}),
        json!({"type": "watch", "game": game, "from": u64::MAX}),
        json!({"type": "watch", "game": game, "from": i64::MAX}),
        json!({"type": "token_create", "label": "t", "expires": u64::MAX}),
    ];
    for request in harmless {
        eve.ask_unchecked(request).await;
    }
    let stale = json!({"type": "move", "game": game, "turn": u32::MAX, "move": "c1-c2"});
    ann.refused(stale, "stale_turn").await;
    let offer = json!({"type": "answer", "game": game, "offer": "o_4294967295", "accept": true});
    ann.refused(offer, "no_such_offer").await;
    let illegal = json!({"type": "move", "game": game, "turn": 0, "move": "9".repeat(9_000)});
    ann.refused(illegal, "illegal_move").await;
    let too_large = r#"{"type":"ping","id":"h","t0":1e999}"#;
    eve.send_raw(Message::text(too_large)).await;
    assert!(["bad_json", "bad_message"].contains(&code(&eve.next_of("error").await)));

    // A cursor beyond the record contradicts it.
    let resume = json!({&game: {"seq": u64::MAX}});
    let mut zoe = Peer::connect(server.address()).await;
    let welcome = zoe.hello(json!({"auth": {"guest": "zoe"}, "resume": resume})).await;
    assert_eq!(welcome["games"][0]["resume"], "fork");
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
    assert!(server.log().iter().all(|line| !line.contains("panicked")), "{:?}", server.log());
}

fn code(error: &Value) -> &str {
    error["code"].as_str().expect("an error has a code")
}
