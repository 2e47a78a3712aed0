//! Finds open challenges and invites by user and by expiry, without looking at all of them.

use std::collections::{BTreeSet, HashMap};

use adamant_protocol::UserName;

/// A time in epoch milliseconds, and what it belongs to.
pub(super) type TimedId<Id> = (u64, Id);

/// The ids of what is open.
#[derive(Debug)]
pub(super) struct OpenIndex<Id> {
    /// By everybody who takes part, by folded name, the oldest first.
    by_user: HashMap<UserName, BTreeSet<TimedId<Id>>>,
    by_expiry: BTreeSet<TimedId<Id>>,
}

/// What the index knows of an id.
#[derive(Debug, Clone, Copy)]
pub(super) struct IndexKeys<'a> {
    pub(super) users: &'a [UserName],
    /// The time of creation, in epoch milliseconds.
    pub(super) created: u64,
    /// The time of expiry, in epoch milliseconds.
    pub(super) expires: u64,
}

impl<Id> Default for OpenIndex<Id> {
    fn default() -> Self {
        Self { by_user: HashMap::new(), by_expiry: BTreeSet::new() }
    }
}

impl<Id: Clone + Ord> OpenIndex<Id> {
    pub(super) fn insert(&mut self, id: &Id, keys: IndexKeys<'_>) {
        for user in keys.users {
            let of_user = self.by_user.entry(user.folded()).or_default();
            of_user.insert((keys.created, id.clone()));
        }
        self.by_expiry.insert((keys.expires, id.clone()));
    }

    /// Removes an id that was inserted with these keys.
    pub(super) fn remove(&mut self, id: &Id, keys: IndexKeys<'_>) {
        for user in keys.users.iter().map(UserName::folded) {
            if let Some(of_user) = self.by_user.get_mut(&user) {
                of_user.remove(&(keys.created, id.clone()));
                if of_user.is_empty() {
                    self.by_user.remove(&user);
                }
            }
        }
        self.by_expiry.remove(&(keys.expires, id.clone()));
    }

    /// What concerns a user, the newest first.
    pub(super) fn of_user(&self, user: &UserName) -> impl Iterator<Item = &TimedId<Id>> {
        self.by_user.get(&user.folded()).into_iter().flat_map(BTreeSet::iter).rev()
    }

    /// Number of those that concern a user.
    pub(super) fn count_of_user(&self, user: &UserName) -> usize {
        self.by_user.get(&user.folded()).map_or(0, BTreeSet::len)
    }

    /// The next time at which something expires, in epoch milliseconds.
    pub(super) fn next_expiry(&self) -> Option<u64> {
        self.by_expiry.first().map(|(expires, _)| *expires)
    }

    /// The ids whose time is up, the earliest first.
    pub(super) fn expired(&self, now_ms: u64) -> Vec<Id> {
        let is_over = |timed: &&TimedId<Id>| timed.0 <= now_ms;
        self.by_expiry.iter().take_while(is_over).map(|(_, id)| id.clone()).collect()
    }
}
