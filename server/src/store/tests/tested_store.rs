//! The stores that each test runs on.

use std::{sync::Arc, time::Duration};

use adamant_protocol::ids::Chain;
use futures::{
    FutureExt as _,
    future::{BoxFuture, ready},
};
use tempfile::TempDir;

use crate::{
    config::StoreConfig,
    runtime::metrics::StoreSize,
    store::{
        Backend, Begin, Heartbeat, Outage, Postgres, ReadOnlyReason, Sqlite, Store, StoreError,
        database::Database, fixture::entry, postgres::TestDatabase,
    },
};

/// A store, with what it needs while the test runs.
pub(super) struct TestedStore {
    pub(super) store: Store,
    /// The shared database, if it is one.
    pub(super) database: Option<TestDatabase>,
    directory: Option<TempDir>,
}

/// A database that no node serves.
#[derive(Debug)]
struct Unserved;

impl Backend for Unserved {
    fn read_only(&self) -> Option<ReadOnlyReason> {
        None
    }

    fn is_healthy(&self) -> bool {
        true
    }

    fn durability(&self) -> &'static str {
        "replicated"
    }

    fn size(&self) -> BoxFuture<'_, StoreSize> {
        ready(StoreSize::default()).boxed()
    }

    fn begin_serving(
        &self,
        _last_event: Option<u64>,
        _settled: Option<u64>,
        _now_ms: u64,
    ) -> BoxFuture<'_, Result<Vec<Outage>, StoreError>> {
        ready(Ok(Vec::new())).boxed()
    }

    fn heartbeat_every(&self) -> Duration {
        Duration::MAX
    }

    fn heartbeat(&self, _now_ms: u64) -> BoxFuture<'_, Result<Heartbeat, StoreError>> {
        ready(Ok(Heartbeat::default())).boxed()
    }

    fn close(&self, _now_ms: u64) -> BoxFuture<'_, ()> {
        ready(()).boxed()
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
    pub(in crate::store) async fn all() -> [Self; 2] {
        let directory = tempfile::tempdir().unwrap();
        let database = TestDatabase::open().await;
        [
            Self { store: open(&directory), database: None, directory: Some(directory) },
            Self {
                store: database.store.clone().into(),
                database: Some(database),
                directory: None,
            },
        ]
    }

    /// Stops the store and opens it again.
    pub(super) async fn reopen(self) -> Self {
        let Self { store, database, directory } = self;
        store.backend.close(1).await;
        drop(store);
        let store = match (&directory, &database) {
            (Some(directory), _) => open(directory),
            (None, Some(database)) => database.another_node().await.into(),
            (None, None) => unreachable!("a store has a place"),
        };
        Self { store, database, directory }
    }

    /// Begins a game of two users.
    pub(super) async fn begin(&self, game: &str, users: [&str; 2]) {
        let mut entry = entry(game, "adamas", 1);
        for (seat, user) in entry.seats.iter_mut().zip(users) {
            seat.user = user.parse().unwrap();
        }
        let (entry, records) = (Box::new(entry), vec!["created".into(), "started".into()]);
        let (chain, deadline, offer, rematch_of) = (Chain::default(), None, None, None);
        let begin = Begin { entry, records, chain, deadline, offer, rematch_of };
        self.store.journal.begin(begin).await.unwrap();
    }
}
