//! Invites: made, shown, taken by guests, cancelled, limited, and kept over a restart.

use serde_json::{Value, json};

use crate::harness::{Frame, Peer, Server, with};

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
    let mut server = Server::start().await;
    let mut ann = Peer::account(&server, "ann").await;
    let terms = json!({"options": "-size=4", "seat": 1, "rated": true, "delay": 2,
        "clock": {"mode": "days", "per_move_days": 3}});
    let made = ann.ask(invite(terms)).await;
    let id = made["invite"].clone();
    server.kill().await;
    server.restart().await;

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
    server.kill().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    assert_eq!(ann.welcome["games"][0]["game"], game);
    let mut cy = cy.reconnect(&server).await;
    assert_eq!(cy.ask(request_for("invite_info", &id)).await["game"], game);
    cy.refused(request_for("accept", &id), "not_found").await;
    assert_eq!(ann.ask(json!({"type": "invites"})).await["invites"], json!([]));
}

#[tokio::test]
async fn an_invite_for_three_tells_those_who_have_joined() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
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

    server.kill().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    let mut bob = bob.reconnect(&server).await;
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
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
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
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
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
