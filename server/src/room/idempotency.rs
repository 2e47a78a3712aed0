//! Which requests have become events: rebuilt from the records, so that a request that is sent
//! again after a crash gets the reply it would have had, and is not carried out twice.

use std::{
    collections::HashMap,
    fmt::{self, Write as _},
    hash::{DefaultHasher, Hasher as _},
};

use adamant_protocol::{OfferId, RequestId, event::OfferKind, to_client::Done};
use adamant_record::wire;
use adamant_rules::{
    Event, EventKind, Seat, Table,
    event::{AbortReason, OfferOutcome},
};

use super::command::Action;

/// What an accepted request became.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Remembered {
    seq: u64,
    turn: Option<u32>,
    offer: Option<OfferId>,
    what: What,
}

/// Enough of a request to tell whether another one is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// By a fingerprint of the notation: the move itself may have been taken back since.
    Move {
        fingerprint: u64,
    },
    Resign,
    Abort,
    Offer(OfferKind),
    Answer {
        offer: OfferId,
        accept: bool,
    },
    Withdraw(OfferId),
    Claim {
        seat: Seat,
    },
}

/// Accepted requests of one game, by the user who made them: two users may change seats.
#[derive(Debug, Clone, Default)]
pub(super) struct Requests {
    by_user: Vec<(Box<str>, Accepted)>,
}

/// Accepted requests of one user, by their ids. Most ids are far shorter than the longest.
type Accepted = HashMap<Box<str>, Remembered>;

/// What is known of a request's id.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Known {
    /// Nothing: it is new.
    New,
    /// It has been carried out; here is the reply.
    Before(Box<Done>),
    /// It was used for another request.
    Otherwise,
}

impl Requests {
    /// Remembers the request that caused an event. `table` is the game after it.
    pub(super) fn remember(&mut self, req: &RequestId, seq: u64, event: &Event, table: &Table) {
        if let Some((seat, remembered)) = remembered(seq, event) {
            // Whoever asked for a swap sits in the other seat by now.
            let swapped = matches!(event.kind, EventKind::Swapped { .. });
            let seat = if swapped { seat.next(table.players().len()) } else { seat };
            self.accepted_of(&table.players()[seat].user).insert(req.as_str().into(), remembered);
        }
    }

    fn accepted_of(&mut self, user: &str) -> &mut Accepted {
        let known = self.by_user.iter().position(|(known, _)| known.eq_ignore_ascii_case(user));
        let place = known.unwrap_or_else(|| {
            self.by_user.push((user.into(), Accepted::default()));
            self.by_user.len() - 1
        });
        &mut self.by_user[place].1
    }

    /// Looks an id up.
    pub(super) fn look_up(
        &self,
        user: &str,
        req: &RequestId,
        action: &Action,
        table: &Table,
    ) -> Known {
        let accepted = self.by_user.iter().find(|(known, _)| known.eq_ignore_ascii_case(user));
        let found = accepted.and_then(|(_, accepted)| accepted.get(req.as_str()));
        let Some(remembered) = found else { return Known::New };
        if is_same(remembered, action, table) {
            let mut done = done(req.clone(), remembered);
            done.dup = true;
            Known::Before(Box::new(done))
        } else {
            Known::Otherwise
        }
    }
}

/// The reply to a request that has just become this event.
pub(super) fn reply(re: RequestId, seq: u64, event: &Event) -> Done {
    match remembered(seq, event) {
        Some((_, remembered)) => done(re, &remembered),
        None => Done::new(re),
    }
}

fn done(re: RequestId, remembered: &Remembered) -> Done {
    let mut done = Done::new(re);
    done.seq = Some(remembered.seq);
    done.turn = remembered.turn;
    done.offer = remembered.offer;
    done
}

