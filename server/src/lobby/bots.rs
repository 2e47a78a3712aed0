//! The bots that are connected and say which challenges they accept, here and on other nodes.

use std::collections::{BTreeMap, BTreeSet};

use adamant_protocol::{
    UserName,
    from_client::{Acceptance, Directory},
    ids::RulesName,
    to_client::DirectoryEntry,
};
use adamant_rules::Kind;
use parking_lot::Mutex;
use serde::Deserialize;

use super::terms::Result;
use crate::{
    address::ClientNetwork,
    cluster::NodeId,
    error::Denial,
    limits::{
        ACCEPTED_GAMES_MAX, CLOCK_MODES_MAX, FREE_GAMES_MAX, LISTED_BOTS_PER_NETWORK_MAX,
        LISTED_BOTS_PER_OWNER_MAX,
    },
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
    pub limit: Option<u32>,
}

impl From<Directory> for DirectoryQuery {
    fn from(request: Directory) -> Self {
        let Directory { id: _, rules, players, free, before, limit } = request;
        Self { rules, players, free, before, limit }
    }
}

/// What bots say, by their folded names: to this node first, as `None`, then to others.
type Listings = BTreeMap<(UserName, Option<NodeId>), Listing>;

#[derive(Debug, Default)]
pub(super) struct BotDirectory(Mutex<Listings>);

#[derive(Debug)]
struct Listing {
    entry: DirectoryEntry,
    /// The newest session that has said anything to this node, and where it comes from.
    session: Option<SessionId>,
    from: Option<ClientNetwork>,
}

/// Refuses a bot if there are as many others as its owner or its network may list.
fn check_shares(
    bots: &Listings,
    entry: &DirectoryEntry,
    from: Option<ClientNetwork>,
) -> Result<(), OpenLimitReached> {
    let limit = "listed_bots";
    let is_other = |listing: &Listing| !listing.entry.user.is_same(entry.user.as_str());
    let is_owned = |listing: &Listing| entry.owner.is_some() && listing.entry.owner == entry.owner;
    let owned = bots.iter().filter(|(_, listing)| is_other(listing) && is_owned(listing));
    let owned: BTreeSet<&UserName> = owned.map(|((name, _), _)| name).collect();
    if owned.len() >= LISTED_BOTS_PER_OWNER_MAX {
        let (what, max) = ("bots of an owner in the directory", LISTED_BOTS_PER_OWNER_MAX);
        return Err(OpenLimitReached { limit, what, max, by_others: false });
    }
    let is_neighbour = |listing: &&Listing| from.is_some() && listing.from == from;
    let neighbours = bots.values().filter(is_neighbour).filter(|listing| is_other(listing));
    if neighbours.count() >= LISTED_BOTS_PER_NETWORK_MAX {
        let (what, max) = ("bots of a network in the directory", LISTED_BOTS_PER_NETWORK_MAX);
        return Err(OpenLimitReached { limit, what, max, by_others: true });
    }
    Ok(())
}

impl BotDirectory {
    /// Lists what a session of this node says. Returns whether that changes anything, or which
    /// limit is reached.
    pub(super) fn list(
        &self,
        session: SessionId,
        from: Option<ClientNetwork>,
        entry: DirectoryEntry,
    ) -> Result<bool, OpenLimitReached> {
        let mut bots = self.0.lock();
        check_shares(&bots, &entry, from)?;
        let key = (entry.user.folded(), None);
        let is_new = bots.get(&key).is_none_or(|older| older.entry != entry);
        bots.insert(key, Listing { entry, session: Some(session), from });
        Ok(is_new)
    }

    /// Takes away what a session of this node says. Returns whether that changes anything.
    pub(super) fn unlist(&self, user: &UserName, session: SessionId) -> bool {
        let (mut bots, key) = (self.0.lock(), (user.folded(), None));
        let is_listed = bots.get(&key).is_some_and(|listing| listing.session == Some(session));
        is_listed && bots.remove(&key).is_some()
    }

