//! Push subscriptions: who may have them, how many, and when they end.

use serde_json::json;

use super::opened::BrowserSubscription;
use crate::harness::{Peer, Server};

fn at(path: u32) -> BrowserSubscription {
    BrowserSubscription::new(format!("https://push.example.net/{path}"))
}

async fn endpoints(peer: &mut Peer) -> Vec<String> {
    let list = peer.ask(json!({"type": "push_list"})).await;
    let all = list["subscriptions"].as_array().unwrap();
    all.iter().map(|one| one["endpoint"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_servers_key_and_subscriptions_survive_a_restart() {
    let mut server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    ann.ask(at(1).request()).await;
    server.kill().await;
    server.restart().await;
    let before = ann.welcome["push"].clone();
    assert_eq!(before["key"].as_str().unwrap().len(), 87);
    let mut ann = ann.reconnect(&server).await;
    assert_eq!(ann.welcome["push"], before);
    assert_eq!(endpoints(&mut ann).await, ["https://push.example.net/1"]);
    ann.ask(json!({"type": "push_unsubscribe", "endpoint": "https://push.example.net/1"})).await;
    assert!(endpoints(&mut ann).await.is_empty());
}

#[tokio::test]
async fn one_more_subscription_deletes_the_oldest() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    for path in 1..=11 {
        ann.ask(at(path).request()).await;
    }
    let kept = endpoints(&mut ann).await;
    assert_eq!(kept.len(), 10);
    assert!(!kept.contains(&"https://push.example.net/1".to_owned()), "{kept:?}");
}

#[tokio::test]
async fn a_subscription_ends_with_its_token_and_has_one_user() {
    let server = Server::start().await;
    let mut ann = Peer::account(&server, "ann").await;
    let phone = ann.ask(json!({"type": "token_create", "label": "phone"})).await;
    let mut phone_session = Peer::with_token(&server, phone["token"].as_str().unwrap()).await;
    phone_session.ask(at(1).request()).await;
    ann.ask(at(2).request()).await;
    assert_eq!(endpoints(&mut ann).await.len(), 2);
    ann.ask(json!({"type": "token_revoke", "token": phone["token_id"]})).await;
    assert_eq!(endpoints(&mut ann).await, ["https://push.example.net/2"]);

    // Another user of the same browser.
    let mut bob = Peer::guest(&server, "bob").await;
    bob.ask(at(2).request()).await;
    assert!(endpoints(&mut ann).await.is_empty());
    let delete = json!({"type": "push_unsubscribe", "endpoint": "https://push.example.net/2"});
    ann.refused(delete, "not_found").await;
    assert_eq!(endpoints(&mut bob).await.len(), 1);
}

#[tokio::test]
async fn invalid_subscriptions_are_refused() {
    let server = Server::start().await;
    let mut ann = Peer::guest(&server, "ann").await;
    let good = at(1).request();
    for (field, value) in [
        ("endpoint", "http://push.example.net/1".to_owned()),
        ("endpoint", "https://127.0.0.1/1".to_owned()),
        ("endpoint", format!("https://push.example.net/{}", "a".repeat(1024))),
        ("p256dh", "A".repeat(87)),
        ("auth", "BTBZMqHH6r4Tts7J_aSI".to_owned()),
    ] {
        let mut wrong = good.clone();
        wrong[field] = value.into();
        ann.refused(wrong, "bad_message").await;
    }
    Peer::anonymous(&server).await.refused(good, "forbidden").await;
}

#[tokio::test]
async fn the_configuration_switches_notifications_off() {
    let server = Server::with(|setup| {
        setup.set("notifications", "push", false);
        setup.set("notifications", "webhooks", false);
    })
    .await;
    let mut ann = Peer::account(&server, "ann").await;
    assert_eq!(ann.welcome.get("push"), None);
    assert!(!server.data().join("vapid.key").exists());
    ann.refused(at(1).request(), "forbidden").await;
    let set = json!({"type": "webhook_set", "url": "https://hooks.example.net/"});
    ann.refused(set, "forbidden").await;
    ann.refused(json!({"type": "webhook_get"}), "forbidden").await;
}
