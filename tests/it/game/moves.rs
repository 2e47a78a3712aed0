//! Moves: rejected and repeated; skipped turns, swaps, three players, and
//! a whole game as a client without rules sees it.

use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, game, with};

/// Returns a move that splits the first stack in two directions, in two spellings: canonical
/// notation has the cells in ascending order.
fn split(peer: &Peer, game: &str) -> (String, String) {
    let position = peer.table(game).position();
    for from in position.sources() {
        let targets = position.targets(from);
        let [first, second, ..] = targets.as_slice() else { continue };
        let name = |cell| position.cell_name(cell).as_str().to_owned();
        let (from, one, two) = (name(from), name(first.cell), name(second.cell));
        let spellings = (format!("{from}-{one},{two}"), format!("{from}-{two},{one}"));
        if position.parse_move(&spellings.0).is_ok_and(|play| position.validate(&play).is_ok()) {
            return spellings;
        }
    }
    panic!("no stack can be split\n{}", peer.recent_frames());
}

#[tokio::test]
async fn rejected_moves_give_a_reason_and_change_nothing() {
    let (_server, [mut ann, mut bob, mut cy]) = Peer::start_with_guests(["ann", "bob", "cy"]).await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let play = game::choose_move(ann.table(&game));
    let request =
        |turn: u32, play: &str| json!({"type": "move", "game": game, "turn": turn, "move": play});

    let illegal = ann.refused(request(0, "c3-c4"), "illegal_move").await;
    assert!(illegal["why"].is_string(), "{illegal}");
    assert_eq!((&illegal["game"], &illegal["retry"]), (&json!(game), &json!("never")));
    let unreadable = ann.refused(request(0, "!"), "illegal_move").await;
    assert!(unreadable["why"].is_string(), "{unreadable}");

    let stale = ann.refused(request(7, &play), "stale_turn").await;
    assert_eq!((&stale["turn"], &stale["retry"]), (&json!(0), &json!("resync")));
    bob.refused(request(0, &play), "not_your_turn").await;
    // The turn number is checked first, and then whose turn it is.
    bob.refused(request(7, &play), "stale_turn").await;
    bob.refused(request(0, "!"), "not_your_turn").await;
    cy.refused(request(7, "!"), "not_a_player").await;
    let elsewhere = json!({"type": "move", "game": "nosuchgame", "turn": 0, "move": play});
    ann.refused(elsewhere, "not_found").await;
    ann.refused(json!({"type": "move", "game": game, "turn": -1, "move": play}), "bad_message")
        .await;
    ann.refused(json!({"type": "move", "game": game, "turn": 0}), "bad_message").await;

    // The other player has received no event.
    assert!(!bob.has_received(|frame| frame["kind"] == "moved").await, "{}", bob.recent_frames());
    let ok = game::make_move(&mut ann, &game, &play).await;
    assert_eq!((&ok["seq"], &ok["turn"], ok.get("dup")), (&json!(3), &json!(1), None));
}

