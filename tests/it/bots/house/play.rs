//! The server bots play whole games at every level, also after a crash.

use adamant_engine::choice::Level;
use adamant_rules::{Kind, Table};
use rand::{SeedableRng, rngs::StdRng};
use serde_json::json;

use super::challenging::{begin, challenge};
use crate::harness::{Frame, Peer, Server, game, with};

/// More moves than a guest makes in any game against a server bot.
const MOVES_MAX: usize = 200;

/// Plays a guest's side of a game against a server bot.
async fn play_out(ann: &mut Peer, game: &str) {
    play_out_by(ann, game, game::choose_move).await;
}

/// Plays the guest's side with the bot crate at a level.
async fn play_out_at(ann: &mut Peer, game: &str, level: Level) {
    let mut rng = StdRng::seed_from_u64(1);
    let choose = |table: &Table| {
        adamant_engine::choice::choose(table.position(), level, &mut rng).unwrap().to_string()
    };
    play_out_by(ann, game, choose).await;
}

async fn play_out_by(ann: &mut Peer, game: &str, mut choose: impl FnMut(&Table) -> String) {
    let mut moves = 0;
    loop {
        game::settle(ann, game).await;
        let table = ann.table(game);
        let Some(seat) = table.to_move() else { return };
        if table.seat_of("ann") == Some(seat) {
            moves += 1;
            assert!(moves <= MOVES_MAX, "the house never wins: {}", ann.recent_frames());
            let play = choose(table);
            game::make_move(ann, game, &play).await;
        } else {
            ann.read_up_to(game, ann.replay(game).seq() + 1).await;
        }
    }
}

#[tokio::test]
async fn a_server_bot_accepts_and_plays_whole_games() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    for &kind in Kind::ALL {
        for seats in [["ann", "house"], ["house", "ann"]] {
            println!("{} {seats:?}", kind.name());
            let rules = json!({"rules": kind.name()});
            let game = begin(&mut ann, with(challenge(&seats), rules)).await;
            play_out(&mut ann, &game).await;
            let ended = ann.next_event(&game, "ended").await;
            assert!(ended["places"].is_array());
            assert_ne!(ended["reason"], "resigned", "the house plays to the end");
        }
    }
    let list = ann.ask(json!({"type": "games", "state": "finished", "user": "house"})).await;
    let games = list["games"].as_array().unwrap();
    assert_eq!(games.len(), 2 * Kind::ALL.len());
    for entry in games {
        let mut seats = entry["seats"].as_array().unwrap().iter();
        assert_eq!(seats.find(|seat| seat["user"] == "house").unwrap()["bot"], true);
    }
}

#[tokio::test]
async fn each_level_is_listed_and_plays_a_whole_game() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let catalogue = ann.ask(json!({"type": "catalogue"})).await;
    let house = catalogue["house"].as_array().unwrap();
    let levels: Vec<_> = house.iter().map(|player| player["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["easy", "medium", "hard"]);
    for player in house {
        let user = player["user"].as_str().unwrap();
        let small = json!({"rules": "stymie", "options": {"size": 5}});
        let game = begin(&mut ann, with(challenge(&["ann", user]), small)).await;
        play_out_at(&mut ann, &game, Level::Greedy).await;
        let ended = ann.next_event(&game, "ended").await;
        assert_eq!(ended["reason"], "connected");
        let entry =
            ann.ask(json!({"type": "games", "state": "finished", "user": user})).await["games"][0]
                .clone();
        assert_eq!(
            (&entry["seats"][1]["user"], &entry["seats"][1]["bot"]),
            (&json!(user), &json!(true))
        );
        // A guest of the middle level beats the easy bot and loses to the hard one.
        match player["level"].as_str().unwrap() {
            "easy" => assert_eq!(ended["winners"], json!([0])),
            "hard" => assert_eq!(ended["winners"], json!([1])),
            _ => {}
        }
    }
}

#[tokio::test]
async fn bots_of_every_level_return_after_a_crash() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut games = Vec::new();
    for user in ["house-easy", "house", "house-hard"] {
        games.push(begin(&mut ann, challenge(&[user, "ann"])).await);
    }
    server.kill().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    for game in games {
        while game::to_move(ann.table(&game)) != Some(1) {
            ann.read_up_to(&game, ann.replay(&game).seq() + 1).await;
        }
    }
    for user in ["house-easy", "house", "house-hard"] {
        begin(&mut ann, challenge(&["ann", user])).await;
    }
}

