//! Invites as they are stored, and what decides about them.

use adamant_protocol::{GameId, InviteId, UserName, to_client::InviteEntry};
use futures::future::BoxFuture;

use super::{OpenLimitReached, Origin, OriginClaim, StoreError, names::has_name};
use crate::{
    address::ClientNetwork,
    limits::{INVITES_PER_NETWORK_MAX, INVITES_PER_USER_MAX},
};

/// An invite. It stays stored when its game begins, so that the link leads to the game.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredInvite {
    /// The invite as clients see it.
    pub entry: InviteEntry,
    /// The names of those joined users that are programs.
    pub bots: Vec<UserName>,
    /// The network of its maker; `None` if it is unknown or networks have no bounds.
    pub from: Option<ClientNetwork>,
    /// Grows with each change of who has joined while it is open. It starts at 0.
    pub version: u64,
}

/// The outcome of joining an invite.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum JoinInviteOutcome {
    /// The user has joined; others are still missing.
    Waiting(Box<StoredInvite>),
    /// All are there. That the last user has joined is not stored: the invite stays open until its
    /// game begins, which takes it.
    Full(Box<StoredInvite>),
    /// The user has joined before.
    AlreadyJoined,
    /// The user has made or joined too many invites.
    LimitReached(OpenLimitReached),
    /// The invite is not open.
    Gone,
}

/// Decides whether a user may have one more open invite. `of_user` is the number of open invites
/// that the user has made or joined.
fn check_user(of_user: usize) -> Result<(), OpenLimitReached> {
    if of_user >= INVITES_PER_USER_MAX {
        let what = "open invites a user: cancel one first";
        return Err(OpenLimitReached {
            limit: "invites",
            what,
            max: INVITES_PER_USER_MAX,
            by_others: false,
        });
    }
    Ok(())
}

impl StoredInvite {
    /// Encodes the joined programs and the entry.
    pub(crate) fn texts(&self) -> (String, String) {
        let bots = serde_json::to_string(&self.bots).expect("names are plain data");
        let entry = serde_json::to_string(&self.entry).expect("invites are plain data");
        (bots, entry)
    }

    /// Decodes a row; `None` if it is unreadable.
    pub(crate) fn read(
        id: &str,
        (bots, entry): (&str, &str),
        game: Option<GameId>,
        from: Option<ClientNetwork>,
        version: u64,
    ) -> Option<Self> {
        let parts = (serde_json::from_str(bots), serde_json::from_str::<InviteEntry>(entry));
        let (Ok(bots), Ok(entry)) = parts else {
            tracing::error!(id, "a stored invite is unreadable");
            return None;
        };
        Some(Self { entry: InviteEntry { game, ..entry }, bots, from, version })
    }

    /// Decides whether this invite may be opened. `of_user` is the number of open invites that the
    /// maker has made or joined, and `of_network` the number of those from the maker's network.
    pub(crate) fn check(&self, of_user: usize, of_network: usize) -> Result<(), OpenLimitReached> {
        check_user(of_user)?;
        if self.from.is_some() && of_network >= INVITES_PER_NETWORK_MAX {
            let (limit, max) = ("invites_per_network", INVITES_PER_NETWORK_MAX);
            let what = "open invites from one network";
            return Err(OpenLimitReached { limit, what, max, by_others: true });
        }
        Ok(())
    }

    /// Decides what comes of a user who joins. `of_user` is the number of open invites that the
    /// user has made or joined. The store keeps the invite of
    /// [`Waiting`](JoinInviteOutcome::Waiting).
    pub(crate) fn join(mut self, user: &UserName, bot: bool, of_user: usize) -> JoinInviteOutcome {
        if has_name(&self.entry.joined, user) {
            return JoinInviteOutcome::AlreadyJoined;
        }
        if let Err(reached) = check_user(of_user) {
            return JoinInviteOutcome::LimitReached(reached);
        }
        self.version += 1;
        self.entry.joined.push(user.clone());
        if bot {
            self.bots.push(user.clone());
        }
        if self.entry.joined.len() < usize::from(self.entry.players) {
            JoinInviteOutcome::Waiting(Box::new(self))
        } else {
            JoinInviteOutcome::Full(Box::new(self))
        }
    }

    /// Returns the claim of the game that begins from this invite. That the last user has joined it
    /// is not stored.
    pub(crate) fn claim(&self) -> OriginClaim {
        let origin = Origin::Invite(self.entry.invite.clone());
        OriginClaim { origin, version: Some(self.version.saturating_sub(1)) }
    }

    /// Takes out a user who has joined. Returns whether that is so; the maker cannot leave.
    pub(crate) fn leave(&mut self, user: &UserName) -> bool {
        let may_leave = !self.entry.by.is_same(user.as_str()) && has_name(&self.entry.joined, user);
        if may_leave {
            self.version += 1;
            self.entry.joined.retain(|other| !other.is_same(user.as_str()));
            self.bots.retain(|other| !other.is_same(user.as_str()));
        }
        may_leave
    }
}

/// Stores invites. Each operation decides and stores at once, so that several nodes may serve the
/// same invite.
pub(crate) trait Invites: std::fmt::Debug + Send + Sync + 'static {
    /// Opens an invite, unless too many are open.
    fn add_invite(
        &self,
        invite: StoredInvite,
    ) -> BoxFuture<'_, Result<Result<(), OpenLimitReached>, StoreError>>;

    /// Lets a user join.
    fn join_invite(
        &self,
        id: InviteId,
        user: UserName,
        bot: bool,
    ) -> BoxFuture<'_, Result<JoinInviteOutcome, StoreError>>;

    /// Takes a user who has joined out of an open invite. Returns what remains; `None` if the
    /// invite is not open, or the user has not joined it or has made it.
    fn leave_invite(
        &self,
        id: InviteId,
        user: UserName,
    ) -> BoxFuture<'_, Result<Option<StoredInvite>, StoreError>>;

    /// Deletes an invite if it is still open; returns the users who have joined it then.
    fn delete_invite(
        &self,
        id: InviteId,
    ) -> BoxFuture<'_, Result<Option<Vec<UserName>>, StoreError>>;

    /// Returns an invite, open or with its game.
    fn find_invite(&self, id: InviteId) -> BoxFuture<'_, Result<Option<StoredInvite>, StoreError>>;

    /// Returns all open invites.
    fn open_invites(&self) -> BoxFuture<'_, Result<Vec<StoredInvite>, StoreError>>;

    /// Deletes the expired invites that have become games.
    fn forget_invites(&self, now_ms: u64) -> BoxFuture<'_, Result<(), StoreError>>;
}
