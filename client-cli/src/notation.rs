//! Moves as people type them.

/// Removes the spaces between the parts of a typed move; the notation has none.
pub(crate) fn without_spaces(notation: &str) -> String {
    notation.split_whitespace().collect()
}
