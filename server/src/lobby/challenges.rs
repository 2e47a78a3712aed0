//! Open challenges. The store keeps them, because a challenged user may connect days later.

use std::collections::HashMap;

use adamant_protocol::{
    ChallengeId, GameId, UserName,
    to_client::{Challenged, Direction, OpenChallenge},
    values::Options,
};

use rand::RngExt as _;

use super::{
    game_config::GameConfig,
    open_index::{IndexKeys, OpenIndex},
};
use crate::{
    address::ClientNetwork,
    error::Denial,
    limits::{
        CHALLENGE_LIFE, CHALLENGES_PER_NETWORK_MAX, CHALLENGES_PER_PAIR_MAX,
        CHALLENGES_PER_USER_MAX, CHALLENGES_WAITING_MAX, GUESTS_CHALLENGES_WAITING_MAX,
        HOUSE_CHALLENGES_WAITING_MAX,
    },
    runtime::{entropy::Entropy, time::milliseconds},
    store::StoredChallenge,
};

/// Every open challenge, with what finds those of a user, of a game, and those whose time is up:
/// nothing here looks at all of them.
#[derive(Debug, Default)]
pub(super) struct OpenChallenges {
    open: HashMap<ChallengeId, ChallengeEntry>,
    index: OpenIndex<ChallengeId>,
    by_rematch: HashMap<GameId, ChallengeId>,
    /// Whether networks have bounds of their own.
    bounds_networks: bool,
}

#[derive(Debug)]
struct ChallengeEntry {
    stored: StoredChallenge,
    /// Where it was made; not known of those from before the server started.
    from: Option<ClientNetwork>,
}

/// What came of accepting a challenge.
#[derive(Debug)]
pub(super) enum AcceptOutcome {
    /// Others are still to answer; the challenge as it stands now.
    Waiting(StoredChallenge),
    /// All have agreed. The challenge is taken out, so that only one game can come of it; it
    /// stays stored until that game is. With it comes where it was made, if that is known.
    Full(StoredChallenge, Option<ClientNetwork>),
}

/// How many challenges wait for a user.
#[derive(Debug, Default)]
struct WaitingCounts {
    all: usize,
    of_guests: usize,
    /// Of one challenger.
    of_pair: usize,
    /// From the challenger's network.
    of_network: usize,
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

fn not_found(id: &ChallengeId) -> Denial {
    Denial::NotFound(format!("open challenge {id}"))
}

/// Whether the user is among the names.
pub(super) fn has(names: &[UserName], user: &UserName) -> bool {
    names.iter().any(|name| name.is_same(user.as_str()))
}

impl OpenChallenges {
    /// Those that were stored. With `bounds_networks` those from one network are bounded besides
    /// those of one user.
    pub(super) fn new(stored: Vec<StoredChallenge>, bounds_networks: bool) -> Self {
        let mut challenges = Self { bounds_networks, ..Self::default() };
        for mut open in stored {
            let Challenged { created, expires, .. } = &mut open.challenged;
            if *expires == 0 {
                // From a server that did not say so in the challenge.
                *created = open.created_at;
                *expires = open.created_at.saturating_add(milliseconds(CHALLENGE_LIFE));
            }
            challenges.insert(open, None);
        }
        challenges
    }

    /// Adds a challenge, if its maker may have one more and those challenged have room for it.
    pub(super) fn add(
        &mut self,
        challenge: StoredChallenge,
        from: Option<ClientNetwork>,
        house: &[UserName],
    ) -> Result<(), Denial> {
        let by = &challenge.challenged.by;
        let limit = |limit, what, max| Denial::LimitReached { limit, what, max };
        if self.made_by(by) >= CHALLENGES_PER_USER_MAX {
            let what = "open challenges a user: take one back first";
            return Err(limit("challenges", what, CHALLENGES_PER_USER_MAX));
        }
        let from = from.filter(|_| self.bounds_networks);
        for user in challenge.challenged.seats.iter().filter(|user| !user.is_same(by.as_str())) {
            let count = self.waiting_for(user, by, from);
            let (all_max, guests_max) = if has(house, user) {
                (HOUSE_CHALLENGES_WAITING_MAX, HOUSE_CHALLENGES_WAITING_MAX)
            } else {
                (CHALLENGES_WAITING_MAX, GUESTS_CHALLENGES_WAITING_MAX)
            };
            if count.of_pair >= CHALLENGES_PER_PAIR_MAX {
                let what =
                    "open challenges of yours to one user: wait for an answer, or take one back";
                return Err(limit("challenges_per_pair", what, CHALLENGES_PER_PAIR_MAX));
            }
            if count.of_network >= CHALLENGES_PER_NETWORK_MAX {
                let what = "open challenges from one network to one user: try again later";
                return Err(limit("challenges_per_network", what, CHALLENGES_PER_NETWORK_MAX));
            }
            if count.all >= all_max {
                let what = "challenges wait for one user: try again later";
                return Err(limit("challenges_waiting", what, all_max));
            }
            if challenge.challenged.guest && count.of_guests >= guests_max {
                let what = "challenges of guests wait for one user: sign up, or try again later";
                return Err(limit("guests_challenges_waiting", what, guests_max));
            }
        }
        self.insert(challenge, from);
        Ok(())
    }

    fn made_by(&self, user: &UserName) -> usize {
        self.concerning(user).filter(|open| open.challenged.by.is_same(user.as_str())).count()
    }

