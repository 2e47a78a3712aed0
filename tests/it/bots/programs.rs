//! Programs against the server: the examples of the documents, as their readers run them.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    process::{Child, Command},
    time::{Instant, sleep, timeout},
};

use crate::harness::{self, Home, PATIENCE, Peer, Server, Setup, binary, python, repository};

/// The command of the example bot, which stores its state in `kept`.
async fn example_bot(server: &Server, kept: &Path) -> Command {
    let mut example = Command::new(python().await);
    example.arg(repository().join("docs/examples/house_game.py"));
    example.arg(format!("ws://{}/v1/ws", server.address())).arg(kept);
    example.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    example
}

#[tokio::test]
async fn the_example_bot_plays_a_whole_game() {
    let server = Server::start().await;
    let directory = tempfile::tempdir().unwrap();
    let example = example_bot(&server, &directory.path().join("kept.json")).await.output();
    let Output { status, stdout, stderr } =
        timeout(PATIENCE, example).await.expect("a game in time").expect("python runs");
    let (said, complaints) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{said}\n{complaints}");
    assert!(said.lines().last().is_some_and(|line| line.contains("winners:")), "{said}");
    let mut anonymous = Peer::anonymous(&server).await;
    let list = anonymous.ask(json!({"type": "games", "state": "finished", "user": "house"})).await;
    assert_eq!(list["games"][0]["ply"], said.lines().count() - 1, "{said}");
}

#[tokio::test]
async fn the_example_bot_continues_its_game_after_bot_and_server_were_killed() {
    let mut server = Server::start().await;
    let directory = tempfile::tempdir().unwrap();
    let kept = directory.path().join("kept.json");
    let mut first = example_bot(&server, &kept).await.spawn().unwrap();
    let mut lines = BufReader::new(first.stdout.take().unwrap()).lines();
    for _ in 0..3 {
        let line = timeout(PATIENCE, lines.next_line()).await.expect("a move in time").unwrap();
        assert!(line.is_some(), "three moves are made");
    }
    server.kill().await;
    first.kill().await.unwrap();
    server.restart().await;
    let again = example_bot(&server, &kept).await.output();
    let Output { status, stdout, stderr } =
        timeout(PATIENCE, again).await.expect("a game in time").expect("python runs");
    let (said, complaints) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{said}\n{complaints}");
    let mut anonymous = Peer::anonymous(&server).await;
    let list = anonymous.ask(json!({"type": "games", "state": "finished"})).await;
    let games = list["games"].as_array().unwrap();
    assert_eq!(games.len(), 1, "one game, and the same: {list}");
    // It requested the whole record again, because it kept its records only in memory.
    assert_eq!(games[0]["ply"], said.lines().count() - 1, "{said}");
}

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

/// Returns the blocks of a language in the document.
fn blocks(language: &str) -> Vec<String> {
    let text = fs::read_to_string(repository().join("docs/ENGINES.md")).expect("the document");
    let fence = format!("\n```{language}\n");
    let blocks = text.split(&fence).skip(1);
    blocks.map(|block| block.split("```").next().unwrap_or_default().to_owned()).collect()
}

/// Splits a line as a shell does. Text in quotes is one word.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// Starts `adamant` beside the engine of the document.
fn start_engine(home: &Home, server: &Server, line: &str) -> Child {
    let example = repository().join("docs/examples/engine.py");
    let engine = home.write("engine.py", &fs::read_to_string(example).expect("the example"));
    let ours = format!("'{}' engine", binary("adamant").display());
    let line = line.trim().strip_prefix("adamant ").expect("a command of the program");
    let words = words(line).into_iter().map(|word| word.replace("adamant engine", &ours));
    let mut command = home.command(server, words);
    command.current_dir(Path::new(&engine).parent().expect("a folder"));
    command.spawn().expect("the program can be run")
}

/// Waits until a bot prints its first move.
async fn wait_for_move(bot: &mut Child) {
    let mut lines = BufReader::new(bot.stderr.as_mut().expect("a pipe")).lines();
    let found = async {
        loop {
            let line = lines.next_line().await.expect("text").expect("the bot still runs");
            if [": 1. ", ": 2. "].iter().any(|first| line.contains(first)) {
                return;
            }
        }
    };
    timeout(PATIENCE, found).await.expect("a move in time");
}

