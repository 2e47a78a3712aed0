//! The open challenges as this node knows them. The store keeps them, because a challenged user may
//! connect days later, and decides about them.

use std::collections::{BTreeSet, HashMap};

use adamant_protocol::{
    ChallengeId, GameId, UserName,
    to_client::{Challenged, Direction, OpenChallenge},
    values::Options,
};

use rand::RngExt as _;

use super::{
    game_config::GameConfig,
    open_index::{IndexKeys, OpenIndex},
    replica::{OpenRow, PutOutcome, Replica, ReplicaMoment},
};
use crate::{
    address::ClientNetwork,
    error::Denial,
    runtime::{entropy::Entropy, time::milliseconds},
    store::{StoredChallenge, has_name},
};

/// Every open challenge, with what finds those of a user, of a game, and those whose time is up:
/// nothing here looks at all of them.
#[derive(Debug, Default)]
pub(super) struct OpenChallenges {
    replica: Replica<StoredChallenge>,
    index: OpenIndex<ChallengeId>,
    by_rematch: HashMap<GameId, ChallengeId>,
}

impl OpenRow for StoredChallenge {
    type Id = ChallengeId;

    fn id(&self) -> &ChallengeId {
        &self.id
    }

    /// An acceptance is never taken back.
    fn version(&self) -> u64 {
        self.challenged.accepted.len() as u64
    }
}

/// The users of a challenge, and what the challenge depends on.
#[derive(Debug, Clone, Default)]
pub(super) struct Participants {
    /// In the order of their seats.
    pub(super) seats: Vec<UserName>,
    /// Whether one of them has no account.
    pub(super) any_guest: bool,
    /// Those that are the server's own players.
    pub(super) house: Vec<UserName>,
}

/// Creates a challenge by one of the users.
pub(super) fn challenged(
    config: &GameConfig,
    (by, bot, guest): (&UserName, bool, bool),
    players: &Participants,
    now_ms: u64,
    entropy: &mut Entropy,
) -> Challenged {
    let number: u64 = entropy.random();
    let life = config.challenge_life(players.any_guest);
    Challenged {
        challenge: format!("h_{number:016x}").parse().expect("a short word"),
        by: by.clone(),
        bot,
        guest,
        rules: config.rules(),
        options: config.wire_options(),
        seats: players.seats.clone(),
        shuffle: false,
        clock: config.wire_clock(),
        rated: config.rated,
        delay: config.delay,
        unlisted: config.unlisted,
        accepted: vec![by.clone()],
        rematch_of: None,
        created: now_ms,
        expires: now_ms.saturating_add(milliseconds(life)),
    }
}

const fn keys(challenged: &Challenged) -> IndexKeys<'_> {
    let Challenged { seats, created, expires, .. } = challenged;
    IndexKeys { users: seats.as_slice(), created: *created, expires: *expires }
}

pub(super) fn not_found(id: &ChallengeId) -> Denial {
    Denial::NotFound(format!("open challenge {id}"))
}

/// Rejects a user who may not answer a challenge.
pub(super) fn check_challenged(challenged: &Challenged, user: &UserName) -> Result<(), Denial> {
    if !has_name(&challenged.seats, user) {
        return Err(Denial::Forbidden("this challenge is not for you".to_owned()));
    }
    if challenged.by.is_same(user.as_str()) {
        return Err(Denial::Forbidden("this challenge is your own".to_owned()));
    }
    Ok(())
}

impl OpenChallenges {
    /// Those that were stored.
    pub(super) fn new(stored: Vec<StoredChallenge>) -> Self {
        let mut challenges = Self::default();
        for stored in stored {
            challenges.put(stored);
        }
        challenges
    }