#[tokio::test]
async fn a_repeated_move_is_made_once() {
    let (mut server, mut ann, mut bob, game) = game::server_with_two().await;
    let (play, spelt_otherwise) = split(&ann, &game);
    let other = {
        let table = ann.table(&game);
        let moves = table.position().legal_moves(50);
        let canonical = table.position().parse_move(&play).unwrap().to_string();
        moves.iter().map(ToString::to_string).find(|legal| *legal != canonical).unwrap()
    };
    let request =
        |play: &str| json!({"type": "move", "id": "first", "game": game, "turn": 0, "move": play});

    // The server does not remember a rejected request: the client corrects it under the same id.
    ann.refused(request("c3-c4"), "illegal_move").await;
    let ok = ann.ask(request(&play)).await;
    assert_eq!(ok.get("dup"), None, "{ok}");
    let same = |again: &Value| {
        assert_eq!(again["dup"], true, "{again}");
        for fact in ["type", "re", "game", "seq", "turn"] {
            assert_eq!(again[fact], ok[fact], "{again}");
        }
    };
    same(&ann.ask(request(&play)).await);
    same(&ann.ask(request(&spelt_otherwise)).await);
    ann.refused(request(&other), "id_reuse").await;
    let later = json!({"type": "move", "id": "first", "game": game, "turn": 1, "move": play});
    ann.refused(later, "id_reuse").await;
    ann.refused(json!({"type": "resign", "id": "first", "game": game}), "id_reuse").await;

    // Each user has their own ids.
    bob.read_up_to(&game, ok["seq"].as_u64().unwrap()).await;
    let mut answer = game::move_request(&bob, &game, &game::choose_move(bob.table(&game)));
    answer["id"] = json!("first");
    assert_eq!(bob.ask(answer).await.get("dup"), None);

    // The id survives a reconnect and a crash.
    let mut ann = ann.reconnect(&server).await;
    same(&ann.ask(request(&play)).await);
    server.crash().await;
    let mut ann = ann.reconnect(&server).await;
    same(&ann.ask(request(&spelt_otherwise)).await);
    ann.refused(request(&other), "id_reuse").await;

    // The id is checked before the end of the game is.
    let resign = json!({"type": "resign", "id": "last", "game": game});
    let resigned = ann.ask(resign.clone()).await;
    let again = ann.ask(resign).await;
    assert_eq!((&again["dup"], &again["seq"]), (&json!(true), &resigned["seq"]));
    same(&ann.ask(request(&play)).await);
    ann.refused(json!({"type": "resign", "game": game}), "game_over").await;
    let moved = |frame: &&Value| frame["kind"] == "moved" && frame["seat"] == 0;
    let records = ann.records(&game).iter().map(|text| serde_json::from_str(text).unwrap());
    assert_eq!(records.collect::<Vec<Value>>().iter().filter(moved).count(), 1);
}

/// Plays a script of moves. The peers are in seat order and read all events.
async fn follow(peers: &mut [&mut Peer], game: &str, script: impl IntoIterator<Item = &str>) {
    for notation in script {
        game::catch_up(peers, game).await;
        let seat = game::to_move(peers[0].table(game)).expect("the script stops with the game");
        game::make_move(peers[seat], game, notation).await;
    }
    game::catch_up(peers, game).await;
}

fn is_turn(frame: &Frame, turn: u32) -> bool {
    frame["type"] == "your_turn" && frame["turn"] == turn
}

#[tokio::test]
async fn a_blocked_player_is_skipped_in_diam() {
    let mut server = Server::start().await;
    let terms = json!({"rules": "diam", "options": "-board=8x3 -pieces=2x3"});
    let (mut ann, mut bob, game) = game::start_two_with(&server, terms).await;
    let script = "A2 X1 B2 Y1 A2 X1 B3 Y4 A3 X4 B3 Y4";
    follow(&mut [&mut ann, &mut bob], &game, script.split(' ')).await;
    let skipped = ann.next_event(&game, "skipped").await;
    assert_eq!((&skipped["seat"], &skipped["to_move"]), (&json!(0), &json!(1)));
    assert_eq!((&skipped["turn"], &skipped["ply"]), (&json!(13), &json!(13)));
    assert_eq!(skipped.get("req"), None, "the skip has no request");
    // ann receives no `your_turn` for the skipped turn.
    let turn = bob.next_matching("bob's turn", |frame| is_turn(frame, 13)).await;
    assert_eq!(turn["seat"], 1);
    assert!(!ann.has_received(|frame| is_turn(frame, 12)).await, "{}", ann.recent_frames());
    let early = json!({"type": "move", "game": game, "turn": 12, "move": "2+"});
    ann.refused(early, "stale_turn").await;

    server.crash().await;
    let [mut ann, mut bob] = Peer::reconnect_all([ann, bob], &server).await;
    assert_eq!(bob.next_of("your_turn").await["turn"], 13);
    follow(&mut [&mut ann, &mut bob], &game, ["1,3-"]).await;
    assert_eq!(ann.next_of("your_turn").await["turn"], 14);
    let snapshot = ann.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot["moves"][12], "pass");
}

const OPENING: &str = "c3";

/// A game of Stymie after ann's first move, before bob's answer.
async fn opened(server: &Server) -> (Peer, Peer, String) {
    let mut ann = Peer::guest(server, "ann").await;
    let mut bob = Peer::guest(server, "bob").await;
    let terms = json!({"rules": "stymie", "options": "-size=3 -swap",
        "clock": {"mode": "fischer", "base_ms": 600_000, "inc_ms": 0}});
    let game = game::start(&mut [&mut ann, &mut bob], terms).await;
    ann.ask(play(&game, "opening", 0, OPENING)).await;
    for peer in [&mut ann, &mut bob] {
        peer.read_up_to(&game, 3).await;
    }
    (ann, bob, game)
}

