//! The open invites as this node knows them. The store keeps them, because a link may be followed
//! days later, and decides about them.

use std::collections::BTreeSet;

use adamant_protocol::{
    InviteId, UserName,
    from_client::{Invite, SeatWish},
    to_client::InviteEntry,
    values::Options,
};
use rand::RngExt as _;

use super::{
    game_config::GameConfig,
    open_index::{IndexKeys, OpenIndex},
    pairing,
    replica::{OpenRow, PutOutcome, Replica, ReplicaMoment},
};
use crate::{
    error::Denial,
    runtime::{entropy::Entropy, time::milliseconds},
    store::StoredInvite,
};

/// Every open invite.
#[derive(Debug, Default)]
pub(super) struct OpenInvites {
    replica: Replica<StoredInvite>,
    index: OpenIndex<InviteId>,
}

impl OpenRow for StoredInvite {
    type Id = InviteId;

    fn id(&self) -> &InviteId {
        &self.entry.invite
    }

    fn version(&self) -> u64 {
        self.version
    }
}

/// Creates an invite by a user.
pub(super) fn entry(
    config: &GameConfig,
    request: &Invite,
    (by, bot, guest): (&UserName, bool, bool),
    now_ms: u64,
    entropy: &mut Entropy,
) -> Result<InviteEntry, Denial> {
    pairing::check_wish(request.seat, usize::from(request.players))?;
    let number: u64 = entropy.random();
    Ok(InviteEntry {
        invite: format!("i_{number:016x}").parse().expect("a short word"),
        by: by.clone(),
        bot,
        guest,
        rules: config.rules(),
        options: config.wire_options(),
        players: request.players,
        seat: request.seat,
        clock: config.wire_clock(),
        rated: config.rated,
        delay: config.delay,
        unlisted: config.unlisted,
        joined: vec![by.clone()],
        created: now_ms,
        expires: now_ms.saturating_add(milliseconds(config.invite_life(guest))),
        game: None,
        reason: None,
    })
}

/// Returns the settings of a stored invite.
pub(super) fn config(entry: &InviteEntry) -> Result<GameConfig, Denial> {
    GameConfig::read(
        &entry.rules,
        &Options::Named(entry.options.clone()),
        entry.clock,
        entry.rated,
        (entry.delay, entry.unlisted),
        entry.joined.len(),
    )
}

/// Returns the players in their seats.
pub(super) fn seated(entry: &InviteEntry, entropy: &mut Entropy) -> Vec<UserName> {
    let wish = |user: &UserName| if *user == entry.by { entry.seat } else { SeatWish::Random };
    let joined = entry.joined.iter().map(|user| (user.clone(), wish(user))).collect();
    pairing::seat_by_wish(joined, entropy)
}

pub(super) fn not_found(id: &InviteId) -> Denial {
    Denial::NotFound(format!("open invite {id}"))
}

const fn keys(entry: &InviteEntry) -> IndexKeys<'_> {
    let InviteEntry { joined, created, expires, .. } = entry;
    IndexKeys { users: joined.as_slice(), created: *created, expires: *expires }
}

impl OpenInvites {
    /// Those that were stored.
    pub(super) fn new(stored: Vec<StoredInvite>) -> Self {
        let mut invites = Self::default();
        for stored in stored {
            invites.put(stored);
        }
        invites
    }

    /// Takes in the state of an open invite.
    pub(super) fn put(&mut self, stored: StoredInvite) -> PutOutcome<StoredInvite> {
        let id = stored.entry.invite.clone();
        let outcome = self.replica.put(stored);
        if let PutOutcome::Changed(older) = &outcome {
            self.index.remove(&id, keys(&older.entry));
        }
        if outcome != PutOutcome::Known
            && let Some(open) = self.replica.get(&id)
        {
            self.index.insert(&id, keys(&open.entry));
        }
        outcome
    }

    /// Takes out an invite that is open no longer.
    pub(super) fn close(&mut self, id: &InviteId) -> Option<StoredInvite> {
        let stored = self.replica.close(id)?;
        self.index.remove(id, keys(&stored.entry));
        Some(stored)
    }

    pub(super) fn moment(&self) -> ReplicaMoment {
        self.replica.moment()
    }

    /// The invites that were known at a moment and that the store has no longer.
    pub(super) fn missing(
        &self,
        moment: ReplicaMoment,
        stored: &[StoredInvite],
    ) -> BTreeSet<InviteId> {
        self.replica.missing(moment, stored.iter().map(|stored| &stored.entry.invite))
    }

    pub(super) fn get(&self, id: &InviteId) -> Option<&InviteEntry> {
        self.replica.get(id).map(|open| &open.entry)
    }

    /// A user's open invites, made or joined, the newest first.
    pub(super) fn of_user(&self, user: &UserName) -> Vec<InviteEntry> {
        self.index.of_user(user).filter_map(|(_, id)| self.get(id)).cloned().collect()
    }

    /// The invites that have expired.
    pub(super) fn expired(&self, now_ms: u64) -> Vec<InviteEntry> {
        let expired = self.index.expired(now_ms);
        expired.iter().filter_map(|id| self.get(id)).cloned().collect()
    }

    /// The next time at which an invite expires, in epoch milliseconds.
    pub(super) fn next_expiry(&self) -> Option<u64> {
        self.index.next_expiry()
    }
}
