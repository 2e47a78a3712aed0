//! Live lists of games, and the featured game.

use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, game};

fn ids(games: &Value) -> Vec<&str> {
    games.as_array().unwrap().iter().map(|game| game["entry"]["game"].as_str().unwrap()).collect()
}

/// Waits for the list's next change that adds this game, and returns its entry.
async fn next_of_game(peer: &mut Peer, game: &str, wanted: impl Fn(&Frame) -> bool) -> Frame {
    let find = |frame: &Frame| {
        let added = frame["add"].as_array()?;
        added.iter().find(|live| live["entry"]["game"] == game && wanted(live)).cloned()
    };
    let change = peer
        .next_matching("the game in the list", |frame| {
            frame["type"] == "live" && frame.get("re").is_none() && find(frame).is_some()
        })
        .await;
    find(&change).unwrap()
}

#[tokio::test]
async fn a_live_list_follows_its_games() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut eve = Peer::anonymous(&server).await;
    let mut fay = Peer::anonymous(&server).await;
    let first = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &first, 2).await;

    let all = eve.ask(json!({"type": "live"})).await;
    assert_eq!((&all["full"], ids(&all["add"])), (&json!(true), vec![first.as_str()]));
    let live = &all["add"][0];
    let snapshot = fay.ask(json!({"type": "watch", "game": first})).await;
    for fact in ["seq", "position", "hash"] {
        assert_eq!(live[fact], snapshot[fact], "{live}");
    }
    assert_eq!((&live["entry"]["ply"], &live["move"]), (&json!(2), &snapshot["moves"][1]));
    let of_hexma = fay.ask(json!({"type": "live", "rules": "hexma"})).await;
    assert_eq!(of_hexma["add"], json!([]));
    fay.refused(json!({"type": "live", "rules": "checkers"}), "not_found").await;

    let second = game::start(&mut [&mut bob, &mut ann], json!({"rules": "hexma"})).await;
    next_of_game(&mut eve, &second, |_| true).await;
    next_of_game(&mut fay, &second, |live| live["entry"]["rules"] == "hexma@1").await;
    game::play_moves(&mut [&mut ann, &mut bob], &first, 3).await;
    let live = next_of_game(&mut eve, &first, |live| live["entry"]["ply"] == 5).await;
    let table = ann.table(&first);
    assert_eq!(live["move"], json!(table.move_at(5)));
    assert_eq!(live["hash"], json!(format!("{:016x}", table.hash())));

    ann.ask(json!({"type": "resign", "game": first})).await;
    let removes = |frame: &Frame| frame["type"] == "live" && frame["remove"] == json!([first]);
    eve.next_matching("the end", removes).await;
    let left = eve.ask(json!({"type": "live", "watch": false})).await;
    assert_eq!(ids(&left["add"]), [second.as_str()]);
    bob.ask(json!({"type": "resign", "game": second})).await;
    fay.next_matching("the end", |frame| frame["remove"] == json!([second])).await;
    eve.ask(json!({"type": "ping"})).await;
    let told = |peer: &Peer, what: &str, game: &str| {
        peer.frames().any(|frame| match frame[what].as_array() {
            Some(games) => {
                games.iter().any(|known| known == game || known["entry"]["game"] == game)
            }
            None => false,
        })
    };
    assert!(
        !told(&eve, "remove", &second),
        "a client that unwatched receives no more changes\n{}",
        eve.recent_frames()
    );
    assert!(
        !told(&fay, "add", &first),
        "a list of one kind has only that\n{}",
        fay.recent_frames()
    );
}

