//! Spectators: watching games, delayed games and live lists.

mod delay; // games that spectators see some moves behind

use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, game};

/// Returns the events of a game in the order in which a peer received them.
fn events<'a>(peer: &'a Peer, game: &'a str) -> impl Iterator<Item = &'a Frame> {
    peer.frames().filter(move |frame| frame["type"] == "event" && frame["game"] == game)
}

/// Checks that each event follows the one before it, in number and in time.
fn assert_in_order(peer: &Peer, game: &str, first: u64) {
    let (mut seq, mut at) = (first, 0);
    for event in events(peer, game) {
        assert_eq!(event["seq"], seq, "{}", peer.recent_frames());
        assert!(event["at"].as_u64().unwrap() >= at, "time went back: {event}");
        at = event["at"].as_u64().unwrap();
        seq += 1;
    }
}

/// Checks that a mover receives the reply before the event.
fn assert_replies_come_first(peer: &Peer, game: &str) -> usize {
    let mut moves = 0;
    for ok in peer.frames().filter(|frame| frame["type"] == "ok" && frame["seq"].is_u64()) {
        let place = |wanted: &Frame| peer.frames().position(|frame| frame == wanted).unwrap();
        let event = events(peer, game).find(|event| event["seq"] == ok["seq"]).unwrap();
        assert!(place(ok) < place(event), "{}", peer.recent_frames());
        assert_eq!(event["req"], ok["re"]);
        assert_eq!(event["turn"], ok["turn"]);
        moves += 1;
    }
    moves
}

fn assert_ends_like(peer: &Peer, game: &str, last: &Frame) {
    let heard = events(peer, game).last().unwrap();
    for fact in ["seq", "hash", "chain"] {
        assert_eq!(heard[fact], last[fact], "{}", peer.recent_frames());
    }
}

#[tokio::test]
async fn players_and_spectators_receive_the_same_game() {
    let (server, mut ann, mut bob, game) = game::server_with_two().await;

    game::play_moves(&mut [&mut ann, &mut bob], &game, 4).await;
    let mut by_snapshot = Peer::anonymous(&server).await;
    let snapshot = by_snapshot.ask(json!({"type": "watch", "game": game})).await;
    assert_eq!(snapshot["type"], "snapshot");
    assert_eq!(snapshot["seq"], ann.replay(&game).seq());
    assert_eq!(snapshot["chain"], ann.replay(&game).chain().to_string());
    let moves: Vec<&str> = ann.table(&game).moves().collect();
    assert_eq!(snapshot["moves"], json!(moves));
    let online: Vec<&Value> = snapshot["presence"].as_array().unwrap().iter().collect();
    assert!(online.iter().all(|seat| seat["online"] == true), "{snapshot}");

    let mut from_start = Peer::guest(&server, "cy").await;
    let ok = from_start.ask(json!({"type": "watch", "game": game, "from": 1})).await;
    assert_eq!(ok["seq"], snapshot["seq"]);

    game::play_to_end(&mut [&mut ann, &mut bob], &game).await;
    let last = events(&ann, &game).last().unwrap().clone();
    assert_eq!(last["kind"], "ended");
    let end = last["seq"].as_u64().unwrap();

    let mut late = Peer::guest(&server, "dan").await;
    late.ask(json!({"type": "watch", "game": game, "from": 1})).await;
    let mut last_state = Peer::anonymous(&server).await;
    let state = last_state.ask(json!({"type": "watch", "game": game})).await;
    for fact in ["seq", "hash", "chain"] {
        assert_eq!(state[fact], last[fact]);
    }
    assert_eq!(state["result"]["reason"], last["reason"]);
    assert_eq!(state["result"]["winners"], last["winners"]);

    by_snapshot.next_event(&game, "ended").await;
    for peer in [&mut from_start, &mut late] {
        peer.read_up_to(&game, end).await;
        assert_eq!(peer.records(&game), ann.records(&game));
    }
    assert_eq!(bob.records(&game), ann.records(&game));
    for peer in [&ann, &bob, &from_start, &late] {
        assert_in_order(peer, &game, 1);
        assert_ends_like(peer, &game, &last);
    }
    assert_in_order(&by_snapshot, &game, snapshot["seq"].as_u64().unwrap() + 1);
    assert_ends_like(&by_snapshot, &game, &last);
    let moves = assert_replies_come_first(&ann, &game) + assert_replies_come_first(&bob, &game);
    assert_eq!(moves, ann.table(&game).moves().count());

    // The peers have replayed all events: their computed position equals the server's.
    assert_eq!(json!(format!("{:016x}", late.table(&game).hash())), last["hash"]);
    assert!(late.table(&game).outcome().is_some());
}