#[tokio::test]
async fn the_bots_of_the_document_find_each_other_and_play() {
    let server = Server::start().await;
    let commands = blocks("sh");
    let [first, second] = &commands[..] else { panic!("other commands: {commands:?}") };
    let homes = [Home::new(), Home::new()];
    let mut bots =
        [start_engine(&homes[0], &server, first), start_engine(&homes[1], &server, second)];
    for bot in &mut bots {
        wait_for_move(bot).await;
    }
}

#[tokio::test]
async fn the_configuration_of_the_document_is_accepted() {
    let server = Server::start().await;
    let home = Home::new();
    let text = blocks("toml").concat();
    let file = home.write("bot.toml", &text);
    let mut bot = start_engine(&home, &server, &format!("adamant bot --config {file}"));
    let mut ann = Peer::guest(&server, "ann").await;
    let listed = async {
        loop {
            // The server may refuse for the rate.
            let list = ann.request(json!({"type": "directory"})).await;
            let mut bots = list["bots"].as_array().into_iter().flatten();
            if let Some(found) = bots.find(|bot| bot["user"] == "mybot") {
                return found.clone();
            }
            assert!(bot.try_wait().expect("a status").is_none(), "the bot has ended");
        }
    };
    let entry = timeout(PATIENCE, listed).await.expect("the bot connects");
    assert_eq!(entry["free"], 4, "{entry}");
    let games = entry["accepts"]["games"].to_string();
    assert!(games.contains("adamas") && games.contains("hexma"), "{entry}");
}

/// Builds the programs of `examples/` as others build theirs, and returns the folder they are in.
async fn examples() -> PathBuf {
    let source = repository().join("examples");
    // The versions of the workspace, which are here already.
    fs::copy(repository().join("Cargo.lock"), source.join("Cargo.lock")).expect("a copy");
    let target = harness::target().join("examples_outside");
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--offline", "--target-dir"]).arg(&target).current_dir(source);
    let built = cargo.env_remove("RUSTC_WORKSPACE_WRAPPER").output().await.expect("cargo runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    target.join("debug")
}

/// Runs a program with a text at its standard input, and returns what it says.
async fn run(program: &Path, arguments: &[&str], input: &str) -> (bool, String, String) {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.kill_on_drop(true).spawn().expect("it can be run");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).await.expect("it reads");
    let Output { status, stdout, stderr } =
        timeout(PATIENCE, child.wait_with_output()).await.expect("in time").expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.success(), text(stdout), text(stderr))
}

#[tokio::test]
#[ignore = "long"]
async fn the_examples_are_built_with_default_features_and_do_what_they_say() {
    let folder = examples().await;
    for (arguments, counts) in [
        (&["adamas", "1"][..], "6434\n"),
        (&["hexma", "2"], "20\n400\n"),
        (&["diam", "3"], "16\n256\n4608\n"),
        (&["stymie", "2", "-size=3"], "13\n332\n"),
    ] {
        assert_eq!(run(&folder.join("perft"), arguments, "").await.1, counts, "{arguments:?}");
    }

    let server = Server::with(Setup::default_rates).await;
    let address = format!("ws://{}", server.address());
    let (played, result, said) =
        run(&folder.join("bot"), &[&address, "kim", "house-easy", "diam"], "").await;
    assert!(played, "{said}");
    let mut words = result.split_whitespace();
    let (game, reason) = (words.next().expect("a game"), words.next().expect("a reason"));
    let (seen, boards, said) = run(&folder.join("spectator"), &[&address, game], "").await;
    assert!(seen && boards.ends_with(&format!("\n{reason}\n")), "{boards}\n{said}");
    let path = format!("/v1/games/{game}/log");
    let log = harness::http::ask(&server, "GET", &path).await.text().await;
    let (verified, text, said) = run(&folder.join("record"), &[], &log).await;
    assert!(verified && said.starts_with(&format!("game {game}: ")), "{said}");
    assert!(text.starts_with("diam challenge "), "{text}");

    let mut other = Command::new(folder.join("server"));
    let mut other = other.stdout(Stdio::piped()).kill_on_drop(true).spawn().expect("it can be run");
    let mut lines = BufReader::new(other.stdout.take().expect("a pipe")).lines();
    let address = lines.next_line().await.expect("text").expect("its address");
    let (seen, _, said) = run(&folder.join("spectator"), &[&address, game], "").await;
    assert!(!seen && said.contains("there is nothing to watch here"), "{said}");
}
