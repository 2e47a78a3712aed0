//! Diam: stacks round a ring, which grow and travel until two like pieces are opposed.
//!
//! Here are the position, the course of a turn and the drawing. Repetition and draws by agreement are
//! the table's.

mod board;
mod moves;
pub(super) mod notation;
pub mod violation;

use board::{Board, Colour, FIRST, SECOND, SPECS, Sector, Stack, Variant};
use notation::MoveKind;

use crate::{
    cell::{Cell, CellName},
    game::{
        Captures, CellShape, Consequence, Drawing, EndReason, Game, Layout, LayoutCell, Mark,
        MoveCount, Span, Target, sign,
    },
    hashing::{join, mix},
    options::{OptionError, OptionSpec, Options},
    refusal::IllegalMove,
    seat::{Seat, SeatSet},
    sketch::{CompletedSketch, Sketch},
};

pub use self::{notation::Move, violation::RuleViolation};

/// Diam is for two.
const PLAYERS: usize = 2;

/// A position of Diam: plain memory of fixed size.
#[derive(Clone, PartialEq, Debug)]
pub struct Diam {
    variant: Variant,
    board: Board,
    to_move: Seat,
    seats_in: SeatSet,
}

impl Diam {
    /// How many pieces with that letter are yet to be placed; none if this game has no such pieces.
    pub fn reserve(&self, letter: char) -> u8 {
        Colour::from_letter(letter).map_or(0, |colour| self.board.reserve(colour))
    }

    /// What decides legality besides the stacks, in one number.
    fn state_number(&self) -> u64 {
        join([self.variant.number(), self.to_move.index() as u64, self.seats_in.bits()])
    }
}

/// A summary of the rules and the notation, for players.
const RULES_SUMMARY: &str = "\
DIAM  Get two pieces with the same letter opposite each other, at the same level
and above the ground level.
A move puts a piece from your reserve on top of any stack, or takes a piece of
your own with all above it to the top of a neighbouring stack, order kept. No
stack may get too high; the dots show how high. The sectors run clockwise, and
opposites lie across the middle of the drawing.
After every move the highest such pair decides, whoever moved: moving can win
for your opponent. Who cannot move is passed over; if neither can, or a position
comes for the third time, it is a draw. With -nomirror the second player's first
piece may not go opposite the first one.
  A1            put an A on 1      8+   stack 8 clockwise      4-   4 back
  6,3-          of stack 6, the third piece from below with all on it, back";

impl Game for Diam {
    type Move = Move;
    type RuleViolation = RuleViolation;

    const NAME: &'static str = "diam";
    const TITLE: &'static str = "Diam";
    const GOAL: &'static str =
        "Get two like pieces of yours opposite each other, level and above the ground.";
    const VERSION: u16 = 1;
    const OPTIONS: &'static [OptionSpec] = SPECS;
    const PLAYERS: std::ops::RangeInclusive<usize> = PLAYERS..=PLAYERS;
    const CAPTURES: bool = false;
    const RULES_SUMMARY: &'static str = RULES_SUMMARY;

    fn complete(options: &Options, _: usize) -> Result<Options, OptionError> {
        Variant::from_options(options).map(Variant::options)
    }

    fn start(options: &Options, _: usize) -> Self {
        let variant = Variant::from_options(options).expect("complete options can be read");
        Self {
            variant,
            board: Board::empty(variant),
            to_move: FIRST,
            seats_in: SeatSet::all(PLAYERS),
        }
    }

    /// The first player is called A and the second X, as one of their colours each.
    fn letter(&self, seat: Seat) -> char {
        if seat == FIRST { 'A' } else { 'X' }
    }

    fn players(&self) -> usize {
        PLAYERS
    }

    fn to_move(&self) -> Seat {
        self.to_move
    }

    fn seats_in(&self) -> SeatSet {
        self.seats_in
    }

    fn parse_move(&self, notation: &str) -> Result<Move, IllegalMove> {
        Move::parse(notation, self.variant.ring)
    }

    fn validate(&self, mv: &Move) -> Result<Captures, IllegalMove> {
        self.validate_kind(mv.0)?;
        Ok(Captures::new())
    }

    fn apply(&mut self, mv: &Move) {
        debug_assert!(self.validate(mv).is_ok(), "only moves that validate accepts are made");
        self.carry_out(mv.0);
        self.skip();
    }

    /// The pieces of a player who leaves stay where they are.
    fn remove(&mut self, seat: Seat) {
        self.seats_in = self.seats_in.without(seat);
        if self.to_move == seat {
            self.skip();
        }
    }

