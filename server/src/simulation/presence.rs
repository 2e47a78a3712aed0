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

/// A player's sessions at a game, by node.
type AtNodes = BTreeMap<NodeId, AtNode>;

/// Whether a player has a session at a game on a node, and since when.
#[derive(Debug, Clone, Copy)]
struct AtNode {
    here: bool,
    at: u64,
    /// Whether the session has ended with the node.
    is_cut_off: bool,
}

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
            if let Some(session) = at_nodes.get_mut(&node).filter(|session| session.here) {
                *session = AtNode { here: false, at, is_cut_off: true };
            }
        }
    }

    fn at_game(&self, game: &GameId) -> Vec<PlayerAtGame> {
        let games = self.games();
        let players = games.get(game).into_iter().flatten();
        players
            .map(|(user, at_nodes)| {
                let here = at_nodes.iter().filter(|(_, session)| session.here);
                let nodes = here.map(|(node, _)| *node).collect();
                let left = at_nodes.values().filter(|session| !session.here);
                let last = left.max_by_key(|session| session.at);
                let left_at = last.map(|session| session.at);
                let is_cut_off = last.is_some_and(|session| session.is_cut_off);
                PlayerAtGame { user: user.clone(), nodes, left_at, is_cut_off }
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
            let session = AtNode { here, at, is_cut_off: false };
            let mut games = self.table.games();
            let players = games.entry(game.clone()).or_default();
            players.entry(user.clone()).or_default().insert(self.member.node, session);
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
