//! Events of the rules as the wire writes them, and back.

use adamant_protocol::{
    EventBody, EventFrame, GameId, OfferId, RequestId, event as wire,
    fast_path::{CaptureWriter, MovedRecord},
    ids::PositionHash,
    values,
};
use adamant_rules::{
    BySeat, Capture, Event, EventKind, Player, Position, Setup, Table, event,
    notation::Notation as _,
};

use super::values::{
    Mirror, WireError, captures, kind, named_options, notation, options, position, rules, seat,
    seat_number, seat_numbers, seat_set, seat_user, seats,
};

/// An event in the wire's words. `names` may be any position of the game.
#[expect(clippy::too_many_lines, reason = "each kind of event has its arm")]
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
        EventKind::SeatOffered { offer, leaving, needs, until, left_ms } => {
            let event::SeatOffer { seat, reason, claimed_by, computer, level } = &**leaving;
            let by = seat_user(*seat, computer, names);
            let (offer, seat, needs) = (OfferId(offer.0), seat_number(*seat), seat_numbers(*needs));
            let reason = reason.to_wire();
            let mut offered =
                wire::SeatOffered::new(offer, seat, reason, by, *level, needs, *until);
            offered.claimed_by = claimed_by.map(seat_number);
            offered.left_ms = left_numbers(left_ms.as_ref());
            EventBody::SeatOffered(offered)
        }
        EventKind::Substituted { seat, turn, by, level, to_move, left_ms } => {
            let by = seat_user(*seat, by, names);
            let (seat, to_move) = (seat_number(*seat), seat_number(*to_move));
            let mut substituted = wire::Substituted::new(seat, *turn, by, *level, to_move);
            substituted.left_ms = left_numbers(left_ms.as_ref());
            EventBody::Substituted(substituted)
        }
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
    let mut moved = MovedRecord::new(game, seq, at, hash);
    (moved.seat, moved.to_move) = (seat_number(*seat), seat_number(*to_move));
    (moved.turn, moved.ply) = (*turn, *ply);
    (moved.spent_ms, moved.lag_ms) = (*spent_ms, *lag_ms);
    moved.left_ms = left_ms.as_ref().map(|left| left.iter().as_slice());
    moved.req = req;
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

/// Decodes an event. `table` is the game after the event before it; `None` for the first.
pub fn from_wire(frame: &EventFrame, table: Option<&Table>) -> Result<Event, WireError> {
    let Some(table) = table else {
        let EventBody::Created(created) = &frame.body else { return Err(WireError::NotCreated) };
        let kind = EventKind::Created(Box::new(setup(created)?));
        return Ok(Event { at: frame.at, kind, hash: frame.hash.0 });
    };
    let kind = match &frame.body {
        EventBody::Created(created) => EventKind::Created(Box::new(setup(created)?)),
        EventBody::Started(body) => EventKind::Started { to_move: seat(body.to_move)? },
        EventBody::Moved(body) => moved(body, table.position())?,
        EventBody::Swapped(body) => EventKind::Swapped {
            seat: seat(body.seat)?,
            turn: body.turn,
            ply: body.ply,
            mv: table
                .position()
                .parse_move("swap")
                .map_err(|why| WireError::Move(why.to_string()))?,
            seats: Box::new(players(&body.seats)?),
            to_move: seat(body.to_move.ok_or(WireError::Seats)?)?,
            spent_ms: body.spent_ms,
            lag_ms: body.lag_ms,
            left_ms: left(body.left_ms.as_deref())?,
        },
        EventBody::Skipped(body) => EventKind::Skipped {
            seat: seat(body.seat)?,
            turn: body.turn,
            ply: body.ply,
            to_move: seat(body.to_move.ok_or(WireError::Seats)?)?,
        },
        EventBody::Removed(body) => EventKind::Removed {
            seat: seat(body.seat)?,
            turn: body.turn,
            reason: Mirror::from_wire(body.reason)?,
            claimed_by: body.claimed_by.map(seat).transpose()?,
            to_move: seat(body.to_move.ok_or(WireError::Seats)?)?,
        },
        EventBody::Offered(body) => EventKind::Offered {
            offer: event::OfferId(body.offer.0),
            what: Mirror::from_wire(body.what)?,
            by: seat(body.by)?,
            needs: seat_set(&body.needs)?,
        },
        EventBody::SeatOffered(body) => EventKind::SeatOffered {
            offer: event::OfferId(body.offer.0),
            leaving: Box::new(event::SeatOffer {
                seat: seat(body.seat)?,
                reason: Mirror::from_wire(body.reason)?,
                claimed_by: body.claimed_by.map(seat).transpose()?,
                computer: player(&body.by),
                level: body.level,
            }),
            needs: seat_set(&body.needs)?,
            until: body.until,
            left_ms: left(body.left_ms.as_deref())?,
        },
        EventBody::Substituted(body) => EventKind::Substituted {
            seat: seat(body.seat)?,
            turn: body.turn,
            by: Box::new(player(&body.by)),
            level: body.level,
            to_move: seat(body.to_move)?,
            left_ms: left(body.left_ms.as_deref())?,
        },
        EventBody::Agreed(body) => EventKind::Agreed {
            offer: event::OfferId(body.offer.0),
            seat: seat(body.seat)?,
            needs: seat_set(&body.needs)?,
        },
        EventBody::OfferClosed(body) => EventKind::OfferClosed {
            offer: event::OfferId(body.offer.0),
            outcome: Mirror::from_wire(body.outcome)?,
            by: seat(body.by)?,
        },
        EventBody::TakenBack(body) => taken_back(body, table)?,
        EventBody::ClockAdjusted(body) => EventKind::ClockAdjusted {
            seat: seat(body.seat)?,
            by_ms: body.by_ms,
            reason: Mirror::from_wire(body.reason)?,
        },
        EventBody::Aborted(body) => EventKind::Aborted {
            by: seat(body.by)?,
            reason: Mirror::from_wire(body.reason)?,
            claimed_by: body.claimed_by.map(seat).transpose()?,
        },
        EventBody::Ended(body) => EventKind::Ended {
            winners: seat_set(&body.winners)?,
            places: by_seat(&body.places)?,
            reason: Mirror::from_wire(body.reason)?,
            by: body.by.map(seat).transpose()?,
            claimed_by: body.claimed_by.map(seat).transpose()?,
        },
        EventBody::Rated(body) => {
            EventKind::Rated { before: by_seat(&body.before)?, after: by_seat(&body.after)? }
        }
        EventBody::Unknown(kind) => return Err(WireError::UnknownKind(kind.clone())),
        #[cfg(not(feature = "exhaustive"))]
        later => return Err(WireError::UnknownKind(later.kind().into())),
    };
    Ok(Event { at: frame.at, kind, hash: frame.hash.0 })
}

