//! Bots: accounts of programs, and the server's own bots.

mod engines; // engines that `adamant bot` connects
mod house; // the server's own bots
mod programs; // the examples of the documents, as their readers run them
mod readme_bot; // the bot of the Rust client

use rusqlite::Connection;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::harness::{Frame, PASSWORD, PATIENCE, Peer, Server, game, http, with};

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
    let (server, [mut ann, mut bob]) = Peer::start_with_accounts(["ann", "bob"]).await;
    ann.ask(json!({"type": "bot_create", "name": "hexbot"})).await;
    let token = ann.ask(json!({"type": "token_create", "label": "x", "user": "hexbot"})).await;
    let mut hexbot = Peer::with_token(&server, token["token"].as_str().unwrap()).await;
    let game = game::start(&mut [&mut bob, &mut hexbot], json!({"rated": true})).await;
    game::play_moves(&mut [&mut bob, &mut hexbot], &game, 2).await;
    bob.ask(json!({"type": "resign", "game": game})).await;
    hexbot.next_event(&game, "rated").await;
    say(&mut hexbot, json!({"accepts": {}, "free": 4})).await;

    let listed = directory(&mut bob, json!({})).await;
    assert_eq!(
        names(&listed),
        [
            "hexbot",
            "house",
            "house-2",
            "house-3",
            "house-5",
            "house-6",
            "house-7",
            "house-easy",
            "house-hard"
        ]
    );
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

fn create(name: &str) -> Value {
    json!({"type": "bot_create", "name": name})
}

fn token_for(bot: &str) -> Value {
    json!({"type": "token_create", "label": "server", "user": bot})
}

#[tokio::test]
async fn a_bots_owner_is_shown_in_every_view() {
    let (mut server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    assert_eq!(ann.ask(create("HexBot")).await["user"], "HexBot");
    let secret = ann.ask(token_for("hexbot")).await["token"].as_str().unwrap().to_owned();
    server.crash().await;
    let mut ann = ann.reconnect(&server).await;
    let mut hexbot = Peer::with_token(&server, &secret).await;
    let me = json!({"name": "HexBot", "bot": true, "guest": false, "owner": "ann"});
    assert_eq!(hexbot.welcome["user"], me);
    let known = ann.ask(json!({"type": "user", "name": "hexbot"})).await;
    assert_eq!((&known["bot"], &known["owner"]), (&json!(true), &json!("ann")));
    let owner = ann.ask(json!({"type": "user", "name": "ann"})).await;
    assert_eq!((&owner["bot"], owner.get("owner")), (&json!(false), None));

    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut bob, &mut hexbot], json!({})).await;
    let snapshot = ann.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot["seats"][1]["bot"], true);
    assert_eq!(snapshot["seats"][0].get("bot"), None);

    // Each token of a bot has one live session.
    let mut newer = Peer::with_token(&server, &secret).await;
    assert_eq!(hexbot.expect_close().await, 4003);
    let list = ann.ask(json!({"type": "bot_list"})).await;
    assert_eq!(list["bots"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&list["bots"][0]["name"], &list["bots"][0]["tokens"]),
        (&json!("HexBot"), &json!(1))
    );
    let tokens = ann.ask(json!({"type": "token_list", "user": "hexbot"})).await;
    assert_eq!(tokens["tokens"][0]["bot"], true);
    ann.ask(json!({"type": "token_revoke", "token": tokens["tokens"][0]["token"]})).await;
    assert_eq!(newer.expect_close().await, 4007);
}

