//! The house players, and a program of a few lines that plays one.

use std::{
    path::{Path, PathBuf},
    process::{Output, Stdio},
};

use adamant_bot::Level;
use adamant_rules::{Kind, Table};
use rand::{SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::Command,
    time::timeout,
};

use crate::harness::{Frame, PATIENCE, Peer, Server, game, repository, target, with};

fn challenge(seats: &[&str]) -> Value {
    json!({"type": "challenge", "rules": "adamas", "seats": seats})
}

/// More moves than a guest makes in any game against the house, which goes straight for its goal.
const MOVES_MAX: usize = 200;

/// Challenges the house and waits until the game has begun.
async fn begin(ann: &mut Peer, challenge: Value) -> String {
    let id = ann.ask(challenge).await["challenge"].clone();
    let closed = ann
        .next_matching("the house's answer", |frame| {
            frame["type"] == "challenge_closed" && frame["challenge"] == id
        })
        .await;
    let game = closed["game"].as_str().unwrap().to_owned();
    ann.next_event(&game, "started").await;
    game
}

#[tokio::test]
async fn the_house_accepts_at_once_and_plays_whole_games() {
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
        // A guest of the middle level beats who makes any move, and is beaten by who looks ahead.
        match player["level"].as_str().unwrap() {
            "easy" => assert_eq!(ended["winners"], json!([0])),
            "hard" => assert_eq!(ended["winners"], json!([1])),
            _ => {}
        }
    }
}

#[tokio::test]
async fn every_level_is_back_after_a_crash() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut games = Vec::new();
    for user in ["house-easy", "house", "house-hard"] {
        games.push(begin(&mut ann, challenge(&[user, "ann"])).await);
    }
    server.kill9().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    for game in games {
        while game::to_move(ann.table(&game)) != Some(1) {
            ann.hear_up_to(&game, ann.replay(&game).seq() + 1).await;
        }
    }
    for user in ["house-easy", "house", "house-hard"] {
        begin(&mut ann, challenge(&["ann", user])).await;
    }
}

/// A guest's side of a game against the house.
async fn play_out(ann: &mut Peer, game: &str) {
    play_out_by(ann, game, game::choose).await;
}

/// The same for a guest who plays at some level.
async fn play_out_at(ann: &mut Peer, game: &str, level: Level) {
    let mut rng = StdRng::seed_from_u64(1);
    let choose =
        |table: &Table| adamant_bot::choose(table.position(), level, &mut rng).unwrap().to_string();
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
            assert!(moves <= MOVES_MAX, "the house never wins: {}", ann.story());
            let play = choose(table);
            game::make(ann, game, &play).await;
        } else {
            ann.hear_up_to(game, ann.replay(game).seq() + 1).await;
        }
    }
}

#[tokio::test]
async fn the_house_plays_on_after_a_crash() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let game = begin(&mut ann, challenge(&["house", "ann"])).await;
    server.kill9().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    // Whether or not it had moved before: it is ann's turn in the end.
    while game::to_move(ann.table(&game)) != Some(1) {
        ann.hear_up_to(&game, ann.replay(&game).seq() + 1).await;
    }
}

#[tokio::test]
async fn the_house_answers_offers_and_goes_with_three() {
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
        // The house was slower than bob: its answer begins the game.
        game = bob.next_of("challenge_closed").await["game"].clone();
    }
    let moved = bob.next_event(game.as_str().unwrap(), "moved").await;
    assert_eq!(moved["seat"], 0);
}

#[tokio::test]
async fn a_server_without_the_house_says_so() {
    let server = Server::with(|setup| setup.argument("--no-house")).await;
    let mut ann = Peer::guest(&server, "ann").await;
    assert_eq!(ann.ask(json!({"type": "catalogue"})).await["house"], json!([]));
    let reply = ann.request(challenge(&["ann", "house"])).await;
    // Where the house has never played nobody has its name.
    assert!(reply["code"] == "not_found" || reply["code"] == "forbidden", "{reply}");

    let mut server = Server::start().await;
    server.stop().await;
    server.setup().argument("--no-house");
    server.restart().await;
    let mut ann = Peer::guest(&server, "ann").await;
    for user in ["house-easy", "house", "house-hard"] {
        ann.refused(challenge(&["ann", user]), "forbidden").await;
    }
}

/// How the house answers a challenge.
async fn answer_to(peer: &mut Peer, request: Value) -> Frame {
    let id = peer.ask(request).await["challenge"].clone();
    peer.next_matching("the house's answer", |frame| {
        frame["type"] == "challenge_closed" && frame["challenge"] == id
    })
    .await
}

/// The house's reason, and that it says in words what to do.
fn declined<'a>(answer: &'a Frame, words: &str) -> &'a str {
    let message = answer["message"].as_str().unwrap_or_default();
    assert!(message.contains(words), "{answer}");
    answer["reason"].as_str().unwrap()
}

