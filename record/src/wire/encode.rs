//! Events of the rules as the wire tells them.

use adamant_protocol::{EventBody, event as wire};
use adamant_rules::{BySeat, EventKind, Position};

use super::{
    mirror::Mirror as _,
    values::{captures, notation, options, position, rules, seat_number, seat_numbers, seats},
};

/// An event in the wire's words. `names` may be any position of the game.
#[expect(clippy::too_many_lines, reason = "one match, with an arm for each kind of event")]
pub fn to_wire(kind: &EventKind, names: &Position) -> EventBody {
    match kind {
        EventKind::Created(setup) => EventBody::Created(wire::Created {
            rules: rules(setup.kind),
            options: options(&setup.options),
            seats: seats(&setup.seats, names),
            clock: setup.clock.to_wire(),
            rated: setup.rated,
            delay: setup.delay,
            unlisted: setup.unlisted,
        }),
        EventKind::Started { to_move } => {
            EventBody::Started(wire::Started { to_move: seat_number(*to_move) })
        }
        EventKind::Moved {
            seat,
            turn,
            ply,
            mv,
            captures: taken,
            to_move,
            spent_ms,
            lag_ms,
            left_ms,
        } => EventBody::Moved(wire::Moved {
            seat: seat_number(*seat),
            turn: *turn,
            ply: *ply,
            notation: notation(mv),
            captures: captures(taken, names),
            to_move: Some(seat_number(*to_move)),
            spent_ms: *spent_ms,
            lag_ms: *lag_ms,
            left_ms: left_numbers(left_ms.as_ref()),
        }),
        EventKind::Swapped {
            seat,
            turn,
            ply,
            mv: _,
            seats: players,
            to_move,
            spent_ms,
            lag_ms,
            left_ms,
        } => EventBody::Swapped(wire::Swapped {
            seat: seat_number(*seat),
            turn: *turn,
            ply: *ply,
            seats: seats(players, names),
            to_move: Some(seat_number(*to_move)),
            spent_ms: *spent_ms,
            lag_ms: *lag_ms,
            left_ms: left_numbers(left_ms.as_ref()),
        }),
        EventKind::Skipped { seat, turn, ply, to_move } => EventBody::Skipped(wire::Skipped {
            seat: seat_number(*seat),
            turn: *turn,
            ply: *ply,
            to_move: Some(seat_number(*to_move)),
        }),
        EventKind::Removed { seat, turn, reason, claimed_by, to_move } => {
            EventBody::Removed(wire::Removed {
                seat: seat_number(*seat),
                turn: *turn,
                reason: reason.to_wire(),
                claimed_by: claimed_by.map(seat_number),
                to_move: Some(seat_number(*to_move)),
            })
        }
        EventKind::Offered { offer, what, by, needs } => EventBody::Offered(wire::Offered {
            offer: adamant_protocol::OfferId(offer.0),
            what: what.to_wire(),
            by: seat_number(*by),
            needs: seat_numbers(*needs),
        }),
        EventKind::Agreed { offer, seat, needs } => EventBody::Agreed(wire::Agreed {
            offer: adamant_protocol::OfferId(offer.0),
            seat: seat_number(*seat),
            needs: seat_numbers(*needs),
        }),
        EventKind::OfferClosed { offer, outcome, by } => {
            EventBody::OfferClosed(wire::OfferClosed {
                offer: adamant_protocol::OfferId(offer.0),
                outcome: outcome.to_wire(),
                by: seat_number(*by),
            })
        }
        EventKind::TakenBack { turn, ply, position: back, left_ms, to_move } => {
            EventBody::TakenBack(wire::TakenBack {
                turn: *turn,
                ply: *ply,
                position: position(back),
                left_ms: left_numbers(left_ms.as_ref()),
                to_move: seat_number(*to_move),
            })
        }
        EventKind::ClockAdjusted { seat, by_ms, reason } => {
            EventBody::ClockAdjusted(wire::ClockAdjusted {
                seat: seat_number(*seat),
                by_ms: *by_ms,
                reason: reason.to_wire(),
            })
        }
        EventKind::Aborted { by, reason, claimed_by } => EventBody::Aborted(wire::Aborted {
            by: seat_number(*by),
            reason: reason.to_wire(),
            claimed_by: claimed_by.map(seat_number),
        }),
        EventKind::Ended { winners, places, reason, by, claimed_by } => {
            EventBody::Ended(wire::Ended {
                winners: seat_numbers(*winners),
                places: places.iter().copied().collect(),
                reason: reason.to_wire(),
                by: by.map(seat_number),
                claimed_by: claimed_by.map(seat_number),
            })
        }
        EventKind::Rated { before, after } => EventBody::Rated(wire::Rated {
            before: before.iter().copied().collect(),
            after: after.iter().copied().collect(),
        }),
    }
}

fn left_numbers(left_ms: Option<&BySeat<u64>>) -> Option<Vec<u64>> {
    left_ms.map(|left| left.iter().copied().collect())
}
