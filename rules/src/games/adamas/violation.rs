//! Every rule of Adamas that a move can break, in the words of the player who tried it.

use crate::{
    cell::CellName,
    reason::{ReasonText, reasons},
};

/// A text that is no move.
pub(in crate::games) const SHAPE: ReasonText = ReasonText::plain(
    "adamas.shape",
    "this is not a move: write SOURCE-DESTINATION, as in d1-2xd3,e1 or 2xd1,3xa4-d4",
);

/// A cell that is not written as one.
pub(in crate::games) const CELL_SHAPE: ReasonText = ReasonText::plain(
    "adamas.cell_shape",
    "this is not a move: a cell is a letter and a number, as in c3, after a count as in 2xc3",
);

reasons! {
    /// A rule of Adamas that a move breaks.
    RuleViolation of "adamas";

    /// A count of nothing.
    CountOfZero "count_of_zero" {
        /// The cell with that count.
        cell: CellName,
    } = "a part of a move takes at least one piece, and {cell} is given none";
    /// A count that no stack can have.
    CountTooGreat "count_too_great" {
        /// The cell with that count.
        cell: CellName,
        /// The height of the highest stack there can be.
        max: u8,
    } = "the count at {cell} is too great: no stack is higher than {max}";
    /// One source and one destination, both with a count.
    CountOnBothSides "count_on_both_sides" =
        "the count is given on both sides: write it once, as in 9xd1-d3";
    /// A split into several parts with a count on its source.
    CountOnSplitSource "count_on_split_source" {
        /// The source.
        cell: CellName,
    } = "a split has its counts at its destinations, as in d1-2xd3,e1; {cell} takes no count here";
    /// A merge with a count on its destination.
    CountOnMergeDestination "count_on_merge_destination" {
        /// The destination.
        cell: CellName,
    } = "a merge has its counts at its sources, as in 2xd1,3xa4-d4; {cell} takes no count here";
    /// Several sources and several destinations.
    SeveralToSeveral "several_to_several" = "a move has either one source or one destination";
    /// A cell twice on the same side.
    CellTwice "cell_twice" {
        /// The cell.
        cell: CellName,
    } = "{cell} is named twice: add its counts up, as in 2x{cell}";
    /// A source that is its own destination.
    StaysInPlace "stays_in_place" {
        /// The cell.
        cell: CellName,
    } = "{cell} is both source and destination";
    /// More parts than any move can have.
    TooManyParts "too_many_parts" {
        /// The most.
        max: usize,
    } = "no move has more than {max} parts";
    /// A source without pieces.
    EmptySource "empty_source" {
        /// The source.
        cell: CellName,
    } = "{cell} is empty";
    /// A source of another player.
    NotYourStack "not_your_stack" {
        /// The source.
        cell: CellName,
    } = "{cell} is not your stack";
    /// More pieces than the source has.
    TooFewPieces "too_few_pieces" {
        /// The source.
        cell: CellName,
        /// How many pieces it has.
        height: u8,
        /// How many the move takes.
        taken: u16,
    } =
        "{cell} has {height} pieces, not {taken}", one(height) =
        "{cell} has {height} piece, not {taken}";
    /// Source and destination share no line.
    NotOnOneLine "not_on_one_line" {
        /// The source.
        from: CellName,
        /// The destination.
        to: CellName,
    } = "{from} and {to} are not on one line";
    /// Another stack blocks the line.
    OutOfSight "out_of_sight" {
        /// The source.
        from: CellName,
        /// The destination.
        to: CellName,
        /// The stack nearest to the source on the line between them.
        by: CellName,
    } = "{from} does not see {to}: {by} is in the way";
    /// A capture by the opening player's first move.
    OpeningCapture "opening_capture" {
        /// The enemy stack.
        cell: CellName,
    } = "the opening move may not capture, and {cell} is an enemy stack";
    /// An enemy stack whose height is not its visible enemy count.
    NotThreatened "not_threatened" {
        /// The enemy stack.
        cell: CellName,
        /// Its height.
        height: u8,
        /// Its visible enemy count when this part is validated.
        seen: u8,
    } =
        "{cell} is {height} high but sees {seen} enemy pieces", one(seen) =
        "{cell} is {height} high but sees {seen} enemy piece";
}
