//! Adamas.
