//! The metrics at `/metrics`.

use serde_json::json;

use crate::harness::{Metrics, Peer, Server, game, http, raw_socket::RawSocket};

#[tokio::test]
async fn sessions_games_and_commits_are_counted() {
    let server = Server::with(|setup| {
        setup.argument("--no-house");
        setup.set("games", "loops", 2);
        setup.set("limits", "connections_per_address", 4);
    })
    .await;
    let before = Metrics::fetch(&server).await;
    assert_eq!(before.value("adamant_ready"), 1);
    assert_eq!(before.value("adamant_sessions"), 0);
    assert_eq!(before.value("adamant_records_committed_total"), 0);
    assert_eq!(before.value("adamant_sessions_ended_total{cause=\"slow consumer\"}"), 0);

    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    game::play_moves(&mut [&mut ann, &mut bob], &game, 6).await;
    let metrics = Metrics::fetch(&server).await;
    assert_eq!(metrics.value("adamant_sessions"), 2);
    assert_eq!(metrics.value("adamant_connections"), 2);
    assert_eq!((metrics.value("adamant_rooms"), metrics.value("adamant_games_parked")), (1, 0));
    let records = metrics.value("adamant_records_committed_total");
    assert_eq!(records, ann.replay(&game).seq());
    assert_eq!(metrics.value("adamant_act_seconds_count"), 6);
    assert!(metrics.value("adamant_room_wakeups_total") > 0);
    let of_loop =
        |number| metrics.value(&format!("adamant_room_loop_moves_total{{loop=\"{number}\"}}"));
    assert_eq!(of_loop(0) + of_loop(1), 6);
    // Both players have received each move.
    assert!(metrics.value("adamant_deliveries_total") >= 2 * 6);
    assert_eq!(metrics.value("adamant_spectator_lags_total"), 0);
    let commits = metrics.value("adamant_commits_total");
    assert!(commits >= 7, "the beginning and six moves: {commits}");
    assert_eq!(metrics.value("adamant_commit_seconds_count"), commits);
    assert_eq!(metrics.value("adamant_commit_failures_total"), 0);
    assert!(metrics.value("adamant_commit_jobs_sum") >= commits);
    assert!(metrics.value("process_open_fds") < metrics.value("process_max_fds"));
    assert!(metrics.value("process_resident_memory_bytes") > 1_000_000);

    bob.close().await;
    drop(RawSocket::upgraded(server.address()).await);
    ann.send_raw(tokio_tungstenite::tungstenite::Message::binary("x")).await;
    assert_eq!(ann.expect_close().await, 1003);
    // The server counts a session as ended before it frees the connection's slot.
    let metrics = Metrics::wait_for(&server, "adamant_connections", 0).await;
    for cause in ["closed by the client", "connection lost", "text frames only"] {
        let ended = format!("adamant_sessions_ended_total{{cause=\"{cause}\"}}");
        assert_eq!(metrics.value(&ended), 1);
    }
    assert_eq!(metrics.value("adamant_sessions"), 0);

    let mut visitors = Vec::new();
    for _ in 0..4 {
        visitors.push(Peer::anonymous(&server).await);
    }
    let refused = "adamant_connections_refused_total{why=\"address_full\"}";
    assert_eq!(Metrics::fetch(&server).await.value(refused), 0);
    let (_, answer) = RawSocket::upgrade_with(server.address(), "").await;
    assert_eq!(answer.status, 429);
    assert_eq!(Metrics::fetch(&server).await.value(refused), 1);
}

#[tokio::test]
async fn metrics_are_denied_to_other_addresses() {
    let server = Server::with(|setup| {
        setup.set("network", "metrics_from", toml::Value::Array(vec!["10.0.0.0/8".into()]));
        setup.set("network", "trusted_proxies", toml::Value::Array(vec!["127.0.0.2".into()]));
    })
    .await;
    let (status, body) = http::refused(&server, "/metrics").await;
    assert_eq!((status, &body["code"]), (403, &json!("forbidden")));
}
