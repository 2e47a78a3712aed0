//! Adamas: stacks on a hexagon that split, merge and capture what is outnumbered exactly.
//!
//! Here are the position, the turns and the drawing. Repetition and draws by agreement are the
//! table's.

mod board;
mod listing;
mod moves;
pub(super) mod notation;
pub mod violation;

use board::{Board, Hexagon, PIECES_MAX, SIZE_MAX, SIZE_MIN, Spot};

use crate::{
    cell::{Cell, CellName},
    game::{
        self, Captures, CellShape, Consequence, Drawing, EndReason, Followers, Game, Layout,
        LayoutCell, LeaveReason, Mark, MoveCount, Span, Target, sign,
    },
    hashing::{join, mix},
    options::{OptionChoice, OptionError, OptionKind, OptionSpec, OptionValue, Options},
    refusal::IllegalMove,
    seat::{SEATS_MAX, Seat, SeatSet},
    sketch::{CompletedSketch, Sketch},
};

pub use self::{notation::Move, violation::RuleViolation};

/// The letters of the seats, in turn order.
const LETTERS: [char; SEATS_MAX] = ['O', 'X', 'Y'];

/// A position of Adamas: plain memory of fixed size.
#[derive(Clone, PartialEq, Debug)]
pub struct Adamas {
    board: Board,
    players: u8,
    /// Whether visible enemies are counted again after each part of a split.
    prog_cap: bool,
    to_move: Seat,
    seats_in: SeatSet,
    /// Whether the next move is the first of the game and may not capture.
    opening: bool,
}

impl Adamas {
    /// Returns the number of pieces of other colours that a stack sees; 0 for an empty cell.
    pub fn visible_enemy_count(&self, cell: Cell) -> u8 {
        self.board.hexagon().spot(cell).map_or(0, |spot| {
            let owner = self.board.stack(spot).owner();
            owner.map_or(0, |owner| self.board.enemies_seen(spot, owner))
        })
    }

    /// Two single pieces of different colours that do not see each other.
    fn is_tied(&self) -> bool {
        self.board.pieces_of_all() == 2
            && self.seats_in.iter().all(|seat| self.board.pieces(seat) == 1)
            && self.board.stacks().all(|(spot, owner, _)| self.board.enemies_seen(spot, owner) == 0)
    }

    /// Gives the turn to the next seat that is still in, if there is any.
    fn pass_turn(&mut self) {
        self.to_move = self.seats_in.turn_after(self.to_move);
    }

    /// What decides legality besides the stacks, in one number.
    fn state_number(&self) -> u64 {
        join([
            u64::from(self.board.hexagon().size()),
            u64::from(self.players),
            u64::from(self.prog_cap),
            u64::from(self.opening),
            self.to_move.index() as u64,
            self.seats_in.bits(),
        ])
    }
}

/// A summary of the rules and the notation, for players.
const RULES_SUMMARY: &str = "\
ADAMAS  Capture until nobody else has pieces and moves left.
A piece goes any distance along six lines over empty cells, to an empty cell, an
own stack or an enemy stack that it captures. In one move a stack splits to
several cells, or several stacks merge on one; each part must see its goal.
An enemy stack falls if its height equals the number of pieces of other colours
that it sees: the heights of the first stacks on its six lines, added up. The
very first move may not capture. Who has no piece, or no move when it is their
turn, is out; the last one left wins. Two single pieces of different colours
that do not see each other, or a position that comes for the third time, draw.
  c1-c3         one piece          c1-e1,4xc3    a split: one and four
  4xc1-c3       four pieces        c2,2xe1-d2    a merge: one and two";

/// The values of `size`.
const SIZES: &[OptionChoice] = &[
    OptionChoice::new("2", "2 cells a side, 7 in all"),
    OptionChoice::new("3", "3 cells a side, 19 in all"),
    OptionChoice::new("4", "4 cells a side, 37 in all"),
    OptionChoice::new("5", "5 cells a side, 61 in all"),
    OptionChoice::new("6", "6 cells a side, 91 in all"),
    OptionChoice::new("7", "7 cells a side, 127 in all"),
    OptionChoice::new("8", "8 cells a side, 169 in all"),
];

impl Game for Adamas {
    type Move = Move;
    type RuleViolation = RuleViolation;