fn is_same(remembered: &Remembered, action: &Action, table: &Table) -> bool {
    match (remembered.what, action) {
        (What::Move { fingerprint: before }, Action::Move { turn, notation }) => {
            // A turn never comes again, so its move is this one, taken back or not. Two spellings
            // of one move are the same move.
            let same_turn = remembered.turn == turn.checked_add(1);
            let now = table.position().parse_move(notation).map(|play| fingerprint(&play));
            same_turn && now.is_ok_and(|now| now == before)
        }
        (What::Resign, Action::Resign) | (What::Abort, Action::Abort) => true,
        (What::Offer(before), Action::Offer(what)) => before == *what,
        (What::Answer { offer, accept }, Action::Answer { offer: now, accept: yes }) => {
            offer == *now && accept == *yes
        }
        (What::Withdraw(offer), Action::Withdraw(now)) => offer == *now,
        (What::Claim { seat }, Action::Claim { seat: named }) => {
            named.is_none_or(|named| named == wire::seat_number(seat))
        }
        (
            What::Move { .. }
            | What::Resign
            | What::Abort
            | What::Offer(_)
            | What::Answer { .. }
            | What::Withdraw(_)
            | What::Claim { .. },
            _,
        ) => false,
    }
}

/// A move in so many bits that two of them are not confused, without keeping its text.
fn fingerprint(canonical: &impl fmt::Display) -> u64 {
    /// Takes a text piece by piece.
    struct Pieces(DefaultHasher);
    impl fmt::Write for Pieces {
        fn write_str(&mut self, piece: &str) -> fmt::Result {
            self.0.write(piece.as_bytes());
            Ok(())
        }
    }
    let mut pieces = Pieces(DefaultHasher::new());
    write!(pieces, "{canonical}").expect("hashing does not fail");
    pieces.0.finish()
}

/// Who asked for an event, and what; `None` for those that nobody asks for.
fn remembered(seq: u64, event: &Event) -> Option<(Seat, Remembered)> {
    let (seat, turn, offer, what) = match &event.kind {
        EventKind::Moved { seat, turn, mv, .. } | EventKind::Swapped { seat, turn, mv, .. } => {
            let fingerprint = fingerprint(mv);
            (*seat, Some(*turn), None, What::Move { fingerprint })
        }
        EventKind::Removed { seat, claimed_by: Some(by), turn, .. } => {
            (*by, Some(*turn), None, What::Claim { seat: *seat })
        }
        EventKind::Ended { by: Some(seat), claimed_by: Some(by), .. } => {
            (*by, None, None, What::Claim { seat: *seat })
        }
        EventKind::Removed { seat, turn, .. } => (*seat, Some(*turn), None, What::Resign),
        EventKind::Ended { by: Some(seat), .. } => (*seat, None, None, What::Resign),
        EventKind::Aborted { by, reason: AbortReason::ByPlayer } => (*by, None, None, What::Abort),
        EventKind::Offered { offer, what, by, .. } => {
            let what = What::Offer(wire::Mirror::to_wire(*what));
            (*by, None, Some(OfferId(offer.0)), what)
        }
        EventKind::Agreed { offer, seat, .. } => {
            let offer = OfferId(offer.0);
            (*seat, None, Some(offer), What::Answer { offer, accept: true })
        }
        EventKind::OfferClosed { offer, outcome, by } => {
            let offer = OfferId(offer.0);
            let what = match outcome {
                OfferOutcome::Accepted => What::Answer { offer, accept: true },
                OfferOutcome::Declined => What::Answer { offer, accept: false },
                OfferOutcome::Withdrawn => What::Withdraw(offer),
                OfferOutcome::Moved => return None,
            };
            (*by, None, Some(offer), what)
        }
        EventKind::Created(_)
        | EventKind::Started { .. }
        | EventKind::Skipped { .. }
        | EventKind::TakenBack { .. }
        | EventKind::ClockAdjusted { .. }
        | EventKind::Aborted { reason: AbortReason::Agreed | AbortReason::NoShow, .. }
        | EventKind::Ended { by: None, .. }
        | EventKind::Rated { .. } => return None,
    };
    Some((seat, Remembered { seq, turn, offer, what }))
}
