//! Log-ins, passwords, new accounts and guests.

use serde_json::json;

use super::clients::{ANN, EVE, assert_limited, hello_reply, log_in, server_with, signup_reply};
use crate::harness::{PASSWORD, Peer};

#[tokio::test]
async fn failed_logins_do_not_lock_the_account() {
    let server = server_with(&[("failed_log_ins_per_min", 3)]).await;
    let account = signup_reply(ANN, &server, "ann").await;
    signup_reply(ANN, &server, "bob").await;
    for _ in 0..3 {
        let refusal = hello_reply(EVE, &server, log_in("ann", "wrong password")).await;
        assert_eq!(refusal["code"], "unauthorized");
    }
    // Not even with the right password now: it could be the fourth guess.
    for password in ["wrong password", PASSWORD] {
        let refusal = hello_reply(EVE, &server, log_in("ANN", password)).await;
        assert_limited(&refusal, "failed_log_ins_per_min");
        assert!(refusal["retry_after_ms"].as_u64().unwrap() <= 20_000, "{refusal}");
    }
    // Another address, another user and a token are not limited.
    for _ in 0..5 {
        let welcome = hello_reply(ANN, &server, log_in("ann", PASSWORD)).await;
        assert_eq!(welcome["type"], "welcome", "{welcome}");
    }
    let welcome = hello_reply(EVE, &server, log_in("bob", PASSWORD)).await;
    assert_eq!(welcome["type"], "welcome", "{welcome}");
    let welcome = hello_reply(EVE, &server, json!({"token": account["token"]})).await;
    assert_eq!(welcome["type"], "welcome", "{welcome}");
    // An unknown user gets the same replies.
    for _ in 0..3 {
        let refusal = hello_reply(EVE, &server, log_in("stranger", "wrong password")).await;
        assert_eq!(refusal["code"], "unauthorized");
    }
    let refusal = hello_reply(EVE, &server, log_in("stranger", "wrong password")).await;
    assert_limited(&refusal, "failed_log_ins_per_min");
}

#[tokio::test]
async fn password_changes_share_the_limit_of_failed_logins() {
    let server = server_with(&[("failed_log_ins_per_min", 2)]).await;
    let mut ann = Peer::anonymous(&server).await;
    ann.ask(json!({"type": "signup", "user": "ann", "password": PASSWORD})).await;
    let guess =
        json!({"type": "password_change", "old": "wrong password", "new": "battery staple"});
    for _ in 0..2 {
        ann.refused(guess.clone(), "unauthorized").await;
    }
    assert_limited(&ann.refused(guess, "rate_limited").await, "failed_log_ins_per_min");
}

#[tokio::test]
async fn a_rate_limited_hello_can_be_repeated() {
    let server = server_with(&[("guests_per_hour", 1)]).await;
    let token = hello_reply(EVE, &server, json!({"guest": "gus"})).await["token"].clone();
    let mut peer = Peer::connect_from(EVE, server.address()).await;
    let hello = |auth| json!({"type": "hello", "proto": [1], "auth": auth});
    let refusal = peer.refused(hello(json!({"guest": "hal"})), "rate_limited").await;
    assert_limited(&refusal, "guests_per_hour");
    // The connection stays usable for a known user.
    assert_eq!(peer.request(hello(json!({"token": token}))).await["type"], "welcome");
}

#[tokio::test]
async fn a_client_that_is_told_to_wait_may_wait() {
    let server = server_with(&[("guests_per_hour", 1)]).await;
    let token = hello_reply(EVE, &server, json!({"guest": "gus"})).await["token"].clone();
    let mut peer = Peer::connect_from(EVE, server.address()).await;
    let hello = |auth| json!({"type": "hello", "proto": [1], "auth": auth});
    let refusal = peer.refused(hello(json!({"guest": "hal"})), "rate_limited").await;
    assert!(refusal["retry_after_ms"].as_u64().unwrap() > 60_000, "{refusal}");
    // The server waits for 5 seconds for the first `hello` of a connection.
    let mut silent = Peer::connect_from(ANN, server.address()).await;
    assert_eq!(silent.expect_close().await, 4001);
    assert_eq!(peer.request(hello(json!({"token": token}))).await["type"], "welcome");
}

#[tokio::test]
async fn password_checks_of_an_address_are_limited() {
    let server = server_with(&[("log_ins_per_min", 3)]).await;
    // The password of a new account counts, too.
    signup_reply(EVE, &server, "eve").await;
    for name in ["ann", "bob"] {
        let refusal = hello_reply(EVE, &server, log_in(name, "wrong password")).await;
        assert_eq!(refusal["code"], "unauthorized");
    }
    let refusal = hello_reply(EVE, &server, log_in("eve", PASSWORD)).await;
    assert_limited(&refusal, "log_ins_per_min");
    assert_limited(&signup_reply(EVE, &server, "cy").await, "log_ins_per_min");
    let welcome = hello_reply(ANN, &server, log_in("eve", PASSWORD)).await;
    assert_eq!(welcome["type"], "welcome", "{welcome}");
}

#[tokio::test]
async fn new_accounts_and_guests_of_an_address_are_limited() {
    let server = server_with(&[("sign_ups_per_hour", 2), ("guests_per_hour", 2)]).await;
    for name in ["ann", "bob"] {
        assert_eq!(signup_reply(EVE, &server, name).await["type"], "ok");
    }
    // A rejected name does not count.
    assert_eq!(signup_reply(EVE, &server, "ann").await["code"], "name_taken");
    assert_limited(&signup_reply(EVE, &server, "cy").await, "sign_ups_per_hour");
    assert_eq!(signup_reply(ANN, &server, "cy").await["type"], "ok");

    for name in ["gus", "hal"] {
        assert_eq!(hello_reply(EVE, &server, json!({"guest": name})).await["type"], "welcome");
    }
    assert_eq!(hello_reply(EVE, &server, json!({"guest": "gus"})).await["code"], "name_taken");
    assert_limited(&hello_reply(EVE, &server, json!({"guest": "ida"})).await, "guests_per_hour");
    assert_eq!(hello_reply(ANN, &server, json!({"guest": "ida"})).await["type"], "welcome");
}
