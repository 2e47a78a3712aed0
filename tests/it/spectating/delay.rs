//! Delayed games: until the game is over, spectators receive only a prefix of the record, and no
//! answer reveals more.

use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, game};

/// Moves that spectators are behind in these tests.
const DELAY: usize = 2;

/// What spectators must not receive yet: traits of the hidden records.
struct Secrets {
    /// The last event that they may receive.
    seq: u64,
    /// The number of plies that they may know.
    ply: usize,
    marks: Vec<String>,
}

impl Secrets {
    /// Computed from the whole record, as a player knows it.
    fn of(player: &Peer, game: &str) -> Self {
        let records: Vec<Frame> = player
            .records(game)
            .iter()
            .map(|record| serde_json::from_str(record).unwrap())
            .collect();
        let moves: Vec<usize> = (0..records.len())
            .filter(|&at| ["moved", "swapped"].contains(&records[at]["kind"].as_str().unwrap()))
            .collect();
        let first_hidden = match moves.len() {
            0 => records.len(),
            count => moves[count.saturating_sub(DELAY)],
        };
        let mark = |record: &Frame, name: &str| record[name].as_str().unwrap().to_owned();
        let marks = records[first_hidden..]
            .iter()
            .flat_map(|record| [mark(record, "chain"), mark(record, "hash")]);
        let ply = records[..first_hidden].iter().filter_map(|record| record["ply"].as_u64()).max();
        Self {
            seq: first_hidden as u64,
            ply: usize::try_from(ply.unwrap_or(0)).unwrap(),
            marks: marks.collect(),
        }
    }

    fn assert_kept(&self, frame: &Frame) {
        let text = frame.to_string();
        for mark in &self.marks {
            assert!(!text.contains(mark), "a spectator may not know this yet: {frame}");
        }
        self.assert_numbers(frame, frame);
    }

    /// Checks that no number that grows with the game is too large, at any depth.
    fn assert_numbers(&self, value: &Value, frame: &Frame) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let most = match name.as_str() {
                        "seq" => self.seq,
                        "ply" | "turn" => self.ply as u64,
                        _ => u64::MAX,
                    };
                    assert!(value.as_u64().is_none_or(|number| number <= most), "{name}: {frame}");
                    if name == "moves" && frame["type"] != "moves" {
                        assert!(value.as_array().unwrap().len() <= self.ply, "{frame}");
                    }
                    self.assert_numbers(value, frame);
                }
            }
            Value::Array(values) => {
                for value in values {
                    self.assert_numbers(value, frame);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// Every request about a game that a spectator can send.
fn questions(game: &str) -> Vec<Value> {
    vec![
        json!({"type": "watch", "game": game}),
        json!({"type": "watch", "game": game, "from": 1}),
        json!({"type": "watch", "game": game, "from": 99}),
        json!({"type": "layout", "game": game}),
        json!({"type": "hints", "game": game}),
        json!({"type": "moves", "game": game}),
        json!({"type": "moves", "game": game, "after": "c1-c2"}),
        json!({"type": "try", "game": game, "turn": 0, "move": "c1-c2"}),
        json!({"type": "positions", "game": game}),
        json!({"type": "positions", "game": game, "from_ply": 3}),
        json!({"type": "live"}),
        json!({"type": "tv", "rules": "adamas"}),
        json!({"type": "talk", "game": game, "room": "players"}),
        json!({"type": "signature", "game": game}),
        json!({"type": "games"}),
        json!({"type": "games", "user": "ann"}),
    ]
}

/// Sends every request, and checks all frames received until then, not only the replies.
async fn ask_everything(spectator: &mut Peer, player: &Peer, game: &str) {
    for question in questions(game) {
        spectator.request(question).await;
    }
    spectator.ask(json!({"type": "ping"})).await;
    let secrets = Secrets::of(player, game);
    for frame in spectator.frames() {
        secrets.assert_kept(frame);
    }
}

#[tokio::test]
async fn no_request_reveals_hidden_moves() {
    let (mut server, [mut ann, mut bob, mut eve]) =
        Peer::start_with_guests(["ann", "bob", "eve"]).await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({"delay": DELAY})).await;
    let created: Frame = serde_json::from_str(&ann.records(&game)[0]).unwrap();
    assert_eq!(created["delay"], DELAY);

    for number in 0..5 {
        let mut late = Peer::anonymous(&server).await;
        ask_everything(&mut late, &ann, &game).await;
        ask_everything(&mut eve, &ann, &game).await;
        eve.read_up_to(&game, Secrets::of(&ann, &game).seq).await;
        if number == 2 {
            // An offer follows the move after which it was made.
            let offer = ann.ask(json!({"type": "offer", "game": game, "what": "draw"})).await;
            bob.read_up_to(&game, offer["seq"].as_u64().unwrap()).await;
            ann.read_up_to(&game, offer["seq"].as_u64().unwrap()).await;
        }
        game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
        if number == 2 {
            server.crash().await;
            ann = ann.reconnect(&server).await;
            bob = bob.reconnect(&server).await;
            eve = eve.reconnect(&server).await;
            let resumed = eve.welcome["games"].as_array().unwrap();
            assert_eq!(resumed[0]["resume"], "tail", "{}", eve.recent_frames());
        }
    }
    let whole = ann.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(whole["ply"], 5, "players see everything");
    assert_eq!(whole["delay"], DELAY);

    let secrets = Secrets::of(&ann, &game);
    eve.read_up_to(&game, secrets.seq).await;
    eve.ask(json!({"type": "ping"})).await;
    assert_eq!(eve.replay(&game).seq(), secrets.seq);
    ann.ask(json!({"type": "resign", "game": game})).await;
    ann.next_event(&game, "ended").await;
    eve.next_event(&game, "ended").await;
    assert_eq!(eve.records(&game), ann.records(&game), "the hidden events follow at the end");
    let list = eve.ask(json!({"type": "games", "state": "finished"})).await;
    assert_eq!(list["games"][0]["ply"], 5);
    let snapshot = eve.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot["ply"], 5);
}

