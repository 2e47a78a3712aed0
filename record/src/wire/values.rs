//! Values of the rules in the words of the wire, and back.

use adamant_protocol::{
    Word,
    ids::RulesName,
    to_client::{GameResult, ResultReason},
    values::{self, Named},
};
use adamant_rules as rules;
use adamant_rules::{
    BySeat, Captures, Cell, EndReason, Kind, Options, Player, Position, Seat, SeatSet, Table,
    notation::Notation,
    options::{OptionError, OptionValue},
    reason::{Reason, ReasonArg},
    table::Outcome,
};
use arrayvec::ArrayString;

/// A seat's number on the wire.
#[expect(clippy::cast_possible_truncation, reason = "a table has at most three seats")]
pub const fn seat_number(seat: Seat) -> u8 {
    seat.index() as u8
}

pub(super) fn seat(number: u8) -> Result<Seat, WireError> {
    Seat::new(usize::from(number)).ok_or(WireError::Seats)
}

/// A set of seats as numbers.
pub fn seat_numbers(seats: SeatSet) -> Vec<u8> {
    seats.iter().map(seat_number).collect()
}

pub(super) fn seat_set(numbers: &[u8]) -> Result<SeatSet, WireError> {
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

pub(super) fn named_options(named: &Named<values::OptionValue>) -> Options {
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
pub fn given_options(kind: Kind, given: &values::Options) -> Result<Options, OptionError> {
    match given {
        values::Options::Named(named) => Ok(named_options(named)),
        values::Options::Text(text) => Options::parse(text, kind.option_specs()),
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

/// The seats of a game with the letters of their pieces.
pub fn seats(players: &BySeat<Player>, position: &Position) -> Vec<values::SeatUser> {
    players.entries().map(|(seat, player)| seat_user(seat, player, position)).collect()
}

/// The player of a seat with the letter of its pieces.
pub(super) fn seat_user(seat: Seat, player: &Player, position: &Position) -> values::SeatUser {
    let name = player.user.parse().expect("tables seat users by checked names");
    let mut user = values::SeatUser::new(name, position.letter(seat).to_string().into());
    user.bot = player.bot;
    user.guest = player.guest;
    user.rating = player.rating;
    user
}

/// Room for a move in canonical notation. Longer ones are rare.
const SHORT_NOTATION_BYTES: usize = 64;

/// A move in canonical notation.
pub fn notation(mv: &impl Notation) -> Box<str> {
    let mut short = ArrayString::<SHORT_NOTATION_BYTES>::new();
    if mv.write_to(&mut short).is_ok() {
        return short.as_str().into();
    }
    let mut long = String::new();
    mv.write_to(&mut long).expect("a string grows");
    long.into()
}

/// Captures as the wire writes them.
pub fn captures(captures: &Captures, position: &Position) -> Vec<values::Capture> {
    captures
        .iter()
        .map(|capture| {
            let cell = position.cell_name(capture.cell).as_str().into();
            let letter = position.letter(capture.seat);
            let pieces: String = std::iter::repeat_n(letter, capture.pieces.into()).collect();
            values::Capture::new(cell, seat_number(capture.seat), pieces.into())
        })
        .collect()
}

/// A board as cell names with their pieces.
pub fn position(position: &Position) -> Named<Box<str>> {
    stacks(position, position.stacks())
}

/// Stacks by the names of their cells.
pub(super) fn stacks(position: &Position, stacks: Vec<(Cell, String)>) -> Named<Box<str>> {
    Named(
        stacks
            .into_iter()
            .map(|(cell, pieces)| (position.cell_name(cell).as_str().into(), pieces.into()))
            .collect(),
    )
}

/// The cells on a table's board whose pieces could be captured; nothing in games without captures.
/// None once the game is over.
pub fn threatened(table: &Table) -> Option<Vec<Box<str>>> {
    threatened_on(table.position(), table.to_move().is_none())
}

/// The same of a position.
pub(super) fn threatened_on(position: &Position, is_over: bool) -> Option<Vec<Box<str>>> {
    position.kind().captures().then(|| {
        let cells = if is_over { Vec::new() } else { position.threatened() };
        cells.into_iter().map(|cell| position.cell_name(cell).as_str().into()).collect()
    })
}

/// The key of a reason, and what it names.
pub fn reason_key(reason: &Reason) -> (Box<str>, Named<values::OptionValue>) {
    let value = |arg: &ReasonArg| match arg {
        ReasonArg::Text(text) => values::OptionValue::Text(text.clone()),
        ReasonArg::Number(number) => values::OptionValue::Number(*number),
    };
    let args = reason.named_args().map(|(name, arg)| (name.into(), value(arg)));
    (reason.text.key.into(), Named(args.collect()))
}

/// The cells by which the game at a table was won on the board; none while it goes on, and if it
/// ended otherwise.
pub fn winning(table: &Table) -> Vec<Box<str>> {
    let on_the_board = matches!(
        table.outcome(),
        Some(Outcome::Ended { reason: EndReason::Connected | EndReason::Aligned, .. })
    );
    let position = table.position();
    let cells = if on_the_board { position.winning_cells() } else { Vec::new() };
    cells.into_iter().map(|cell| position.cell_name(cell).as_str().into()).collect()
}

/// A result as the wire writes it.
pub fn result(outcome: &Outcome) -> GameResult {
    match outcome {
        Outcome::Ended { winners, places, reason } => {
            let places = places.iter().copied().collect();
            GameResult::new(seat_numbers(*winners), places, reason.to_wire().into())
        }
        Outcome::Aborted { .. } => GameResult::new(Vec::new(), Vec::new(), ResultReason::Aborted),
    }
}

/// Why a record cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
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
    /// A word in an event that this version does not know.
    #[error("the word {0:?} is not known here")]
    UnknownWord(Word),
}

/// The protocol's enums, by the names that they have in the rules.
mod wire {
    pub(super) use adamant_protocol::{
        event::{AbortReason, AdjustReason, EndReason, LeaveReason, OfferKind, OfferOutcome},
        values::TimeControl,
    };
}

/// An enum of the rules that the protocol has, too.
pub trait Mirror: Sized {
    /// The protocol's enum.
    type Wire;

    /// Converts to the protocol's enum.
    fn to_wire(self) -> Self::Wire;

    /// Converts from the protocol's enum, unless its word is one of a later version.
    fn from_wire(wire: Self::Wire) -> Result<Self, WireError>;
}

/// Implements [`Mirror`] for enums whose variants have the same names and fields on both sides. A
/// variant that is missing here, or on one side, is a compile error.
macro_rules! mirror {
    ($($($module:ident)::+ => $name:ident {
        $($variant:ident $({ $($field:ident),+ })?),+ $(,)?
    })+) => {
        $(impl Mirror for $($module)::+::$name {
            type Wire = wire::$name;

            fn to_wire(self) -> wire::$name {
                match self {
                    $(Self::$variant $({ $($field),+ })? => {
                        wire::$name::$variant $({ $($field),+ })?
                    })+
                    #[cfg(not(feature = "exhaustive"))]
                    _ => wire::$name::Unknown(Word::new("unknown")),
                }
            }

            fn from_wire(wire: wire::$name) -> Result<Self, WireError> {
                Ok(match wire {
                    $(wire::$name::$variant $({ $($field),+ })? => {
                        Self::$variant $({ $($field),+ })?
                    })+
                    wire::$name::Unknown(word) => return Err(WireError::UnknownWord(word)),
                    #[cfg(not(feature = "exhaustive"))]
                    _ => return Err(WireError::UnknownWord(Word::new(stringify!($name)))),
                })
            }
        })+
    };
}

mirror! {
    rules => TimeControl {
        None,
        Fischer { base_ms, inc_ms },
        PerMove { move_ms },
        Byoyomi { base_ms, periods, period_ms },
        Days { per_move_days },
    }
    rules::game => EndReason {
        LastPlayer, TwoPieces, Connected, Aligned, Stuck, Repetition, TooLong, Agreement, Resigned,
        TimedOut, Abandoned, Ruling,
    }
    rules::game => LeaveReason { NoPieces, NoMove, Resigned, TimedOut, Abandoned }
    rules::event => OfferKind { Draw, Takeback, Abort, Substitute }
    rules::event => OfferOutcome { Accepted, Declined, Withdrawn, Moved }
    rules::event => AbortReason { ByPlayer, Agreed, NoShow, Ruling }
    rules::event => AdjustReason { Outage, Arrival }
}
