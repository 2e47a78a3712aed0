//! The rules of all games that a move can break.

use super::{
    adamas::violation::RuleViolation as AdamasViolation,
    diam::violation::RuleViolation as DiamViolation,
    hexma::violation::RuleViolation as HexmaViolation,
    stymie::violation::RuleViolation as StymieViolation,
};

/// A rule of one of the games that a move breaks.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RuleViolation {
    /// A rule of Adamas.
    #[error(transparent)]
    Adamas(AdamasViolation),
    /// A rule of Hexma.
    #[error(transparent)]
    Hexma(HexmaViolation),
    /// A rule of Stymie.
    #[error(transparent)]
    Stymie(StymieViolation),
    /// A rule of Diam.
    #[error(transparent)]
    Diam(DiamViolation),
}