#[tokio::test]
async fn a_long_live_list_comes_in_parts() {
    const GAMES: usize = 60;
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut games = Vec::new();
    for _ in 0..GAMES {
        let game = game::start(&mut [&mut ann, &mut bob], json!({"rules": "diam"})).await;
        games.push(game);
    }
    let mut eve = Peer::anonymous(&server).await;
    let few = eve.ask(json!({"type": "live"})).await;
    assert_eq!((ids(&few["add"]).len(), few.get("more")), (50, None));
    let first = eve.ask(json!({"type": "live", "many": true})).await;
    assert_eq!((&first["full"], &first["more"]), (&json!(true), &json!(true)));
    let rest = eve.next_matching("the rest", |frame| frame["type"] == "live").await;
    assert_eq!((rest.get("full"), rest.get("more")), (None, None));
    let mut told = [ids(&first["add"]), ids(&rest["add"])].concat();
    assert_eq!((told.len(), told[0]), (GAMES, games[GAMES - 1].as_str()), "the latest first");
    told.sort_unstable();
    let mut all: Vec<_> = games.iter().map(String::as_str).collect();
    all.sort_unstable();
    assert_eq!(told, all);
    // The first game to start was not in the short list.
    game::play_moves(&mut [&mut ann, &mut bob], &games[0], 1).await;
    next_of_game(&mut eve, &games[0], |live| live["entry"]["ply"] == 1).await;
}

#[tokio::test]
async fn many_moves_are_batched_into_few_changes() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut eve = Peer::anonymous(&server).await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let begun = tokio::time::Instant::now();
    eve.ask(json!({"type": "live"})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 12).await;
    let last = json!(ann.table(&game).ply());
    next_of_game(&mut eve, &game, |live| live["entry"]["ply"] == last).await;
    let halves = begun.elapsed().as_millis() / 500;
    let changes = eve.frames().filter(|frame| frame["type"] == "live").count() as u128;
    // The reply, one change at once, and then one each half second.
    assert!(changes <= halves + 2, "{changes} in {halves} half seconds\n{}", eve.recent_frames());
}

#[tokio::test]
async fn clients_receive_changes_of_the_featured_game() {
    let server = Server::one_node(|_| {}).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut eve = Peer::anonymous(&server).await;
    let tv = json!({"type": "tv", "rules": "adamas"});
    let none = eve.ask(tv.clone()).await;
    assert_eq!((&none["game"], &none["rules"]), (&Value::Null, &json!("adamas@1")));
    assert!(none.as_object().unwrap().contains_key("game"), "null is sent: {none}");

    let changed = |frame: &Frame| frame["type"] == "tv" && frame.get("re").is_none();
    let house = json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "house"]});
    ann.ask(house).await;
    let started = |frame: &Frame| frame["type"] == "event" && frame["kind"] == "started";
    let house = ann.next_matching("the game", started).await["game"].clone();
    let told = eve.next_matching("the house's game", changed).await;
    assert_eq!((&told["game"], &told["entry"]["game"]), (&house, &house));

    // The featured game stays, although people play now; a new request has the same answer.
    let people = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &people, 2).await;
    let mut fay = Peer::anonymous(&server).await;
    assert_eq!(fay.ask(tv.clone()).await["game"], house);
    assert_eq!(fay.ask(json!({"type": "tv", "rules": "hexma@1"})).await["game"], Value::Null);
    fay.refused(json!({"type": "tv", "rules": "checkers"}), "not_found").await;

    ann.ask(json!({"type": "resign", "game": house})).await;
    for peer in [&mut eve, &mut fay] {
        assert_eq!(peer.next_matching("the other game", changed).await["game"], people);
    }
    fay.ask(json!({"type": "tv", "rules": "adamas", "watch": false})).await;
    ann.ask(json!({"type": "resign", "game": people})).await;
    let none = eve.next_matching("no game", changed).await;
    assert_eq!((&none["game"], none.get("entry")), (&Value::Null, None));
    assert!(!fay.has_received(changed).await, "{}", fay.recent_frames());
}

#[tokio::test]
async fn games_of_people_are_featured_before_games_of_bots() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let people = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    ann.ask(json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "house"]})).await;
    let begun = |frame: &Frame| frame["kind"] == "started" && frame["game"] != people;
    ann.next_matching("the house's game", begun).await;
    let mut eve = Peer::anonymous(&server).await;
    assert_eq!(eve.ask(json!({"type": "tv", "rules": "adamas"})).await["game"], people);
}
