//! How games begin: seeks, challenges, invites and rematches.

mod invites; // invites by a link
mod seeks; // seeks and the lobby list

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::harness::{Frame, PATIENCE, Peer, Server, game, with};

fn challenge(seats: &[&str]) -> Value {
    json!({"type": "challenge", "rules": "adamas", "seats": seats})
}

fn request_for(kind: &str, challenge: &Value) -> Value {
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
async fn an_accepted_challenge_starts_a_game_with_the_offered_options() {
    let (_server, [mut ann, mut bob, mut cy]) = Peer::start_with_guests(["ann", "bob", "cy"]).await;
    // Names are found in any spelling and sent in their owner's.
    let mut request = challenge(&["BOB", "ann"]);
    request["options"] = json!("-size=4 -prog_cap");
    request["clock"] = json!({"mode": "per_move", "move_ms": 60_000});
    let id = ann.ask(request).await["challenge"].clone();
    let told = challenged(&mut bob, &id).await;
    assert_eq!((&told["by"], &told["seats"]), (&json!("ann"), &json!(["bob", "ann"])));
    assert_eq!(told["options"], json!({"size": 4, "pieces": 12, "prog_cap": true}));
    assert_eq!(told["accepted"], json!(["ann"]));
    ann.refused(request_for("accept", &id), "forbidden").await;
    cy.refused(request_for("accept", &id), "forbidden").await;
    cy.refused(request_for("decline", &id), "forbidden").await;
    bob.refused(request_for("cancel", &id), "forbidden").await;

    let game = bob.ask(request_for("accept", &id)).await["game"].clone();
    let name = game.as_str().unwrap();
    for peer in [&mut ann, &mut bob] {
        assert_eq!(closed(peer, &id).await["game"], game);
        let created = peer.next_event(name, "created").await;
        assert_eq!(created["seats"][0]["user"], "bob");
        assert_eq!((&created["options"], &created["clock"]), (&told["options"], &told["clock"]));
        peer.next_event(name, "started").await;
    }
    for kind in ["accept", "decline"] {
        bob.refused(request_for(kind, &id), "not_found").await;
    }
    ann.refused(request_for("cancel", &id), "not_found").await;
}

#[tokio::test]
async fn a_challenge_is_declined_with_a_reason_or_cancelled() {
    let (_server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
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
    ann.ask(request_for("cancel", &id)).await;
    for peer in [&mut ann, &mut bob] {
        let told = closed(peer, &id).await;
        assert_eq!((&told["reason"], &told["by"]), (&json!("cancelled"), &json!("ann")));
    }
    bob.refused(request_for("accept", &id), "not_found").await;
}

#[tokio::test]
async fn a_challenge_of_three_needs_both_acceptances() {
    let (_server, [mut ann, mut bob, mut cy]) = Peer::start_with_guests(["ann", "bob", "cy"]).await;
    let id = ann.ask(challenge(&["cy", "ann", "bob"])).await["challenge"].clone();
    challenged(&mut cy, &id).await;
    challenged(&mut bob, &id).await;
    let ok = bob.ask(request_for("accept", &id)).await;
    assert_eq!(ok.get("game"), None, "{ok}");
    let told = challenged(&mut cy, &id).await;
    assert_eq!(told["accepted"], json!(["ann", "bob"]));
    bob.refused(request_for("accept", &id), "forbidden").await;
    let game = cy.ask(request_for("accept", &id)).await["game"].as_str().unwrap().to_owned();
    for peer in [&mut ann, &mut bob, &mut cy] {
        assert_eq!(peer.next_event(&game, "created").await["seats"][0]["user"], "cy");
        peer.next_event(&game, "started").await;
    }

    // One player who declines ends the challenge for all.
    let id = ann.ask(challenge(&["cy", "ann", "bob"])).await["challenge"].clone();
    bob.ask(request_for("accept", &id)).await;
    cy.ask(request_for("decline", &id)).await;
    for peer in [&mut ann, &mut bob, &mut cy] {
        let told = closed(peer, &id).await;
        assert_eq!((&told["reason"], &told["by"]), (&json!("generic"), &json!("cy")));
    }
}

#[tokio::test]
async fn an_invalid_challenge_is_rejected() {
    let (server, [mut ann, _bob, _cy]) = Peer::start_with_guests(["ann", "bob", "cy"]).await;
    let mut anonymous = Peer::anonymous(&server).await;
    ann.refused(challenge(&["ann", "stranger"]), "not_found").await;
    ann.refused(challenge(&["ann", "ann"]), "bad_message").await;
    ann.refused(challenge(&["ann", "bob", "Bob"]), "bad_message").await;
    ann.refused(challenge(&["bob", "cy"]), "bad_message").await;
    ann.refused(challenge(&["ann"]), "bad_message").await;
    ann.refused(challenge(&["ann", "not a name"]), "bad_message").await;
    anonymous.refused(challenge(&["ann", "bob"]), "forbidden").await;
    let mut other = challenge(&["ann", "bob"]);
    other["rules"] = json!("ludo");
    ann.refused(other, "not_found").await;
    let mut other = challenge(&["ann", "bob"]);
    other["rules"] = json!("adamas@99");
    ann.refused(other, "not_found").await;
    for kind in ["accept", "decline", "cancel"] {
        ann.refused(request_for(kind, &json!("h_0")), "not_found").await;
    }
}

#[tokio::test]
async fn a_challenge_waits_for_an_absent_player_and_survives_a_restart() {
    let (mut server, [mut ann, bob, mut cy]) = Peer::start_with_guests(["ann", "bob", "cy"]).await;
    let (ann_token, bob_token) = (ann.token.clone().unwrap(), bob.token.clone().unwrap());
    bob.close().await;
    let id = ann.ask(challenge(&["ann", "bob", "cy"])).await["challenge"].clone();
    cy.ask(request_for("accept", &id)).await;
    let dropped = ann.ask(challenge(&["bob", "ann"])).await["challenge"].clone();
    ann.ask(request_for("cancel", &dropped)).await;

    server.crash().await;
    let mut ann = Peer::with_token(&server, &ann_token).await;
    let mut bob = Peer::with_token(&server, &bob_token).await;
    let mut told = challenged(&mut bob, &id).await;
    assert_eq!(told["accepted"], json!(["ann", "cy"]));
    // The welcome contains the whole challenge and its direction.
    told.as_object_mut().unwrap().remove("type");
    for (peer, direction) in [(&ann, "out"), (&bob, "in")] {
        told["direction"] = json!(direction);
        assert_eq!(peer.welcome["challenges"], json!([told]));
    }
    let game = bob.ask(request_for("accept", &id)).await["game"].as_str().unwrap().to_owned();
    ann.next_event(&game, "started").await;
    // A player who was away when the game began finds it after a reconnect.
    let mut cy = cy.reconnect(&server).await;
    assert_eq!(cy.welcome["games"][0]["game"], game);
    assert_eq!(cy.welcome["challenges"], json!([]));
    cy.next_of("snapshot").await;
}

/// Connects guests with numbered names from a loopback address of their own.
async fn guests(server: &Server, name: &str, count: u8) -> Vec<Peer> {
    let mut guests = Vec::new();
    for number in 0..count {
        let mut peer = Peer::connect_from([127, 0, 1, number + 1], server.address()).await;
        peer.hello_guest(&format!("{name}-{number}")).await;
        guests.push(peer);
    }
    guests
}

/// Connects a client as a user, again and again until the server's `welcome` counts this many
/// challenges. Returns that client.
async fn with_challenges(server: &Server, token: &str, challenges: u64) -> Peer {
    let knows = async {
        loop {
            let peer = Peer::with_token(server, token).await;
            if peer.welcome["challenges_total"] == challenges {
                return peer;
            }
            peer.close().await;
        }
    };
    timeout(PATIENCE, knows).await.expect("all challenges, in time")
}

#[tokio::test]
async fn challenges_to_one_user_are_limited() {
    let mut server = Server::start().await;
    let mut bob = Peer::anonymous(&server).await;
    let signup = json!({"type": "signup", "user": "bob", "password": "open sesame"});
    let token = bob.ask(signup).await["token"].as_str().unwrap().to_owned();
    bob.close().await;

    // Three for each pair of users, and twenty for all guests together.
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

    // Accounts have room up to fifty, and up to ten from one address.
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
            server.crash().await;
        }
        let mut bob = with_challenges(&server, &token, 50).await;
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
        assert!(
            !bob.has_received(|frame| frame["type"] == "challenged").await,
            "{}",
            bob.recent_frames()
        );
        bob.close().await;
    }

    // Each answer makes room for another challenge.
    let mut bob = with_challenges(&server, &token, 50).await;
    let gone = bob.welcome["challenges"][0]["challenge"].clone();
    bob.ask(request_for("decline", &gone)).await;
    let mut late = Peer::connect_from([127, 0, 3, 1], server.address()).await;
    late.hello(json!({})).await;
    late.ask(json!({"type": "signup", "user": "late", "password": "open sesame"})).await;
    late.ask(challenge(&["late", "bob"])).await;
    late.refused(challenge(&["late", "bob"]), "rate_limited").await;
    bob.refused(json!({"type": "challenges", "before": gone}), "not_found").await;
}

