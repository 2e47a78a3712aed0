//! Users and tokens for the tests of the store.

use adamant_protocol::UserName;

use crate::store::{CreateUserOutcome, NewToken, NewUser, NewUserKind, Store, User, Validity};

/// Accepts every token that has not expired at 0.
pub(super) const ALWAYS: Validity = Validity { now_ms: 0, used_since: 0 };

pub(super) fn name(text: &str) -> UserName {
    text.parse().unwrap()
}

/// A user who was created at 1.
pub(super) fn new_user(text: &str, kind: NewUserKind) -> NewUser {
    NewUser { name: name(text), kind, created_at: 1 }
}

/// A log-in token that was created at 1.
pub(super) fn log_in(digest: u8) -> NewToken {
    NewToken {
        digest: [digest; 32],
        label: "log-in".into(),
        bot: false,
        created_at: 1,
        expires_at: None,
        used_at: None,
        password_hash: None,
    }
}

/// A token for a program that was created at 1.
pub(super) fn program(digest: u8) -> NewToken {
    NewToken { label: "program".into(), bot: true, ..log_in(digest) }
}

/// Returns the user of an outcome that must be `Created`.
pub(super) fn created(outcome: CreateUserOutcome) -> User {
    let CreateUserOutcome::Created(user) = outcome else { panic!("{outcome:?}") };
    user
}

/// Creates an account whose password's hash is its name.
pub(super) async fn account(store: &Store, name: &str) -> User {
    let kind = NewUserKind::Account(name.to_owned());
    created(store.create_user(new_user(name, kind), None).await.unwrap())
}

/// Creates a guest.
pub(super) async fn guest(store: &Store, name: &str) -> User {
    created(store.create_user(new_user(name, NewUserKind::Guest), None).await.unwrap())
}

/// Returns whether there is a token with this digest.
pub(super) async fn has_token(store: &Store, digest: u8) -> bool {
    store.has_token([digest; 32], ALWAYS).await.unwrap()
}