#[tokio::test]
async fn no_user_and_no_network_occupies_a_house_player() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let with_house = |name: &str| challenge(&[name, "house"]);
    let mut games = Vec::new();
    for _ in 0..4 {
        games.push(begin(&mut ann, with_house("ann")).await);
    }
    let answer = answer_to(&mut ann, with_house("ann")).await;
    assert_eq!(declined(&answer, "ann has 4 games with house"), "busy");
    assert_eq!(answer["by"], "house");
    // Not by way of a table of three either; with another house player there is room.
    let three = answer_to(&mut ann, challenge(&["ann", "house", "house-easy"])).await;
    assert_eq!(declined(&three, "ann has 4 games with house"), "busy");
    begin(&mut ann, challenge(&["ann", "house-easy"])).await;

    // Others at the address have the rest of the network's share, others elsewhere all of theirs.
    let mut bob = Peer::guest(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
    for (peer, count) in [(&mut bob, 4), (&mut cy, 2)] {
        for _ in 0..count {
            let seats = with_house(peer.name());
            begin(peer, seats).await;
        }
    }
    let answer = answer_to(&mut cy, with_house("cy")).await;
    assert_eq!(declined(&answer, "from your network"), "busy");
    let mut dee = Peer::connect_from([127, 0, 0, 9], server.address()).await;
    dee.hello_guest("dee").await;
    begin(&mut dee, with_house("dee")).await;

    // A user's games are counted after a crash, too. Who ends one may begin another.
    server.kill9().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    let answer = answer_to(&mut ann, with_house("ann")).await;
    assert_eq!(declined(&answer, "resign or abort"), "busy");
    ann.ask(json!({"type": "abort", "game": games[0]})).await;
    begin(&mut ann, with_house("ann")).await;
}

#[tokio::test]
async fn challenges_at_once_are_counted_one_by_one() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    for number in 0..14 {
        let id = json!({"id": format!("c{number}")});
        ann.send(&with(challenge(&["ann", "house-easy"]), id)).await;
    }
    let mut open = 0;
    for number in 0..14 {
        let reply = ann.next_matching("a reply", |frame| frame["re"] == format!("c{number}")).await;
        if reply["type"] == "ok" {
            open += 1;
        } else {
            assert_eq!(reply["limit"], "challenges_per_pair", "{reply}");
        }
    }
    assert!(open > 4, "too few were made to tell anything");
    let (mut begun, mut busy) = (0, 0);
    for _ in 0..open {
        let closed = ann.next_of("challenge_closed").await;
        begun += usize::from(closed["game"].is_string());
        busy += usize::from(closed["reason"] == "busy");
    }
    assert_eq!((begun, busy), (4, open - 4));
}

#[tokio::test]
async fn a_table_of_three_with_two_house_players_begins_in_one_step() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let game = begin(&mut ann, challenge(&["house-easy", "ann", "house"])).await;
    while game::to_move(ann.table(&game)) != Some(1) {
        ann.hear_up_to(&game, ann.replay(&game).seq() + 1).await;
    }
}

#[tokio::test]
async fn the_house_has_more_games_than_a_user_may_and_says_why_it_takes_no_other() {
    let mut server = Server::with(|setup| setup.set("limits", "enforced", false)).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let most = usize::try_from(ann.welcome["limits"]["live_games"].as_u64().unwrap()).unwrap();
    let mut guests = Vec::new();
    for number in 0..=most / 4 {
        let mut guest = Peer::guest(&server, &format!("guest-{number}")).await;
        for _ in 0..4 {
            let seats = [guest.name().to_owned(), "house-easy".to_owned()];
            let answer = answer_to(&mut guest, challenge(&[&seats[0], &seats[1]])).await;
            assert!(answer["game"].is_string(), "{answer}");
        }
        guests.push(guest);
    }
    let entry = ann.ask(json!({"type": "user", "name": "house-easy"})).await;
    assert!(entry["live"].as_u64().unwrap() > most as u64, "{entry}");

    // It reads all of them after a crash, at its own pace, and plays on.
    server.kill9().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    begin(&mut ann, challenge(&["ann", "house-easy"])).await;
    assert!(!server.log().iter().any(|line| line.contains("sent away")), "{:?}", server.log());

    // Ann has all the games that a user may have. The house is refused, and passes it on.
    let mut bob = Peer::guest(&server, "bob").await;
    for _ in 1..most {
        let id = bob.ask(json!({"type": "seek", "rules": "adamas"})).await["seek"].clone();
        ann.ask(json!({"type": "accept", "seek": id})).await;
    }
    let answer = answer_to(&mut ann, challenge(&["ann", "house"])).await;
    assert_eq!(declined(&answer, "ann has 200 live games"), "later");
}

#[tokio::test]
async fn a_game_that_its_guest_has_left_untouched_is_aborted() {
    let mut server = Server::with(|setup| setup.set("games", "house_waits_untouched", "1s")).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let left = begin(&mut ann, challenge(&["ann", "house"])).await;
    let kept = begin(&mut bob, challenge(&["house", "bob"])).await;
    ann.disconnect();
    bob.ask(json!({"type": "watch", "game": left})).await;
    let aborted = bob.next_event(&left, "aborted").await;
    assert_eq!(aborted["by"], 1);
    // Bob is there, and has all the time in the world.
    let list = bob.ask(json!({"type": "games", "user": "bob"})).await;
    assert_eq!(list["games"][0]["game"], kept);

    // Also of those from before a crash.
    bob.disconnect();
    server.kill9().await;
    server.restart().await;
    let mut cy = Peer::guest(&server, "cy").await;
    cy.ask(json!({"type": "watch", "game": kept})).await;
    if cy.frames().all(|frame| frame["result"].is_null()) {
        cy.next_event(&kept, "aborted").await;
    }
}

