//! Analysis: moves that are tried on a game or on the beginning of one, and the cells that win.

use adamant_record::{Replay, wire};
use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, Variant, game};

/// Moves of each game that are tried again.
const MOVES: usize = 30;

#[tokio::test]
async fn moves_tried_from_the_beginning_lead_where_the_game_went() {
    let server = Server::start().await;
    for (number, variant) in Variant::all().into_iter().enumerate() {
        println!("{variant}");
        let mut players = Vec::new();
        for seat in 0..variant.players {
            players.push(Peer::guest(&server, &format!("p{number}-{seat}")).await);
        }
        let mut seated: Vec<&mut Peer> = players.iter_mut().collect();
        let game = game::start(&mut seated, variant.terms()).await;
        game::play_moves(&mut seated, &game, MOVES).await;
        let peer = &mut *seated[0];
        let now = peer.ask(json!({"type": "watch", "game": game})).await;
        let all = now["moves"].as_array().unwrap().clone();
        let tried: Vec<&Value> = all.iter().filter(|play| **play != "pass").collect();
        let begun = json!({"type": "explore", "rules": variant.kind.name(), "options": variant.options,
            "players": variant.players, "moves": tried});
        let explored = peer.ask(begun).await;
        for field in ["rules", "options", "ply", "to_move", "position", "result"] {
            assert_eq!(explored[field], now[field], "{field}");
        }
        for field in ["threatened", "winning"] {
            assert_eq!(explored.get(field), now.get(field), "{field}");
        }
        assert_eq!(explored["moves"], json!(tried));
        let reserve = now["seats"].as_array().unwrap().iter();
        let reserve: Vec<&str> =
            reserve.map(|seat| seat["reserve"].as_str().unwrap_or("")).collect();
        let expected = if reserve.concat().is_empty() { Value::Null } else { json!(reserve) };
        assert_eq!(explored["reserve"], expected);

        // Any ply of the game has the board that it had.
        let list = peer.ask(json!({"type": "positions", "game": game})).await;
        for ply in list["positions"].as_array().unwrap() {
            let from = json!({"type": "explore", "game": game, "ply": ply["ply"], "steps": true});
            let explored = peer.ask(from).await;
            assert_eq!(explored["position"], ply["position"]);
            assert_eq!(explored.get("winning"), ply.get("winning"));
            assert_eq!(explored.get("steps").is_some(), !explored["to_move"].is_null());
        }
        let board = peer.ask(json!({"type": "layout", "game": game})).await;
        let layout = json!({"type": "layout", "rules": variant.kind.name(),
            "options": variant.options, "players": variant.players});
        let layout = peer.ask(layout).await;
        assert_eq!((&layout["cells"], &layout["letters"]), (&board["cells"], &board["letters"]));
        assert_eq!(layout.get("game"), None);
    }
}

#[tokio::test]
async fn tried_moves_are_completed_and_judged() {
    let server = Server::start().await;
    let mut eve = Peer::anonymous(&server).await;
    let explore = |moves: Value| json!({"type": "explore", "rules": "adamas", "moves": moves});
    let mut asked = explore(json!(["c1-e1,c2,4xc3,a1", "c5-3xa3,c4"]));
    asked["sketch"] = json!({"from": [{"cell": "c3"}], "to": [{"cell": "b3", "pieces": 2}]});
    let explored = eve.ask(asked).await;
    assert_eq!(explored["moves"], json!(["c1-a1,c2,4xc3,e1", "c5-3xa3,c4"]));
    assert_eq!(explored["sketch"]["move"], "2xc3-b3");
    assert_eq!(explored["sketch"]["position"]["b3"], "OO");

    let wrong = eve.refused(explore(json!(["c1-c2", "c5-c4", "c5-c3"])), "illegal_move").await;
    assert_eq!((&wrong["index"], wrong["why"].is_string()), (&json!(2), true));
    assert!(wrong["why_key"].as_str().unwrap().starts_with("adamas."), "{wrong}");
    eve.refused(json!({"type": "explore"}), "bad_message").await;
    eve.refused(json!({"type": "layout"}), "bad_message").await;
    eve.refused(json!({"type": "layout", "rules": "chess"}), "not_found").await;
    eve.refused(json!({"type": "explore", "rules": "adamas", "players": 9}), "bad_message").await;
    eve.refused(json!({"type": "explore", "game": "nosuchgame"}), "not_found").await;
    let long = vec!["c1-c2"; 513];
    eve.refused(explore(json!(long)), "bad_message").await;
    // A game that is over is not gone on with.
    let diam = ["A1", "X2", "A5", "X3", "B1", "Y2", "B5"];
    let over = json!({"type": "explore", "rules": "diam", "moves": diam});
    let explored = eve.ask(over.clone()).await;
    assert_eq!(explored["result"]["reason"], "aligned");
    assert_eq!((&explored["winning"], &explored["to_move"]), (&json!(["1", "5"]), &Value::Null));
    let mut beyond = over;
    beyond["moves"].as_array_mut().unwrap().push(json!("X4"));
    assert_eq!(eve.refused(beyond, "game_over").await["index"], 7);
}

