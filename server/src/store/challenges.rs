//! Open challenges and rematches as they are stored, and what decides about them.

use adamant_protocol::{ChallengeId, GameId, UserName, to_client::Challenged};
use futures::future::BoxFuture;

use super::{OpenLimitReached, StoreError, names::has_name};
use crate::{
    address::ClientNetwork,
    limits::{
        CHALLENGE_LIFE, CHALLENGES_PER_NETWORK_MAX, CHALLENGES_PER_PAIR_MAX,
        CHALLENGES_PER_USER_MAX, CHALLENGES_WAITING_MAX, GUESTS_CHALLENGES_WAITING_MAX,
        HOUSE_CHALLENGES_WAITING_MAX,
    },
    runtime::time::milliseconds,
};

/// An open challenge.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredChallenge {
    pub id: ChallengeId,
    /// The challenge as clients see it.
    pub challenged: Challenged,
    /// The names of those accepting users that are programs.
    pub bots: Vec<UserName>,
    /// The time of creation, in epoch milliseconds.
    pub created_at: u64,
    /// The network of its maker; `None` if it is unknown or networks have no bounds.
    pub from: Option<ClientNetwork>,
}

/// A challenge to open.
#[derive(Debug, Clone)]
pub(crate) struct NewChallenge {
    pub stored: StoredChallenge,
    /// The challenged users that are the server's own bots.
    pub house: Vec<UserName>,
}

/// How many open challenges wait for the answer of a user.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WaitingChallenges {
    /// Number of all of them.
    pub all: usize,
    /// Number of those that guests have made.
    pub of_guests: usize,
    /// Number of those of one maker.
    pub of_pair: usize,
    /// Number of those from one network; 0 if the network is `None`.
    pub of_network: usize,
}

/// The outcome of opening a challenge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AddChallengeOutcome {
    /// The challenge is stored.
    Added,
    /// It is to a rematch to which another challenge is open already.
    RematchOpen(ChallengeId),
    /// It is to a rematch that has begun already.
    RematchBegun(GameId),
    /// Too many challenges are open.
    LimitReached(OpenLimitReached),
}

/// The outcome of accepting a challenge.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AcceptChallengeOutcome {
    /// The acceptance is stored; others have yet to accept.
    Waiting(Box<StoredChallenge>),
    /// All have accepted. The last acceptance is not stored: the challenge stays open until its
    /// game begins, which takes it.
    Full(Box<StoredChallenge>),
    /// The user has accepted before.
    AlreadyAccepted,
    /// The challenge is not open.
    Gone,
}

impl NewChallenge {
    /// Returns the users who have to answer, in the order of their seats.
    pub(crate) fn waiting_users(&self) -> impl Iterator<Item = &UserName> {
        let Challenged { by, seats, .. } = &self.stored.challenged;
        seats.iter().filter(|user| !user.is_same(by.as_str()))
    }

    /// Decides whether one more challenge may be open. `made` is the number of open challenges of
    /// the maker, and `waiting` has the counts of each of the [users](Self::waiting_users) who have
    /// to answer.
    pub(crate) fn check(
        &self,
        made: usize,
        waiting: &[WaitingChallenges],
    ) -> Result<(), OpenLimitReached> {
        let own = |limit, what, max| Err(OpenLimitReached { limit, what, max, by_others: false });
        let others = |limit, what, max| Err(OpenLimitReached { limit, what, max, by_others: true });
        if made >= CHALLENGES_PER_USER_MAX {
            let what = "open challenges a user: take one back first";
            return own("challenges", what, CHALLENGES_PER_USER_MAX);
        }
        for (user, count) in self.waiting_users().zip(waiting) {
            let (all_max, guests_max) = if has_name(&self.house, user) {
                (HOUSE_CHALLENGES_WAITING_MAX, HOUSE_CHALLENGES_WAITING_MAX)
            } else {
                (CHALLENGES_WAITING_MAX, GUESTS_CHALLENGES_WAITING_MAX)
            };
            if count.of_pair >= CHALLENGES_PER_PAIR_MAX {
                let what =
                    "open challenges of yours to one user: wait for an answer, or take one back";
                return own("challenges_per_pair", what, CHALLENGES_PER_PAIR_MAX);
            }
            if count.of_network >= CHALLENGES_PER_NETWORK_MAX {
                let what = "open challenges from one network to one user";
                return others("challenges_per_network", what, CHALLENGES_PER_NETWORK_MAX);
            }
            if count.all >= all_max {
                let what = "challenges wait for one user";
                return others("challenges_waiting", what, all_max);
            }
            if self.stored.challenged.guest && count.of_guests >= guests_max {
                let what = "challenges of guests wait for one user: accounts have more room";
                return others("guests_challenges_waiting", what, guests_max);
            }
        }
        Ok(())
    }
}