    /// Takes in the state of an open challenge.
    pub(super) fn put(&mut self, mut stored: StoredChallenge) -> PutOutcome<StoredChallenge> {
        let id = stored.id.clone();
        // Where it was made is not part of every answer of the store.
        stored.from = stored.from.or_else(|| self.network_of(&id));
        let outcome = self.replica.put(stored);
        if outcome == PutOutcome::Opened
            && let Some(StoredChallenge { challenged, .. }) = self.replica.get(&id)
        {
            self.index.insert(&id, keys(challenged));
            if let Some(game) = &challenged.rematch_of {
                self.by_rematch.insert(game.clone(), id);
            }
        }
        outcome
    }

    /// Takes out a challenge that is open no longer.
    pub(super) fn close(&mut self, id: &ChallengeId) -> Option<StoredChallenge> {
        let stored = self.replica.close(id)?;
        self.index.remove(id, keys(&stored.challenged));
        if let Some(game) = &stored.challenged.rematch_of {
            self.by_rematch.remove(game);
        }
        Some(stored)
    }

    pub(super) fn moment(&self) -> ReplicaMoment {
        self.replica.moment()
    }

    /// The challenges that were known at a moment and that the store has no longer.
    pub(super) fn missing(
        &self,
        moment: ReplicaMoment,
        stored: &[StoredChallenge],
    ) -> BTreeSet<ChallengeId> {
        self.replica.missing(moment, stored.iter().map(|stored| &stored.id))
    }

    /// Where an open challenge was made, if that is known.
    pub(super) fn network_of(&self, id: &ChallengeId) -> Option<ClientNetwork> {
        self.get(id)?.from
    }

    /// The open challenge to play a game once more.
    pub(super) fn rematch_of(&self, game: &GameId) -> Option<ChallengeId> {
        self.by_rematch.get(game).cloned()
    }

    pub(super) fn get(&self, id: &ChallengeId) -> Option<&StoredChallenge> {
        self.replica.get(id)
    }

    /// Returns a page of a user's open challenges, the newest first, from a place in the list on.
    /// Also returns the number of all of them.
    pub(super) fn page(
        &self,
        user: &UserName,
        before: Option<&ChallengeId>,
        limit: usize,
    ) -> (Vec<OpenChallenge>, usize) {
        let before = before.and_then(|id| Some((self.get(id)?.challenged.created, id.clone())));
        let places = self.index.of_user(user);
        let stored = places.filter(|place| before.as_ref().is_none_or(|at| *place < at));
        let listed = stored.filter_map(|(_, id)| self.get(id)).take(limit).map(|open| {
            let mine = open.challenged.by.is_same(user.as_str());
            let direction = if mine { Direction::Out } else { Direction::In };
            OpenChallenge { direction, challenged: open.challenged.clone() }
        });
        (listed.collect(), self.index.count_of_user(user))
    }

    /// The newest open challenges that a user has yet to answer, the oldest of them first.
    pub(super) fn awaiting(&self, user: &UserName, limit: usize) -> Vec<ChallengeId> {
        let concerning = self.index.of_user(user).filter_map(|(_, id)| self.get(id));
        let awaiting = concerning.filter(|open| !has_name(&open.challenged.accepted, user));
        let mut newest: Vec<_> = awaiting.take(limit).map(|open| open.id.clone()).collect();
        newest.reverse();
        newest
    }

    /// The challenges that have expired.
    pub(super) fn expired(&self, now_ms: u64) -> Vec<StoredChallenge> {
        let expired = self.index.expired(now_ms);
        expired.iter().filter_map(|id| self.get(id)).cloned().collect()
    }

    /// The next time at which a challenge expires, in epoch milliseconds.
    pub(super) fn next_expiry(&self) -> Option<u64> {
        self.index.next_expiry()
    }
}

/// Returns the settings of a stored challenge.
pub(super) fn config(challenged: &Challenged) -> Result<GameConfig, Denial> {
    GameConfig::read(
        &challenged.rules,
        &Options::Named(challenged.options.clone()),
        challenged.clock,
        challenged.rated,
        (challenged.delay, challenged.unlisted),
        challenged.seats.len(),
    )
}
