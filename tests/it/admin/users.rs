//! What operators see of users and do about them.

use serde_json::{Value, json};

use super::operator::{govern, is_refused, run_on};
use crate::harness::{PASSWORD, Peer, Server, game};

const RESTART: u16 = 1012;
const TOKEN_ENDED: u16 = 4007;

#[tokio::test]
async fn an_operator_finds_a_user_with_notes_and_games() {
    let (server, [mut ann]) = Peer::start_with_accounts(["Ann"]).await;
    let mut bob = Peer::guest(&server, "bob_1").await;
    game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let found = govern(&server, &["users", "list", "--search", "N"]).await;
    let users: Vec<&Value> = found["users"].as_array().unwrap().iter().collect();
    assert_eq!(
        (users.len(), &users[0]["user"], &users[0]["kind"]),
        (1, &json!("Ann"), &json!("account"))
    );
    let found = govern(&server, &["users", "list", "--search", "_1"]).await;
    assert_eq!(found["users"].as_array().map(Vec::len), Some(1), "an underscore is no wildcard");

    govern(&server, &["users", "note", "ann", "asked for help"]).await;
    let shown = govern(&server, &["users", "show", "ann"]).await;
    assert_eq!((&shown["live_games"], &shown["tokens"]), (&json!(1), &json!(1)));
    assert_eq!(shown["notes"][0]["note"], "asked for help");
    let (_, text) = run_on(server.node(0), &["users", "show", "ann"]).await;
    assert!(text.starts_with("user: Ann\nkind: account\n"), "{text}");
    let nobody = ["users", "show", "nobody2", "--json"];
    assert!(is_refused(&server, &nobody[..3]).await.contains("no user nobody2"));
    let refused: Value = serde_json::from_str(&is_refused(&server, &nobody).await).unwrap();
    assert_eq!(refused["error"]["code"], "not_found");
}

#[tokio::test]
async fn a_user_can_have_everything_that_is_stored() {
    let (server, [mut ann]) = Peer::start_with_accounts(["Ann"]).await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    ann.ask(json!({"type": "say", "game": game, "room": "players", "text": "good luck"})).await;
    ann.ask(json!({"type": "settings_set", "challenges": "accounts"})).await;
    ann.ask(json!({"type": "block", "user": "bob"})).await;
    ann.ask(json!({"type": "report", "user": "bob", "game": game, "reason": "stalling", "text": "slow"})).await;
    govern(&server, &["users", "note", "ann", "asked for all of it"]).await;
    let found = govern(&server, &["users", "export", "ann"]).await;
    assert_eq!((&found["user"][0]["user"], &found["cut"]), (&json!("Ann"), &json!([])));
    assert_eq!(found["user"][0]["settings"]["challenges"], "accounts");
    assert_eq!(found["tokens"][0]["program"], false);
    assert_eq!(found["games"][0]["game"], game);
    assert_eq!(found["talk"][0]["text"], "good luck");
    assert_eq!(found["blocked"], json!([{"user": "bob"}]));
    assert_eq!(found["reports"][0]["text"], "slow");
    assert_eq!(found["notes"][0]["note"], "asked for all of it");
    let text = found.to_string();
    for secret in ["password", "digest", "hash", "secret"] {
        assert!(!text.contains(secret), "{text}");
    }
    let about_bob = govern(&server, &["users", "export", "bob"]).await;
    assert_eq!(about_bob["reported"][0]["reason"], "stalling");
    assert!(!about_bob.to_string().contains("Ann"), "{about_bob}");

    game::resign(&mut bob, &mut ann, &game).await;
    ann.ask(json!({"type": "account_close", "password": PASSWORD})).await;
    assert_eq!(govern(&server, &["users", "show", "ann"]).await["closed_by_user"], true);
    let found = govern(&server, &["users", "export", "ann"]).await;
    for gone in ["tokens", "blocked", "notices", "webhooks"] {
        assert_eq!(found[gone], json!([]), "{gone}");
    }
    assert_eq!(
        (&found["user"][0]["settings"], &found["talk"][0]["text"]),
        (&Value::Null, &Value::Null)
    );
}

