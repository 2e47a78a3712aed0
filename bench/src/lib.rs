//! Benchmarks: games to measure with, and load on the real server.

mod games;
pub mod load;

pub(crate) use games::setup;
pub use games::{CASES, Case, Middle, Played};
