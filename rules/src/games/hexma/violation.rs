//! Every rule of Hexma that a move can break, in the words of the player who tried it.

use crate::cell::CellName;

/// A rule of Hexma that a move breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RuleViolation {
    /// A move from a point without a piece.
    #[error("there is no piece on {cell}")]
    NoPiece {
        /// The point.
        cell: CellName,
    },
    /// A move of another player's piece.
    #[error("the piece on {cell} is not yours")]
    NotYourPiece {
        /// Where it stands.
        cell: CellName,
    },
    /// A move that ends where it began.
    #[error("a move may pass {cell} again but not end where it began")]
    StaysInPlace {
        /// The point.
        cell: CellName,
    },
    /// Several sources or several targets.
    #[error("a move takes one piece from one point to one other")]
    SeveralPieces,
    /// A point to stop or to land on that is not empty.
    #[error("{cell} is occupied")]
    Occupied {
        /// The point.
        cell: CellName,
    },
    /// Neither a step nor any series of hops leads there.
    #[error("no step and no series of hops leads from {from} to {to}")]
    OutOfReach {
        /// Where the piece stands.
        from: CellName,
        /// Where it should go.
        to: CellName,
    },
    /// A leg between named landing points that no hops lead along.
    #[error("no series of hops leads from {from} to {to}")]
    NotByHops {
        /// Where the leg begins.
        from: CellName,
        /// Where it ends.
        to: CellName,
    },
}
