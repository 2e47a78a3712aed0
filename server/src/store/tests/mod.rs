//! What every store promises, as one suite of tests over all of them.

mod accounts;
mod games;
mod journal;
mod offers;
mod talk;

pub(super) use journal::{append, archived, begin};

use std::{sync::Arc, time::Duration};

use adamant_protocol::UserName;
use tempfile::TempDir;

use super::{
    Backend, CreateUserOutcome, NewToken, NewUser, NewUserKind, Postgres, Sqlite, Store, User,
    Validity, postgres::TestDatabase, store::Database,
};
use crate::config::StoreConfig;

/// A store, with what it needs while the test runs.
pub(super) struct TestedStore {
    pub(super) store: Store,
    place: Place,
}

enum Place {
    Directory(TempDir),
    Database(TestDatabase),
}

/// A database that no node serves.
#[derive(Debug)]
struct Unserved;

impl Backend for Unserved {
    fn durability(&self) -> &'static str {
        "replicated"
    }

    fn heartbeat_every(&self) -> Duration {
        Duration::MAX
    }
}

impl From<Postgres> for Store {
    fn from(postgres: Postgres) -> Self {
        Self {
            journal: Arc::new(postgres.clone()),
            database: Database::Postgres(postgres),
            backend: Arc::new(Unserved),
            presence: None,
            keys: None,
        }
    }
}

fn open(directory: &TempDir) -> Store {
    let config = StoreConfig { wal_mib: 1, ..StoreConfig::at(directory.path()) };
    Sqlite::open(&config, Arc::default()).unwrap().0.into()
}

impl TestedStore {
    /// Returns every kind of store, empty.
    pub(super) async fn all() -> [Self; 2] {
        [Self::embedded(), Self::shared().await]
    }

    fn embedded() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { store: open(&directory), place: Place::Directory(directory) }
    }

    async fn shared() -> Self {
        let database = TestDatabase::open().await;
        Self { store: database.store.clone().into(), place: Place::Database(database) }
    }

    /// Stops the store and opens it again.
    pub(super) async fn reopen(self) -> Self {
        let Self { store, place } = self;
        store.backend.close(1).await;
        drop(store);
        let store = match &place {
            Place::Directory(directory) => open(directory),
            Place::Database(database) => database.another_node().await.into(),
        };
        Self { store, place }
    }

    pub(super) async fn begin(&self, game: &str, users: [&str; 2]) {
        let mut new = begin(game);
        for (seat, user) in new.entry.seats.iter_mut().zip(users) {
            seat.user = name(user);
        }
        self.store.journal.begin(new).await.unwrap();
    }
}

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

pub(super) async fn guest(store: &Store, name: &str) -> User {
    created(store.create_user(new_user(name, NewUserKind::Guest), None).await.unwrap())
}

pub(super) async fn has_token(store: &Store, digest: u8) -> bool {
    store.has_token([digest; 32], ALWAYS).await.unwrap()
}
