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
    });
    let reload = ["reload", "--reason", "fewer seeks"];
    let reloaded = govern(&server, &reload).await;
    let expected = json!({
        "changed": ["network.metrics_from"],
        "needs_restart": ["limits.seeks_per_min"],
    });
    assert_eq!(reloaded, expected);
    assert_eq!(http::ask(&server, "GET", "/metrics").await.status, 403);
    // What needs a restart is named until there was one.
    let again = govern(&server, &reload).await;
    assert_eq!(again, json!({"changed": [], "needs_restart": ["limits.seeks_per_min"]}));

    configure(&server, |table| {
        network(table).insert("metrics_from".to_owned(), vec!["nowhere"].into());
    });
    let refused = is_refused(&server, &reload).await;
    assert!(refused.contains("nothing has changed") && refused.contains("nowhere"), "{refused}");
    Peer::guest(&server, "ann").await;
}