    const NAME: &'static str = "adamas";
    const TITLE: &'static str = "Adamas";
    const GOAL: &'static str = "Capture stacks until no other player has pieces and moves left.";
    const VERSION: u16 = 1;
    const OPTIONS: &'static [OptionSpec] = &[
        OptionSpec {
            name: "size",
            title: "Board size",
            kind: OptionKind::Number { min: SIZE_MIN as u32, max: SIZE_MAX as u32 },
            choices: SIZES,
            about: "cells per side of the board; by default 3 for two players, 4 for three",
        },
        OptionSpec {
            name: "pieces",
            title: "Pieces for each player",
            kind: OptionKind::Number { min: 2, max: PIECES_MAX as u32 },
            choices: &[],
            about: "pieces each player starts with; by default 4 * (size - 1)",
        },
        OptionSpec {
            name: "prog_cap",
            title: "Progressive captures",
            kind: OptionKind::Flag,
            choices: &[],
            about: "visible enemies are counted again after each part of a split",
        },
    ];
    const PLAYERS: std::ops::RangeInclusive<usize> = 2..=3;
    const CAPTURES: bool = true;
    const RULES_SUMMARY: &'static str = RULES_SUMMARY;

    fn complete(options: &Options, players: usize) -> Result<Options, OptionError> {
        options.check(Self::OPTIONS)?;
        let size = options.number("size").unwrap_or(if players == 2 { 3 } else { 4 });
        let pieces = options.number("pieces").unwrap_or(4 * (size - 1));
        let mut complete = Options::new();
        complete.set("size", OptionValue::Number(size));
        complete.set("pieces", OptionValue::Number(pieces));
        complete.set("prog_cap", OptionValue::Flag(options.flag("prog_cap")));
        Ok(complete)
    }

    fn start(options: &Options, players: usize) -> Self {
        let number = |name| options.number(name).expect("complete options have every number");
        let hexagon = Hexagon::new(number("size")).expect("complete options are within bounds");
        let pieces = u8::try_from(number("pieces")).expect("complete options are within bounds");
        let corners: &[_] = if players == 2 {
            &[hexagon.left(), hexagon.right()]
        } else {
            &[hexagon.left(), hexagon.top_right(), hexagon.bottom_right()]
        };
        let mut board = Board::empty(hexagon);
        for (seat, &corner) in Seat::all(players).zip(corners) {
            board.land(corner, seat, pieces);
        }
        Self {
            board,
            players: u8::try_from(players).expect("a table has few seats"),
            prog_cap: options.flag("prog_cap"),
            to_move: Seat::FIRST,
            seats_in: SeatSet::all(players),
            opening: true,
        }
    }

    fn letter(&self, seat: Seat) -> char {
        LETTERS[seat.index()]
    }

    fn players(&self) -> usize {
        usize::from(self.players)
    }

    fn to_move(&self) -> Seat {
        self.to_move
    }

    fn seats_in(&self) -> SeatSet {
        self.seats_in
    }

    fn parse_move(&self, notation: &str) -> Result<Move, IllegalMove> {
        Move::parse(notation, self.board.hexagon(), self.prog_cap)
    }

    fn validate(&self, mv: &Move) -> Result<Captures, IllegalMove> {
        if mv.hexagon() != self.board.hexagon() {
            return Err(IllegalMove::OTHER_BOARD);
        }
        Ok(self.validate_path(mv.path())?)
    }

    fn apply(&mut self, mv: &Move) {
        debug_assert!(self.validate(mv).is_ok(), "only moves that validate accepts are made");
        self.carry_out(mv.path());
        self.opening = false;
        self.pass_turn();
    }

    fn remove(&mut self, seat: Seat) {
        self.seats_in = self.seats_in.without(seat);
        self.board.clear_seat(seat);
        if self.to_move == seat {
            // The rule of the opening binds only the opening player.
            self.opening = false;
            self.pass_turn();
        }
    }

    fn skip(&mut self) {
        self.opening = false;
        self.pass_turn();
    }

    fn pending(&self) -> Option<Consequence> {
        if let Some(seat) = self.seats_in.iter().find(|&seat| self.board.pieces(seat) == 0) {
            return Some(Consequence::Remove(seat, LeaveReason::NoPieces));
        }
        if self.seats_in.len() <= 1 {
            return Some(Consequence::End {
                winners: self.seats_in,
                reason: EndReason::LastPlayer,
            });
        }
        if self.is_tied() {
            return Some(Consequence::End { winners: self.seats_in, reason: EndReason::TwoPieces });
        }
        (!self.can_move()).then_some(Consequence::Remove(self.to_move, LeaveReason::NoMove))
    }

    fn can_move(&self) -> bool {
        self.board.stacks_of(self.to_move).any(|(from, _)| self.can_act(from))
    }

    fn count_moves(&self) -> MoveCount {
        self.count()
    }

    fn counts_moves(&self) -> bool {
        !self.prog_cap
    }

    fn moves(&self) -> impl Iterator<Item = Move> {
        self.moves_behind(None, None)
    }

    fn moves_after(&self, from: Option<Cell>, after: Option<&Move>, max: usize) -> Vec<Move> {
        let hexagon = self.board.hexagon();
        match from.map(|cell| hexagon.spot(cell)) {
            Some(None) => Vec::new(),
            from => self.moves_behind(from.flatten(), after).take(max).collect(),
        }
    }

    fn representatives_of_many(&self, max: usize) -> Vec<Move> {
        self.pick_representatives(max)
    }

    fn sample_moves(&self, max: usize, pick: &mut dyn FnMut(usize) -> usize) -> Vec<Move> {
        self.sample(max, pick)
    }

    fn sources(&self) -> Vec<Cell> {
        let own = self.board.stacks_of(self.to_move);
        own.filter(|&(from, _)| self.can_act(from)).map(|(from, _)| from.into()).collect()
    }

    fn targets(&self, from: Cell) -> Vec<Target> {
        self.board.hexagon().spot(from).map_or_else(Vec::new, |from| self.targets_of(from))
    }

    fn can_complete(&self, sketch: &Sketch) -> bool {
        self.can_complete_sketch(sketch)
    }

    fn followers(&self, first: &Sketch) -> Option<Followers> {
        let from = self.board.hexagon().spot(first.from().first()?.cell)?;
        Some(self.followers_of(from))
    }

    fn complete_sketch(&self, sketch: &Sketch) -> CompletedSketch {
        self.complete_amounts(sketch)
    }

    fn build_move(&self, completed: &CompletedSketch) -> Result<Option<Move>, IllegalMove> {
        self.build_sketched_move(completed)
    }

    fn is_capture(&self, cell: Cell) -> bool {
        self.board.hexagon().spot(cell).is_some_and(|spot| self.is_enemy(spot))
    }

    fn threatened(&self) -> Vec<Cell> {
        self.threatened_stacks().map(Cell::from).collect()
    }

    fn affected_cells(&self, mv: &Move) -> Vec<(Cell, Mark)> {
        mv.affected_cells()
    }

    fn hash(&self) -> u64 {
        mix(self.board.hash() ^ mix(self.state_number()))
    }

    fn hash_from_scratch(&self) -> u64 {
        mix(self.board.hash_from_scratch() ^ mix(self.state_number()))
    }

    fn stacks(&self) -> Vec<(Cell, String)> {
        self.board
            .stacks()
            .map(|(spot, seat, height)| {
                (spot.into(), std::iter::repeat_n(self.letter(seat), height.into()).collect())
            })
            .collect()
    }

    fn cell_name(&self, cell: Cell) -> CellName {
        let hexagon = self.board.hexagon();
        hexagon.spot(cell).map_or_else(CellName::unknown, |spot| hexagon.name(spot))
    }

    fn cell(&self, name: &str) -> Option<Cell> {
        self.board.hexagon().find(name).map(Cell::from)
    }

    fn layout(&self) -> Layout {
        let hexagon = self.board.hexagon();
        let cells = hexagon.spots().map(|spot| {
            let (x, y) = hexagon.place(spot);
            LayoutCell { cell: spot.into(), x, y, shape: CellShape::Hex }
        });
        Layout {
            cells: cells.collect(),
            edges: Vec::new(),
            letters: game::letters(self),
            levels: None,
        }
    }

    fn draw(&self, marks: &[(Cell, Mark)]) -> Drawing {
        let hexagon = self.board.hexagon();
        let rows = (0..hexagon.rows()).rev().map(|row| self.draw_row(row, marks));
        let numbers = || std::iter::once(number_line(hexagon));
        Drawing { lines: numbers().chain(rows).chain(numbers()).collect() }
    }

    fn notation_help(&self) -> &'static str {
        "split d1-2xd3,e1; merge 2xd1,3xa4-d4; one to one 9xd1-d3; no count means one piece"
    }
}

