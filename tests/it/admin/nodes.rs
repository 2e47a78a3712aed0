//! Several nodes: what an operator decides at one holds at the others within a second.

use std::time::Duration;

use serde_json::json;
use tokio::time::timeout;

use super::operator::govern;
use crate::harness::{Frame, Peer, Server, game};

/// How long the other node may take, from the answer to the operator on.
const BOUND: Duration = Duration::from_secs(1);

async fn in_time<T>(what: &str, waited: impl Future<Output = T>) -> T {
    timeout(BOUND, waited).await.unwrap_or_else(|_| panic!("{what} took longer than {BOUND:?}"))
}

/// Asks the other node for a guest until it refuses.
async fn guests_are_refused(server: &Server) {
    for number in 0.. {
        let mut peer = Peer::connect(server.node(1).address()).await;
        let auth = json!({"guest": format!("guest{number}x")});
        let said = peer.request(json!({"type": "hello", "proto": [1], "auth": auth})).await;
        if said["code"] == "sign_up_closed" {
            return;
        }
    }
}

#[tokio::test]
async fn what_an_operator_decides_holds_on_the_other_node_within_a_second() {
    let server = Server::cluster(2, |_| {}).await;
    let mut ann = Peer::guest_at(server.node(1), "ann").await;
    let mut bob = Peer::guest_at(server.node(0), "bob").await;
    let begun = game::start(&mut [&mut ann, &mut bob], json!({})).await;
    let is = |what: &'static str| move |frame: &Frame| frame["what"] == what;

    govern(&server, &["notice", "all", "hello"]).await;
    in_time("a notice", ann.next_matching("a notice", is("message"))).await;
    govern(&server, &["users", "warn", "ann", "--reason", "rude"]).await;
    in_time("a warning", ann.next_matching("a warning", is("warning"))).await;
    govern(&server, &["bans", "silence", "ann", "--reason", "rude"]).await;
    let line = json!({"type": "say", "game": begun, "room": "players", "text": "x"});
    let silenced = async { while ann.request(line.clone()).await["code"] != "silenced" {} };
    in_time("a silence", silenced).await;
    govern(&server, &["sign-up", "guests", "off", "--reason", "x"]).await;
    in_time("no guests", guests_are_refused(&server)).await;
    govern(&server, &["maintenance", "plan", "--in", "1h", "new"]).await;
    in_time("maintenance", ann.next_matching("maintenance", is("maintenance"))).await;
    let ruling = ["games", "end", &begun, "--result", "bob", "--reason", "stalling"];
    govern(&server, &ruling).await;
    in_time("a ruling", ann.next_event(&begun, "ended")).await;
    govern(&server, &["bans", "user", "ann", "--reason", "rude"]).await;
    in_time("a ban", ann.expect_close()).await;
    govern(&server, &["bans", "network", "127.0.9.0/24", "--reason", "x"]).await;
    let refused = async {
        loop {
            let mut peer = Peer::connect_from([127, 0, 9, 9], server.node(1).address()).await;
            let said = peer.request(json!({"type": "hello", "proto": [1]})).await;
            if said["code"] == "banned" {
                break;
            }
        }
    };
    in_time("a banned network", refused).await;
}