#[tokio::test]
async fn the_house_has_an_opinion_of_any_position() {
    let server = Server::start().await;
    let mut eve = Peer::anonymous(&server).await;
    // A to move wins at once by facing the piece on 1 with its like.
    let moves = ["A1", "X2", "A5", "X3", "B1", "Y2"];
    for level in ["easy", "medium", "hard"] {
        let asked = json!({"type": "explore", "rules": "diam", "moves": moves, "opinion": level});
        let opinion = eve.ask(asked.clone()).await["opinion"].clone();
        let score = opinion["score"].as_i64().unwrap();
        assert!((-1000..=1000).contains(&score) && opinion["depth"].is_u64(), "{opinion}");
        if level != "easy" {
            assert_eq!((&opinion["best"], score), (&json!("B5"), 1000));
        }
        assert_eq!(eve.ask(asked).await["opinion"], opinion, "it does not change");
    }
}

#[tokio::test]
async fn the_oracle_knows_small_boards() {
    let server = Server::start().await;
    let mut eve = Peer::anonymous(&server).await;
    let ask = |rules: &str, options: Value, moves: Value| json!({"type": "explore", "rules": rules, "options": options, "moves": moves, "oracle": true});
    let small = json!({"size": 3});
    let first = eve.ask(ask("stymie", small.clone(), json!([]))).await["oracle"].clone();
    assert_eq!((&first["value"], &first["moves"]), (&json!("win"), &json!(1)), "{first}");
    let distance = first["distance"].as_u64().unwrap();
    let second = eve.ask(ask("stymie", small, json!([first["best"][0]]))).await["oracle"].clone();
    assert_eq!((&second["value"], &second["distance"]), (&json!("loss"), &json!(distance - 1)));

    let two = json!({"size": 2, "pieces": 2});
    let known = eve.ask(ask("adamas", two, json!([]))).await["oracle"].clone();
    assert!(known["value"].is_string() && known["best"][0].is_string(), "{known}");
    for rules in ["adamas", "diam"] {
        assert_eq!(eve.ask(ask(rules, json!({}), json!([]))).await.get("oracle"), None);
    }
}

fn retyped(moves: &Value) -> Value {
    json!({"type": "explore", "rules": "adamas", "moves": moves, "opinion": "medium"})
}

#[tokio::test]
async fn nobody_without_a_name_gets_an_opinion_at_the_address_of_a_player() {
    let server = Server::embedded(|_| {}).await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let moves: Vec<String> = ann.table(&game).moves().map(str::to_owned).collect();
    let mut beside = Peer::anonymous(&server).await;
    beside.refused(retyped(&json!(moves)), "forbidden").await;
    let mut elsewhere = Peer::connect_from([127, 0, 0, 9], server.address()).await;
    elsewhere.hello(json!({})).await;
    assert!(elsewhere.ask(retyped(&json!(moves))).await["opinion"].is_object());
}