    /// How many challenges a user has yet to answer.
    fn waiting_for(
        &self,
        user: &UserName,
        by: &UserName,
        from: Option<ClientNetwork>,
    ) -> WaitingCounts {
        let mut waiting = WaitingCounts::default();
        for ChallengeEntry { stored, from: network } in self.with(user) {
            let challenged = &stored.challenged;
            if has(&challenged.accepted, user) {
                continue;
            }
            waiting.all += 1;
            waiting.of_guests += usize::from(challenged.guest);
            waiting.of_pair += usize::from(challenged.by.is_same(by.as_str()));
            waiting.of_network += usize::from(from.is_some() && *network == from);
        }
        waiting
    }

    fn insert(&mut self, stored: StoredChallenge, from: Option<ClientNetwork>) {
        let (id, challenged) = (stored.id.clone(), &stored.challenged);
        self.index.insert(&id, keys(challenged));
        if let Some(game) = &challenged.rematch_of {
            self.by_rematch.insert(game.clone(), id.clone());
        }
        self.open.insert(id, ChallengeEntry { stored, from });
    }

    /// Where an open challenge was made, if that is known.
    pub(super) fn network_of(&self, id: &ChallengeId) -> Option<ClientNetwork> {
        self.open.get(id)?.from
    }

    /// Puts a challenge back of which no game could be made.
    pub(super) fn restore(&mut self, challenge: StoredChallenge, from: Option<ClientNetwork>) {
        self.insert(challenge, from);
    }

    /// Notes that a challenged user agrees.
    pub(super) fn accept(
        &mut self,
        id: &ChallengeId,
        user: &UserName,
        bot: bool,
    ) -> Result<AcceptOutcome, Denial> {
        let open = self.challenged(id, user)?;
        if !has(&open.challenged.accepted, user) {
            open.challenged.accepted.push(user.clone());
            if bot {
                open.bots.push(user.clone());
            }
        } else if open.challenged.accepted.len() < open.challenged.seats.len() {
            return Err(Denial::Forbidden("you have accepted this challenge already".to_owned()));
        }
        let waiting = open.challenged.accepted.len() < open.challenged.seats.len();
        if waiting {
            return Ok(AcceptOutcome::Waiting(open.clone()));
        }
        let from = self.network_of(id);
        let full = self.remove(id).ok_or_else(|| not_found(id))?;
        Ok(AcceptOutcome::Full(full, from))
    }

    /// The open challenge to play a game once more.
    pub(super) fn rematch_of(&self, game: &GameId) -> Option<ChallengeId> {
        self.by_rematch.get(game).cloned()
    }

    /// Whether a user has agreed to an open challenge and waits for others.
    pub(super) fn has_accepted(&self, id: &ChallengeId, user: &UserName) -> bool {
        self.get(id).is_some_and(|open| has(&open.challenged.accepted, user))
    }

    /// A challenge that the user may turn down.
    pub(super) fn decline(
        &mut self,
        id: &ChallengeId,
        user: &UserName,
    ) -> Result<StoredChallenge, Denial> {
        self.challenged(id, user)?;
        self.remove(id).ok_or_else(|| not_found(id))
    }

    /// A challenge that the user may take back.
    pub(super) fn cancel(
        &mut self,
        id: &ChallengeId,
        user: &UserName,
    ) -> Result<StoredChallenge, Denial> {
        let open = self.get(id).ok_or_else(|| not_found(id))?;
        if !open.challenged.by.is_same(user.as_str()) {
            return Err(Denial::Forbidden("this challenge is not yours".to_owned()));
        }
        self.remove(id).ok_or_else(|| not_found(id))
    }

    pub(super) fn get(&self, id: &ChallengeId) -> Option<&StoredChallenge> {
        self.open.get(id).map(|open| &open.stored)
    }

    pub(super) fn remove(&mut self, id: &ChallengeId) -> Option<StoredChallenge> {
        let ChallengeEntry { stored, .. } = self.open.remove(id)?;
        self.index.remove(id, keys(&stored.challenged));
        if let Some(game) = &stored.challenged.rematch_of {
            self.by_rematch.remove(game);
        }
        Some(stored)
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
        let awaiting = self.concerning(user).filter(|open| !has(&open.challenged.accepted, user));
        let mut newest: Vec<_> = awaiting.take(limit).map(|open| open.id.clone()).collect();
        newest.reverse();
        newest
    }

    /// Removes the challenges that have expired.
    pub(super) fn take_expired(&mut self, now_ms: u64) -> Vec<StoredChallenge> {
        self.index.expired(now_ms).iter().filter_map(|id| self.remove(id)).collect()
    }

    /// The next time at which a challenge expires, in epoch milliseconds.
    pub(super) fn next_expiry(&self) -> Option<u64> {
        self.index.next_expiry()
    }

    /// The challenges that concern a user, the newest first.
    fn concerning(&self, user: &UserName) -> impl Iterator<Item = &StoredChallenge> {
        self.with(user).map(|open| &open.stored)
    }

    fn with(&self, user: &UserName) -> impl Iterator<Item = &ChallengeEntry> {
        self.index.of_user(user).filter_map(|(_, id)| self.open.get(id))
    }

    fn challenged(
        &mut self,
        id: &ChallengeId,
        user: &UserName,
    ) -> Result<&mut StoredChallenge, Denial> {
        let open = self.open.get_mut(id).ok_or_else(|| not_found(id))?;
        let open = &mut open.stored;
        if !has(&open.challenged.seats, user) {
            return Err(Denial::Forbidden("this challenge is not for you".to_owned()));
        }
        if open.challenged.by.is_same(user.as_str()) {
            return Err(Denial::Forbidden("this challenge is your own".to_owned()));
        }
        Ok(open)
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
