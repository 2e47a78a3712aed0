//! Lists of games, the catalogue, drawn boards, `ping`, and resuming with cursors.

use adamant_rules::Kind;
use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, game, with};

fn ids(list: &Frame) -> Vec<&str> {
    list["games"].as_array().unwrap().iter().map(|entry| entry["game"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn games_are_listed_by_state_user_and_page() {
    let (mut server, [mut ann, mut bob, mut cy]) =
        Peer::start_with_guests(["ann", "bob", "cy"]).await;
    let with_bob = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let with_cy = game::start(&mut [&mut cy, &mut ann], json!({"options": "-size=4"})).await;
    let without_ann = game::start(&mut [&mut bob, &mut cy], json!({})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &with_bob, 2).await;

    let mut anonymous = Peer::anonymous(&server).await;
    let mut list =
        async |fields: Value| anonymous.ask(with(json!({"type": "games"}), fields)).await;
    let all = list(json!({"state": "live"})).await;
    assert_eq!(all["more"], false);
    let mut known = ids(&all);
    known.sort_unstable();
    let mut expected = [with_bob.as_str(), &with_cy, &without_ann];
    expected.sort_unstable();
    assert_eq!(known, expected);
    let entry = |list: &Frame, game: &str| {
        list["games"].as_array().unwrap().iter().find(|entry| entry["game"] == game).cloned()
    };
    let live = entry(&all, &with_bob).unwrap();
    assert_eq!(
        (&live["ply"], &live["to_move"], &live["state"]),
        (&json!(2), &json!(0), &json!("live"))
    );
    assert_eq!(entry(&all, &with_cy).unwrap()["options"]["size"], 4);

    // The pages have the same order and contain each game once.
    let mut paged: Vec<String> = Vec::new();
    loop {
        let mut asked = json!({"state": "live", "limit": 1});
        if let Some(before) = paged.last() {
            asked["before"] = json!(before);
        }
        let page = list(asked).await;
        assert_eq!(ids(&page).len(), 1);
        paged.push(ids(&page)[0].to_owned());
        if page["more"] == false {
            break;
        }
    }
    assert_eq!(paged, ids(&all));

    ann.ask(json!({"type": "resign", "game": with_bob})).await;
    ann.next_event(&with_bob, "ended").await;
    ann.ask(json!({"type": "abort", "game": with_cy})).await;
    ann.next_event(&with_cy, "aborted").await;
    let of_ann = list(json!({"state": "live", "user": "ANN"})).await;
    assert!(ids(&of_ann).is_empty(), "{of_ann}");
    let of_bob = list(json!({"user": "bob"})).await;
    assert_eq!(ids(&of_bob), [without_ann.as_str()]);
    let finished = list(json!({"state": "finished", "user": "ann"})).await;
    let over = entry(&finished, &with_bob).unwrap();
    assert_eq!((&over["result"]["winners"], &over["state"]), (&json!([1]), &json!("finished")));
    let first = list(json!({"state": "finished", "limit": 1})).await;
    assert_eq!(first["more"], true);
    let before = ids(&first)[0].to_owned();
    let second = list(json!({"state": "finished", "limit": 1, "before": before})).await;
    assert_ne!(ids(&first), ids(&second));
    assert_eq!(second["more"], false);
    assert!(ids(&list(json!({"rules": "ludo"})).await).is_empty());
    assert!(ids(&list(json!({"user": "stranger"})).await).is_empty());

    // A crash changes neither list.
    server.crash().await;
    let mut anonymous = Peer::anonymous(&server).await;
    let live = anonymous.ask(json!({"type": "games"})).await;
    assert_eq!(ids(&live), [without_ann.as_str()]);
    let again = anonymous.ask(json!({"type": "games", "state": "finished"})).await;
    assert_eq!(entry(&again, &with_bob).unwrap(), over);
    assert_eq!(ids(&again).len(), 2);
}

#[tokio::test]
async fn a_ping_measures_latency_and_clock_offset() {
    let server = Server::start().await;
    let mut anonymous = Peer::anonymous(&server).await;
    let welcomed = anonymous.welcome["ts"].as_u64().unwrap();
    let pong = anonymous.ask(json!({"type": "ping", "t0": 123})).await;
    assert_eq!((&pong["type"], &pong["t0"]), (&json!("pong"), &json!(123)));
    let (received, sent) = (pong["t1"].as_u64().unwrap(), pong["t2"].as_u64().unwrap());
    assert!(welcomed <= received && received <= sent, "{pong}");
    assert_eq!(anonymous.ask(json!({"type": "ping"})).await.get("t0"), None);
}

#[tokio::test]
async fn the_catalogue_describes_the_options_of_every_game() {
    let server = Server::start().await;
    let mut anonymous = Peer::anonymous(&server).await;
    let catalogue = anonymous.ask(json!({"type": "catalogue"})).await;
    let games = catalogue["games"].as_array().unwrap();
    let names: Vec<_> = games.iter().map(|game| game["rules"].as_str().unwrap()).collect();
    let expected: Vec<_> =
        Kind::ALL.iter().map(|kind| format!("{}@{}", kind.name(), kind.version())).collect();
    assert_eq!(names, expected);
    assert_eq!(games[0]["players"], json!([2, 3]));
    let size = &games[0]["options"][0];
    let said = (&size["name"], &size["kind"], &size["least"], &size["most"]);
    assert_eq!(said, (&json!("size"), &json!("number"), &json!(2), &json!(8)));
    for game in games {
        assert!(game["page"].as_str().unwrap().lines().count() > 2, "{game}");
        assert!(game["goal"].as_str().unwrap().ends_with('.'), "{game}");
        let title = game["title"].as_str().unwrap().to_lowercase();
        assert!(game["rules"].as_str().unwrap().starts_with(&title), "{game}");
        for option in game["options"].as_array().unwrap() {
            assert!(!option["title"].as_str().unwrap().is_empty(), "{option}");
            for choice in option["choices"].as_array().into_iter().flatten() {
                assert!(!choice["title"].as_str().unwrap().is_empty(), "{option}");
                let mut layout = json!({"type": "layout", "rules": game["rules"], "options": {}});
                layout["options"][option["name"].as_str().unwrap()] = choice["value"].clone();
                anonymous.ask(layout).await;
            }
        }
    }
    assert_eq!(size["choices"][1]["value"], 3);
}

#[tokio::test]
async fn finished_games_are_found_by_opponent_result_and_rating() {
    let (_server, [mut ann, mut bob, mut cy]) = Peer::start_with_guests(["ann", "bob", "cy"]).await;
    let lost = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    ann.ask(json!({"type": "resign", "game": lost})).await;
    let won = game::start(&mut [&mut ann, &mut cy], json!({})).await;
    cy.ask(json!({"type": "resign", "game": won})).await;
    let drawn = game::start(&mut [&mut bob, &mut ann], json!({})).await;
    let offer = ann.ask(json!({"type": "offer", "game": drawn, "what": "draw"})).await;
    bob.next_event(&drawn, "offered").await;
    let answer = json!({"type": "answer", "game": drawn, "offer": offer["offer"], "accept": true});
    bob.ask(answer).await;
    let aborted = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    ann.ask(json!({"type": "abort", "game": aborted})).await;
    ann.next_event(&aborted, "aborted").await;

    let cases = [
        (json!({"user": "ann", "result": "won"}), vec![&won]),
        (json!({"user": "ANN", "result": "lost"}), vec![&lost]),
        (json!({"user": "ann", "result": "drawn"}), vec![&drawn]),
        (json!({"user": "ann", "opponent": "Bob"}), vec![&aborted, &drawn, &lost]),
        (json!({"user": "bob", "opponent": "ann", "result": "won"}), vec![&lost]),
        (json!({"user": "ann", "opponent": "ann"}), vec![]),
        (json!({"user": "ann", "rated": true}), vec![]),
        (json!({"rated": false, "rules": "adamas"}), vec![&aborted, &drawn, &won, &lost]),
    ];
    for (wanted, expected) in cases {
        let request = with(json!({"type": "games", "state": "finished"}), wanted.clone());
        let answer = ann.ask(request.clone()).await;
        let found: Vec<_> =
            answer["games"].as_array().unwrap().iter().map(|g| &g["game"]).collect();
        assert_eq!(json!(found), json!(expected), "{wanted}");
        assert_eq!((&answer["more"], answer.get("next")), (&json!(false), None));
        // Page by page the list is the same.
        let mut before = json!(null);
        for game in expected {
            let mut page = with(request.clone(), json!({"limit": 1}));
            if before.is_string() {
                page["before"] = before;
            }
            let answer = ann.ask(page).await;
            assert_eq!(answer["games"][0]["game"], **game);
            before = json!(game);
        }
    }
    let live = json!({"type": "games", "user": "ann", "opponent": "bob"});
    ann.refused(live, "bad_message").await;
    let nobody = json!({"type": "games", "state": "finished", "result": "won"});
    ann.refused(nobody, "bad_message").await;
}

#[tokio::test]
async fn a_snapshot_maps_letters_to_seats() {
    let server = Server::start().await;
    let diam = json!({"rules": "diam", "options": "-board=10x5 -pieces=3x4"});
    let (mut ann, _bob, game) = game::start_two_with(&server, diam).await;
    let layout = ann.ask(json!({"type": "layout", "game": game})).await;
    assert_eq!(layout["letters"], json!(["ABC", "XYZ"]));
    assert_eq!(layout["levels"], 5);
    ann.ask(json!({"type": "move", "game": game, "turn": 0, "move": "B1"})).await;
    let snapshot = ann.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot["seats"][0]["reserve"], "AAAABBBCCCC");
    assert_eq!(snapshot["seats"][1]["reserve"], "XXXXYYYYZZZZ");
}

/// Starts a game in which bob is to move and has missed four events: a move, an offer, its
/// withdrawal and another offer.
async fn with_an_absent_bob(server: &Server) -> (Peer, Peer, String) {
    let mut ann = Peer::guest(server, "ann").await;
    let mut bob = Peer::guest(server, "bob").await;
    let game = game::start_and_play(&mut [&mut ann, &mut bob], 2).await;
    // From here on bob reads nothing.
    let play = game::choose_move(ann.table(&game));
    game::make_move(&mut ann, &game, &play).await;
    let made = ann.ask(json!({"type": "offer", "game": game, "what": "draw"})).await;
    ann.ask(json!({"type": "withdraw", "game": game, "offer": made["offer"]})).await;
    let made = ann.ask(json!({"type": "offer", "game": game, "what": "abort"})).await;
    ann.read_up_to(&game, made["seq"].as_u64().unwrap()).await;
    (ann, bob, game)
}

fn verdict<'a>(welcome: &'a Frame, game: &str) -> &'a Value {
    let games = welcome["games"].as_array().unwrap();
    games.iter().find(|entry| entry["game"] == game).unwrap()
}

