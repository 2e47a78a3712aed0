//! Seeks: opened, joined, restricted, withdrawn, and closed with their session.

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::harness::{Frame, PATIENCE, Peer, Server, with};

fn seek(terms: Value) -> Value {
    with(json!({"type": "seek", "rules": "adamas"}), terms)
}

fn accept(seek: &Value) -> Value {
    json!({"type": "accept", "seek": seek})
}

fn users(created: &Frame) -> Vec<&str> {
    let seats = created["seats"].as_array().unwrap();
    seats.iter().map(|seat| seat["user"].as_str().unwrap()).collect()
}

/// Lists the open seeks until those are the ones.
async fn listed(peer: &mut Peer, seeks: &[&Value]) -> Frame {
    let listed = async {
        loop {
            let lobby = peer.ask(json!({"type": "lobby", "watch": false})).await;
            let added = lobby["add"].as_array().unwrap();
            if added.iter().map(|entry| &entry["seek"]).eq(seeks.iter().copied()) {
                return lobby;
            }
        }
    };
    timeout(PATIENCE, listed).await.expect("these seeks are listed")
}

/// Waits for the lobby change that adds or removes a seek.
async fn lobby_change(watcher: &mut Peer, what: &str, id: &Value) -> Frame {
    watcher
        .next_matching(what, |frame| {
            let changed = frame[what].as_array().into_iter().flatten();
            frame["type"] == "lobby"
                && frame.get("re").is_none()
                && changed.into_iter().any(|entry| entry == id || entry["seek"] == *id)
        })
        .await
}

#[tokio::test]
async fn an_accepted_seek_starts_a_game_in_the_requested_seat() {
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let mut watcher = Peer::anonymous(&server).await;
    let lobby = watcher.ask(json!({"type": "lobby", "watch": true})).await;
    assert_eq!((&lobby["add"], &lobby["remove"]), (&json!([]), &json!([])));

    let clock = json!({"mode": "fischer", "base_ms": 300_000, "inc_ms": 5_000});
    let wish = json!({"seat": 1, "options": "-size=4", "clock": clock});
    let id = ann.ask(seek(wish)).await["seek"].clone();
    let added = lobby_change(&mut watcher, "add", &id).await;
    let entry = &added["add"][0];
    assert_eq!((&entry["by"], &entry["players"]), (&json!("ann"), &json!(2)));
    assert_eq!((&entry["options"]["size"], &entry["clock"]), (&json!(4), &clock));
    assert_eq!(entry["joined"], json!(["ann"]));
    assert_eq!(listed(&mut bob, &[&id]).await["add"], added["add"]);

    ann.refused(accept(&id), "forbidden").await;
    watcher.refused(accept(&id), "forbidden").await;
    let ok = bob.ask(accept(&id)).await;
    let game = ok["game"].as_str().unwrap().to_owned();
    lobby_change(&mut watcher, "remove", &id).await;
    for peer in [&mut ann, &mut bob] {
        let created = peer.next_event(&game, "created").await;
        assert_eq!(users(&created), ["bob", "ann"]);
        assert_eq!((&created["options"]["size"], &created["clock"]), (&json!(4), &clock));
        peer.next_event(&game, "started").await;
    }
    assert_eq!(bob.next_of("your_turn").await["game"], game);
    bob.refused(accept(&id), "not_found").await;
    // Bob requested the list without watching it, and has received no change since.
    assert!(!bob.has_received(|frame| frame["type"] == "lobby").await, "{}", bob.recent_frames());
}