#[tokio::test]
async fn only_accounts_have_bots_and_only_owners_manage_them() {
    let (server, [mut ann, mut bob]) = Peer::start_with_accounts(["ann", "bob"]).await;
    let mut gus = Peer::guest(&server, "gus").await;
    Peer::anonymous(&server).await.refused(create("hexbot"), "forbidden").await;
    gus.refused(create("hexbot"), "forbidden").await;
    ann.refused(create("bob"), "name_taken").await;
    ann.refused(create("b0b"), "name_taken").await;
    ann.refused(create("admin"), "name_taken").await;
    ann.refused(create("no such name"), "bad_message").await;
    ann.ask(create("hexbot")).await;
    bob.refused(create("HEXBOT"), "name_taken").await;
    bob.refused(token_for("hexbot"), "forbidden").await;
    bob.refused(token_for("ann"), "forbidden").await;
    bob.refused(token_for("nobody-here"), "not_found").await;
    bob.refused(json!({"type": "token_list", "user": "hexbot"}), "forbidden").await;
    let own = ann.ask(token_for("hexbot")).await;
    bob.refused(json!({"type": "token_revoke", "token": own["token_id"]}), "not_found").await;

    // A bot has no password and cannot set one.
    let mut hexbot = Peer::with_token(&server, own["token"].as_str().unwrap()).await;
    hexbot.refused(create("hexbot2"), "forbidden").await;
    let signup = json!({"type": "signup", "user": "hexbot", "password": PASSWORD});
    hexbot.refused(signup.clone(), "forbidden").await;
    Peer::anonymous(&server).await.refused(signup, "name_taken").await;
    for password in ["", PASSWORD] {
        let mut eve = Peer::connect(server.address()).await;
        let auth = json!({"user": "hexbot", "password": password});
        eve.refused(json!({"type": "hello", "proto": [1], "auth": auth}), "unauthorized").await;
    }
}

