//! What helps a client to choose a move: dry runs, hints, legal moves and boards.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::{Peer, Server, game};

#[tokio::test]
async fn a_dry_run_shows_the_consequences_and_records_nothing() {
    let server = Server::start().await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    let before = ann.ask(json!({"type": "watch", "game": game})).await;
    let play = game::choose_move(ann.table(&game));
    let dry_run = |play: &str| json!({"type": "try", "game": game, "turn": 0, "move": play});
    let tried = ann.ask(dry_run(&play.to_uppercase().replace('X', "x"))).await;
    assert_eq!((&tried["legal"], &tried["move"]), (&json!(true), &json!(play)));
    assert_eq!((&tried["captures"], &tried["to_move"]), (&json!([]), &json!(1)));
    let illegal = ann.refused(dry_run("c3-c4"), "illegal_move").await;
    assert!(illegal["why"].is_string());
    bob.refused(dry_run(&play), "not_your_turn").await;
    let stale = json!({"type": "try", "game": game, "turn": 5, "move": play});
    ann.refused(stale, "stale_turn").await;
    let mut cy = Peer::guest(&server, "cy").await;
    cy.refused(dry_run(&play), "not_a_player").await;

    let after = ann.ask(json!({"type": "watch", "game": game})).await;
    for fact in ["seq", "chain", "position", "hash", "turn"] {
        assert_eq!(after[fact], before[fact]);
    }
    // The move has the consequences that the dry run announced.
    game::make_move(&mut ann, &game, &play).await;
    let made = ann.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(made["position"], tried["position"]);
}

#[tokio::test]
async fn hints_and_layout_suffice_to_play_without_rules() {
    let server = Server::start().await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    let layout = ann.ask(json!({"type": "layout", "game": game})).await;
    let cells: Vec<&Value> = layout["cells"].as_array().unwrap().iter().collect();
    assert_eq!(cells.len(), 19, "a hexagon with three cells a side");
    assert!(cells.iter().all(|cell| cell["shape"] == "hex" && cell["x"].is_number()));

    let hints = bob.ask(json!({"type": "hints", "game": game})).await;
    assert_eq!((&hints["to_move"], &hints["turn"]), (&json!(0), &json!(0)));
    let from = hints["cells"][0].as_str().unwrap().to_owned();
    assert_eq!(hints.get("to"), None);
    let hints = ann.ask(json!({"type": "hints", "game": game, "from": from})).await;
    let targets = hints["to"].as_array().unwrap().clone();
    assert!(targets.iter().all(|target| target.get("capture").is_none()), "{hints}");
    ann.refused(json!({"type": "hints", "game": game, "from": "z9"}), "not_found").await;

    // A whole stack may move to every cell that the hints name.
    let height = ann.ask(json!({"type": "watch", "game": game})).await["position"][&from].clone();
    let height = height.as_str().unwrap().len();
    for target in &targets {
        let cell = target["cell"].as_str().unwrap();
        assert!(cells.iter().any(|known| known["name"] == cell), "{cell} is not on the board");
        let play = format!("{height}x{from}-{cell}");
        let play = if play.starts_with("1x") { format!("{from}-{cell}") } else { play };
        ann.ask(json!({"type": "try", "game": game, "turn": 0, "move": play})).await;
    }
    ann.ask(json!({"type": "resign", "game": game})).await;
    bob.next_event(&game, "ended").await;
    bob.refused(json!({"type": "hints", "game": game}), "game_over").await;
    bob.ask(json!({"type": "layout", "game": game})).await;
    bob.refused(json!({"type": "layout", "game": "nosuchgame"}), "not_found").await;
}

#[tokio::test]
async fn your_turn_contains_the_legal_moves_on_request() {
    let server = Server::start().await;
    let mut ann = Peer::connect(server.address()).await;
    ann.hello(json!({"auth": {"guest": "ann"}, "caps": ["legal"]})).await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({"options": {"pieces": 2}})).await;
    let turn = ann.next_of("your_turn").await;
    let legal = turn["legal"].as_array().unwrap().clone();
    assert_eq!((&turn["legal_total"], &turn["legal_cut"]), (&json!(legal.len()), &json!(false)));
    for play in &legal {
        ann.ask(json!({"type": "try", "game": game, "turn": 0, "move": play})).await;
    }
    game::make_move(&mut ann, &game, legal[0].as_str().unwrap()).await;
    assert_eq!(bob.next_of("your_turn").await.get("legal"), None, "{}", bob.recent_frames());
}

