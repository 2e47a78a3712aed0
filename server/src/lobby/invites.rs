//! Open invites. The store keeps them, because a link may be followed days later.

use std::collections::HashMap;

use adamant_protocol::{
    InviteId, UserName,
    from_client::{Invite, SeatWish},
    to_client::InviteEntry,
    values::Options,
};
use rand::RngExt as _;

use super::{
    challenges::has,
    game_config::GameConfig,
    open_index::{IndexKeys, OpenIndex},
    pairing,
};
use crate::{
    address::ClientNetwork,
    error::Denial,
    limits::{INVITES_PER_NETWORK_MAX, INVITES_PER_USER_MAX},
    runtime::{entropy::Entropy, time::milliseconds},
    store::StoredInvite,
};

/// Every open invite.
#[derive(Debug, Default)]
pub(super) struct OpenInvites {
    open: HashMap<InviteId, OpenInvite>,
    index: OpenIndex<InviteId>,
    /// Number of open invites from each network.
    by_network: HashMap<ClientNetwork, usize>,
    /// Whether networks have bounds of their own.
    bounds_networks: bool,
}

/// An open invite.
#[derive(Debug, Clone)]
pub(super) struct OpenInvite {
    pub(super) stored: StoredInvite,
    /// Where it was made; not known of those from before the server started.
    from: Option<ClientNetwork>,
}

/// What came of joining an invite.
#[derive(Debug)]
pub(super) enum InviteOutcome {
    /// Others are still missing; the invite as it stands now.
    Waiting(StoredInvite),
    /// All are there. The invite is taken out, so that only one game can come of it; it stays
    /// stored until that game is.
    Full(OpenInvite),
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
    /// Those that were stored. With `bounds_networks` those from one network are bounded besides
    /// those of one user.
    pub(super) fn new(stored: Vec<StoredInvite>, bounds_networks: bool) -> Self {
        let mut invites = Self { bounds_networks, ..Self::default() };
        for stored in stored {
            invites.insert(OpenInvite { stored, from: None });
        }
        invites
    }

    /// Adds an invite, if its maker and the maker's network may have one more.
    pub(super) fn add(
        &mut self,
        stored: StoredInvite,
        from: Option<ClientNetwork>,
    ) -> Result<(), Denial> {
        self.check_room_for(&stored.entry.by)?;
        let from = from.filter(|_| self.bounds_networks);
        let of_network = from.and_then(|from| self.by_network.get(&from)).copied();
        if of_network.unwrap_or_default() >= INVITES_PER_NETWORK_MAX {
            let (limit, max) = ("invites_per_network", INVITES_PER_NETWORK_MAX);
            let what = "open invites from one network: try again later";
            return Err(Denial::LimitReached { limit, what, max });
        }
        self.insert(OpenInvite { stored, from });
        Ok(())
    }

    fn check_room_for(&self, user: &UserName) -> Result<(), Denial> {
        if self.index.count_of_user(user) >= INVITES_PER_USER_MAX {
            let what = "open invites a user: cancel one first";
            let max = INVITES_PER_USER_MAX;
            return Err(Denial::LimitReached { limit: "invites", what, max });
        }
        Ok(())
    }

    fn insert(&mut self, open: OpenInvite) {
        let id = open.stored.entry.invite.clone();
        self.index.insert(&id, keys(&open.stored.entry));
        if let Some(from) = open.from {
            *self.by_network.entry(from).or_default() += 1;
        }
        self.open.insert(id, open);
    }

    pub(super) fn get(&self, id: &InviteId) -> Option<&InviteEntry> {
        self.open.get(id).map(|open| &open.stored.entry)
    }

    /// A user's open invites, made or joined, the newest first.
    pub(super) fn of_user(&self, user: &UserName) -> Vec<InviteEntry> {
        self.index.of_user(user).filter_map(|(_, id)| self.get(id)).cloned().collect()
    }

    /// Lets a user join.
    pub(super) fn join(
        &mut self,
        id: &InviteId,
        user: &UserName,
        bot: bool,
    ) -> Result<InviteOutcome, Denial> {
        let entry = self.get(id).ok_or_else(|| not_found(id))?;
        if entry.by.is_same(user.as_str()) {
            return Err(Denial::Forbidden("this invite is your own".to_owned()));
        }
        if has(&entry.joined, user) {
            return Err(Denial::Forbidden("you have joined this invite already".to_owned()));
        }
        self.check_room_for(user)?;
        let mut open = self.remove(id).ok_or_else(|| not_found(id))?;
        open.stored.entry.joined.push(user.clone());
        if bot {
            open.stored.bots.push(user.clone());
        }
        let OpenInvite { stored, .. } = &open;
        if stored.entry.joined.len() < usize::from(stored.entry.players) {
            let stored = stored.clone();
            self.insert(open);
            return Ok(InviteOutcome::Waiting(stored));
        }
        Ok(InviteOutcome::Full(open))
    }

    /// Puts an invite back of which no game could be made, without a user.
    pub(super) fn restore_without(&mut self, mut open: OpenInvite, user: &UserName) {
        drop_user(&mut open.stored, user);
        self.insert(open);
    }

    /// Takes a user out of an open invite that the user has joined. Returns what remains.
    pub(super) fn leave(&mut self, id: &InviteId, user: &UserName) -> Option<StoredInvite> {
        let mut open = self.remove(id)?;
        drop_user(&mut open.stored, user);
        let stored = open.stored.clone();
        self.insert(open);
        Some(stored)
    }

    /// Takes out an invite.
    pub(super) fn remove(&mut self, id: &InviteId) -> Option<OpenInvite> {
        let open = self.open.remove(id)?;
        self.index.remove(id, keys(&open.stored.entry));
        if let Some(from) = open.from
            && let Some(count) = self.by_network.get_mut(&from)
        {
            *count -= 1;
            if *count == 0 {
                self.by_network.remove(&from);
            }
        }
        Some(open)
    }

    /// Puts an invite back that could not be closed.
    pub(super) fn restore(&mut self, open: OpenInvite) {
        self.insert(open);
    }

    /// Takes out the invites that have expired.
    pub(super) fn take_expired(&mut self, now_ms: u64) -> Vec<OpenInvite> {
        self.index.expired(now_ms).iter().filter_map(|id| self.remove(id)).collect()
    }

    /// The next time at which an invite expires, in epoch milliseconds.
    pub(super) fn next_expiry(&self) -> Option<u64> {
        self.index.next_expiry()
    }
}

/// Takes back that a user has joined.
fn drop_user(stored: &mut StoredInvite, user: &UserName) {
    stored.entry.joined.retain(|other| !other.is_same(user.as_str()));
    stored.bots.retain(|other| !other.is_same(user.as_str()));
}
