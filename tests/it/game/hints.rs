//! What helps a client to choose a move: dry runs, hints, legal moves and boards.

use std::collections::BTreeSet;

use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng, seq::IndexedRandom as _};
use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, Variant, game};

#[tokio::test]
async fn a_dry_run_shows_the_consequences_and_records_nothing() {
    let (server, mut ann, mut bob, game) = game::server_with_two().await;
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
    let (_server, mut ann, mut bob, game) = game::server_with_two().await;
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
    game::resign(&mut ann, &mut bob, &game).await;
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
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
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
    let (_server, mut ann, mut bob, game) = game::server_with_two().await;
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

/// Moves of each game after which the steps are compared.
const MOVES: usize = 6;

/// Connects a guest who asks for first steps.
async fn stepper(server: &Server, name: &str) -> Peer {
    let mut peer = Peer::connect(server.address()).await;
    peer.hello(json!({"auth": {"guest": name}, "caps": ["steps"]})).await;
    peer
}

async fn sketch(peer: &mut Peer, game: &str, sketch: Value) -> Frame {
    peer.ask(json!({"type": "hints", "game": game, "sketch": sketch, "board": true})).await
}

/// Returns the cells of `next` in a role.
fn cells(outlook: &Value, role: &str, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
    let next = outlook["next"].as_array().unwrap().iter();
    let of_role = next.filter(|next| next["as"] == role && wanted(next));
    of_role.map(|next| next["cell"].clone()).collect()
}

/// Returns the step that the answers to sketches lead to expect.
async fn expected_step(peer: &mut Peer, game: &str, first: &Value) -> Value {
    let role = first["as"].as_str().unwrap();
    let answer = sketch(peer, game, json!({role: [{"cell": first["cell"]}]})).await;
    let outlook = &answer["sketch"];
    let mut step = outlook[role][0].clone();
    step["as"] = first["as"].clone();
    if !outlook["move"].is_null() {
        step["move"] = outlook["move"].clone();
    }
    let lists = [
        ("to", cells(outlook, "to", |_| true)),
        ("capture", cells(outlook, "to", |next| next["capture"] == true)),
        ("from", cells(outlook, "from", |_| true)),
    ];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        step[name] = json!(list);
    }
    step
}

#[tokio::test]
async fn first_steps_are_what_hints_say_one_by_one() {
    let server = Server::start().await;
    for (number, variant) in Variant::all().into_iter().enumerate() {
        println!("{variant}");
        let mut players = Vec::new();
        for seat in 0..variant.players {
            players.push(stepper(&server, &format!("p{number}-{seat}")).await);
        }
        let mut seated: Vec<&mut Peer> = players.iter_mut().collect();
        let game = game::start(&mut seated, variant.terms()).await;
        game::play_moves(&mut seated, &game, MOVES).await;
        let table = seated[0].table(&game);
        let (turn, user) = (table.turn(), table.players()[table.to_move().unwrap()].user.clone());
        let mover = seated.iter().position(|peer| peer.name() == &*user).unwrap();
        let mover = &mut *seated[mover];
        let is_it = |frame: &Frame| {
            frame["type"] == "your_turn" && frame["game"] == *game && frame["turn"] == turn
        };
        let your_turn = mover.next_matching("the turn", is_it).await;
        let steps = &your_turn["steps"];
        let begun = sketch(mover, &game, json!({})).await;
        assert_eq!(steps.get("words"), begun.get("words"));
        assert_eq!(steps.get("cut"), None);
        let first = begun["sketch"]["next"].as_array().unwrap();
        let mut expected = Vec::new();
        for next in first {
            expected.push(expected_step(mover, &game, next).await);
        }
        assert_eq!(steps["first"], json!(expected));
    }
}

