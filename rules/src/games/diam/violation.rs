//! Every rule of Diam that a move can break, in the words of the player who tried it.

use crate::cell::CellName;

/// A rule of Diam that a move breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RuleViolation {
    /// A letter that no piece of this game has.
    #[error("there are no pieces {letter} in this game")]
    NoSuchColour {
        /// The letter.
        letter: char,
    },
    /// A piece of the other player.
    #[error("{letter} is your opponent's: place one of your own pieces")]
    NotYourColour {
        /// The letter.
        letter: char,
    },
    /// All pieces of that letter are on the board.
    #[error("you have no {letter} left to place")]
    NoneInReserve {
        /// The letter.
        letter: char,
    },
    /// No room for one more piece.
    #[error("sector {cell} is full: no stack here is higher than {max}")]
    Full {
        /// The sector.
        cell: CellName,
        /// The height of the highest stack there can be.
        max: u8,
    },
    /// The second player's first piece opposite the first player's, where that is not allowed.
    #[error(
        "with -nomirror your first piece may not go opposite your opponent's, which sector {cell} is"
    )]
    Mirrored {
        /// The sector.
        cell: CellName,
    },
    /// The piece with the number 0.
    #[error("the pieces of a stack are counted from 1, which is the bottom one")]
    PieceZero,
    /// A sector without pieces.
    #[error("sector {cell} is empty")]
    EmptySector {
        /// The sector.
        cell: CellName,
    },
    /// A movement to a sector further away.
    #[error("sectors {from} and {to} are not next to each other")]
    NotNeighbours {
        /// Where the pieces are.
        from: CellName,
        /// Where they should go.
        to: CellName,
    },
    /// More sectors than any move has.
    #[error("a move places one piece, or goes from one sector to one other")]
    SeveralSectors,
    /// A piece above the top of the stack.
    #[error(
        "sector {cell} has {height} piece{}, so none is that high",
        if *.height == 1 { "" } else { "s" }
    )]
    NoSuchPiece {
        /// The sector.
        cell: CellName,
        /// How many pieces it has.
        height: u8,
    },
    /// The lowest piece that would move is the other player's.
    #[error("piece {piece} of sector {cell} is {letter}, which is not yours")]
    NotYourPiece {
        /// The sector.
        cell: CellName,
        /// The piece, counted from 1 at the bottom.
        piece: u8,
        /// Its letter.
        letter: char,
    },
    /// The stack that would come about is too high.
    #[error(
        "sector {cell} would be {height} high with these pieces, and no stack here is higher than {max}"
    )]
    TooHigh {
        /// The sector that the pieces would go to.
        cell: CellName,
        /// How high it would be.
        height: u8,
        /// The height of the highest stack there can be.
        max: u8,
    },
}