#[tokio::test]
async fn a_cursor_beyond_the_delay_reveals_nothing() {
    let server = Server::start().await;
    let (mut ann, mut bob, game) = game::start_two_with(&server, json!({"delay": 10})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 3).await;
    let mut anonymous = Peer::connect(server.address()).await;
    let resume = json!({game.clone(): ann.cursor(&game)});
    let welcome = anonymous.hello(json!({"resume": resume})).await;
    assert_eq!(welcome["games"][0]["resume"], "fork");
    let snapshot = anonymous.next_of("snapshot").await;
    assert_eq!((&snapshot["seq"], &snapshot["ply"]), (&json!(2), &json!(0)));
}

#[tokio::test]
async fn the_list_shows_a_parked_game_delayed() {
    let mut server = Server::with(|setup| {
        setup.set("games", "park_after", "100ms");
        setup.set("log", "filter", "info,adamant_server::room=debug");
    })
    .await;
    let (mut ann, mut bob, game) = game::start_two_with(&server, json!({"delay": 1})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 3).await;
    let tokens = [ann.token.clone().unwrap(), bob.token.clone().unwrap()];
    ann.close().await;
    bob.close().await;
    server.wait_for_log("game parked").await;
    server.stop().await;
    server.restart().await;
    let mut anonymous = Peer::anonymous(&server).await;
    assert_eq!(anonymous.ask(json!({"type": "games"})).await["games"][0]["ply"], 2);
    let mut ann = Peer::with_token(&server, &tokens[0]).await;
    let snapshot = ann.next_of("snapshot").await;
    assert_eq!(snapshot["ply"], 3);
}

#[tokio::test]
async fn a_swap_reaches_spectators_after_the_delay() {
    let (server, [mut ann, mut bob, mut eve]) =
        Peer::start_with_guests(["ann", "bob", "eve"]).await;
    let terms = json!({"rules": "stymie", "options": "-swap", "delay": 1});
    let game = game::start(&mut [&mut ann, &mut bob], terms).await;
    eve.ask(json!({"type": "watch", "game": game, "from": 1})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    game::make_move(&mut bob, &game, "swap").await;
    ann.read_up_to(&game, bob.replay(&game).seq()).await;
    let seats = |frame: &Frame| frame["seats"][0]["user"].clone();
    let seen = eve.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(seats(&seen), "ann");
    let listed = eve.ask(json!({"type": "games"})).await;
    assert_eq!(seats(&listed["games"][0]), "ann");
    let bob = bob.reconnect(&server).await;
    assert_eq!(bob.welcome["games"][0]["seat"], 0, "{}", bob.recent_frames());
    let seen = ann.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(seats(&seen), "bob");
}

#[tokio::test]
async fn the_delay_is_limited() {
    let (_server, [mut ann, _bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let challenge =
        json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "bob"], "delay": 11});
    ann.refused(challenge, "bad_message").await;
    ann.refused(json!({"type": "seek", "rules": "adamas", "delay": 11}), "bad_message").await;
    let made = ann.ask(json!({"type": "seek", "rules": "adamas", "delay": 10})).await;
    let lobby = ann.ask(json!({"type": "lobby"})).await;
    assert_eq!(lobby["add"][0]["seek"], made["seek"]);
    assert_eq!(lobby["add"][0]["delay"], 10);
}
