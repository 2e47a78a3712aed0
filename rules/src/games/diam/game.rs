//! The position of Diam and the course of a turn.

use super::{
    board::Board,
    notation::{Move, MoveKind},
    ring::Sector,
    stack::{Colour, FIRST, Stack},
    variant::{SPECS, Variant},
    violation::RuleViolation,
};
use crate::{
    cell::{Cell, CellName},
    game::{
        Captures, CellShape, Consequence, Drawing, EndReason, Game, Layout, LayoutCell, Mark,
        MoveCount, Target,
    },
    hashing::{join, mix},
    options::{OptionError, OptionSpec, Options},
    refusal::IllegalMove,
    seat::{Seat, SeatSet},
    sketch::{CompletedSketch, Sketch},
};

/// Diam is for two.
pub(super) const PLAYERS: usize = 2;

/// A position of Diam: plain memory of fixed size.
#[derive(Clone, PartialEq, Debug)]
pub struct Diam {
    pub(super) variant: Variant,
    pub(super) board: Board,
    pub(super) to_move: Seat,
    pub(super) seats_in: SeatSet,
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

    fn progress(&self, seat: Seat) -> i32 {
        self.progress_of(seat)
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
        self.drawing(marks)
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
    pub(super) const TELLING_LEAD: i32 = 4 * THREAT;

    /// Counts winning moves, and pieces that a like one can still come to be opposite of.
    pub(super) fn progress_of(&self, seat: Seat) -> i32 {
        let wins = Self { to_move: seat, ..self.clone() }.winning_moves();
        let at_hand = if wins > 0 && self.to_move == seat { WIN } else { 0 };
        let ring = self.variant.ring;
        let both = ring.pairs().flat_map(|(one, other)| [(one, other), (other, one)]);
        let open = both.map(|(at, across)| open_pieces(self.board[at], self.board[across], seat));
        at_hand + THREAT * wins + open.sum::<i32>()
    }

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