fn play(game: &str, id: &str, turn: u32, notation: &str) -> Value {
    json!({"type": "move", "id": id, "game": game, "turn": turn, "move": notation})
}

/// Returns the users in seat order.
fn users(seats: &Value) -> Vec<&str> {
    seats.as_array().unwrap().iter().map(|seat| seat["user"].as_str().unwrap()).collect()
}

/// Checks that lists and snapshots show the swapped seats and the user to move.
async fn assert_reseated(server: &Server, game: &str, state: &str) {
    let mut anonymous = Peer::anonymous(server).await;
    let snapshot = anonymous.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(users(&snapshot["seats"]), ["bob", "ann"], "{snapshot}");
    assert_eq!(
        (&snapshot["seats"][0]["letter"], &snapshot["moves"][1]),
        (&json!("V"), &json!("swap"))
    );
    assert_eq!(snapshot["position"][OPENING], "V", "the piece stays what it was");
    for asked in [json!({}), json!({"user": "ann"}), json!({"user": "bob"})] {
        let list = json!({"type": "games", "state": state});
        let list = anonymous.ask(with(list, asked)).await;
        let entry = &list["games"][0];
        assert_eq!((&entry["game"], users(&entry["seats"])), (&json!(game), vec!["bob", "ann"]));
        assert_eq!(entry["to_move"], snapshot["to_move"]);
        assert_eq!(entry["ply"], snapshot["ply"]);
    }
}

#[tokio::test]
async fn a_rated_game_has_the_swap_unless_it_is_switched_off() {
    let (_server, [mut ann, mut bob]) = Peer::start_with_accounts(["ann", "bob"]).await;
    for (rated, options, swap) in [
        (true, json!({}), true),
        (true, json!("-size=3"), true),
        (true, json!({"swap": false}), false),
        (true, json!("-swap=off"), false),
        (false, json!({}), false),
        (false, json!("-swap"), true),
        (false, json!("-swap=on"), true),
    ] {
        let terms = json!({"rules": "stymie", "options": options, "rated": rated});
        let challenge = with(json!({"type": "challenge", "seats": ["ann", "bob"]}), terms.clone());
        let made = ann.ask(challenge).await["challenge"].clone();
        let told = bob.next_of("challenged").await;
        assert_eq!(
            (&told["challenge"], &told["options"]["swap"]),
            (&made, &json!(swap)),
            "{terms}"
        );
        let game = bob.ask(json!({"type": "accept", "challenge": made})).await["game"].clone();
        let game = game.as_str().unwrap();
        let created = bob.next_event(game, "created").await;
        assert_eq!((&created["options"]["swap"], &created["rated"]), (&json!(swap), &json!(rated)));
        // A rematch has the same options.
        ann.next_event(game, "started").await;
        ann.ask(json!({"type": "resign", "game": game})).await;
        bob.next_event(game, "ended").await;
        let again = bob.ask(json!({"type": "rematch", "game": game})).await["challenge"].clone();
        assert_eq!(ann.next_of("challenged").await["options"]["swap"], swap);
        ann.ask(json!({"type": "decline", "challenge": again})).await;
    }
    // A seek shows the resulting option and matches a seek that spells it out.
    bob.ask(json!({"type": "lobby", "watch": true})).await;
    let seek = |options: Value| {
        json!({"type": "seek", "rules": "stymie", "options": options,
        "players": 2, "rated": true})
    };
    ann.ask(seek(json!({}))).await;
    let shown =
        |frame: &Frame| frame["type"] == "lobby" && !frame["add"].as_array().unwrap().is_empty();
    let added = bob.next_matching("the seek", shown).await;
    assert_eq!(added["add"][0]["options"], json!({"size": 8, "swap": true}));
    let joined = bob.ask(seek(json!({"size": 8, "swap": true}))).await;
    assert!(joined["game"].is_string(), "{joined}");
}