fn players(seats: &[values::SeatUser]) -> Result<BySeat<Player>, WireError> {
    BySeat::try_from_iter(seats.iter().map(player)).ok_or(WireError::Seats)
}

fn player(seat: &values::SeatUser) -> Player {
    let mut player = Player::new(seat.user.as_str());
    player.bot = seat.bot;
    player.guest = seat.guest;
    player.rating = seat.rating;
    player
}

fn by_seat<T: Copy>(values: &[T]) -> Result<BySeat<T>, WireError> {
    BySeat::try_from_iter(values.iter().copied()).ok_or(WireError::Seats)
}

fn left(left_ms: Option<&[u64]>) -> Result<Option<BySeat<u64>>, WireError> {
    left_ms.map(by_seat).transpose()
}

fn setup(created: &wire::Created) -> Result<Setup, WireError> {
    let mut setup = Setup::new(kind(&created.rules)?, players(&created.seats)?);
    setup.options = named_options(&created.options);
    setup.clock = Mirror::from_wire(created.clock)?;
    setup.rated = created.rated;
    setup.delay = created.delay;
    setup.unlisted = created.unlisted;
    Ok(setup)
}

/// Reads a move. What it captured follows from the rules; the table compares the position's hash,
/// and here the captures as written are held against the rules' own.
fn moved(body: &wire::Moved, names: &Position) -> Result<EventKind, WireError> {
    let mv = names.parse_move(&body.notation).map_err(|why| WireError::Move(why.to_string()))?;
    let taken = names.validate(&mv).map_err(|why| WireError::Move(why.to_string()))?;
    if captures(&taken, names) != body.captures {
        return Err(WireError::Move("the captures are not those of the move".to_owned()));
    }
    Ok(EventKind::Moved {
        seat: seat(body.seat)?,
        turn: body.turn,
        ply: body.ply,
        mv,
        captures: taken,
        to_move: seat(body.to_move.ok_or(WireError::Seats)?)?,
        spent_ms: body.spent_ms,
        lag_ms: body.lag_ms,
        left_ms: left(body.left_ms.as_deref())?,
    })
}

/// Decodes a takeback. The position follows from the moves; the board in the record is compared
/// with it.
fn taken_back(body: &wire::TakenBack, table: &Table) -> Result<EventKind, WireError> {
    let back = table.taken_back_position().ok_or(WireError::Position)?;
    if position(&back) != body.position {
        return Err(WireError::Position);
    }
    Ok(EventKind::TakenBack {
        turn: body.turn,
        ply: body.ply,
        position: Box::new(back),
        left_ms: left(body.left_ms.as_deref())?,
        to_move: seat(body.to_move)?,
    })
}
