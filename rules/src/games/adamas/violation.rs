//! Every rule of Adamas that a move can break, in the words of the player who tried it.

use crate::cell::CellName;

/// A rule of Adamas that a move breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RuleViolation {
    /// A count of nothing.
    #[error("a part of a move takes at least one piece, and {cell} is given none")]
    CountOfZero {
        /// The cell with that count.
        cell: CellName,
    },
    /// A count that no stack can have.
    #[error("the count at {cell} is too great: no stack is higher than {max}")]
    CountTooGreat {
        /// The cell with that count.
        cell: CellName,
        /// The height of the highest stack there can be.
        max: u8,
    },
    /// One source and one destination, both with a count.
    #[error("the count is given on both sides: write it once, as in 9xd1-d3")]
    CountOnBothSides,
    /// A split into several parts with a count on its source.
    #[error(
        "a split has its counts at its destinations, as in d1-2xd3,e1; {cell} takes no count here"
    )]
    CountOnSplitSource {
        /// The source.
        cell: CellName,
    },
    /// A merge with a count on its destination.
    #[error(
        "a merge has its counts at its sources, as in 2xd1,3xa4-d4; {cell} takes no count here"
    )]
    CountOnMergeDestination {
        /// The destination.
        cell: CellName,
    },
    /// Several sources and several destinations.
    #[error("a move has either one source or one destination")]
    SeveralToSeveral,
    /// A cell twice on the same side.
    #[error("{cell} is named twice: add its counts up, as in 2x{cell}")]
    CellTwice {
        /// The cell.
        cell: CellName,
    },
    /// A source that is its own destination.
    #[error("{cell} is both source and destination")]
    StaysInPlace {
        /// The cell.
        cell: CellName,
    },
    /// More parts than any move can have.
    #[error("no move has more than {max} parts")]
    TooManyParts {
        /// The most.
        max: usize,
    },
    /// A source without pieces.
    #[error("{cell} is empty")]
    EmptySource {
        /// The source.
        cell: CellName,
    },
    /// A source of another player.
    #[error("{cell} is not your stack")]
    NotYourStack {
        /// The source.
        cell: CellName,
    },
    /// More pieces than the source has.
    #[error("{cell} has {height} piece{}, not {taken}", if *.height == 1 { "" } else { "s" })]
    TooFewPieces {
        /// The source.
        cell: CellName,
        /// How many pieces it has.
        height: u8,
        /// How many the move takes.
        taken: u16,
    },
    /// Source and destination share no line.
    #[error("{from} and {to} are not on one line")]
    NotOnOneLine {
        /// The source.
        from: CellName,
        /// The destination.
        to: CellName,
    },
    /// Another stack blocks the line.
    #[error("{from} does not see {to}: {by} is in the way")]
    OutOfSight {
        /// The source.
        from: CellName,
        /// The destination.
        to: CellName,
        /// The stack nearest to the source on the line between them.
        by: CellName,
    },
    /// A capture by the opening player's first move.
    #[error("the opening move may not capture, and {cell} is an enemy stack")]
    OpeningCapture {
        /// The enemy stack.
        cell: CellName,
    },
    /// An enemy stack whose height is not its visible enemy count.
    #[error(
        "{cell} is {height} high but sees {seen} enemy piece{}",
        if *.seen == 1 { "" } else { "s" }
    )]
    NotThreatened {
        /// The enemy stack.
        cell: CellName,
        /// Its height.
        height: u8,
        /// Its visible enemy count when this part is validated.
        seen: u8,
    },
}
