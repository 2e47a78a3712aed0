//! Engines that `adamant bot` connects to a server.

use std::process::Output;

use serde_json::{Value, json};
use tokio::{process::Child, time::timeout};

use crate::harness::{Home, PATIENCE, Peer, Server, binary, game, repository};

/// An engine that ends in the middle of every fifth thought or so, and sometimes at once.
const DYING: &str = r#"
import os, random, sys
for line in sys.stdin:
    command, *words = line.split() or [""]
    if command == "adamant-engine":
        print("id name dying\nready", flush=True)
    elif command == "go" and random.random() > 0.2:
        print("legal max 50", flush=True)
    elif command == "go":
        os.abort()
    elif command == "legal":
        print("bestmove", random.choice(words[1:]), flush=True)
"#;

/// The small game that these tests play.
const DIAM: [&str; 3] = ["diam", "-board=8x4", "-pieces=2x4"];

fn example_engine() -> String {
    format!("python3 '{}'", repository().join("docs/examples/engine.py").display())
}

fn our_engine(level: &str) -> String {
    format!("'{}' engine --level {level}", binary("adamant").display())
}

/// Starts a bot that comes as a guest.
fn bot(home: &Home, server: &Server, name: &str, engine: &str, words: &[&str]) -> Child {
    let first = ["bot", "--guest", name, "--engine", engine];
    let words = first.into_iter().chain(words.iter().copied());
    home.command(server, words).spawn().expect("the program can be run")
}

async fn end(bot: Child) -> Output {
    timeout(PATIENCE, bot.wait_with_output()).await.expect("a game in time").expect("it ran")
}

/// Waits until the directory says that a bot would begin a number of games, and returns its entry.
async fn wait_for_free(peer: &mut Peer, user: &str, free: u32) -> Value {
    let listed = async {
        loop {
            // The server may refuse for the rate.
            let list = peer.request(json!({"type": "directory"})).await;
            let mut bots = list["bots"].as_array().into_iter().flatten();
            if let Some(found) = bots.find(|bot| bot["user"] == user && bot["free"] == free) {
                return found.clone();
            }
        }
    };
    timeout(PATIENCE, listed).await.unwrap_or_else(|_| panic!("{user} has {free} free places"))
}

/// Waits until a user exists, so that others can challenge it.
async fn wait_for_user(peer: &mut Peer, name: &str) {
    let is_online = async {
        loop {
            let reply = peer.request(json!({"type": "user", "name": name})).await;
            if reply["type"] == "user" && reply["online"] == true {
                return;
            }
        }
    };
    timeout(PATIENCE, is_online).await.expect("the bot connects");
}

/// The only finished game, as lists have it.
async fn finished(server: &Server) -> Value {
    let mut anonymous = Peer::anonymous(server).await;
    let list = anonymous.ask(json!({"type": "games", "state": "finished"})).await;
    assert_eq!(list["games"].as_array().map(Vec::len), Some(1), "{list}");
    list["games"][0].clone()
}

#[tokio::test]
async fn the_example_engine_and_ours_play_a_whole_game() {
    let server = Server::start().await;
    let homes = [Home::new(), Home::new()];
    let seek = ["--seek", DIAM[0], DIAM[1], DIAM[2], "--clock", "5m+5s", "--games", "1"];
    let python = bot(&homes[0], &server, "python", &example_engine(), &seek);
    let greedy = bot(&homes[1], &server, "greedy", &our_engine("greedy"), &seek);
    for output in [end(python).await, end(greedy).await] {
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("The engine is ") && !said.contains("ignored"), "{said}");
    }
    let entry = finished(&server).await;
    let reason = entry["result"]["reason"].as_str().unwrap_or_default().to_owned();
    assert!(["aligned", "stuck", "repetition"].contains(&reason.as_str()), "{entry}");
    let seats = entry["seats"].as_array().expect("a list").iter();
    assert!(seats.clone().all(|seat| seat["bot"] == true), "programs say so: {entry}");
}

/// The number of processes whose parent is this one.
fn children(parent: u32) -> usize {
    let is_child = |entry: std::fs::DirEntry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        let parent_of = stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse::<u32>().ok()?;
        (parent_of == parent).then_some(())
    };
    std::fs::read_dir("/proc").unwrap().flatten().filter_map(is_child).count()
}