/// The cells on which these moves put pieces.
fn targets(legal: &[Value]) -> BTreeSet<String> {
    let to = legal.iter().map(|play| play.as_str().unwrap().split_once('-').unwrap().1);
    let cells = to.flat_map(|to| to.split(','));
    cells.map(|part| part.rsplit('x').next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_truncated_list_of_legal_moves_covers_every_target() {
    let server = Server::start().await;
    let mut ann = Peer::connect(server.address()).await;
    ann.hello(json!({"auth": {"guest": "ann"}, "caps": ["legal"]})).await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let turn = ann.next_of("your_turn").await;
    assert_eq!((&turn["legal_total"], &turn["legal_cut"]), (&json!(6434), &json!(true)));
    let legal = turn["legal"].as_array().unwrap().clone();
    assert_eq!(legal.len(), 512);
    let hints = ann.ask(json!({"type": "hints", "game": game, "from": "c1"})).await;
    let to = hints["to"].as_array().unwrap().iter();
    let reachable: BTreeSet<_> = to.map(|to| to["cell"].as_str().unwrap().to_owned()).collect();
    assert_eq!(targets(&legal), reachable, "every cell in sight is gone to");
    for cell in &reachable {
        for pieces in 1..=8 {
            let count = if pieces == 1 { String::new() } else { format!("{pieces}x") };
            assert!(legal.contains(&json!(format!("{count}c1-{cell}"))), "{count}c1-{cell}");
        }
    }
    ann.ask(json!({"type": "watch", "game": game})).await;
    let again = ann.next_of("your_turn").await;
    assert_eq!(again["legal"], turn["legal"], "the same position has the same list");
    let wide = json!({"options": {"size": 8, "pieces": 99}});
    game::start(&mut [&mut ann, &mut bob], wide).await;
    let turn = ann.next_of("your_turn").await;
    assert_eq!((&turn["legal_total"], &turn["legal_cut"]), (&Value::Null, &json!(true)));
    assert_eq!(targets(turn["legal"].as_array().unwrap()).len(), 27, "all in sight but h15");
}

#[tokio::test]
async fn legal_moves_are_paginated() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut eve = Peer::anonymous(&server).await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let mut all: Vec<Value> = Vec::new();
    let mut asked = json!({"type": "moves", "game": game});
    loop {
        let page = eve.ask(asked.clone()).await;
        assert_eq!(
            (&page["total"], &page["turn"], &page["to_move"]),
            (&json!(6434), &json!(0), &json!(0))
        );
        let moves = page["moves"].as_array().unwrap();
        assert!(moves.len() <= 512, "{page}");
        all.extend(moves.iter().cloned());
        let Some(next) = page.get("next") else { break };
        assert_eq!(Some(next), all.last());
        asked["after"] = next.clone();
    }
    let different: BTreeSet<_> = all.iter().map(ToString::to_string).collect();
    assert_eq!((all.len(), different.len()), (6434, 6434));

    let from = json!({"type": "moves", "game": game, "from": "c5", "limit": 7});
    assert_eq!(ann.ask(from).await["moves"], json!([]), "c5 is not to move");
    ann.refused(json!({"type": "moves", "game": game, "from": "q9"}), "not_found").await;
    let after = json!({"type": "moves", "game": game, "after": "c1-e3"});
    let refused = ann.refused(after, "illegal_move").await;
    assert_eq!(refused["why"], "c1 and e3 are not on one line");

    let wide = json!({"options": {"size": 8, "pieces": 99}});
    let wide = game::start(&mut [&mut ann, &mut bob], wide).await;
    let after = json!({"type": "moves", "game": wide, "after": "h1-7xa1,30xh9,8xo1", "limit": 512});
    let page = ann.ask(after).await;
    assert_eq!((page["moves"].as_array().unwrap().len(), &page["total"]), (512, &Value::Null));
    ann.ask(json!({"type": "resign", "game": game})).await;
    ann.refused(json!({"type": "moves", "game": game}), "game_over").await;
}

#[tokio::test]
async fn your_turn_contains_the_board_on_request() {
    let server = Server::start().await;
    let mut ann = Peer::connect(server.address()).await;
    ann.hello(json!({"auth": {"guest": "ann"}, "caps": ["position"]})).await;
    let mut bob = Peer::guest(&server, "bob").await;
    for terms in [json!({}), json!({"rules": "diam"})] {
        let game = game::start(&mut [&mut ann, &mut bob], terms).await;
        let turn = ann.next_of("your_turn").await;
        let snapshot = ann.ask(json!({"type": "watch", "game": game})).await;
        assert!(turn["position"].is_object(), "{turn}");
        assert_eq!(turn["position"], snapshot["position"]);
        assert_eq!(turn.get("threatened"), snapshot.get("threatened"));
        assert_eq!(turn.get("legal"), None, "{turn}");
        ann.next_of("your_turn").await;
    }
}

#[tokio::test]
async fn the_board_marks_threatened_stacks() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let watch = json!({"type": "watch", "game": game});
    // The opening move may not capture: only the opener's own stack is threatened.
    assert_eq!(ann.ask(watch.clone()).await["threatened"], json!(["c1"]));
    game::make_move(&mut ann, &game, "c1-e1,c2,4xc3,a1").await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    let asked = json!({"type": "try", "game": game, "turn": 1, "move": "c5-3xa3,c4"});
    assert_eq!(bob.ask(asked).await["threatened"], json!(["c3"]));
    assert_eq!(bob.ask(watch).await["threatened"], json!([]));
    let terms = json!({"rules": "hexma"});
    let game = game::start(&mut [&mut ann, &mut bob], terms).await;
    let snapshot = ann.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot.get("threatened"), None, "{snapshot}");
}
