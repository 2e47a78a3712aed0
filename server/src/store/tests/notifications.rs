//! What every store promises of push subscriptions and webhooks.

use futures::future::join_all;

use super::{
    people::{account, log_in, name},
    tested_store::TestedStore,
};
use crate::{
    limits::{NOTIFICATION_FAILURES_MAX, PUSH_SUBSCRIPTIONS_PER_USER_MAX},
    store::{DeliveryResult, Store, StoredNotice, StoredSubscription, StoredWebhook, UserId},
};

fn subscription(endpoint: &str, created_at: u64) -> StoredSubscription {
    let endpoint = endpoint.into();
    StoredSubscription { endpoint, key: vec![4, 0, 255], auth: [7; 16], created_at, failures: 0 }
}

/// Creates an account that has logged in with each of these tokens.
async fn logged_in(store: &Store, text: &str, digests: &[u8]) -> UserId {
    let user = account(store, text).await;
    for digest in digests {
        store.add_token(user.id, log_in(*digest)).await.unwrap();
    }
    user.id
}

/// Returns the endpoints of a user's subscriptions with their failures.
async fn endpoints(store: &Store, user: &str) -> Vec<(String, u32)> {
    let found = store.subscriptions(name(user)).await.unwrap();
    found.into_iter().map(|found| (found.endpoint.into_string(), found.failures)).collect()
}

#[tokio::test]
async fn a_subscription_belongs_to_its_log_in() {
    for tested in TestedStore::all().await {
        let (notifications, tokens) = (&tested.store, &tested.store);
        logged_in(&tested.store, "Ann", &[1, 2]).await;
        logged_in(&tested.store, "bob", &[3]).await;
        let add = |token, endpoint, at| {
            notifications.add_subscription([token; 32], subscription(endpoint, at))
        };
        assert!(!add(9, "a", 1).await.unwrap(), "there is no such token");
        assert!(add(1, "b", 2).await.unwrap());
        assert!(add(2, "c", 1).await.unwrap());
        assert!(add(2, "a", 1).await.unwrap());
        let found = notifications.subscriptions(name("ANN")).await.unwrap();
        let all = [subscription("a", 1), subscription("c", 1), subscription("b", 2)];
        assert_eq!(found, all, "the oldest first");
        // The browser's new user takes it over.
        assert!(add(3, "a", 5).await.unwrap());
        assert_eq!(notifications.subscriptions(name("bob")).await.unwrap(), [subscription("a", 5)]);
        let delete =
            |user, endpoint: &str| notifications.delete_subscription(name(user), endpoint.into());
        assert!(!delete("ann", "a").await.unwrap(), "it is bob's");
        assert!(delete("BOB", "a").await.unwrap());
        assert!(!delete("bob", "a").await.unwrap());
        tokens.delete_token([2; 32]).await.unwrap();
        assert_eq!(endpoints(&tested.store, "ann").await, [("b".to_owned(), 0)]);
    }
}

#[tokio::test]
async fn the_oldest_subscription_makes_room() {
    for tested in TestedStore::all().await {
        let notifications = &tested.store;
        logged_in(&tested.store, "ann", &[1, 2]).await;
        let max = u64::from(PUSH_SUBSCRIPTIONS_PER_USER_MAX);
        let add = |number: u64| {
            let token = [1 + u8::from(number.is_multiple_of(2)); 32];
            let new = subscription(&format!("push{number:03}"), 100 + number);
            notifications.add_subscription(token, new)
        };
        for added in join_all((0..max + 2).map(add)).await {
            assert!(added.unwrap());
        }
        let kept = endpoints(&tested.store, "ann").await;
        assert_eq!(kept.len() as u64, max);
        // The new one stays, though it is the oldest.
        notifications.add_subscription([1; 32], subscription("new", 1)).await.unwrap();
        let kept = endpoints(&tested.store, "ann").await;
        assert_eq!((kept.len() as u64, kept[0].0.as_str()), (max, "new"));
    }
}

