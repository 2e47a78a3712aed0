//! Open seeks as they are stored, and what decides about them.
//!
//! A lasting seek is durable and outlives its connection. Any other is stored as well, so that all
//! nodes decide about the same row, but it ends with its session, its node or the store.

use std::fmt;

use adamant_protocol::{SeekId, UserName, from_client::SeatWish, to_client::SeekEntry};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::{OpenLimitReached, Origin, OriginClaim, StoreError};
use crate::{
    address::ClientNetwork,
    cluster::NodeId,
    limits::{SEEKS_PER_NETWORK_MAX, SEEKS_PER_USER_MAX},
    outbound::SessionId,
};

/// A session among those of all nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct NodeSession {
    /// The node; `None` if the server is alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<NodeId>,
    pub session: SessionId,
}

/// A user who has joined a seek.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seeker {
    pub user: UserName,
    /// Whether the user came as a program.
    pub bot: bool,
    /// Whether the user is a guest.
    pub guest: bool,
    /// The rating in the game that is sought.
    pub rating: u16,
    /// The seat that the user prefers.
    pub seat: SeatWish,
    /// The session with which the user leaves; `None` in a lasting seek.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<NodeSession>,
}

/// An open seek.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredSeek {
    /// The seek as clients see it. `entry.lasting` says whether it outlives its connection.
    pub entry: SeekEntry,
    /// Those who have joined, the one who made it first.
    pub joined: Vec<Seeker>,
    /// The network of its maker; `None` if it is unknown or networks have no bounds. No part of
    /// the text form.
    #[serde(skip)]
    pub from: Option<ClientNetwork>,
    /// Grows with each change of who has joined. It starts at 0. No part of the text form.
    #[serde(skip)]
    pub version: u64,
}

/// Whether a seek suits the user who would join it.
pub(crate) type SuitsSeek = Box<dyn Fn(&StoredSeek) -> bool + Send + Sync>;

/// What a user seeks.
pub(crate) struct Seeking {
    /// The seek to open if none suits. It has its maker alone.
    pub seek: StoredSeek,
    /// The user's session.
    pub session: NodeSession,
    /// Whether a seek of the same [key](StoredSeek::terms_key) suits.
    pub suits: SuitsSeek,
}

impl fmt::Debug for Seeking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seeking").field("seek", &self.seek).finish_non_exhaustive()
    }
}

/// The outcome of seeking a game.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SeekOutcome {
    /// No open seek suits. The new one is stored.
    Opened,
    /// The user has joined the oldest seek that suits; others are still missing.
    Waiting(Box<StoredSeek>),
    /// All are there. That the last user has joined is not stored: the seek stays open until its
    /// game begins, which takes it.
    Full(Box<StoredSeek>),
    /// No open seek suits, and too many are open.
    LimitReached(OpenLimitReached),
}

/// The outcome of joining a named seek.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum JoinSeekOutcome {
    /// The user has joined; others are still missing.
    Waiting(Box<StoredSeek>),
    /// All are there, as in [`SeekOutcome::Full`].
    Full(Box<StoredSeek>),
    /// The user has joined before.
    AlreadyJoined,
    /// The seek does not suit. It is returned as it is.
    Unsuitable(Box<StoredSeek>),
    /// The seek is not open.
    Gone,
}

impl Seeking {
    /// Returns the user as one who joins another seek.
    pub(crate) fn seeker(&self) -> Seeker {
        let Seeker { user, bot, guest, rating, seat, .. } = &self.seek.joined[0];
        let (user, session) = (user.clone(), Some(self.session));
        Seeker { user, bot: *bot, guest: *guest, rating: *rating, seat: *seat, session }
    }
}

impl StoredSeek {
    /// Returns what is the same for all seeks that may suit each other: an index finds them.
    pub(crate) fn terms_key(&self) -> String {
        let SeekEntry { rules, players, clock, rated, .. } = &self.entry;
        serde_json::to_string(&(rules, players, clock, rated)).expect("terms are plain data")
    }

    /// Returns the maker.
    pub(crate) fn maker(&self) -> &UserName {
        &self.entry.by
    }

