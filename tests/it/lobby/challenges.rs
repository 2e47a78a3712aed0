//! Challenges: accepted, declined, cancelled, between three, refused, and kept over a restart.

use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server};

fn challenge(seats: &[&str]) -> Value {
    json!({"type": "challenge", "rules": "adamas", "seats": seats})
}

fn about(kind: &str, challenge: &Value) -> Value {
    json!({"type": kind, "challenge": challenge})
}

async fn challenged(peer: &mut Peer, id: &Value) -> Frame {
    peer.next_matching("the challenge", |frame| {
        frame["type"] == "challenged" && frame["challenge"] == *id
    })
    .await
}

async fn closed(peer: &mut Peer, id: &Value) -> Frame {
    peer.next_matching("the challenge's end", |frame| {
        frame["type"] == "challenge_closed" && frame["challenge"] == *id
    })
    .await
}

#[tokio::test]
async fn an_accepted_challenge_is_a_game_on_the_terms_offered() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
    // Names are found in any spelling and told in their owner's.
    let mut request = challenge(&["BOB", "ann"]);
    request["options"] = json!("-size=4 -prog_cap");
    request["clock"] = json!({"mode": "per_move", "move_ms": 60_000});
    let id = ann.ask(request).await["challenge"].clone();
    let told = challenged(&mut bob, &id).await;
    assert_eq!((&told["by"], &told["seats"]), (&json!("ann"), &json!(["bob", "ann"])));
    assert_eq!(told["options"], json!({"size": 4, "pieces": 12, "prog_cap": true}));
    assert_eq!(told["accepted"], json!(["ann"]));
    ann.refused(about("accept", &id), "forbidden").await;
    cy.refused(about("accept", &id), "forbidden").await;
    cy.refused(about("decline", &id), "forbidden").await;
    bob.refused(about("cancel", &id), "forbidden").await;

    let game = bob.ask(about("accept", &id)).await["game"].clone();
    let name = game.as_str().unwrap();
    for peer in [&mut ann, &mut bob] {
        assert_eq!(closed(peer, &id).await["game"], game);
        let created = peer.next_event(name, "created").await;
        assert_eq!(created["seats"][0]["user"], "bob");
        assert_eq!((&created["options"], &created["clock"]), (&told["options"], &told["clock"]));
        peer.next_event(name, "started").await;
    }
    for kind in ["accept", "decline"] {
        bob.refused(about(kind, &id), "not_found").await;
    }
    ann.refused(about("cancel", &id), "not_found").await;
}

#[tokio::test]
async fn a_challenge_is_declined_with_a_reason_or_cancelled() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let id = ann.ask(challenge(&["ann", "bob"])).await["challenge"].clone();
    challenged(&mut bob, &id).await;
    let decline = json!({"type": "decline", "challenge": id, "reason": "too_fast"});
    let mut unreasoned = decline.clone();
    unreasoned["reason"] = json!("because");
    bob.refused(unreasoned, "bad_message").await;
    bob.ask(decline).await;
    for peer in [&mut ann, &mut bob] {
        let told = closed(peer, &id).await;
        assert_eq!((&told["reason"], &told["by"]), (&json!("too_fast"), &json!("bob")));
        assert_eq!(told.get("game"), None);
    }

    let id = ann.ask(challenge(&["ann", "bob"])).await["challenge"].clone();
    challenged(&mut bob, &id).await;
    ann.ask(about("cancel", &id)).await;
    for peer in [&mut ann, &mut bob] {
        let told = closed(peer, &id).await;
        assert_eq!((&told["reason"], &told["by"]), (&json!("cancelled"), &json!("ann")));
    }
    bob.refused(about("accept", &id), "not_found").await;
}

#[tokio::test]
async fn three_must_all_agree() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
    let id = ann.ask(challenge(&["cy", "ann", "bob"])).await["challenge"].clone();
    challenged(&mut cy, &id).await;
    challenged(&mut bob, &id).await;
    let ok = bob.ask(about("accept", &id)).await;
    assert_eq!(ok.get("game"), None, "{ok}");
    let told = challenged(&mut cy, &id).await;
    assert_eq!(told["accepted"], json!(["ann", "bob"]));
    bob.refused(about("accept", &id), "forbidden").await;
    let game = cy.ask(about("accept", &id)).await["game"].as_str().unwrap().to_owned();
    for peer in [&mut ann, &mut bob, &mut cy] {
        assert_eq!(peer.next_event(&game, "created").await["seats"][0]["user"], "cy");
        peer.next_event(&game, "started").await;
    }

    // One who declines ends it for all.
    let id = ann.ask(challenge(&["cy", "ann", "bob"])).await["challenge"].clone();
    bob.ask(about("accept", &id)).await;
    cy.ask(about("decline", &id)).await;
    for peer in [&mut ann, &mut bob, &mut cy] {
        let told = closed(peer, &id).await;
        assert_eq!((&told["reason"], &told["by"]), (&json!("generic"), &json!("cy")));
    }
}

