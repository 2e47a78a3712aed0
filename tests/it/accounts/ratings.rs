//! Ratings, standings, user pages and lists of a user's games.

use serde_json::{Value, json};
use tokio::{process::Command, time::timeout};

use crate::harness::{Frame, PATIENCE, Peer, Server, binary, game, http, with};

fn rated() -> Value {
    json!({"rated": true})
}

/// Plays a rated game that `loser` resigns, and returns its id.
async fn loses_to(loser: &mut Peer, winner: &mut Peer) -> String {
    let game = game::start(&mut [&mut *loser, &mut *winner], rated()).await;
    game::play_moves(&mut [&mut *loser, &mut *winner], &game, 2).await;
    loser.ask(json!({"type": "resign", "game": game})).await;
    loser.next_event(&game, "rated").await;
    winner.next_event(&game, "rated").await;
    game
}

async fn standings(peer: &mut Peer, fields: Value) -> Frame {
    peer.ask(with(json!({"type": "standings", "rules": "adamas"}), fields)).await
}

fn names(standings: &Frame) -> Vec<&str> {
    let rows = standings["standings"].as_array().unwrap();
    rows.iter().map(|row| row["user"].as_str().unwrap()).collect()
}

/// Runs `ratings --check` on the store; returns its exit status and output.
async fn check(server: &Server) -> (Option<i32>, String) {
    let mut command = Command::new(binary("adamant-server"));
    command.args(["ratings", "--check"]).args(server.store_arguments());
    let output = timeout(PATIENCE, command.output()).await.expect("in time").expect("it runs");
    (output.status.code(), String::from_utf8(output.stdout).expect("text"))
}

