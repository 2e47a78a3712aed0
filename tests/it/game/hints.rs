//! What a game offers beside moves: calling it off, giving up, dry runs, hints and the board.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::{Peer, Server, game};

async fn two(server: &Server) -> (Peer, Peer, String) {
    let mut ann = Peer::guest(server, "ann").await;
    let mut bob = Peer::guest(server, "bob").await;
    let game = game::begin(&mut [&mut ann, &mut bob], json!({})).await;
    (ann, bob, game)
}

#[tokio::test]
async fn a_game_is_called_off_until_each_side_has_moved() {
    let server = Server::start().await;
    let (mut ann, mut bob, game) = two(&server).await;
    let mut cy = Peer::guest(&server, "cy").await;
    let abort = |game: &str| json!({"type": "abort", "game": game});
    cy.refused(abort(&game), "not_a_player").await;
    game::play(&mut [&mut ann, &mut bob], &game, 1).await;
    bob.ask(abort(&game)).await;
    let aborted = ann.next_event(&game, "aborted").await;
    assert_eq!((&aborted["by"], &aborted["reason"]), (&json!(1), &json!("by_player")));
    ann.refused(abort(&game), "game_over").await;
    let snapshot = cy.ask(json!({"type": "watch", "game": game})).await;
    let result = json!({"winners": [], "places": [], "reason": "aborted"});
    assert_eq!(snapshot["result"], result);

    let game = game::begin(&mut [&mut ann, &mut bob], json!({})).await;
    game::play(&mut [&mut ann, &mut bob], &game, 2).await;
    ann.refused(abort(&game), "forbidden").await;
    bob.refused(abort(&game), "forbidden").await;
}

#[tokio::test]
async fn giving_up_ends_a_game_of_two_whosever_turn_it_is() {
    let server = Server::start().await;
    let (mut ann, mut bob, game) = two(&server).await;
    let resign = json!({"type": "resign", "game": game});
    let mut nobody = Peer::nobody(&server).await;
    nobody.refused(resign.clone(), "not_a_player").await;
    bob.ask(resign.clone()).await;
    let ended = ann.next_event(&game, "ended").await;
    assert_eq!((&ended["winners"], &ended["places"]), (&json!([0]), &json!([1, 2])));
    assert_eq!((&ended["reason"], &ended["by"]), (&json!("resigned"), &json!(1)));
    ann.refused(resign, "game_over").await;
    let play = json!({"type": "move", "game": game, "turn": 0, "move": "a1-a2"});
    ann.refused(play, "game_over").await;
}

#[tokio::test]
async fn a_dry_run_tells_what_would_follow_and_records_nothing() {
    let server = Server::start().await;
    let (mut ann, mut bob, game) = two(&server).await;
    let before = ann.ask(json!({"type": "watch", "game": game})).await;
    let play = game::choose(ann.table(&game));
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
    // The move itself brings about what the dry run told.
    game::make(&mut ann, &game, &play).await;
    let made = ann.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(made["position"], tried["position"]);
}

#[tokio::test]
async fn hints_and_layout_let_a_client_play_without_rules() {
    let server = Server::start().await;
    let (mut ann, mut bob, game) = two(&server).await;
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

    // A whole stack may go wherever the hints say.
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
async fn a_program_that_asks_for_its_legal_moves_is_told_them_with_its_turn() {
    let server = Server::start().await;
    let mut ann = Peer::connect(server.address()).await;
    ann.hello(json!({"auth": {"guest": "ann"}, "caps": ["legal"]})).await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::begin(&mut [&mut ann, &mut bob], json!({"options": {"pieces": 2}})).await;
    let turn = ann.next_of("your_turn").await;
    let legal = turn["legal"].as_array().unwrap().clone();
    assert_eq!((&turn["legal_total"], &turn["legal_cut"]), (&json!(legal.len()), &json!(false)));
    for play in &legal {
        ann.ask(json!({"type": "try", "game": game, "turn": 0, "move": play})).await;
    }
    game::make(&mut ann, &game, legal[0].as_str().unwrap()).await;
    assert_eq!(bob.next_of("your_turn").await.get("legal"), None, "{}", bob.story());
}

/// The cells that some of these moves put pieces on.
fn targets(legal: &[Value]) -> BTreeSet<String> {
    let to = legal.iter().map(|play| play.as_str().unwrap().split_once('-').unwrap().1);
    let cells = to.flat_map(|to| to.split(','));
    cells.map(|part| part.rsplit('x').next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_cut_list_of_legal_moves_stands_for_all_of_them() {
    let server = Server::start().await;
    let mut ann = Peer::connect(server.address()).await;
    ann.hello(json!({"auth": {"guest": "ann"}, "caps": ["legal"]})).await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::begin(&mut [&mut ann, &mut bob], json!({})).await;
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
    game::begin(&mut [&mut ann, &mut bob], wide).await;
    let turn = ann.next_of("your_turn").await;
    assert_eq!((&turn["legal_total"], &turn["legal_cut"]), (&Value::Null, &json!(true)));
    assert_eq!(targets(turn["legal"].as_array().unwrap()).len(), 27, "all in sight but h15");
}

#[tokio::test]
async fn all_legal_moves_come_page_by_page() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut eve = Peer::nobody(&server).await;
    let game = game::begin(&mut [&mut ann, &mut bob], json!({})).await;
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
    let wide = game::begin(&mut [&mut ann, &mut bob], wide).await;
    let after = json!({"type": "moves", "game": wide, "after": "h1-7xa1,30xh9,8xo1", "limit": 512});
    let page = ann.ask(after).await;
    assert_eq!((page["moves"].as_array().unwrap().len(), &page["total"]), (512, &Value::Null));
    ann.ask(json!({"type": "resign", "game": game})).await;
    ann.refused(json!({"type": "moves", "game": game}), "game_over").await;
}

#[tokio::test]
async fn a_program_that_asks_for_the_board_is_told_it_with_its_turn() {
    let server = Server::start().await;
    let mut ann = Peer::connect(server.address()).await;
    ann.hello(json!({"auth": {"guest": "ann"}, "caps": ["position"]})).await;
    let mut bob = Peer::guest(&server, "bob").await;
    for terms in [json!({}), json!({"rules": "diam"})] {
        let game = game::begin(&mut [&mut ann, &mut bob], terms).await;
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
async fn what_could_be_captured_is_told_with_the_board() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::begin(&mut [&mut ann, &mut bob], json!({})).await;
    let watch = json!({"type": "watch", "game": game});
    // The opening move may not capture: only its player's stack is in danger.
    assert_eq!(ann.ask(watch.clone()).await["threatened"], json!(["c1"]));
    game::make(&mut ann, &game, "c1-e1,c2,4xc3,a1").await;
    game::gather(&mut [&mut ann, &mut bob], &game).await;
    let asked = json!({"type": "try", "game": game, "turn": 1, "move": "c5-3xa3,c4"});
    assert_eq!(bob.ask(asked).await["threatened"], json!(["c3"]));
    assert_eq!(bob.ask(watch).await["threatened"], json!([]));
    let terms = json!({"rules": "hexma"});
    let game = game::begin(&mut [&mut ann, &mut bob], terms).await;
    let snapshot = ann.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot.get("threatened"), None, "{snapshot}");
}
