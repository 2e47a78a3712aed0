//! Stymie: pieces on octagons and squares that connect two opposite edges, where a single piece
//! gives the opponent the right to put down three.
//!
//! Here are the position, the turns and the drawing. The player at a seat after a swap, repetition
//! and draws by agreement are the table's.

mod board;
mod moves;
pub(super) mod notation;
pub mod violation;

use board::{Board, CellSet, Lattice, PLAYERS, SIZE_MAX, SIZE_MIN, Spot};
use notation::MoveKind;

use crate::{
    cell::{Cell, CellName},
    game::{
        self, Captures, CellShape, Consequence, Drawing, EndReason, Followers, Game, Layout,
        LayoutCell, LayoutEdge, Mark, MoveCount, Span, Target, sign,
    },
    hashing::{join, mix},
    options::{OptionChoice, OptionError, OptionKind, OptionSpec, OptionValue, Options},
    refusal::IllegalMove,
    seat::{Seat, SeatSet},
    sketch::{CompletedSketch, Sketch},
};

pub use self::{notation::Move, violation::RuleViolation};

/// The letters of the seats, in turn order.
const LETTERS: [char; PLAYERS] = ['V', 'H'];

/// The size of a board where none is chosen.
const SIZE_DEFAULT: u32 = 8;

/// The move just before, as far as it decides what may answer it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LastMove {
    /// There is none: the next move opens the game.
    None,
    /// The opening, which may be answered by a swap, but not by three pieces.
    Opening,
    /// One piece, which may be answered by three.
    Single,
    /// Several pieces, a swap, or nothing because a seat was passed over.
    Other,
}

/// A position of Stymie: plain memory of fixed size.
#[derive(Clone, PartialEq, Debug)]
pub struct Stymie {
    board: Board,
    /// Whether the opening may be answered by a swap.
    swap: bool,
    to_move: Seat,
    seats_in: SeatSet,
    last_move: LastMove,
}

impl Stymie {
    /// Whether a seat has connected its two edges.
    pub fn is_connected(&self, seat: Seat) -> bool {
        self.board.winner() == Some(seat)
    }

    /// The cells that a chain can go on to from a cell, in the game's order.
    pub fn neighbours(&self, cell: Cell) -> Vec<Cell> {
        let lattice = self.board.lattice();
        let spots = lattice.spot(cell).into_iter().flat_map(Spot::neighbours).map(Cell::from);
        let mut cells: Vec<_> = spots.filter(|&cell| lattice.spot(cell).is_some()).collect();
        cells.sort_unstable();
        cells
    }

    /// Every piece on a board with its letter.
    fn stacks_on(&self, board: &Board) -> Vec<(Cell, String)> {
        let pieces = board.pieces();
        pieces.map(|(spot, seat)| (spot.into(), self.letter(seat).to_string())).collect()
    }

    /// Gives the turn to the next seat that is still in, if there is any.
    fn pass_turn(&mut self) {
        self.to_move = self.seats_in.turn_after(self.to_move);
    }

    /// Gives the turn away without a move, and with it the right to answer the last one.
    fn pass_over(&mut self) {
        if self.last_move != LastMove::None {
            self.last_move = LastMove::Other;
        }
        self.pass_turn();
    }

    /// What decides legality besides the pieces, in one number.
    fn state_number(&self) -> u64 {
        join([
            u64::from(self.board.lattice().size()),
            u64::from(self.swap),
            self.last_move as u64,
            self.to_move.index() as u64,
            self.seats_in.bits(),
        ])
    }
}

/// A summary of the rules and the notation, for players.
const RULES_SUMMARY: &str = "\
STYMIE  V joins the top row to the bottom row, H the first column to the last.
Octagons touch the octagons beside, above and below them and the squares at
their corners; squares touch octagons only. Pieces never move. V opens with one
piece. Then a move puts down one piece on any free cell, or two: on an octagon
and a square that touches it.
After an opponent's single piece, the opening aside, it may be three: an octagon
and two squares that touch it, or a square and two octagons that touch it. So
mind when you put down only one. A full board always has a winner.
With -swap, H may answer the opening by taking over V's side and its piece.
  f6            one piece          f6,g5,h6      three
  f6,g5         two                swap          to change sides";

/// The values of `size`.
const SIZES: &[OptionChoice] = &[
    OptionChoice::new("3", "3 × 3 octagons"),
    OptionChoice::new("4", "4 × 4 octagons"),
    OptionChoice::new("5", "5 × 5 octagons"),
    OptionChoice::new("6", "6 × 6 octagons"),
    OptionChoice::new("7", "7 × 7 octagons"),
    OptionChoice::new("8", "8 × 8 octagons"),
    OptionChoice::new("9", "9 × 9 octagons"),
    OptionChoice::new("10", "10 × 10 octagons"),
    OptionChoice::new("11", "11 × 11 octagons"),
    OptionChoice::new("12", "12 × 12 octagons"),
];