impl StoredChallenge {
    /// Encodes the accepting programs and the terms.
    pub(crate) fn texts(&self) -> (String, String) {
        let bots = serde_json::to_string(&self.bots).expect("names are plain data");
        let terms = serde_json::to_string(&self.challenged).expect("challenges are plain data");
        (bots, terms)
    }

    /// Decodes a row; `None` if it is unreadable.
    pub(crate) fn read(
        id: &str,
        (bots, terms): (&str, &str),
        created_at: u64,
        from: Option<ClientNetwork>,
    ) -> Option<Self> {
        let parts =
            (id.parse(), serde_json::from_str(bots), serde_json::from_str::<Challenged>(terms));
        let (Ok(id), Ok(bots), Ok(mut challenged)) = parts else {
            tracing::error!(id, "a stored challenge is unreadable");
            return None;
        };
        if challenged.expires == 0 {
            // From a server that did not say so in the challenge.
            challenged.created = created_at;
            challenged.expires = created_at.saturating_add(milliseconds(CHALLENGE_LIFE));
        }
        Some(Self { id, challenged, bots, created_at, from })
    }

    /// Decides what comes of the acceptance of a challenged user. The store keeps the challenge of
    /// [`Waiting`](AcceptChallengeOutcome::Waiting).
    pub(crate) fn accept(mut self, user: &UserName, bot: bool) -> AcceptChallengeOutcome {
        let Challenged { accepted, seats, .. } = &mut self.challenged;
        if !has_name(accepted, user) {
            accepted.push(user.clone());
            if bot {
                self.bots.push(user.clone());
            }
        } else if accepted.len() < seats.len() {
            return AcceptChallengeOutcome::AlreadyAccepted;
        }
        if accepted.len() < seats.len() {
            AcceptChallengeOutcome::Waiting(Box::new(self))
        } else {
            AcceptChallengeOutcome::Full(Box::new(self))
        }
    }
}

/// Stores open challenges, and which game is whose rematch. Each operation decides and stores at
/// once, so that several nodes may serve the same challenge.
pub(crate) trait Challenges: std::fmt::Debug + Send + Sync + 'static {
    /// Opens a challenge, unless too many are open or its rematch exists.
    fn add_challenge(
        &self,
        new: NewChallenge,
    ) -> BoxFuture<'_, Result<AddChallengeOutcome, StoreError>>;

    /// Accepts a challenge for a user who has a seat in it and has not made it.
    fn accept_challenge(
        &self,
        id: ChallengeId,
        user: UserName,
        bot: bool,
    ) -> BoxFuture<'_, Result<AcceptChallengeOutcome, StoreError>>;

    /// Deletes a challenge; returns whether it was open.
    fn delete_challenge(&self, id: ChallengeId) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Returns an open challenge.
    fn find_challenge(
        &self,
        id: ChallengeId,
    ) -> BoxFuture<'_, Result<Option<StoredChallenge>, StoreError>>;

    /// Returns all open challenges.
    fn challenges(&self) -> BoxFuture<'_, Result<Vec<StoredChallenge>, StoreError>>;

    /// Returns the rematch of a game, if one has started.
    fn rematch_of(&self, game: GameId) -> BoxFuture<'_, Result<Option<GameId>, StoreError>>;
}
