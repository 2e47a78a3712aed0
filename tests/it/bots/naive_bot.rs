//! The bot of "In one minute" in docs/PROTOCOL.md, with the limits of a default server.

use std::{collections::HashSet, time::Duration};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::harness::{Peer, Server, Setup};

/// The longest stop of the bot.
const STOP_MAX: Duration = Duration::from_secs(2);

/// The moves of the bot, in two games at once: more than the burst of a session.
const MOVES: usize = 120;

/// Answers the messages from a place on, up to a number of moves in all; returns the next place.
async fn play(
    bot: &mut Peer,
    mut place: usize,
    moves: &mut Vec<(Value, Instant)>,
    most: usize,
) -> usize {
    let mut sent: Vec<Value> = Vec::new();
    while moves.len() < most {
        let frame = bot.frame_at(place).await.clone();
        place += 1;
        if frame["type"] == "your_turn" {
            let (game, turn) = (frame["game"].as_str().unwrap(), &frame["turn"]);
            let mv = json!({"type": "move", "id": format!("{game}:{turn}"), "game": game, "turn": turn, "move": frame["legal"][0]});
            bot.send(&mv).await;
            sent.push(mv);
        } else if frame["type"] == "error" && frame["retry"] == "after" {
            sleep(Duration::from_millis(frame["retry_after_ms"].as_u64().unwrap())).await;
            let again = sent.iter().find(|request| request["id"] == frame["re"]).unwrap();
            bot.send(again).await;
        } else if frame["type"] == "ok" {
            moves.push((frame["re"].clone(), Instant::now()));
        }
    }
    place
}

#[tokio::test]
#[ignore = "long"]
async fn the_bot_of_one_minute_plays_on_in_two_games_and_over_a_restart() {
    let mut server = Server::one_node(Setup::default_rates).await;
    let mut bot = Peer::connect(server.address()).await;
    bot.hello(json!({"auth": {"guest": "kim", "bot": true}, "caps": ["legal"]})).await;
    let token = bot.welcome["token"].clone();
    let mut games = HashSet::new();
    for opponent in ["house-easy", "house"] {
        bot.ask(json!({"type": "challenge", "rules": "hexma", "seats": ["kim", opponent]})).await;
        games.insert(bot.next_of("challenge_closed").await["game"].clone());
    }
    assert_eq!(games.len(), 2);
    let mut moves = Vec::new();
    play(&mut bot, 0, &mut moves, MOVES / 2).await;
    let first = moves.len();
    server.stop().await;
    server.restart().await;
    let mut bot = Peer::connect(server.address()).await;
    bot.hello(json!({"auth": {"token": token}, "caps": ["legal"]})).await;
    play(&mut bot, 0, &mut moves, MOVES).await;
    for (at, pair) in moves.windows(2).enumerate() {
        let stop = pair[1].1 - pair[0].1;
        assert!(at + 1 == first || stop < STOP_MAX, "a stop of {stop:?} after move {at}");
    }
    for game in games {
        let of_game =
            moves.iter().filter(|(id, _)| id.as_str().unwrap().starts_with(game.as_str().unwrap()));
        assert!(of_game.count() > 10, "both games go on");
    }
}