#[tokio::test]
async fn an_operator_ends_tokens_and_their_sessions_on_every_node() {
    let (server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    let made = ann.ask(json!({"type": "token_create", "label": "bot\u{1b}[2J", "bot": true})).await;
    let mut program = Peer::with_token(&server, made["token"].as_str().unwrap()).await;
    let listed = govern(&server, &["users", "tokens", "ann"]).await;
    assert_eq!(listed["tokens"].as_array().map(Vec::len), Some(2));
    let (_, text) = run_on(server.node(0), &["users", "tokens", "ann"]).await;
    assert!(!text.contains('\u{1b}'), "what users choose cannot rule a terminal");

    let id = made["token_id"].as_str().unwrap();
    let one = ["users", "log-out", "ann", "--token", id, "--reason", "leaked"];
    assert_eq!(govern(&server, &one).await, json!({"ended_tokens": 1}));
    assert_eq!(program.expect_close().await, TOKEN_ENDED);
    ann.ask(json!({"type": "ping"})).await;
    let all = ["users", "log-out", "ann", "--reason", "leaked"];
    assert_eq!(govern(&server, &all).await, json!({"ended_tokens": 1}));
    assert_eq!(ann.expect_close().await, TOKEN_ENDED);
}

#[tokio::test]
async fn the_code_of_an_operator_sets_a_password_once_and_ends_the_users_own() {
    let server = Server::start().await;
    let mut ann = Peer::anonymous(&server).await;
    let signed_up = ann.ask(json!({"type": "signup", "user": "ann", "password": PASSWORD})).await;
    let made = govern(&server, &["users", "reset-code", "ann", "--reason", "asked by post"]).await;
    let reset = |code: &Value| json!({"type": "password_reset", "user": "ann", "code": code, "new": "open barley"});
    let mut stranger = Peer::anonymous(&server).await;
    stranger.ask(reset(&made["code"])).await;
    assert_eq!(ann.expect_close().await, TOKEN_ENDED);
    stranger.refused(reset(&made["code"]), "unauthorized").await;
    stranger.refused(reset(&signed_up["recovery"]), "unauthorized").await;
}

#[tokio::test]
async fn nobody_logs_in_to_a_closed_account_until_it_is_open_again() {
    let (server, [mut ann]) = Peer::start_with_accounts(["ann"]).await;
    let token = ann.token.clone().unwrap();
    govern(&server, &["users", "close", "ann", "--reason", "asked for it"]).await;
    let code = ann.expect_close().await;
    assert!([RESTART, TOKEN_ENDED].contains(&code), "{code}");
    for (auth, code) in [
        (json!({"token": token}), "unauthorized"),
        (json!({"user": "ann", "password": PASSWORD}), "banned"),
        (json!({"user": "ann", "password": "a wrong one"}), "unauthorized"),
        (json!({"guest": "ann"}), "name_taken"),
    ] {
        let mut peer = Peer::connect(server.address()).await;
        let refused = peer.request(json!({"type": "hello", "proto": [1], "auth": auth})).await;
        assert_eq!(refused["code"], code, "{refused}");
        if code == "banned" {
            assert_eq!(refused["message"], "this account is closed: asked for it");
        }
    }
    let (status, said) = run_on(server.node(0), &["users", "reopen", "ann"]).await;
    assert!(status == Some(2) && said.contains("--reason"), "{said}");
    govern(&server, &["users", "reopen", "ann", "--reason", "a mistake"]).await;
    let mut peer = Peer::connect(server.address()).await;
    peer.hello(json!({"auth": {"user": "ann", "password": PASSWORD}})).await;
}

#[tokio::test]
async fn a_user_who_has_never_played_is_renamed_and_comes_back_under_the_new_name() {
    let (server, [mut ann]) = Peer::start_with_accounts(["rude_name"]).await;
    let mut bob = Peer::guest(&server, "bob").await;
    let mut cy = Peer::guest(&server, "cy").await;
    let token = ann.token.clone().unwrap();
    let rename = |from, to| ["users", "rename", from, to, "--reason", "rude"];
    assert!(is_refused(&server, &rename("rude_name", "bob")).await.contains("is taken"));
    assert!(is_refused(&server, &rename("rude_name", "admin")).await.contains("is reserved"));
    govern(&server, &rename("rude_name", "ann")).await;
    assert_eq!(ann.expect_close().await, RESTART);
    let back = Peer::with_token(&server, &token).await;
    assert_eq!(back.welcome["user"]["name"], "ann");
    game::start(&mut [&mut bob, &mut cy], json!({})).await;
    let refused = is_refused(&server, &rename("bob", "bobby")).await;
    assert!(refused.contains("no record changes"), "{refused}");
}
