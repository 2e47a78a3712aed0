//! A server without limits.

use serde_json::json;

use super::clients::{HERE, hello_reply, log_in, signup_reply};
use crate::harness::{Peer, Server};

#[tokio::test]
async fn no_limits_switches_every_limit_off() {
    let server = Server::with(|setup| {
        setup.argument("--no-limits");
        for limit in [
            "connections_per_address",
            "handshakes_per_address",
            "messages_burst",
            "messages_per_s",
            "user_messages_burst",
            "user_messages_per_s",
            "address_messages_burst",
            "address_messages_per_s",
            "upgrades_per_min",
            "page_files_per_min",
            "seeks_per_min",
            "games_per_min",
            "failed_log_ins_per_min",
            "log_ins_per_min",
            "sign_ups_per_hour",
            "guests_per_hour",
        ] {
            setup.set("limits", limit, 1);
        }
    })
    .await;
    let mut ann = Peer::guest(&server, "ann").await;
    let limits = &ann.welcome["limits"];
    assert_eq!((&limits["burst"], &limits["seeks_per_min"]), (&json!(0), &json!(0)));
    for _ in 0..3 {
        let seek = ann.ask(json!({"type": "seek", "rules": "adamas"})).await["seek"].clone();
        ann.ask(json!({"type": "unseek", "seek": seek})).await;
    }
    let _others = [Peer::guest(&server, "bob").await, Peer::guest(&server, "cy").await];
    for _ in 0..2 {
        let refusal = hello_reply(HERE, &server, log_in("dee", "wrong password")).await;
        assert_eq!(refusal["code"], "unauthorized");
    }
    for name in ["dee", "eve"] {
        assert_eq!(signup_reply(HERE, &server, name).await["type"], "ok");
    }
}