#[tokio::test]
async fn unwatch_stops_events() {
    let (_server, [mut ann, mut bob, mut cy]) = Peer::start_with_guests(["ann", "bob", "cy"]).await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let watch = json!({"type": "watch", "game": game});
    cy.ask(watch.clone()).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    cy.next_event(&game, "moved").await;
    let seen = ann.ask(watch.clone()).await;
    assert_eq!(seen["spectators"], 1);

    cy.ask(json!({"type": "unwatch", "game": game})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 1).await;
    assert!(!cy.has_received(|frame| frame["type"] == "event").await, "{}", cy.recent_frames());
    assert_eq!(ann.ask(watch).await["spectators"], 0);
    cy.refused(json!({"type": "watch", "game": "nosuchgame"}), "not_found").await;
    cy.refused(json!({"type": "unwatch", "game": "nosuchgame"}), "not_found").await;
}

#[tokio::test]
async fn spectators_are_named_only_by_choice() {
    let server = Server::one_node(|_| {}).await;
    let (mut ann, _bob, game) = game::start_two(&server).await;
    let watch = json!({"type": "watch", "game": game});
    let named = json!({"type": "watch", "game": game, "named": true});
    let mut shy = Peer::guest(&server, "shy").await;
    shy.ask(watch.clone()).await;
    let mut cy = Peer::guest(&server, "cy").await;
    cy.ask(named.clone()).await;
    let mut also_cy = Peer::with_token(&server, &cy.token.clone().unwrap()).await;
    also_cy.ask(named.clone()).await;
    let mut anonymous = Peer::anonymous(&server).await;
    anonymous.ask(named).await;
    let mut dan = Peer::connect(server.address()).await;
    let hello = json!({"auth": {"guest": "dan"}, "caps": ["named"]});
    dan.hello(hello).await;
    dan.ask(watch.clone()).await;

    let seen = ann.ask(watch.clone()).await;
    assert_eq!((&seen["spectators"], &seen["spectator_names"]), (&json!(4), &json!(["cy", "dan"])));
    dan.ask(json!({"type": "watch", "game": game, "named": false})).await;
    let seen = ann.ask(watch).await;
    assert_eq!((&seen["spectators"], &seen["spectator_names"]), (&json!(4), &json!(["cy"])));
}

#[tokio::test]
async fn the_watched_games_of_a_session_are_limited() {
    let server = Server::start().await;
    let mut games = Vec::new();
    for pair in [["ann", "bob"], ["cy", "dan"]] {
        let mut one = Peer::guest(&server, pair[0]).await;
        let mut other = Peer::guest(&server, pair[1]).await;
        for _ in 0..129 {
            games.push(game::start(&mut [&mut one, &mut other], json!({})).await);
        }
    }
    let mut eve = Peer::anonymous(&server).await;
    let max = usize::try_from(eve.welcome["limits"]["watched_games"].as_u64().unwrap()).unwrap();
    for game in &games[..max] {
        eve.ask(json!({"type": "watch", "game": game})).await;
    }
    let refused = eve.refused(json!({"type": "watch", "game": games[max]}), "rate_limited").await;
    assert_eq!(refused["limit"], "watched_games");
    // A watched game can be watched again, and an unwatched one makes room.
    eve.ask(json!({"type": "watch", "game": games[0]})).await;
    eve.ask(json!({"type": "unwatch", "game": games[1]})).await;
    eve.ask(json!({"type": "watch", "game": games[max]})).await;
}

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
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let mut eve = Peer::anonymous(&server).await;
    let mut fay = Peer::anonymous(&server).await;
    let first = game::start_and_play(&mut [&mut ann, &mut bob], 2).await;

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
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
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
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
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
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
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
    let people = game::start_and_play(&mut [&mut ann, &mut bob], 2).await;
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
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let people = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    ann.ask(json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "house"]})).await;
    let begun = |frame: &Frame| frame["kind"] == "started" && frame["game"] != people;
    ann.next_matching("the house's game", begun).await;
    let mut eve = Peer::anonymous(&server).await;
    assert_eq!(eve.ask(json!({"type": "tv", "rules": "adamas"})).await["game"], people);
}