#[tokio::test]
async fn a_game_that_has_waited_too_long_is_resigned_and_not_a_day_earlier() {
    let mut server = Server::with(|setup| setup.set("games", "house_waits", "3s")).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let game = begin(&mut ann, challenge(&["ann", "house"])).await;
    let play = game::choose(ann.table(&game));
    game::make(&mut ann, &game, &play).await;
    ann.next_event(&game, "moved").await;
    server.kill9().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    let ended = ann.next_event(&game, "ended").await;
    assert_eq!((&ended["reason"], &ended["winners"]), (&json!("resigned"), &json!([0])));
}

#[tokio::test]
async fn the_house_takes_moves_back_where_nothing_counts_and_says_no_otherwise() {
    let server = Server::start().await;
    let mut ann = Peer::nobody(&server).await;
    ann.ask(json!({"type": "signup", "user": "ann", "password": "open sesame"})).await;
    let clock = json!({"clock": {"mode": "fischer", "base_ms": 600_000, "inc_ms": 5_000}});
    for rated in [false, true] {
        let terms = with(clock.clone(), json!({"rated": rated}));
        let game = begin(&mut ann, with(challenge(&["ann", "house-easy"]), terms)).await;
        let play = game::choose(ann.table(&game));
        game::make(&mut ann, &game, &play).await;
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
    // What followed upon a game's end has not confused the house.
    begin(&mut ann, challenge(&["ann", "house-easy"])).await;
    assert!(!server.log().iter().any(|line| line.contains("ERROR")), "{:?}", server.log());
}

/// Python with the module that the example needs: the one prepared for the tests, or the system's.
async fn python() -> PathBuf {
    let prepared = target().with_file_name("python").join("bin/python3");
    let candidates = [prepared.clone(), PathBuf::from("python3")];
    for python in candidates {
        let import =
            Command::new(&python).args(["-c", "import websockets.asyncio.client"]).output();
        if import.await.is_ok_and(|output| output.status.success()) {
            return python;
        }
    }
    let directory = prepared.parent().and_then(|bin| bin.parent()).expect("two levels deep");
    panic!(
        "the example needs Python with websockets: run `python3 -m venv {0} && {0}/bin/pip install websockets`",
        directory.display()
    );
}

/// The example, which keeps what it must remember in a file.
async fn example(server: &Server, kept: &Path) -> Command {
    let mut example = Command::new(python().await);
    example.arg(repository().join("docs/examples/house_game.py"));
    example.arg(format!("ws://{}/v1/ws", server.address())).arg(kept);
    example.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    example
}

#[tokio::test]
async fn the_example_program_plays_a_whole_game() {
    let server = Server::start().await;
    let directory = tempfile::tempdir().unwrap();
    let example = example(&server, &directory.path().join("kept.json")).await.output();
    let Output { status, stdout, stderr } =
        timeout(PATIENCE, example).await.expect("a game in time").expect("python runs");
    let (said, complaints) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{said}\n{complaints}");
    assert!(said.lines().last().is_some_and(|line| line.contains("winners:")), "{said}");
    let mut nobody = Peer::nobody(&server).await;
    let list = nobody.ask(json!({"type": "games", "state": "finished", "user": "house"})).await;
    assert_eq!(list["games"][0]["ply"], said.lines().count() - 1, "{said}");
}

#[tokio::test]
async fn the_example_program_goes_on_with_its_game_after_it_and_the_server_were_killed() {
    let mut server = Server::start().await;
    let directory = tempfile::tempdir().unwrap();
    let kept = directory.path().join("kept.json");
    let mut first = example(&server, &kept).await.spawn().unwrap();
    let mut lines = BufReader::new(first.stdout.take().unwrap()).lines();
    for _ in 0..3 {
        let line = timeout(PATIENCE, lines.next_line()).await.expect("a move in time").unwrap();
        assert!(line.is_some(), "three moves are made");
    }
    server.kill9().await;
    first.kill().await.unwrap();
    server.restart().await;
    let again = example(&server, &kept).await.output();
    let Output { status, stdout, stderr } =
        timeout(PATIENCE, again).await.expect("a game in time").expect("python runs");
    let (said, complaints) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{said}\n{complaints}");
    let mut nobody = Peer::nobody(&server).await;
    let list = nobody.ask(json!({"type": "games", "state": "finished"})).await;
    let games = list["games"].as_array().unwrap();
    assert_eq!(games.len(), 1, "one game, and the same: {list}");
    // It asked for the whole record again, because what it had was gone with it.
    assert_eq!(games[0]["ply"], said.lines().count() - 1, "{said}");
}
