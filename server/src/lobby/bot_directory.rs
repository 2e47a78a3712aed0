//! The bots that are connected and say which challenges they accept.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use adamant_protocol::{
    UserName, from_client::Directory, ids::RulesName, to_client::DirectoryEntry,
};
use serde::Deserialize;

use crate::{cluster::NodeId, outbound::SessionId};

/// Which part of the directory a client asks for.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct DirectoryQuery {
    /// Only bots that accept this game.
    rules: Option<RulesName>,
    /// Only bots that accept games with this number of players.
    players: Option<u8>,
    /// Only bots that would begin a game at present.
    #[serde(default)]
    free: bool,
    /// Only bots after this one.
    before: Option<UserName>,
    /// Maximum number of rows.
    pub limit: Option<u32>,
}

impl From<Directory> for DirectoryQuery {
    fn from(request: Directory) -> Self {
        let Directory { id: _, rules, players, free, before, limit } = request;
        Self { rules, players, free, before, limit }
    }
}

/// The listed bots, by their folded names.
#[derive(Debug, Default)]
pub(super) struct BotDirectory(Mutex<BTreeMap<UserName, Listings>>);

/// What the sessions of one bot say.
#[derive(Debug, Default)]
struct Listings {
    /// What the newest session says that has said anything to this node.
    here: Option<(SessionId, DirectoryEntry)>,
    /// What other nodes announce.
    elsewhere: BTreeMap<NodeId, DirectoryEntry>,
}

impl Listings {
    fn is_empty(&self) -> bool {
        self.here.is_none() && self.elsewhere.is_empty()
    }

    fn entry(&self) -> Option<&DirectoryEntry> {
        self.here.as_ref().map(|(_, entry)| entry).or_else(|| self.elsewhere.values().next())
    }
}

impl BotDirectory {
    fn bots(&self) -> MutexGuard<'_, BTreeMap<UserName, Listings>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists what a session of this node says, or takes it away. Returns whether that changes
    /// anything.
    pub(super) fn set_here(
        &self,
        user: &UserName,
        session: SessionId,
        entry: Option<DirectoryEntry>,
    ) -> bool {
        let mut bots = self.bots();
        let Some(entry) = entry else {
            let Some(listings) = bots.get_mut(&user.folded()) else { return false };
            let left = listings.here.take_if(|(listed, _)| *listed == session);
            if listings.is_empty() {
                bots.remove(&user.folded());
            }
            return left.is_some();
        };
        let here = &mut bots.entry(user.folded()).or_default().here;
        let is_known = here.as_ref().is_some_and(|(_, known)| *known == entry);
        *here = Some((session, entry));
        !is_known
    }

    /// What this node lists of a bot.
    pub(super) fn here(&self, user: &UserName) -> Option<DirectoryEntry> {
        self.bots().get(&user.folded())?.here.as_ref().map(|(_, entry)| entry.clone())
    }

    /// The bots that this node lists.
    pub(super) fn all_here(&self) -> Vec<DirectoryEntry> {
        let bots = self.bots();
        bots.values().filter_map(|bot| bot.here.as_ref()).map(|(_, entry)| entry.clone()).collect()
    }

    /// Lists what another node announces of a bot, or takes it away.
    pub(super) fn set_elsewhere(
        &self,
        node: NodeId,
        user: &UserName,
        entry: Option<DirectoryEntry>,
    ) {
        let mut bots = self.bots();
        let listings = bots.entry(user.folded()).or_default();
        match entry {
            Some(entry) => drop(listings.elsewhere.insert(node, entry)),
            None => drop(listings.elsewhere.remove(&node)),
        }
        if listings.is_empty() {
            bots.remove(&user.folded());
        }
    }

    /// Forgets what a node has announced.
    pub(super) fn forget_node(&self, node: NodeId) {
        self.bots().retain(|_, listings| {
            listings.elsewhere.remove(&node);
            !listings.is_empty()
        });
    }

    /// The bots that a request asks for, in the order of their names, with one more than fit on
    /// the page if there are more.
    pub(super) fn page(
        &self,
        house: &[DirectoryEntry],
        query: &DirectoryQuery,
        limit: usize,
    ) -> Vec<DirectoryEntry> {
        let bots = self.bots();
        let listed = bots.values().filter_map(Listings::entry);
        let mut all: BTreeMap<UserName, &DirectoryEntry> =
            listed.map(|entry| (entry.user.folded(), entry)).collect();
        all.extend(house.iter().map(|entry| (entry.user.folded(), entry)));
        let after = query.before.as_ref().map(UserName::folded);
        let follows = |name: &UserName| after.as_ref().is_none_or(|after| name > after);
        let wanted = all.into_iter().filter(|(name, entry)| {
            follows(name)
                && (!query.free || entry.free != Some(0))
                && entry
                    .accepts
                    .plays(query.rules.as_ref().map(|rules| rules.name.as_ref()), query.players)
        });
        wanted.take(limit + 1).map(|(_, entry)| entry.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use adamant_protocol::{from_client::Acceptance, values::Named};

    use super::*;

    fn entry(user: &str, free: u32) -> DirectoryEntry {
        let user = user.parse().unwrap();
        let (ratings, accepts) = (Named::default(), Acceptance::default());
        let free = Some(free);
        DirectoryEntry { user, owner: None, guest: false, level: None, ratings, accepts, free }
    }

    fn names(directory: &BotDirectory) -> Vec<(String, Option<u32>)> {
        let page = directory.page(&[], &DirectoryQuery::default(), 10);
        page.into_iter().map(|entry| (entry.user.to_string(), entry.free)).collect()
    }

    #[test]
    fn a_bot_is_listed_while_a_session_or_a_node_says_so() {
        let directory = BotDirectory::default();
        let [one, two]: [NodeId; 2] = ["one", "two"].map(|node| node.parse().unwrap());
        let hal: UserName = "hal".parse().unwrap();
        assert!(directory.set_here(&hal, SessionId(1), Some(entry("Hal", 3))));
        assert!(!directory.set_here(&hal, SessionId(1), Some(entry("Hal", 3))), "nothing new");
        directory.set_elsewhere(one, &hal, Some(entry("Hal", 7)));
        directory.set_elsewhere(two, &hal, Some(entry("Hal", 8)));
        assert_eq!(names(&directory), [("Hal".to_owned(), Some(3))]);

        assert!(directory.set_here(&hal, SessionId(2), Some(entry("Hal", 4))));
        assert!(!directory.set_here(&hal, SessionId(1), None), "an older session ends");
        assert_eq!(names(&directory), [("Hal".to_owned(), Some(4))]);
        assert!(directory.set_here(&hal, SessionId(2), None));
        assert_eq!(names(&directory), [("Hal".to_owned(), Some(7))]);
        directory.forget_node(one);
        directory.set_elsewhere(two, &hal, None);
        assert!(directory.bots().is_empty());
    }
}
