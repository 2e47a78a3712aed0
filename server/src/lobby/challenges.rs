//! Open challenges. They are stored: who is challenged may come by days later.

use std::collections::BTreeMap;

use adamant_protocol::{
    ChallengeId, GameId, UserName,
    to_client::{Challenged, OpenChallenge},
    values::OptionsGiven,
};

use rand::RngExt as _;

use super::terms::Terms;
use crate::{
    error::Denial,
    limits::{CHALLENGE_LIFE, CHALLENGES_PER_USER_MAX},
    store::StoredChallenge,
};

/// Every open challenge.
#[derive(Debug, Default)]
pub(super) struct Challenges {
    open: BTreeMap<ChallengeId, StoredChallenge>,
}

/// What came of accepting a challenge.
#[derive(Debug)]
pub(super) enum Accepted {
    /// Others are still to answer; the challenge as it stands now.
    Waiting(StoredChallenge),
    /// All have agreed. The challenge is taken out, so that only one game can come of it; it
    /// stays stored until that game is.
    Full(StoredChallenge),
}

/// A challenge on these terms by one of those who would play.
pub(super) fn challenged(terms: &Terms, by: &UserName, seats: Vec<UserName>) -> Challenged {
    let number: u64 = rand::rng().random();
    Challenged {
        challenge: format!("h_{number:016x}").parse().expect("a short word"),
        by: by.clone(),
        rules: terms.rules(),
        options: terms.wire_options(),
        seats,
        shuffle: false,
        clock: terms.wire_clock(),
        rated: terms.rated,
        delay: terms.delay,
        accepted: vec![by.clone()],
        rematch_of: None,
    }
}

fn not_found(id: &ChallengeId) -> Denial {
    Denial::NotFound(format!("open challenge {id}"))
}

/// Whether the user is among the names.
pub(super) fn has(names: &[UserName], user: &UserName) -> bool {
    names.iter().any(|name| name.is_same(user.as_str()))
}

impl Challenges {
    pub(super) fn new(stored: Vec<StoredChallenge>) -> Self {
        Self { open: stored.into_iter().map(|open| (open.id.clone(), open)).collect() }
    }

    /// Adds a challenge, if its maker may have one more.
    pub(super) fn add(&mut self, challenge: StoredChallenge) -> Result<(), Denial> {
        let by = &challenge.challenged.by;
        let made =
            self.open.values().filter(|open| open.challenged.by.is_same(by.as_str())).count();
        if made >= CHALLENGES_PER_USER_MAX {
            let what = "open challenges a user";
            let max = CHALLENGES_PER_USER_MAX;
            return Err(Denial::LimitReached { limit: "challenges", what, max });
        }
        self.open.insert(challenge.id.clone(), challenge);
        Ok(())
    }

    /// Puts a challenge back of which no game could be made.
    pub(super) fn restore(&mut self, challenge: StoredChallenge) {
        self.open.insert(challenge.id.clone(), challenge);
    }

    /// Notes that a challenged user agrees.
    pub(super) fn accept(
        &mut self,
        id: &ChallengeId,
        user: &UserName,
        bot: bool,
    ) -> Result<Accepted, Denial> {
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
        let open = open.clone();
        if waiting {
            return Ok(Accepted::Waiting(open));
        }
        self.open.remove(id);
        Ok(Accepted::Full(open))
    }

    /// The open challenge to play a game once more.
    pub(super) fn rematch_of(&self, game: &GameId) -> Option<ChallengeId> {
        let mut open = self.open.values();
        open.find(|open| open.challenged.rematch_of.as_ref() == Some(game))
            .map(|open| open.id.clone())
    }

    /// Whether a user has agreed to an open challenge and waits for others.
    pub(super) fn has_accepted(&self, id: &ChallengeId, user: &UserName) -> bool {
        self.open.get(id).is_some_and(|open| has(&open.challenged.accepted, user))
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
        let open = self.open.get(id).ok_or_else(|| not_found(id))?;
        if !open.challenged.by.is_same(user.as_str()) {
            return Err(Denial::Forbidden("this challenge is not yours".to_owned()));
        }
        self.remove(id).ok_or_else(|| not_found(id))
    }

    pub(super) fn get(&self, id: &ChallengeId) -> Option<&StoredChallenge> {
        self.open.get(id)
    }

    pub(super) fn remove(&mut self, id: &ChallengeId) -> Option<StoredChallenge> {
        self.open.remove(id)
    }

    /// The open challenges that concern a user, as `welcome` lists them.
    pub(super) fn of(&self, user: &UserName) -> Vec<OpenChallenge> {
        self.concerning(user)
            .map(|open| OpenChallenge {
                challenge: open.id.clone(),
                by: open.challenged.by.clone(),
            })
            .collect()
    }

    /// The open challenges that a user has yet to answer.
    pub(super) fn awaiting(&self, user: &UserName) -> Vec<Challenged> {
        self.concerning(user)
            .filter(|open| !has(&open.challenged.accepted, user))
            .map(|open| open.challenged.clone())
            .collect()
    }

    /// Takes away the challenges that nobody has answered in time.
    pub(super) fn take_expired(&mut self, now_ms: u64) -> Vec<StoredChallenge> {
        let life_ms = u64::try_from(CHALLENGE_LIFE.as_millis()).unwrap_or(u64::MAX);
        let expired: Vec<ChallengeId> = self
            .open
            .values()
            .filter(|open| open.created_at.saturating_add(life_ms) <= now_ms)
            .map(|open| open.id.clone())
            .collect();
        expired.iter().filter_map(|id| self.open.remove(id)).collect()
    }

    fn concerning(&self, user: &UserName) -> impl Iterator<Item = &StoredChallenge> {
        self.open.values().filter(move |open| has(&open.challenged.seats, user))
    }

    fn challenged(
        &mut self,
        id: &ChallengeId,
        user: &UserName,
    ) -> Result<&mut StoredChallenge, Denial> {
        let open = self.open.get_mut(id).ok_or_else(|| not_found(id))?;
        if !has(&open.challenged.seats, user) {
            return Err(Denial::Forbidden("this challenge is not for you".to_owned()));
        }
        if open.challenged.by.is_same(user.as_str()) {
            return Err(Denial::Forbidden("this challenge is your own".to_owned()));
        }
        Ok(open)
    }
}

/// The terms of a stored challenge.
pub(super) fn terms(challenged: &Challenged) -> Result<Terms, Denial> {
    Terms::read(
        &challenged.rules,
        &OptionsGiven::Named(challenged.options.clone()),
        challenged.clock,
        challenged.rated,
        challenged.delay,
        challenged.seats.len(),
    )
}
