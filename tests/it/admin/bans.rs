//! Bans: who is refused, what they read, and when they may come again.

use serde_json::json;

use super::operator::{govern, is_refused};
use crate::harness::{Frame, Peer, Server, now_ms};

const RESTART: u16 = 1012;

/// What a client is answered that says hello.
async fn hello(peer: &mut Peer, auth: serde_json::Value) -> Frame {
    peer.request(json!({"type": "hello", "proto": [1], "auth": auth})).await
}

#[tokio::test]
async fn a_banned_user_reads_why_and_until_when_on_every_node() {
    let (server, [mut ann, mut bob]) = Peer::start_with_accounts(["ann", "bob"]).await;
    let auth = json!({"token": ann.token.clone().unwrap()});
    let ban = govern(&server, &["bans", "user", "Ann", "--reason", "rude", "--for", "2h"]).await;
    assert_eq!(ann.expect_close().await, RESTART);
    for _ in 0..2 {
        let mut again = Peer::connect(server.address()).await;
        let refused = hello(&mut again, auth.clone()).await;
        assert_eq!((&refused["code"], &refused["retry"]), (&json!("banned"), &json!("never")));
        assert_eq!(refused["until"], ban["until"]);
        let left = ban["until"].as_u64().unwrap() - now_ms();
        assert!((7_000_000..=7_200_000).contains(&left), "{left}");
        let message = refused["message"].as_str().unwrap();
        assert!(message.starts_with("this user is banned until 20"), "{message}");
        assert!(message.ends_with("Z: rude"), "{message}");
        assert_eq!(again.expect_close().await, 4001);
    }
    bob.ask(json!({"type": "ping"})).await;

    let id = ban["id"].to_string();
    govern(&server, &["bans", "lift", &id, "--reason", "talked"]).await;
    assert!(is_refused(&server, &["bans", "lift", &id, "--reason", "x"]).await.contains("no ban"));
    let mut again = Peer::connect(server.address()).await;
    assert_eq!(hello(&mut again, auth).await["type"], "welcome");
    assert_eq!(govern(&server, &["bans", "list"]).await, json!({"bans": []}));
    let all = govern(&server, &["bans", "list", "--all"]).await;
    assert!(all["bans"][0]["lifted_at"].is_u64(), "{all}");
    assert!(govern(&server, &["users", "show", "ann"]).await["bans"][0]["reason"] == "rude");
}

#[tokio::test]
async fn the_bots_of_a_banned_user_are_banned_as_well() {
    let (server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    ann.ask(json!({"type": "bot_create", "name": "robo"})).await;
    let create = json!({"type": "token_create", "label": "x", "user": "robo"});
    let token = ann.ask(create).await["token"].clone();
    let mut robo = Peer::with_token(&server, token.as_str().unwrap()).await;
    govern(&server, &["bans", "user", "ann", "--reason", "floods"]).await;
    assert_eq!(robo.expect_close().await, RESTART);
    let mut again = Peer::connect(server.address()).await;
    let refused = hello(&mut again, json!({"token": token})).await;
    assert_eq!(refused["message"], "this user is banned: floods");
    assert!(refused.get("until").is_none());
}

#[tokio::test]
async fn a_banned_network_is_refused_with_and_without_a_user() {
    let server = Server::start().await;
    let from = [127, 0, 9, 9];
    let mut ann = Peer::connect_from(from, server.address()).await;
    ann.hello_guest("ann").await;
    let mut spectator = Peer::connect_from(from, server.address()).await;
    spectator.hello(json!({})).await;
    let mut bob = Peer::guest(&server, "bob").await;
    let ban = govern(&server, &["bans", "network", "127.0.9.0/24", "--reason", "floods"]).await;
    assert_eq!(ban["network"], "127.0.9.0/24");
    assert_eq!(ann.expect_close().await, RESTART);
    // The spectator's node hears of it a moment later.
    let refused = loop {
        let reply = spectator.request(json!({"type": "ping"})).await;
        if reply["type"] == "error" {
            break reply;
        }
    };
    assert_eq!(refused["message"], "your address is banned: floods");
    assert_eq!(spectator.expect_close().await, 4001);
    let mut again = Peer::connect_from(from, server.address()).await;
    assert_eq!(hello(&mut again, json!({"guest": "eve"})).await["code"], "banned");
    bob.ask(json!({"type": "ping"})).await;
    for everybody in ["0.0.0.0/0", "2001:db8::1/80"] {
        is_refused(&server, &["bans", "network", everybody, "--reason", "x"]).await;
    }
}

#[tokio::test]
async fn a_ban_outlives_the_server_and_ends_in_time() {
    let (mut server, [ann]) = Peer::start_with_accounts(["ann"]).await;
    let auth = json!({"token": ann.token.clone().unwrap()});
    govern(&server, &["bans", "user", "ann", "--reason", "rude", "--for", "1s"]).await;
    server.stop().await;
    server.restart().await;
    let mut peer = Peer::connect(server.address()).await;
    let refused = hello(&mut peer, auth.clone()).await;
    if refused["code"] == "banned" {
        let until = refused["until"].as_u64().unwrap();
        while now_ms() <= until {
            tokio::task::yield_now().await;
        }
    }
    let mut peer = Peer::connect(server.address()).await;
    assert_eq!(hello(&mut peer, auth).await["type"], "welcome");
}

#[tokio::test]
async fn the_servers_own_bots_are_not_banned() {
    let server = Server::start().await;
    let refused = is_refused(&server, &["bans", "user", "house", "--reason", "x"]).await;
    assert!(refused.contains("games.house"), "{refused}");
}