#[tokio::test]
async fn a_swap_exchanges_the_users_seats() {
    let server = Server::start().await;
    let (mut ann, mut bob, game) = opened(&server).await;
    assert_eq!(bob.next_of("your_turn").await["seat"], 1);
    let ok = bob.ask(play(&game, "answer", 1, "SWAP")).await;
    assert_eq!((&ok["seq"], &ok["turn"]), (&json!(4), &json!(2)));
    let swapped = ann.next_event(&game, "swapped").await;
    assert_eq!(users(&swapped["seats"]), ["bob", "ann"]);
    assert_eq!((&swapped["seat"], &swapped["to_move"]), (&json!(1), &json!(1)));
    assert_eq!((&swapped["turn"], &swapped["ply"]), (&json!(2), &json!(2)));
    assert_eq!(swapped["req"], "answer");
    assert_reseated(&server, &game, "live").await;

    // It is the other seat's turn now, and the other user's: ann has opened and moves again.
    let turn = ann.next_matching("her turn", |frame| is_turn(frame, 2)).await;
    assert_eq!((&turn["seat"], &turn["ply"]), (&json!(1), &json!(2)));
    assert!(!bob.has_received(|frame| is_turn(frame, 2)).await, "{}", bob.recent_frames());
    bob.refused(play(&game, "too soon", 2, "a1"), "not_your_turn").await;
    ann.refused(play(&game, "swap back", 2, "swap"), "illegal_move").await;
    ann.refused(play(&game, "three", 2, "a1,b2,a3"), "illegal_move").await;

    // A request id belongs to the user, not to the seat.
    let again = bob.ask(play(&game, "answer", 1, "swap")).await;
    assert_eq!((&again["dup"], &again["seq"]), (&json!(true), &json!(4)));
    bob.refused(play(&game, "answer", 1, "a1"), "id_reuse").await;
    let again = ann.ask(play(&game, "opening", 0, OPENING)).await;
    assert_eq!((&again["dup"], &again["seq"]), (&json!(true), &json!(3)));
    bob.refused(play(&game, "opening", 0, OPENING), "stale_turn").await;
    let own = ann.ask(play(&game, "answer", 2, "a1")).await;
    assert_eq!((own.get("dup"), &own["turn"]), (None, &json!(3)));
    let turn = bob.next_matching("his turn", |frame| is_turn(frame, 3)).await;
    assert_eq!(turn["seat"], 0);

    // A resignation now counts for the user's new seat.
    bob.ask(json!({"type": "resign", "game": game})).await;
    let ended = ann.next_event(&game, "ended").await;
    assert_eq!((&ended["by"], &ended["winners"]), (&json!(0), &json!([1])));
    assert_reseated(&server, &game, "finished").await;
}

#[tokio::test]
async fn a_crash_keeps_the_swapped_seats() {
    let mut server = Server::start().await;
    let (ann, mut bob, game) = opened(&server).await;
    bob.ask(play(&game, "answer", 1, "swap")).await;
    server.crash().await;
    assert_reseated(&server, &game, "live").await;

    let [mut bob, mut ann] = Peer::reconnect_all([bob, ann], &server).await;
    for (peer, seat) in [(&bob, 0), (&ann, 1)] {
        let entry = &peer.welcome["games"][0];
        assert_eq!((&entry["game"], &entry["seat"]), (&json!(game), &json!(seat)));
    }
    let again = bob.ask(play(&game, "answer", 1, "swap")).await;
    assert_eq!((&again["dup"], &again["seq"]), (&json!(true), &json!(4)));
    bob.refused(play(&game, "answer", 1, "a1"), "id_reuse").await;
    let again = ann.ask(play(&game, "opening", 0, OPENING)).await;
    assert_eq!((&again["dup"], &again["seq"]), (&json!(true), &json!(3)));
    let turn = ann.next_of("your_turn").await;
    assert_eq!((&turn["seat"], &turn["turn"]), (&json!(1), &json!(2)));
    assert!(
        !bob.has_received(|frame| frame["type"] == "your_turn").await,
        "{}",
        bob.recent_frames()
    );

    // The users play on in their new seats, to the end and across another crash.
    game::play_moves(&mut [&mut bob, &mut ann], &game, 2).await;
    server.crash().await;
    let [mut bob, mut ann] = Peer::reconnect_all([bob, ann], &server).await;
    game::play_to_end(&mut [&mut bob, &mut ann], &game).await;
    assert_eq!(ann.records(&game), bob.records(&game));
    let ended: Value = serde_json::from_str(ann.records(&game).last().unwrap()).unwrap();
    assert_eq!(ended["reason"], "connected");
    assert_reseated(&server, &game, "finished").await;
}

