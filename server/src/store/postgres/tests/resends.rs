//! A write that is sent again, because its commit was not answered, has the same outcome.

use std::{fmt::Debug, sync::Arc};

use adamant_protocol::{UserName, values::TalkRoom};
use futures::{FutureExt as _, future::BoxFuture};

use super::TestDatabase;
use crate::{
    limits::{NOTIFICATION_FAILURES_MAX, RELATIONS_PER_USER_MAX, TOKENS_PER_USER_MAX},
    store::{
        AddTokenOutcome, CreateUserOutcome, DeliveryResult, NewLine, NewToken, NewUser,
        NewUserKind, Notifications as _, RelateOutcome, Relation, SayOutcome, StoredSubscription,
        StoredWebhook, Talk as _, Tokens as _, UnsayOutcome, User, UserId, Users as _, Validity,
        postgres::{
            Postgres,
            failure::Failure,
            notifications::{delete_subscription, delete_webhook, settle_webhook},
            relations::{Relating, relate},
            sweep::{GuestPlace, sweep_guests, sweep_tokens},
            talk::{Unsaying, say, unsay},
            tokens::{PasswordChange, add_token, change_password, delete_token},
            transaction::Transaction,
            tries::Tries,
            users::{Upgrade, create_user, upgrade_guest},
        },
    },
};

/// Runs an operation in two transactions, as if the first commit had not been answered. Returns its
/// outcome, which is the same both times.
async fn twice<V, T, F>(store: &Postgres, value: V, operation: F) -> T
where
    V: Send + Sync + 'static,
    T: PartialEq + Debug + Send + 'static,
    F: for<'a> Fn(&'a Transaction, &'a V) -> BoxFuture<'a, Result<T, Failure>>
        + Send
        + Sync
        + 'static,
{
    let (value, operation) = (Arc::new(value), Arc::new(operation));
    let run = || {
        let operation = Arc::clone(&operation);
        store.pool().transact(Arc::clone(&value), move |tx, value| operation(tx, value))
    };
    let (first, second) = (run().await.unwrap(), run().await.unwrap());
    assert_eq!(second, first);
    first
}

fn name(text: &str) -> UserName {
    text.parse().unwrap()
}

fn new_user(text: &str, kind: NewUserKind) -> NewUser {
    NewUser { name: name(text), kind, created_at: 1 }
}

fn token(digest: u8) -> NewToken {
    NewToken {
        digest: [digest; 32],
        label: "log-in".into(),
        bot: false,
        created_at: u64::from(digest),
        expires_at: None,
        used_at: None,
        password_hash: None,
    }
}

async fn create(store: &Postgres, new: NewUser, with: Option<NewToken>) -> User {
    let created = twice(store, (new, with, Tries::default()), |tx, (new, with, tries)| {
        create_user(tx, new, with.as_ref(), tries).boxed()
    });
    let CreateUserOutcome::Created(user) = created.await else { panic!("the name is free") };
    user
}

async fn add(store: &Postgres, owner: UserId, new: NewToken) -> AddTokenOutcome {
    twice(store, (new, Tries::default()), move |tx, (new, tries)| {
        add_token(tx, owner, new, tries).boxed()
    })
    .await
}

#[tokio::test]
async fn users_and_passwords_are_recognised() {
    let test = TestDatabase::open().await;
    let store = &test.store;
    let account = NewUserKind::Account("old".to_owned());
    let ann = create(store, new_user("ann", account.clone()), Some(token(1))).await;
    let taken = store.create_user(new_user("ann", account)).await.unwrap();
    assert_eq!(taken, CreateUserOutcome::NameTaken(name("ann")), "another sign-up is not ours");
    create(store, new_user("ann_bot", NewUserKind::Bot(ann.id)), None).await;
    let guest = create(store, new_user("guest", NewUserKind::Guest), Some(token(2))).await;
    let upgrade = Upgrade {
        guest: guest.id,
        name: name("bob"),
        password_hash: "hash".to_owned(),
        now_ms: 9,
        tries: Tries::default(),
    };
    let upgraded = twice(store, upgrade, |tx, upgrade| upgrade_guest(tx, upgrade).boxed()).await;
    assert!(matches!(upgraded, Some(CreateUserOutcome::Created(_))), "{upgraded:?}");
    let change = PasswordChange {
        user: ann.id,
        old_hash: "old".to_owned(),
        new_hash: "new".to_owned(),
        keep: [0; 32],
        bots: true,
        tries: Tries::default(),
    };
    assert!(twice(store, change, |tx, change| change_password(tx, change).boxed()).await);
}