impl Game for Stymie {
    type Move = Move;
    type RuleViolation = RuleViolation;

    const NAME: &'static str = "stymie";
    const TITLE: &'static str = "Stymie";
    const GOAL: &'static str = "Connect your two edges with a chain of your pieces.";
    const VERSION: u16 = 1;
    const OPTIONS: &'static [OptionSpec] = &[
        OptionSpec {
            name: "size",
            title: "Board size",
            kind: OptionKind::Number { min: SIZE_MIN as u32, max: SIZE_MAX as u32 },
            choices: SIZES,
            about: "octagons along a side of the board; by default 8",
        },
        OptionSpec {
            name: "swap",
            title: "Swap after the opening",
            kind: OptionKind::Flag,
            choices: &[],
            about: "H may answer the opening by changing seats with V; by default on if rated",
        },
    ];
    const ON_WHEN_RATED: &'static [&'static str] = &["swap"];
    const PLAYERS: std::ops::RangeInclusive<usize> = PLAYERS..=PLAYERS;
    const CAPTURES: bool = false;
    const RULES_SUMMARY: &'static str = RULES_SUMMARY;

    fn complete(options: &Options, _players: usize) -> Result<Options, OptionError> {
        options.check(Self::OPTIONS)?;
        let size = options.number("size").unwrap_or(SIZE_DEFAULT);
        let mut complete = Options::new();
        complete.set("size", OptionValue::Number(size));
        complete.set("swap", OptionValue::Flag(options.flag("swap")));
        Ok(complete)
    }

    fn start(options: &Options, _players: usize) -> Self {
        let size = options.number("size").expect("complete options have every number");
        let lattice = Lattice::new(size).expect("complete options are within bounds");
        Self {
            board: Board::empty(lattice),
            swap: options.flag("swap"),
            to_move: Seat::FIRST,
            seats_in: SeatSet::all(PLAYERS),
            last_move: LastMove::None,
        }
    }

    fn letter(&self, seat: Seat) -> char {
        LETTERS[seat.index()]
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
        Move::parse(notation, self.board.lattice())
    }

    fn validate(&self, mv: &Move) -> Result<Captures, IllegalMove> {
        self.validate_move(mv)?;
        Ok(Captures::new())
    }

    fn apply(&mut self, mv: &Move) {
        debug_assert!(self.validate(mv).is_ok(), "only moves that validate accepts are made");
        self.carry_out(mv);
    }

    fn swaps_seats(&self, mv: &Move) -> bool {
        *mv.kind() == MoveKind::Swap
    }

    fn remove(&mut self, seat: Seat) {
        self.seats_in = self.seats_in.without(seat);
        if self.to_move == seat {
            self.pass_over();
        }
    }

    fn skip(&mut self) {
        self.pass_over();
    }

    fn pending(&self) -> Option<Consequence> {
        if let Some(winner) = self.board.winner() {
            let winners = SeatSet::only(winner);
            return Some(Consequence::End { winners, reason: EndReason::Connected });
        }
        // A full board has a winner, so no seat is ever stuck.
        (self.seats_in.len() <= 1)
            .then_some(Consequence::End { winners: self.seats_in, reason: EndReason::LastPlayer })
    }

    fn can_move(&self) -> bool {
        !self.board.free().is_empty()
    }

    fn count_moves(&self) -> MoveCount {
        self.count()
    }

    fn moves(&self) -> impl Iterator<Item = Move> {
        self.by_pieces()
    }

    fn representatives_of_many(&self, max: usize) -> Vec<Move> {
        self.pick_representatives(max)
    }

    fn sample_moves(&self, max: usize, pick: &mut dyn FnMut(usize) -> usize) -> Vec<Move> {
        self.sample(max, pick)
    }

    fn sources(&self) -> Vec<Cell> {
        self.board.free().iter().map(Cell::from).collect()
    }

    fn targets(&self, from: Cell) -> Vec<Target> {
        self.board.lattice().spot(from).map_or_else(Vec::new, |from| self.targets_of(from))
    }

    fn can_complete(&self, sketch: &Sketch) -> bool {
        self.can_complete_sketch(sketch)
    }

    fn followers(&self, first: &Sketch) -> Option<Followers> {
        let first = self.board.lattice().spot(first.to().first()?.cell)?;
        Some(Followers { to: self.targets_of(first), from: Vec::new() })
    }

    fn build_move(&self, completed: &CompletedSketch) -> Result<Option<Move>, IllegalMove> {
        self.build_sketched_move(completed)
    }

    fn named_moves(&self) -> Vec<Move> {
        self.swaps().collect()
    }

    fn winning_cells(&self) -> Vec<Cell> {
        let Some(winner) = self.board.winner() else { return Vec::new() };
        self.board.shortest_chain(winner).into_iter().map(Cell::from).collect()
    }

    fn affected_cells(&self, mv: &Move) -> Vec<(Cell, Mark)> {
        mv.affected_cells()
    }

    /// Counts the cells that the seat still needs: all of the board if the other's chain is in its
    /// way.
    fn progress(&self, seat: Seat) -> i32 {
        let lines = i32::from(self.board.lattice().lines());
        -self.cells_needed(seat).unwrap_or(lines * lines)
    }

    /// A move fills three cells at the most.
    fn moves_needed(&self, seat: Seat) -> u32 {
        self.progress(seat).unsigned_abs().div_ceil(3)
    }

    fn hash(&self) -> u64 {
        mix(self.board.hash() ^ mix(self.state_number()))
    }

    fn hash_from_scratch(&self) -> u64 {
        mix(self.board.hash_from_scratch() ^ mix(self.state_number()))
    }

    fn stacks(&self) -> Vec<(Cell, String)> {
        self.stacks_on(&self.board)
    }

    fn stacks_of_sketch(&self, completed: &CompletedSketch) -> Vec<(Cell, String)> {
        let mut drawn = self.board.clone();
        let spots = completed.to.iter().filter_map(|part| drawn.lattice().spot(part.cell));
        for spot in spots.collect::<Vec<_>>() {
            if drawn.free().contains(spot) {
                drawn.put(spot, self.to_move);
            }
        }
        self.stacks_on(&drawn)
    }

    fn cell_name(&self, cell: Cell) -> CellName {
        let spot = self.board.lattice().spot(cell);
        spot.map_or_else(CellName::unknown, CellName::from)
    }

    fn cell(&self, name: &str) -> Option<Cell> {
        self.board.lattice().find(name).map(Cell::from)
    }

    fn layout(&self) -> Layout {
        let lattice = self.board.lattice();
        let cells = lattice.spots().map(|spot| {
            let (x, y) = lattice.place(spot);
            let shape = if spot.is_octagon() { CellShape::Octagon } else { CellShape::Square };
            LayoutCell { cell: spot.into(), x, y, shape }
        });
        let names = [["bottom", "top"], ["left", "right"]];
        let edges = Seat::all(PLAYERS).zip(names).flat_map(|(seat, names)| {
            names.into_iter().zip([0, lattice.lines() - 1]).map(move |(name, line)| {
                let spots = lattice.spots().filter(|spot| spot.lines_from_edge(seat) == line);
                LayoutEdge { seat, name, cells: spots.map(Cell::from).collect() }
            })
        });
        Layout {
            cells: cells.collect(),
            edges: edges.collect(),
            letters: game::letters(self),
            levels: None,
        }
    }

    fn draw(&self, marks: &[(Cell, Mark)]) -> Drawing {
        let lattice = self.board.lattice();
        let rows = (0..lattice.lines()).rev().map(|row| self.draw_row(row, marks));
        let mut lines = vec![letter_line(lattice), border(lattice)];
        lines.extend(rows);
        lines.extend([border(lattice), letter_line(lattice)]);
        Drawing { lines }
    }

    fn notation_help(&self) -> &'static str {
        match self.last_move {
            LastMove::None => "one piece on any cell, as in f6",
            LastMove::Opening if self.swap => {
                "one piece f6; two on an octagon and a square touching it f6,g5; or swap"
            }
            LastMove::Single => {
                "one piece f6; two on an octagon and a square touching it f6,g5; three f6,g5,h6"
            }
            LastMove::Opening | LastMove::Other => {
                "one piece f6; two on an octagon and a square touching it f6,g5"
            }
        }
    }
}

