//! The store by area. Each part of the server keeps the areas that it uses.

use std::sync::Arc;

use super::postgres::{NodeKeys, Postgres, PostgresNode};
use super::{
    Backend, Challenges, Downloads, Games, Invites, Journal, Notifications, Relations, Seeks,
    SharedPresence, SigningKeys, Sqlite, Standings, Statistics, Talk, Tokens, Users,
};

/// Every area of one store. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    pub backend: Arc<dyn Backend>,
    pub journal: Arc<dyn Journal>,
    pub games: Arc<dyn Games>,
    pub downloads: Arc<dyn Downloads>,
    pub challenges: Arc<dyn Challenges>,
    pub invites: Arc<dyn Invites>,
    pub users: Arc<dyn Users>,
    pub tokens: Arc<dyn Tokens>,
    pub standings: Arc<dyn Standings>,
    pub statistics: Arc<dyn Statistics>,
    pub talk: Arc<dyn Talk>,
    pub notifications: Arc<dyn Notifications>,
    pub relations: Arc<dyn Relations>,
    pub seeks: Arc<dyn Seeks>,
    /// The presence that all nodes share; `None` on a server that is alone.
    pub presence: Option<Arc<dyn SharedPresence>>,
    /// The public keys of the nodes; `None` on a server that is alone.
    pub signing_keys: Option<Arc<dyn SigningKeys>>,
}

impl From<Sqlite> for Store {
    fn from(store: Sqlite) -> Self {
        let store = Arc::new(store);
        Self {
            backend: Arc::<Sqlite>::clone(&store),
            journal: Arc::<Sqlite>::clone(&store),
            games: Arc::<Sqlite>::clone(&store),
            downloads: Arc::<Sqlite>::clone(&store),
            challenges: Arc::<Sqlite>::clone(&store),
            invites: Arc::<Sqlite>::clone(&store),
            users: Arc::<Sqlite>::clone(&store),
            tokens: Arc::<Sqlite>::clone(&store),
            standings: Arc::<Sqlite>::clone(&store),
            statistics: Arc::<Sqlite>::clone(&store),
            talk: Arc::<Sqlite>::clone(&store),
            notifications: Arc::<Sqlite>::clone(&store),
            relations: Arc::<Sqlite>::clone(&store),
            seeks: store,
            presence: None,
            signing_keys: None,
        }
    }
}

/// A store that several nodes share: the database, and this node.
type SharedStore = (Postgres, Arc<PostgresNode>);

impl From<SharedStore> for Store {
    fn from((store, backend): SharedStore) -> Self {
        let keys = backend.cluster().node().map(|node| NodeKeys::new(store.clone(), node));
        let store = Arc::new(store);
        Self {
            signing_keys: keys.map(|keys| Arc::new(keys) as _),
            journal: Arc::<Postgres>::clone(&store),
            games: Arc::<Postgres>::clone(&store),
            downloads: Arc::<Postgres>::clone(&store),
            challenges: Arc::<Postgres>::clone(&store),
            invites: Arc::<Postgres>::clone(&store),
            users: Arc::<Postgres>::clone(&store),
            tokens: Arc::<Postgres>::clone(&store),
            standings: Arc::<Postgres>::clone(&store),
            statistics: Arc::<Postgres>::clone(&store),
            talk: Arc::<Postgres>::clone(&store),
            notifications: Arc::<Postgres>::clone(&store),
            relations: Arc::<Postgres>::clone(&store),
            seeks: store,
            presence: Some(backend.presence()),
            backend,
        }
    }
}
