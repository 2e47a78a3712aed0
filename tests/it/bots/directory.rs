//! The directory of bots that accept challenges.

use serde_json::{Value, json};

use tokio::time::timeout;

use crate::harness::{Frame, PATIENCE, Peer, Server, game, http};

/// Reads the directory.
async fn directory(peer: &mut Peer, mut query: Value) -> Vec<Frame> {
    query["type"] = json!("directory");
    let list = peer.ask(query).await;
    list["bots"].as_array().unwrap().clone()
}

fn names(list: &[Frame]) -> Vec<&str> {
    list.iter().map(|bot| bot["user"].as_str().unwrap()).collect()
}

async fn bot(server: &Server, name: &str, status: Value) -> Peer {
    let mut bot = Peer::connect(server.address()).await;
    bot.hello(json!({"auth": {"guest": name, "bot": true}})).await;
    say(&mut bot, status).await;
    bot
}

async fn say(bot: &mut Peer, mut status: Value) {
    status["type"] = json!("bot_status");
    bot.ask(status).await;
}

#[tokio::test]
async fn a_bot_is_listed_with_what_it_accepts_until_it_leaves() {
    let server = Server::with(|setup| setup.argument("--no-house")).await;
    let mut eve = Peer::anonymous(&server).await;
    let accepts = json!({
        "games": [{"rules": "hexma", "players": 3}, {"rules": "diam"}],
        "clocks": ["fischer", "none"], "pace": {"min_ms": 5000}, "rated": false,
        "rating": {"max": 1800}, "allow": {"bots": false, "guests": true}, "default_options": true
    });
    let mut hal = bot(&server, "Hal", json!({"accepts": accepts, "free": 2})).await;
    let _abe = bot(&server, "abe", json!({"accepts": {}, "free": 0})).await;

    let listed = directory(&mut eve, json!({})).await;
    assert_eq!(names(&listed), ["abe", "Hal"]);
    let entry = json!({"user": "Hal", "guest": true, "accepts": accepts, "free": 2});
    assert_eq!(listed[1], entry);
    let everything = json!({"allow": {"bots": true, "guests": true}});
    assert_eq!(listed[0]["accepts"], everything);

    for (query, found) in [
        (json!({"rules": "hexma"}), &["abe", "Hal"][..]),
        (json!({"rules": "hexma", "players": 2}), &["abe"]),
        (json!({"rules": "adamas"}), &["abe"]),
        (json!({"players": 3}), &["abe", "Hal"]),
        (json!({"free": true}), &["Hal"]),
        (json!({"before": "ABE"}), &["Hal"]),
        (json!({"limit": 1}), &["abe"]),
    ] {
        assert_eq!(names(&directory(&mut eve, query.clone()).await), found, "{query}");
    }
    let http = http::get(&server, "/v1/bots?rules=hexma&players=3&free=true").await;
    assert_eq!(http, json!({"type": "directory", "bots": [entry], "more": false}));

    say(&mut hal, json!({"accepts": {}, "free": 1})).await;
    assert_eq!(directory(&mut eve, json!({"free": true})).await[0]["free"], 1);
    say(&mut hal, json!({})).await;
    assert_eq!(names(&directory(&mut eve, json!({})).await), ["abe"]);
    say(&mut hal, json!({"accepts": {}})).await;
    hal.close().await;
    let gone = async {
        loop {
            // The server may refuse for the rate.
            let list = eve.request(json!({"type": "directory"})).await;
            if list["bots"].as_array().is_some_and(|bots| bots.len() == 1) {
                return;
            }
        }
    };
    timeout(PATIENCE, gone).await.expect("the directory forgets a bot that has left");
}

#[tokio::test]
async fn the_directory_shows_owners_and_ratings_and_the_servers_own_bots() {
    let server = Server::start().await;
    let mut ann = Peer::account(&server, "ann").await;
    let mut bob = Peer::account(&server, "bob").await;
    ann.ask(json!({"type": "bot_create", "name": "hexbot"})).await;
    let token = ann.ask(json!({"type": "token_create", "label": "x", "user": "hexbot"})).await;
    let mut hexbot = Peer::with_token(&server, token["token"].as_str().unwrap()).await;
    let game = game::start(&mut [&mut bob, &mut hexbot], json!({"rated": true})).await;
    game::play_moves(&mut [&mut bob, &mut hexbot], &game, 2).await;
    bob.ask(json!({"type": "resign", "game": game})).await;
    hexbot.next_event(&game, "rated").await;
    say(&mut hexbot, json!({"accepts": {}, "free": 4})).await;

    let listed = directory(&mut bob, json!({})).await;
    assert_eq!(names(&listed), ["hexbot", "house", "house-easy", "house-hard"]);
    assert_eq!((&listed[0]["owner"], listed[0].get("guest")), (&json!("ann"), None));
    assert_eq!(listed[0]["ratings"], json!({"adamas/2": 1662}));
    assert_eq!((&listed[1]["level"], listed[1].get("free")), (&json!("medium"), None));
}

#[tokio::test]
async fn only_programs_are_listed_and_only_with_games_that_exist() {
    let server = Server::start().await;
    let status = |accepts: Value| json!({"type": "bot_status", "accepts": accepts});
    for peer in [&mut Peer::anonymous(&server).await, &mut Peer::guest(&server, "ann").await] {
        peer.refused(status(json!({})), "forbidden").await;
    }
    let mut hal = bot(&server, "hal", json!({})).await;
    let chess = json!({"games": [{"rules": "chess"}]});
    hal.refused(status(chess), "bad_message").await;
    let three = json!({"games": [{"rules": "diam", "players": 3}]});
    hal.refused(status(three), "bad_message").await;
    let many = json!({"games": vec![json!({"rules": "diam"}); 17]});
    hal.refused(status(many), "bad_message").await;
    let free = json!({"type": "bot_status", "accepts": {}, "free": 1001});
    hal.refused(free, "bad_message").await;
    assert!(!names(&directory(&mut hal, json!({})).await).contains(&"hal"));
}
