//! What each count of `features` is worth, in hundredths of a logit: written by
//! `cargo run --release -p adamant-engine --example fit`.

use super::features::FEATURES;

/// By the index of the count.
pub(super) const WEIGHTS: [i32; FEATURES] =
    [10, -30, 5, 5, -5, 5, 20, 28, 36, 10, 10, 5, 0, 2, -10];
