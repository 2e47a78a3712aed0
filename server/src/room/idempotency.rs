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

use super::command::PlayerAction;

/// What an accepted request became.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AcceptedRequest {
    seq: u64,
    turn: Option<u32>,
    offer: Option<OfferId>,
    what: RequestKind,
}

/// Enough of a request to tell whether another one is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestKind {
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
pub(super) struct AcceptedRequests {
    by_user: Vec<(Box<str>, RequestsById)>,
}

/// Accepted requests of one user, by their ids. Most ids are far shorter than the longest.
type RequestsById = HashMap<Box<str>, AcceptedRequest>;

/// What is known of a request's id.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Lookup {
    /// Nothing: it is new.
    New,
    /// It has been carried out; here is the reply.
    Repeated(Box<Done>),
    /// It was used for another request.
    IdReused,
}

impl AcceptedRequests {
    /// Remembers the request that caused an event. `table` is the game after it.
    pub(super) fn remember(&mut self, req: &RequestId, seq: u64, event: &Event, table: &Table) {
        if let Some((seat, remembered)) = remembered(seq, event) {
            // Whoever asked for a swap sits in the other seat by now.
            let swapped = matches!(event.kind, EventKind::Swapped { .. });
            let seat = if swapped { seat.next(table.players().len()) } else { seat };
            self.accepted_of(&table.players()[seat].user).insert(req.as_str().into(), remembered);
        }
    }

    fn accepted_of(&mut self, user: &str) -> &mut RequestsById {
        let known = self.by_user.iter().position(|(known, _)| known.eq_ignore_ascii_case(user));
        let place = known.unwrap_or_else(|| {
            self.by_user.push((user.into(), RequestsById::default()));
            self.by_user.len() - 1
        });
        &mut self.by_user[place].1
    }

    /// Looks an id up.
    pub(super) fn look_up(
        &self,
        user: &str,
        req: &RequestId,
        action: &PlayerAction,
        table: &Table,
    ) -> Lookup {
        let accepted = self.by_user.iter().find(|(known, _)| known.eq_ignore_ascii_case(user));
        let found = accepted.and_then(|(_, accepted)| accepted.get(req.as_str()));
        let Some(remembered) = found else { return Lookup::New };
        if is_same(remembered, action, table) {
            let mut done = done(req.clone(), remembered);
            done.dup = true;
            Lookup::Repeated(Box::new(done))
        } else {
            Lookup::IdReused
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

fn done(re: RequestId, remembered: &AcceptedRequest) -> Done {
    let mut done = Done::new(re);
    done.seq = Some(remembered.seq);
    done.turn = remembered.turn;
    done.offer = remembered.offer;
    done
}

fn is_same(remembered: &AcceptedRequest, action: &PlayerAction, table: &Table) -> bool {
    match (remembered.what, action) {
        (RequestKind::Move { fingerprint: before }, PlayerAction::Move { turn, notation }) => {
            // A turn never comes again, so its move is this one, taken back or not. Two spellings
            // of one move are the same move.
            let same_turn = remembered.turn == turn.checked_add(1);
            let now = table.position().parse_move(notation).map(|play| fingerprint(&play));
            same_turn && now.is_ok_and(|now| now == before)
        }
        (RequestKind::Resign, PlayerAction::Resign) | (RequestKind::Abort, PlayerAction::Abort) => {
            true
        }
        (RequestKind::Offer(before), PlayerAction::Offer(what)) => before == *what,
        (
            RequestKind::Answer { offer, accept },
            PlayerAction::Answer { offer: now, accept: yes },
        ) => offer == *now && accept == *yes,
        (RequestKind::Withdraw(offer), PlayerAction::Withdraw(now)) => offer == *now,
        (RequestKind::Claim { seat }, PlayerAction::Claim { seat: named }) => {
            named.is_none_or(|named| named == wire::seat_number(seat))
        }
        (
            RequestKind::Move { .. }
            | RequestKind::Resign
            | RequestKind::Abort
            | RequestKind::Offer(_)
            | RequestKind::Answer { .. }
            | RequestKind::Withdraw(_)
            | RequestKind::Claim { .. },
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
fn remembered(seq: u64, event: &Event) -> Option<(Seat, AcceptedRequest)> {
    let (seat, turn, offer, what) = match &event.kind {
        EventKind::Moved { seat, turn, mv, .. } | EventKind::Swapped { seat, turn, mv, .. } => {
            let fingerprint = fingerprint(mv);
            (*seat, Some(*turn), None, RequestKind::Move { fingerprint })
        }
        EventKind::Removed { seat, claimed_by: Some(by), turn, .. } => {
            (*by, Some(*turn), None, RequestKind::Claim { seat: *seat })
        }
        EventKind::Ended { by: Some(seat), claimed_by: Some(by), .. } => {
            (*by, None, None, RequestKind::Claim { seat: *seat })
        }
        EventKind::Removed { seat, turn, .. } => (*seat, Some(*turn), None, RequestKind::Resign),
        EventKind::Ended { by: Some(seat), .. } => (*seat, None, None, RequestKind::Resign),
        EventKind::Aborted { by, reason: AbortReason::ByPlayer } => {
            (*by, None, None, RequestKind::Abort)
        }
        EventKind::Offered { offer, what, by, .. } => {
            let what = RequestKind::Offer(wire::Mirror::to_wire(*what));
            (*by, None, Some(OfferId(offer.0)), what)
        }
        EventKind::Agreed { offer, seat, .. } => {
            let offer = OfferId(offer.0);
            (*seat, None, Some(offer), RequestKind::Answer { offer, accept: true })
        }
        EventKind::OfferClosed { offer, outcome, by } => {
            let offer = OfferId(offer.0);
            let what = match outcome {
                OfferOutcome::Accepted => RequestKind::Answer { offer, accept: true },
                OfferOutcome::Declined => RequestKind::Answer { offer, accept: false },
                OfferOutcome::Withdrawn => RequestKind::Withdraw(offer),
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
    Some((seat, AcceptedRequest { seq, turn, offer, what }))
}
