//! A position on a board of any size, as searches of all games know positions.

use std::sync::OnceLock;

use adamant_rules::Position;

use super::{
    super::native::{End, Native},
    board::Board,
    lattice::{LARGE, Lattice, Placement, SMALL},
};

/// Sizes of boards that the small sets hold, at the most, and of all.
const SMALL_MAX: u8 = 8;
const SIZE_MAX: usize = 12;

pub(super) static SMALL_LATTICES: [OnceLock<Lattice<SMALL>>; SIZE_MAX + 1] =
    [const { OnceLock::new() }; SIZE_MAX + 1];
static LARGE_LATTICES: [OnceLock<Lattice<LARGE>>; SIZE_MAX + 1] =
    [const { OnceLock::new() }; SIZE_MAX + 1];

/// A position on a board of any size.
#[expect(clippy::large_enum_variant, reason = "copying a position never allocates")]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stymie {
    /// Up to eight octagons along a side.
    Small(Playing<SMALL>),
    /// More.
    Large(Playing<LARGE>),
}

/// A position with its board.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Playing<const W: usize> {
    pub(super) lattice: &'static Lattice<W>,
    pub(super) board: Board<W>,
}

/// The octagons along a side: a board of size n has n * n octagons and (n - 1) * (n - 1) squares.
pub(super) fn size_of_board(position: &Position) -> Option<u8> {
    let cells = position.layout().cells.len();
    (1..=SIZE_MAX).find(|n| n * n + (n - 1) * (n - 1) == cells).and_then(|n| u8::try_from(n).ok())
}

impl Native for Stymie {
    type Move = Placement;

    fn from_rules(position: &Position) -> Option<Self> {
        let size = size_of_board(position)?;
        if size <= SMALL_MAX {
            let lattice = SMALL_LATTICES[usize::from(size)].get_or_init(|| Lattice::new(size));
            let board = Board::from_rules(lattice, position)?;
            Some(Self::Small(Playing { lattice, board }))
        } else {
            let lattice = LARGE_LATTICES[usize::from(size)].get_or_init(|| Lattice::new(size));
            let board = Board::from_rules(lattice, position)?;
            Some(Self::Large(Playing { lattice, board }))
        }
    }

    fn to_move(&self) -> usize {
        usize::from(match self {
            Self::Small(playing) => playing.board.to_move,
            Self::Large(playing) => playing.board.to_move,
        })
    }

    fn moves(&self, moves: &mut Vec<Placement>) {
        match self {
            Self::Small(Playing { lattice, board }) => board.moves(lattice, moves),
            Self::Large(Playing { lattice, board }) => board.moves(lattice, moves),
        }
    }

    fn play(&mut self, mv: Placement) {
        match self {
            Self::Small(Playing { lattice, board }) => board.play(lattice, mv),
            Self::Large(Playing { lattice, board }) => board.play(lattice, mv),
        }
    }

    fn end(&self) -> Option<End> {
        match self {
            Self::Small(playing) => playing.board.end(),
            Self::Large(playing) => playing.board.end(),
        }
    }

    fn hash(&self) -> u64 {
        match self {
            Self::Small(Playing { lattice, board }) => board.hash(lattice),
            Self::Large(Playing { lattice, board }) => board.hash(lattice),
        }
    }

    fn text(&self, mv: Placement) -> String {
        match self {
            Self::Small(playing) => playing.lattice.text(mv),
            Self::Large(playing) => playing.lattice.text(mv),
        }
    }
}
