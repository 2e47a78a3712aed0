//! What results say about strength. Everything here is a function of counts.

mod elo;
mod normal;
mod pairs;
mod ratings;
mod sprt;

pub use elo::{Estimate, elo_of_score, score_of_elo};
pub use pairs::{Pentanomial, Trinomial};
pub use ratings::{Comparison, Rating, ratings};
pub use sprt::{Sprt, SprtBounds, SprtBoundsError, Verdict};
