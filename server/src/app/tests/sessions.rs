//! Sessions of one user on two nodes: who is online, which of a bot counts, and what ends them;
//! what users mute and say.

use std::{
    sync::{Arc, Mutex, mpsc},
    time::Duration,
};

use adamant_protocol::UserName;
use futures::FutureExt as _;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::node::TestNode;
use crate::{
    cluster::{ClusterEvent, EndedSessions, GoneNode, Heard},
    house,
    limits::REPLAYS_WAITING_MAX,
};

async fn is_online(node: &TestNode, user: &str, expected: bool) {
    let user = user.parse().unwrap();
    while node.services.lobby.is_online(&user) != expected {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_user_of_one_node_is_online_on_the_other() {
    let ([one, two], _store) = TestNode::pair().await;
    let (ann, _) = one.guest("ann").await;
    is_online(&two, "Ann", true).await;
    drop(ann);
    is_online(&two, "ann", false).await;

    one.cut(true);
    let (_bob, _) = one.guest("bob").await;
    let (_cy, _) = two.guest("cy").await;
    one.cut(false);
    two.hear(Heard::Gap);
    is_online(&two, "bob", true).await;
    is_online(&one, "cy", true).await;
    two.hear(Heard::NodeGone(GoneNode { node: one.id(), died_at: None }));
    is_online(&two, "bob", false).await;
}

#[tokio::test]
async fn the_newest_session_of_a_bot_counts_whatever_the_node() {
    let ([one, two], _store) = TestNode::pair().await;
    let mut first = one.connect().await;
    let welcome = first.hello(json!({"guest": "robo", "bot": true})).await;
    let token = welcome["token"].as_str().unwrap().to_owned();
    let mut second = two.log_in(&token).await;
    assert_eq!(first.closed().await, 4003);
    let listed = second.ask(json!({"type": "challenges"})).await;
    assert_eq!(listed["type"], "challenges", "it goes on");
}

#[tokio::test]
async fn a_token_that_ends_on_one_node_ends_its_sessions_on_the_other() {
    let ([one, two], _store) = TestNode::pair().await;
    let (mut here, token) = one.guest("ann").await;
    let mut elsewhere = two.log_in(&token).await;
    here.ask(json!({"type": "logout", "forget": true})).await;
    assert_eq!(elsewhere.closed().await, 4007);
}

#[tokio::test]
async fn the_check_of_tokens_ends_what_a_lost_announcement_has_not() {
    let ([one, two], _store) = TestNode::pair().await;
    let (mut here, token) = one.guest("ann").await;
    let mut elsewhere = two.log_in(&token).await;
    one.cut(true);
    here.ask(json!({"type": "logout", "forget": true})).await;
    two.services.lobby.check_tokens().await.unwrap();
    assert_eq!(elsewhere.closed().await, 4007);
}

#[tokio::test]
async fn a_late_announcement_does_not_end_sessions_of_newer_tokens() {
    let ([one, two], _store) = TestNode::pair().await;
    one.cut(true);
    let mut ann = one.connect().await;
    ann.hello(Value::Null).await;
    ann.ask(json!({"type": "signup", "user": "ann", "password": "open sesame"})).await;
    let create = json!({"type": "token_create", "label": "program", "bot": true});
    let token = ann.ask(create).await["token"].as_str().unwrap().to_owned();
    let mut program = two.log_in(&token).await;
    let user: UserName = "ann".parse().unwrap();
    let keep = "t_0000000000000000".parse().unwrap();
    for event in [
        ClusterEvent::SessionsEnded {
            user: user.clone(),
            ended: EndedSessions::AllBut { keep, programs: true },
        },
        // The answer to this shows that the one before is taken in.
        ClusterEvent::SettingsChanged(user),
    ] {
        two.hear(Heard::Event(one.id(), event));
    }
    program.next_of("settings").await;
    program.ask(json!({"type": "ping"})).await;
}

#[tokio::test]
async fn talk_reaches_the_audience_of_all_nodes_but_those_who_mute() {
    let ([one, two], _store) = TestNode::pair().await;
    let (mut ann, _) = one.guest("ann").await;
    let (mut bob, token) = two.guest("bob").await;
    let challenge = json!({"type": "challenge", "rules": "adamas", "seats": ["ann", "bob"]});
    let id = ann.ask(challenge).await["challenge"].clone();
    bob.next_of("challenged").await;
    let accept = json!({"type": "accept", "challenge": id});
    let game = bob.ask(accept).await["game"].clone();
    let created = |frame: &Value| frame["type"] == "event" && frame["kind"] == "created";
    ann.next(created).await;
    let say = |text: &str| json!({"type": "say", "game": game, "room": "players", "text": text});
    let n = ann.ask(say("hello")).await["n"].clone();
    let said = bob.next_of("said").await;
    assert_eq!((&said["text"], &said["by"]), (&json!("hello"), &json!("ann")));
    ann.ask(json!({"type": "unsay", "game": game, "room": "players", "n": n})).await;
    assert_eq!(bob.next_of("unsaid").await["n"], n);

    // A mute on one node holds for the sessions on the other.
    let mut bob_elsewhere = one.log_in(&token).await;
    bob_elsewhere.ask(json!({"type": "mute", "user": "ann"})).await;
    ann.ask(say("hidden")).await;
    // Bob's own line comes after it.
    bob_elsewhere.ask(say("mine")).await;
    assert_eq!(bob.next_of("said").await["text"], "mine");
    bob_elsewhere.ask(json!({"type": "unmute", "user": "ann"})).await;
    ann.ask(say("again")).await;
    assert_eq!(bob.next_of("said").await["text"], "again");
}

#[tokio::test]
async fn settings_that_change_on_one_node_are_told_on_the_other() {
    let ([one, two], _store) = TestNode::pair().await;
    let (mut here, token) = one.guest("ann").await;
    let mut elsewhere = two.log_in(&token).await;
    here.ask(json!({"type": "settings_set", "challenges": "none"})).await;
    assert_eq!(elsewhere.next_of("settings").await["challenges"], "none");
}

#[tokio::test]
async fn each_node_has_one_token_of_a_server_bot_however_often_it_starts() {
    let ([one, two], _store) = TestNode::pair().await;
    for node in [&one, &two, &one, &one] {
        let bots = house::players(&node.services.accounts, Some(node.id())).await.unwrap();
        assert_eq!(bots.len(), 16);
    }
    let accounts = &one.services.accounts;
    let name = "house".parse().unwrap();
    let (user, _) = one.services.store.find_user(name).await.unwrap().unwrap();
    let tokens = accounts.tokens(&user, &user.name).await.unwrap();
    let mut labels: Vec<&str> = tokens.iter().map(|(_, token)| &*token.label).collect();
    labels.sort_unstable();
    assert_eq!(labels, ["house one", "house two"]);
}

/// Our clients give up on a connection that has no welcome after this time.
const CLIENTS_WAIT: Duration = Duration::from_secs(10);

/// Takes all places for reading games of a node, until the sender is dropped.
fn occupy(node: &TestNode) -> mpsc::Sender<()> {
    let (go_on, waits) = mpsc::channel();
    let waits = Arc::new(Mutex::new(waits));
    for _ in 0..REPLAYS_WAITING_MAX {
        let waits = Arc::clone(&waits);
        let work = move || waits.lock().unwrap().recv().is_err();
        // Work that has begun goes on; the rest would only wait.
        drop(node.services.rooms.work(None, work).now_or_never());
    }
    go_on
}

#[tokio::test]
async fn a_hello_whose_games_cannot_be_read_in_time_is_sent_again() {
    let ([one, two], _store) = TestNode::pair().await;
    let ((mut ann, token), (mut bob, _)) = (one.guest("ann").await, one.guest("bob").await);
    let challenge = json!({"type": "challenge", "rules": "diam", "seats": ["ann", "bob"]});
    let challenge = ann.ask(challenge).await["challenge"].clone();
    let accept = json!({"type": "accept", "challenge": challenge});
    let game = bob.ask(accept).await["game"].as_str().unwrap().to_owned();

    // The other node has the game only in its store.
    let go_on = occupy(&two);
    let player = json!({"type": "hello", "proto": [1], "auth": {"token": token}});
    let spectator = json!({"type": "hello", "proto": [1], "auth": {"guest": "cy"},
        "resume": {&game: {"seq": 1}}});
    let (mut again, mut cy) = (two.connect().await, two.connect().await);
    again.send(player.clone()).await;
    cy.send(spectator.clone()).await;
    let sent = Instant::now();
    assert_eq!(tokio::join!(again.closed(), cy.closed()), (1012, 1012));
    assert!(sent.elapsed() < CLIENTS_WAIT, "{:?}", sent.elapsed());

    drop(go_on);
    let welcome = two.connect().await.ask(player).await;
    assert_eq!(welcome["games"][0]["game"], json!(game), "{welcome}");
    // Nobody has been told the token of a guest, so there is none yet.
    let welcome = two.connect().await.ask(spectator).await;
    assert_eq!(welcome["type"], "welcome", "{welcome}");
}
