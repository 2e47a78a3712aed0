//! The server bots.

use adamant_engine::choice::Level;
use adamant_rules::{Kind, Table};
use rand::{SeedableRng, rngs::StdRng};
use serde_json::{Value, json};

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
async fn server_bots_play_each_other_for_a_user_who_watches() {
    let (_server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let ask = |seats: Value| json!({"type": "challenge", "rules": "diam", "seats": seats});
    let own = json!(["house", "house-4b"]);
    for wrong in [
        json!({"clock": {"mode": "per_move", "move_ms": 60_000}}),
        json!({"seats": ["house", "bob"]}),
    ] {
        ann.refused(with(ask(own.clone()), wrong), "bad_message").await;
    }
    let game = ann.ask(ask(own.clone())).await["game"].as_str().expect("a game").to_owned();
    bob.ask(json!({"type": "watch", "game": game})).await;
    for seat in [0, 1] {
        bob.next_matching("a move", |frame| {
            frame["kind"] == "moved" && frame["game"] == game.as_str() && frame["seat"] == seat
        })
        .await;
    }
    let listed = bob.ask(json!({"type": "games", "state": "live"})).await;
    assert_eq!(listed["games"], json!([]));
    ann.ask(ask(json!(["house-easy", "house-2"]))).await;
    let refusal = ann.refused(ask(own), "rate_limited").await;
    assert_eq!(refusal["limit"], "exhibitions");
}

#[tokio::test]
async fn a_server_bot_accepts_and_plays_whole_games() {
    let (_server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
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
    let (_server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let catalogue = ann.ask(json!({"type": "catalogue"})).await;
    let house = catalogue["house"].as_array().unwrap();
    let levels: Vec<_> = house.iter().map(|player| player["level"].as_str().unwrap()).collect();
    let all = ["easy", "level2", "level3", "medium", "level5", "level6", "level7", "hard"];
    assert_eq!(levels, all);
    let numbers: Vec<_> = house.iter().map(|player| player["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
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
    let (mut server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let mut games = Vec::new();
    for user in ["house-easy", "house", "house-hard"] {
        games.push(begin(&mut ann, challenge(&[user, "ann"])).await);
    }
    server.crash().await;
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
    let (mut server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let game = begin(&mut ann, challenge(&["house", "ann"])).await;
    server.crash().await;
    let mut ann = ann.reconnect(&server).await;
    // In the end it is ann's turn, whether or not the bot had moved before the crash.
    while game::to_move(ann.table(&game)) != Some(1) {
        ann.read_up_to(&game, ann.replay(&game).seq() + 1).await;
    }
}

#[tokio::test]
async fn a_server_bot_declines_draws_and_joins_games_of_three() {
    let (server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
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
async fn a_challenge_of_three_with_two_server_bots_of_a_level_begins_at_once() {
    let (_server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let catalogue = ann.ask(json!({"type": "catalogue"})).await;
    let twins = ["user", "twin"].map(|name| catalogue["house"][3][name].as_str().unwrap());
    let game = begin(&mut ann, challenge(&[twins[0], "ann", twins[1]])).await;
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

#[tokio::test]
async fn a_server_bot_aborts_a_game_that_its_guest_left_untouched() {
    let mut server = Server::with(|setup| setup.set("games", "house_waits_untouched", "1s")).await;
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
    let left = begin(&mut ann, challenge(&["ann", "house"])).await;
    let kept = begin(&mut bob, challenge(&["house", "bob"])).await;
    ann.disconnect();
    bob.ask(json!({"type": "watch", "game": left})).await;
    let aborted = bob.next_event(&left, "aborted").await;
    assert_eq!(aborted["by"], 1);
    // Bob is connected, so his game stays.
    let list = bob.ask(json!({"type": "games", "user": "bob"})).await;
    assert_eq!(list["games"][0]["game"], kept);

    // Games from before a crash are aborted, too.
    bob.disconnect();
    server.crash().await;
    let mut cy = Peer::guest(&server, "cy").await;
    cy.ask(json!({"type": "watch", "game": kept})).await;
    if cy.frames().all(|frame| frame["result"].is_null()) {
        cy.next_event(&kept, "aborted").await;
    }
}

#[tokio::test]
async fn a_server_bot_resigns_a_game_only_after_its_wait() {
    let mut server = Server::with(|setup| setup.set("games", "house_waits", "1s")).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let game = begin(&mut ann, challenge(&["ann", "house"])).await;
    let play = game::choose_move(ann.table(&game));
    game::make_move(&mut ann, &game, &play).await;
    ann.next_event(&game, "moved").await;
    server.crash().await;
    let mut ann = ann.reconnect(&server).await;
    let ended = ann.next_event(&game, "ended").await;
    assert_eq!((&ended["reason"], &ended["winners"]), (&json!("resigned"), &json!([0])));
}

/// A challenge to a game of Adamas.
fn challenge(seats: &[&str]) -> Value {
    json!({"type": "challenge", "rules": "adamas", "seats": seats})
}

/// Sends a challenge to a server bot and returns the bot's answer.
async fn answer_to(peer: &mut Peer, request: Value) -> Frame {
    let id = peer.ask(request).await["challenge"].clone();
    peer.next_matching("the house's answer", |frame| {
        frame["type"] == "challenge_closed" && frame["challenge"] == id
    })
    .await
}

/// Returns the reason of a refusal, whose message must contain `words`.
fn declined<'a>(answer: &'a Frame, words: &str) -> &'a str {
    let message = answer["message"].as_str().unwrap_or_default();
    assert!(message.contains(words), "{answer}");
    answer["reason"].as_str().unwrap()
}

/// Challenges a server bot and waits until the game has begun.
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
async fn games_with_a_server_bot_are_limited_by_user_and_network() {
    let (mut server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let with_house = |name: &str| challenge(&[name, "house"]);
    let mut games = Vec::new();
    for _ in 0..4 {
        games.push(begin(&mut ann, with_house("ann")).await);
    }
    let answer = answer_to(&mut ann, with_house("ann")).await;
    assert_eq!(declined(&answer, "ann has 4 games with house"), "busy");
    assert_eq!(
        (&answer["by"], &answer["limit"]),
        (&json!("house"), &json!("house_games_per_user"))
    );
    // A challenge of three does not evade the limit; another server bot has room.
    let three = answer_to(&mut ann, challenge(&["ann", "house", "house-easy"])).await;
    assert_eq!(declined(&three, "ann has 4 games with house"), "busy");
    begin(&mut ann, challenge(&["ann", "house-easy"])).await;

    // A class of pupils shares the network's limit; a user elsewhere has their own.
    let mut class = Vec::new();
    for number in 1..10 {
        let mut pupil = Peer::guest(&server, &format!("pupil-{number}")).await;
        for _ in 0..4 {
            let seats = with_house(pupil.name());
            begin(&mut pupil, seats).await;
        }
        class.push(pupil);
    }
    let mut late = Peer::guest(&server, "late").await;
    let answer = answer_to(&mut late, with_house("late")).await;
    assert_eq!(declined(&answer, "from your network"), "busy");
    assert_eq!(answer["limit"], "house_games_per_network");
    // Whoever is away takes no place.
    drop(class.pop());
    late.wait_for_online("pupil-9", false).await;
    begin(&mut late, with_house("late")).await;
    let mut dee = Peer::connect_from([127, 0, 0, 9], server.address()).await;
    dee.hello_guest("dee").await;
    begin(&mut dee, with_house("dee")).await;

    // Games are counted after a crash, too. Ending one makes room for another.
    server.crash().await;
    let mut ann = ann.reconnect(&server).await;
    let answer = answer_to(&mut ann, with_house("ann")).await;
    assert_eq!(declined(&answer, "resign or abort"), "busy");
    ann.ask(json!({"type": "abort", "game": games[0]})).await;
    begin(&mut ann, with_house("ann")).await;
}

#[tokio::test]
async fn simultaneous_challenges_do_not_exceed_the_limit() {
    let (_server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let (mut begun, mut busy, mut answered) = (0, 0, 0);
    // At once more than the bot accepts, as long as none was too much for it.
    for round in 0.. {
        let ids: Vec<String> = (0..14).map(|number| format!("c{round}-{number}")).collect();
        for id in &ids {
            ann.send(&with(challenge(&["ann", "house-easy"]), json!({"id": id}))).await;
        }
        let mut open = 0;
        for id in &ids {
            let reply = ann.next_matching("a reply", |frame| frame["re"] == id.as_str()).await;
            if reply["type"] == "ok" {
                open += 1;
            } else {
                assert_eq!(reply["limit"], "challenges_per_pair", "{reply}");
            }
        }
        for _ in 0..open {
            let closed = ann.next_of("challenge_closed").await;
            begun += usize::from(closed["game"].is_string());
            busy += usize::from(closed["reason"] == "busy");
        }
        answered += open;
        assert_eq!(begun + busy, answered);
        assert!(begun <= 4, "{begun} games");
        if busy > 0 {
            break;
        }
    }
    assert_eq!(begun, 4);
}

#[tokio::test]
async fn a_server_bot_exceeds_the_live_games_of_a_user_and_gives_reasons() {
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

    // After a crash the bot loads all of its games and plays on.
    server.crash().await;
    let mut ann = ann.reconnect(&server).await;
    begin(&mut ann, challenge(&["ann", "house-easy"])).await;
    assert!(
        !server.log().iter().any(|line| line.contains("server bot disconnected")),
        "{:?}",
        server.log()
    );

    // Ann has as many live games as a user may have. The bot's acceptance fails, and the bot passes
    // the error on.
    let mut bob = Peer::guest(&server, "bob").await;
    for _ in 1..most {
        let id = bob.ask(json!({"type": "seek", "rules": "adamas"})).await["seek"].clone();
        ann.ask(json!({"type": "accept", "seek": id})).await;
    }
    let answer = answer_to(&mut ann, challenge(&["ann", "house"])).await;
    assert_eq!(declined(&answer, "ann has 200 live games"), "later");
}