    fn skip(&mut self) {
        self.to_move = self.seats_in.turn_after(self.to_move);
    }

    fn pending(&self) -> Option<Consequence> {
        if self.seats_in.len() <= 1 {
            let reason = EndReason::LastPlayer;
            return Some(Consequence::End { winners: self.seats_in, reason });
        }
        let aligned = self.board.aligned(self.variant.ring);
        if !aligned.is_empty() {
            return Some(Consequence::End { winners: aligned, reason: EndReason::Aligned });
        }
        if self.can_move() {
            return None;
        }
        let mut opponent = self.clone();
        opponent.skip();
        Some(if opponent.can_move() {
            Consequence::Skip(self.to_move)
        } else {
            Consequence::End { winners: self.seats_in, reason: EndReason::Stuck }
        })
    }

    fn can_move(&self) -> bool {
        self.placements_and_movements().next().is_some()
    }

    fn count_moves(&self) -> MoveCount {
        MoveCount::Exactly(self.placements_and_movements().count() as u128)
    }

    fn moves(&self) -> impl Iterator<Item = Move> {
        self.placements_and_movements()
    }

    fn sample_moves(&self, max: usize, pick: &mut dyn FnMut(usize) -> usize) -> Vec<Move> {
        self.sample(max, pick)
    }

    /// Sectors that a part of a stack may leave, or that a piece may be placed on.
    fn sources(&self) -> Vec<Cell> {
        let sectors = self.variant.ring.sectors();
        sectors.filter(|&from| !self.targets_of(from).is_empty()).map(Cell::from).collect()
    }

    /// A neighbour stands for a movement of some part of the stack, `from` itself for a placement.
    /// So a source and a target tell what kind of move it is and, if it is a movement, which way;
    /// the part or the letter remains to be chosen.
    fn targets(&self, from: Cell) -> Vec<Target> {
        self.variant.ring.sector(from).map_or_else(Vec::new, |from| self.targets_of(from))
    }

    fn can_complete(&self, sketch: &Sketch) -> bool {
        self.can_complete_sketch(sketch)
    }

    fn complete_sketch(&self, sketch: &Sketch) -> CompletedSketch {
        self.complete_amounts(sketch)
    }

    fn build_move(&self, completed: &CompletedSketch) -> Result<Option<Move>, IllegalMove> {
        self.build_sketched_move(completed)
    }

    fn winning_cells(&self) -> Vec<Cell> {
        let mut facing: Vec<Cell> =
            self.board.facing(self.variant.ring).flatten().map(Cell::from).collect();
        facing.sort_unstable();
        facing
    }

    fn affected_cells(&self, mv: &Move) -> Vec<(Cell, Mark)> {
        match mv.0 {
            MoveKind::Place { sector, .. } => vec![(sector.into(), Mark::To)],
            MoveKind::Carry { from, direction, .. } => {
                let to = self.variant.ring.step(from, direction);
                vec![(from.into(), Mark::From), (to.into(), Mark::To)]
            }
        }
    }

    /// Counts winning moves, and pieces that a like one can still come to be opposite of.
    fn progress(&self, seat: Seat) -> i32 {
        let wins = Self { to_move: seat, ..self.clone() }.winning_moves();
        let at_hand = if wins > 0 && self.to_move == seat { WIN } else { 0 };
        let ring = self.variant.ring;
        let both = ring.pairs().flat_map(|(one, other)| [(one, other), (other, one)]);
        let open = both.map(|(at, across)| open_pieces(self.board[at], self.board[across], seat));
        at_hand + THREAT * wins + open.sum::<i32>()
    }

    fn telling_lead(&self) -> i32 {
        Self::TELLING_LEAD
    }

    fn hash(&self) -> u64 {
        mix(self.board.hash() ^ mix(self.state_number()))
    }

    fn hash_from_scratch(&self) -> u64 {
        mix(self.board.hash_from_scratch(self.variant.ring) ^ mix(self.state_number()))
    }

    fn stacks(&self) -> Vec<(Cell, String)> {
        let sectors = self.variant.ring.sectors();
        let occupied = sectors.filter(|&sector| self.board[sector].height() > 0);
        occupied.map(|sector| (sector.into(), self.board[sector].letters())).collect()
    }

    fn cell_name(&self, cell: Cell) -> CellName {
        let sector = self.variant.ring.sector(cell);
        sector.map_or_else(CellName::unknown, Sector::name)
    }