impl Stymie {
    /// How many empty cells the chain has that has the fewest.
    fn cells_needed(&self, seat: Seat) -> Option<i32> {
        let own = self.board.pieces_of(seat);
        let lattice = self.board.lattice();
        let mut unseen = *own | *self.board.free();
        // Cells to go on from: those with as many empty ones on the way, and those with one more.
        let (mut near, mut far) = (CellSet::EMPTY, CellSet::EMPTY);
        let add = |spot, near: &mut CellSet, far: &mut CellSet| {
            if own.contains(spot) { near.insert(spot) } else { far.insert(spot) }
        };
        for spot in lattice.first_line(seat).filter(|&spot| unseen.take(spot)) {
            add(spot, &mut near, &mut far);
        }
        let mut cells = 0;
        loop {
            while let Some(spot) = near.pop() {
                if spot.lines_from_edge(seat) == lattice.lines() - 1 {
                    return Some(cells);
                }
                for next in spot.neighbours().filter(|&next| unseen.take(next)) {
                    add(next, &mut near, &mut far);
                }
            }
            if far.is_empty() {
                return None;
            }
            near = std::mem::replace(&mut far, CellSet::EMPTY);
            cells += 1;
        }
    }
}

/// Why a position cannot be set up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PositionError {
    /// The options cannot be played with.
    #[error(transparent)]
    Options(#[from] OptionError),
    /// A cell that the board does not have.
    #[error("there is no cell {name:?} on this board")]
    NoSuchCell {
        /// As given.
        name: Box<str>,
    },
    /// The same cell twice.
    #[error("{name} is given twice")]
    CellTwice {
        /// As given the second time.
        name: Box<str>,
    },
    /// Not the letter of a seat.
    #[error("{letter:?} is not the letter of a seat")]
    NoSuchLetter {
        /// As given.
        letter: char,
    },
    /// A seat to move that this game does not have.
    #[error("Stymie has two seats")]
    NoSuchSeat,
}

