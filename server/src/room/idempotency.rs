//! The requests that have become events. The map is rebuilt from the records, so that a request
//! that is sent again, even after a crash, gets the same response and is not carried out twice.

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::hash::{DefaultHasher, Hasher as _};

use adamant_protocol::{OfferId, RequestId, to_client::Done};
use adamant_record::wire;
use adamant_rules::event::{AbortReason, OfferOutcome};
use adamant_rules::{Event, EventKind, Seat, Table};

use crate::room::PlayerAction;

/// A 64-bit hash of a move's canonical notation. A repeated move is recognised by it, since the
/// move itself may have been taken back.
type Fingerprint = u64;

/// A request that has become an event.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AcceptedRequest {
    seq: u64,
    turn: Option<u32>,
    offer: Option<OfferId>,
    action: PlayerAction<Fingerprint>,
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
    // Two spellings of one move are the same move.
    let fingerprint =
        |notation: &str| Some(fingerprint(&table.position().parse_move(notation).ok()?));
    match (action.with_move(|notation| fingerprint(notation)), accepted.action) {
        // Without a seat any claim is the same.
        (Some(PlayerAction::Claim { seat: None }), PlayerAction::Claim { .. }) => true,
        (known, accepted) => known == Some(accepted),
    }
}

fn fingerprint(canonical: &impl fmt::Display) -> Fingerprint {
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
    let (seat, turn, offer, action) = match &event.kind {
        EventKind::Moved { seat, turn, mv, .. } | EventKind::Swapped { seat, turn, mv, .. } => {
            // The event has the turn that follows the move.
            let action = PlayerAction::Move { turn: turn.saturating_sub(1), mv: fingerprint(mv) };
            (*seat, Some(*turn), None, action)
        }
        EventKind::Removed { seat, claimed_by: Some(by), turn, .. } => {
            (*by, Some(*turn), None, PlayerAction::Claim { seat: Some(wire::seat_number(*seat)) })
        }
        EventKind::Ended { by: Some(seat), claimed_by: Some(by), .. }
        | EventKind::Aborted { by: seat, claimed_by: Some(by), .. } => {
            (*by, None, None, PlayerAction::Claim { seat: Some(wire::seat_number(*seat)) })
        }
        EventKind::Removed { seat, turn, .. } => (*seat, Some(*turn), None, PlayerAction::Resign),
        EventKind::Ended { by: Some(seat), .. } => (*seat, None, None, PlayerAction::Resign),
        EventKind::Aborted { by, reason: AbortReason::ByPlayer, .. } => {
            (*by, None, None, PlayerAction::Abort)
        }
        EventKind::Offered { offer, what, by, .. } => {
            let action = PlayerAction::Offer(wire::Mirror::to_wire(*what));
            (*by, None, Some(OfferId(offer.0)), action)
        }
        EventKind::Agreed { offer, seat, .. } => {
            let offer = OfferId(offer.0);
            (*seat, None, Some(offer), PlayerAction::Answer { offer, accept: true })
        }
        EventKind::OfferClosed { offer, outcome, by } => {
            let offer = OfferId(offer.0);
            let action = match outcome {
                OfferOutcome::Accepted => PlayerAction::Answer { offer, accept: true },
                OfferOutcome::Declined => PlayerAction::Answer { offer, accept: false },
                OfferOutcome::Withdrawn => PlayerAction::Withdraw(offer),
                OfferOutcome::Moved => return None,
            };
            (*by, None, Some(offer), action)
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
    Some((seat, AcceptedRequest { seq, turn, offer, action }))
}
