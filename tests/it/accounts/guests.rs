//! Guests, accounts, passwords and log-ins.

use serde_json::{Value, json};

use crate::harness::{Frame, PASSWORD, Peer, Server, game, with};

fn signup(user: &str, password: &str) -> Value {
    json!({"type": "signup", "user": user, "password": password})
}

/// Sends a `hello` that the server must reject, and returns the error.
async fn rejected_hello(server: &Server, auth: Value) -> Frame {
    let mut peer = Peer::connect(server.address()).await;
    let hello = json!({"type": "hello", "proto": [1], "auth": auth});
    let refusal = peer.request(hello).await;
    assert_eq!(refusal["type"], "error", "{}", peer.recent_frames());
    assert_eq!(peer.expect_close().await, 4001);
    refusal["code"].clone()
}

#[tokio::test]
async fn a_guest_who_signs_up_keeps_name_and_games() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    assert_eq!(ann.welcome["user"], json!({"name": "ann", "bot": false, "guest": true}));
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    ann.refused(signup("ann", "short"), "bad_message").await;
    ann.refused(signup("ann", &"x".repeat(257)), "bad_message").await;
    ann.refused(signup("bob", PASSWORD), "forbidden").await;
    ann.refused(signup("a", PASSWORD), "bad_message").await;
    // Ann's other session, and a token of a program of hers.
    let first = ann.token.clone().unwrap();
    let mut other = Peer::with_token(&server, &first).await;
    let create = json!({"type": "token_create", "label": "robot", "bot": true});
    let robot = ann.ask(create).await["token"].as_str().unwrap().to_owned();
    let mut program = Peer::with_token(&server, &robot).await;
    program.refused(signup("ann", "the thief's own"), "forbidden").await;
    let ok = ann.ask(signup("ann", PASSWORD)).await;
    assert_eq!(ok["user"], "ann");
    ann.token = ok["token"].as_str().map(str::to_owned);
    ann.refused(signup("ann", PASSWORD), "forbidden").await;
    // No token of the guest opens the account.
    assert_eq!(other.expect_close().await, 4007);
    assert_eq!(program.expect_close().await, 4007);
    for token in [&first, &robot] {
        assert_eq!(rejected_hello(&server, json!({"token": token})).await, "unauthorized");
    }
    // The session continues as the account and still receives its games.
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;

    let mut back = Peer::connect(server.address()).await;
    let auth = json!({"user": "ANN", "password": PASSWORD});
    let welcome = back.hello(json!({"auth": auth})).await;
    assert_eq!(welcome["user"], json!({"name": "ann", "bot": false, "guest": false}));
    assert_eq!(
        (&welcome["games"][0]["game"], &welcome["games"][0]["seat"]),
        (&json!(game), &json!(0))
    );
    let token = welcome["token"].as_str().unwrap();
    let again = Peer::with_token(&server, token).await;
    assert_eq!(again.welcome["user"], welcome["user"]);
    assert_eq!(again.welcome.get("token"), None, "a token is not answered with another");

    // Account and game survive a crash.
    server.kill().await;
    server.restart().await;
    let mut ann = ann.reconnect(&server).await;
    assert_eq!(ann.welcome["user"], welcome["user"]);
    let mut bob = bob.reconnect(&server).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 2).await;
}

#[tokio::test]
async fn names_are_unique_in_any_spelling_and_wrong_secrets_are_rejected() {
    let server = Server::start().await;
    let mut ann = Peer::anonymous(&server).await;
    ann.ask(signup("Ann", PASSWORD)).await;
    let mut other = Peer::anonymous(&server).await;
    other.refused(signup("aNN", PASSWORD), "name_taken").await;
    let _guest = Peer::guest(&server, "gus").await;
    other.refused(signup("GUS", PASSWORD), "name_taken").await;
    other.refused(json!({"type": "token_create", "label": "x"}), "forbidden").await;

    assert_eq!(rejected_hello(&server, json!({"guest": "ann"})).await, "name_taken");
    assert_eq!(rejected_hello(&server, json!({"guest": "Gus"})).await, "name_taken");
    assert_eq!(rejected_hello(&server, json!({"guest": "house"})).await, "name_taken");
    let wrong = json!({"user": "ann", "password": "open barley"});
    assert_eq!(rejected_hello(&server, wrong).await, "unauthorized");
    let unknown = json!({"user": "stranger", "password": PASSWORD});
    assert_eq!(rejected_hello(&server, unknown).await, "unauthorized");
    // A guest has no password, not even an empty one.
    let guest = json!({"user": "gus", "password": ""});
    assert_eq!(rejected_hello(&server, guest).await, "unauthorized");
    assert_eq!(rejected_hello(&server, json!({"token": "at_nonsense"})).await, "unauthorized");
}

#[tokio::test]
async fn a_token_opens_sessions_until_it_expires() {
    let server = Server::start().await;
    let mut ann = Peer::anonymous(&server).await;
    ann.ask(signup("ann", PASSWORD)).await;
    let create = |fields| with(json!({"type": "token_create", "label": "laptop"}), fields);
    let now = ann.ask(json!({"type": "ping"})).await["t2"].as_u64().unwrap();
    ann.refused(create(json!({"expires": now - 1})), "bad_message").await;
    ann.refused(create(json!({"label": ""})), "bad_message").await;
    let lasting = ann.ask(create(json!({}))).await["token"].clone();
    let laptop = Peer::with_token(&server, lasting.as_str().unwrap()).await;
    assert_eq!(laptop.welcome["user"], json!({"name": "ann", "bot": false, "guest": false}));

    let now = ann.ask(json!({"type": "ping"})).await["t2"].as_u64().unwrap();
    let expires = now + 1_500;
    let brief = ann.ask(create(json!({"expires": expires}))).await["token"].clone();
    let early = Peer::with_token(&server, brief.as_str().unwrap()).await;
    assert_eq!(early.welcome["user"]["name"], "ann");
    // The server's clock decides when the token expires.
    while ann.ask(json!({"type": "ping"})).await["t2"].as_u64().unwrap() <= expires {}
    assert_eq!(rejected_hello(&server, json!({"token": brief})).await, "unauthorized");
}

#[tokio::test]
async fn a_bot_token_has_one_session_and_the_newest_counts() {
    let server = Server::start().await;
    let mut ann = Peer::anonymous(&server).await;
    ann.ask(signup("ann", PASSWORD)).await;
    let create = json!({"type": "token_create", "label": "hexbot", "bot": true});
    let token = ann.ask(create).await["token"].as_str().unwrap().to_owned();
    let mut old = Peer::with_token(&server, &token).await;
    assert_eq!(old.welcome["user"], json!({"name": "ann", "bot": true, "guest": false}));
    let mut new = Peer::with_token(&server, &token).await;
    assert_eq!(old.expect_close().await, 4003);
    new.ask(json!({"type": "ping"})).await;
    // Ann's other sessions stay open.
    ann.ask(json!({"type": "ping"})).await;
}
