//! Fits the weights of the value of Diam to the results of games that the search plays against
//! itself, by logistic regression.

use std::fmt::Write as _;

use adamant_rules::{Kind, Options};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use super::{
    features::{FEATURES, features},
    position::Diam,
    weights::WEIGHTS,
};
use crate::search::{
    Limits, Search, Stop,
    native::{End, Native as _},
};

/// Random moves at the beginning of each game.
const RANDOM_PLIES: usize = 4;

/// Moves of a game, at the most; a longer one is a draw.
const PLIES_MAX: usize = 200;

/// Steps of Newton's method. It has converged long before.
const STEPS: usize = 20;

/// What keeps the weights of rare counts small.
const RIDGE: f64 = 1.0;

/// Parts of a logit that a weight counts.
const PER_LOGIT: f64 = 100.0;

type Vector = [f64; FEATURES];

/// What the fit has to go by, and what it came to.
#[derive(Clone, Debug)]
pub struct Fit {
    weights: [i32; FEATURES],
    /// The positions.
    pub positions: usize,
    /// The mean loss with the weights up to now, and with the fitted ones.
    pub loss: [f64; 2],
}

impl Fit {
    /// The file with the fitted weights.
    pub fn source(&self) -> String {
        let mut text = String::from(HEADER);
        for weight in self.weights {
            // A string takes all.
            write!(text, "{weight}, ").expect("a string takes all");
        }
        format!("{}];\n", text.trim_end_matches(", "))
    }
}

const HEADER: &str = "\
//! What each count of `features` is worth, in hundredths of a logit: written by
//! `cargo run --release -p adamant-engine --example fit`.

use super::features::FEATURES;

/// By the index of the count.
pub(super) const WEIGHTS: [i32; FEATURES] =
    [";

/// A quiet position of a game by its counts, and the result for the seat to move.
struct Sample {
    counts: Vector,
    result: f64,
}

/// Plays games with so many nodes a move, and fits the weights to their quiet positions. Calls
/// `on_game` after each game with the number of positions so far.
pub fn fit(games: u64, nodes: u64, seed: u64, on_game: &mut dyn FnMut(u64, usize)) -> Fit {
    let mut samples = Vec::new();
    for game in 0..games {
        play(seed.wrapping_mul(1 << 32) + game, nodes, &mut samples);
        on_game(game + 1, samples.len());
    }
    let before = WEIGHTS.map(|weight| f64::from(weight) / PER_LOGIT);
    let after = regression(&samples);
    #[expect(clippy::cast_possible_truncation, reason = "weights are small")]
    let weights = after.map(|weight| (weight * PER_LOGIT).round() as i32);
    let loss = [before, after].map(|weights| mean_loss(&samples, &weights));
    Fit { weights, positions: samples.len(), loss }
}

/// Plays a game, and adds its quiet positions.
fn play(seed: u64, nodes: u64, samples: &mut Vec<Sample>) {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut position =
        Kind::Diam.open(&Options::new(), 2).expect("the game can be played without options");
    let (mut passed, mut quiet) = (vec![position.hash()], Vec::new());
    let mut end = None;
    for ply in 0..PLIES_MAX {
        let mv = if ply < RANDOM_PLIES {
            position.sample_moves(1, &mut |below| rng.random_range(0..below)).pop()
        } else {
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            Search::new(&position, &passed, limits).run(&Stop::default(), &mut |_| {}).best
        };
        let Some(mv) = mv else { break };
        position.apply(&mv);
        if let Some((winners, _)) = position.settle() {
            end = winners.single().map(|winner| End::Won(winner.index()));
            break;
        }
        let hash = position.hash();
        if passed.iter().filter(|&&earlier| earlier == hash).count() >= 2 {
            break;
        }
        passed.push(hash);
        let Some(native) = Diam::from_rules(&position) else { break };
        if native.winning_move(native.to_move()).is_none() && !native.is_threatened() {
            quiet.push((native.to_move(), features(&native).map(f64::from)));
        }
    }
    samples.extend(quiet.into_iter().map(|(seat, counts)| {
        let result = match end {
            Some(End::Won(winner)) if winner == seat => 1.0,
            Some(End::Won(_)) => 0.0,
            Some(End::Drawn) | None => 0.5,
        };
        Sample { counts, result }
    }));
}

fn dot(one: &Vector, other: &Vector) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn chance(sample: &Sample, weights: &Vector) -> f64 {
    1.0 / (1.0 + (-dot(&sample.counts, weights)).exp())
}

fn mean_loss(samples: &[Sample], weights: &Vector) -> f64 {
    let of = |sample: &Sample| {
        let chance = chance(sample, weights).clamp(1e-9, 1.0 - 1e-9);
        -(sample.result * chance.ln() + (1.0 - sample.result) * (1.0 - chance).ln())
    };
    #[expect(clippy::cast_precision_loss, reason = "far fewer positions than a mantissa counts")]
    let count = samples.len().max(1) as f64;
    samples.iter().map(of).sum::<f64>() / count
}

/// The weights that make the results most likely.
fn regression(samples: &[Sample]) -> Vector {
    let mut weights = [0.0; FEATURES];
    for _ in 0..STEPS {
        let mut gradient = weights.map(|weight| -RIDGE * weight);
        let mut curvature = [[0.0; FEATURES]; FEATURES];
        for (index, row) in curvature.iter_mut().enumerate() {
            row[index] = RIDGE;
        }
        for sample in samples {
            let chance = chance(sample, &weights);
            let slope = chance * (1.0 - chance);
            for (row, &count) in sample.counts.iter().enumerate() {
                gradient[row] += (sample.result - chance) * count;
                for (entry, &other) in curvature[row].iter_mut().zip(&sample.counts) {
                    *entry += slope * count * other;
                }
            }
        }
        let step = solve(curvature, gradient);
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight += step;
        }
    }
    weights
}

/// Solves a system of equations whose matrix is positive definite, by elimination.
fn solve(mut matrix: [Vector; FEATURES], mut right: Vector) -> Vector {
    for pivot in 0..FEATURES {
        for row in pivot + 1..FEATURES {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            let upper = matrix[pivot];
            for (entry, upper) in matrix[row].iter_mut().zip(upper) {
                *entry -= factor * upper;
            }
            right[row] -= factor * right[pivot];
        }
    }
    let mut found = [0.0; FEATURES];
    for row in (0..FEATURES).rev() {
        found[row] = (right[row] - dot(&matrix[row], &found)) / matrix[row][row];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_finds_the_weights_that_gave_the_results() {
        let mut rng = StdRng::seed_from_u64(1);
        let mut truth = [0.0; FEATURES];
        for (index, weight) in truth.iter_mut().enumerate() {
            *weight = if index % 2 == 0 { 0.5 } else { -0.3 };
        }
        let samples: Vec<_> = (0..20_000)
            .map(|_| {
                let counts = truth.map(|_| f64::from(rng.random_range(-2..=2)));
                let chance = 1.0 / (1.0 + (-dot(&counts, &truth)).exp());
                Sample { counts, result: f64::from(u8::from(rng.random_bool(chance))) }
            })
            .collect();
        for (found, truth) in regression(&samples).into_iter().zip(truth) {
            assert!((found - truth).abs() < 0.1, "{found} {truth}");
        }
    }
}
