//! What an operator watches: the security log, and metrics as Prometheus reads them.

use std::{
    collections::BTreeSet,
    io::Write as _,
    process::{Command, Stdio},
};

use serde_json::json;

use crate::harness::{
    Metrics, Peer, Server, game, http,
    raw_socket::{RawSocket, connect, get_with_headers},
    server_command,
};

#[tokio::test]
async fn failed_logins_and_new_accounts_are_logged_without_secrets() {
    let server = Server::with(|setup| setup.set("log", "filter", "trace")).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let secret = "correct horse battery";
    ann.ask(json!({"type": "signup", "user": "ann", "password": secret})).await;
    server.wait_for_log("account created client=127.0.0.1 user=ann").await;
    let wrong = "quite another horse";
    let auth = json!({"user": "ann", "password": wrong});
    let mut eve = Peer::connect(server.address()).await;
    eve.refused(json!({"type": "hello", "proto": [1], "auth": auth}), "unauthorized").await;
    server.wait_for_log("log-in failed client=127.0.0.1 user=ann way=\"password\"").await;
    let metrics = Metrics::fetch(&server).await;
    assert_eq!(metrics.value("adamant_failed_log_ins_total"), 1);
    assert_eq!(metrics.value("adamant_sign_ups_total"), 1);
    assert!(metrics.value("adamant_refusals_total{code=\"unauthorized\"}") >= 1);
    for line in server.log() {
        let token = ann.token.as_deref().expect("a token");
        assert!(![secret, wrong, token].iter().any(|secret| line.contains(secret)), "{line}");
    }
}

/// Prints the lines of the log that the filter finds, as fail2ban reads it.
const FILTER: &str = r#"
import configparser, re, sys
conf = configparser.RawConfigParser()
conf.read("../config/fail2ban/adamant.conf")
found = [line.strip().replace("<ADDR>", "127.0.0.1") for line in conf["Definition"]["failregex"].split("\n")]
print("".join(line for line in sys.stdin if any(re.search(one, line) for one in found)), end="")
"#;

