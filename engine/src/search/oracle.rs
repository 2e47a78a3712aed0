//! What perfect play comes to, where that is known: with few pieces in Adamas, on small boards of
//! Stymie.

use adamant_rules::{Kind, Position};

use super::{adamas, stymie, verdict::Oracle};

/// What is known of a position for certain, with at most so many best moves; `None` if nothing is
/// known, if a proof takes more than so many `positions`, or if the game is over. A million of them
/// take about a tenth of a second.
pub fn oracle(position: &Position, most: usize, positions: u64) -> Option<Oracle> {
    match position.kind() {
        _ if position.clone().settle().is_some() => None,
        Kind::Adamas => adamas::perfect(position, most),
        Kind::Stymie => stymie::perfect::perfect(position, most, positions),
        Kind::Diam | Kind::Hexma => None,
    }
}
