//! The rules' vocabulary in the wire's words, and back. Nothing here decides anything.

use adamant_protocol::{
    EventBody, EventFrame, event as wire,
    ids::RulesName,
    to_client::{GameResult, ResultReason},
    values::{self, Named, OptionsGiven},
};
use adamant_rules::{
    BySeat, Captures, Event, EventKind, Kind, Options, Player, Position, Seat, SeatSet, Setup,
    Table, TimeControl,
    event::{AbortReason, AdjustReason, OfferId, OfferKind, OfferOutcome},
    game::{EndReason, LeaveReason},
    options::{OptionError, OptionValue},
    table::Outcome,
};

/// Why a record cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The game is not one that is known, or its rules have changed since.
    #[error("rules {0} are not known here")]
    UnknownRules(RulesName),
    /// A seat that no table has, or a wrong number of them.
    #[error("the seats are not those of this table")]
    Seats,
    /// A move that cannot be read.
    #[error("the move cannot be read: {0}")]
    Move(String),
    /// The board is not the one that is gone back to.
    #[error("the position is not the one before the move that was taken back")]
    Position,
    /// The game's first record must say what is played.
    #[error("a record begins with what was agreed")]
    NotCreated,
    /// An event kind that this version does not know.
    #[error("events of kind {0:?} are not known here")]
    UnknownKind(Box<str>),
}

/// A seat's number on the wire.
#[expect(clippy::cast_possible_truncation, reason = "a table has at most three seats")]
pub const fn seat_number(seat: Seat) -> u8 {
    seat.index() as u8
}

fn seat(number: u8) -> Result<Seat, WireError> {
    Seat::new(usize::from(number)).ok_or(WireError::Seats)
}

/// A set of seats as numbers.
pub fn seat_numbers(seats: SeatSet) -> Vec<u8> {
    seats.iter().map(seat_number).collect()
}

fn seat_set(numbers: &[u8]) -> Result<SeatSet, WireError> {
    numbers.iter().map(|&number| seat(number)).collect()
}

/// Options as the wire writes them.
pub fn options(options: &Options) -> Named<values::OptionValue> {
    let value = |value: &OptionValue| match value {
        OptionValue::Flag(flag) => values::OptionValue::Flag(*flag),
        OptionValue::Number(number) => values::OptionValue::Number(*number),
        OptionValue::Text(text) => values::OptionValue::Text(text.clone()),
    };
    Named(options.iter().map(|(name, given)| (name.into(), value(given))).collect())
}

fn named_options(named: &Named<values::OptionValue>) -> Options {
    let mut options = Options::new();
    for (name, value) in &named.0 {
        let value = match value {
            values::OptionValue::Flag(flag) => OptionValue::Flag(*flag),
            values::OptionValue::Number(number) => OptionValue::Number(*number),
            values::OptionValue::Text(text) => OptionValue::Text(text.clone()),
        };
        options.set(name, value);
    }
    options
}

/// Reads options as a client gave them.
pub fn given_options(kind: Kind, given: &OptionsGiven) -> Result<Options, OptionError> {
    match given {
        OptionsGiven::Named(named) => Ok(named_options(named)),
        OptionsGiven::Text(text) => Options::read(text, kind.option_specs()),
    }
}

/// The game and version that are played, as the wire names them.
pub fn rules(kind: Kind) -> RulesName {
    RulesName::pinned(kind.name(), kind.version())
}

/// The game of that name, if the version asked for is the one played here.
pub fn kind(rules: &RulesName) -> Result<Kind, WireError> {
    Kind::from_name(&rules.name)
        .filter(|kind| rules.version.is_none_or(|version| version == kind.version()))
        .ok_or_else(|| WireError::UnknownRules(rules.clone()))
}

/// A time control as the wire writes it.
pub const fn clock(control: TimeControl) -> values::Clock {
    match control {
        TimeControl::None => values::Clock::None,
        TimeControl::Fischer { base_ms, inc_ms } => values::Clock::Fischer { base_ms, inc_ms },
        TimeControl::PerMove { move_ms } => values::Clock::PerMove { move_ms },
        TimeControl::Byoyomi { base_ms, periods, period_ms } => {
            values::Clock::Byoyomi { base_ms, periods, period_ms }
        }
        TimeControl::Days { per_move_days } => values::Clock::Days { per_move_days },
    }
}