#[tokio::test]
async fn a_rated_game_changes_both_ratings_in_every_view() {
    let mut server = Server::start().await;
    let mut ann = Peer::account(&server, "ann").await;
    let mut bob = Peer::account(&server, "Bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], rated()).await;
    let created = ann.next_event(&game, "created").await;
    assert_eq!((&created["rated"], &created["seats"][0].get("rating")), (&json!(true), &None));
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    bob.ask(json!({"type": "resign", "game": game})).await;
    let ended = ann.next_event(&game, "ended").await;
    let told = ann.next_event(&game, "rated").await;
    assert_eq!(told["seq"], json!(ended["seq"].as_u64().unwrap() + 1));
    let ratings = json!({"before": [1500, 1500], "after": [1662, 1338]});
    assert_eq!((&told["before"], &told["after"]), (&ratings["before"], &ratings["after"]));

    let mut anonymous = Peer::anonymous(&server).await;
    let list = standings(&mut anonymous, json!({})).await;
    assert_eq!((&list["rules"], &list["players"]), (&json!("adamas@1"), &json!(2)));
    let first = json!({"place": 1, "user": "ann", "rating": 1662, "deviation": 290,
        "provisional": true, "games": 1, "wins": 1, "draws": 0, "losses": 0});
    assert_eq!(list["standings"][0], first);
    assert_eq!((&list["more"], list.get("next")), (&json!(false), None));
    assert!(names(&standings(&mut anonymous, json!({"players": 3})).await).is_empty());
    anonymous.refused(json!({"type": "standings", "rules": "ludo"}), "not_found").await;
    let five = json!({"type": "standings", "rules": "adamas", "players": 5});
    anonymous.refused(five, "bad_message").await;
    let anywhere = json!({"type": "standings", "rules": "adamas", "before": "anywhere"});
    anonymous.refused(anywhere, "bad_message").await;

    let user = anonymous.ask(json!({"type": "user", "name": "BOB"})).await;
    assert_eq!(
        (&user["user"], &user["online"], &user["guest"], &user["live"], &user["finished"]),
        (&json!("Bob"), &json!(true), &json!(false), &json!(0), &json!(1))
    );
    assert_eq!(
        user["ratings"][0],
        json!({"rules": "adamas@1", "players": 2, "place": 2, "rating": 1338, "deviation": 290,
            "provisional": true, "games": 1, "wins": 0, "draws": 0, "losses": 1})
    );
    anonymous.refused(json!({"type": "user", "name": "stranger"}), "not_found").await;

    let history = anonymous.ask(json!({"type": "history", "user": "bob"})).await;
    assert_eq!((&history["user"], &history["more"]), (&json!("Bob"), &json!(false)));
    let entry = &history["games"][0];
    assert_eq!((&entry["game"], &entry["ratings"]), (&json!(game), &ratings));
    assert_eq!(entry["result"]["places"], json!([1, 2]));
    anonymous.refused(json!({"type": "history", "user": "stranger"}), "not_found").await;

    // The next game's seats and the next `hello` show the current ratings.
    let next = game::start(&mut [&mut bob, &mut ann], json!({})).await;
    let created = bob.next_event(&next, "created").await;
    let rating = |seat: usize| created["seats"][seat]["rating"].clone();
    assert_eq!((rating(0), rating(1)), (json!(1338), json!(1662)));
    let snapshot = anonymous.ask(json!({"type": "watch", "game": next})).await;
    assert_eq!(snapshot["seats"][1]["rating"], 1662);
    let bob = bob.reconnect(&server).await;
    assert_eq!(bob.welcome["user"]["ratings"], json!({"adamas/2": 1338}));

    // Ratings survive a crash.
    server.kill().await;
    server.restart().await;
    let mut anonymous = Peer::anonymous(&server).await;
    assert_eq!(standings(&mut anonymous, json!({})).await["standings"], list["standings"]);
    let again = anonymous.ask(json!({"type": "history", "user": "bob"})).await;
    assert_eq!(again["games"], history["games"]);
    let (status, said) = check(&server).await;
    assert_eq!((status, said.as_str()), (Some(0), "the ratings agree with the 1 results\n"));
}

#[tokio::test]
async fn draws_count_half_and_aborted_games_and_games_of_guests_are_unrated() {
    let server = Server::start().await;
    let mut ann = Peer::account(&server, "ann").await;
    let mut bob = Peer::account(&server, "bob").await;
    let mut eve = Peer::guest(&server, "eve").await;
    let game = game::start(&mut [&mut ann, &mut eve], rated()).await;
    assert_eq!(ann.next_event(&game, "created").await["rated"], false);
    eve.ask(json!({"type": "resign", "game": game})).await;
    ann.next_event(&game, "ended").await;

    let game = game::start(&mut [&mut ann, &mut bob], rated()).await;
    ann.ask(json!({"type": "abort", "game": game})).await;
    bob.next_event(&game, "aborted").await;
    assert!(!bob.has_received(|frame| frame["kind"] == "rated").await);
    // Nor is a game that one side has not played.
    let game = game::start(&mut [&mut ann, &mut bob], rated()).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    bob.ask(json!({"type": "resign", "game": game})).await;
    ann.next_event(&game, "ended").await;
    assert!(!ann.has_received(|frame| frame["kind"] == "rated").await);
    assert!(names(&standings(&mut ann, json!({})).await).is_empty());

    let game = game::start(&mut [&mut ann, &mut bob], rated()).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
    let offer = ann.ask(json!({"type": "offer", "game": game, "what": "draw"})).await;
    let yes = json!({"type": "answer", "game": game, "offer": offer["offer"], "accept": true});
    bob.ask(yes).await;
    assert_eq!(ann.next_event(&game, "rated").await["after"], json!([1500, 1500]));
    let list = standings(&mut ann, json!({})).await;
    assert_eq!(names(&list), ["ann", "bob"]);
    for row in list["standings"].as_array().unwrap() {
        assert_eq!((&row["place"], &row["draws"], &row["wins"]), (&json!(1), &json!(1), &json!(0)));
    }
    assert_eq!(check(&server).await.0, Some(0));
}

#[tokio::test]
async fn games_of_three_have_their_own_ratings() {
    let server = Server::start().await;
    let mut ann = Peer::account(&server, "ann").await;
    let mut bob = Peer::account(&server, "bob").await;
    let mut cy = Peer::account(&server, "cy").await;
    let game = game::start(&mut [&mut ann, &mut bob, &mut cy], rated()).await;
    game::play_moves(&mut [&mut ann, &mut bob, &mut cy], &game, 3).await;
    bob.ask(json!({"type": "resign", "game": game})).await;
    bob.next_event(&game, "removed").await;
    game::catch_up(&mut [&mut ann, &mut bob, &mut cy], &game).await;
    let move_of_ann = game::choose_move(ann.table(&game));
    game::make_move(&mut ann, &game, &move_of_ann).await;
    ann.ask(json!({"type": "resign", "game": game})).await;
    let told = cy.next_event(&game, "rated").await;
    let ended = cy.next_event(&game, "ended").await;
    assert_eq!(ended["places"], json!([2, 3, 1]));
    let after: Vec<u64> = serde_json::from_value(told["after"].clone()).unwrap();
    assert!(after[2] > after[0] && after[0] > after[1], "{after:?}");
    let list = standings(&mut ann, json!({"players": 3})).await;
    assert_eq!(names(&list), ["cy", "ann", "bob"]);
    assert!(
        names(&standings(&mut ann, json!({})).await).is_empty(),
        "each pool has its own ratings"
    );
    assert_eq!(check(&server).await.0, Some(0));
}

#[tokio::test]
async fn server_bots_are_rated_and_marked_as_bots() {
    let server = Server::start().await;
    let mut ann = Peer::account(&server, "ann").await;
    let seats = json!(["ann", "house"]);
    ann.ask(json!({"type": "challenge", "rules": "hexma", "seats": seats, "rated": true})).await;
    let closed = ann.next_of("challenge_closed").await;
    let game = closed["game"].as_str().unwrap().to_owned();
    ann.next_event(&game, "started").await;
    let play = game::choose_move(ann.table(&game));
    game::make_move(&mut ann, &game, &play).await;
    // The reply of the bot.
    while ann.next_event(&game, "moved").await["seat"] == 0 {}
    ann.ask(json!({"type": "resign", "game": game})).await;
    ann.next_event(&game, "rated").await;
    let list = standings(&mut ann, json!({"rules": "hexma"})).await;
    assert_eq!(names(&list), ["house", "ann"]);
    assert_eq!(list["standings"][0]["bot"], true);
    assert_eq!(list["standings"][1].get("bot"), None);
    for (bot, name) in [(true, "house"), (false, "ann")] {
        let listed = standings(&mut ann, json!({"rules": "hexma", "bot": bot})).await;
        assert_eq!((names(&listed), &listed["standings"][0]["place"]), (vec![name], &json!(1)));
    }
    let house = ann.ask(json!({"type": "user", "name": "house"})).await;
    assert_eq!((&house["bot"], &house["guest"]), (&json!(true), &json!(false)));
}

/// Reads all pages; `between` runs after each.
async fn pages(
    peer: &mut Peer,
    request: Value,
    key: fn(&Frame) -> Value,
    mut between: impl AsyncFnMut(),
) -> Vec<String> {
    let mut seen = Vec::new();
    let mut before = Value::Null;
    loop {
        let mut asked = with(request.clone(), json!({"limit": 2}));
        if !before.is_null() {
            asked["before"] = before;
        }
        let page = peer.ask(asked).await;
        let games = page["games"].as_array().unwrap();
        seen.extend(games.iter().map(|entry| entry["game"].as_str().unwrap().to_owned()));
        if page["more"] == false {
            return seen;
        }
        before = key(&page);
        between().await;
    }
}

#[tokio::test]
async fn pages_stay_consistent_while_games_end() {
    let server = Server::start().await;
    let mut ann = Peer::account(&server, "ann").await;
    let mut bob = Peer::account(&server, "bob").await;
    let mut live = Vec::new();
    for _ in 0..4 {
        let game = game::start(&mut [&mut ann, &mut bob], rated()).await;
        game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
        live.push(game);
    }
    let mut finished = Vec::new();
    for _ in 0..5 {
        finished.push(loses_to(&mut ann, &mut bob).await);
    }
    finished.reverse();
    let last = |page: &Frame| page["games"].as_array().unwrap().last().unwrap()["game"].clone();

    let mut anonymous = Peer::anonymous(&server).await;
    let mut ending = live.clone().into_iter();
    let mut end_one = async || {
        let game = ending.next().expect("there are fewer pages than live games");
        ann.ask(json!({"type": "resign", "game": game})).await;
        ann.next_event(&game, "rated").await;
    };
    // Games that had ended before the first page are listed once each and in order. A game that
    // ends later has begun earlier: it comes after them in the list by start and before them in the
    // list by end.
    let over = json!({"type": "games", "state": "finished", "players": 2});
    let seen = pages(&mut anonymous, over, last, &mut end_one).await;
    assert_eq!(seen[..5], finished);
    let mut unique = seen.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), seen.len(), "{seen:?}");
    let history = json!({"type": "history", "user": "ann", "rules": "adamas"});
    let over = anonymous.ask(history.clone()).await["games"].as_array().unwrap().len();
    let seen = pages(&mut anonymous, history, last, async || {}).await;
    assert_eq!(seen.len(), over);
    assert!(seen.ends_with(&finished), "{seen:?}");

    // A page of live games continues behind a game that has ended since.
    let still = anonymous.ask(json!({"type": "games"})).await;
    let first = still["games"][0]["game"].as_str().unwrap().to_owned();
    ann.ask(json!({"type": "resign", "game": first})).await;
    ann.next_event(&first, "rated").await;
    let rest = anonymous.ask(json!({"type": "games", "before": first})).await;
    let games = |list: &Frame| list["games"].as_array().unwrap().clone();
    assert_eq!(games(&rest), games(&still)[1..]);
    anonymous.refused(json!({"type": "games", "before": "nosuch"}), "not_found").await;
    let unfinished = json!({"type": "history", "user": "ann", "before": "nosuch"});
    anonymous.refused(unfinished, "not_found").await;
    assert!(
        anonymous.ask(json!({"type": "games", "players": 3, "state": "finished"})).await["games"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn standings_are_paginated() {
    let server = Server::start().await;
    let mut players = Vec::new();
    for name in ["ann", "bob", "cy", "dee"] {
        players.push(Peer::account(&server, name).await);
    }
    let [ann, bob, cy, dee] = &mut players[..] else { panic!() };
    loses_to(ann, bob).await;
    loses_to(cy, dee).await;
    loses_to(dee, bob).await;
    let mut anonymous = Peer::anonymous(&server).await;
    let all = standings(&mut anonymous, json!({})).await;
    assert_eq!(names(&all)[0], "bob");
    let mut paged = Vec::new();
    let mut before = Value::Null;
    loop {
        let mut asked = json!({"limit": 1});
        if !before.is_null() {
            asked["before"] = before;
        }
        let page = standings(&mut anonymous, asked).await;
        paged.extend(page["standings"].as_array().unwrap().clone());
        before = page["next"].clone();
        if page["more"] == false {
            break;
        }
    }
    assert_eq!(json!(paged), all["standings"]);
}

async fn stats(peer: &mut Peer, fields: Value) -> Frame {
    peer.ask(with(json!({"type": "stats", "rules": "adamas"}), fields)).await
}

/// Waits until the server has counted this number of games, aborted ones included.
async fn counted(peer: &mut Peer, games: u64) -> Frame {
    let mut found = Frame::default();
    let looking = async {
        loop {
            found = stats(peer, json!({})).await;
            if found["games"].as_u64().unwrap() + found["aborted"].as_u64().unwrap() == games {
                return;
            }
        }
    };
    // Of several nodes that were killed another one takes over the counting when the lease ends.
    let looked = timeout(2 * PATIENCE, looking).await;
    assert!(looked.is_ok(), "{games} games are not counted: {found}");
    found
}

/// Plays the first moves of a game, which `loser` then resigns.
async fn play(seats: [&mut Peer; 2], config: Value, moves: &[&str], loser: usize) -> String {
    let [first, second] = seats;
    let game = game::start(&mut [&mut *first, &mut *second], config).await;
    for (turn, notation) in moves.iter().enumerate() {
        let player = if turn % 2 == 0 { &mut *first } else { &mut *second };
        game::make_move(player, &game, notation).await;
        game::catch_up(&mut [&mut *first, &mut *second], &game).await;
    }
    let resigns = if loser == 0 { &mut *first } else { &mut *second };
    resigns.ask(json!({"type": "resign", "game": game})).await;
    game
}

#[tokio::test]
async fn finished_games_are_counted_by_result_end_length_and_opening() {
    let mut server = Server::start().await;
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
    let none = stats(&mut ann, json!({})).await;
    assert_eq!(
        (&none["games"], &none["wins"], none.get("length")),
        (&json!(0), &json!([0, 0]), None)
    );
    play([&mut ann, &mut bob], json!({}), &["c1-c2", "c5-c4"], 0).await;
    play([&mut ann, &mut bob], json!({}), &["c1-c2"], 1).await;
    // The opening of an unlisted game stays unknown, and that on another board is another one.
    play([&mut ann, &mut bob], json!({"unlisted": true}), &["c1-d1", "c5-c4"], 0).await;
    play([&mut ann, &mut bob], json!({"options": "-prog_cap"}), &["c1-d1"], 0).await;
    let aborted = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    ann.ask(json!({"type": "abort", "game": aborted})).await;
    // A server looks for games to count when it starts, and then each five seconds.
    server.kill().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;

    let found = counted(&mut ann, 5).await;
    assert_eq!((&found["rules"], &found["players"]), (&json!("adamas@1"), &json!(2)));
    assert_eq!(
        (&found["games"], &found["wins"], &found["draws"], &found["aborted"]),
        (&json!(4), &json!([1, 3]), &json!(0), &json!(1))
    );
    assert_eq!(found["reasons"], json!([{"reason": "resigned", "games": 4}]));
    assert_eq!(
        found["length"],
        json!({"shortest": 1, "lower_quartile": 1, "median": 1, "upper_quartile": 2, "longest": 2,
            "bar_width": 1, "bars": [0, 2, 2]})
    );
    assert_eq!(
        found["openings"],
        json!([
            {"moves": ["c1-c2"], "games": 2, "wins": [1, 1], "draws": 0},
            {"moves": ["c1-c2", "c5-c4"], "games": 1, "wins": [0, 1], "draws": 0}
        ])
    );
    let people = stats(&mut ann, json!({"opponents": "people"})).await;
    assert_eq!((&people["games"], &people["opponents"]), (&json!(4), &json!("people")));
    assert_eq!(stats(&mut ann, json!({"opponents": "mixed"})).await["games"], 0);
    assert_eq!(stats(&mut ann, json!({"players": 3})).await["games"], 0);
    ann.refused(json!({"type": "stats", "rules": "ludo"}), "not_found").await;
    ann.refused(json!({"type": "stats", "rules": "diam", "players": 3}), "bad_message").await;
    let read = http::get(&server, "/v1/stats/adamas?opponents=people").await;
    assert_eq!(read["openings"], people["openings"]);
    let (status, problem) = http::refused(&server, "/v1/stats/adamas?opponents=all").await;
    assert_eq!((status, problem["code"].as_str()), (400, Some("bad_message")));

    // A game counts once, whenever the server stops.
    server.kill().await;
    server.restart().await;
    let mut ann = Peer::anonymous(&server).await;
    assert_eq!(stats(&mut ann, json!({})).await["games"], 4);
}

#[tokio::test]
async fn games_with_bots_are_counted_apart() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let seats = json!(["ann", "house"]);
    ann.ask(json!({"type": "challenge", "rules": "adamas", "seats": seats})).await;
    let game = ann.next_of("challenge_closed").await["game"].clone();
    ann.ask(json!({"type": "resign", "game": game})).await;
    counted(&mut ann, 1).await;
    assert_eq!(stats(&mut ann, json!({"opponents": "mixed"})).await["wins"], json!([0, 1]));
    assert_eq!(stats(&mut ann, json!({"opponents": "people"})).await["games"], 0);
}
