//! Sketches (partial moves): a client without rules plays every game by asking the server, cell by
//! cell.

use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng, seq::IndexedRandom as _};
use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, Variant, game};

/// Moves of each game that are built from clicks.
const MOVES: usize = 12;

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
        for _ in 0..MOVES {
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
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
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
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let terms = json!({"rules": "stymie", "options": "-size=3 -swap"});
    let game = game::start(&mut [&mut ann, &mut bob], terms).await;
    let hints = json!({"type": "hints", "game": game});
    assert_eq!(ann.ask(hints.clone()).await.get("words"), None);
    game::make_move(&mut ann, &game, "c3").await;
    game::catch_up(&mut [&mut ann, &mut bob], &game).await;
    let answer = bob.ask(hints.clone()).await;
    assert_eq!(answer["words"], json!(["swap"]));
    game::make_move(&mut bob, &game, "swap").await;
    assert_eq!(bob.ask(hints).await.get("words"), None);
}
