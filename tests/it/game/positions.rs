//! Board positions by ply, for clients without rules: the same ones that a replay gives.

use adamant_record::{Replay, wire};
use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, Variant, game};

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
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
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
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
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
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
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