#[tokio::test]
async fn a_seek_of_three_starts_without_players_who_left() {
    let (server, [mut ann, mut bob, mut cy]) = Peer::start_with_guests(["ann", "bob", "cy"]).await;
    ann.ask(json!({"type": "lobby"})).await;
    let id = ann.ask(seek(json!({"players": 3, "seat": 2}))).await["seek"].clone();
    lobby_change(&mut ann, "add", &id).await;

    let ok = bob.ask(accept(&id)).await;
    assert_eq!(ok.get("game"), None, "one is missing: {ok}");
    let joined = lobby_change(&mut ann, "add", &id).await;
    assert_eq!(joined["add"][0]["joined"], json!(["ann", "bob"]));
    bob.refused(accept(&id), "forbidden").await;
    let bob_token = bob.token.clone().unwrap();
    bob.close().await;
    let left = lobby_change(&mut ann, "add", &id).await;
    assert_eq!(left["add"][0]["joined"], json!(["ann"]));

    let mut bob = Peer::with_token(&server, &bob_token).await;
    cy.ask(accept(&id)).await;
    let game = bob.ask(accept(&id)).await["game"].as_str().unwrap().to_owned();
    for peer in [&mut ann, &mut bob, &mut cy] {
        let created = peer.next_event(&game, "created").await;
        assert_eq!(users(&created)[2], "ann");
        peer.next_event(&game, "started").await;
    }
}

#[tokio::test]
async fn a_seek_can_restrict_its_opponents() {
    let (server, [mut ann, mut guest]) = Peer::start_with_guests(["ann", "gus"]).await;
    let mut account = Peer::anonymous(&server).await;
    account.ask(json!({"type": "signup", "user": "ada", "password": "open sesame"})).await;
    let token = account.ask(json!({"type": "token_create", "label": "hexbot", "bot": true})).await;
    let mut bot = Peer::with_token(&server, token["token"].as_str().unwrap()).await;
    assert_eq!(bot.welcome["user"], json!({"name": "ada", "bot": true, "guest": false}));

    let no_guests = json!({"allow": {"guests": false, "bots": true}});
    let id = ann.ask(seek(no_guests)).await["seek"].clone();
    guest.refused(accept(&id), "forbidden").await;
    let game = bot.ask(accept(&id)).await["game"].as_str().unwrap().to_owned();
    let created = ann.next_event(&game, "created").await;
    let bots = created["seats"].as_array().unwrap().iter().filter(|seat| seat["bot"] == true);
    assert_eq!(bots.count(), 1, "{created}");

    let id = ann.ask(seek(json!({"allow": {"bots": false}}))).await["seek"].clone();
    bot.refused(accept(&id), "forbidden").await;
    guest.ask(accept(&id)).await;
}

#[tokio::test]
async fn a_seek_closes_with_its_session_or_by_its_owner() {
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    bob.ask(json!({"type": "lobby", "watch": true})).await;

    let id = ann.ask(seek(json!({}))).await["seek"].clone();
    // Of a seek that closes before bob hears of it, bob hears nothing.
    lobby_change(&mut bob, "add", &id).await;
    let unseek = json!({"type": "unseek", "seek": id});
    bob.refused(unseek.clone(), "forbidden").await;
    ann.ask(unseek.clone()).await;
    lobby_change(&mut bob, "remove", &id).await;
    ann.refused(unseek, "not_found").await;
    bob.refused(accept(&id), "not_found").await;

    let id = ann.ask(seek(json!({}))).await["seek"].clone();
    lobby_change(&mut bob, "add", &id).await;
    drop(ann);
    lobby_change(&mut bob, "remove", &id).await;
    bob.refused(accept(&id), "not_found").await;

    // A client that unwatches the lobby receives no more changes.
    bob.ask(json!({"type": "lobby", "watch": false})).await;
    let mut cy = Peer::guest(&server, "cy").await;
    let id = cy.ask(seek(json!({}))).await["seek"].clone();
    assert!(
        !bob.has_received(|frame| frame["add"][0]["seek"] == id).await,
        "{}",
        bob.recent_frames()
    );
}