#[tokio::test]
async fn a_challenge_has_an_expiry_which_is_earlier_with_a_guest() {
    const DAY_MS: u64 = 24 * 60 * 60 * 1000;
    let server = Server::start().await;
    let mut peers = Vec::new();
    for name in ["ann", "bob"] {
        let mut peer = Peer::anonymous(&server).await;
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

#[tokio::test]
async fn the_clock_decides_how_long_a_challenge_stays_open() {
    const HOUR_MS: u64 = 3_600_000;
    let (server, [mut ann, mut bob]) = Peer::start_with_accounts(["ann", "bob"]).await;
    Peer::guest(&server, "cy").await;
    let clocks = [
        (json!({"mode": "none"}), 7 * 24 * HOUR_MS),
        (json!({"mode": "days", "per_move_days": 1}), 7 * 24 * HOUR_MS),
        (json!({"mode": "fischer", "base_ms": 180_000, "inc_ms": 2_000}), HOUR_MS / 6),
    ];
    for (clock, life) in clocks {
        for other in ["bob", "cy"] {
            let mut request = challenge(&["ann", other]);
            request["clock"] = clock.clone();
            ann.ask(request).await;
            let open = ann.ask(json!({"type": "challenges", "limit": 1})).await;
            let open = &open["challenges"][0];
            let lived = open["expires"].as_u64().unwrap() - open["created"].as_u64().unwrap();
            assert_eq!(lived, if other == "cy" { life.min(24 * HOUR_MS) } else { life });
            if other == "bob" {
                assert_eq!(challenged(&mut bob, &open["challenge"]).await["clock"], clock);
            }
        }
    }
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
    let (mut server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let finished = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::resign(&mut ann, &mut bob, &finished).await;
    let open = ann.ask(challenge(&["ann", "bob"])).await["challenge"].clone();

    bob.ask(about("block", "Ann")).await;
    bob.ask(about("block", "ann")).await;
    server.crash().await;
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
    let (server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    ann.ask(json!({"type": "bot_create", "name": "annbot"})).await;
    let made = json!({"type": "token_create", "label": "server", "user": "annbot"});
    let secret = ann.ask(made).await["token"].as_str().unwrap().to_owned();
    let mut annbot = Peer::with_token(&server, &secret).await;
    let mut bob = Peer::guest(&server, "bob").await;
    let finished = game::start(&mut [&mut bob, &mut annbot], json!({})).await;
    game::resign(&mut bob, &mut annbot, &finished).await;
    bob.ask(about("block", "ann")).await;
    do_not_meet(&mut annbot, &mut bob, &finished).await;
    do_not_meet(&mut bob, &mut annbot, &finished).await;
}

#[tokio::test]
async fn the_talk_of_a_blocked_user_is_hidden() {
    let (_server, mut ann, mut bob, game) = game::server_with_two().await;
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
    let (mut server, [mut ann, mut bob]) = Peer::start_with_accounts(["ann", "bob"]).await;
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
    server.crash().await;
    let [mut ann, mut bob] = Peer::reconnect_all([ann, bob], &server).await;
    assert_eq!(bob.welcome["settings"], json!({"challenges": "none"}));
    ann.refused(challenge(&["ann", "bob"]), "not_accepting").await;
    // One's own challenges, and rematches, are still possible.
    bob.ask(challenge(&["ann", "bob"])).await;
    game::resign(&mut ann, &mut bob, &played).await;
    ann.ask(json!({"type": "rematch", "game": played})).await;
    let unchanged = bob.ask(with(json!({"type": "settings_set"}), json!({}))).await;
    assert_eq!(unchanged["challenges"], "none");
    bob.refused(set("friends"), "bad_message").await;
    Peer::anonymous(&server).await.refused(json!({"type": "settings_get"}), "forbidden").await;
}

fn rematch(game: &str) -> Value {
    json!({"type": "rematch", "game": game})
}

/// Plays a game that ann resigns.
async fn resigned(peers: &mut [&mut Peer], terms: Value) -> String {
    let game = game::start(peers, terms).await;
    peers[0].ask(json!({"type": "resign", "game": game})).await;
    if peers.len() == 3 {
        peers[1].ask(json!({"type": "resign", "game": game})).await;
    }
    for peer in peers {
        peer.next_event(&game, "ended").await;
    }
    game
}

async fn rematch_challenged(peer: &mut Peer, before: &str) -> Frame {
    peer.next_matching("the challenge", |frame| {
        frame["type"] == "challenged" && frame["rematch_of"] == before
    })
    .await
}

async fn rematch_closed(peer: &mut Peer, before: &str) -> Frame {
    peer.next_matching("the challenge's end", |frame| {
        frame["type"] == "challenge_closed" && frame["rematch_of"] == before
    })
    .await
}

fn users(created: &Frame) -> Vec<&str> {
    created["seats"].as_array().unwrap().iter().map(|seat| seat["user"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_first_request_challenges_and_the_second_accepts() {
    let (_server, [mut ann, mut bob, mut eve]) =
        Peer::start_with_guests(["ann", "bob", "eve"]).await;
    let terms =
        json!({"options": "-size=4 -prog_cap", "clock": {"mode": "days", "per_move_days": 3}});
    let before = game::start(&mut [&mut ann, &mut bob], terms).await;
    ann.refused(rematch(&before), "forbidden").await;
    ann.ask(json!({"type": "resign", "game": before})).await;
    eve.refused(rematch(&before), "not_a_player").await;
    ann.refused(rematch("nothing"), "not_found").await;

    let asked = bob.ask(rematch(&before)).await;
    assert!(asked["challenge"].is_string() && asked["game"].is_null(), "{asked}");
    let told = rematch_challenged(&mut ann, &before).await;
    assert_eq!((&told["challenge"], &told["by"]), (&asked["challenge"], &json!("bob")));
    assert_eq!(told["seats"], json!(["bob", "ann"]), "another begins");
    // A repeated request changes nothing.
    let again = bob.ask(rematch(&before)).await;
    assert_eq!((&again["challenge"], &again["dup"]), (&asked["challenge"], &json!(true)));

    let begun = ann.ask(rematch(&before)).await;
    assert_eq!(begun["challenge"], asked["challenge"]);
    let next = begun["game"].as_str().unwrap();
    for peer in [&mut ann, &mut bob] {
        assert_eq!(rematch_closed(peer, &before).await["game"], next);
        let created = peer.next_event(next, "created").await;
        assert_eq!(users(&created), ["bob", "ann"]);
        assert_eq!(created["options"], json!({"size": 4, "pieces": 12, "prog_cap": true}));
        assert_eq!(created["clock"], json!({"mode": "days", "per_move_days": 3}));
        // A game has one rematch.
        let again = peer.ask(rematch(&before)).await;
        assert_eq!((&again["game"], &again["dup"]), (&json!(next), &json!(true)));
    }
    // The rematch of a rematch has the first game's seats.
    bob.ask(json!({"type": "abort", "game": next})).await;
    ann.ask(rematch(next)).await;
    assert_eq!(rematch_challenged(&mut bob, next).await["seats"], json!(["ann", "bob"]));
}

#[tokio::test]
async fn a_declined_or_cancelled_rematch_can_be_requested_again() {
    let (_server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let before = resigned(&mut [&mut ann, &mut bob], json!({})).await;
    ann.ask(rematch(&before)).await;
    let told = rematch_challenged(&mut bob, &before).await;
    bob.ask(json!({"type": "decline", "challenge": told["challenge"], "reason": "later"})).await;
    let off = rematch_closed(&mut ann, &before).await;
    assert_eq!((&off["reason"], &off["by"]), (&json!("later"), &json!("bob")));

    let asked = bob.ask(rematch(&before)).await;
    assert_ne!(asked["challenge"], told["challenge"]);
    bob.ask(json!({"type": "cancel", "challenge": asked["challenge"]})).await;
    ann.ask(rematch(&before)).await;
    // A rematch is an ordinary challenge.
    let told = rematch_challenged(&mut bob, &before).await;
    let begun = bob.ask(json!({"type": "accept", "challenge": told["challenge"]})).await;
    assert_eq!(ann.ask(rematch(&before)).await["game"], begun["game"]);
}

#[tokio::test]
async fn three_simultaneous_requests_start_one_game() {
    let (_server, [mut ann, mut bob, mut cy]) = Peer::start_with_guests(["ann", "bob", "cy"]).await;
    for _ in 0..5 {
        let before = resigned(&mut [&mut ann, &mut bob, &mut cy], json!({})).await;
        let mut ask = rematch(&before);
        ask["id"] = json!(format!("once more {before}"));
        for peer in [&mut cy, &mut ann, &mut bob] {
            peer.send(&ask).await;
        }
        let mut games = Vec::new();
        for peer in [&mut ann, &mut bob, &mut cy] {
            let done = peer.next_matching("the reply", |frame| frame["re"] == ask["id"]).await;
            assert_eq!(done["type"], "ok", "{}", peer.recent_frames());
            let game = rematch_closed(peer, &before).await["game"].clone();
            let created = peer.next_event(game.as_str().unwrap(), "created").await;
            assert_eq!(users(&created), ["bob", "cy", "ann"]);
            games.push(game);
        }
        games.dedup();
        assert_eq!(games.len(), 1);
        let next = games[0].as_str().unwrap();
        for peer in [&mut ann, &mut bob, &mut cy] {
            assert_eq!(peer.ask(rematch(&before)).await["game"], next);
        }
        ann.ask(json!({"type": "abort", "game": next})).await;
        ann.next_event(next, "aborted").await;
    }
    let live = ann.ask(json!({"type": "games"})).await;
    assert_eq!(live["games"], json!([]));
}

#[tokio::test]
async fn a_crash_neither_loses_nor_doubles_a_rematch() {
    let (mut server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let before = resigned(&mut [&mut ann, &mut bob], json!({})).await;
    let asked = ann.ask(rematch(&before)).await;
    server.crash().await;
    let mut bob = bob.reconnect(&server).await;
    assert_eq!(rematch_challenged(&mut bob, &before).await["challenge"], asked["challenge"]);
    let mut ann = ann.reconnect(&server).await;
    let again = ann.ask(rematch(&before)).await;
    assert_eq!((&again["challenge"], &again["dup"]), (&asked["challenge"], &json!(true)));
    let begun = bob.ask(rematch(&before)).await;
    server.crash().await;
    for peer in [ann, bob] {
        let mut peer = peer.reconnect(&server).await;
        assert_eq!(peer.welcome["challenges"], json!([]));
        assert_eq!(peer.ask(rematch(&before)).await["game"], begun["game"]);
    }
}

#[tokio::test]
async fn a_server_bot_accepts_a_rematch_at_once() {
    let (_server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let seats = json!({"type": "challenge", "rules": "hexma", "seats": ["ann", "house"]});
    ann.ask(seats).await;
    let game = ann.next_of("challenge_closed").await["game"].as_str().unwrap().to_owned();
    ann.ask(json!({"type": "resign", "game": game})).await;
    ann.ask(rematch(&game)).await;
    let next = rematch_closed(&mut ann, &game).await["game"].clone();
    let created = ann.next_event(next.as_str().unwrap(), "created").await;
    assert_eq!((users(&created), &created["rules"]), (vec!["house", "ann"], &json!("hexma@1")));
}