#[tokio::test]
async fn a_challenge_that_cannot_be_meant_is_refused() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let _bob = Peer::guest(&server, "bob").await;
    let _cy = Peer::guest(&server, "cy").await;
    let mut nobody = Peer::nobody(&server).await;
    ann.refused(challenge(&["ann", "stranger"]), "not_found").await;
    ann.refused(challenge(&["ann", "ann"]), "bad_message").await;
    ann.refused(challenge(&["ann", "bob", "Bob"]), "bad_message").await;
    ann.refused(challenge(&["bob", "cy"]), "bad_message").await;
    ann.refused(challenge(&["ann"]), "bad_message").await;
    ann.refused(challenge(&["ann", "not a name"]), "bad_message").await;
    nobody.refused(challenge(&["ann", "bob"]), "forbidden").await;
    let mut other = challenge(&["ann", "bob"]);
    other["rules"] = json!("ludo");
    ann.refused(other, "not_found").await;
    let mut other = challenge(&["ann", "bob"]);
    other["rules"] = json!("adamas@99");
    ann.refused(other, "not_found").await;
    for kind in ["accept", "decline", "cancel"] {
        ann.refused(about(kind, &json!("h_0")), "not_found").await;
    }
}

#[tokio::test]
async fn a_challenge_waits_for_who_is_away_and_survives_a_restart() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let bob = Peer::guest(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
    let (ann_token, bob_token) = (ann.token.clone().unwrap(), bob.token.clone().unwrap());
    bob.leave().await;
    let id = ann.ask(challenge(&["ann", "bob", "cy"])).await["challenge"].clone();
    cy.ask(about("accept", &id)).await;
    let dropped = ann.ask(challenge(&["bob", "ann"])).await["challenge"].clone();
    ann.ask(about("cancel", &dropped)).await;

    server.kill9().await;
    server.restart().await;
    let mut ann = Peer::with_token(&server, &ann_token).await;
    let mut bob = Peer::with_token(&server, &bob_token).await;
    let mut told = challenged(&mut bob, &id).await;
    assert_eq!(told["accepted"], json!(["ann", "cy"]));
    // All that there is to say stands in the welcome, too, and which way the challenge goes.
    told.as_object_mut().unwrap().remove("type");
    for (peer, direction) in [(&ann, "out"), (&bob, "in")] {
        told["direction"] = json!(direction);
        assert_eq!(peer.welcome["challenges"], json!([told]));
    }
    let game = bob.ask(about("accept", &id)).await["game"].as_str().unwrap().to_owned();
    ann.next_event(&game, "started").await;
    // Who was away when it began finds it on coming back.
    let mut cy = cy.reconnect(&server).await;
    assert_eq!(cy.welcome["games"][0]["game"], game);
    assert_eq!(cy.welcome["challenges"], json!([]));
    cy.next_of("snapshot").await;
}

/// So many guests of that name with a number each, at an address of this machine of their own.
async fn guests(server: &Server, name: &str, count: u8) -> Vec<Peer> {
    let mut guests = Vec::new();
    for number in 0..count {
        let mut peer = Peer::connect_from([127, 0, 1, number + 1], server.address()).await;
        peer.hello_guest(&format!("{name}-{number}")).await;
        guests.push(peer);
    }
    guests
}

