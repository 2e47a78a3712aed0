//! Open seeks. A seek lives as long as the session that made it.

use std::{collections::BTreeMap, sync::Arc};

use adamant_protocol::{
    SeekId, UserName,
    from_client::{Allow, SeatWish, Seek},
    to_client::{LobbyChange, SeekEntry},
};
use adamant_rules::Player;

use super::{pairing, terms::Terms};
use crate::{
    caller::{Caller, SessionId},
    error::Denial,
    limits::SEEKS_PER_SESSION_MAX,
};

/// One seek and who has joined it, the seeker first.
#[derive(Debug)]
struct OpenSeek {
    terms: Terms,
    players: usize,
    allow: Allow,
    joined: Vec<(Arc<Caller>, SeatWish)>,
}

/// Every open seek, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Seeks {
    open: BTreeMap<u64, OpenSeek>,
    last_number: u64,
}

/// What came of seeking, or of joining a seek.
#[derive(Debug)]
pub(super) enum Joined {
    /// Others are still missing.
    Waiting(SeekEntry),
    /// All are there, in their seats.
    Full { seek: SeekId, terms: Terms, seated: Vec<Arc<Caller>> },
}

fn id_of(number: u64) -> SeekId {
    format!("k_{number}").parse().expect("a short word")
}

fn number_of(id: &SeekId) -> Option<u64> {
    id.as_str().strip_prefix("k_")?.parse().ok()
}

/// A session's user; seeks are only made and joined by those who have one.
fn user(caller: &Caller) -> Result<&UserName, Denial> {
    caller.user.as_ref().ok_or_else(|| Denial::Forbidden("say who you are to play".to_owned()))
}

fn not_found(id: &SeekId) -> Denial {
    Denial::NotFound(format!("open seek {id}"))
}

fn admits(allow: Allow, caller: &Caller) -> Result<(), Denial> {
    if caller.bot && !allow.bots {
        return Err(Denial::Forbidden("this seek is not for programs".to_owned()));
    }
    if caller.guest && !allow.guests {
        return Err(Denial::Forbidden("this seek is not for guests".to_owned()));
    }
    Ok(())
}

impl OpenSeek {
    fn seeker(&self) -> &Arc<Caller> {
        &self.joined[0].0
    }

    fn callers(&self) -> impl Iterator<Item = &Arc<Caller>> {
        self.joined.iter().map(|(caller, _)| caller)
    }

    fn has(&self, user: &UserName) -> bool {
        self.callers()
            .filter_map(|caller| caller.user.as_ref())
            .any(|other| other.is_same(user.as_str()))
    }

    /// Whether somebody who seeks the same may simply join.
    fn suits(&self, caller: &Caller, user: &UserName, terms: &Terms, seek: &Seek) -> bool {
        let wishes = self.joined.iter().map(|(_, wish)| *wish).chain([seek.seat]);
        self.terms == *terms
            && self.players == usize::from(seek.players)
            && !self.has(user)
            && admits(self.allow, caller).is_ok()
            && self.callers().all(|other| admits(seek.allow, other).is_ok())
            && pairing::wishes_agree(wishes)
    }

    fn entry(&self, number: u64) -> SeekEntry {
        let seeker = self.seeker();
        SeekEntry {
            seek: id_of(number),
            by: seeker.user.clone().expect("seekers have a name"),
            bot: seeker.bot,
            guest: seeker.guest,
            rules: self.terms.rules(),
            options: self.terms.wire_options(),
            players: u8::try_from(self.players).expect("few players"),
            seat: self.joined[0].1,
            clock: self.terms.wire_clock(),
            rated: self.terms.rated,
            delay: self.terms.delay,
            allow: self.allow,
            joined: self.callers().filter_map(|caller| caller.user.clone()).collect(),
        }
    }
}

