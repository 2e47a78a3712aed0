//! The store by area. Each part of the server keeps the areas that it uses.

use std::sync::Arc;

use super::{
    Challenges, Games, Invites, Journal, Notifications, Relations, Seeks, Sqlite, Standings, Talk,
    Tokens, Users,
};

/// Every area of one store. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    pub journal: Arc<dyn Journal>,
    pub games: Arc<dyn Games>,
    pub challenges: Arc<dyn Challenges>,
    pub invites: Arc<dyn Invites>,
    pub users: Arc<dyn Users>,
    pub tokens: Arc<dyn Tokens>,
    pub standings: Arc<dyn Standings>,
    pub talk: Arc<dyn Talk>,
    pub notifications: Arc<dyn Notifications>,
    pub relations: Arc<dyn Relations>,
    pub seeks: Arc<dyn Seeks>,
}

impl From<Sqlite> for Store {
    fn from(store: Sqlite) -> Self {
        let store = Arc::new(store);
        Self {
            journal: Arc::<Sqlite>::clone(&store),
            games: Arc::<Sqlite>::clone(&store),
            challenges: Arc::<Sqlite>::clone(&store),
            invites: Arc::<Sqlite>::clone(&store),
            users: Arc::<Sqlite>::clone(&store),
            tokens: Arc::<Sqlite>::clone(&store),
            standings: Arc::<Sqlite>::clone(&store),
            talk: Arc::<Sqlite>::clone(&store),
            notifications: Arc::<Sqlite>::clone(&store),
            relations: Arc::<Sqlite>::clone(&store),
            seeks: store,
        }
    }
}