#[tokio::test]
async fn challenges_to_one_user_are_bounded_and_never_close_the_session() {
    let mut server = Server::start().await;
    let mut bob = Peer::nobody(&server).await;
    let signup = json!({"type": "signup", "user": "bob", "password": "open sesame"});
    let token = bob.ask(signup).await["token"].as_str().unwrap().to_owned();
    bob.leave().await;

    // Three of each pair, and of all guests together twenty.
    let mut crowd = guests(&server, "gus", 8).await;
    let mut limits = Vec::new();
    for peer in &mut crowd {
        let seats = [peer.name().to_owned(), "bob".to_owned()];
        for _ in 0..4 {
            let reply = peer.request(challenge(&[&seats[0], &seats[1]])).await;
            if reply["type"] != "ok" {
                assert_eq!(reply["code"], "rate_limited", "{reply}");
                limits.push(reply["limit"].as_str().unwrap().to_owned());
            }
        }
    }
    assert_eq!(limits.len(), 32 - 20);
    assert_eq!(limits.iter().filter(|limit| *limit == "challenges_per_pair").count(), 6);
    assert_eq!(limits.iter().filter(|limit| *limit == "guests_challenges_waiting").count(), 6);

    // There is room for accounts, up to fifty; of those from one address for ten.
    let mut accounts = Vec::new();
    let mut refused = Vec::new();
    for number in 0..12_u8 {
        let host = if number < 5 { 99 } else { 100 + number };
        let mut peer = Peer::connect_from([127, 0, 2, host], server.address()).await;
        peer.hello(json!({})).await;
        let name = format!("ada-{number}");
        let signup = json!({"type": "signup", "user": name, "password": "open sesame"});
        peer.ask(signup).await;
        for _ in 0..3 {
            let reply = peer.request(challenge(&[&name, "bob"])).await;
            if reply["type"] != "ok" {
                refused.push(reply["limit"].clone());
            }
        }
        accounts.push(peer);
    }
    let count = |limit: &str| refused.iter().filter(|other| **other == limit).count();
    assert_eq!((count("challenges_per_network"), count("challenges_waiting")), (5, 1));

    for restart in [false, true] {
        if restart {
            server.kill9().await;
            server.restart().await;
        }
        let mut bob = Peer::with_token(&server, &token).await;
        assert_eq!(bob.welcome["challenges_total"], 50);
        let newest = bob.welcome["challenges"].as_array().unwrap().clone();
        assert_eq!(newest.len(), 32);
        let times: Vec<u64> = newest.iter().map(|open| open["created"].as_u64().unwrap()).collect();
        assert!(times.iter().rev().is_sorted(), "the newest first: {times:?}");
        let mut reminded = Vec::new();
        for _ in 0..32 {
            reminded.push(bob.next_of("challenged").await["challenge"].clone());
        }
        reminded.reverse();
        let listed: Vec<Value> = newest.iter().map(|open| open["challenge"].clone()).collect();
        assert_eq!(reminded, listed);
        let rest = json!({"type": "challenges", "before": listed[31]});
        let rest = bob.ask(rest).await;
        assert_eq!(rest["challenges"].as_array().unwrap().len(), 18);
        assert_eq!(rest["more"], false);
        assert!(!bob.has_now(|frame| frame["type"] == "challenged").await, "{}", bob.story());
        bob.leave().await;
    }

    // Once bob has answered some there is room again.
    let mut bob = Peer::with_token(&server, &token).await;
    let gone = bob.welcome["challenges"][0]["challenge"].clone();
    bob.ask(about("decline", &gone)).await;
    let mut late = Peer::connect_from([127, 0, 3, 1], server.address()).await;
    late.hello(json!({})).await;
    late.ask(json!({"type": "signup", "user": "late", "password": "open sesame"})).await;
    late.ask(challenge(&["late", "bob"])).await;
    late.refused(challenge(&["late", "bob"]), "rate_limited").await;
    bob.refused(json!({"type": "challenges", "before": gone}), "not_found").await;
}

#[tokio::test]
async fn a_challenge_says_when_it_ends_and_sooner_where_a_guest_is_in_it() {
    const DAY_MS: u64 = 24 * 60 * 60 * 1000;
    let server = Server::start().await;
    let mut peers = Vec::new();
    for name in ["ann", "bob"] {
        let mut peer = Peer::nobody(&server).await;
        peer.ask(json!({"type": "signup", "user": name, "password": "open sesame"})).await;
        peers.push(peer);
    }
    let _gus = Peer::guest(&server, "gus").await;
    let (ann, rest) = peers.split_first_mut().unwrap();
    let bob = &mut rest[0];
    ann.ask(challenge(&["ann", "bob"])).await;
    let told = bob.next_of("challenged").await;
    let life = told["expires"].as_u64().unwrap() - told["created"].as_u64().unwrap();
    assert_eq!(life, 7 * DAY_MS);
    ann.ask(challenge(&["ann", "bob", "gus"])).await;
    let told = bob.next_of("challenged").await;
    let life = told["expires"].as_u64().unwrap() - told["created"].as_u64().unwrap();
    assert_eq!(life, DAY_MS);
    let own = ann.ask(json!({"type": "challenges"})).await;
    let directions: Vec<&Value> =
        own["challenges"].as_array().unwrap().iter().map(|open| &open["direction"]).collect();
    assert_eq!(directions, ["out", "out"]);
}
