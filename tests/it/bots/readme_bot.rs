//! The bot in the README.md of the crate `client`, built by `cargo xtask crates` from the packages.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
};

use postgres_fixture::free_port;
use serde_json::json;
use tokio::process::{Child, Command};

use crate::harness::{Peer, Server};

/// How often the server is killed.
const KILLS: usize = 3;

#[expect(clippy::disallowed_methods, reason = "a test, not the server")]
fn program() -> PathBuf {
    PathBuf::from(std::env::var_os("ADAMANT_README_BOT").expect("the bot's program"))
}

/// Starts the bot in a folder, in which it keeps its token.
fn start_bot(bot: &Path, server: &Server, folder: &Path) -> Child {
    let mut command = Command::new(bot);
    command.arg(format!("ws://{}", server.address())).current_dir(folder);
    command.stdin(Stdio::null()).kill_on_drop(true).spawn().expect("the bot starts")
}

/// Waits until a live game of the bot has more plies than these; returns the game and its plies.
async fn live_game(server: &Server, after: Option<&str>) -> (String, u64) {
    let mut watcher = Peer::anonymous(server).await;
    loop {
        let list = watcher.ask(json!({"type": "games", "user": "random-bot"})).await;
        let Some(game) = list["games"].as_array().and_then(|games| games.first()) else { continue };
        let (id, ply) = (game["game"].as_str().expect("an id"), game["ply"].as_u64());
        let ply = ply.expect("a number");
        if ply > 0 && after.is_none_or(|before| before != id) {
            return (id.to_owned(), ply);
        }
    }
}

/// Returns how a game has ended; `None` while it is live.
async fn result(server: &Server, game: &str) -> Option<String> {
    let mut watcher = Peer::anonymous(server).await;
    let snapshot = watcher.ask(json!({"type": "watch", "game": game})).await;
    snapshot["result"]["reason"].as_str().map(str::to_owned)
}

#[tokio::test]
#[ignore = "cargo xtask crates builds the bot"]
async fn the_bot_goes_on_after_server_and_bot_were_killed() {
    let bot = program();
    // The bot knows one address.
    let address = format!("127.0.0.1:{}", free_port().expect("a port"));
    let mut server = Server::with(|setup| {
        setup.set("network", "listen", address);
        setup.default_rates();
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let mut running = start_bot(&bot, &server, folder.path());
    let (mut game, _) = live_game(&server, None).await;
    for kill in 0..KILLS {
        server.kill().await;
        if kill == 1 {
            running.kill().await.unwrap();
        }
        server.restart().await;
        if kill == 1 {
            running = start_bot(&bot, &server, folder.path());
        }
        // It plays the game to its end, and then another one.
        let (next, _) = live_game(&server, Some(&game)).await;
        let reason = result(&server, &game).await.expect("it has ended");
        assert!(!["resigned", "abandoned", "aborted"].contains(&reason.as_str()), "{reason}");
        game = next;
    }
    assert!(running.try_wait().unwrap().is_none(), "the bot runs");
}