async fn three(server: &Server) -> [Peer; 3] {
    [
        Peer::guest(server, "ann").await,
        Peer::guest(server, "bob").await,
        Peer::guest(server, "cy").await,
    ]
}

#[tokio::test]
async fn a_player_resigns_out_of_turn_and_the_others_play_to_the_end() {
    let server = Server::start().await;
    let [mut ann, mut bob, mut cy] = three(&server).await;
    let game = game::start_and_play(&mut [&mut ann, &mut bob, &mut cy], 3).await;
    assert_eq!(game::to_move(ann.table(&game)), Some(0));

    let turn = cy.table(&game).turn();
    cy.ask(json!({"type": "resign", "game": game})).await;
    game::answer_seat_offer(&mut ann, &game, false).await;
    let removed = ann.next_event(&game, "removed").await;
    assert_eq!(removed["seat"], 2);
    assert_eq!(removed["reason"], "resigned");
    assert_eq!(removed["to_move"], 0, "the turn does not change");
    assert_eq!(removed["turn"], turn + 1);
    let stale = json!({"type": "move", "game": game, "turn": turn, "move": "a1-a2"});
    ann.refused(stale, "stale_turn").await;
    cy.read_up_to(&game, removed["seq"].as_u64().unwrap()).await;
    cy.refused(json!({"type": "offer", "game": game, "what": "draw"}), "forbidden").await;
    cy.refused(json!({"type": "resign", "game": game}), "forbidden").await;

    game::play_to_end(&mut [&mut ann, &mut bob, &mut cy], &game).await;
    let outcome = cy.table(&game).outcome().unwrap().clone();
    let ended: Value = serde_json::from_str(cy.records(&game).last().unwrap()).unwrap();
    assert_eq!(ended["places"][2], 3, "the first player to leave is last");
    assert!(!ended["winners"].as_array().unwrap().contains(&json!(2)), "{outcome:?}");
    assert_eq!(ann.records(&game), cy.records(&game));
    assert_eq!(bob.records(&game), cy.records(&game));
}

/// Fields that differ from run to run.
const REDACTED: [&str; 16] = [
    "at",
    "chain",
    "created",
    "durability",
    "expires",
    "key",
    "keys",
    "challenge",
    "game",
    "session",
    "since",
    "spent_ms",
    "token",
    "ts",
    "t1",
    "t2",
];

