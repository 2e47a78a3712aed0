//! The native position of Adamas for two: the height of each cell, and a mask of cells a seat.

use adamant_rules::Position;

use super::{
    geometry::{CELLS_MAX, Cells, Geometry},
    moves::{Move, Shape},
};
use crate::search::native::{End, Native, mix};

/// The letters of the seats.
const LETTERS: [char; 2] = ['O', 'X'];

/// A position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Adamas {
    /// What stands on the board, as `rules` hashes it.
    board_hash: u64,
    /// The cells with stacks of each seat.
    stacks: [u64; 2],
    heights: [u8; CELLS_MAX],
    pieces: [u8; 2],
    side: u8,
    to_move: u8,
    prog_cap: bool,
    /// Whether the next move is the first of the game and may not capture.
    opening: bool,
    /// 0 while the game goes on, 1 or 2 for the seat that has won, 3 for a draw.
    end: u8,
}

impl Adamas {
    /// The board.
    pub(super) fn board(&self) -> &'static Geometry {
        Geometry::of(self.side)
    }

    /// The cells with stacks of a seat.
    pub(super) const fn stacks(&self, seat: usize) -> u64 {
        self.stacks[seat]
    }

    /// The cells with stacks.
    pub(super) const fn occupied(&self) -> u64 {
        self.stacks[0] | self.stacks[1]
    }

    /// The pieces on a cell.
    pub(super) fn height(&self, cell: usize) -> u8 {
        self.heights[cell]
    }

    /// The pieces of a seat.
    pub(super) const fn pieces(&self, seat: usize) -> u8 {
        self.pieces[seat]
    }

    /// Whether each part of a split is judged on what the earlier ones leave.
    pub(super) const fn prog_cap(&self) -> bool {
        self.prog_cap
    }

    /// How many pieces of the other seat these stacks have together.
    pub(super) fn enemies(&self, seen: u64, seat: usize) -> u32 {
        Cells(seen & self.stacks[1 - seat]).map(|cell| u32::from(self.heights[cell])).sum()
    }

    /// Whether a stack of a seat is as high as the enemy pieces that it sees are many.
    pub(super) fn is_threatened(&self, cell: usize, seat: usize) -> bool {
        let seen = self.board().first_seen(cell, self.occupied());
        u32::from(self.heights[cell]) == self.enemies(seen, seat)
    }

    /// Whether this is not the opening, in which nothing is captured.
    #[cfg(test)]
    pub(super) const fn may_capture_now(&self) -> bool {
        !self.opening
    }

    /// Whether the other seat may capture a stack of this seat that it sees.
    pub(super) fn may_capture(&self, cell: usize, seat: usize) -> bool {
        !self.opening && self.is_threatened(cell, seat)
    }

    /// The stacks of a seat that the other one could capture if it were its turn.
    pub(super) fn threatened(&self, seat: usize) -> u64 {
        if self.opening {
            return 0;
        }
        let threatened = Cells(self.stacks[seat]).filter(|&cell| self.is_threatened(cell, seat));
        threatened.fold(0, |mask, cell| mask | 1 << cell)
    }

    /// Whether the seat to move has a move. What a stack may do further away, it may do beside
    /// itself, unless a stack there stops it.
    fn can_move(&self) -> bool {
        let (me, board) = (usize::from(self.to_move), self.board());
        let enemies = self.stacks[1 - me];
        let mut stopped = 0;
        for from in Cells(self.stacks[me]) {
            let beside = board.beside(from);
            if beside & !enemies != 0 {
                return true;
            }
            stopped |= beside;
        }
        !self.opening && Cells(stopped & enemies).any(|cell| self.is_threatened(cell, 1 - me))
    }

    fn key(&self, cell: usize) -> u64 {
        let height = u64::from(self.heights[cell]);
        if height == 0 {
            return 0;
        }
        let owner = u64::from(self.stacks[1] >> cell & 1 == 1);
        mix(u64::from(self.board().spot(cell)) << 16 | owner << 8 | height)
    }

    /// Takes pieces off a stack of a seat.
    pub(super) fn take(&mut self, cell: usize, seat: usize, pieces: u8) {
        self.board_hash ^= self.key(cell);
        self.heights[cell] -= pieces;
        self.pieces[seat] -= pieces;
        if self.heights[cell] == 0 {
            self.stacks[seat] &= !(1 << cell);
        }
        self.board_hash ^= self.key(cell);
    }

    /// Adds pieces to a stack of the seat, or puts them in the place of what was there.
    pub(super) fn land(&mut self, cell: usize, seat: usize, pieces: u8) {
        self.board_hash ^= self.key(cell);
        let bit = 1 << cell;
        if self.stacks[1 - seat] & bit != 0 {
            self.pieces[1 - seat] -= self.heights[cell];
            self.heights[cell] = 0;
            self.stacks[1 - seat] &= !bit;
        }
        self.stacks[seat] |= bit;
        self.heights[cell] += pieces;
        self.pieces[seat] += pieces;
        self.board_hash ^= self.key(cell);
    }

    fn is_tied(&self) -> bool {
        let first = self.stacks[0].trailing_zeros() as usize;
        self.pieces == [1, 1]
            && self.board().first_seen(first, self.occupied()) & self.stacks[1] == 0
    }

    /// How the game ends after a move of the seat that is not to move now; 0 if it goes on.
    fn end_after(&self) -> u8 {
        let mover = 1 - self.to_move;
        if self.pieces[usize::from(self.to_move)] == 0 {
            mover + 1
        } else if self.is_tied() {
            3
        } else if self.can_move() {
            0
        } else {
            mover + 1
        }
    }
}