/// A time control as the rules know it.
pub const fn time_control(clock: values::Clock) -> TimeControl {
    match clock {
        values::Clock::None => TimeControl::None,
        values::Clock::Fischer { base_ms, inc_ms } => TimeControl::Fischer { base_ms, inc_ms },
        values::Clock::PerMove { move_ms } => TimeControl::PerMove { move_ms },
        values::Clock::Byoyomi { base_ms, periods, period_ms } => {
            TimeControl::Byoyomi { base_ms, periods, period_ms }
        }
        values::Clock::Days { per_move_days } => TimeControl::Days { per_move_days },
    }
}

/// The seats of a game with the letters of their pieces.
pub fn seats(players: &BySeat<Player>, position: &Position) -> Vec<values::SeatUser> {
    players
        .entries()
        .map(|(seat, player)| values::SeatUser {
            user: player.user.parse().expect("tables seat users by checked names"),
            letter: position.letter(seat).to_string().into(),
            bot: player.bot,
            guest: player.guest,
            rating: player.rating,
        })
        .collect()
}

/// Captures as the wire writes them.
pub fn captures(captures: &Captures, position: &Position) -> Vec<values::Capture> {
    captures
        .iter()
        .map(|capture| values::Capture {
            cell: position.cell_name(capture.cell).as_str().into(),
            seat: seat_number(capture.seat),
            pieces: position
                .letter(capture.seat)
                .to_string()
                .repeat(usize::from(capture.pieces))
                .into(),
        })
        .collect()
}

/// A board as cell names with their pieces.
pub fn position(position: &Position) -> Named<Box<str>> {
    Named(
        position
            .stacks()
            .into_iter()
            .map(|(cell, pieces)| (position.cell_name(cell).as_str().into(), pieces.into()))
            .collect(),
    )
}

/// A result as the wire writes it.
pub fn result(outcome: &Outcome) -> GameResult {
    match outcome {
        Outcome::Ended { winners, places, reason } => GameResult {
            winners: seat_numbers(*winners),
            places: places.iter().copied().collect(),
            reason: end_reason(*reason).into(),
        },
        Outcome::Aborted { .. } => {
            GameResult { winners: Vec::new(), places: Vec::new(), reason: ResultReason::Aborted }
        }
    }
}

/// The end's reason as the wire writes it.
pub const fn end_reason(reason: EndReason) -> wire::EndReason {
    match reason {
        EndReason::LastPlayer => wire::EndReason::LastPlayer,
        EndReason::TwoPieces => wire::EndReason::TwoPieces,
        EndReason::Connected => wire::EndReason::Connected,
        EndReason::Aligned => wire::EndReason::Aligned,
        EndReason::Stuck => wire::EndReason::Stuck,
        EndReason::Repetition => wire::EndReason::Repetition,
        EndReason::Agreement => wire::EndReason::Agreement,
        EndReason::Resigned => wire::EndReason::Resigned,
        EndReason::TimedOut => wire::EndReason::TimedOut,
        EndReason::Abandoned => wire::EndReason::Abandoned,
    }
}

const fn end_reason_read(reason: wire::EndReason) -> EndReason {
    match reason {
        wire::EndReason::LastPlayer => EndReason::LastPlayer,
        wire::EndReason::TwoPieces => EndReason::TwoPieces,
        wire::EndReason::Connected => EndReason::Connected,
        wire::EndReason::Aligned => EndReason::Aligned,
        wire::EndReason::Stuck => EndReason::Stuck,
        wire::EndReason::Repetition => EndReason::Repetition,
        wire::EndReason::Agreement => EndReason::Agreement,
        wire::EndReason::Resigned => EndReason::Resigned,
        wire::EndReason::TimedOut => EndReason::TimedOut,
        wire::EndReason::Abandoned => EndReason::Abandoned,
    }
}

const fn leave_reason(reason: LeaveReason) -> wire::RemovedReason {
    match reason {
        LeaveReason::NoPieces => wire::RemovedReason::NoPieces,
        LeaveReason::NoMove => wire::RemovedReason::NoMove,
        LeaveReason::Resigned => wire::RemovedReason::Resigned,
        LeaveReason::TimedOut => wire::RemovedReason::TimedOut,
        LeaveReason::Abandoned => wire::RemovedReason::Abandoned,
    }
}