fn redact(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if REDACTED.contains(&name.as_str()) {
                    *value = json!("..");
                } else {
                    redact(value);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(redact),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn a_short_games_frames_are_unchanged() {
    let server = Server::start().await;
    let mut ann = Peer::connect(server.address()).await;
    ann.hello(json!({"id": "a1", "auth": {"guest": "ann"}})).await;
    let mut bob = Peer::connect(server.address()).await;
    bob.hello(json!({"id": "b1", "auth": {"guest": "bob"}, "caps": ["legal"]})).await;
    let challenge = json!({"type": "challenge", "id": "a2", "rules": "adamas", "seats": ["ann", "bob"],
        "options": "-pieces=2"});
    let challenge = ann.ask(challenge).await["challenge"].clone();
    bob.next_of("challenged").await;
    let accepted = bob.ask(json!({"type": "accept", "id": "b2", "challenge": challenge})).await;
    let game = accepted["game"].as_str().unwrap().to_owned();
    ann.next_of("your_turn").await;
    let play = |id: &str, turn: u32, play: &str| json!({"type": "move", "id": id, "game": game, "turn": turn, "move": play});
    ann.refused(play("a3", 0, "c3-c4"), "illegal_move").await;
    ann.ask(play("a4", 0, FIRST_MOVE)).await;
    bob.next_of("your_turn").await;
    bob.refused(play("b3", 0, FIRST_MOVE), "stale_turn").await;
    ann.ask(json!({"type": "offer", "id": "a5", "game": game, "what": "draw"})).await;
    let offered = bob.next_event(&game, "offered").await;
    let answer = json!({"type": "answer", "id": "b4", "game": game, "offer": offered["offer"], "accept": false});
    bob.ask(answer).await;
    ann.next_event(&game, "offer_closed").await;
    bob.ask(json!({"type": "resign", "id": "b5", "game": game})).await;
    ann.next_event(&game, "ended").await;
    bob.ask(json!({"type": "watch", "id": "b6", "game": game})).await;
    ann.ask(json!({"type": "ping", "id": "a6", "t0": 1})).await;

    let mut transcript = String::new();
    for peer in [&ann, &bob] {
        transcript.push_str(peer.name());
        transcript.push('\n');
        // The server sends presence at any time.
        for frame in peer.frames().filter(|frame| frame["type"] != "presence") {
            let mut frame = frame.clone();
            redact(&mut frame);
            transcript.push_str(&frame.to_string());
            transcript.push('\n');
        }
    }
    insta::assert_snapshot!(transcript, @r#"
    ann
    {"challenges":[],"claim_after":{"timed_ms":120000,"untimed_ms":604800000},"durability":"..","games":[],"heartbeat":{"idle_close_ms":30000,"ping_every_ms":10000},"keys":"..","limits":{"bots":20,"burst":100000,"frame_bytes":65536,"games_per_min":1000,"live_games":200,"open_challenges":32,"open_seeks":8,"per_s":100000,"seeks_per_min":1000,"sessions":50,"tokens":50,"watched_games":256},"proto":1,"push":{"key":".."},"re":"a1","rules":{"adamas":1,"diam":1,"hexma":1,"stymie":1},"server":{"name":"adamant","version":"0.1.0"},"session":"..","settings":{"challenges":"all"},"token":"..","ts":"..","type":"welcome","user":{"bot":false,"guest":true,"name":"ann"}}
    {"challenge":"..","re":"a2","type":"ok"}
    {"challenge":"..","game":"..","type":"challenge_closed"}
    {"at":"..","chain":"..","clock":{"mode":"none"},"game":"..","hash":"5ec730dad608951a","kind":"created","options":{"pieces":2,"prog_cap":false,"size":3},"rated":false,"rules":"adamas@1","seats":[{"bot":false,"guest":true,"letter":"O","user":"ann"},{"bot":false,"guest":true,"letter":"X","user":"bob"}],"seq":1,"type":"event"}
    {"at":"..","chain":"..","game":"..","hash":"5ec730dad608951a","kind":"started","seq":2,"to_move":0,"type":"event"}
    {"game":"..","hash":"5ec730dad608951a","ply":0,"seat":0,"turn":0,"type":"your_turn"}
    {"code":"illegal_move","game":"..","message":"c3 is empty","re":"a3","retry":"never","type":"error","why":"c3 is empty","why_args":{"cell":"c3"},"why_key":"adamas.empty_source"}
    {"game":"..","re":"a4","seq":3,"turn":1,"type":"ok"}
    {"at":"..","captures":[],"chain":"..","game":"..","hash":"f8c56c7f1af89c16","kind":"moved","lag_ms":0,"move":"c1-c2","ply":1,"req":"a4","seat":0,"seq":3,"spent_ms":"..","to_move":1,"turn":1,"type":"event"}
    {"game":"..","offer":"o_1","re":"a5","seq":4,"type":"ok"}
    {"at":"..","by":0,"chain":"..","game":"..","hash":"f8c56c7f1af89c16","kind":"offered","needs":[1],"offer":"o_1","req":"a5","seq":4,"type":"event","what":"draw"}
    {"at":"..","by":1,"chain":"..","game":"..","hash":"f8c56c7f1af89c16","kind":"offer_closed","offer":"o_1","outcome":"declined","req":"b4","seq":5,"type":"event"}
    {"at":"..","by":1,"chain":"..","game":"..","hash":"f8c56c7f1af89c16","kind":"ended","places":[1,2],"reason":"resigned","req":"b5","seq":6,"type":"event","winners":[0]}
    {"re":"a6","t0":1,"t1":"..","t2":"..","type":"pong"}
    bob
    {"challenges":[],"claim_after":{"timed_ms":120000,"untimed_ms":604800000},"durability":"..","games":[],"heartbeat":{"idle_close_ms":30000,"ping_every_ms":10000},"keys":"..","limits":{"bots":20,"burst":100000,"frame_bytes":65536,"games_per_min":1000,"live_games":200,"open_challenges":32,"open_seeks":8,"per_s":100000,"seeks_per_min":1000,"sessions":50,"tokens":50,"watched_games":256},"proto":1,"push":{"key":".."},"re":"b1","rules":{"adamas":1,"diam":1,"hexma":1,"stymie":1},"server":{"name":"adamant","version":"0.1.0"},"session":"..","settings":{"challenges":"all"},"token":"..","ts":"..","type":"welcome","user":{"bot":false,"guest":true,"name":"bob"}}
    {"accepted":["ann"],"by":"ann","challenge":"..","clock":{"mode":"none"},"created":"..","expires":"..","guest":true,"options":{"pieces":2,"prog_cap":false,"size":3},"rated":false,"rules":"adamas@1","seats":["ann","bob"],"shuffle":false,"type":"challenged"}
    {"challenge":"..","game":"..","re":"b2","type":"ok"}
    {"challenge":"..","game":"..","type":"challenge_closed"}
    {"at":"..","chain":"..","clock":{"mode":"none"},"game":"..","hash":"5ec730dad608951a","kind":"created","options":{"pieces":2,"prog_cap":false,"size":3},"rated":false,"rules":"adamas@1","seats":[{"bot":false,"guest":true,"letter":"O","user":"ann"},{"bot":false,"guest":true,"letter":"X","user":"bob"}],"seq":1,"type":"event"}
    {"at":"..","chain":"..","game":"..","hash":"5ec730dad608951a","kind":"started","seq":2,"to_move":0,"type":"event"}
    {"at":"..","captures":[],"chain":"..","game":"..","hash":"f8c56c7f1af89c16","kind":"moved","lag_ms":0,"move":"c1-c2","ply":1,"req":"a4","seat":0,"seq":3,"spent_ms":"..","to_move":1,"turn":1,"type":"event"}
    {"game":"..","hash":"f8c56c7f1af89c16","legal":["c5-a3","2xc5-a3","c5-b4","c5-a3,b4","2xc5-b4","c5-c3","c5-a3,c3","c5-b4,c3","2xc5-c3","c5-c4","c5-a3,c4","c5-b4,c4","c5-c3,c4","2xc5-c4","c5-d4","c5-a3,d4","c5-b4,d4","c5-c3,d4","c5-c4,d4","2xc5-d4","c5-e3","c5-a3,e3","c5-b4,e3","c5-c3,e3","c5-c4,e3","c5-d4,e3","2xc5-e3"],"legal_cut":false,"legal_total":27,"ply":1,"seat":1,"turn":1,"type":"your_turn"}
    {"code":"stale_turn","game":"..","message":"turn 0 is not the present turn, which is 1","re":"b3","retry":"resync","turn":1,"type":"error"}
    {"at":"..","by":0,"chain":"..","game":"..","hash":"f8c56c7f1af89c16","kind":"offered","needs":[1],"offer":"o_1","req":"a5","seq":4,"type":"event","what":"draw"}
    {"game":"..","offer":"o_1","re":"b4","seq":5,"type":"ok"}
    {"at":"..","by":1,"chain":"..","game":"..","hash":"f8c56c7f1af89c16","kind":"offer_closed","offer":"o_1","outcome":"declined","req":"b4","seq":5,"type":"event"}
    {"game":"..","re":"b5","seq":6,"type":"ok"}
    {"at":"..","by":1,"chain":"..","game":"..","hash":"f8c56c7f1af89c16","kind":"ended","places":[1,2],"reason":"resigned","req":"b5","seq":6,"type":"event","winners":[0]}
    {"at":"..","chain":"..","clock":{"mode":"none"},"game":"..","hash":"f8c56c7f1af89c16","moves":["c1-c2"],"offers":[],"options":{"pieces":2,"prog_cap":false,"size":3},"ply":1,"position":{"c1":"O","c2":"O","c5":"XX"},"presence":[{"online":true,"seat":0},{"online":true,"seat":1}],"rated":false,"re":"b6","result":{"places":[1,2],"reason":"resigned","winners":[0]},"rules":"adamas@1","seats":[{"guest":true,"letter":"O","state":"in","user":"ann"},{"guest":true,"letter":"X","state":"in","user":"bob"}],"seq":6,"spectators":0,"threatened":[],"to_move":null,"turn":1,"type":"snapshot"}
    "#);
}

/// The first stack moves one piece one step.
const FIRST_MOVE: &str = "c1-c2";