impl Native for Adamas {
    type Move = Move;

    fn from_rules(position: &Position) -> Option<Self> {
        let Position::Adamas(_) = position else { return None };
        if position.players() != 2 || position.seats_in().len() != 2 {
            return None;
        }
        let side = Geometry::side_of(position.layout().cells.len())?;
        let mut native = Self {
            board_hash: 0,
            stacks: [0; 2],
            heights: [0; CELLS_MAX],
            pieces: [0; 2],
            side,
            to_move: u8::try_from(position.to_move().index()).ok()?,
            prog_cap: false,
            opening: false,
            end: 0,
        };
        for (cell, letters) in position.stacks() {
            let seat = LETTERS.iter().position(|&letter| letters.starts_with(letter))?;
            let cell = native.board().cell(cell.0)?;
            native.land(cell, seat, u8::try_from(letters.len()).ok()?);
        }
        // What a position does not tell by itself, its hash does.
        let kinds = [(false, false), (false, true), (true, false), (true, true)];
        kinds.into_iter().find_map(|(prog_cap, opening)| {
            let mut candidate = native;
            (candidate.prog_cap, candidate.opening) = (prog_cap, opening);
            (candidate.hash() == position.hash()).then_some(candidate)
        })
    }

    fn to_move(&self) -> usize {
        self.to_move.into()
    }

    fn moves(&self, moves: &mut Vec<Move>) {
        self.list(usize::MAX, moves);
    }

    fn play(&mut self, mv: Move) {
        let me = self.to_move();
        match mv.shape() {
            Shape::Split { from, to } => {
                for part in to {
                    self.take(from, me, part.pieces);
                    self.land(part.cell.into(), me, part.pieces);
                }
            }
            Shape::Merge { from, to } => {
                for part in from {
                    self.take(part.cell.into(), me, part.pieces);
                    self.land(to, me, part.pieces);
                }
            }
        }
        self.opening = false;
        self.to_move = 1 - self.to_move;
        self.end = self.end_after();
    }

    fn end(&self) -> Option<End> {
        match self.end {
            0 => None,
            3 => Some(End::Drawn),
            seat => Some(End::Won(usize::from(seat) - 1)),
        }
    }

    fn hash(&self) -> u64 {
        // Two players, both of whom are in.
        let (prog_cap, opening) = (self.prog_cap.into(), self.opening.into());
        let state = [self.side, 2, prog_cap, opening, self.to_move, 0b11];
        let state = state.iter().fold(0, |joined, &number| joined << 8 | u64::from(number));
        mix(self.board_hash ^ mix(state))
    }

    fn text(&self, mv: Move) -> String {
        mv.text(self.board())
    }
}
