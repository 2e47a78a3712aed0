//! Blocks, and the setting for who may challenge a user.

use serde_json::{Value, json};

use crate::harness::{Peer, Server, game, with};

fn challenge(seats: &[&str]) -> Value {
    json!({"type": "challenge", "rules": "adamas", "seats": seats})
}

fn about(kind: &str, user: &str) -> Value {
    json!({"type": kind, "user": user})
}

/// Neither by name, nor as in an earlier game, nor by what one of them has opened.
async fn do_not_meet(one: &mut Peer, other: &mut Peer, finished: &str) {
    let seek = json!({"type": "seek", "rules": "adamas"});
    let seats = [one.name().to_owned(), other.name().to_owned()];
    one.refused(challenge(&[&seats[0], &seats[1]]), "blocked").await;
    one.refused(json!({"type": "rematch", "game": finished}), "blocked").await;
    let sought = one.ask(seek.clone()).await["seek"].clone();
    other.refused(json!({"type": "accept", "seek": sought}), "blocked").await;
    let own = other.ask(seek).await;
    assert_eq!(own.get("game"), None, "the seeks do not match");
    other.ask(json!({"type": "unseek", "seek": own["seek"]})).await;
    one.ask(json!({"type": "unseek", "seek": sought})).await;
    let invite = json!({"type": "invite", "rules": "adamas"});
    let invited = one.ask(invite).await["invite"].clone();
    other.refused(json!({"type": "accept", "invite": invited}), "blocked").await;
}

#[tokio::test]
async fn blocked_users_do_not_meet() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let finished = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    ann.ask(json!({"type": "resign", "game": finished})).await;
    bob.next_event(&finished, "ended").await;
    let open = ann.ask(challenge(&["ann", "bob"])).await["challenge"].clone();

    bob.ask(about("block", "Ann")).await;
    bob.ask(about("block", "ann")).await;
    server.kill().await;
    server.restart().await;
    let (mut ann, mut bob) = (ann.reconnect(&server).await, bob.reconnect(&server).await);
    assert_eq!(bob.ask(json!({"type": "blocks"})).await["users"], json!(["ann"]));
    assert_eq!(ann.ask(json!({"type": "blocks"})).await["users"], json!([]));

    do_not_meet(&mut ann, &mut bob, &finished).await;
    do_not_meet(&mut bob, &mut ann, &finished).await;
    bob.refused(json!({"type": "accept", "challenge": open}), "blocked").await;

    bob.ask(about("unblock", "ann")).await;
    assert!(bob.ask(json!({"type": "accept", "challenge": open})).await["game"].is_string());
    // Whoever has joined an open game, and blocks another player of it, hears of the block first.
    let three = json!({"type": "seek", "rules": "adamas", "players": 3});
    let again = json!({"type": "accept", "seek": ann.ask(three).await["seek"]});
    bob.ask(again.clone()).await;
    bob.refused(again.clone(), "forbidden").await;
    bob.ask(about("block", "ann")).await;
    bob.refused(again, "blocked").await;

    bob.refused(about("block", "bob"), "bad_message").await;
    bob.refused(about("block", "nobody-here"), "not_found").await;
    Peer::anonymous(&server).await.refused(about("block", "ann"), "forbidden").await;
}

#[tokio::test]
async fn the_bots_of_a_blocked_user_stay_out_too() {
    let server = Server::start().await;
    let mut ann = Peer::account(&server, "ann").await;
    ann.ask(json!({"type": "bot_create", "name": "annbot"})).await;
    let made = json!({"type": "token_create", "label": "server", "user": "annbot"});
    let secret = ann.ask(made).await["token"].as_str().unwrap().to_owned();
    let mut annbot = Peer::with_token(&server, &secret).await;
    let mut bob = Peer::guest(&server, "bob").await;
    let finished = game::start(&mut [&mut bob, &mut annbot], json!({})).await;
    bob.ask(json!({"type": "resign", "game": finished})).await;
    annbot.next_event(&finished, "ended").await;
    bob.ask(about("block", "ann")).await;
    do_not_meet(&mut annbot, &mut bob, &finished).await;
    do_not_meet(&mut bob, &mut annbot, &finished).await;
}

#[tokio::test]
async fn the_talk_of_a_blocked_user_is_hidden() {
    let server = Server::start().await;
    let (mut ann, mut bob, game) = game::start_two(&server).await;
    let say = |text: &str| json!({"type": "say", "game": game, "room": "players", "text": text});
    bob.ask(about("block", "ann")).await;
    // To mute and unmute a blocked user does not show the talk again.
    bob.ask(about("mute", "ann")).await;
    bob.ask(about("unmute", "ann")).await;
    let mut beside_bob = bob.beside(&ann).await;
    beside_bob.next_of("snapshot").await;
    ann.ask(say("hidden")).await;
    beside_bob.next_of("said").await;
    assert!(!bob.has_received(|frame| frame["type"] == "said").await);
    bob.ask(about("unblock", "ann")).await;
    ann.ask(say("shown")).await;
    assert_eq!(bob.next_of("said").await["text"], "shown");
}

#[tokio::test]
async fn a_user_chooses_who_may_challenge() {
    let mut server = Server::start().await;
    let mut ann = Peer::account(&server, "ann").await;
    let mut bob = Peer::account(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
    let token = bob.token.clone().unwrap();
    let mut other = Peer::with_token(&server, &token).await;
    assert_eq!(other.welcome["settings"], json!({"challenges": "all"}));
    let set = |who: &str| json!({"type": "settings_set", "challenges": who});
    assert_eq!(bob.ask(set("accounts")).await["challenges"], "accounts");
    assert_eq!(other.next_of("settings").await["challenges"], "accounts");
    cy.refused(challenge(&["cy", "bob"]), "not_accepting").await;
    let terms = json!({"clock": {"mode": "days", "per_move_days": 1}});
    let played = game::start(&mut [&mut ann, &mut bob], terms).await;

    bob.ask(set("none")).await;
    server.kill().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    let mut bob = bob.reconnect(&server).await;
    assert_eq!(bob.welcome["settings"], json!({"challenges": "none"}));
    ann.refused(challenge(&["ann", "bob"]), "not_accepting").await;
    // One's own challenges, and rematches, are still possible.
    bob.ask(challenge(&["ann", "bob"])).await;
    ann.ask(json!({"type": "resign", "game": played})).await;
    bob.next_event(&played, "ended").await;
    ann.ask(json!({"type": "rematch", "game": played})).await;
    let unchanged = bob.ask(with(json!({"type": "settings_set"}), json!({}))).await;
    assert_eq!(unchanged["challenges"], "none");
    bob.refused(set("friends"), "bad_message").await;
    Peer::anonymous(&server).await.refused(json!({"type": "settings_get"}), "forbidden").await;
}
