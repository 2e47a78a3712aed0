//! An operator, who runs `adamant-server admin` on a node.

use serde_json::Value;

use crate::harness::{Node, Server, server_command};

/// Runs a command on the socket of a node; returns its exit status and output.
pub(super) async fn run_on(node: &Node, words: &[&str]) -> (Option<i32>, String) {
    let socket = node.data().join("admin.sock").display().to_string();
    let command: Vec<&str> = ["admin", "--socket", &socket].iter().chain(words).copied().collect();
    server_command(&command).await
}

/// Runs a command on the first node, which must carry it out; returns its answer.
pub(crate) async fn govern(server: &Server, words: &[&str]) -> Value {
    let (status, said) = run_on(server.node(0), &[words, &["--json"]].concat()).await;
    assert_eq!(status, Some(0), "{words:?}: {said}");
    serde_json::from_str(&said).unwrap()
}

/// Runs a command that the first node must refuse; returns what it says.
pub(super) async fn is_refused(server: &Server, words: &[&str]) -> String {
    let (status, said) = run_on(server.node(0), words).await;
    assert_eq!(status, Some(1), "{words:?}: {said}");
    said
}
