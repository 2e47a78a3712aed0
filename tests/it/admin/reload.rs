//! The configuration, read again at the word of an operator.

use std::fs;

use serde_json::json;

use super::operator::{govern, is_refused};
use crate::harness::{Peer, Server, http};

/// Changes the configuration file of the first node.
fn configure(server: &Server, change: impl FnOnce(&mut toml::Table)) {
    let file = server.data().with_file_name("adamant.toml");
    let mut table: toml::Table = fs::read_to_string(&file).unwrap().parse().unwrap();
    change(&mut table);
    fs::write(&file, toml::to_string(&table).unwrap()).unwrap();
}

fn limits(table: &mut toml::Table) -> &mut toml::Table {
    table["limits"].as_table_mut().expect("a section is a table")
}

fn network(table: &mut toml::Table) -> &mut toml::Table {
    table["network"].as_table_mut().expect("a section is a table")
}

#[tokio::test]
async fn a_reload_says_what_has_changed_and_what_needs_a_restart() {
    let server = Server::one_node(|_| {}).await;
    assert_eq!(http::ask(&server, "GET", "/metrics").await.status, 200);
    configure(&server, |table| {
        network(table).insert("metrics_from".to_owned(), vec!["192.0.2.1"].into());
        table["limits"]["seeks_per_min"] = 7.into();
        limits(table).insert("ping_every".to_owned(), "9s".into());
    });
    let reload = ["reload", "--reason", "fewer seeks"];
    let reloaded = govern(&server, &reload).await;
    let expected = json!({
        "changed": ["limits.seeks_per_min", "network.metrics_from"],
        "needs_restart": ["limits.ping_every"],
    });
    assert_eq!(reloaded, expected);
    assert_eq!(http::ask(&server, "GET", "/metrics").await.status, 403);
    // What needs a restart is named until there was one.
    let again = govern(&server, &reload).await;
    assert_eq!(again, json!({"changed": [], "needs_restart": ["limits.ping_every"]}));

    configure(&server, |table| {
        network(table).insert("metrics_from".to_owned(), vec!["nowhere"].into());
    });
    let refused = is_refused(&server, &reload).await;
    assert!(refused.contains("nothing has changed") && refused.contains("nowhere"), "{refused}");
    Peer::guest(&server, "ann").await;
}

#[tokio::test]
async fn other_limits_count_at_once_for_those_who_are_there_too() {
    let server = Server::one_node(|setup| setup.set("limits", "messages_per_s", 10)).await;
    let mut ann = Peer::guest(&server, "ann").await;
    configure(&server, |table| {
        for (name, value) in [("messages_burst", 1), ("messages_per_s", 1)] {
            limits(table).insert(name.to_owned(), value.into());
        }
    });
    govern(&server, &["reload", "--reason", "a flood"]).await;
    // Each may wait a second until it is due, and no longer.
    for _ in 0..4 {
        ann.send(&json!({"type": "ping", "id": ann.next_id()})).await;
    }
    let refused = ann.next_of("error").await;
    assert_eq!((&refused["code"], &refused["limit"]), (&json!("rate_limited"), &json!("messages")));
}