const fn leave_reason_read(reason: wire::RemovedReason) -> LeaveReason {
    match reason {
        wire::RemovedReason::NoPieces => LeaveReason::NoPieces,
        wire::RemovedReason::NoMove => LeaveReason::NoMove,
        wire::RemovedReason::Resigned => LeaveReason::Resigned,
        wire::RemovedReason::TimedOut => LeaveReason::TimedOut,
        wire::RemovedReason::Abandoned => LeaveReason::Abandoned,
    }
}

const fn outcome(outcome: OfferOutcome) -> wire::OfferOutcome {
    match outcome {
        OfferOutcome::Accepted => wire::OfferOutcome::Accepted,
        OfferOutcome::Declined => wire::OfferOutcome::Declined,
        OfferOutcome::Withdrawn => wire::OfferOutcome::Withdrawn,
        OfferOutcome::Moved => wire::OfferOutcome::Moved,
    }
}

const fn outcome_read(outcome: wire::OfferOutcome) -> OfferOutcome {
    match outcome {
        wire::OfferOutcome::Accepted => OfferOutcome::Accepted,
        wire::OfferOutcome::Declined => OfferOutcome::Declined,
        wire::OfferOutcome::Withdrawn => OfferOutcome::Withdrawn,
        wire::OfferOutcome::Moved => OfferOutcome::Moved,
    }
}

/// What is offered, as the wire writes it.
pub const fn offer_what(what: OfferKind) -> wire::OfferWhat {
    match what {
        OfferKind::Draw => wire::OfferWhat::Draw,
        OfferKind::Takeback => wire::OfferWhat::Takeback,
        OfferKind::Abort => wire::OfferWhat::Abort,
    }
}

/// What is offered, as the rules know it.
pub const fn offer_kind(what: wire::OfferWhat) -> OfferKind {
    match what {
        wire::OfferWhat::Draw => OfferKind::Draw,
        wire::OfferWhat::Takeback => OfferKind::Takeback,
        wire::OfferWhat::Abort => OfferKind::Abort,
    }
}

const fn abort_reason(reason: AbortReason) -> wire::AbortReason {
    match reason {
        AbortReason::ByPlayer => wire::AbortReason::ByPlayer,
        AbortReason::Agreed => wire::AbortReason::Agreed,
        AbortReason::NoShow => wire::AbortReason::NoShow,
    }
}

const fn abort_reason_read(reason: wire::AbortReason) -> AbortReason {
    match reason {
        wire::AbortReason::ByPlayer => AbortReason::ByPlayer,
        wire::AbortReason::Agreed => AbortReason::Agreed,
        wire::AbortReason::NoShow => AbortReason::NoShow,
    }
}

