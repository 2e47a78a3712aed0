//! Keys that are replaced while the server runs.

use serde_json::json;

use super::operator::govern;
use crate::harness::{Peer, Server, game, http};

#[tokio::test]
async fn records_signed_before_and_after_a_change_of_keys_can_be_verified() {
    let server = Server::one_node(|_| {}).await;
    let mut ann = Peer::guest(&server, "ann").await;
    let mut bob = Peer::guest(&server, "bob").await;
    let game = game::start_and_play(&mut [&mut ann, &mut bob], 2).await;
    ann.ask(json!({"type": "resign", "game": game})).await;
    let sign = json!({"type": "signature", "game": game});
    let before = ann.ask(sign.clone()).await;
    let shown = govern(&server, &["keys", "show"]).await;
    assert_eq!(shown["signing"], before["key"]);

    let replaced = govern(&server, &["keys", "replace", "--reason", "a laptop was lost"]).await;
    let after = ann.ask(sign).await;
    assert_ne!(after["key"], before["key"]);
    assert_eq!(replaced["signing"], after["key"]);
    assert_eq!(replaced["verifying"], json!([before["key"]]));
    let listed = http::get(&server, "/v1/key").await;
    assert_eq!((&listed["key"], &listed["earlier"]), (&after["key"], &json!([before["key"]])));
}
