//! The games, a folder each, and the one place that picks among them.

pub mod adamas;
pub mod diam;
pub mod hexma;
pub mod stymie;
pub(crate) mod violation;

use std::fmt;

use crate::{
    cell::{Cell, CellName},
    completions::Completions,
    game::{
        Captures, Consequence, Drawing, EndReason, Game, Layout, Mark, MoveCount, Represented,
        Target,
    },
    notation::{MoveSink, Notation},
    options::{OptionError, OptionSpec, OptionValue, Options},
    refusal::IllegalMove,
    seat::{Seat, SeatSet},
    sketch::{CompletedSketch, Sketch},
    steps::Step,
};

pub use self::violation::RuleViolation;

macro_rules! games {
    ($($(#[$doc:meta])* $name:ident($game:ty)),+ $(,)?) => {
        /// Which game is played.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
        pub enum Kind { $($(#[$doc])* $name),+ }

        /// A position of any of the games.
        #[derive(Clone, PartialEq, Debug)]
        #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
        pub enum Position { $($(#[$doc])* $name($game)),+ }

        /// A move of any of the games. Displays as canonical notation.
        #[derive(Clone, PartialEq, Eq, Debug)]
        #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
        pub enum Move { $($(#[$doc])* $name(<$game as Game>::Move)),+ }

        $(impl From<<$game as Game>::RuleViolation> for IllegalMove {
            fn from(violation: <$game as Game>::RuleViolation) -> Self {
                Self::RuleViolation(RuleViolation::$name(violation))
            }
        })+

        impl Kind {
            /// Every game.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// Its name on the wire and in records.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => <$game>::NAME),+ }
            }

            /// Its name for people.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => <$game>::TITLE),+ }
            }

            /// What it is about, in one sentence.
            pub const fn goal(self) -> &'static str {
                match self { $(Self::$name => <$game>::GOAL),+ }
            }

            /// The version of its rules that is played.
            pub const fn version(self) -> u16 {
                match self { $(Self::$name => <$game>::VERSION),+ }
            }

            /// The options it knows.
            pub const fn option_specs(self) -> &'static [OptionSpec] {
                match self { $(Self::$name => <$game>::OPTIONS),+ }
            }

            /// The flags that are on in rated games unless the players choose otherwise.
            pub const fn on_when_rated(self) -> &'static [&'static str] {
                match self { $(Self::$name => <$game>::ON_WHEN_RATED),+ }
            }

            /// How many may play.
            pub const fn players(self) -> std::ops::RangeInclusive<usize> {
                match self { $(Self::$name => <$game>::PLAYERS),+ }
            }

            /// Whether its moves can capture.
            pub const fn captures(self) -> bool {
                match self { $(Self::$name => <$game>::CAPTURES),+ }
            }

            /// What it is about and how moves are written, in twelve lines at the most.
            pub const fn rules_summary(self) -> &'static str {
                match self { $(Self::$name => <$game>::RULES_SUMMARY),+ }
            }

            fn complete_unchecked(
                self,
                options: &Options,
                players: usize,
            ) -> Result<Options, OptionError> {
                match self { $(Self::$name => <$game>::complete(options, players)),+ }
            }

            /// The opening position. [`Kind::open`] checks what this one takes on trust.
            ///
            /// # Panics
            ///
            /// Unless `options` come from [`Kind::complete`] with the same number of players.
            pub fn start(self, options: &Options, players: usize) -> Position {
                match self { $(Self::$name => Position::$name(<$game>::start(options, players))),+ }
            }
        }

        impl Notation for Move {
            fn write_to(&self, text: &mut impl fmt::Write) -> fmt::Result {
                match self { $(Self::$name(mv) => mv.write_to(text)),+ }
            }
        }

        impl fmt::Display for Move {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $(Self::$name(mv) => mv.fmt(f)),+ }
            }
        }

        impl Position {
            /// Which game it is of.
            pub const fn kind(&self) -> Kind {
                match self { $(Self::$name(_) => Kind::$name),+ }
            }

            /// See [`Game::parse_move`].
            pub fn parse_move(&self, notation: &str) -> Result<Move, IllegalMove> {
                match self { $(Self::$name(game) => game.parse_move(notation).map(Move::$name)),+ }
            }

            /// See [`Game::validate`].
            pub fn validate(&self, mv: &Move) -> Result<Captures, IllegalMove> {
                match (self, mv) {
                    $((Self::$name(game), Move::$name(mv)) => game.validate(mv),)+
                    _ => Err(IllegalMove::OTHER_GAME),
                }
            }

            /// See [`Game::apply`]. The move is one that [`Position::validate`] accepts;
            /// [`Position::play`] checks it.
            pub fn apply(&mut self, mv: &Move) {
                match (self, mv) {
                    $((Self::$name(game), Move::$name(mv)) => game.apply(mv),)+
                    _ => debug_assert!(false, "validate refuses moves of other games"),
                }
            }

            /// See [`Game::swaps_seats`].
            pub fn swaps_seats(&self, mv: &Move) -> bool {
                match (self, mv) {
                    $((Self::$name(game), Move::$name(mv)) => game.swaps_seats(mv),)+
                    _ => false,
                }
            }

            /// See [`Game::affected_cells`].
            pub fn affected_cells(&self, mv: &Move) -> Vec<(Cell, Mark)> {
                match (self, mv) {
                    $((Self::$name(game), Move::$name(mv)) => game.affected_cells(mv),)+
                    _ => Vec::new(),
                }
            }

            /// See [`Game::legal_moves`]. Whether the game goes on is [`Position::pending`]'s answer:
            /// a position that has ended may still list moves.
            pub fn legal_moves(&self, max: usize) -> Vec<Move> {
                match self {
                    $(Self::$name(game) => game.legal_moves(max).into_iter().map(Move::$name).collect()),+
                }
            }

            /// Adds the moves of [`Game::moves_after`] to a list.
            pub fn list_moves_after(
                &self,
                from: Option<Cell>,
                after: Option<&Move>,
                max: usize,
                list: &mut impl MoveSink,
            ) {
                match (self, after) {
                    $((Self::$name(game), None) => {
                        for mv in &game.moves_after(from, None, max) {
                            list.push(mv);
                        }
                    })+
                    $((Self::$name(game), Some(Move::$name(after))) => {
                        for mv in &game.moves_after(from, Some(after), max) {
                            list.push(mv);
                        }
                    })+
                    // Nothing stands behind a move of another game.
                    _ => {}
                }
            }

            /// See [`Game::list_representatives`].
            pub fn list_representatives(
                &self,
                max: usize,
                list: &mut impl MoveSink,
            ) -> Represented {
                match self { $(Self::$name(game) => game.list_representatives(max, list)),+ }
            }

            /// See [`Game::sample_moves`].
            pub fn sample_moves(
                &self,
                max: usize,
                pick: &mut dyn FnMut(usize) -> usize,
            ) -> Vec<Move> {
                match self {
                    $(Self::$name(game) => {
                        game.sample_moves(max, pick).into_iter().map(Move::$name).collect()
                    })+
                }
            }

            /// What a move in the making comes to.
            pub fn completions(&self, sketch: &Sketch) -> Completions<Move> {
                match self {
                    $(Self::$name(game) => Completions::of(game, sketch).map(Move::$name)),+
                }
            }

            /// The cells that a move can begin with, each with what can follow it.
            pub fn first_steps(&self) -> Vec<Step<Move>> {
                match self {
                    $(Self::$name(game) => {
                        Step::all(game).into_iter().map(|step| step.map(Move::$name)).collect()
                    })+
                }
            }

            /// See [`Game::named_moves`].
            pub fn named_moves(&self) -> Vec<Move> {
                match self {
                    $(Self::$name(game) => game.named_moves().into_iter().map(Move::$name).collect()),+
                }
            }

            games!(@delegate [$($name),+]
                letter(seat: Seat) -> char;
                players() -> usize;
                to_move() -> Seat;
                seats_in() -> SeatSet;
                pending() -> Option<Consequence>;
                can_move() -> bool;
                count_moves() -> MoveCount;
                sources() -> Vec<Cell>;
                targets(from: Cell) -> Vec<Target>;
                threatened() -> Vec<Cell>;
                winning_cells() -> Vec<Cell>;
                progress(seat: Seat) -> i32;
                moves_needed(seat: Seat) -> u32;
                telling_lead() -> i32;
                hash() -> u64;
                hash_from_scratch() -> u64;
                stacks() -> Vec<(Cell, String)>;
                stacks_of_sketch(completed: &CompletedSketch) -> Vec<(Cell, String)>;
                in_reserve(seat: Seat) -> String;
                cell_name(cell: Cell) -> CellName;
                cell(name: &str) -> Option<Cell>;
                layout() -> Layout;
                draw(marks: &[(Cell, Mark)]) -> Drawing;
                notation_help() -> &'static str;
            );

            /// See [`Game::remove`].
            pub fn remove(&mut self, seat: Seat) {
                match self { $(Self::$name(game) => game.remove(seat)),+ }
            }

            /// See [`Game::skip`].
            pub fn skip(&mut self) {
                match self { $(Self::$name(game) => game.skip()),+ }
            }
        }
    };
    (@delegate $names:tt $($method:ident($($arg:ident: $type:ty),*) -> $output:ty;)+) => {
        $(games!(@method $names $method($($arg: $type),*) -> $output);)+
    };
    (@method [$($name:ident),+] $method:ident $args:tt -> $output:ty) => {
        games!(@body [$($name),+] $method $args -> $output);
    };
    (@body [$($name:ident),+] $method:ident() -> $output:ty) => {
        #[doc = concat!("See [`Game::", stringify!($method), "`].")]
        pub fn $method(&self) -> $output {
            match self { $(Self::$name(game) => game.$method()),+ }
        }
    };
    (@body [$($name:ident),+] $method:ident($arg:ident: $type:ty) -> $output:ty) => {
        #[doc = concat!("See [`Game::", stringify!($method), "`].")]
        pub fn $method(&self, $arg: $type) -> $output {
            match self { $(Self::$name(game) => game.$method($arg)),+ }
        }
    };
}

games! {
    /// Stacks on a hexagon, captured by counting what they see.
    Adamas(adamas::Adamas),
    /// A race across a star, by steps and hops, to connect two edges.
    Hexma(hexma::Hexma),
    /// Pieces on octagons and squares that connect two edges.
    Stymie(stymie::Stymie),
    /// Stacks round a ring, won by two like pieces opposite each other.
    Diam(diam::Diam),
}

impl Kind {
    /// The game of that name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name().eq_ignore_ascii_case(name))
    }

    /// The options of a rated game: as chosen, and what such a game has unless it was chosen
    /// otherwise.
    #[must_use]
    pub fn when_rated(self, mut chosen: Options) -> Options {
        for name in self.on_when_rated() {
            if chosen.get(name).is_none() {
                chosen.set(name, OptionValue::Flag(true));
            }
        }
        chosen
    }

    /// Checks the number of players and the options, and completes these with their defaults.
    pub fn complete(self, options: &Options, players: usize) -> Result<Options, OptionError> {
        let range = self.players();
        if !range.contains(&players) {
            return Err(OptionError::Players {
                game: self.name(),
                min: *range.start(),
                max: *range.end(),
                players,
            });
        }
        options.check(self.option_specs())?;
        self.complete_unchecked(options, players)
    }

    /// Checks the number of players and the options, completes these with their defaults, and
    /// returns the opening position.
    pub fn open(self, options: &Options, players: usize) -> Result<Position, OptionError> {
        self.complete(options, players).map(|options| self.start(&options, players))
    }
}

impl Position {
    /// Makes a move if the rules allow it, and returns what it captures. Otherwise nothing changes.
    /// What the rules demand before the next move is [`Position::settle`]'s.
    pub fn play(&mut self, mv: &Move) -> Result<Captures, IllegalMove> {
        let captures = self.validate(mv)?;
        self.apply(mv);
        Ok(captures)
    }

    /// Removes and passes over seats as the rules demand, until a seat can move or the game is
    /// over. Returns who has won then, and how. Repetition is the table's.
    pub fn settle(&mut self) -> Option<(SeatSet, EndReason)> {
        while let Some(consequence) = self.pending() {
            match consequence {
                Consequence::Remove(seat, _) => self.remove(seat),
                Consequence::Skip(_) => self.skip(),
                Consequence::End { winners, reason } => return Some((winners, reason)),
            }
        }
        None
    }
}