/// Why a position cannot be set up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PositionError {
    /// Too few or too many players.
    #[error("Adamas is not for {players} players")]
    Players {
        /// As asked.
        players: usize,
    },
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
    /// Not one letter, the same for every piece, of a seat at this table.
    #[error("{pieces:?} is not a stack: write one seat's letter for each piece")]
    NotAStack {
        /// As given.
        pieces: Box<str>,
    },
    /// More pieces of one colour than there can be.
    #[error("no colour has more than {max} pieces")]
    TooManyPieces {
        /// The most.
        max: u8,
    },
    /// The seat to move is not in the game.
    #[error("the seat to move has no pieces")]
    NothingToMove,
}

impl Adamas {
    /// A position with these stacks, each a cell's name and a letter per piece. A seat without
    /// pieces has left the game, except at the opening.
    pub fn from_setup(
        options: &Options,
        players: usize,
        stacks: &[(&str, &str)],
        to_move: Seat,
        opening: bool,
    ) -> Result<Self, PositionError> {
        if !Self::PLAYERS.contains(&players) {
            return Err(PositionError::Players { players });
        }
        let options = Self::complete(options, players)?;
        let mut position = Self::start(&options, players);
        let mut board = Board::empty(position.board.hexagon());
        for &(name, pieces) in stacks {
            let spot = board
                .hexagon()
                .find(name)
                .ok_or_else(|| PositionError::NoSuchCell { name: name.into() })?;
            if !board.stack(spot).is_empty() {
                return Err(PositionError::CellTwice { name: name.into() });
            }
            let (seat, height) = read_stack(pieces, players)?;
            if usize::from(board.pieces(seat)) + height > usize::from(PIECES_MAX) {
                return Err(PositionError::TooManyPieces { max: PIECES_MAX });
            }
            let height = u8::try_from(height).expect("compared with PIECES_MAX above");
            board.land(spot, seat, height);
        }
        let in_game = |&seat: &Seat| opening || board.pieces(seat) > 0;
        position.seats_in = Seat::all(players).filter(in_game).collect::<SeatSet>();
        if !position.seats_in.contains(to_move) {
            return Err(PositionError::NothingToMove);
        }
        position.board = board;
        position.to_move = to_move;
        position.opening = opening;
        Ok(position)
    }
}

