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
    wish: SeatWish,
    allow: Allow,
    joined: Vec<Arc<Caller>>,
}

/// Every open seek, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Seeks {
    open: BTreeMap<u64, OpenSeek>,
    last_number: u64,
}

/// What came of joining a seek.
#[derive(Debug)]
pub(super) enum Joined {
    /// Others are still missing.
    Waiting(SeekEntry),
    /// All are there, in their seats.
    Full { terms: Terms, seated: Vec<Arc<Caller>> },
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

impl OpenSeek {
    fn entry(&self, number: u64) -> SeekEntry {
        let seeker = &self.joined[0];
        let name = |caller: &Arc<Caller>| caller.user.clone();
        SeekEntry {
            seek: id_of(number),
            by: seeker.user.clone().expect("seekers have a name"),
            bot: seeker.bot,
            guest: seeker.guest,
            rules: self.terms.rules(),
            options: self.terms.wire_options(),
            players: u8::try_from(self.players).expect("few players"),
            seat: self.wish,
            clock: self.terms.wire_clock(),
            rated: self.terms.rated,
            allow: self.allow,
            joined: self.joined.iter().filter_map(name).collect(),
        }
    }
}

impl Seeks {
    /// Opens a seek.
    pub(super) fn open(&mut self, caller: &Arc<Caller>, seek: &Seek) -> Result<SeekEntry, Denial> {
        user(caller)?;
        let players = usize::from(seek.players);
        let terms = Terms::read(&seek.rules, &seek.options, seek.clock, seek.rated, players)?;
        if let SeatWish::Seat(seat) = seek.seat
            && usize::from(seat) >= players
        {
            let message = format!("seats are numbered from 0 to {}", players - 1);
            return Err(Denial::BadMessage(message));
        }
        let mine = |open: &&OpenSeek| open.joined[0].session == caller.session;
        if self.open.values().filter(mine).count() >= SEEKS_PER_SESSION_MAX {
            let what = "open seeks a session";
            return Err(Denial::LimitReached { limit: "seeks", what, max: SEEKS_PER_SESSION_MAX });
        }
        self.last_number += 1;
        let open = OpenSeek {
            terms,
            players,
            wish: seek.seat,
            allow: seek.allow,
            joined: vec![Arc::clone(caller)],
        };
        let entry = open.entry(self.last_number);
        self.open.insert(self.last_number, open);
        Ok(entry)
    }

    /// Closes one's own seek.
    pub(super) fn close(&mut self, caller: &Caller, id: &SeekId) -> Result<(), Denial> {
        let number = number_of(id).ok_or_else(|| not_found(id))?;
        let open = self.open.get(&number).ok_or_else(|| not_found(id))?;
        if open.joined[0].user != caller.user {
            return Err(Denial::Forbidden("this seek is not yours".to_owned()));
        }
        self.open.remove(&number);
        Ok(())
    }

    /// Joins a seek.
    pub(super) fn join(&mut self, caller: &Arc<Caller>, id: &SeekId) -> Result<Joined, Denial> {
        let name = user(caller)?;
        let number = number_of(id).ok_or_else(|| not_found(id))?;
        let open = self.open.get_mut(&number).ok_or_else(|| not_found(id))?;
        let refuse = |why: &str| Err(Denial::Forbidden(why.to_owned()));
        if open
            .joined
            .iter()
            .any(|other| other.user.as_ref().is_some_and(|other| other.is_same(name.as_str())))
        {
            return refuse("you have joined this seek already");
        }
        if caller.bot && !open.allow.bots {
            return refuse("this seek is not for programs");
        }
        if caller.guest && !open.allow.guests {
            return refuse("this seek is not for guests");
        }
        open.joined.push(Arc::clone(caller));
        if open.joined.len() < open.players {
            return Ok(Joined::Waiting(open.entry(number)));
        }
        let full = self.open.remove(&number).expect("it was there a line ago");
        let seated = pairing::seat_by_wish(full.joined, full.wish, &mut rand::rng());
        Ok(Joined::Full { terms: full.terms, seated })
    }

    /// Every open seek.
    pub(super) fn list(&self) -> Vec<SeekEntry> {
        self.open.iter().map(|(&number, open)| open.entry(number)).collect()
    }

    /// Forgets a session: its own seeks close, and it leaves those that it had joined.
    pub(super) fn forget(&mut self, session: SessionId) -> Option<LobbyChange> {
        let mut change = LobbyChange { re: None, add: Vec::new(), remove: Vec::new() };
        self.open.retain(|&number, open| {
            let own = open.joined[0].session == session;
            if own {
                change.remove.push(id_of(number));
            }
            !own
        });
        for (&number, open) in &mut self.open {
            let before = open.joined.len();
            open.joined.retain(|caller| caller.session != session);
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
