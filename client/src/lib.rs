//! Placeholder face, filled in with the first slice.