    fn cell(&self, name: &str) -> Option<Cell> {
        self.variant.ring.find(name).map(Cell::from)
    }

    fn in_reserve(&self, seat: Seat) -> String {
        let pieces = |colour: Colour| {
            std::iter::repeat_n(colour.letter(), self.board.reserve(colour).into())
        };
        self.variant.colours_of(seat).flat_map(pieces).collect()
    }

    fn layout(&self) -> Layout {
        let cells = self.variant.ring.sectors().map(|sector| {
            let (x, y) = self.variant.ring.place(sector);
            LayoutCell { cell: sector.into(), x, y, shape: CellShape::Sector }
        });
        let letters = Seat::all(PLAYERS)
            .map(|seat| self.variant.colours_of(seat).map(Colour::letter).collect());
        Layout {
            cells: cells.collect(),
            edges: Vec::new(),
            letters: letters.collect(),
            levels: Some(self.variant.height_max),
        }
    }

    fn draw(&self, marks: &[(Cell, Mark)]) -> Drawing {
        let mut upper: Vec<_> = self.variant.ring.sectors().collect();
        let half = upper.len() / 2;
        let mut lower = upper.split_off(half);
        lower.reverse();
        let inside = " ".repeat(half * SECTOR_WIDTH + 1);

        let mut lines = self.levels(&upper, " ", marks);
        lines.push(floor(&upper, ['.', '.'], marks));
        lines.push(vec![Span::plain(format!("   |{inside}|"))]);
        lines.extend(self.levels(&lower, "|", marks));
        lines.push(floor(&lower, ['|', '|'], marks));
        lines.push(Vec::new());
        lines.extend([FIRST, SECOND].map(|seat| self.reserve_line(seat)));
        Drawing { lines }
    }

    fn notation_help(&self) -> &'static str {
        "place A1; move a stack clockwise 4+ or back 4-; its part from piece 3 upwards 6,3-"
    }
}

/// What it counts to have a win at hand and the turn too: more than all that can be prepared.
const WIN: i32 = 10_000;

/// What each winning move counts that a seat would have if it were its turn.
const THREAT: i32 = 10;

impl Diam {
    /// A lead that half decides the game: one move parries a few winning moves, but not this many.
    const TELLING_LEAD: i32 = 4 * THREAT;

    /// How many moves the seat to move can win by at once.
    fn winning_moves(&self) -> i32 {
        let wins = |kind| {
            let mut after = self.clone();
            after.carry_out(kind);
            after.board.aligned(self.variant.ring).contains(self.to_move)
        };
        self.placements_and_movements().map(|mv| i32::from(wins(mv.0))).sum()
    }
}

/// How many pieces of a seat are above the first level of a stack and above all of the opposite
/// one.
fn open_pieces(stack: Stack, opposite: Stack, seat: Seat) -> i32 {
    let levels = 2.max(opposite.height() + 1)..=stack.height();
    let own = |level| stack.piece(level).is_some_and(|colour| colour.owner() == seat);
    levels.map(|level| i32::from(own(level))).sum()
}

/// Why a position cannot be set up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PositionError {
    /// The options cannot be played with.
    #[error(transparent)]
    Options(#[from] OptionError),
    /// A sector that the board does not have.
    #[error("there is no sector {name:?} on this board")]
    NoSuchSector {
        /// As given.
        name: Box<str>,
    },
    /// The same sector twice.
    #[error("sector {name} is given twice")]
    SectorTwice {
        /// As given the second time.
        name: Box<str>,
    },
    /// Not a letter for each piece, of colours that this game has.
    #[error("{pieces:?} is not a stack: write the letter of each piece, the bottom one first")]
    NotAStack {
        /// As given.
        pieces: Box<str>,
    },
    /// A stack above the height of this board.
    #[error("{pieces:?} is too high: no stack is higher than {max}")]
    TooHigh {
        /// As given.
        pieces: Box<str>,
        /// The most.
        max: u8,
    },
    /// More pieces of one colour than this game has.
    #[error("there are only {max} pieces {letter}")]
    TooManyPieces {
        /// Their letter.
        letter: char,
        /// The most.
        max: u8,
    },
    /// The seat to move is not one of the two.
    #[error("Diam is for two players")]
    NoSuchSeat,
    /// Pieces of both players are opposed, equally high, which no game leads to.
    #[error("both players' pieces are opposite each other on the same level")]
    BothAligned,
}

