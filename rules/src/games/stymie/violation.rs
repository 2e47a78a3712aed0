//! Every rule of Stymie that a move can break, in the words of the player who tried it.

use crate::cell::CellName;

/// A rule of Stymie that a move breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RuleViolation {
    /// A cell twice in one move.
    #[error("{cell} is named twice")]
    CellTwice {
        /// The cell.
        cell: CellName,
    },
    /// More cells than any move has.
    #[error("a move puts down {max} pieces at the most")]
    TooManyCells {
        /// The most.
        max: usize,
    },
    /// A move away from a cell.
    #[error("pieces are put down and never move")]
    PieceMoved,
    /// A piece of either colour stands there.
    #[error("{cell} is not empty")]
    NotEmpty {
        /// The cell.
        cell: CellName,
    },
    /// Several pieces as the first move of the game.
    #[error("the opening move puts down exactly one piece")]
    OpeningIsSingle,
    /// Octagons and no square.
    #[error(
        "{first} and {second} are octagons: pieces put down together are on an octagon and a \
         square touching it, or on three such cells"
    )]
    OctagonsOnly {
        /// One of them.
        first: CellName,
        /// Another.
        second: CellName,
    },
    /// Squares and no octagon.
    #[error(
        "{first} and {second} are squares: pieces put down together are on an octagon and a \
         square touching it, or on three such cells"
    )]
    SquaresOnly {
        /// One of them.
        first: CellName,
        /// Another.
        second: CellName,
    },
    /// An octagon and a square apart from each other.
    #[error("{first} and {second} do not touch")]
    Apart {
        /// The one that others may touch.
        first: CellName,
        /// The one that does not touch it.
        second: CellName,
    },
    /// Three pieces in answer to the opening.
    #[error("three pieces answer a single piece of the opponent, but not the opening")]
    TripleAfterOpening,
    /// Three pieces in answer to anything else but one piece.
    #[error("three pieces are allowed only if the opponent's last move put down exactly one")]
    TripleUnearned,
    /// A swap in a game that is played without.
    #[error("this game is played without swap")]
    SwapNotPlayed,
    /// A swap that does not answer the opening.
    #[error("swap is only for the answer to the opening move")]
    SwapOutOfTime,
}
