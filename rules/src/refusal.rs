//! Refusals of a table, as sentences for the player.

use std::fmt;

use crate::{
    cell::CellName,
    games::violation::{self, RuleViolation},
    reason::{Reason, ReasonText},
};

/// Why a move is not one. The sentence is shown to the player who tried it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum IllegalMove {
    /// The text is not in the game's notation.
    Unreadable {
        /// What was expected.
        why: ReasonText,
    },
    /// A cell that the board does not have.
    NoSuchCell {
        /// As written, cut to a few characters.
        name: CellName,
    },
    /// A rule of the game that is played.
    RuleViolation(RuleViolation),
}

/// A cell that the board does not have.
const NO_SUCH_CELL: ReasonText = ReasonText {
    key: "move.no_such_cell",
    sentence: "there is no cell {name} on this board",
    args: &["name"],
};

/// A move of another game.
const OTHER_GAME: ReasonText =
    ReasonText::plain("move.other_game", "this is not a move: it is a move of another game");

/// A move on a board of another size.
const OTHER_BOARD: ReasonText = ReasonText::plain(
    "move.other_board",
    "this is not a move: it is a move on a board of another size",
);

/// A text that is longer than any move.
const TOO_LONG: ReasonText =
    ReasonText::plain("move.too_long", "this is not a move: it is too long");

impl IllegalMove {
    /// The text is longer than any move.
    pub const TOO_LONG: Self = Self::Unreadable { why: TOO_LONG };
    /// The move is one of another game.
    pub const OTHER_GAME: Self = Self::Unreadable { why: OTHER_GAME };
    /// The move is one on a board of another size.
    pub const OTHER_BOARD: Self = Self::Unreadable { why: OTHER_BOARD };

    /// The reason in words.
    pub fn reason(&self) -> Reason {
        match self {
            Self::Unreadable { why } => (*why).into(),
            Self::NoSuchCell { name } => Reason { text: NO_SUCH_CELL, args: vec![(*name).into()] },
            Self::RuleViolation(violation) => violation.reason(),
        }
    }

    /// Returns every sentence that [`IllegalMove::reason`] can have, by its key.
    pub fn sentences() -> impl Iterator<Item = (String, ReasonText)> {
        let general = [NO_SUCH_CELL, OTHER_GAME, OTHER_BOARD, TOO_LONG];
        let plain = general.into_iter().chain(violation::unreadable());
        let of_rules = violation::texts().flat_map(|(text, one)| {
            let one = one.iter().map(move |sentence| {
                (format!("{}_one", text.key), ReasonText { sentence, ..text })
            });
            std::iter::once((text.key.to_owned(), text)).chain(one)
        });
        plain.map(|text| (text.key.to_owned(), text)).chain(of_rules)
    }
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason().fmt(f)
    }
}

impl std::error::Error for IllegalMove {}

impl From<RuleViolation> for IllegalMove {
    fn from(violation: RuleViolation) -> Self {
        Self::RuleViolation(violation)
    }
}

/// Why a table refused an act.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Refusal {
    /// The game has not started, or something is overdue that has not happened yet. A caller that
    /// lets the overdue happen first never meets this.
    #[error("the game is not ready for this yet")]
    NotReady,
    /// The game has ended.
    #[error("the game is over")]
    GameOver,
    /// The seat has left the game.
    #[error("you have left this game")]
    LeftTheGame,
    /// The position has moved on since the sender looked.
    #[error("turn {given} is not the present turn, which is {turn}")]
    StaleTurn {
        /// What the sender believed.
        given: u32,
        /// What it is.
        turn: u32,
    },
    /// Another seat is to move.
    #[error("it is not your turn")]
    NotYourTurn,
    /// The move breaks a rule.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// No open offer of that number.
    #[error("there is no such open offer")]
    NoSuchOffer,
    /// The offer is not the sender's to answer or withdraw.
    #[error("this offer is not yours to {what}")]
    NotYourOffer {
        /// `answer` or `withdraw`.
        what: &'static str,
    },
    /// An offer of that kind stands already.
    #[error("an offer of that kind is open already")]
    OfferStands,
    /// The seat has offered just that since the turn began.
    #[error(
        "you have offered this in this turn already: you can offer it again after the next move"
    )]
    OfferedThisTurn,
    /// The seat has offered to take moves back so often that it is enough.
    #[error("you have offered {max} takebacks in this game, which is as many as there may be")]
    TakebacksSpent {
        /// How many one seat may offer.
        max: u16,
    },
    /// The record has grown so long that nothing is to be added to it but the end of the game.
    #[error("this game has become too long for offers: play on, resign or answer what is open")]
    TooLongForOffers,
    /// Everyone has moved.
    #[error(
        "a game can be aborted only before each side has made its first move; \
         later, offer the others to abort it"
    )]
    TooLateToAbort,
    /// The seat has not moved.
    #[error("you have no move to take back")]
    NothingToTakeBack,
    /// Since the seat's last move a player has left, or the players have changed seats.
    #[error("your last move cannot be taken back: since then a player has left or changed seats")]
    TakebackBarred,
    /// A seat is offered to a computer, and all clocks stand.
    #[error("a player has left: answer first whether a computer takes the seat")]
    SeatIsOffered,
    /// Only others can be claimed to be gone, and only once.
    #[error("you can claim only that another player who is still in the game has gone")]
    NothingToClaim,
    /// The game waits for another seat.
    #[error("you can claim only that the player whose turn it is has gone")]
    NotAwaited,
    /// Ratings follow from one thing, once.
    #[error("only the end of a rated game is rated, and only once")]
    NotToBeRated,
}
