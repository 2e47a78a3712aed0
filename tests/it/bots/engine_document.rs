//! The commands and the configuration file of docs/ENGINES.md, run as they stand there.

use std::{fs, path::Path};

use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::Child,
    time::timeout,
};

use crate::harness::{Home, PATIENCE, Peer, Server, binary, repository};

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
fn start(home: &Home, server: &Server, line: &str) -> Child {
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
    let mut bots = [start(&homes[0], &server, first), start(&homes[1], &server, second)];
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
    let mut bot = start(&home, &server, &format!("adamant bot --config {file}"));
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