#[tokio::test]
async fn players_of_a_live_game_get_no_opinion_of_it() {
    let (_server, [mut ann, mut bob, mut eve]) =
        Peer::start_with_guests(["ann", "bob", "eve"]).await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({"delay": 2})).await;
    game::make_move(&mut ann, &game, "c1-c2").await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    game::make_move(&mut bob, &game, "c5-c4").await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    let explore = |ply: u32| json!({"type": "explore", "game": game, "ply": ply});
    let with_opinion = json!({"type": "explore", "game": game, "ply": 0, "opinion": "medium"});
    ann.refused(with_opinion.clone(), "forbidden").await;
    let with_oracle = json!({"type": "explore", "game": game, "ply": 0, "oracle": true});
    ann.refused(with_oracle, "forbidden").await;
    assert_eq!(ann.ask(explore(2)).await["ply"], 2);
    assert!(eve.ask(with_opinion.clone()).await["opinion"].is_object());
    // However its position comes about.
    for moves in [json!(["c1-c2", "c5-c4"]), json!(["c1-c2", "c5-c4", "c2-c1"])] {
        ann.refused(retyped(&moves), "forbidden").await;
        assert!(eve.ask(retyped(&moves)).await["opinion"].is_object());
    }
    assert!(ann.ask(retyped(&json!(["c1-c2"]))).await["opinion"].is_object(), "an opening");
    // Spectators explore what they may see.
    assert_eq!(eve.ask(explore(0)).await["ply"], 0);
    eve.refused(explore(1), "not_found").await;
    ann.ask(json!({"type": "resign", "game": game})).await;
    assert!(ann.ask(with_opinion).await["opinion"].is_object());
    // The game goes on where it was given up.
    let last: Frame = eve.ask(json!({"type": "explore", "game": game, "moves": ["c1-a1"]})).await;
    assert_eq!((&last["ply"], &last["result"]), (&json!(3), &Value::Null));
}

fn ask(game: &str, from_ply: u32, limit: u32) -> Value {
    json!({"type": "positions", "game": game, "from_ply": from_ply, "limit": limit})
}

/// Returns the board after each ply, with its details, computed from the records.
fn expected(peer: &Peer, game: &str) -> Vec<Frame> {
    let mut replay = Replay::new();
    let mut plies: Vec<Frame> = Vec::new();
    for record in peer.records(game) {
        let frame: Frame = serde_json::from_str(record).unwrap();
        replay.push(record.as_bytes()).unwrap();
        let table = replay.table().unwrap();
        let ply = usize::try_from(table.ply()).unwrap();
        plies.truncate(ply + 1);
        if plies.len() == ply {
            let mut next = json!({"ply": ply, "captures": []});
            if ply > 0 {
                next["seat"] = frame["seat"].clone();
                next["move"] = json!(table.move_at(table.ply()));
            }
            if frame["captures"].is_array() {
                next["captures"] = frame["captures"].clone();
            }
            plies.push(next);
        }
        let last = plies.last_mut().unwrap();
        last["position"] = serde_json::to_value(wire::position(table.position())).unwrap();
        if let Some(threatened) = wire::threatened(table) {
            last["threatened"] = json!(threatened);
        }
        let winning = wire::winning(table);
        if !winning.is_empty() {
            last["winning"] = json!(winning);
        }
        last["to_move"] = json!(table.to_move().map(wire::seat_number));
        if let Some(left) = table.clock().left_ms() {
            last["left_ms"] = json!(left.iter().collect::<Vec<_>>());
        }
    }
    plies
}

