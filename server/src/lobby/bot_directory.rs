//! The bots that are connected and say which challenges they accept.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use adamant_protocol::{
    UserName, from_client::Directory, ids::RulesName, to_client::DirectoryEntry,
};
use serde::Deserialize;

use crate::{
    address::ClientNetwork,
    cluster::NodeId,
    limits::{LISTED_BOTS_PER_NETWORK_MAX, LISTED_BOTS_PER_OWNER_MAX},
    outbound::SessionId,
    store::OpenLimitReached,
};

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
    here: Option<SessionListing>,
    /// What other nodes announce.
    elsewhere: BTreeMap<NodeId, DirectoryEntry>,
}

/// What one session says, and where it comes from.
#[derive(Debug)]
struct SessionListing {
    session: SessionId,
    from: Option<ClientNetwork>,
    entry: DirectoryEntry,
}

impl Listings {
    fn is_empty(&self) -> bool {
        self.here.is_none() && self.elsewhere.is_empty()
    }

    fn entry(&self) -> Option<&DirectoryEntry> {
        let here = self.here.as_ref().map(|listing| &listing.entry);
        here.or_else(|| self.elsewhere.values().next())
    }
}

/// Refuses a bot if there are as many others as its owner or its network may list.
fn check_shares(
    bots: &BTreeMap<UserName, Listings>,
    entry: &DirectoryEntry,
    from: Option<ClientNetwork>,
) -> Result<(), OpenLimitReached> {
    let others = || {
        bots.values()
            .filter(|bot| bot.entry().is_some_and(|other| !other.user.is_same(entry.user.as_str())))
    };
    let limit = "listed_bots";
    let owned = |bot: &&Listings| {
        let owner = bot.entry().and_then(|other| other.owner.as_ref());
        owner.is_some() && owner == entry.owner.as_ref()
    };
    if others().filter(owned).count() >= LISTED_BOTS_PER_OWNER_MAX {
        let (what, max) = ("bots of an owner in the directory", LISTED_BOTS_PER_OWNER_MAX);
        return Err(OpenLimitReached { limit, what, max, by_others: false });
    }
    let neighbour = |bot: &&Listings| {
        from.is_some() && bot.here.as_ref().is_some_and(|listing| listing.from == from)
    };
    if others().filter(neighbour).count() >= LISTED_BOTS_PER_NETWORK_MAX {
        let (what, max) = ("bots of a network in the directory", LISTED_BOTS_PER_NETWORK_MAX);
        return Err(OpenLimitReached { limit, what, max, by_others: true });
    }
    Ok(())
}

impl BotDirectory {
    fn bots(&self) -> MutexGuard<'_, BTreeMap<UserName, Listings>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists what a session of this node says. Returns whether that changes anything, or which
    /// limit is reached.
    pub(super) fn list(
        &self,
        session: SessionId,
        from: Option<ClientNetwork>,
        entry: DirectoryEntry,
    ) -> Result<bool, OpenLimitReached> {
        let mut bots = self.bots();
        check_shares(&bots, &entry, from)?;
        let here = &mut bots.entry(entry.user.folded()).or_default().here;
        let is_known = here.as_ref().is_some_and(|known| known.entry == entry);
        *here = Some(SessionListing { session, from, entry });
        Ok(!is_known)
    }

    /// Takes away what a session of this node says. Returns whether that changes anything.
    pub(super) fn unlist(&self, user: &UserName, session: SessionId) -> bool {
        let mut bots = self.bots();
        let Some(listings) = bots.get_mut(&user.folded()) else { return false };
        let left = listings.here.take_if(|listed| listed.session == session);
        if listings.is_empty() {
            bots.remove(&user.folded());
        }
        left.is_some()
    }

    /// What this node lists of a bot.
    pub(super) fn here(&self, user: &UserName) -> Option<DirectoryEntry> {
        self.bots().get(&user.folded())?.here.as_ref().map(|listing| listing.entry.clone())
    }

    /// The bots that this node lists.
    pub(super) fn all_here(&self) -> Vec<DirectoryEntry> {
        let bots = self.bots();
        let here = bots.values().filter_map(|bot| bot.here.as_ref());
        here.map(|listing| listing.entry.clone()).collect()
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
    use std::net::IpAddr;

    use adamant_protocol::{from_client::Acceptance, values::Named};

    use super::*;
    use crate::address::ClientAddress;

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
        let list = |session, free| directory.list(SessionId(session), None, entry("Hal", free));
        assert!(list(1, 3).unwrap());
        assert!(!list(1, 3).unwrap(), "nothing new");
        directory.set_elsewhere(one, &hal, Some(entry("Hal", 7)));
        directory.set_elsewhere(two, &hal, Some(entry("Hal", 8)));
        assert_eq!(names(&directory), [("Hal".to_owned(), Some(3))]);

        assert!(list(2, 4).unwrap());
        assert!(!directory.unlist(&hal, SessionId(1)), "an older session ends");
        assert_eq!(names(&directory), [("Hal".to_owned(), Some(4))]);
        assert!(directory.unlist(&hal, SessionId(2)));
        assert_eq!(names(&directory), [("Hal".to_owned(), Some(7))]);
        directory.forget_node(one);
        directory.set_elsewhere(two, &hal, None);
        assert!(directory.bots().is_empty());
    }

    #[test]
    fn owners_and_networks_list_a_share() {
        let address = |text: &str| ClientAddress::from(text.parse::<IpAddr>().unwrap()).network();
        let directory = BotDirectory::default();
        let list = |number: usize, owner: Option<&str>, from: &str| {
            let owner = owner.map(|owner| owner.parse().unwrap());
            let entry = DirectoryEntry { owner, ..entry(&format!("bot{number}"), 1) };
            directory.list(SessionId(number as u64), Some(address(from)), entry)
        };
        for number in 0..LISTED_BOTS_PER_OWNER_MAX {
            list(number, Some("ann"), "10.0.0.1").unwrap();
        }
        list(50, Some("ann"), "10.0.0.2").unwrap_err();
        list(0, Some("ann"), "10.0.0.1").expect("one that is listed may say more");
        for number in LISTED_BOTS_PER_OWNER_MAX..LISTED_BOTS_PER_NETWORK_MAX {
            list(number, None, "10.0.0.1").unwrap();
        }
        list(50, None, "10.0.0.1").unwrap_err();
        list(50, None, "10.0.0.2").unwrap();
    }
}
