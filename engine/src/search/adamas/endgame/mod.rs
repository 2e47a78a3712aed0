//! Endgame tables: for each position with few pieces who wins, and how soon, if both play as well
//! as can be. Of earlier positions, which may occur again, they know nothing.
//!
//! A table is of one board, captures not being progressive. It is made by retrograde analysis,
//! checked by the moves of every position, and kept in a file that names its format and the rules.

mod file;
mod number;
mod perfect;
mod retrograde;
mod tables;

use self::{
    number::{Layout, Numbering, Stacks, bits},
    retrograde::{fill, value_by_moves},
};
use super::{super::Verdict, board::Board, hexagon::Hexagon};

pub use file::TableFault;
use number::PIECES_MAX;
pub(super) use perfect::{best_moves, by_table};
pub(super) use tables::Tables;
pub use tables::{BadTable, built_in_tables, read_table, table_file, use_tables};

/// The value of a drawn position. Any other is one more than the plies to the end: odd if the seat
/// to move loses, even if it wins.
const DRAWN: u8 = 0;

/// The value of a position that is lost already.
const LOST: u8 = 1;

const fn is_lost_value(value: u8) -> bool {
    value % 2 == 1
}

/// The sides of the boards that have tables.
pub const SIDES: std::ops::RangeInclusive<u8> = 2..=3;

/// The numbers of pieces that a table may go up to, those of both seats together.
pub const PIECES: std::ops::RangeInclusive<u8> = 2..=PIECES_MAX;

/// What a value stands for.
const fn verdict(value: u8) -> Verdict {
    match value {
        DRAWN => Verdict::Draw,
        value if is_lost_value(value) => Verdict::Loss(value - LOST),
        value => Verdict::Win(value - LOST),
    }
}

/// The positions in which the seats have certain pieces.
#[derive(Debug)]
struct Slice {
    layout: Layout,
    /// Their values by their numbers.
    values: Vec<u8>,
}

/// The table of a board.
#[derive(Debug)]
pub struct Endgame {
    hexagon: &'static Hexagon,
    numbering: Numbering,
    /// By the pieces of both seats together, then those of the seat to move.
    slices: Vec<Slice>,
    pieces: u8,
}

/// How far a table is made or checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The positions that are done with.
    pub done: u64,
    /// All positions.
    pub all: u64,
}

impl Endgame {
    /// A table in which no position has a value; `None` where there is none of this size.
    fn empty(side: u8, pieces: u8) -> Option<Self> {
        if !SIDES.contains(&side) || !PIECES.contains(&pieces) {
            return None;
        }
        let hexagon = Hexagon::of_side(side)?;
        let numbering = Numbering::new(hexagon);
        let divisions = (2..=pieces).flat_map(|all| (1..all).map(move |own| [own, all - own]));
        let slices = divisions.map(|pieces| {
            let layout = numbering.layout(pieces);
            Slice { values: vec![DRAWN; layout.len as usize], layout }
        });
        let slices = slices.collect();
        Some(Self { hexagon, numbering, slices, pieces })
    }

    /// Makes the table of a board of one of the [`SIDES`] with up to so many [`PIECES`]; `None` for
    /// any other.
    pub fn make(side: u8, pieces: u8, on_progress: &mut dyn FnMut(Progress)) -> Option<Self> {
        let mut table = Self::empty(side, pieces)?;
        // Each position is looked at from both ends.
        let (mut done, all) = (0, 2 * table.positions());
        let mut on_step = |steps| {
            done += steps;
            on_progress(Progress { done, all });
        };
        for all in 2..=pieces {
            for own in 1..=all / 2 {
                fill(&mut table, [own, all - own], &mut on_step);
            }
        }
        Some(table)
    }

    /// The side of its board.
    pub const fn side(&self) -> u8 {
        self.hexagon.side()
    }

    /// The most pieces of the positions that it knows.
    pub const fn pieces(&self) -> u8 {
        self.pieces
    }

    /// How many positions it knows, positions that symmetries lead to each other once.
    pub fn positions(&self) -> u64 {
        self.slices.iter().map(|slice| u64::from(slice.layout.len)).sum()
    }

    /// Compares the value of each position with those of the positions after its moves, and
    /// returns in how many they disagree. A table without mistakes is right: who follows it comes
    /// nearer to the end with each ply.
    pub fn check(&self, on_progress: &mut dyn FnMut(Progress)) -> u64 {
        let (mut done, all) = (0, self.positions());
        let mut mistakes = 0;
        for slice in &self.slices {
            for number in 0..slice.layout.len {
                let at = self.numbering.stacks(&slice.layout, number);
                if let Some(board) = at.and_then(|at| self.board(&at)) {
                    let known = slice.values[number as usize];
                    mistakes += u64::from(value_by_moves(self, &board) != known);
                }
                done += 1;
                if done % 4096 == 0 || done == all {
                    on_progress(Progress { done, all });
                }
            }
        }
        mistakes
    }

    /// What perfect play comes to in a position; `None` if the game is over or not in the table.
    pub(super) fn verdict_of<const W: usize>(&self, board: &Board<W>) -> Option<Verdict> {
        if board.opening || board.end().is_some() {
            return None;
        }
        self.value(board).map(verdict)
    }

    fn value<const W: usize>(&self, board: &Board<W>) -> Option<u8> {
        let (seat, other) = (board.seat(), 1 - board.seat());
        let pieces = [board.pieces(seat), board.pieces(other)];
        let is_known = pieces[0] + pieces[1] <= self.pieces
            && !board.progressive
            && board.hexagon.side() == self.side();
        if !is_known {
            return None;
        }
        let mut stacks = Stacks {
            own: board.stacks(seat).low(),
            other: board.stacks(other).low(),
            heights: [0; number::CELLS_MAX],
        };
        for cell in bits(stacks.own | stacks.other) {
            stacks.heights[cell] = board.height(cell);
        }
        let slice = &self.slices[Self::slot(pieces)];
        Some(slice.values[self.numbering.number(&slice.layout, &stacks) as usize])
    }

    /// The place of a slice.
    fn slot([own, other]: [u8; 2]) -> usize {
        let all = usize::from(own + other);
        (all - 2) * (all - 1) / 2 + usize::from(own) - 1
    }

    /// The position of some stacks; `None` if the game is over.
    fn board(&self, at: &Stacks) -> Option<Board<1>> {
        let own = bits(at.own).map(|cell| (0, cell, at.heights[cell]));
        let other = bits(at.other).map(|cell| (1, cell, at.heights[cell]));
        Board::of_stacks(self.hexagon, own.chain(other))
    }
}

#[cfg(test)]
mod tests;