#[tokio::test]
async fn a_cursor_brings_exactly_the_missed_events() {
    let server = Server::start().await;
    let (ann, bob, game) = with_an_absent_bob(&server).await;
    let known = bob.replay(&game).seq();
    let mut bob = bob.reconnect(&server).await;
    let entry = verdict(&bob.welcome, &game);
    assert_eq!((&entry["resume"], &entry["seat"]), (&json!("tail"), &json!(1)));
    assert_eq!(entry["from"], known + 1);
    let turn = bob.next_of("your_turn").await;
    assert_eq!((&turn["game"], &turn["seat"]), (&json!(game), &json!(1)));
    // `your_turn` comes after all of the missed events.
    assert_eq!(bob.records(&game), ann.records(&game));
    let came: Vec<&Value> =
        bob.frames().filter(|frame| frame["type"] == "event").map(|frame| &frame["seq"]).collect();
    let expected: Vec<u64> = (known + 1..=ann.replay(&game).seq()).collect();
    assert_eq!(json!(came), json!(expected));

    // Up to date: no event is missing, and `your_turn` is sent again.
    let mut bob = bob.reconnect(&server).await;
    bob.next_of("your_turn").await;
    assert_eq!(bob.frames().filter(|frame| frame["type"] == "event").count(), 0);
    let play = game::choose_move(bob.table(&game));
    game::make_move(&mut bob, &game, &play).await;
}