#[tokio::test]
async fn first_steps_of_a_large_board_are_cut() {
    let server = Server::start().await;
    let mut ann = stepper(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let terms = json!({"rules": "stymie", "options": "-size=12 -swap=off"});
    let game = game::start(&mut [&mut ann, &mut bob], terms).await;
    for play in ["a1", "c3", "e5", "g7"] {
        let mover = if ann.table(&game).ply().is_multiple_of(2) { &mut ann } else { &mut bob };
        game::make_move(mover, &game, play).await;
        game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    }
    // A single piece may be answered by three, so that each cell goes with many.
    let is_it = |frame: &Frame| frame["type"] == "your_turn" && frame["ply"] == 4;
    let steps = ann.next_matching("the turn", is_it).await["steps"].clone();
    assert_eq!(steps["cut"], true);
    let first = steps["first"].as_array().unwrap();
    assert_eq!(first.len(), 265 - 4, "every free cell is listed");
    assert!(first[0]["to"].is_array(), "{}", first[0]);
    assert_eq!(first.last().unwrap().as_object().unwrap().len(), 2, "a cell and its role");
    assert!(steps.to_string().len() < 32 * 1024, "{}", steps.to_string().len());
    assert_eq!(bob.next_of("your_turn").await.get("steps"), None, "bob did not ask for them");
}

#[tokio::test]
async fn the_board_follows_the_sketch() {
    let (_server, mut ann, mut bob, game) = game::server_with_two().await;
    game::make_move(&mut ann, &game, "c1-e1,c2,4xc3,a1").await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    game::make_move(&mut bob, &game, "c5-3xa3,c4").await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    let now = ann.ask(json!({"type": "watch", "game": game})).await["position"].clone();
    // A lifted stack stays until the sketch is a move.
    let lifted = json!({"from": [{"cell": "c3"}]});
    let bare = json!({"type": "hints", "game": game, "sketch": lifted});
    assert_eq!(ann.ask(bare).await["sketch"].get("position"), None);
    let outlook = sketch(&mut ann, &game, lifted).await["sketch"].clone();
    assert_eq!((&outlook["position"], outlook.get("captures")), (&now, None));
    // The board after a move is the one that `try` shows.
    let whole = json!({"from": [{"cell": "c3"}], "to": [{"cell": "b3", "pieces": 3}]});
    let outlook = sketch(&mut ann, &game, whole).await["sketch"].clone();
    let tried = json!({"type": "try", "game": game, "turn": 2, "move": outlook["move"]});
    let tried = ann.ask(tried).await;
    for field in ["position", "threatened", "captures"] {
        assert_eq!(outlook[field], tried[field], "{field}");
    }

    // Pieces are drawn that stand together only with a third one.
    let terms = json!({"rules": "stymie", "options": "-swap=off"});
    let game = game::start(&mut [&mut ann, &mut bob], terms).await;
    game::make_move(&mut ann, &game, "a1").await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    game::make_move(&mut bob, &game, "o15").await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    let two = json!({"to": [{"cell": "f6"}, {"cell": "h6"}]});
    let outlook = sketch(&mut ann, &game, two).await["sketch"].clone();
    assert_eq!(outlook["move"], Value::Null);
    assert_eq!(outlook["position"], json!({"a1": "V", "f6": "V", "h6": "V", "o15": "H"}));
    assert_eq!(outlook.get("threatened"), None);
}

/// Moves of each game that are built from clicks.
const SKETCHED_MOVES: usize = 12;

/// The most clicks for one move.
const CLICKS_MAX: usize = 6;

/// Returns the server's answer to a sketch.
async fn ask(peer: &mut Peer, game: &str, sketch: &Value) -> Frame {
    peer.ask(json!({"type": "hints", "game": game, "sketch": sketch})).await
}

/// Returns the answer's sketch with one more cell.
fn with_next(outlook: &Value, next: &Value) -> Value {
    let mut sketch = json!({"from": outlook["from"], "to": outlook["to"]});
    for list in ["from", "to"] {
        let cells = sketch[list].as_array_mut().unwrap();
        cells.retain(|cell| cell["cell"] != next["cell"] && cell["cell"] != next["instead_of"]);
    }
    let list = sketch[next["as"].as_str().unwrap()].as_array_mut().unwrap();
    list.push(json!({"cell": next["cell"]}));
    sketch
}

/// Adds a wish for any amount that is possible.
fn with_amounts(outlook: &Value, rng: &mut SmallRng) -> Value {
    let mut sketch = json!({"from": outlook["from"], "to": outlook["to"]});
    for list in ["from", "to"] {
        for cell in sketch[list].as_array_mut().unwrap() {
            if let (Some(least), Some(most)) = (cell["least"].as_u64(), cell["most"].as_u64()) {
                cell["pieces"] = json!(rng.random_range(least..=most));
            }
            if let Some(choices) = cell["choices"].as_array() {
                cell["choice"] = choices.choose(rng).unwrap().clone();
            }
        }
    }
    sketch
}

/// Builds a move by clicking on any cell that the server offers.
async fn click_together(peer: &mut Peer, game: &str, rng: &mut SmallRng) -> String {
    let mut made = None;
    for _ in 0..100 {
        let mut sketch = json!({});
        for _ in 0..CLICKS_MAX {
            let answer = ask(peer, game, &sketch).await;
            if let Some(word) = answer["words"].as_array().and_then(|words| words.choose(rng))
                && rng.random_bool(0.2)
            {
                return word.as_str().unwrap().to_owned();
            }
            let outlook = &answer["sketch"];
            let answer = ask(peer, game, &with_amounts(outlook, rng)).await;
            let outlook = &answer["sketch"];
            if let Some(play) = outlook["move"].as_str() {
                made = Some(play.to_owned());
            }
            let Some(next) = outlook["next"].as_array().unwrap().choose(rng) else { break };
            if made.is_some() && rng.random_bool(0.3) {
                break;
            }
            sketch = with_next(outlook, next);
        }
        if let Some(play) = made {
            return play;
        }
    }
    panic!("no move after a hundred attempts: {}", peer.recent_frames());
}

#[tokio::test]
async fn every_game_can_be_played_without_rules() {
    let seed: u64 = rand::rng().random();
    println!("seed {seed}");
    let mut rng = SmallRng::seed_from_u64(seed);
    let server = Server::start().await;
    for variant in Variant::all() {
        println!("{variant}");
        let mut players = Vec::new();
        for name in ["ann", "bob", "cy"].iter().take(variant.players) {
            let name = format!("{name}{}", rng.random_range(0..1_000_000_u32));
            players.push(Peer::guest(&server, &name).await);
        }
        let mut seated: Vec<&mut Peer> = players.iter_mut().collect();
        let game = game::start(&mut seated, variant.terms()).await;
        for _ in 0..SKETCHED_MOVES {
            game::catch_up(&mut seated, &game).await;
            let table = seated[0].table(&game);
            let Some(seat) = table.to_move() else { break };
            let user = table.players()[seat].user.clone();
            let mover = seated.iter().position(|peer| peer.name() == &*user).unwrap();
            let play = click_together(seated[mover], &game, &mut rng).await;
            let seq = game::make_move(seated[mover], &game, &play).await["seq"].clone();
            let event = seated[mover]
                .frames()
                .find(|frame| frame["seq"] == seq && frame["type"] == "event");
            let event = event.unwrap();
            if event["kind"] == "moved" {
                assert_eq!(event["move"], play.as_str(), "the answer was canonical");
            }
        }
    }
}

#[tokio::test]
async fn a_sketch_is_answered_with_its_move_amounts_and_next_cells() {
    let (_server, mut ann, mut bob, game) = game::server_with_two().await;
    let begun = ask(&mut ann, &game, &json!({})).await;
    assert_eq!((&begun["turn"], begun.get("words")), (&json!(0), None));
    let outlook =
        json!({"move": null, "from": [], "to": [], "next": [{"cell": "c1", "as": "from"}]});
    assert_eq!(begun["sketch"], outlook);

    // A client may wish for the maximum in any position.
    let sketch =
        json!({"from": [{"cell": "C1"}], "to": [{"cell": "A1", "pieces": 99}, {"cell": "c3"}]});
    let answer = ask(&mut bob, &game, &sketch).await;
    assert_eq!(answer["sketch"]["move"], "c1-7xa1,c3");
    assert_eq!(answer["sketch"]["from"], json!([{"cell": "c1"}]));
    let to = json!([{"cell": "a1", "pieces": 7, "least": 1, "most": 7},
        {"cell": "c3", "pieces": 1, "least": 1, "most": 1}]);
    assert_eq!(answer["sketch"]["to"], to);

    let nonsense = json!({"from": [{"cell": "c5"}], "to": [{"cell": "c4"}]});
    let answer = ask(&mut ann, &game, &nonsense).await;
    assert_eq!(answer["sketch"]["why"], "c5 is not your stack");
    assert_eq!(answer["sketch"]["why_key"], "adamas.not_your_stack");
    assert_eq!(answer["sketch"]["why_args"], json!({"cell": "c5"}));
    assert_eq!((&answer["sketch"]["move"], &answer["sketch"]["next"]), (&Value::Null, &json!([])));

    let asks = |sketch: Value| json!({"type": "hints", "game": game, "sketch": sketch});
    ann.refused(asks(json!({"to": [{"cell": "z9"}]})), "not_found").await;
    ann.refused(asks(json!({"to": "c3"})), "bad_message").await;
    ann.refused(asks(json!({"to": [{"cell": "c3", "pieces": -1}]})), "bad_message").await;
    ann.ask(json!({"type": "resign", "game": game})).await;
    ann.refused(asks(json!({})), "game_over").await;
}

#[tokio::test]
async fn named_moves_are_offered_while_they_are_legal() {
    let server = Server::start().await;
    let terms = json!({"rules": "stymie", "options": "-size=3 -swap"});
    let (mut ann, mut bob, game) = game::start_two_with(&server, terms).await;
    let hints = json!({"type": "hints", "game": game});
    assert_eq!(ann.ask(hints.clone()).await.get("words"), None);
    game::make_move(&mut ann, &game, "c3").await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    let answer = bob.ask(hints.clone()).await;
    assert_eq!(answer["words"], json!(["swap"]));
    game::make_move(&mut bob, &game, "swap").await;
    assert_eq!(bob.ask(hints).await.get("words"), None);
}
