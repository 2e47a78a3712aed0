//! The rules of all games that a move can break, and why a text is no move of a game.

use super::{
    adamas::violation::{self as adamas, RuleViolation as AdamasViolation},
    diam::violation::{self as diam, RuleViolation as DiamViolation},
    hexma::violation::{self as hexma, RuleViolation as HexmaViolation},
    stymie::violation::{self as stymie, RuleViolation as StymieViolation},
};
use crate::reason::{Reason, ReasonText, WithSingular};

/// A rule of one of the games that a move breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum RuleViolation {
    /// A rule of Adamas.
    Adamas(AdamasViolation),
    /// A rule of Hexma.
    Hexma(HexmaViolation),
    /// A rule of Stymie.
    Stymie(StymieViolation),
    /// A rule of Diam.
    Diam(DiamViolation),
}

impl RuleViolation {
    /// The reason in words.
    pub fn reason(&self) -> Reason {
        match self {
            Self::Adamas(violation) => violation.reason(),
            Self::Hexma(violation) => violation.reason(),
            Self::Stymie(violation) => violation.reason(),
            Self::Diam(violation) => violation.reason(),
        }
    }
}

/// Every sentence about a rule, with the one for the number one where there is another.
pub(crate) fn texts() -> impl Iterator<Item = WithSingular> {
    let games = [
        AdamasViolation::TEXTS,
        HexmaViolation::TEXTS,
        StymieViolation::TEXTS,
        DiamViolation::TEXTS,
    ];
    games.into_iter().flatten().copied()
}

/// Every sentence about a text that is no move.
pub(crate) fn unreadable() -> impl Iterator<Item = ReasonText> {
    [
        adamas::SHAPE,
        adamas::CELL_SHAPE,
        hexma::SHAPE,
        hexma::POINT_SHAPE,
        stymie::SHAPE,
        diam::SHAPE,
    ]
    .into_iter()
}