#[tokio::test]
async fn an_invalid_seek_is_rejected() {
    let (server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let mut anonymous = Peer::anonymous(&server).await;
    anonymous.refused(seek(json!({})), "forbidden").await;
    ann.refused(seek(json!({"rules": "ludo"})), "not_found").await;
    ann.refused(seek(json!({"seat": 2})), "bad_message").await;
    ann.refused(seek(json!({"players": 4})), "bad_message").await;
    ann.refused(seek(json!({"options": {"size": 99}})), "bad_message").await;
    ann.refused(seek(json!({"options": "-colour=red"})), "bad_message").await;
    ann.refused(seek(json!({"clock": {"mode": "per_move", "move_ms": 1}})), "bad_message").await;
    ann.refused(seek(json!({"clock": {"mode": "sundial"}})), "bad_message").await;
    ann.refused(json!({"type": "accept", "seek": "k_1", "challenge": "h_1"}), "bad_message").await;
    for _ in 0..8 {
        ann.ask(seek(json!({}))).await;
    }
    let refused = ann.refused(seek(json!({})), "rate_limited").await;
    assert_eq!(refused["limit"], "seeks");
}

#[tokio::test]
async fn matching_seeks_start_a_game_at_once() {
    let (_server, [mut ann, mut bob, mut cy]) = Peer::start_with_guests(["ann", "bob", "cy"]).await;
    let first = ann.ask(seek(json!({"seat": 0}))).await;
    for other in [
        json!({"seat": 0}),
        json!({"options": "-size=4"}),
        json!({"players": 3}),
        json!({"clock": {"mode": "per_move", "move_ms": 5_000}}),
        json!({"allow": {"guests": false}}),
    ] {
        let ok = bob.ask(seek(other)).await;
        assert_eq!(ok.get("game"), None, "{ok}");
        assert_ne!(ok["seek"], first["seek"]);
    }
    let ok = cy.ask(seek(json!({"seat": 1}))).await;
    assert_eq!(ok["seek"], first["seek"]);
    let game = ok["game"].as_str().unwrap();
    for peer in [&mut ann, &mut cy] {
        assert_eq!(users(&peer.next_event(game, "created").await), ["ann", "cy"]);
    }

    // A player who joined by seeking leaves the seek without closing it.
    let three = seek(json!({"players": 3}));
    let id = cy.ask(three).await["seek"].clone();
    let unseek = json!({"type": "unseek", "seek": id});
    cy.ask(unseek.clone()).await;
    let listed = cy.ask(json!({"type": "lobby", "watch": false})).await;
    let entry = listed["add"].as_array().unwrap().iter().find(|entry| entry["seek"] == id);
    assert_eq!(entry.unwrap()["joined"], json!(["bob"]));
    cy.refused(unseek, "forbidden").await;
}

/// Starts games of ann and bob until ann has the most live games allowed.
async fn fill(ann: &mut Peer, bob: &mut Peer) {
    let most = ann.welcome["limits"]["live_games"].as_u64().unwrap();
    for _ in 0..most {
        let id = bob.ask(seek(json!({}))).await["seek"].clone();
        ann.ask(accept(&id)).await;
    }
}

#[tokio::test]
async fn a_rejected_acceptance_keeps_the_seek() {
    let server = Server::with(|setup| {
        setup.set("limits", "enforced", false);
        // Players wait without an answer to pings while other players start hundreds of games.
        setup.set("limits", "idle_close", "10m");
    });
    let server = server.await;
    let [mut ann, mut bob] = Peer::guests(&server, ["ann", "bob"]).await;
    fill(&mut ann, &mut bob).await;
    let [mut cy, mut dee] = Peer::guests(&server, ["cy", "dee"]).await;
    let small = json!({"options": "-size=4", "seat": 0});
    let id = cy.ask(seek(small.clone())).await["seek"].clone();
    dee.ask(json!({"type": "lobby", "watch": true})).await;

    let refusal = ann.refused(accept(&id), "rate_limited").await;
    assert_eq!(refusal["limit"], "games");
    ann.refused(seek(json!({"options": "-size=4", "seat": 1})), "rate_limited").await;
    assert_eq!(listed(&mut dee, &[&id]).await["add"][0]["joined"], json!(["cy"]));

    // One of three has reached the limit of live games: the seek is open again without that player.
    let three = json!({"players": 3, "options": "-size=5"});
    let id = cy.ask(seek(three)).await["seek"].clone();
    let mut eve = Peer::guest(&server, "eve").await;
    eve.ask(accept(&id)).await;
    let mut bot = Peer::guest(&server, "bot").await;
    fill(&mut eve, &mut bot).await;
    dee.refused(accept(&id), "rate_limited").await;
    let listed = dee.ask(json!({"type": "lobby", "watch": false})).await;
    let entry = listed["add"].as_array().unwrap().iter().find(|entry| entry["seek"] == id);
    assert_eq!(entry.expect("it is open")["joined"], json!(["cy"]));
    let ok = dee.ask(accept(&id)).await;
    assert_eq!(ok["seek"], id, "{ok}");
}

#[tokio::test]
async fn seeks_are_limited_by_user_and_by_network() {
    let (server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let mut tab = Peer::with_token(&server, ann.token.as_ref().unwrap()).await;
    for _ in 0..4 {
        ann.ask(seek(json!({}))).await;
        tab.ask(seek(json!({}))).await;
    }
    for session in [&mut ann, &mut tab] {
        assert_eq!(session.refused(seek(json!({})), "rate_limited").await["limit"], "seeks");
    }
    // Other users at the same address share the rest of the network's limit.
    let (mut open, mut peers) = (8, Vec::new());
    for name in ["bob", "cy", "dee"] {
        let mut peer = Peer::guest(&server, name).await;
        for size in 0..8 {
            let wish = json!({"rules": "stymie", "options": {"size": 5 + size},
                "allow": {"guests": false}});
            let reply = peer.request(seek(wish)).await;
            open += usize::from(reply["type"] == "ok");
            if reply["type"] != "ok" {
                assert_eq!(reply["limit"], "seeks_per_network", "{reply}");
                assert_eq!(open, 20);
            }
        }
        peers.push(peer);
    }
    let mut elsewhere = Peer::connect_from([127, 0, 0, 9], server.address()).await;
    elsewhere.hello_guest("eve").await;
    elsewhere.ask(seek(json!({"options": "-size=6"}))).await;
}

#[tokio::test]
async fn the_lobby_is_paginated_and_its_changes_are_batched() {
    let server = Server::with(|setup| setup.set("limits", "enforced", false)).await;
    let mut seekers = Vec::new();
    for number in 0..26 {
        let mut peer = Peer::guest(&server, &format!("seeker-{number}")).await;
        for _ in 0..8 {
            peer.ask(seek(json!({"allow": {"guests": false}}))).await;
        }
        seekers.push(peer);
    }
    let mut watcher = Peer::anonymous(&server).await;
    // The ids of several nodes name the node before the number.
    let number = |seek: &Value| -> u64 {
        seek.as_str().unwrap().rsplit_once('_').unwrap().1.parse().unwrap()
    };
    let list = |reply: &Frame| -> Vec<u64> {
        let entries = reply["add"].as_array().unwrap().iter();
        entries.map(|entry| number(&entry["seek"])).collect()
    };
    // A node learns of the seeks of another one a moment later.
    let all = async {
        loop {
            let first = watcher.ask(json!({"type": "lobby", "watch": true})).await;
            let before = &first["add"][0]["seek"];
            let second = watcher.ask(json!({"type": "lobby", "before": before})).await;
            let mut all = list(&second);
            all.extend(list(&first));
            if all.len() >= 208 {
                assert_eq!((list(&first).len(), &first["more"]), (200, &json!(true)));
                assert_eq!(second.get("more"), None);
                break all;
            }
        }
    };
    let all = timeout(PATIENCE, all).await.expect("all seeks, in time");
    assert!(all.is_sorted() && all.len() == 208, "{all:?}");

    // Ten sessions end at once: the watcher, who requested the next page, receives few messages.
    let heard = watcher.frames().count();
    let mut gone: Vec<u64> = Vec::new();
    seekers.truncate(16);
    while gone.len() < 80 {
        let change = watcher.next_matching("what closed", |frame| {
            frame["type"] == "lobby"
                && frame["remove"].as_array().is_some_and(|all| !all.is_empty())
        });
        let change = change.await;
        let removed = change["remove"].as_array().unwrap().iter();
        gone.extend(removed.map(number));
    }
    gone.sort_unstable();
    assert_eq!(gone, all[128..]);
    let told = watcher.frames().count() - heard;
    assert!(told < 20, "{told} messages for 80 seeks");
}

#[tokio::test]
async fn a_lasting_seek_survives_its_connection_and_a_crash() {
    let (mut server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    let days = json!({"mode": "days", "per_move_days": 2});
    let lasting = seek(json!({"lasting": true, "clock": days, "seat": 1, "players": 3}));
    let id = ann.ask(lasting.clone()).await["seek"].clone();
    let closed = ann.ask(seek(json!({"lasting": true, "rules": "hexma"}))).await["seek"].clone();
    ann.ask(json!({"type": "unseek", "seek": closed})).await;
    let token = ann.token.clone().unwrap();
    ann.close().await;
    let mut bob = Peer::guest(&server, "bob").await;
    assert_eq!(bob.ask(accept(&id)).await.get("game"), None);
    let bob_token = bob.token.clone().unwrap();
    bob.close().await;
    server.crash().await;

    let mut cy = Peer::guest(&server, "cy").await;
    let open = cy.ask(json!({"type": "lobby", "watch": false})).await["add"].clone();
    assert_eq!(open.as_array().unwrap().len(), 1, "{open}");
    assert_eq!((&open[0]["lasting"], &open[0]["joined"]), (&json!(true), &json!(["ann", "bob"])));
    assert!(open[0]["expires"].is_u64());
    // One who has joined may leave, and a seek for the same game joins it.
    let mut bob = Peer::with_token(&server, &bob_token).await;
    bob.ask(json!({"type": "unseek", "seek": id})).await;
    bob.ask(accept(&id)).await;
    let ok = cy.ask(seek(json!({"clock": days, "players": 3}))).await;
    assert_eq!(ok["seek"], id);
    let game = ok["game"].as_str().unwrap().to_owned();
    assert_eq!(users(&cy.next_event(&game, "created").await)[1], "ann");
    server.crash().await;
    let ann = Peer::with_token(&server, &token).await;
    assert_eq!(ann.welcome["games"][0]["game"], game);
    let mut cy = cy.reconnect(&server).await;
    assert_eq!(cy.ask(json!({"type": "lobby", "watch": false})).await["add"], json!([]));
}

#[tokio::test]
async fn a_seek_admits_the_ratings_that_it_names() {
    let (server, [mut ann, mut bob]) = Peer::start_with_accounts(["ann", "bob"]).await;
    let strong = json!({"rating": {"min": 1600}});
    let id = ann.ask(seek(strong.clone())).await["seek"].clone();
    bob.refused(accept(&id), "forbidden").await;
    let own = bob.ask(seek(json!({}))).await;
    assert_eq!(own.get("game"), None, "a player without a rating counts as 1500");
    // Nor does the range of the one who comes later admit the earlier one.
    let mut cy = Peer::account(&server, "cy").await;
    assert_eq!(cy.ask(seek(strong)).await.get("game"), None);
    let listed = cy.ask(json!({"type": "lobby", "watch": false})).await;
    assert_eq!(listed["add"][0]["rating"], json!({"min": 1600}));
    let mut dee = Peer::account(&server, "dee").await;
    let ok = dee.ask(seek(json!({"rating": {"min": 1400, "max": 1500}}))).await;
    assert_eq!(ok["seek"], own["seek"]);
    assert!(ok["game"].is_string());
    cy.refused(seek(json!({"rating": {"min": 1600, "max": 1500}})), "bad_message").await;
    let clock = json!({"mode": "fischer", "base_ms": 60_000, "inc_ms": 0});
    cy.refused(seek(json!({"lasting": true, "clock": clock})), "bad_message").await;
}