    /// What this node lists of a bot.
    pub(super) fn here(&self, user: &UserName) -> Option<DirectoryEntry> {
        self.0.lock().get(&(user.folded(), None)).map(|listing| listing.entry.clone())
    }

    pub(super) fn all_here(&self) -> Vec<DirectoryEntry> {
        let bots = self.0.lock();
        let here = bots.iter().filter(|((_, listed_by), _)| listed_by.is_none());
        here.map(|(_, listing)| listing.entry.clone()).collect()
    }

    /// Lists what another node announces of a bot, or takes it away.
    pub(super) fn set_elsewhere(
        &self,
        node: NodeId,
        user: &UserName,
        entry: Option<DirectoryEntry>,
    ) {
        let (mut bots, key) = (self.0.lock(), (user.folded(), Some(node)));
        match entry {
            Some(entry) => drop(bots.insert(key, Listing { entry, session: None, from: None })),
            None => drop(bots.remove(&key)),
        }
    }

    pub(super) fn forget_node(&self, node: NodeId) {
        self.0.lock().retain(|(_, listed_by), _| *listed_by != Some(node));
    }

    /// The bots that a request asks for, in the order of their names, and whether there are more.
    pub(super) fn page(
        &self,
        house: &[DirectoryEntry],
        query: &DirectoryQuery,
        limit: usize,
    ) -> (Vec<DirectoryEntry>, bool) {
        let bots = self.0.lock();
        let mut all = BTreeMap::new();
        for ((name, _), listing) in &*bots {
            all.entry(name.clone()).or_insert(&listing.entry);
        }
        all.extend(house.iter().map(|entry| (entry.user.folded(), entry)));
        let after = query.before.as_ref().map(UserName::folded);
        let rules = query.rules.as_ref().map(|rules| rules.name.as_ref());
        let mut wanted = all.into_iter().filter(|(name, entry)| {
            after.as_ref().is_none_or(|after| name > after)
                && (!query.free || entry.free != Some(0))
                && entry.accepts.plays(rules, query.players)
        });
        let page = wanted.by_ref().take(limit).map(|(_, entry)| entry.clone()).collect();
        (page, wanted.next().is_some())
    }
}

/// Checks what a bot says of itself.
pub(super) fn check(accepts: &Acceptance, free: u32) -> Result<()> {
    if accepts.games.len() > ACCEPTED_GAMES_MAX || accepts.clocks.len() > CLOCK_MODES_MAX {
        let message = format!(
            "a bot lists at most {ACCEPTED_GAMES_MAX} games and {CLOCK_MODES_MAX} kinds of clocks"
        );
        return Err(Denial::BadMessage(message));
    }
    if free > FREE_GAMES_MAX {
        return Err(Denial::BadMessage(format!("free is at most {FREE_GAMES_MAX}")));
    }
    for game in &accepts.games {
        let kind = Kind::from_name(&game.rules.name)
            .ok_or_else(|| Denial::BadMessage(format!("there is no game called {}", game.rules)))?;
        if let Some(players) = game.players
            && !kind.players().contains(&usize::from(players))
        {
            return Err(Denial::BadMessage(format!("{} is not played by {players}", kind.name())));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use adamant_protocol::values::Named;

    use super::*;
    use crate::address::ClientAddress;

    fn entry(user: &str, free: u32) -> DirectoryEntry {
        let user = user.parse().unwrap();
        let (ratings, accepts) = (Named::default(), Acceptance::default());
        let free = Some(free);
        DirectoryEntry { user, owner: None, guest: false, level: None, ratings, accepts, free }
    }

    fn names(directory: &BotDirectory) -> Vec<(String, Option<u32>)> {
        let (page, _) = directory.page(&[], &DirectoryQuery::default(), 10);
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
        assert!(directory.0.lock().is_empty());
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
