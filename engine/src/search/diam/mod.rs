//! Diam: a native position, its value with fitted weights, and an alpha-beta search.

mod features;
pub(super) mod fit;
mod position;
pub(super) mod solve;
mod table;
#[cfg(test)]
mod tests;
mod thought;
mod value;
mod weights;

use adamant_rules::Position;

use super::{Control, native::Native as _};

/// Thinks about a position of Diam. Returns false if it is not native.
pub(super) fn search(position: &Position, seen: &[u64], control: &mut Control<'_>) -> bool {
    let root = position::Diam::from_rules(position);
    if let Some(root) = &root {
        thought::think(root, seen, control);
    }
    root.is_some()
}
