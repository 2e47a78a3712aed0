//! What each count of `features` is worth, in hundredths of a logit: written by
//! `cargo run --release -p adamant-engine --example fit`.

use super::features::FEATURES;

/// By the index of the count.
pub(super) const WEIGHTS: [i32; FEATURES] =
    [24, -57, -12, 11, -11, -59, -1, 96, 58, -33, 33, -11, -15, 26, -3];
