//! Every rule of Diam that a move can break, in the words of the player who tried it.

use crate::{
    cell::CellName,
    reason::{ReasonText, reasons},
};

/// A text that is no move.
pub(in crate::games) const SHAPE: ReasonText = ReasonText::plain(
    "diam.shape",
    "this is not a move: write a letter and a sector to place a piece, as in A1, or a sector and + or - \
                     to move a stack, as in 4+, or its part from a piece upwards, as in 6,3-",
);

reasons! {
    /// A rule of Diam that a move breaks.
    RuleViolation of "diam";

    /// A letter that no piece of this game has.
    NoSuchColour "no_such_colour" {
        /// The letter.
        letter: char,
    } = "there are no pieces {letter} in this game";
    /// A piece of the other player.
    NotYourColour "not_your_colour" {
        /// The letter.
        letter: char,
    } = "{letter} is your opponent's: place one of your own pieces";
    /// All pieces of that letter are on the board.
    NoneInReserve "none_in_reserve" {
        /// The letter.
        letter: char,
    } = "you have no {letter} left to place";
    /// No room for one more piece.
    Full "full" {
        /// The sector.
        cell: CellName,
        /// The height of the highest stack there can be.
        max: u8,
    } = "sector {cell} is full: no stack here is higher than {max}";
    /// The second player's first piece opposite the first player's, where that is not allowed.
    Mirrored "mirrored" {
        /// The sector.
        cell: CellName,
    } =
        "with -nomirror your first piece may not go opposite your opponent's, which sector \
         {cell} is";
    /// The piece with the number 0.
    PieceZero "piece_zero" = "the pieces of a stack are counted from 1, which is the bottom one";
    /// A sector without pieces.
    EmptySector "empty_sector" {
        /// The sector.
        cell: CellName,
    } = "sector {cell} is empty";
    /// A movement to a sector further away.
    NotNeighbours "not_neighbours" {
        /// Where the pieces are.
        from: CellName,
        /// Where they should go.
        to: CellName,
    } = "sectors {from} and {to} are not next to each other";
    /// More sectors than any move has.
    SeveralSectors "several_sectors" =
        "a move places one piece, or goes from one sector to one other";
    /// A piece above the top of the stack.
    NoSuchPiece "no_such_piece" {
        /// The sector.
        cell: CellName,
        /// How many pieces it has.
        height: u8,
    } =
        "sector {cell} has {height} pieces, so none is that high", one(height) =
        "sector {cell} has {height} piece, so none is that high";
    /// The lowest piece that would move is the other player's.
    NotYourPiece "not_your_piece" {
        /// The sector.
        cell: CellName,
        /// The piece, counted from 1 at the bottom.
        piece: u8,
        /// Its letter.
        letter: char,
    } = "piece {piece} of sector {cell} is {letter}, which is not yours";
    /// The stack that would come about is too high.
    TooHigh "too_high" {
        /// The sector that the pieces would go to.
        cell: CellName,
        /// How high it would be.
        height: u8,
        /// The height of the highest stack there can be.
        max: u8,
    } =
        "sector {cell} would be {height} high with these pieces, and no stack here is higher \
         than {max}";
}