impl Seeks {
    /// Opens a seek, or joins the oldest one that seeks the same.
    pub(super) fn open(&mut self, caller: &Arc<Caller>, seek: &Seek) -> Result<Joined, Denial> {
        let user = user(caller)?;
        let players = usize::from(seek.players);
        let terms =
            Terms::read(&seek.rules, &seek.options, seek.clock, seek.rated, seek.delay, players)?;
        if let SeatWish::Seat(seat) = seek.seat
            && usize::from(seat) >= players
        {
            let message = format!("seats are numbered from 0 to {}", players - 1);
            return Err(Denial::BadMessage(message));
        }
        let same = self.open.iter().find(|(_, open)| open.suits(caller, user, &terms, seek));
        if let Some((&number, _)) = same {
            return Ok(self.add(number, caller, seek.seat));
        }
        let mine = |open: &&OpenSeek| open.seeker().session == caller.session;
        if self.open.values().filter(mine).count() >= SEEKS_PER_SESSION_MAX {
            let what = "open seeks a session";
            return Err(Denial::LimitReached { limit: "seeks", what, max: SEEKS_PER_SESSION_MAX });
        }
        self.last_number += 1;
        let joined = vec![(Arc::clone(caller), seek.seat)];
        let open = OpenSeek { terms, players, allow: seek.allow, joined };
        let entry = open.entry(self.last_number);
        self.open.insert(self.last_number, open);
        Ok(Joined::Waiting(entry))
    }

    /// Closes one's own seek, or leaves one that was joined: then it stays open, as told.
    pub(super) fn close(
        &mut self,
        caller: &Caller,
        id: &SeekId,
    ) -> Result<Option<SeekEntry>, Denial> {
        let user = user(caller)?;
        let number = number_of(id).ok_or_else(|| not_found(id))?;
        let open = self.open.get_mut(&number).ok_or_else(|| not_found(id))?;
        if !open.has(user) {
            return Err(Denial::Forbidden("this seek is not yours".to_owned()));
        }
        if open.seeker().user.as_ref().is_some_and(|seeker| seeker.is_same(user.as_str())) {
            self.open.remove(&number);
            return Ok(None);
        }
        let is_me = |other: &UserName| other.is_same(user.as_str());
        open.joined.retain(|(other, _)| !other.user.as_ref().is_some_and(is_me));
        Ok(Some(open.entry(number)))
    }

    /// Joins a seek.
    pub(super) fn join(&mut self, caller: &Arc<Caller>, id: &SeekId) -> Result<Joined, Denial> {
        let name = user(caller)?;
        let number = number_of(id).ok_or_else(|| not_found(id))?;
        let open = self.open.get(&number).ok_or_else(|| not_found(id))?;
        if open.has(name) {
            return Err(Denial::Forbidden("you have joined this seek already".to_owned()));
        }
        admits(open.allow, caller)?;
        Ok(self.add(number, caller, SeatWish::Random))
    }

    fn add(&mut self, number: u64, caller: &Arc<Caller>, wish: SeatWish) -> Joined {
        let open = self.open.get_mut(&number).expect("it has just been found");
        open.joined.push((Arc::clone(caller), wish));
        if open.joined.len() < open.players {
            return Joined::Waiting(open.entry(number));
        }
        let full = self.open.remove(&number).expect("it has just been found");
        let seated = pairing::seat_by_wish(full.joined, &mut rand::rng());
        Joined::Full { seek: id_of(number), terms: full.terms, seated }
    }

    /// Every open seek.
    pub(super) fn list(&self) -> Vec<SeekEntry> {
        self.open.iter().map(|(&number, open)| open.entry(number)).collect()
    }

    /// Forgets a session: its own seeks close, and it leaves those that it had joined.
    pub(super) fn forget(&mut self, session: SessionId) -> Option<LobbyChange> {
        let mut change = LobbyChange { re: None, add: Vec::new(), remove: Vec::new() };
        self.open.retain(|&number, open| {
            let own = open.seeker().session == session;
            if own {
                change.remove.push(id_of(number));
            }
            !own
        });
        for (&number, open) in &mut self.open {
            let before = open.joined.len();
            open.joined.retain(|(caller, _)| caller.session != session);
            if open.joined.len() < before {
                change.add.push(open.entry(number));
            }
        }
        (!change.add.is_empty() || !change.remove.is_empty()).then_some(change)
    }
}

/// A session's user as a player.
pub(super) fn player(caller: &Caller) -> Player {
    Player {
        user: caller.user.as_ref().map_or("", UserName::as_str).into(),
        bot: caller.bot,
        guest: caller.guest,
        rating: None,
    }
}
