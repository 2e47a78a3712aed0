//! The first steps that come with `your_turn`, and boards with a sketch: what a client needs to
//! answer clicks by itself.

use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, Variant, game};

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
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
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
