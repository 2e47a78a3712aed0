//! Every rule of Stymie that a move can break, in the words of the player who tried it.

use crate::{
    cell::CellName,
    reason::{ReasonText, reasons},
};

/// A text that is no move.
pub(in crate::games) const SHAPE: ReasonText = ReasonText::plain(
    "stymie.shape",
    "this is not a move: write one cell or up to three with commas between them, as in f6,g5",
);

reasons! {
    /// A rule of Stymie that a move breaks.
    RuleViolation of "stymie";

    /// A cell twice in one move.
    CellTwice "cell_twice" {
        /// The cell.
        cell: CellName,
    } = "{cell} is named twice";
    /// More cells than any move has.
    TooManyCells "too_many_cells" {
        /// The most.
        max: usize,
    } = "a move puts down {max} pieces at the most";
    /// A move away from a cell.
    PieceMoved "piece_moved" = "pieces are put down and never move";
    /// A piece of either colour stands there.
    NotEmpty "not_empty" {
        /// The cell.
        cell: CellName,
    } = "{cell} is not empty";
    /// Several pieces as the first move of the game.
    OpeningIsSingle "opening_is_single" = "the opening move puts down exactly one piece";
    /// Octagons and no square.
    OctagonsOnly "octagons_only" {
        /// One of them.
        first: CellName,
        /// Another.
        second: CellName,
    } =
        "{first} and {second} are octagons: pieces put down together are on an octagon and a \
         square touching it, or on three such cells";
    /// Squares and no octagon.
    SquaresOnly "squares_only" {
        /// One of them.
        first: CellName,
        /// Another.
        second: CellName,
    } =
        "{first} and {second} are squares: pieces put down together are on an octagon and a \
         square touching it, or on three such cells";
    /// An octagon and a square apart from each other.
    Apart "apart" {
        /// The one that others may touch.
        first: CellName,
        /// The one that does not touch it.
        second: CellName,
    } = "{first} and {second} do not touch";
    /// Three pieces in answer to the opening.
    TripleAfterOpening "triple_after_opening" =
        "three pieces answer a single piece of the opponent, but not the opening";
    /// Three pieces in answer to anything else but one piece.
    TripleUnearned "triple_unearned" =
        "three pieces are allowed only if the opponent's last move put down exactly one";
    /// A swap in a game that is played without.
    SwapNotPlayed "swap_not_played" = "this game is played without swap";
    /// A swap that does not answer the opening.
    SwapOutOfTime "swap_out_of_time" = "swap is only for the answer to the opening move";
}