#[tokio::test]
async fn a_bot_runs_no_more_engines_than_games_at_once() {
    let (server, [mut ann, mut robot]) = Peer::start_with_guests(["ann", "robot"]).await;
    // The games were begun in another session.
    for _ in 0..3 {
        let terms = json!({"type": "challenge", "rules": "adamas", "seats": ["robot", "ann"]});
        let challenge = ann.ask(terms).await["challenge"].clone();
        robot.ask(json!({"type": "accept", "challenge": challenge})).await;
    }
    let token = robot.token.clone().expect("a guest has a token");
    robot.disconnect();
    let home = Home::new();
    let engine = example_engine();
    let words =
        ["--token", &token, "bot", "--accept-any", "--games-at-once", "1", "--engine", &engine];
    let bot = home.command(&server, words).spawn().expect("the program can be run");
    let id = bot.id().expect("it runs");
    for _ in 0..3 {
        let is_move = |frame: &Value| frame["type"] == "event" && frame["kind"] == "moved";
        let game = ann.next_matching("a move", is_move).await["game"].clone();
        assert_eq!(children(id), 1, "an engine for one game");
        ann.ask(json!({"type": "resign", "game": game})).await;
    }
    drop(bot);
}

#[tokio::test]
async fn no_game_is_lost_while_bots_engines_and_the_server_are_killed() {
    let (mut server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let home = Home::new();
    let engine = format!("python3 '{}'", home.write("dying.py", DYING));
    let run = |server: &Server| {
        bot(&home, server, "robot", &engine, &["--accept-any", "--restarts", "20"])
    };
    let mut robot = run(&server);
    wait_for_user(&mut ann, "robot").await;
    let terms = json!({
        "type": "challenge", "rules": "diam", "seats": ["ann", "robot"],
        "clock": {"mode": "per_move", "move_ms": 15_000}
    });
    ann.ask(terms).await;
    let game = ann.next_of("challenge_closed").await["game"].as_str().expect("a game").to_owned();
    ann.next_event(&game, "started").await;
    for number in 0..14 {
        while game::to_move(ann.table(&game)) == Some(1) {
            let seq = ann.replay(&game).seq();
            ann.read_up_to(&game, seq + 1).await;
            game::settle(&mut ann, &game).await;
        }
        if ann.table(&game).outcome().is_some() {
            break;
        }
        let notation = game::choose_move(ann.table(&game));
        game::make_move(&mut ann, &game, &notation).await;
        // The bot thinks now.
        if number % 3 == 0 {
            robot.kill().await.expect("it runs");
            robot = run(&server);
        }
        if number % 5 == 4 {
            let old = server.address().to_string();
            server.kill().await;
            robot.kill().await.expect("it runs");
            server.restart().await;
            home.follow(&old, &server.address().to_string());
            ann = ann.reconnect(&server).await;
            robot = run(&server);
        }
    }
    let table = ann.table(&game);
    assert!(table.ply() > 5, "moves were made: {}", table.ply());
    let lost = ann.has_received(|frame| {
        frame["kind"] == "ended"
            && ["timed_out", "resigned"].contains(&frame["reason"].as_str().unwrap_or_default())
    });
    assert!(!lost.await, "{}", ann.recent_frames());
}

#[tokio::test]
async fn a_bot_keeps_places_for_people() {
    let (server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let mut program = Peer::connect(server.address()).await;
    program.hello(json!({"auth": {"guest": "program", "bot": true}})).await;
    let home = Home::new();
    let config = home.write(
        "bot.toml",
        "accept-any = true\ngames-at-once = 2\npeople-places = 1\nonly-games = [\"diam\", \"hexma/2\"]\n\
         only-clocks = [\"none\"]\n",
    );
    let robot = bot(&home, &server, "robot", &our_engine("random"), &["--config", &config]);
    let entry = wait_for_free(&mut ann, "robot", 2).await;
    assert_eq!(
        entry["accepts"]["games"],
        json!([{"rules": "hexma", "players": 2}, {"rules": "diam"}])
    );
    assert_eq!(entry["accepts"]["clocks"], json!(["none"]));

    let declined = |closed: &Value| (closed["reason"].clone(), closed["decline"].clone());
    let challenge = |by: &str, rules: &str| json!({"type": "challenge", "rules": rules, "seats": [by, "robot"]});
    program.ask(challenge("program", "diam")).await;
    let begun = program.next_of("challenge_closed").await;
    assert!(begun["game"].is_string(), "the first game of a bot: {begun}");
    program.ask(challenge("program", "diam")).await;
    let full = program.next_of("challenge_closed").await;
    assert!(full.get("game").is_none(), "the second place is for people: {full}");
    ann.ask(challenge("ann", "adamas")).await;
    let other = ann.next_of("challenge_closed").await;
    assert!(other.get("game").is_none(), "the bot does not play adamas: {other}");
    ann.ask(challenge("ann", "hexma")).await;
    let begun = ann.next_of("challenge_closed").await;
    assert!(begun["game"].is_string(), "{begun}, {:?}", declined(&other));
    ann.ask(challenge("ann", "diam")).await;
    let full = ann.next_of("challenge_closed").await;
    assert!(full.get("game").is_none(), "two games at once: {full}");
    wait_for_free(&mut ann, "robot", 0).await;
    drop(robot);
}

#[tokio::test]
async fn an_engine_that_hangs_does_not_lose_on_time() {
    let (server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let home = Home::new();
    let hanging = "import sys, time\nprint('ready', flush=True)\n\
                   for line in sys.stdin:\n    if line.startswith('go'): time.sleep(3600)\n";
    let engine = format!("python3 '{}'", home.write("hanging.py", hanging));
    let words = ["--accept-any", "--restarts", "2", "--move-overhead", "2s"];
    let robot = bot(&home, &server, "robot", &engine, &words);
    wait_for_user(&mut ann, "robot").await;
    let clock = json!({"mode": "per_move", "move_ms": 3_000});
    let seats = ["robot", "ann"];
    ann.ask(json!({"type": "challenge", "rules": "diam", "seats": seats, "clock": clock})).await;
    let game = ann.next_of("challenge_closed").await["game"].as_str().expect("a game").to_owned();
    let moved = ann.next_event(&game, "moved").await;
    assert_eq!(moved["seat"], 0, "any legal move in time");
    drop(robot);
}

#[tokio::test]
async fn a_wrong_command_is_an_error_before_a_game_begins() {
    let server = Server::start().await;
    let home = Home::new();
    for (engine, why) in [
        ("/no/such/engine", "the engine cannot be started"),
        ("python3 -c 'print(\"error no licence\")'", "the engine says: no licence"),
        ("python3 -c 'pass'", "the engine ended"),
        ("'", "a quote is not closed"),
    ] {
        let output = end(bot(&home, &server, "robot", engine, &["--accept-any"])).await;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(why), "{engine}: {said}");
    }
}

#[tokio::test]
async fn an_engine_answers_offers_and_goes_on_after_a_takeback() {
    let (server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let home = Home::new();
    let agreeing = "import sys\nprint('can draw\\nready', flush=True)\n\
                    for line in sys.stdin:\n    word = line.split()[0]\n    \
                    if word == 'go': print('legal max 9', flush=True)\n    \
                    if word == 'legal': print('bestmove', line.split()[2], flush=True)\n    \
                    if word == 'offer': print('accept', flush=True)\n";
    let engine = format!("python3 '{}'", home.write("agreeing.py", agreeing));
    let robot = bot(&home, &server, "robot", &engine, &["--accept-any", "--takebacks"]);
    wait_for_user(&mut ann, "robot").await;
    ann.ask(json!({"type": "challenge", "rules": "diam", "seats": ["ann", "robot"]})).await;
    let game = ann.next_of("challenge_closed").await["game"].as_str().expect("a game").to_owned();
    ann.next_event(&game, "started").await;
    let offer = |what: &str| json!({"type": "offer", "game": game, "what": what});
    for takes_back in [true, false] {
        let notation = game::choose_move(ann.table(&game));
        game::make_move(&mut ann, &game, &notation).await;
        let seq = ann.replay(&game).seq();
        ann.read_up_to(&game, seq + 1).await;
        assert_eq!(ann.table(&game).ply(), 2, "the engine goes on");
        if takes_back {
            ann.ask(offer("takeback")).await;
            assert_eq!(ann.next_event(&game, "taken_back").await["ply"], 0);
        }
    }
    ann.ask(offer("draw")).await;
    assert_eq!(ann.next_event(&game, "ended").await["reason"], "agreement");
    drop(robot);
}

#[tokio::test]
async fn a_bot_declines_opponents_outside_its_range_of_ratings() {
    let (server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let homes = [Home::new(), Home::new()];
    let engine = our_engine("random");
    let words = |range| ["--accept-any", "--rating", range];
    let _proud = bot(&homes[0], &server, "proud", &engine, &words("1600-"));
    let _humble = bot(&homes[1], &server, "humble", &engine, &words("-1600"));
    for (name, accepts) in [("proud", false), ("humble", true)] {
        wait_for_user(&mut ann, name).await;
        ann.ask(json!({"type": "challenge", "rules": "diam", "seats": ["ann", name]})).await;
        let closed = ann.next_of("challenge_closed").await;
        assert_eq!(closed["game"].is_string(), accepts, "{name}: {closed}");
    }
}

#[tokio::test]
async fn a_bot_challenges_its_opponents_one_after_the_other() {
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let home = Home::new();
    let words = ["--seek", "diam", "--challenge", "ann,bob", "--games-at-once", "2"];
    let robot = bot(&home, &server, "robot", &our_engine("random"), &words);
    for peer in [&mut ann, &mut bob] {
        let challenged = peer.next_of("challenged").await;
        assert_eq!((&challenged["by"], &challenged["rules"]), (&json!("robot"), &json!("diam@1")));
        let accept = json!({"type": "accept", "challenge": challenged["challenge"]});
        let game = peer.ask(accept).await["game"].as_str().expect("a game").to_owned();
        peer.next_event(&game, "started").await;
    }
    drop(robot);
}