#[tokio::test]
async fn tokens_and_deletions_are_recognised() {
    let test = TestDatabase::open().await;
    let store = &test.store;
    let ann = create(store, new_user("ann", NewUserKind::Guest), None).await;
    for digest in 1..=u8::try_from(TOKENS_PER_USER_MAX).unwrap() {
        add(store, ann.id, token(digest)).await;
    }
    let evicted = add(store, ann.id, token(200)).await;
    assert_eq!(evicted, AddTokenOutcome::Added { evicted: vec![[1; 32]] });
    let deleted =
        twice(store, Tries::default(), |tx, tries| delete_token(tx, [2; 32], tries).boxed());
    assert!(deleted.await);
    assert!(!store.delete_token([2; 32]).await.unwrap());

    let (endpoint, key) = ("push".into(), vec![4]);
    let subscription =
        StoredSubscription { endpoint, key, auth: [7; 16], created_at: 1, failures: 0 };
    store.add_subscription([3; 32], subscription).await.unwrap();
    let deleted = twice(store, Tries::default(), |tx, tries| {
        async move { delete_subscription(tx, &name("ann"), "push", tries).await }.boxed()
    });
    assert!(deleted.await);
    let (url, secret) = ("url".into(), "secret".into());
    let webhook = StoredWebhook { user: ann.id, url, secret, created_at: 1, failures: 0 };
    store.set_webhook(webhook.clone()).await.unwrap();
    for failures in 1..NOTIFICATION_FAILURES_MAX {
        let failed = (webhook.clone(), Tries::default());
        let counted = twice(store, failed, |tx, (webhook, tries)| {
            settle_webhook(tx, webhook, DeliveryResult::Failed, tries).boxed()
        });
        assert_eq!(counted.await, failures);
    }
    let deleted =
        twice(store, Tries::default(), move |tx, tries| delete_webhook(tx, ann.id, tries).boxed());
    assert!(deleted.await);

    let validity = Validity { now_ms: 1, used_since: 250 };
    let swept =
        twice(store, Tries::default(), move |tx, tries| sweep_tokens(tx, validity, tries).boxed());
    assert_eq!(swept.await, TOKENS_PER_USER_MAX as usize - 1);
    let swept = twice(store, Tries::default(), |tx, tries| {
        let page = sweep_guests(tx, 250, GuestPlace::default(), tries);
        // The guests that it has deleted are on no further page.
        async move { Ok(page.await?.0) }.boxed()
    });
    assert_eq!(swept.await, 1);
}

#[tokio::test]
async fn lines_and_relations_are_recognised() {
    let test = TestDatabase::open().await;
    let store = &test.store;
    let line = NewLine {
        game: "g1".parse().unwrap(),
        room: TalkRoom::Players,
        by: name("ann"),
        req: "r".parse().unwrap(),
        at: 10,
        text: "hello".into(),
    };
    let said = (line.clone(), Tries::default());
    let said = twice(store, said, |tx, (line, tries)| say(tx, line, tries).boxed()).await;
    assert_eq!(said, SayOutcome::New(1));
    assert_eq!(store.say(line.clone()).await.unwrap(), SayOutcome::Repeated(1));
    let (game, room) = (line.game, line.room);
    let line = Unsaying { game, room, n: 1, by: Some((name("ann"), 0)), tries: Tries::default() };
    let unsaid = twice(store, line, |tx, line| unsay(tx, line).boxed()).await;
    assert_eq!(unsaid, UnsayOutcome::Deleted);

    for user in ["ann", "bob", "cy"] {
        create(store, new_user(user, NewUserKind::Guest), None).await;
    }
    test.sql(&format!(
        "INSERT INTO users (name, folded, skeleton, created_at)
             SELECT 'u' || n, 'u' || n, 'u' || n, 1 FROM generate_series(2, {RELATIONS_PER_USER_MAX}) n;
         INSERT INTO mutes (user_id, muted_id)
             SELECT a.id, b.id FROM users a, users b WHERE a.name = 'ann' AND b.name LIKE 'u%'"
    ));
    // It stores the last one that the limit allows.
    let relate_to = |other: &str| {
        let (relation, user, other) = (Relation::Mutes, name("ann"), name(other));
        let relating = Relating { relation, user, other, tries: Tries::default() };
        twice(store, relating, |tx, relating| relate(tx, relating).boxed())
    };
    assert!(matches!(relate_to("bob").await, RelateOutcome::Stored(_)));
    assert_eq!(relate_to("cy").await, RelateOutcome::LimitReached);
}
