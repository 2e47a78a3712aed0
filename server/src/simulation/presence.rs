//! The presence that the nodes of a simulated cluster share.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use adamant_protocol::{GameId, UserName};
use futures::{
    FutureExt as _,
    future::{BoxFuture, ready},
};

use super::member::Member;
use crate::{
    cluster::NodeId,
    store::{PlayerAtGame, SharedPresence, StoreError},
};

/// A player's session at a game, by node: whether it is there, and since when.
type AtNodes = BTreeMap<NodeId, (bool, u64)>;

/// Who is at which game.
#[derive(Debug, Default)]
pub(super) struct PresenceTable(Mutex<BTreeMap<GameId, BTreeMap<UserName, AtNodes>>>);

impl PresenceTable {
    fn games(&self) -> MutexGuard<'_, BTreeMap<GameId, BTreeMap<UserName, AtNodes>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the sessions at a node that has gone at `at`, in epoch milliseconds.
    pub(super) fn node_gone(&self, node: NodeId, at: u64) {
        for at_nodes in self.games().values_mut().flat_map(BTreeMap::values_mut) {
            if let Some(session) = at_nodes.get_mut(&node).filter(|(here, _)| *here) {
                *session = (false, at);
            }
        }
    }

    fn at_game(&self, game: &GameId) -> Vec<PlayerAtGame> {
        let games = self.games();
        let players = games.get(game).into_iter().flatten();
        players
            .map(|(user, at_nodes)| {
                let here = at_nodes.iter().filter(|(_, (here, _))| *here);
                let left_at = at_nodes.values().filter(|(here, _)| !here).map(|(_, at)| *at).max();
                let nodes = here.map(|(node, _)| *node).collect();
                PlayerAtGame { user: user.clone(), nodes, left_at }
            })
            .collect()
    }
}

/// The presence as one node uses it.
#[derive(Debug)]
pub(super) struct MemberPresence {
    pub(super) table: Arc<PresenceTable>,
    pub(super) member: Arc<Member>,
}

impl SharedPresence for MemberPresence {
    fn note(&self, game: &GameId, user: &UserName, here: bool, at: u64) {
        if !self.member.has_crashed() {
            let mut games = self.table.games();
            let players = games.entry(game.clone()).or_default();
            players.entry(user.clone()).or_default().insert(self.member.node, (here, at));
        }
    }

    fn at_games(
        &self,
        games: Vec<GameId>,
    ) -> BoxFuture<'static, Result<Vec<Vec<PlayerAtGame>>, StoreError>> {
        let found = games.iter().map(|game| self.table.at_game(game)).collect();
        ready(Ok(found)).boxed()
    }
}