#[tokio::test]
async fn a_cursor_that_contradicts_the_record_brings_a_snapshot() {
    let server = Server::start().await;
    let (ann, bob, game) = with_an_absent_bob(&server).await;
    let token = bob.token.clone().unwrap();
    let resume = async |cursor: Value| {
        let mut back = Peer::connect(server.address()).await;
        let hello = json!({"auth": {"token": token}, "resume": {&game: cursor}});
        let welcome = back.hello(hello).await;
        (back, verdict(&welcome, &game)["resume"].clone())
    };
    let known = bob.replay(&game).seq();
    let forged = "ab".repeat(32);
    for past in [
        json!({"seq": known, "chain": forged}),
        json!({"seq": ann.replay(&game).seq(), "chain": forged}),
        json!({"seq": 999}),
    ] {
        let (mut back, verdict) = resume(past).await;
        assert_eq!(verdict, "fork");
        let snapshot = back.next_of("snapshot").await;
        assert_eq!(snapshot["seq"], ann.replay(&game).seq());
        assert_eq!(snapshot["chain"], ann.replay(&game).chain().to_string());
        assert_eq!(snapshot["offers"][0]["needs"], json!([1]));
        back.next_of("your_turn").await;
    }
    for past in [json!({"seq": known}), json!({"seq": 0}), bob.cursor(&game)] {
        let (mut back, verdict) = resume(past.clone()).await;
        assert_eq!(verdict, "tail");
        let first = back.next_of("event").await;
        assert_eq!(first["seq"], past["seq"].as_u64().unwrap() + 1);
    }
}

