//! What the nodes tell each other of their users, in the directory of bots.

use serde_json::json;
use tokio::time::timeout;

use crate::harness::{PATIENCE, Peer, Server};

/// Waits until the directory lists these bots.
async fn lists(peer: &mut Peer, expected: &[&str]) {
    let listed = async {
        loop {
            let list = peer.request(json!({"type": "directory"})).await;
            // The server may refuse for the rate.
            let Some(bots) = list["bots"].as_array() else { continue };
            if bots.iter().map(|bot| &bot["user"]).eq(expected) {
                return;
            }
        }
    };
    timeout(PATIENCE, listed).await.unwrap_or_else(|_| panic!("the directory lists {expected:?}"));
}

#[tokio::test]
async fn the_directory_lists_the_bots_of_all_nodes() {
    let mut server = Server::cluster(3, |setup| setup.argument("--no-house")).await;
    let mut eve = Peer::guest_at(server.node(2), "eve").await;
    let mut bots = Vec::new();
    for (node, name) in [(0, "hal"), (1, "abe")] {
        let mut bot = Peer::connect(server.node(node).address()).await;
        bot.hello(json!({"auth": {"guest": name, "bot": true}})).await;
        bot.ask(json!({"type": "bot_status", "accepts": {}, "free": 1})).await;
        bots.push(bot);
    }
    lists(&mut eve, &["abe", "hal"]).await;
    // A node that starts later asks the others.
    drop(eve);
    server.node_mut(2).kill().await;
    server.node_mut(2).restart().await;
    let mut eve = Peer::guest_at(server.node(2), "eva").await;
    lists(&mut eve, &["abe", "hal"]).await;
    bots.pop();
    lists(&mut eve, &["hal"]).await;
    server.node_mut(0).kill().await;
    lists(&mut eve, &[]).await;
}
