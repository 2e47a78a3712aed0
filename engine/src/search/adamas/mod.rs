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

use super::{Control, native::Native as _};

/// Thinks about a position of Adamas. Returns false if it is not native.
pub(super) fn search(position: &Position, seen: &[u64], control: &mut Control<'_>) -> bool {
    let root = position::Adamas::from_rules(position);
    if let Some(root) = &root {
        thought::think(root, seen, control);
    }
    root.is_some()
}