#[tokio::test]
async fn the_filter_of_fail2ban_finds_guessed_passwords_alone_in_both_formats() {
    for format in ["text", "json"] {
        let server = Server::with(|setup| setup.set("log", "format", format)).await;
        let expired = json!({"token": "at_".to_owned() + &"0".repeat(48)});
        for auth in [json!({"user": "ann", "password": "quite another horse"}), expired] {
            let mut eve = Peer::connect(server.address()).await;
            eve.refused(json!({"type": "hello", "proto": [1], "auth": auth}), "unauthorized").await;
        }
        server.wait_for_log("this token is not valid").await;
        let log = server.log().join("\n") + "\n";
        let mut filter = Command::new("python3")
            .args(["-c", FILTER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        filter.stdin.take().unwrap().write_all(log.as_bytes()).unwrap();
        let found = String::from_utf8(filter.wait_with_output().unwrap().stdout).unwrap();
        assert!(found.lines().count() == 1 && found.contains("ann"), "{format}: {found}\n{log}");
    }
}

#[tokio::test]
async fn promtool_accepts_the_metrics() {
    let server = Server::start().await;
    Peer::anonymous(&server).await.request(json!({"type": "watch", "game": "nosuch"})).await;
    let page = http::ask(&server, "GET", "/metrics").await.text().await;
    let mut promtool = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool is missing: cargo xtask setup installs it (Debian: prometheus)");
    promtool.stdin.take().unwrap().write_all(page.as_bytes()).unwrap();
    let output = promtool.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap()).concat();
    assert!(output.status.success() && said.is_empty(), "{said}");

    let accept = "Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5\r\n";
    let (head, body) = get_with_headers(connect(&server).await, "/metrics", accept).await;
    assert!(head.contains("content-type: application/openmetrics-text"), "{head}");
    assert!(body.contains("# EOF"), "{body}");
    for name in ["adamant_database_bytes", "adamant_disk_free_bytes", "process_start_time_seconds"]
    {
        assert!(page.contains(&format!("\n{name} ")), "{name} is missing:\n{page}");
    }
}

/// The metrics of a server, with their types.
async fn exposed() -> BTreeSet<(String, String)> {
    let server = Server::start().await;
    // One of them tells how old the last backup is.
    let elsewhere = tempfile::tempdir().unwrap();
    let [data, to] = [&server.data(), elsewhere.path()].map(|path| path.display().to_string());
    assert_eq!(server_command(&["backup", "--data", &data, "--to", &to]).await.0, Some(0));
    Peer::anonymous(&server).await.request(json!({"type": "watch", "game": "nosuch"})).await;
    let text = http::ask(&server, "GET", "/metrics").await.text().await;
    let typed = |line: &str| {
        let (name, kind) = line.strip_prefix("# TYPE ")?.split_once(' ')?;
        Some((name.to_owned(), kind.to_owned()))
    };
    // The test of a certificate that expires reads it.
    let with_tls = ("adamant_certificate_expires_seconds".to_owned(), "gauge".to_owned());
    // The tests of the second place read it.
    let shipped = ("adamant_last_shipped_seconds".to_owned(), "gauge".to_owned());
    text.lines().filter_map(typed).chain([with_tls, shipped]).collect()
}

#[tokio::test]
async fn the_metrics_are_those_of_the_operations_table() {
    let exposed = exposed().await;
    let reference = include_str!("../../../docs/operate/reference.md");
    let documented = reference.lines().filter_map(|line| {
        let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
        let name = cells.next()?.strip_prefix('`')?.strip_suffix('`')?;
        let is_metric = name.starts_with("adamant_") || name.starts_with("process_");
        is_metric.then_some((name.to_owned(), cells.next()?.to_owned()))
    });
    assert_eq!(exposed, documented.collect());
}

/// What Grafana writes into an expression of the dashboard before it asks Prometheus.
const DASHBOARD_VARIABLES: [(&str, &str); 2] = [("$__rate_interval", "5m"), ("$node", ".*")];

#[tokio::test]
async fn alerts_and_dashboard_ask_for_metrics_that_are_there() {
    let exposed: BTreeSet<String> = exposed().await.into_iter().map(|(name, _)| name).collect();
    let dashboard: serde_json::Value =
        serde_json::from_str(include_str!("../../../config/monitoring/grafana.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let asked = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let asked = asked.map(|target| {
        let expression = target["expr"].as_str().unwrap().to_owned();
        DASHBOARD_VARIABLES.iter().fold(expression, |text, (name, value)| text.replace(name, value))
    });
    // As rules, so that promtool reads the dashboard's expressions, too.
    let rules = asked.enumerate().map(
        |(number, expression)| json!({"record": format!("panel:{number}"), "expr": expression}),
    );
    let rules = json!({"groups": [{"name": "dashboard", "rules": rules.collect::<Vec<_>>()}]});
    let alerts = include_str!("../../../config/monitoring/alerts.yml");
    for text in [alerts.to_owned(), rules.to_string()] {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let check = Command::new("promtool").args(["check", "rules"]).arg(file.path()).output();
        let check = check.unwrap();
        assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for word in words.filter(|word| word.starts_with("adamant_")) {
            let parts = ["_bucket", "_count"];
            let metric = parts.iter().find_map(|part| word.strip_suffix(part)).unwrap_or(word);
            assert!(exposed.contains(metric), "no metric is {metric}");
        }
    }
}

#[tokio::test]
async fn metrics_are_denied_on_conflicting_forwarding_headers() {
    let server = Server::with(|setup| {
        setup.set("network", "trusted_proxies", toml::Value::Array(vec!["127.0.0.1".into()]));
    })
    .await;
    for (headers, status) in [
        ("", "200"),
        ("X-Forwarded-For: 127.0.0.1\r\n", "200"),
        ("X-Forwarded-For: 1.2.3.4\r\n", "403"),
        ("X-Forwarded-For: 1.2.3.4\r\nForwarded: for=6.6.6.6\r\n", "403"),
        ("X-Forwarded-For: 1.2.3.4\r\nForwarded: garbage\r\n", "403"),
        ("Forwarded: garbage\r\n", "403"),
    ] {
        let (head, _) = get_with_headers(connect(&server).await, "/metrics", headers).await;
        assert!(head.starts_with(&format!("http/1.1 {status}")), "{headers}: {head}");
    }
}

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

    let (mut ann, mut bob, game) = game::start_two(&server).await;
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