fn read_stack(pieces: &str, players: usize) -> Result<(Seat, usize), PositionError> {
    Seat::all(players)
        .find(|seat| {
            let letter = LETTERS[seat.index()];
            !pieces.is_empty() && pieces.chars().all(|piece| piece.eq_ignore_ascii_case(&letter))
        })
        .map(|seat| (seat, pieces.len()))
        .ok_or_else(|| PositionError::NotAStack { pieces: pieces.into() })
}

// The board as characters: a hexagon with a letter and a height for each stack.
//
// Every cell is four characters wide: a sign that points it out or a blank, then up to three for
// the stack. Each row begins with its letter and ends with the name of its last cell; numbers
// stand above and below, in line with the slanted rows of cells that they number.

const CELL_WIDTH: usize = 4;

impl Adamas {
    fn draw_row(&self, row: u8, marks: &[(Cell, Mark)]) -> Vec<Span> {
        let hexagon = self.board.hexagon();
        let letter = Hexagon::row_letter(row);
        let length = hexagon.row_length(row);
        let indent = usize::from(hexagon.rows() - length) * CELL_WIDTH / 2;
        let mut line = vec![Span::plain(format!("{:indent$}{letter} ", ""))];
        line.extend(hexagon.row(row).map(|spot| self.draw_cell(spot, marks)));
        line.push(Span::plain(format!(" {letter}{length}")));
        line
    }

    fn draw_cell(&self, spot: Spot, marks: &[(Cell, Mark)]) -> Span {
        let cell = Cell::from(spot);
        let mark = Mark::of(cell, marks);
        let sign = sign(mark);
        let stack = self.board.stack(spot);
        let seat = stack.owner();
        let text = match (seat, stack.height()) {
            (None, _) => format!("{sign}.  "),
            (Some(seat), 1) => format!("{sign}{}  ", LETTERS[seat.index()]),
            (Some(seat), height) => format!("{sign}{}{height:<2}", LETTERS[seat.index()]),
        };
        Span { text, seat, cell: Some(cell), mark }
    }
}

/// The numbers above the top row and, as the board is symmetric, below the lowest one. Each stands
/// half a cell to the right of the cell that it numbers, where the slanted row of cells points.
fn number_line(hexagon: Hexagon) -> Vec<Span> {
    let size = hexagon.size();
    let indent = usize::from(size - 1) * CELL_WIDTH / 2 + "a ".len() + CELL_WIDTH / 2;
    let numbers = (1..=size).map(|number| Span::plain(format!(" {number:<3}")));
    std::iter::once(Span::plain(" ".repeat(indent))).chain(numbers).collect()
}
