//! Adamas for two: a native position, its value, and a best-first search over sampled moves.
//!
//! Boards of sides 2 to 5 are native, with any number of pieces and with progressive captures.
//! Larger boards and three players are left to `sampled`.

mod geometry;
mod moves;
mod position;
#[cfg(test)]
mod tests;
mod thought;
mod tree;
mod value;

use adamant_rules::Position;

use super::{Control, native::Native as _, sampled};

/// Thinks about a position of Adamas.
pub(super) fn search(position: &Position, seen: &[u64], control: &mut Control<'_>) {
    match position::Adamas::from_rules(position) {
        Some(root) => thought::think(&root, seen, control),
        None => sampled::search(position, seen, control),
    }
}
