//! Sessions without a valid `hello`.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, interval};

use crate::harness::raw_socket::{FINAL, PING, RawSocket, frame};
use crate::harness::{Peer, Server};

/// How long the server waits for `hello`, and the tolerance of the test.
const HELLO_MAX: Duration = Duration::from_secs(5);
const SLACK: Duration = Duration::from_secs(2);

#[tokio::test]
async fn a_session_without_hello_is_closed_after_five_seconds() {
    let server = Server::start().await;
    let silent = async {
        let mut wire = RawSocket::upgraded(server.address()).await;
        wire.close_code().await
    };
    // Pings do not count as `hello`.
    let lively = async {
        let mut wire = RawSocket::upgraded(server.address()).await;
        let mut pace = interval(Duration::from_millis(200));
        loop {
            tokio::select! {
                code = wire.close_code() => return code,
                _ = pace.tick() => {}
            }
            wire.write(&frame(FINAL | PING, b"")).await;
        }
    };
    let begun = Instant::now();
    assert_eq!(tokio::join!(silent, lively), (Some(4001), Some(4001)));
    let took = begun.elapsed();
    assert!(took >= HELLO_MAX && took < HELLO_MAX + SLACK, "{took:?}");
}

#[tokio::test]
async fn the_first_message_must_be_a_valid_hello() {
    let server = Server::start().await;
    let mut ann = Peer::anonymous(&server).await;
    ann.ask(json!({"type": "signup", "user": "ann", "password": "correct horse"})).await;
    let refused = [
        (json!({"type": "ping"}), "unauthorized", 4001),
        (json!({"type": "watch", "game": "abc"}), "unauthorized", 4001),
        (json!({"type": "hello", "proto": [1], "auth": {"token": "at_0"}}), "unauthorized", 4001),
        (json!({"type": "hello", "proto": [1], "auth": {"token": ""}}), "unauthorized", 4001),
        (
            json!({"type": "hello", "proto": [1], "auth": {"user": "ann", "password": "wrong"}}),
            "unauthorized",
            4001,
        ),
        (
            json!({"type": "hello", "proto": [1], "auth": {"user": "zoe", "password": "wrong"}}),
            "unauthorized",
            4001,
        ),
        (json!({"type": "hello", "proto": [99]}), "proto_unsupported", 4002),
        (json!({"type": "hello", "proto": []}), "proto_unsupported", 4002),
    ];
    let mut messages = Vec::new();
    for (first, code, close) in refused {
        let mut eve = Peer::connect(server.address()).await;
        let error = eve.refused(first.clone(), code).await;
        if code == "proto_unsupported" {
            assert_eq!(error["proto"], json!([1]), "{first}");
        }
        assert_eq!(eve.expect_close().await, close, "{first}");
        if first["auth"]["user"].is_string() {
            messages.push(error["message"].clone());
        }
    }
    assert_eq!(messages[0], messages[1], "the error does not reveal whether the name exists");
}