impl Diam {
    /// A position with these stacks, each a sector's name and a letter per piece, bottom piece
    /// first. All other pieces are in reserve.
    pub fn from_setup(
        options: &Options,
        stacks: &[(&str, &str)],
        to_move: Seat,
    ) -> Result<Self, PositionError> {
        let variant = Variant::from_options(options)?;
        let mut board = Board::empty(variant);
        for &(name, pieces) in stacks {
            let sector = variant
                .ring
                .find(name)
                .ok_or_else(|| PositionError::NoSuchSector { name: name.into() })?;
            if board[sector].height() > 0 {
                return Err(PositionError::SectorTwice { name: name.into() });
            }
            for colour in read_stack(pieces, variant)? {
                if board.reserve(colour) == 0 {
                    let letter = colour.letter();
                    return Err(PositionError::TooManyPieces { letter, max: variant.pieces });
                }
                board.place(colour, sector);
            }
        }
        if to_move.index() >= PLAYERS {
            return Err(PositionError::NoSuchSeat);
        }
        if board.aligned(variant.ring).len() > 1 {
            return Err(PositionError::BothAligned);
        }
        Ok(Self { variant, board, to_move, seats_in: SeatSet::all(PLAYERS) })
    }
}

fn read_stack(pieces: &str, variant: Variant) -> Result<Vec<Colour>, PositionError> {
    if pieces.len() > usize::from(variant.height_max) && pieces.is_ascii() {
        return Err(PositionError::TooHigh { pieces: pieces.into(), max: variant.height_max });
    }
    let colour = |letter| Colour::from_letter(letter).filter(|&colour| variant.has(colour));
    pieces
        .chars()
        .map(colour)
        .collect::<Option<Vec<_>>>()
        .filter(|colours| !colours.is_empty())
        .ok_or_else(|| PositionError::NotAStack { pieces: pieces.into() })
}

// The board as characters: a ring with a stack on each sector, and what is in reserve.
//
// The first half of the ring is above from left to right, the other half below from right to left,
// so that going round is going clockwise and opposites lie across the middle. Each stack stands on
// the line below it, where its sector is numbered; dots show how high it may still get. Levels are
// numbered at the left, and a sign before a sector's number points it out.

/// Characters of a line that belong to one sector.
const SECTOR_WIDTH: usize = 6;

impl Diam {
    /// The pieces of some stacks, level by level from the top.
    fn levels(&self, sectors: &[Sector], wall: &str, marks: &[(Cell, Mark)]) -> Vec<Vec<Span>> {
        let levels = (1..=self.variant.height_max).rev();
        let line = |level| {
            let pieces = sectors.iter().map(|&sector| self.piece(sector, level, marks));
            let left = Span::plain(format!(" {level} {wall}"));
            std::iter::once(left).chain(pieces).chain([Span::plain(format!(" {wall}"))]).collect()
        };
        levels.map(line).collect()
    }

    fn piece(&self, sector: Sector, level: u8, marks: &[(Cell, Mark)]) -> Span {
        let colour = self.board[sector].piece(level);
        let letter = colour.map_or('.', Colour::letter);
        Span {
            text: format!("   {letter}  "),
            seat: colour.map(Colour::owner),
            cell: Some(sector.into()),
            mark: Mark::of(sector.into(), marks),
        }
    }

    fn reserve_line(&self, seat: Seat) -> Vec<Span> {
        let mut line = vec![Span::plain(format!(" {} has", self.letter(seat)))];
        for colour in self.variant.colours_of(seat) {
            let count = self.board.reserve(colour).into();
            let pieces: String = std::iter::repeat_n(colour.letter(), count).collect();
            if count > 0 {
                let text = format!(" {pieces}");
                line.push(Span { text, seat: Some(seat), cell: None, mark: None });
            }
        }
        if line.len() == 1 {
            line.push(Span::plain(" nothing"));
        }
        line.push(Span::plain(" to place"));
        line
    }
}

/// The line that stacks stand on, with the numbers of their sectors.
fn floor(sectors: &[Sector], ends: [char; 2], marks: &[(Cell, Mark)]) -> Vec<Span> {
    let mut line = vec![Span::plain(format!("   {}", ends[0]))];
    for &sector in sectors {
        let mark = Mark::of(sector.into(), marks);
        line.push(Span::plain("__"));
        let text = format!("{}{} ", sign(mark), sector.number());
        let rest = "_".repeat(SECTOR_WIDTH - "__".len() - text.len());
        line.push(Span { text, seat: None, cell: Some(sector.into()), mark });
        line.push(Span::plain(rest));
    }
    line.push(Span::plain(format!("_{}", ends[1])));
    line
}