/// An event in the wire's words. `names` may be any position of the game.
pub fn body(kind: &EventKind, names: &Position) -> EventBody {
    match kind {
        EventKind::Created(setup) => EventBody::Created(wire::Created {
            rules: rules(setup.kind),
            options: options(&setup.options),
            seats: seats(&setup.seats, names),
            clock: clock(setup.clock),
            rated: setup.rated,
        }),
        EventKind::Started { to_move } => {
            EventBody::Started(wire::Started { to_move: seat_number(*to_move) })
        }
        EventKind::Moved {
            seat,
            turn,
            ply,
            play,
            captures: taken,
            to_move,
            spent_ms,
            lag_ms,
            left_ms,
        } => EventBody::Moved(wire::Moved {
            seat: seat_number(*seat),
            turn: *turn,
            ply: *ply,
            notation: play.to_string().into(),
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
            play: _,
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
                reason: leave_reason(*reason),
                claimed_by: claimed_by.map(seat_number),
                to_move: Some(seat_number(*to_move)),
            })
        }
        EventKind::Offered { offer, what, by, needs } => EventBody::Offered(wire::Offered {
            offer: adamant_protocol::OfferId(offer.0),
            what: offer_what(*what),
            by: seat_number(*by),
            needs: seat_numbers(*needs),
        }),
        EventKind::Agreed { offer, seat, needs } => EventBody::Agreed(wire::Agreed {
            offer: adamant_protocol::OfferId(offer.0),
            seat: seat_number(*seat),
            needs: seat_numbers(*needs),
        }),
        EventKind::OfferClosed { offer, outcome: how, by } => {
            EventBody::OfferClosed(wire::OfferClosed {
                offer: adamant_protocol::OfferId(offer.0),
                outcome: outcome(*how),
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
        EventKind::ClockAdjusted { seat, by_ms, reason: AdjustReason::Outage } => {
            EventBody::ClockAdjusted(wire::ClockAdjusted {
                seat: seat_number(*seat),
                by_ms: *by_ms,
                reason: wire::AdjustReason::Outage,
            })
        }
        EventKind::Aborted { by, reason } => EventBody::Aborted(wire::Aborted {
            by: seat_number(*by),
            reason: abort_reason(*reason),
        }),
        EventKind::Ended { winners, places, reason, by, claimed_by } => {
            EventBody::Ended(wire::Ended {
                winners: seat_numbers(*winners),
                places: places.iter().copied().collect(),
                reason: end_reason(*reason),
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

/// An event in the rules' words. `table` is the game as of the event before; `None` for the first.
pub fn event(frame: &EventFrame, table: Option<&Table>) -> Result<Event, WireError> {
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
            play: table.position().read("swap").map_err(|why| WireError::Move(why.to_string()))?,
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
            reason: leave_reason_read(body.reason),
            claimed_by: body.claimed_by.map(seat).transpose()?,
            to_move: seat(body.to_move.ok_or(WireError::Seats)?)?,
        },
        EventBody::Offered(body) => EventKind::Offered {
            offer: OfferId(body.offer.0),
            what: offer_kind(body.what),
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
            outcome: outcome_read(body.outcome),
            by: seat(body.by)?,
        },
        EventBody::TakenBack(body) => taken_back(body, table)?,
        EventBody::ClockAdjusted(body) => EventKind::ClockAdjusted {
            seat: seat(body.seat)?,
            by_ms: body.by_ms,
            reason: match body.reason {
                wire::AdjustReason::Outage => AdjustReason::Outage,
            },
        },
        EventBody::Aborted(body) => {
            EventKind::Aborted { by: seat(body.by)?, reason: abort_reason_read(body.reason) }
        }
        EventBody::Ended(body) => EventKind::Ended {
            winners: seat_set(&body.winners)?,
            places: by_seat(&body.places)?,
            reason: end_reason_read(body.reason),
            by: body.by.map(seat).transpose()?,
            claimed_by: body.claimed_by.map(seat).transpose()?,
        },
        EventBody::Rated(body) => {
            EventKind::Rated { before: by_seat(&body.before)?, after: by_seat(&body.after)? }
        }
        EventBody::Unknown(kind) => return Err(WireError::UnknownKind(kind.clone())),
    };
    Ok(Event { at: frame.at, kind, hash: frame.hash.0 })
}

fn players(seats: &[values::SeatUser]) -> Result<BySeat<Player>, WireError> {
    let players = seats.iter().map(|seat| Player {
        user: seat.user.as_str().into(),
        bot: seat.bot,
        guest: seat.guest,
        rating: seat.rating,
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
    Ok(Setup {
        kind: kind(&created.rules)?,
        options: named_options(&created.options),
        seats: players(&created.seats)?,
        clock: time_control(created.clock),
        rated: created.rated,
    })
}

/// Reads a move. What it captured follows from the rules; the table compares the position's hash,
/// and here the captures as written are held against the rules' own.
fn moved(body: &wire::Moved, names: &Position) -> Result<EventKind, WireError> {
    let play = names.read(&body.notation).map_err(|why| WireError::Move(why.to_string()))?;
    let taken = names.judge(&play).map_err(|why| WireError::Move(why.to_string()))?;
    if captures(&taken, names) != body.captures {
        return Err(WireError::Move("the captures are not those of the move".to_owned()));
    }
    Ok(EventKind::Moved {
        seat: seat(body.seat)?,
        turn: body.turn,
        ply: body.ply,
        play,
        captures: taken,
        to_move: seat(body.to_move.ok_or(WireError::Seats)?)?,
        spent_ms: body.spent_ms,
        lag_ms: body.lag_ms,
        left_ms: left(body.left_ms.as_deref())?,
    })
}

/// Reads a takeback. Where it leads follows from the moves; the board as written is held against it.
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
