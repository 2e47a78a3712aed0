//! Decodes events of the wire.

use adamant_protocol::{EventBody, EventFrame, event as wire, values};
use adamant_rules::{BySeat, Event, EventKind, Player, Position, Setup, Table, event::OfferId};

use super::{
    error::WireError,
    mirror::Mirror,
    values::{captures, kind, named_options, position, seat, seat_set},
};

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
            offer: OfferId(body.offer.0),
            what: Mirror::from_wire(body.what)?,
            by: seat(body.by)?,
            needs: seat_set(&body.needs)?,
        },
        EventBody::Agreed(body) => EventKind::Agreed {
            offer: OfferId(body.offer.0),
            seat: seat(body.seat)?,
            needs: seat_set(&body.needs)?,
        },
        EventBody::OfferClosed(body) => EventKind::OfferClosed {
            offer: OfferId(body.offer.0),
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
    let players = seats.iter().map(|seat| {
        let mut player = Player::new(seat.user.as_str());
        player.bot = seat.bot;
        player.guest = seat.guest;
        player.rating = seat.rating;
        player
    });
    BySeat::try_from_iter(players).ok_or(WireError::Seats)
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