#[tokio::test]
async fn failures_in_a_row_end_a_subscription() {
    for tested in TestedStore::all().await {
        let notifications = &tested.store;
        logged_in(&tested.store, "ann", &[1]).await;
        for endpoint in ["a", "b"] {
            notifications.add_subscription([1; 32], subscription(endpoint, 1)).await.unwrap();
        }
        let settle =
            |endpoint: &str, result| notifications.settle_subscription(endpoint.into(), result);
        for failures in 1..NOTIFICATION_FAILURES_MAX {
            settle("a", DeliveryResult::Failed).await.unwrap();
            assert_eq!(endpoints(&tested.store, "ann").await[0], ("a".to_owned(), failures));
        }
        settle("a", DeliveryResult::Delivered).await.unwrap();
        assert_eq!(endpoints(&tested.store, "ann").await[0].1, 0);
        for _ in 0..NOTIFICATION_FAILURES_MAX {
            settle("a", DeliveryResult::Failed).await.unwrap();
        }
        assert_eq!(endpoints(&tested.store, "ann").await, [("b".to_owned(), 0)]);
        settle("b", DeliveryResult::Gone).await.unwrap();
        settle("b", DeliveryResult::Failed).await.unwrap();
        assert_eq!(endpoints(&tested.store, "ann").await, []);
    }
}

#[tokio::test]
async fn a_user_has_one_webhook_whose_failures_count() {
    for tested in TestedStore::all().await {
        let notifications = &tested.store;
        let ann = logged_in(&tested.store, "Ann", &[]).await;
        let webhook = |secret: &str, failures| StoredWebhook {
            user: ann,
            url: "https://example.org/hook".into(),
            secret: secret.into(),
            created_at: 5,
            failures,
        };
        let stored = || notifications.webhook(name("ANN"));
        assert_eq!(stored().await.unwrap(), None);
        notifications.set_webhook(webhook("old", 0)).await.unwrap();
        let settle = |secret, result| notifications.settle_webhook(webhook(secret, 0), result);
        assert_eq!(settle("old", DeliveryResult::Failed).await.unwrap(), 1);
        assert_eq!(settle("old", DeliveryResult::Gone).await.unwrap(), 2);
        assert_eq!(stored().await.unwrap(), Some(webhook("old", 2)));
        assert_eq!(settle("old", DeliveryResult::Delivered).await.unwrap(), 0);
        settle("old", DeliveryResult::Failed).await.unwrap();
        notifications.set_webhook(webhook("new", 0)).await.unwrap();
        assert_eq!(settle("old", DeliveryResult::Failed).await.unwrap(), 0, "it was replaced");
        assert_eq!(stored().await.unwrap(), Some(webhook("new", 0)));
        assert!(notifications.delete_webhook(ann).await.unwrap());
        assert!(!notifications.delete_webhook(ann).await.unwrap());
        assert_eq!(stored().await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_notice_is_sent_by_one_process_at_a_time() {
    for tested in TestedStore::all().await {
        let notifications = &tested.store;
        let notice = |id, overdue_at| StoredNotice { id, overdue_at, occasion: "{}".into() };
        notifications.add_notice(notice(u64::MAX >> 1, 5)).await.unwrap();
        notifications.add_notice(notice(7, 9)).await.unwrap();
        assert_eq!(notifications.take_notices(4, 100).await.unwrap(), []);
        assert!(notifications.claim_notice(7, 9, 50).await.unwrap());
        assert!(!notifications.claim_notice(7, 9, 60).await.unwrap(), "another has prolonged it");
        let taken = notifications.take_notices(20, 100).await.unwrap();
        assert_eq!(taken, [notice(u64::MAX >> 1, 100)]);
        assert_eq!(notifications.take_notices(20, 110).await.unwrap(), [], "it is taken");
        assert!(!notifications.claim_notice(u64::MAX >> 1, 5, 60).await.unwrap());
        assert_eq!(notifications.take_notices(50, 120).await.unwrap(), [notice(7, 120)]);
        notifications.delete_notice(7).await.unwrap();
        assert!(!notifications.claim_notice(7, 120, 130).await.unwrap());
        let rest = notifications.take_notices(1000, 2000).await.unwrap();
        assert_eq!(rest, [notice(u64::MAX >> 1, 2000)]);
    }
}
