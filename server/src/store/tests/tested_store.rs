//! The stores that each test runs on.

use std::sync::Arc;

use adamant_protocol::ids::Chain;
use tempfile::TempDir;

use crate::{
    config::StoreConfig,
    store::{
        Begin, Challenges, Downloads, Games, Invites, Journal, Notifications, Relations, Seeks,
        Sqlite, Standings, Statistics, Talk, Tokens, Users, fixture::entry, postgres::TestDatabase,
    },
};

/// The areas of a store.
pub(super) struct Areas {
    pub(super) journal: Arc<dyn Journal>,
    pub(super) games: Arc<dyn Games>,
    pub(super) downloads: Arc<dyn Downloads>,
    pub(super) users: Arc<dyn Users>,
    pub(super) tokens: Arc<dyn Tokens>,
    pub(super) talk: Arc<dyn Talk>,
    pub(super) notifications: Arc<dyn Notifications>,
    pub(super) relations: Arc<dyn Relations>,
    pub(super) challenges: Arc<dyn Challenges>,
    pub(super) invites: Arc<dyn Invites>,
    pub(super) seeks: Arc<dyn Seeks>,
    pub(super) standings: Arc<dyn Standings>,
    pub(super) statistics: Arc<dyn Statistics>,
}

/// A store, with what it needs while the test runs.
pub(super) struct TestedStore {
    pub(super) store: Areas,
    _database: Option<TestDatabase>,
    _directory: Option<TempDir>,
}

/// Returns all areas of a store.
fn areas<S>(store: S) -> Areas
where
    S: Journal
        + Games
        + Downloads
        + Users
        + Tokens
        + Talk
        + Notifications
        + Relations
        + Challenges
        + Invites
        + Seeks
        + Standings
        + Statistics,
{
    let store = Arc::new(store);
    Areas {
        journal: Arc::<S>::clone(&store),
        games: Arc::<S>::clone(&store),
        downloads: Arc::<S>::clone(&store),
        users: Arc::<S>::clone(&store),
        tokens: Arc::<S>::clone(&store),
        talk: Arc::<S>::clone(&store),
        notifications: Arc::<S>::clone(&store),
        relations: Arc::<S>::clone(&store),
        challenges: Arc::<S>::clone(&store),
        invites: Arc::<S>::clone(&store),
        seeks: Arc::<S>::clone(&store),
        standings: Arc::<S>::clone(&store),
        statistics: store,
    }
}

impl TestedStore {
    /// Returns every kind of store, empty.
    pub(super) async fn all() -> [Self; 2] {
        let directory = tempfile::tempdir().unwrap();
        let config = StoreConfig { wal_mib: 1, ..StoreConfig::at(directory.path()) };
        let sqlite = Sqlite::open(&config, Arc::default()).unwrap().0;
        let database = TestDatabase::open().await;
        [
            Self { store: areas(sqlite), _database: None, _directory: Some(directory) },
            Self {
                store: areas(database.store.clone()),
                _database: Some(database),
                _directory: None,
            },
        ]
    }

    /// Begins a game of two users.
    pub(super) async fn begin(&self, game: &str, users: [&str; 2]) {
        let mut entry = entry(game, "adamas", 1);
        for (seat, user) in entry.seats.iter_mut().zip(users) {
            seat.user = user.parse().unwrap();
        }
        let (entry, records) = (Box::new(entry), vec!["created".into(), "started".into()]);
        let (chain, deadline, origin, rematch_of) = (Chain::default(), None, None, None);
        let begin = Begin { entry, records, chain, deadline, origin, rematch_of };
        self.store.journal.begin(begin).await.unwrap();
    }
}
