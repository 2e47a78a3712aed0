//! Who may sign up, and whether guests may come, while the server runs.

use serde_json::{Value, json};
use tokio::time::timeout;

use super::operator::{govern, run_on};
use crate::harness::{Frame, PASSWORD, PATIENCE, Peer, Server};

/// Changes who may come, and waits until every node knows it.
async fn set(server: &Server, whose: &str, who: &str) {
    govern(server, &["sign-up", whose, who, "--reason", "a wave"]).await;
    let show = ["sign-up", "show"];
    let (_, state) = run_on(server.node(0), &show).await;
    for node in 0..server.nodes() {
        let known = async { while run_on(server.node(node), &show).await.1 != state {} };
        timeout(PATIENCE, known).await.expect("the nodes hear of it");
    }
}

async fn sign_up(server: &Server, name: &str, invitation: Option<&Value>) -> Frame {
    let mut peer = Peer::anonymous(server).await;
    let mut request = json!({"type": "signup", "user": name, "password": PASSWORD});
    if let Some(invitation) = invitation {
        request["invitation"] = invitation.clone();
    }
    peer.request(request).await
}

#[tokio::test]
async fn sign_ups_are_open_by_invitation_or_closed_on_every_node() {
    let server = Server::start().await;
    set(&server, "accounts", "closed").await;
    for name in ["ann", "bob"] {
        assert_eq!(sign_up(&server, name, None).await["code"], "sign_up_closed");
    }
    set(&server, "accounts", "invitation").await;
    let made = govern(&server, &["sign-up", "invite", "--uses", "2", "--reason", "a class"]).await;
    let code = &made["invitations"][0]["code"];
    for wrong in [None, Some(&json!("guessed"))] {
        assert_eq!(sign_up(&server, "ann", wrong).await["code"], "sign_up_closed");
    }
    assert_eq!(sign_up(&server, "ann", Some(code)).await["type"], "ok");
    // A sign-up that fails takes none of its uses.
    assert_eq!(sign_up(&server, "ann", Some(code)).await["code"], "name_taken");
    assert_eq!(sign_up(&server, "bob", Some(code)).await["type"], "ok");
    assert_eq!(sign_up(&server, "cy2", Some(code)).await["code"], "sign_up_closed");

    let made = govern(&server, &["sign-up", "invite", "--reason", "a friend"]).await;
    let code = &made["invitations"][0]["code"];
    let revoke = ["sign-up", "revoke", code.as_str().unwrap(), "--reason", "it leaked"];
    govern(&server, &revoke).await;
    let left = govern(&server, &["sign-up", "invitations"]).await;
    assert_eq!(left, json!({"invitations": []}));
    assert_eq!(sign_up(&server, "cy2", Some(code)).await["code"], "sign_up_closed");
    set(&server, "accounts", "open").await;
    for name in ["cy2", "dee"] {
        assert_eq!(sign_up(&server, name, None).await["type"], "ok");
    }
}

#[tokio::test]
async fn new_guests_are_kept_out_and_those_who_have_come_stay() {
    let (mut server, [ann]) = Peer::start_with_guests(["ann"]).await;
    set(&server, "guests", "off").await;
    for name in ["bob", "cy2"] {
        let mut peer = Peer::connect(server.address()).await;
        let hello = json!({"type": "hello", "proto": [1], "auth": {"guest": name}});
        assert_eq!(peer.request(hello).await["code"], "sign_up_closed");
    }
    server.stop().await;
    server.restart().await;
    let state = govern(&server, &["sign-up", "show"]).await;
    assert_eq!(state, json!({"accounts": "open", "guests": "off"}));
    Peer::with_token(&server, ann.token.as_ref().unwrap()).await;
    set(&server, "guests", "on").await;
    for name in ["bob", "cy2"] {
        Peer::guest(&server, name).await;
    }
}
