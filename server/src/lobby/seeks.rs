//! The open seeks as this node knows them. The store decides about them. A seek lives as long as
//! the session that made it; a lasting one lives until it expires.

use std::collections::{BTreeMap, BTreeSet};

use adamant_protocol::{SeekId, UserName, to_client::SeekEntry};

use super::{
    open_seek,
    replica::{OpenRow, PutOutcome, Replica, ReplicaMoment},
};
use crate::{
    cluster::NodeId,
    limits::SEEKS_PAGE_MAX,
    store::{NodeSession, StoredSeek},
};

/// The place of a seek in the list: its number, and the node that has numbered it.
type SeekPlace = (u64, Option<NodeId>);

/// Every open seek, the oldest first.
#[derive(Debug, Default)]
pub(super) struct OpenSeeks {
    replica: Replica<StoredSeek>,
    by_place: BTreeMap<SeekPlace, SeekId>,
    /// The lasting ones by the time at which they expire.
    by_expiry: BTreeSet<(u64, SeekPlace)>,
    /// The last number that this node has given.
    last_number: u64,
    /// Those that have changed since the changes were last taken.
    changed: BTreeSet<(SeekPlace, SeekId)>,
}

/// How the open seeks have changed.
#[derive(Debug, Default)]
pub(super) struct SeekChanges {
    pub(super) add: Vec<SeekEntry>,
    pub(super) remove: Vec<SeekId>,
}

impl OpenRow for StoredSeek {
    type Id = SeekId;

    fn id(&self) -> &SeekId {
        &self.entry.seek
    }

    fn version(&self) -> u64 {
        self.version
    }
}

/// Returns the id of a seek. No two nodes give the same one.
fn id_of((number, node): SeekPlace) -> SeekId {
    let id = match node {
        None => format!("k_{number}"),
        Some(node) => format!("k_{node}_{number}"),
    };
    id.parse().expect("a short word")
}

fn place_of(id: &SeekId) -> Option<SeekPlace> {
    let name = id.as_str().strip_prefix("k_")?;
    match name.rsplit_once('_') {
        None => Some((name.parse().ok()?, None)),
        Some((node, number)) => Some((number.parse().ok()?, Some(node.parse().ok()?))),
    }
}

impl OpenSeeks {
    /// Those that were stored.
    pub(super) fn new(stored: Vec<StoredSeek>) -> Self {
        let mut seeks = Self::default();
        for stored in stored {
            if let Some((number, None)) = place_of(&stored.entry.seek) {
                seeks.last_number = seeks.last_number.max(number);
            }
            seeks.put(stored);
        }
        seeks.changed.clear();
        seeks
    }

    /// Returns an id for a new seek of this node. The numbers of several nodes are times, so that
    /// their seeks are in order.
    pub(super) fn new_id(&mut self, node: Option<NodeId>, now_ms: u64) -> SeekId {
        let at_least = node.map_or(0, |_| now_ms);
        self.last_number = (self.last_number + 1).max(at_least);
        id_of((self.last_number, node))
    }

    /// Takes back the id of a seek that was not opened, unless there is a later one.
    pub(super) fn give_back(&mut self, id: &SeekId) {
        if place_of(id).is_some_and(|(number, _)| number == self.last_number) {
            self.last_number -= 1;
        }
    }

    /// Takes in the state of an open seek. Returns whether it is news.
    pub(super) fn put(&mut self, stored: StoredSeek) -> bool {
        let id = stored.entry.seek.clone();
        let (place, config) = (place_of(&id), open_seek::config(&stored.entry));
        let (Some(place), Ok(_)) = (place, &config) else {
            tracing::error!(%id, error = ?config.err(), "a stored seek is wrong");
            return false;
        };
        let expires = stored.entry.expires;
        let is_news = self.replica.put(stored) != PutOutcome::Known;
        if is_news {
            self.by_place.insert(place, id.clone());
            self.by_expiry.extend(expires.map(|expires| (expires, place)));
            self.changed.insert((place, id));
        }
        is_news
    }

    /// Takes out a seek that is open no longer. Returns whether it was known.
    pub(super) fn close(&mut self, id: &SeekId) -> bool {
        let (Some(stored), Some(place)) = (self.replica.close(id), place_of(id)) else {
            return false;
        };
        self.by_place.remove(&place);
        if let Some(expires) = stored.entry.expires {
            self.by_expiry.remove(&(expires, place));
        }
        self.changed.insert((place, id.clone()));
        true
    }

