//! The requests that have become events. The map is rebuilt from the records, so that a request
//! that is sent again, even after a crash, gets the same response and is not carried out twice.

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

/// A request that has become an event.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AcceptedRequest {
    seq: u64,
    turn: Option<u32>,
    offer: Option<OfferId>,
    kind: RequestKind,
}

/// The parts of a request by which a repeated one is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestKind {
    /// By a fingerprint, since the move itself may have been taken back.
    Move {
        turn: u32,
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
    /// `None` in a repeated request matches any seat.
    Claim {
        seat: Option<u8>,
    },
}

impl RequestKind {
    /// Returns the kind of an action; `None` for a move that is not valid notation.
    fn of(action: &PlayerAction, table: &Table) -> Option<Self> {
        Some(match action {
            PlayerAction::Move { turn, notation } => {
                // Two spellings of one move are the same move.
                let mv = table.position().parse_move(notation).ok()?;
                Self::Move { turn: *turn, fingerprint: fingerprint(&mv) }
            }
            PlayerAction::Resign => Self::Resign,
            PlayerAction::Abort => Self::Abort,
            PlayerAction::Offer(what) => Self::Offer(*what),
            PlayerAction::Answer { offer, accept } => {
                Self::Answer { offer: *offer, accept: *accept }
            }
            PlayerAction::Withdraw(offer) => Self::Withdraw(*offer),
            PlayerAction::Claim { seat } => Self::Claim { seat: *seat },
        })
    }
}

/// The accepted requests of one game, by user, since users may change seats.
#[derive(Debug, Clone, Default)]
pub(super) struct AcceptedRequests {
    by_user: Vec<(Box<str>, RequestsById)>,
}

/// The accepted requests of one user, by id. Most ids are far shorter than the maximum.
type RequestsById = HashMap<Box<str>, AcceptedRequest>;

/// The result of looking up a request's id.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Lookup {
    /// The id is new.
    New,
    /// The request was carried out, with this response.
    Repeated(Box<Done>),
    /// The id was used for another request.
    IdReused,
}

impl AcceptedRequests {
    /// Records the request that caused an event. `table` is the game after it.
    pub(super) fn record(&mut self, req: &RequestId, seq: u64, event: &Event, table: &Table) {
        if let Some((seat, accepted)) = accepted_request(seq, event) {
            // After a swap the user sits in the next seat.
            let swapped = matches!(event.kind, EventKind::Swapped { .. });
            let seat = if swapped { seat.next(table.players().len()) } else { seat };
            self.requests_of(&table.players()[seat].user).insert(req.as_str().into(), accepted);
        }
    }

    fn requests_of(&mut self, user: &str) -> &mut RequestsById {
        let known = self.by_user.iter().position(|(known, _)| known.eq_ignore_ascii_case(user));
        let place = known.unwrap_or_else(|| {
            self.by_user.push((user.into(), RequestsById::default()));
            self.by_user.len() - 1
        });
        &mut self.by_user[place].1
    }

    /// Looks up a request.
    pub(super) fn look_up(
        &self,
        user: &str,
        req: &RequestId,
        action: &PlayerAction,
        table: &Table,
    ) -> Lookup {
        let requests = self.by_user.iter().find(|(known, _)| known.eq_ignore_ascii_case(user));
        let found = requests.and_then(|(_, requests)| requests.get(req.as_str()));
        let Some(accepted) = found else { return Lookup::New };
        if is_same(accepted, action, table) {
            let mut done = done(req.clone(), accepted);
            done.dup = true;
            Lookup::Repeated(Box::new(done))
        } else {
            Lookup::IdReused
        }
    }
}

/// Returns the response to a request that has become this event.
pub(super) fn reply(re: RequestId, seq: u64, event: &Event) -> Done {
    match accepted_request(seq, event) {
        Some((_, accepted)) => done(re, &accepted),
        None => Done::new(re),
    }
}

fn done(re: RequestId, accepted: &AcceptedRequest) -> Done {
    let mut done = Done::new(re);
    done.seq = Some(accepted.seq);
    done.turn = accepted.turn;
    done.offer = accepted.offer;
    done
}

fn is_same(accepted: &AcceptedRequest, action: &PlayerAction, table: &Table) -> bool {
    let Some(kind) = RequestKind::of(action, table) else { return false };
    let is_any_claim = kind == RequestKind::Claim { seat: None }
        && matches!(accepted.kind, RequestKind::Claim { .. });
    is_any_claim || kind == accepted.kind
}

/// Returns a 64-bit hash of a move's canonical notation.
fn fingerprint(canonical: &impl fmt::Display) -> u64 {
    /// Hashes text piece by piece.
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

/// Returns the request of an event and its seat; `None` for events without a request.
fn accepted_request(seq: u64, event: &Event) -> Option<(Seat, AcceptedRequest)> {
    let (seat, turn, offer, kind) = match &event.kind {
        EventKind::Moved { seat, turn, mv, .. } | EventKind::Swapped { seat, turn, mv, .. } => {
            // The event has the turn that follows the move.
            let kind =
                RequestKind::Move { turn: turn.saturating_sub(1), fingerprint: fingerprint(mv) };
            (*seat, Some(*turn), None, kind)
        }
        EventKind::Removed { seat, claimed_by: Some(by), turn, .. } => {
            (*by, Some(*turn), None, RequestKind::Claim { seat: Some(wire::seat_number(*seat)) })
        }
        EventKind::Ended { by: Some(seat), claimed_by: Some(by), .. }
        | EventKind::Aborted { by: seat, claimed_by: Some(by), .. } => {
            (*by, None, None, RequestKind::Claim { seat: Some(wire::seat_number(*seat)) })
        }
        EventKind::Removed { seat, turn, .. } => (*seat, Some(*turn), None, RequestKind::Resign),
        EventKind::Ended { by: Some(seat), .. } => (*seat, None, None, RequestKind::Resign),
        EventKind::Aborted { by, reason: AbortReason::ByPlayer, .. } => {
            (*by, None, None, RequestKind::Abort)
        }
        EventKind::Offered { offer, what, by, .. } => {
            let kind = RequestKind::Offer(wire::Mirror::to_wire(*what));
            (*by, None, Some(OfferId(offer.0)), kind)
        }
        EventKind::Agreed { offer, seat, .. } => {
            let offer = OfferId(offer.0);
            (*seat, None, Some(offer), RequestKind::Answer { offer, accept: true })
        }
        EventKind::OfferClosed { offer, outcome, by } => {
            let offer = OfferId(offer.0);
            let kind = match outcome {
                OfferOutcome::Accepted => RequestKind::Answer { offer, accept: true },
                OfferOutcome::Declined => RequestKind::Answer { offer, accept: false },
                OfferOutcome::Withdrawn => RequestKind::Withdraw(offer),
                OfferOutcome::Moved => return None,
            };
            (*by, None, Some(offer), kind)
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
    Some((seat, AcceptedRequest { seq, turn, offer, kind }))
}
