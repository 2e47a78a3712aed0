//! Invites: made, shown, taken by guests, cancelled, limited, and kept over a restart.

use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, game, http, with};

fn invite(terms: Value) -> Value {
    with(json!({"type": "invite", "rules": "adamas"}), terms)
}

fn request_for(kind: &str, invite: &Value) -> Value {
    json!({"type": kind, "invite": invite})
}

async fn change(peer: &mut Peer, id: &Value) -> Frame {
    peer.next_matching("the invite's change", |frame| {
        frame["type"] == "invite" && frame["invite"] == *id && frame.get("re").is_none()
    })
    .await
}

#[tokio::test]
async fn a_guest_takes_an_invite_that_was_made_before_a_crash() {
    let (mut server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    let terms = json!({"options": "-size=4", "seat": 1, "rated": true, "delay": 2,
        "clock": {"mode": "days", "per_move_days": 3}});
    let made = ann.ask(invite(terms)).await;
    let id = made["invite"].clone();
    server.crash().await;

    let mut stranger = Peer::anonymous(&server).await;
    let shown = stranger.ask(request_for("invite_info", &id)).await;
    assert_eq!((&shown["by"], &shown["joined"]), (&json!("ann"), &json!(["ann"])));
    assert_eq!((&shown["options"]["size"], &shown["seat"]), (&json!(4), &json!(1)));
    assert_eq!((&shown["players"], &shown["rated"]), (&json!(2), &json!(true)));
    assert_eq!((&shown["delay"], &shown["expires"]), (&json!(2), &made["expires"]));
    stranger.refused(request_for("accept", &id), "forbidden").await;

    let mut bob = Peer::guest(&server, "bob").await;
    let ok = bob.ask(request_for("accept", &id)).await;
    assert_eq!(ok["invite"], id);
    let game = ok["game"].as_str().unwrap().to_owned();
    let created = bob.next_event(&game, "created").await;
    assert_eq!(
        (&created["seats"][0]["user"], &created["seats"][1]["user"]),
        (&json!("bob"), &json!("ann"))
    );
    assert_eq!(created["rated"], false, "a game with a guest is not rated");

    // The link leads to the game, also after one more crash, and begins no second one.
    let mut cy = Peer::guest(&server, "cy").await;
    cy.refused(request_for("accept", &id), "not_found").await;
    server.crash().await;
    let mut ann = ann.reconnect(&server).await;
    assert_eq!(ann.welcome["games"][0]["game"], game);
    let mut cy = cy.reconnect(&server).await;
    assert_eq!(cy.ask(request_for("invite_info", &id)).await["game"], game);
    cy.refused(request_for("accept", &id), "not_found").await;
    assert_eq!(ann.ask(json!({"type": "invites"})).await["invites"], json!([]));
}

#[tokio::test]
async fn an_invite_for_three_tells_those_who_have_joined() {
    let (mut server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    let id = ann.ask(invite(json!({"players": 3, "seat": 2}))).await["invite"].clone();
    assert_eq!(bob.ask(request_for("accept", &id)).await.get("game"), None);
    assert_eq!(change(&mut ann, &id).await["joined"], json!(["ann", "bob"]));
    bob.refused(request_for("accept", &id), "forbidden").await;
    ann.refused(request_for("accept", &id), "forbidden").await;
    // One who has joined may leave, and come back.
    bob.ask(request_for("cancel", &id)).await;
    assert_eq!(change(&mut ann, &id).await["joined"], json!(["ann"]));
    bob.refused(request_for("cancel", &id), "forbidden").await;
    bob.ask(request_for("accept", &id)).await;

    server.crash().await;
    let [mut ann, mut bob] = Peer::reconnect_all([ann, bob], &server).await;
    let open = bob.ask(json!({"type": "invites"})).await["invites"].clone();
    assert_eq!((&open[0]["invite"], &open[0]["joined"]), (&id, &json!(["ann", "bob"])));
    let mut cy = Peer::guest(&server, "cy").await;
    let game = cy.ask(request_for("accept", &id)).await["game"].clone();
    for peer in [&mut ann, &mut bob] {
        assert_eq!(change(peer, &id).await["game"], game);
    }
    let created = ann.next_event(game.as_str().unwrap(), "created").await;
    assert_eq!(created["seats"][2]["user"], "ann");
}

#[tokio::test]
async fn a_cancelled_invite_is_closed_for_all() {
    let (_server, [mut ann, mut bob, mut cy]) = Peer::start_with_guests(["ann", "bob", "cy"]).await;
    let id = ann.ask(invite(json!({"players": 3}))).await["invite"].clone();
    bob.ask(request_for("accept", &id)).await;
    cy.refused(request_for("cancel", &id), "forbidden").await;
    ann.ask(request_for("cancel", &id)).await;
    change(&mut bob, &id).await;
    assert_eq!(change(&mut bob, &id).await["reason"], "cancelled");
    for kind in ["accept", "cancel", "invite_info"] {
        bob.refused(request_for(kind, &id), "not_found").await;
    }
}

#[tokio::test]
async fn an_invalid_or_surplus_invite_is_rejected() {
    let (server, [mut ann]) = Peer::start_with_guests(["ann"]).await;
    let mut anonymous = Peer::anonymous(&server).await;
    anonymous.refused(invite(json!({})), "forbidden").await;
    ann.refused(invite(json!({"rules": "ludo"})), "not_found").await;
    ann.refused(invite(json!({"players": 4})), "bad_message").await;
    ann.refused(invite(json!({"seat": 2})), "bad_message").await;
    ann.refused(invite(json!({"options": "-size=99"})), "bad_message").await;
    ann.refused(json!({"type": "accept"}), "bad_message").await;
    ann.refused(json!({"type": "cancel"}), "bad_message").await;
    for kind in ["accept", "cancel", "invite_info"] {
        ann.refused(request_for(kind, &json!("i_0")), "not_found").await;
    }
    let mut ids = Vec::new();
    for _ in 0..32 {
        ids.push(ann.ask(invite(json!({}))).await["invite"].clone());
    }
    assert_eq!(ann.refused(invite(json!({})), "rate_limited").await["limit"], "invites");
    ann.ask(request_for("cancel", &ids[0])).await;
    ann.ask(invite(json!({}))).await;
    // A guest takes its invites with it.
    let mut bob = Peer::guest(&server, "bob").await;
    ann.ask(json!({"type": "logout", "forget": true})).await;
    bob.refused(request_for("accept", &ids[1]), "not_found").await;
}

/// The games in the answer to a list request.
async fn listed(peer: &mut Peer, request: Value) -> Vec<Value> {
    let list = peer.ask(request).await;
    let games = list["games"].as_array().or_else(|| list["add"].as_array());
    games.unwrap().iter().map(|entry| entry["game"].clone()).collect()
}

/// The lists in which others would find a live game of ann.
fn lists_of_others() -> [Value; 5] {
    [
        json!({"type": "games"}),
        json!({"type": "games", "rules": "adamas", "players": 2}),
        json!({"type": "games", "user": "ann"}),
        json!({"type": "games", "user": "ann", "rules": "adamas"}),
        json!({"type": "live", "watch": false}),
    ]
}

#[tokio::test]
async fn an_unlisted_game_is_shown_to_its_players_alone() {
    let mut server = Server::with(|setup| setup.set("games", "park_after", "1s")).await;
    let [mut ann, mut bob, mut cy] = Peer::guests(&server, ["ann", "bob", "cy"]).await;
    cy.ask(json!({"type": "live", "watch": true})).await;
    let hidden = game::start(&mut [&mut ann, &mut bob], json!({"unlisted": true})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &hidden, 2).await;
    for list in lists_of_others() {
        assert!(listed(&mut cy, list.clone()).await.is_empty(), "{list}");
    }
    let featured = cy.ask(json!({"type": "tv", "rules": "adamas", "watch": false})).await;
    assert!(featured["game"].is_null(), "{featured}");
    let snapshot = cy.ask(json!({"type": "watch", "game": hidden})).await;
    assert_eq!(snapshot["unlisted"], true);
    cy.ask(json!({"type": "unwatch", "game": hidden})).await;
    let own = json!({"type": "games", "user": "ann"});
    assert_eq!(listed(&mut ann, own.clone()).await, [json!(hidden)]);

    // The same while the game is parked and read again, and after its end.
    server.crash().await;
    let mut cy = cy.reconnect(&server).await;
    for list in lists_of_others() {
        assert!(listed(&mut cy, list.clone()).await.is_empty(), "{list}");
    }
    let (mut ann, mut bob) = (ann.reconnect(&server).await, bob.reconnect(&server).await);
    assert_eq!(listed(&mut ann, own).await, [json!(hidden)]);
    game::resign(&mut ann, &mut bob, &hidden).await;
    let shown = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::resign(&mut ann, &mut bob, &shown).await;
    // The list of finished games follows the end, once the room has archived the game.
    loop {
        let own = listed(&mut ann, json!({"type": "history", "user": "ann"})).await;
        if own.len() == 2 {
            break;
        }
    }
    for list in [
        json!({"type": "games", "state": "finished"}),
        json!({"type": "games", "state": "finished", "rules": "adamas"}),
        json!({"type": "games", "state": "finished", "user": "ann"}),
        json!({"type": "history", "user": "ann"}),
        json!({"type": "history", "user": "ann", "rules": "adamas"}),
    ] {
        let games = listed(&mut cy, list.clone()).await;
        assert_eq!(games, [json!(shown)], "{list}");
    }
    let text = http::get(&server, "/v1/users/ann/history").await.to_string();
    assert!(text.contains(&shown) && !text.contains(&hidden), "{text}");
}

#[tokio::test]
async fn a_rematch_of_an_unlisted_game_is_unlisted() {
    let (server, [mut ann, mut bob]) = Peer::start_with_guests(["ann", "bob"]).await;
    // Two who seek the same unlisted game find each other, and not one who seeks a listed one.
    let seek = json!({"type": "seek", "rules": "hexma", "unlisted": true});
    ann.ask(seek.clone()).await;
    let mut cy = Peer::guest(&server, "cy").await;
    assert_eq!(cy.ask(json!({"type": "seek", "rules": "hexma"})).await.get("game"), None);
    let game = bob.ask(seek).await["game"].as_str().unwrap().to_owned();
    assert_eq!(ann.next_event(&game, "created").await["unlisted"], true);
    game::resign(&mut ann, &mut bob, &game).await;
    ann.ask(json!({"type": "rematch", "game": game})).await;
    let next = bob.ask(json!({"type": "rematch", "game": game})).await["game"].clone();
    let created = bob.next_event(next.as_str().unwrap(), "created").await;
    assert_eq!(created["unlisted"], true);
}
