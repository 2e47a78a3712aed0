//! Diam: a native position, its value with fitted weights, and an alpha-beta search.

mod features;
pub(super) mod fit;
mod position;
mod table;
#[cfg(test)]
mod tests;
mod thought;
mod value;
mod weights;

use adamant_rules::Position;

use super::{Control, native::Native as _, sampled};

/// Thinks about a position of Diam.
pub(super) fn search(position: &Position, seen: &[u64], control: &mut Control<'_>) {
    match position::Diam::from_rules(position) {
        Some(root) => thought::think(root, seen, control),
        None => sampled::search(position, seen, control),
    }
}