#[tokio::test]
async fn a_server_bot_continues_its_game_after_a_crash() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let game = begin(&mut ann, challenge(&["house", "ann"])).await;
    server.kill().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    // In the end it is ann's turn, whether or not the bot had moved before the crash.
    while game::to_move(ann.table(&game)) != Some(1) {
        ann.read_up_to(&game, ann.replay(&game).seq() + 1).await;
    }
}

#[tokio::test]
async fn a_server_bot_declines_draws_and_joins_games_of_three() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let game = begin(&mut ann, challenge(&["ann", "house"])).await;
    ann.ask(json!({"type": "offer", "game": game, "what": "draw"})).await;
    let closed = ann.next_event(&game, "offer_closed").await;
    assert_eq!((&closed["outcome"], &closed["by"]), (&json!("declined"), &json!(1)));

    let mut bob = Peer::guest(&server, "bob").await;
    let id = ann.ask(challenge(&["house", "ann", "bob"])).await["challenge"].clone();
    bob.next_of("challenged").await;
    let mut game = bob.ask(json!({"type": "accept", "challenge": id})).await["game"].clone();
    if game.is_null() {
        // Bob accepted before the bot did: the bot's acceptance begins the game.
        game = bob.next_of("challenge_closed").await["game"].clone();
    }
    let moved = bob.next_event(game.as_str().unwrap(), "moved").await;
    assert_eq!(moved["seat"], 0);
}

#[tokio::test]
async fn a_challenge_of_three_with_two_server_bots_begins_at_once() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let game = begin(&mut ann, challenge(&["house-easy", "ann", "house"])).await;
    while game::to_move(ann.table(&game)) != Some(1) {
        ann.read_up_to(&game, ann.replay(&game).seq() + 1).await;
    }
}

#[tokio::test]
async fn a_server_bot_allows_takebacks_only_in_unrated_games() {
    let server = Server::start().await;
    let mut ann = Peer::anonymous(&server).await;
    ann.ask(json!({"type": "signup", "user": "ann", "password": "open sesame"})).await;
    let clock = json!({"clock": {"mode": "fischer", "base_ms": 600_000, "inc_ms": 5_000}});
    for rated in [false, true] {
        let terms = with(clock.clone(), json!({"rated": rated}));
        let game = begin(&mut ann, with(challenge(&["ann", "house-easy"]), terms)).await;
        let play = game::choose_move(ann.table(&game));
        game::make_move(&mut ann, &game, &play).await;
        let by_house = |frame: &Frame| frame["kind"] == "moved" && frame["seat"] == 1;
        ann.next_matching("the house's move", by_house).await;
        ann.ask(json!({"type": "offer", "game": game, "what": "takeback"})).await;
        let closed = ann.next_event(&game, "offer_closed").await;
        let outcome = if rated { "declined" } else { "accepted" };
        assert_eq!((&closed["outcome"], &closed["by"]), (&json!(outcome), &json!(1)));
        ann.ask(json!({"type": "resign", "game": game})).await;
        if rated {
            ann.next_event(&game, "rated").await;
        }
    }
    // The bot still accepts challenges after the end of a game.
    begin(&mut ann, challenge(&["ann", "house-easy"])).await;
    assert!(!server.log().iter().any(|line| line.contains("ERROR")), "{:?}", server.log());
}

#[tokio::test]
async fn a_server_without_bots_rejects_challenges_to_them() {
    let server = Server::with(|setup| setup.argument("--no-house")).await;
    let mut ann = Peer::guest(&server, "ann").await;
    assert_eq!(ann.ask(json!({"type": "catalogue"})).await["house"], json!([]));
    let reply = ann.request(challenge(&["ann", "house"])).await;
    // On a server that never had bots no user has the name.
    assert!(reply["code"] == "not_found" || reply["code"] == "forbidden", "{reply}");

    let mut server = Server::start().await;
    server.stop().await;
    server.configure(|setup| setup.argument("--no-house"));
    server.restart().await;
    let mut ann = Peer::guest(&server, "ann").await;
    for user in ["house-easy", "house", "house-hard"] {
        ann.refused(challenge(&["ann", user]), "forbidden").await;
    }
}
