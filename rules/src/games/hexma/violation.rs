//! Every rule of Hexma that a move can break, in the words of the player who tried it.

use crate::{
    cell::CellName,
    reason::{ReasonText, reasons},
};

/// A text that is no move.
pub(in crate::games) const SHAPE: ReasonText =
    ReasonText::plain("hexma.shape", "this is not a move: write FROM-TO, as in q11-k13");

/// A point that is not written as one.
pub(in crate::games) const POINT_SHAPE: ReasonText = ReasonText::plain(
    "hexma.point_shape",
    "this is not a move: a point is a letter and a number, as in q11",
);

reasons! {
    /// A rule of Hexma that a move breaks.
    RuleViolation of "hexma";

    /// A move from a point without a piece.
    NoPiece "no_piece" {
        /// The point.
        cell: CellName,
    } = "there is no piece on {cell}";
    /// A move of another player's piece.
    NotYourPiece "not_your_piece" {
        /// Where it stands.
        cell: CellName,
    } = "the piece on {cell} is not yours";
    /// A move that ends where it began.
    StaysInPlace "stays_in_place" {
        /// The point.
        cell: CellName,
    } = "a move may pass {cell} again but not end where it began";
    /// Several sources or several targets.
    SeveralPieces "several_pieces" = "a move takes one piece from one point to one other";
    /// A point to stop or to land on that is not empty.
    Occupied "occupied" {
        /// The point.
        cell: CellName,
    } = "{cell} is occupied";
    /// Neither a step nor any series of hops leads there.
    OutOfReach "out_of_reach" {
        /// Where the piece stands.
        from: CellName,
        /// Where it should go.
        to: CellName,
    } = "no step and no series of hops leads from {from} to {to}";
    /// A leg between named landing points that no hops lead along.
    NotByHops "not_by_hops" {
        /// Where the leg begins.
        from: CellName,
        /// Where it ends.
        to: CellName,
    } = "no series of hops leads from {from} to {to}";
}
