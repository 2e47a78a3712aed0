//! Events of the rules as the wire tells them.

use adamant_protocol::{
    EventBody, EventFrame, GameId, OfferId, RequestId, event as wire,
    fast_path::{CaptureWriter, MovedRecord},
    ids::PositionHash,
};
use adamant_rules::{BySeat, Capture, Event, EventKind, Position, Setup, notation::Notation as _};

use super::{
    mirror::Mirror as _,
    values::{captures, notation, options, position, rules, seat_number, seat_numbers, seats},
};

/// An event in the wire's words. `names` may be any position of the game.
pub fn to_wire(kind: &EventKind, names: &Position) -> EventBody {
    match kind {
        EventKind::Created(setup) => EventBody::Created(created(setup, names)),
        EventKind::Started { to_move } => {
            EventBody::Started(wire::Started::new(seat_number(*to_move)))
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
        } => {
            let (seat, to_move) = (seat_number(*seat), Some(seat_number(*to_move)));
            let (mv, taken) = (notation(mv), captures(taken, names));
            let mut moved =
                wire::Moved::new(seat, *turn, *ply, mv, taken, to_move, *spent_ms, *lag_ms);
            moved.left_ms = left_numbers(left_ms.as_ref());
            EventBody::Moved(moved)
        }
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
        } => {
            let (seat, to_move) = (seat_number(*seat), Some(seat_number(*to_move)));
            let players = seats(players, names);
            let mut swapped = wire::Swapped::new(seat, *turn, *ply, players, to_move, *spent_ms);
            swapped.lag_ms = *lag_ms;
            swapped.left_ms = left_numbers(left_ms.as_ref());
            EventBody::Swapped(swapped)
        }
        EventKind::Skipped { seat, turn, ply, to_move } => EventBody::Skipped(wire::Skipped::new(
            seat_number(*seat),
            *turn,
            *ply,
            Some(seat_number(*to_move)),
        )),
        EventKind::Removed { seat, turn, reason, claimed_by, to_move } => {
            let (seat, to_move) = (seat_number(*seat), Some(seat_number(*to_move)));
            let mut removed = wire::Removed::new(seat, *turn, reason.to_wire(), to_move);
            removed.claimed_by = claimed_by.map(seat_number);
            EventBody::Removed(removed)
        }
        EventKind::Offered { offer, what, by, needs } => EventBody::Offered(wire::Offered::new(
            OfferId(offer.0),
            what.to_wire(),
            seat_number(*by),
            seat_numbers(*needs),
        )),
        EventKind::Agreed { offer, seat, needs } => {
            let (seat, needs) = (seat_number(*seat), seat_numbers(*needs));
            EventBody::Agreed(wire::Agreed::new(OfferId(offer.0), seat, needs))
        }
        EventKind::OfferClosed { offer, outcome, by } => {
            let (offer, by) = (OfferId(offer.0), seat_number(*by));
            EventBody::OfferClosed(wire::OfferClosed::new(offer, outcome.to_wire(), by))
        }
        EventKind::TakenBack { turn, ply, position: back, left_ms, to_move } => {
            let to_move = seat_number(*to_move);
            let mut taken_back = wire::TakenBack::new(*turn, *ply, position(back), to_move);
            taken_back.left_ms = left_numbers(left_ms.as_ref());
            EventBody::TakenBack(taken_back)
        }
        EventKind::ClockAdjusted { seat, by_ms, reason } => {
            let (seat, reason) = (seat_number(*seat), reason.to_wire());
            EventBody::ClockAdjusted(wire::ClockAdjusted::new(seat, *by_ms, reason))
        }
        EventKind::Aborted { by, reason, claimed_by } => {
            let mut aborted = wire::Aborted::new(seat_number(*by), reason.to_wire());
            aborted.claimed_by = claimed_by.map(seat_number);
            EventBody::Aborted(aborted)
        }
        EventKind::Ended { winners, places, reason, by, claimed_by } => {
            let places = places.iter().copied().collect();
            let mut ended = wire::Ended::new(seat_numbers(*winners), places, reason.to_wire());
            ended.by = by.map(seat_number);
            ended.claimed_by = claimed_by.map(seat_number);
            EventBody::Ended(ended)
        }
        EventKind::Rated { before, after } => EventBody::Rated(wire::Rated::new(
            before.iter().copied().collect(),
            after.iter().copied().collect(),
        )),
        #[cfg(not(feature = "exhaustive"))]
        _ => EventBody::Unknown("unknown".into()),
    }
}

/// Appends the record of an event without its seal. `names` may be any position of the game.
pub(crate) fn write_unsealed(
    out: &mut Vec<u8>,
    game: &GameId,
    seq: u64,
    event: &Event,
    names: &Position,
    req: Option<&RequestId>,
) {
    let (at, hash) = (event.at, PositionHash(event.hash));
    let EventKind::Moved {
        seat,
        turn,
        ply,
        mv,
        captures: taken,
        to_move,
        spent_ms,
        lag_ms,
        left_ms,
    } = &event.kind
    else {
        let body = to_wire(&event.kind, names);
        return EventFrame::write_unsealed(out, game, seq, at, &body, req, hash);
    };
    let moved = MovedRecord {
        game,
        seq,
        at,
        seat: seat_number(*seat),
        turn: *turn,
        ply: *ply,
        to_move: seat_number(*to_move),
        spent_ms: *spent_ms,
        lag_ms: *lag_ms,
        left_ms: left_ms.as_ref().map(|left| left.iter().as_slice()),
        req,
        hash,
    };
    let captures = |out: &mut CaptureWriter<'_>| {
        for Capture { cell, seat, pieces, .. } in taken {
            let cell = names.cell_name(*cell);
            out.push(cell.as_str(), seat_number(*seat), names.letter(*seat), (*pieces).into());
        }
    };
    moved.write_unsealed(out, |text| mv.write_to(text), captures);
}

/// What was agreed before a game.
fn created(setup: &Setup, names: &Position) -> wire::Created {
    let (options, seats) = (options(&setup.options), seats(&setup.seats, names));
    let (rules, clock) = (rules(setup.kind), setup.clock.to_wire());
    let mut created = wire::Created::new(rules, options, seats, clock, setup.rated);
    created.delay = setup.delay;
    created.unlisted = setup.unlisted;
    created
}

fn left_numbers(left_ms: Option<&BySeat<u64>>) -> Option<Vec<u64>> {
    left_ms.map(|left| left.iter().copied().collect())
}
