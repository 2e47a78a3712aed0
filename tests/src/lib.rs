//! Face.
