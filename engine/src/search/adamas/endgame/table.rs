//! A table: the values of positions, by their numbers.

use std::ops::RangeInclusive;

use super::{
    super::{super::Verdict, board::Board, hexagon::Hexagon},
    number::{CELLS_MAX, Layout, Numbering, PIECES_MAX, Stacks, bits},
};

/// The value of a drawn position. Any other is one more than the plies to the end: odd if the seat
/// to move loses, even if it wins.
pub(super) const DRAWN: u8 = 0;

/// The value of a position that is lost already.
pub(super) const LOST: u8 = 1;

pub(super) const fn is_lost_value(value: u8) -> bool {
    value % 2 == 1
}

/// The sides of the boards that have tables.
pub const SIDES: RangeInclusive<u8> = 2..=3;

/// The numbers of pieces that a table may go up to, those of both seats together.
pub const PIECES: RangeInclusive<u8> = 2..=PIECES_MAX;

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
pub(super) struct Slice {
    pub(super) layout: Layout,
    /// Their values by their numbers.
    pub(super) values: Vec<u8>,
}

/// The table of a board.
#[derive(Debug)]
pub struct Endgame {
    pub(super) hexagon: &'static Hexagon,
    pub(super) numbering: Numbering,
    /// By the pieces of both seats together, then those of the seat to move.
    pub(super) slices: Vec<Slice>,
    pieces: u8,
}

impl Endgame {
    /// A table in which no position has a value; `None` where there is none of this size.
    pub(super) fn empty(side: u8, pieces: u8) -> Option<Self> {
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

    /// What perfect play comes to in a position; `None` if the game is over or not in the table.
    pub(super) fn verdict_of<const W: usize>(&self, board: &Board<W>) -> Option<Verdict> {
        if board.opening || board.end().is_some() {
            return None;
        }
        self.value(board).map(verdict)
    }

    pub(super) fn value<const W: usize>(&self, board: &Board<W>) -> Option<u8> {
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
            heights: [0; CELLS_MAX],
        };
        for cell in bits(stacks.own | stacks.other) {
            stacks.heights[cell] = board.height(cell);
        }
        let slice = &self.slices[Self::slot(pieces)];
        Some(slice.values[self.numbering.number(&slice.layout, &stacks) as usize])
    }

    /// The place of a slice.
    pub(super) fn slot([own, other]: [u8; 2]) -> usize {
        let all = usize::from(own + other);
        (all - 2) * (all - 1) / 2 + usize::from(own) - 1
    }

    /// The position of some stacks; `None` if the game is over.
    pub(super) fn board(&self, at: &Stacks) -> Option<Board<1>> {
        let own = bits(at.own).map(|cell| (0, cell, at.heights[cell]));
        let other = bits(at.other).map(|cell| (1, cell, at.heights[cell]));
        Board::of_stacks(self.hexagon, own.chain(other))
    }
}
