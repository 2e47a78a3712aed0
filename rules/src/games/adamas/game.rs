//! The position of Adamas and the course of a turn.

use super::{
    board::{Board, PIECES_MAX},
    hexagon::{Hexagon, SIZE_MAX, SIZE_MIN},
    notation::Move,
    violation::RuleViolation,
};
use crate::{
    cell::{Cell, CellName},
    game::{
        self, Captures, CellShape, Consequence, Drawing, EndReason, Followers, Game, Layout,
        LayoutCell, LeaveReason, Mark, MoveCount, Target,
    },
    hashing::{join, mix},
    options::{OptionChoice, OptionError, OptionKind, OptionSpec, OptionValue, Options},
    refusal::IllegalMove,
    seat::{SEATS_MAX, Seat, SeatSet},
    sketch::{CompletedSketch, Sketch},
};

/// The letters of the seats, in turn order.
pub(super) const LETTERS: [char; SEATS_MAX] = ['O', 'X', 'Y'];

/// A position of Adamas: plain memory of fixed size.
#[derive(Clone, PartialEq, Debug)]
pub struct Adamas {
    pub(super) board: Board,
    pub(super) players: u8,
    /// Whether visible enemies are counted again after each part of a split.
    pub(super) prog_cap: bool,
    pub(super) to_move: Seat,
    pub(super) seats_in: SeatSet,
    /// Whether the next move is the first of the game and may not capture.
    pub(super) opening: bool,
}

impl Adamas {
    /// Returns the number of pieces of other colours that a stack sees; 0 for an empty cell.
    pub fn visible_enemy_count(&self, cell: Cell) -> u8 {
        self.board.hexagon().spot(cell).map_or(0, |spot| {
            let owner = self.board[spot].owner();
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
    pub(super) fn pass_turn(&mut self) {
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
        self.drawing(marks)
    }

    fn notation_help(&self) -> &'static str {
        "split d1-2xd3,e1; merge 2xd1,3xa4-d4; one to one 9xd1-d3; no count means one piece"
    }
}
