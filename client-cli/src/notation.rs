//! Moves as people type them.

/// A move as people type it may have spaces between its parts; the notation has none.
pub(crate) fn without_spaces(notation: &str) -> String {
    notation.split_whitespace().collect()
}
