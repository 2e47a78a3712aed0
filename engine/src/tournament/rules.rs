//! The game of a tournament.

use adamant_rules::{
    BySeat, Kind, Options, Player, Seat, Setup, Table, TimeControl, options::OptionError,
    table::SetupError,
};

/// A game and its clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The game.
    pub kind: Kind,
    /// Its options, complete.
    pub options: Options,
    /// The number of players.
    pub players: usize,
    /// The time control.
    pub clock: TimeControl,
}

impl Rules {
    /// Completes the options.
    pub fn new(
        kind: Kind,
        options: &Options,
        players: usize,
        clock: TimeControl,
    ) -> Result<Self, OptionError> {
        Ok(Self { kind, options: kind.complete(options, players)?, players, clock })
    }

    /// Returns what is agreed before a game between players of these names.
    pub(crate) fn setup(&self, name: impl Fn(Seat) -> Box<str>) -> Setup {
        let player =
            |seat: Seat| Player { user: name(seat), bot: true, guest: false, rating: None };
        Setup {
            kind: self.kind,
            options: self.options.clone(),
            seats: BySeat::from_fn(self.players, player),
            clock: self.clock,
            rated: false,
            delay: 0,
            unlisted: false,
        }
    }

    /// Returns a table at which a game without clocks has just begun.
    pub(crate) fn start(&self) -> Result<Table, SetupError> {
        Table::for_analysis(self.setup(|seat| format!("seat{}", seat.index()).into()))
    }
}