    /// Returns whether a user has made or joined the seek.
    pub(crate) fn has(&self, user: &UserName) -> bool {
        self.joined.iter().any(|joined| joined.user.is_same(user.as_str()))
    }

    /// Returns whether all players are there.
    pub(crate) fn is_full(&self) -> bool {
        self.joined.len() >= usize::from(self.entry.players)
    }

    /// Returns the claim of the game that begins from this seek. That the last user has joined it
    /// is not stored.
    pub(crate) fn claim(&self) -> OriginClaim {
        let origin = Origin::Seek(self.entry.seek.clone());
        OriginClaim { origin, version: Some(self.version.saturating_sub(1)) }
    }

    /// Returns the seek with one more user. No user leaves a lasting seek with a session.
    pub(crate) fn with(mut self, seeker: Seeker) -> Box<Self> {
        let session = seeker.session.filter(|_| !self.entry.lasting);
        self.version += 1;
        self.entry.joined.push(seeker.user.clone());
        self.joined.push(Seeker { session, ..seeker });
        Box::new(self)
    }

    /// Takes out some of those who have joined, but not the maker. Returns whether there were any.
    pub(crate) fn leave(&mut self, leaves: impl Fn(&Seeker) -> bool) -> bool {
        let before = self.joined.len();
        let maker = self.entry.by.clone();
        self.joined.retain(|joined| joined.user.is_same(maker.as_str()) || !leaves(joined));
        self.entry.joined = self.joined.iter().map(|joined| joined.user.clone()).collect();
        let have_left = self.joined.len() < before;
        self.version += u64::from(have_left);
        have_left
    }

    /// Decides whether this seek may be opened. `of_user` is the number of open seeks of its maker,
    /// and `of_network` the number of those from the maker's network.
    pub(crate) fn check(&self, of_user: usize, of_network: usize) -> Result<(), OpenLimitReached> {
        if of_user >= SEEKS_PER_USER_MAX {
            let what = "open seeks a user: take one back first";
            return Err(OpenLimitReached {
                limit: "seeks",
                what,
                max: SEEKS_PER_USER_MAX,
                by_others: false,
            });
        }
        if self.from.is_some() && of_network >= SEEKS_PER_NETWORK_MAX {
            let (limit, max) = ("seeks_per_network", SEEKS_PER_NETWORK_MAX);
            let what = "open seeks from one network: take one of those that are open";
            return Err(OpenLimitReached { limit, what, max, by_others: true });
        }
        Ok(())
    }
}

/// Stores open seeks. Each operation decides and stores at once, so that several nodes may serve
/// the same seek.
pub(crate) trait Seeks: fmt::Debug + Send + Sync + 'static {
    /// Joins the oldest open seek that suits, or opens one.
    fn open_or_join(&self, seeking: Seeking) -> BoxFuture<'_, Result<SeekOutcome, StoreError>>;

    /// Lets a user join, if the seek suits.
    fn join_seek(
        &self,
        id: SeekId,
        seeker: Seeker,
        suits: SuitsSeek,
    ) -> BoxFuture<'_, Result<JoinSeekOutcome, StoreError>>;

    /// Takes a user who has joined out of a seek. Returns what remains; `None` if the seek is not
    /// open, or the user has not joined it or has made it.
    fn leave_seek(
        &self,
        id: SeekId,
        user: UserName,
    ) -> BoxFuture<'_, Result<Option<StoredSeek>, StoreError>>;

    /// Deletes a seek; returns whether it was open.
    fn delete_seek(&self, id: SeekId) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Deletes the seeks that a session has made, and takes it out of those that it has joined.
    /// Returns all of these.
    fn end_seeks_of_session(
        &self,
        session: NodeSession,
    ) -> BoxFuture<'_, Result<Vec<SeekId>, StoreError>>;

    /// Does so for all sessions of a node that has gone.
    fn end_seeks_of_node(&self, node: NodeId) -> BoxFuture<'_, Result<Vec<SeekId>, StoreError>>;

    /// Returns an open seek.
    fn find_seek(&self, id: SeekId) -> BoxFuture<'_, Result<Option<StoredSeek>, StoreError>>;

    /// Returns all open seeks, the oldest first.
    fn seeks(&self) -> BoxFuture<'_, Result<Vec<StoredSeek>, StoreError>>;
}
