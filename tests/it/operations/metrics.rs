//! What monitors read at `/metrics`.

use serde_json::json;
use tokio::time::timeout;

use crate::{
    harness::raw_socket::Wire,
    harness::{PATIENCE, Peer, Server, game, http},
};

/// The page of metrics, looked at.
pub(crate) struct Page(String);

impl Page {
    /// Asks for it.
    pub(crate) async fn of(server: &Server) -> Self {
        let answer = http::ask(server, "GET", "/metrics").await;
        assert_eq!(answer.status, 200);
        let kind = "text/plain; version=0.0.4; charset=utf-8";
        assert_eq!(answer.headers["content-type"], kind);
        Self(answer.text().await)
    }

    /// Asks again and again until it has that value: nobody is told when something has been counted.
    pub(crate) async fn once(server: &Server, name: &str, value: u64) -> Self {
        let counted = async {
            loop {
                let page = Self::of(server).await;
                if page.value(name) == value {
                    return page;
                }
            }
        };
        timeout(PATIENCE, counted).await.unwrap_or_else(|_| panic!("{name} is never {value}"))
    }

    /// The value under a name with its labels; one that is a whole number.
    pub(crate) fn value(&self, name: &str) -> u64 {
        let value = self.0.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let value = value.unwrap_or_else(|| panic!("{name} is missing:\n{}", self.0));
        // Sums are written as fractions even where they are none.
        value.trim_end_matches(".0").parse().expect("a whole number")
    }
}

#[tokio::test]
async fn what_happens_is_counted() {
    let server = Server::with(|setup| {
        setup.argument("--no-house");
        setup.set("limits", "connections_per_address", 4);
    })
    .await;
    let before = Page::of(&server).await;
    assert_eq!(before.value("adamant_ready"), 1);
    assert_eq!(before.value("adamant_sessions"), 0);
    assert_eq!(before.value("adamant_records_committed_total"), 0);
    assert_eq!(before.value("adamant_sessions_ended_total{cause=\"slow consumer\"}"), 0);

    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::begin(&mut [&mut ann, &mut bob], json!({})).await;
    game::play(&mut [&mut ann, &mut bob], &game, 6).await;
    let page = Page::of(&server).await;
    assert_eq!(page.value("adamant_sessions"), 2);
    assert_eq!(page.value("adamant_connections"), 2);
    assert_eq!((page.value("adamant_rooms"), page.value("adamant_games_parked")), (1, 0));
    let records = page.value("adamant_records_committed_total");
    assert_eq!(records, ann.replay(&game).seq());
    assert_eq!(page.value("adamant_act_seconds_count"), 6);
    // Both players have heard of each move at least.
    assert!(page.value("adamant_deliveries_total") >= 2 * 6);
    assert_eq!(page.value("adamant_spectator_lags_total"), 0);
    let commits = page.value("adamant_commits_total");
    assert!(commits >= 7, "the beginning and six moves: {commits}");
    assert_eq!(page.value("adamant_commit_seconds_count"), commits);
    assert_eq!(page.value("adamant_commit_failures_total"), 0);
    assert!(page.value("adamant_commit_jobs_sum") >= commits);
    assert!(page.value("process_open_fds") < page.value("process_max_fds"));
    assert!(page.value("process_resident_memory_bytes") > 1_000_000);

    bob.leave().await;
    drop(Wire::upgraded(server.address()).await);
    ann.send_raw(tokio_tungstenite::tungstenite::Message::binary("x")).await;
    assert_eq!(ann.expect_close().await, 1003);
    // A session has been counted as ended when its place is free again.
    let page = Page::once(&server, "adamant_connections", 0).await;
    for cause in ["closed by the client", "connection lost", "text frames only"] {
        let ended = format!("adamant_sessions_ended_total{{cause=\"{cause}\"}}");
        assert_eq!(page.value(&ended), 1);
    }
    assert_eq!(page.value("adamant_sessions"), 0);

    let mut visitors = Vec::new();
    for _ in 0..4 {
        visitors.push(Peer::nobody(&server).await);
    }
    let refused = "adamant_connections_refused_total{why=\"address_full\"}";
    assert_eq!(Page::of(&server).await.value(refused), 0);
    let (_, answer) = Wire::upgrade_with(server.address(), "").await;
    assert_eq!(answer.status, 429);
    assert_eq!(Page::of(&server).await.value(refused), 1);
}

#[tokio::test]
async fn they_are_for_those_who_may_know() {
    let server = Server::with(|setup| {
        setup.set("network", "metrics_from", toml::Value::Array(vec!["10.0.0.0/8".into()]));
        setup.set("network", "trusted_proxies", toml::Value::Array(vec!["127.0.0.2".into()]));
    })
    .await;
    let (status, body) = http::refused(&server, "/metrics").await;
    assert_eq!((status, &body["code"]), (403, &json!("forbidden")));
}
