//! Names, ids and numbers out of range.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::harness::{Peer, Server, game};

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
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
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
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
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

    server.kill().await;
    server.restart().await;
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
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
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