impl Stymie {
    /// A position with these pieces, each a cell's name and a seat's letter, in which `last_move`
    /// decides what the seat to move may answer.
    pub fn from_setup(
        options: &Options,
        pieces: &[(&str, char)],
        to_move: Seat,
        last_move: LastMove,
    ) -> Result<Self, PositionError> {
        let mut position = Self::start(&Self::complete(options, PLAYERS)?, PLAYERS);
        if !position.seats_in.contains(to_move) {
            return Err(PositionError::NoSuchSeat);
        }
        let board = &mut position.board;
        for &(name, letter) in pieces {
            let spot = board
                .lattice()
                .find(name)
                .ok_or_else(|| PositionError::NoSuchCell { name: name.into() })?;
            if !board.free().contains(spot) {
                return Err(PositionError::CellTwice { name: name.into() });
            }
            let seat = Seat::all(PLAYERS)
                .find(|seat| LETTERS[seat.index()].eq_ignore_ascii_case(&letter))
                .ok_or(PositionError::NoSuchLetter { letter })?;
            board.put(spot, seat);
        }
        position.to_move = to_move;
        position.last_move = last_move;
        Ok(position)
    }
}

// The board as characters: octagons between upright bars, squares in the gaps between the
// octagons' upper and lower sides.
//
// Each row of cells is one line. An octagon is five characters wide with a bar on either side, and
// a square three, in line with the bars above and below it. The letter of a piece stands in the
// middle, after a sign that points it out or a blank; in an empty cell the sign takes its place.
// Numbers stand at both ends of each row, letters above and below the columns.

/// The upper side of an octagon and the lower side of the one above.
const SIDE: &str = "---";

impl Stymie {
    fn draw_row(&self, row: u16, marks: &[(Cell, Mark)]) -> Vec<Span> {
        let of_octagons = row.is_multiple_of(2);
        let (start, gap, end) =
            if of_octagons { ("|", "|", "|") } else { ("  ---", SIDE, "---  ") };
        let mut line = vec![Span::plain(format!("{:>2} {start}", row + 1))];
        for (index, spot) in self.board.lattice().row(row).enumerate() {
            if index > 0 {
                line.push(Span::plain(gap));
            }
            line.push(self.draw_cell(spot, marks));
        }
        line.push(Span::plain(format!("{end} {}", row + 1)));
        line
    }

    fn draw_cell(&self, spot: Spot, marks: &[(Cell, Mark)]) -> Span {
        let cell = Cell::from(spot);
        let mark = Mark::of(cell, marks);
        let seat = self.board.owner(spot);
        let sign = sign(mark);
        let shown = match seat {
            Some(seat) => [sign, LETTERS[seat.index()]],
            None => [' ', sign],
        };
        let shown = String::from_iter(shown);
        let text = if spot.is_octagon() { format!(" {shown}  ") } else { format!("{shown} ") };
        Span { text, seat, cell: Some(cell), mark }
    }
}

/// The letters of the columns, each above or below the middle of its cells.
fn letter_line(lattice: Lattice) -> Vec<Span> {
    let letters = (b'A'..).take(lattice.lines().into()).map(char::from);
    std::iter::once(Span::plain("     "))
        .chain(letters.map(|letter| Span::plain(format!(" {letter} "))))
        .collect()
}

/// The sides of the outermost octagons.
fn border(lattice: Lattice) -> Vec<Span> {
    vec![Span::plain(format!("     {}", vec![SIDE; lattice.size().into()].join("   ")))]
}