#[tokio::test]
async fn the_number_of_bots_per_owner_is_limited() {
    let (server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    let most = ann.welcome["limits"]["bots"].as_u64().unwrap();
    for number in 0..most {
        ann.ask(create(&format!("hexbot-{number}"))).await;
    }
    let refusal = ann.refused(create("one-more"), "rate_limited").await;
    assert_eq!(refusal["limit"], "bots");
    let mut bob = Peer::account(&server, "bob").await;
    bob.ask(create("one-more")).await;
    let list = ann.ask(json!({"type": "bot_list"})).await;
    let names: Vec<&str> =
        list["bots"].as_array().unwrap().iter().map(|bot| bot["name"].as_str().unwrap()).collect();
    assert_eq!(names.len() as u64, most);
    assert_eq!((names[0], names[1]), ("hexbot-0", "hexbot-1"), "the oldest first");
}

#[tokio::test]
async fn a_guest_bot_is_marked_in_every_view() {
    let server = Server::start().await;
    let mut robot = Peer::connect(server.address()).await;
    let welcome = robot.hello(json!({"auth": {"guest": "robot", "bot": true}})).await;
    assert_eq!(welcome["user"], json!({"name": "robot", "bot": true, "guest": true}));
    let mut ann = Peer::guest(&server, "ann").await;
    let profile = ann.ask(json!({"type": "user", "name": "robot"})).await;
    assert_eq!((&profile["bot"], &profile["guest"]), (&json!(true), &json!(true)));
    let profile = ann.ask(json!({"type": "user", "name": "ann"})).await;
    assert_eq!(profile["bot"], false);

    robot.ask(json!({"type": "seek", "rules": "adamas"})).await;
    let listed = ann.ask(json!({"type": "lobby"})).await;
    assert_eq!(listed["add"][0]["bot"], true);
    robot.ask(json!({"type": "challenge", "rules": "adamas", "seats": ["robot", "ann"]})).await;
    let told = ann.next_of("challenged").await;
    assert_eq!((&told["bot"], &told["guest"]), (&json!(true), &json!(true)));
    let accept = json!({"type": "accept", "challenge": told["challenge"]});
    let game = ann.ask(accept).await["game"].as_str().unwrap().to_owned();
    let created = ann.next_event(&game, "created").await;
    let bots: Vec<_> =
        created["seats"].as_array().unwrap().iter().map(|seat| &seat["bot"]).collect();
    assert_eq!(bots, [&json!(true), &json!(false)]);

    // A guest bot is marked after a reconnect, too, and may not do what bots may not do.
    let mut again = Peer::with_token(&server, welcome["token"].as_str().unwrap()).await;
    assert_eq!(again.welcome["user"], welcome["user"]);
    assert_eq!(robot.expect_close().await, 4003);
    let signup = json!({"type": "signup", "user": "robot", "password": "open sesame"});
    again.refused(signup, "forbidden").await;
    again.refused(json!({"type": "token_create", "label": "more"}), "forbidden").await;
}

/// Returns a new bot of an account.
async fn bot_of(server: &Server, owner: &mut Peer, name: &str) -> Peer {
    owner.ask(create(name)).await;
    let secret = owner.ask(token_for(name)).await["token"].as_str().unwrap().to_owned();
    Peer::with_token(server, &secret).await
}

/// Checks that neither can begin a rated game with the other.
async fn play_no_rated_game(one: &mut Peer, other: &mut Peer) {
    let rated = |kind: &str| json!({"type": kind, "rules": "adamas", "rated": true});
    let seats = [one.name().to_owned(), other.name().to_owned()];
    let refusal = one.refused(with(rated("challenge"), json!({"seats": seats})), "forbidden").await;
    let message = refusal["message"].as_str().unwrap();
    assert!(message.contains("same owner") && message.contains(&seats[1]), "{message}");
    assert_eq!(refusal["retry"], "never");

    let seek = one.ask(rated("seek")).await["seek"].clone();
    other.refused(json!({"type": "accept", "seek": seek}), "forbidden").await;
    let own = other.ask(rated("seek")).await;
    assert_eq!(own.get("game"), None, "the seeks do not match");
    other.ask(json!({"type": "unseek", "seek": own["seek"]})).await;
    one.ask(json!({"type": "unseek", "seek": seek})).await;

    let invite = one.ask(rated("invite")).await["invite"].clone();
    other.refused(json!({"type": "accept", "invite": invite}), "forbidden").await;
    one.ask(json!({"type": "cancel", "invite": invite})).await;
}

#[tokio::test]
async fn own_bots_play_no_rated_games_against_their_owner_or_each_other() {
    let (server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    let mut first = bot_of(&server, &mut ann, "first-bot").await;
    let mut second = bot_of(&server, &mut ann, "second-bot").await;
    play_no_rated_game(&mut ann, &mut first).await;
    play_no_rated_game(&mut first, &mut ann).await;
    play_no_rated_game(&mut first, &mut second).await;

    // Neither does a challenge of a third user bring them together.
    let mut bob = Peer::account(&server, "bob").await;
    let three = json!({"type": "challenge", "rules": "adamas", "rated": true, "seats": ["bob", "ann", "first-bot"]});
    bob.refused(three, "forbidden").await;

    // All else goes on: games that are not rated, and those against others.
    game::start(&mut [&mut ann, &mut first], json!({})).await;
    let mut bobs = bot_of(&server, &mut bob, "bobs-bot").await;
    for other in [&mut bob, &mut bobs] {
        let game = game::start(&mut [&mut first, other], json!({"rated": true})).await;
        assert!(other.table(&game).setup().rated);
    }
}

#[tokio::test]
async fn nothing_agreed_before_a_bot_came_to_an_owner_begins_a_rated_game_against_them() {
    let mut server = Server::embedded(|_| {}).await;
    let mut ann = Peer::account(&server, "ann").await;
    let mut bob = Peer::account(&server, "bob").await;
    let mut robot = bot_of(&server, &mut bob, "robot").await;
    let secret = bob.ask(token_for("robot")).await["token"].as_str().unwrap().to_owned();
    let rated = |kind: &str| json!({"type": kind, "rules": "adamas", "rated": true});
    let game = game::start(&mut [&mut ann, &mut robot], json!({"rated": true})).await;
    game::play_moves(&mut [&mut ann, &mut robot], &game, 4).await;
    ann.ask(json!({"type": "resign", "game": game})).await;
    ann.next_event(&game, "ended").await;
    let seats = json!({"seats": ["ann", "robot"]});
    let challenge = ann.ask(with(rated("challenge"), seats)).await["challenge"].clone();
    let invite = ann.ask(rated("invite")).await["invite"].clone();
    ann.disconnect();
    drop((bob, robot));
    server.stop().await;
    let store = Connection::open(server.data().join("adamant.db")).unwrap();
    let give =
        "UPDATE users SET owner_id = (SELECT id FROM users WHERE name = 'ann') WHERE name = ?1";
    assert_eq!(store.execute(give, ["robot"]).unwrap(), 1);
    drop(store);
    server.restart().await;

    let mut ann = ann.reconnect(&server).await;
    let mut robot = Peer::with_token(&server, &secret).await;
    assert_eq!(robot.welcome["user"]["owner"], "ann");
    let rematch = json!({"type": "rematch", "game": game});
    let accepts = [json!({"challenge": challenge}), json!({"invite": invite})];
    let accepts = accepts.map(|what| with(json!({"type": "accept"}), what));
    for request in accepts.into_iter().chain([rematch.clone()]) {
        let refusal = robot.refused(request, "forbidden").await;
        let message = refusal["message"].as_str().unwrap();
        assert!(message.contains("same owner"), "{message}");
    }
    ann.refused(rematch, "forbidden").await;
}