    pub(super) fn moment(&self) -> ReplicaMoment {
        self.replica.moment()
    }

    /// The seeks that were known at a moment and that the store has no longer.
    pub(super) fn missing(&self, moment: ReplicaMoment, stored: &[StoredSeek]) -> BTreeSet<SeekId> {
        self.replica.missing(moment, stored.iter().map(|stored| &stored.entry.seek))
    }

    pub(super) fn get(&self, id: &SeekId) -> Option<&StoredSeek> {
        self.replica.get(id)
    }

    /// Whether a session has made or joined a seek.
    pub(super) fn has_session(&self, session: NodeSession) -> bool {
        let is_here = |open: &StoredSeek| open.joined.iter().any(|o| o.session == Some(session));
        self.replica.rows().any(is_here)
    }

    /// The lasting seeks that a user has made or joined.
    pub(super) fn lasting_of(&self, user: &UserName) -> Vec<SeekId> {
        let lasting = self.by_expiry.iter().filter_map(|(_, place)| self.at(place));
        lasting.filter(|open| open.has(user)).map(|open| open.entry.seek.clone()).collect()
    }

    fn at(&self, place: &SeekPlace) -> Option<&StoredSeek> {
        self.get(self.by_place.get(place)?)
    }

    /// The lasting seeks whose time is up.
    pub(super) fn expired(&self, now_ms: u64) -> Vec<SeekId> {
        let over = self.by_expiry.iter().take_while(|(expires, _)| *expires <= now_ms);
        over.filter_map(|(_, place)| self.by_place.get(place)).cloned().collect()
    }

    /// The next time at which a lasting seek expires, in epoch milliseconds.
    pub(super) fn next_expiry(&self) -> Option<u64> {
        self.by_expiry.first().map(|(expires, _)| *expires)
    }

    /// The newest seeks before a place in the list, as many as one page has, the oldest first; and
    /// whether there are older ones.
    pub(super) fn page(&self, before: Option<&SeekId>) -> (Vec<SeekEntry>, bool) {
        let end = before.and_then(place_of).unwrap_or((u64::MAX, None));
        let mut seeks = self.by_place.range(..end).rev();
        let some = seeks.by_ref().take(SEEKS_PAGE_MAX);
        let mut page: Vec<SeekEntry> =
            some.filter_map(|(_, id)| self.get(id)).map(|open| open.entry.clone()).collect();
        page.reverse();
        (page, seeks.next().is_some())
    }

    /// How the seeks have changed since this was last asked.
    pub(super) fn take_changes(&mut self) -> SeekChanges {
        let mut changes = SeekChanges::default();
        for (_, id) in std::mem::take(&mut self.changed) {
            match self.get(&id) {
                Some(open) => changes.add.push(open.entry.clone()),
                None => changes.remove.push(id),
            }
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_nodes_differ_and_are_in_the_order_of_time() {
        let [a, b] = ["node-a", "0123456789abcdef"].map(|node| node.parse::<NodeId>().unwrap());
        let (mut of_a, mut of_b) = (OpenSeeks::default(), OpenSeeks::default());
        let now_ms = 1_790_000_000_000;
        let ids = [
            of_a.new_id(Some(a), now_ms),
            of_a.new_id(Some(a), now_ms),
            of_b.new_id(Some(b), now_ms + 5),
        ];
        assert_eq!(ids[0].as_str(), "k_node-a_1790000000000");
        assert_eq!(ids[2].as_str(), "k_0123456789abcdef_1790000000005");
        let places = ids.each_ref().map(|id| place_of(id).unwrap());
        assert!(places.is_sorted() && places[0] != places[1], "{places:?}");
        assert_eq!(places.map(id_of), ids);
    }

    #[test]
    fn a_server_that_is_alone_counts_its_seeks() {
        let mut seeks = OpenSeeks::default();
        assert_eq!(seeks.new_id(None, 5).as_str(), "k_1");
        let second = seeks.new_id(None, 5);
        assert_eq!((second.as_str(), place_of(&second)), ("k_2", Some((2, None))));
        // A seek that is not opened leaves no gap.
        seeks.give_back(&second);
        assert_eq!(seeks.new_id(None, 5), second);
    }
}
