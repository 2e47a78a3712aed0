//! Users with sessions on several nodes.

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::harness::{PASSWORD, PATIENCE, Peer, Server};

#[tokio::test]
async fn seeks_of_one_node_are_joined_on_another() {
    let server = Server::cluster(3, |_| {}).await;
    let mut ann = Peer::guest_at(server.node(0), "ann").await;
    let mut bob = Peer::guest_at(server.node(1), "bob").await;
    let mut eve = Peer::guest_at(server.node(2), "eve").await;
    eve.ask(json!({"type": "lobby"})).await;
    let seek = json!({"type": "seek", "rules": "adamas", "players": 2});
    let id = ann.ask(seek.clone()).await["seek"].clone();
    let listed = eve.next_of("lobby").await;
    assert_eq!(listed["add"][0]["seek"], id, "{listed}");
    let game = bob.ask(seek).await["game"].clone();
    let game = game.as_str().expect("the seeks meet").to_owned();
    for peer in [&mut ann, &mut bob] {
        peer.next_event(&game, "started").await;
    }
    assert_eq!(eve.next_of("lobby").await["remove"], json!([id]));
}

#[tokio::test]
async fn who_is_online_is_known_to_all_nodes() {
    let server = Server::cluster(3, |_| {}).await;
    let mut ann = Peer::guest_at(server.node(0), "ann").await;
    let bob = Peer::guest_at(server.node(1), "bob").await;
    let mut eve = Peer::guest_at(server.node(2), "eve").await;
    for peer in [&mut ann, &mut eve] {
        peer.wait_for_online("bob", true).await;
    }
    drop(bob);
    for peer in [&mut ann, &mut eve] {
        peer.wait_for_online("bob", false).await;
    }
}

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

#[tokio::test]
async fn the_newest_session_of_a_bot_replaces_that_on_another_node() {
    let server = Server::cluster(2, |_| {}).await;
    let mut first = Peer::connect(server.node(0).address()).await;
    first.hello(json!({"auth": {"guest": "robo", "bot": true}})).await;
    let token = first.token.clone().expect("a guest has a token");
    let mut second = Peer::with_token_at(server.node(1), &token).await;
    assert_eq!(first.expect_close().await, 4003);
    let mut third = Peer::with_token_at(server.node(0), &token).await;
    assert_eq!(second.expect_close().await, 4003);
    third.ask(json!({"type": "ping"})).await;
}

#[tokio::test]
async fn a_token_that_is_revoked_on_one_node_ends_its_sessions_on_another() {
    let server = Server::cluster(2, |_| {}).await;
    let mut ann = Peer::connect(server.node(0).address()).await;
    ann.hello(json!({})).await;
    let signed = ann.ask(json!({"type": "signup", "user": "ann", "password": PASSWORD})).await;
    let token = signed["token"].as_str().unwrap().to_owned();
    let mut elsewhere = Peer::with_token_at(server.node(1), &token).await;
    ann.ask(json!({"type": "logout", "forget": true})).await;
    let code = elsewhere.expect_close().await;
    assert_eq!(code, 4007);
    let mut again = Peer::connect(server.node(1).address()).await;
    let refused: Value =
        again.request(json!({"type": "hello", "proto": [1], "auth": {"token": token}})).await;
    assert_eq!(refused["type"], "error", "{refused}");
}