#[tokio::test]
async fn positions_of_every_game_are_paginated() {
    let server = Server::with(|setup| setup.set("games", "park_after", "100ms")).await;
    let mut eve = Peer::anonymous(&server).await;
    for (number, variant) in Variant::all().into_iter().enumerate() {
        let mut peers = Vec::new();
        for seat in 0..variant.players {
            peers.push(Peer::guest(&server, &format!("p{number}-{seat}")).await);
        }
        let mut refs: Vec<&mut Peer> = peers.iter_mut().collect();
        let mut terms = variant.terms();
        terms["clock"] = json!({"mode": "fischer", "base_ms": 600_000, "inc_ms": 1_000});
        let game = game::start(&mut refs, terms).await;
        game::play_moves(&mut refs, &game, 12).await;
        let live = eve.ask(json!({"type": "positions", "game": game})).await;
        assert_eq!(live["positions"], json!(expected(refs[0], &game)), "{variant}");
        assert_eq!(live["more"], false);

        game::play_moves(&mut refs, &game, 30).await;
        if refs[0].table(&game).outcome().is_none() {
            let resigned = refs[0].ask(json!({"type": "resign", "game": game})).await;
            refs[0].read_up_to(&game, resigned["seq"].as_u64().unwrap()).await;
            game::settle(refs[0], &game).await;
            game::catch_up(&mut refs, &game).await;
        }
        let expected = expected(refs[0], &game);
        let mut told: Vec<Frame> = Vec::new();
        loop {
            let page = eve.ask(ask(&game, u32::try_from(told.len()).unwrap(), 7)).await;
            told.extend(page["positions"].as_array().unwrap().iter().cloned());
            if page["more"] == false {
                break;
            }
        }
        assert_eq!(told, expected, "{variant}");
    }
    eve.refused(ask("nosuchgame", 0, 1), "not_found").await;
}

#[tokio::test]
async fn positions_respect_the_spectator_delay() {
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let mut eve = Peer::anonymous(&server).await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({"delay": 3})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 5).await;
    let seen = eve.ask(ask(&game, 0, 100)).await;
    assert_eq!(seen["positions"].as_array().unwrap().len(), 3, "{seen}");
    let seen = ann.ask(ask(&game, 0, 100)).await;
    assert_eq!(seen["positions"].as_array().unwrap().len(), 6, "{seen}");
    assert_eq!(eve.ask(ask(&game, 4, 100)).await["positions"], json!([]));
}

#[tokio::test]
async fn positions_of_a_finished_game_survive_a_restart() {
    let (mut server, mut ann, mut bob, game) = game::server_with_two().await;
    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
    ann.disconnect();
    bob.disconnect();
    server.stop().await;
    server.restart().await;
    let mut eve = Peer::anonymous(&server).await;
    let ok = eve.ask(json!({"type": "watch", "game": game, "from": 1})).await;
    eve.read_up_to(&game, ok["seq"].as_u64().unwrap()).await;
    assert_eq!(eve.records(&game), ann.records(&game));
    let told = eve.ask(ask(&game, 0, 100)).await;
    let expected = expected(&ann, &game);
    assert_eq!(told["positions"].as_array().unwrap()[..], expected[..expected.len().min(100)]);
    let threatened = |board: &Frame| board["threatened"].as_array().unwrap().len();
    assert!(expected.iter().any(|board| threatened(board) > 0), "this game has captures");
    assert_eq!(threatened(expected.last().unwrap()), 0, "neither player moves after this");
}

#[tokio::test]
async fn positions_leave_out_undone_moves() {
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let mut eve = Peer::anonymous(&server).await;
    let terms = json!({"delay": 1, "clock": {"mode": "per_move", "move_ms": 600_000}});
    let game = game::start(&mut [&mut ann, &mut bob], terms).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 4).await;
    let offer = ann.ask(json!({"type": "offer", "game": game, "what": "takeback"})).await;
    bob.read_up_to(&game, offer["seq"].as_u64().unwrap()).await;
    let yes = json!({"type": "answer", "game": game, "offer": offer["offer"], "accept": true});
    bob.ask(yes).await;
    bob.next_event(&game, "taken_back").await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    let told = ann.ask(ask(&game, 0, 100)).await;
    assert_eq!(told["positions"], json!(expected(&ann, &game)));
    assert_eq!(told["positions"].as_array().unwrap().len(), 3, "{told}");
    // A takeback is no move: a delayed spectator has not seen the last move that it undoes.
    let seen = eve.ask(ask(&game, 0, 100)).await;
    assert_eq!(seen["positions"].as_array().unwrap().len(), 4, "{seen}");

    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    assert_eq!(eve.ask(ask(&game, 0, 100)).await["positions"], told["positions"]);
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let page = ann.ask(ask(&game, 3, 2)).await;
    let expected = expected(&ann, &game);
    assert_eq!((&page["positions"], &page["more"]), (&json!(expected[3..5]), &json!(true)));
}
