//! The audit: who has done what, when and why.

use serde_json::json;

use super::operator::{govern, is_refused, run_on};
use crate::harness::{Peer, now_ms};

#[tokio::test]
async fn every_act_is_kept_with_its_unix_user_and_its_reason() {
    let (server, [_ann]) = Peer::start_with_accounts(["Ann"]).await;
    let begun = now_ms();
    govern(&server, &["users", "note", "ann", "calm"]).await;
    govern(&server, &["sign-up", "guests", "on", "--reason", "as ever"]).await;
    let last = server.node(usize::from(server.nodes() > 1));
    let ban = ["bans", "user", "ann", "--reason", "rude", "--for", "1h"];
    assert_eq!(run_on(last, &ban).await.0, Some(0));
    // What only reads and what is refused are no acts.
    govern(&server, &["users", "show", "ann"]).await;
    is_refused(&server, &["bans", "lift", "99", "--reason", "x"]).await;

    let listed = govern(&server, &["audit", "list"]).await;
    let acts = listed["acts"].as_array().unwrap();
    assert_eq!(acts.len(), 3, "{listed}");
    let whoami = tokio::process::Command::new("id").arg("-un").output().await.unwrap();
    let whoami = String::from_utf8(whoami.stdout).unwrap();
    for act in acts {
        assert_eq!(act["who"], whoami.trim());
        assert!(act["at"].as_u64().unwrap() >= begun);
    }
    assert_eq!((&acts[0]["about"], &acts[0]["reason"]), (&json!("ann"), &json!("rude")));
    let request = r#"{"bans":{"user":{"user":"ann","reason":"rude","for":"1h"}}}"#;
    assert_eq!(acts[0]["request"], request);
    assert_eq!(acts[1]["reason"], "as ever");
    let about = govern(&server, &["audit", "list", "--about", "Ann"]).await;
    assert_eq!(about["acts"].as_array().map(Vec::len), Some(2));
    let first = acts[2]["id"].to_string();
    let before = govern(&server, &["audit", "list", "--before", &first]).await;
    assert_eq!(before, json!({"acts": []}));
}