#[tokio::test]
async fn without_a_cursor_a_snapshot_comes_and_an_unknown_game_is_gone() {
    let server = Server::start().await;
    let (ann, bob, game) = with_an_absent_bob(&server).await;
    let token = bob.token.clone().unwrap();
    let mut back = Peer::connect(server.address()).await;
    let resume = json!({"nosuchgame": {"seq": 3}});
    let welcome = back.hello(json!({"auth": {"token": token}, "resume": resume})).await;
    assert_eq!(verdict(&welcome, &game)["resume"], "snapshot");
    assert_eq!(verdict(&welcome, "nosuchgame")["resume"], "gone");
    let snapshot = back.next_of("snapshot").await;
    assert_eq!(snapshot["reason"], "resumed");
    assert_eq!(snapshot["seq"], ann.replay(&game).seq());
    let turn = back.next_of("your_turn").await;
    assert_eq!(turn["turn"], snapshot["turn"]);

    // A spectator resumes by cursor, too, without a seat.
    let mut cy = Peer::connect(server.address()).await;
    let welcome = cy.hello(json!({"resume": {&game: {"seq": 2}}})).await;
    let entry = verdict(&welcome, &game);
    assert_eq!((&entry["resume"], entry.get("seat")), (&json!("tail"), None));
    assert_eq!(cy.next_of("event").await["seq"], 3);
}

#[tokio::test]
async fn every_session_of_a_player_receives_events_and_may_move() {
    let (server, mut ann, mut bob, game) = game::server_with_two().await;
    let token = ann.token.clone().unwrap();
    let mut second = Peer::connect(server.address()).await;
    second.hello(json!({"auth": {"token": token}, "resume": {&game: {"seq": 0}}})).await;
    second.read_up_to(&game, 2).await;
    let play = game::choose_move(second.table(&game));
    game::make_move(&mut second, &game, &play).await;
    ann.next_event(&game, "moved").await;
    bob.next_event(&game, "moved").await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    for peer in [&mut ann, &mut second] {
        peer.next_matching("the next turn", |frame| {
            frame["type"] == "your_turn" && frame["turn"] == 2
        })
        .await;
    }
}
