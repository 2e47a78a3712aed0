//! What results say about strength. Everything here is a function of counts.

use std::str::FromStr;

use serde::Serialize;

/// How many standard deviations a 95 % interval reaches to each side.
const Z_95: f64 = 1.959_963_985;

/// The probability that a standard normal variable is below `x`, with an error below 1e-6:
/// Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26.
fn below(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 5] =
        [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    let z = x.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let sum = COEFFICIENTS.iter().fold(0.0, |sum, coefficient| sum * t + coefficient) * t;
    let error_function = 1.0 - sum * (-z * z).exp();
    0.5 * (1.0 + error_function.copysign(x))
}

/// Results of games of one engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Trinomial {
    /// Games that it won alone.
    pub wins: u32,
    /// Games that it shared.
    pub draws: u32,
    /// Games that it lost.
    pub losses: u32,
}

impl Trinomial {
    /// The number of games.
    pub const fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }
}

/// Pairs of games with the same opening and sides changed, by the points that the first engine won
/// in both: 0, 0.5, 1, 1.5 or 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(transparent)]
pub struct Pentanomial(pub [u32; 5]);

/// The share of the points of a pair in each class of a [`Pentanomial`].
const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

impl Pentanomial {
    /// Counts a pair in which the first engine won this number of half points, at most 4.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    /// The number of pairs.
    pub fn pairs(&self) -> u32 {
        self.0.iter().sum()
    }

    /// Mean and variance of the share of the points of a pair; `None` without pairs.
    fn moments(&self) -> Option<(f64, f64)> {
        let pairs = f64::from(self.pairs());
        if pairs == 0.0 {
            return None;
        }
        let weighted = |value: &dyn Fn(f64) -> f64| -> f64 {
            let terms = self.0.iter().zip(SHARES).map(|(&count, at)| f64::from(count) * value(at));
            terms.sum::<f64>() / pairs
        };
        let mean = weighted(&|share| share);
        Some((mean, weighted(&|share| (share - mean).powi(2))))
    }
}

/// Returns the share of the points that is expected at a difference in Elo.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// Returns the difference in Elo at which this share of the points is expected; infinite for 0
/// and 1.
pub fn elo_of_score(score: f64) -> f64 {
    -400.0 * (1.0 / score.clamp(0.0, 1.0) - 1.0).log10()
}

/// An estimate of the first engine's advantage over the second.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    /// The share of the points of the first engine, from 0 to 1.
    pub score: f64,
    /// The difference in Elo. Infinite values are `null` in JSON.
    pub elo: f64,
    /// The lower end of the interval of 95 %.
    pub elo_low: f64,
    /// Its upper end.
    pub elo_high: f64,
    /// The likelihood that the first engine is the stronger one.
    pub los: f64,
}

impl Estimate {
    /// Estimates from pairs, so that the opening's part in the result cancels out. `None` without
    /// pairs.
    pub fn of(pairs: &Pentanomial) -> Option<Self> {
        let (score, variance) = pairs.moments()?;
        let deviation = (variance / f64::from(pairs.pairs())).sqrt();
        // Pairs that all ended alike say nothing about the interval.
        let reach = if deviation > 0.0 { Z_95 * deviation } else { f64::INFINITY };
        let los = if deviation > 0.0 {
            below((score - 0.5) / deviation)
        } else {
            // All pairs ended alike.
            match score.total_cmp(&0.5) {
                std::cmp::Ordering::Less => 0.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => 1.0,
            }
        };
        Some(Self {
            score,
            elo: elo_of_score(score),
            elo_low: elo_of_score(score - reach),
            elo_high: elo_of_score(score + reach),
            los,
        })
    }
}

/// What a class without pairs counts as, so that no likelihood is zero.
const COUNT_MIN: f64 = 1e-3;

/// Halvings of an interval: more than the digits of a number.
const HALVINGS: u32 = 100;

/// The hypotheses of a test and its error rates.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SprtBounds {
    /// The advantage of the first engine if the test fails (H0).
    pub elo0: f64,
    /// The advantage of the first engine if the test passes (H1).
    pub elo1: f64,
    /// The probability that it passes although H0 is true.
    pub alpha: f64,
    /// The probability that it fails although H1 is true.
    pub beta: f64,
}

/// Why bounds are wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SprtBoundsError {
    /// A part is not `NAME=NUMBER` with a known name.
    #[error("{0} is not a part of a test; write elo0=0,elo1=10,alpha=0.05,beta=0.05")]
    Part(String),
    /// A hypothesis is missing.
    #[error("a test needs elo0 and elo1, as in elo0=0,elo1=10")]
    Missing,
    /// The hypotheses are in the wrong order.
    #[error("elo0 must be less than elo1, and both between -1000 and 1000")]
    Hypotheses,
    /// An error rate is no probability.
    #[error("alpha and beta must be above 0 and below 0.5")]
    Rates,
}

impl FromStr for SprtBounds {
    type Err = SprtBoundsError;

    fn from_str(text: &str) -> Result<Self, SprtBoundsError> {
        let (mut elo0, mut elo1, mut alpha, mut beta) = (None, None, 0.05, 0.05);
        for part in text.split(',') {
            let wrong = || SprtBoundsError::Part(part.to_owned());
            let (name, number) = part.split_once('=').ok_or_else(wrong)?;
            let number: f64 = number.trim().parse().map_err(|_| wrong())?;
            match name.trim() {
                "elo0" => elo0 = Some(number),
                "elo1" => elo1 = Some(number),
                "alpha" => alpha = number,
                "beta" => beta = number,
                _ => return Err(wrong()),
            }
        }
        let (Some(elo0), Some(elo1)) = (elo0, elo1) else { return Err(SprtBoundsError::Missing) };
        let is_rate = |rate: f64| rate > 0.0 && rate < 0.5;
        if !(elo0 < elo1 && elo0 >= -1_000.0 && elo1 <= 1_000.0) {
            Err(SprtBoundsError::Hypotheses)
        } else if !is_rate(alpha) || !is_rate(beta) {
            Err(SprtBoundsError::Rates)
        } else {
            Ok(Self { elo0, elo1, alpha, beta })
        }
    }
}

/// What a test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// More games are needed.
    Continue,
    /// It fails: the first engine is not stronger by `elo1`.
    AcceptH0,
    /// It passes: the first engine is stronger than by `elo0`.
    AcceptH1,
}

/// The state of a sequential probability ratio test: is the first engine stronger by `elo1` or by
/// `elo0`?
///
/// It is the generalised test (GSPRT) on pairs: the likelihoods are those of the distributions that
/// fit the results best among those with the expected score of each hypothesis. Source: M. Van den
/// Bergh, "A practical introduction to the GSPRT", the basis of the tests of Stockfish.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Sprt {
    /// The hypotheses and error rates.
    #[serde(flatten)]
    pub bounds: SprtBounds,
    /// The logarithm of the likelihood ratio of H1 and H0.
    pub llr: f64,
    /// H0 is accepted at this value or below.
    pub lower: f64,
    /// H1 is accepted at this value or above.
    pub upper: f64,
    /// What follows.
    pub verdict: Verdict,
}

impl Sprt {
    /// Tests pairs.
    pub fn of(bounds: SprtBounds, pairs: &Pentanomial) -> Self {
        let lower = (bounds.beta / (1.0 - bounds.alpha)).ln();
        let upper = ((1.0 - bounds.beta) / bounds.alpha).ln();
        let llr = log_likelihood_ratio(pairs, bounds.elo0, bounds.elo1);
        let verdict = if llr >= upper {
            Verdict::AcceptH1
        } else if llr <= lower {
            Verdict::AcceptH0
        } else {
            Verdict::Continue
        };
        Self { bounds, llr, lower, upper, verdict }
    }
}

fn log_likelihood_ratio(pairs: &Pentanomial, elo0: f64, elo1: f64) -> f64 {
    if pairs.pairs() == 0 {
        return 0.0;
    }
    let counts = pairs.0.map(|count| f64::from(count).max(COUNT_MIN));
    let total: f64 = counts.iter().sum();
    let observed = counts.map(|count| count / total);
    let (h0, h1) =
        (best_fit(&observed, score_of_elo(elo0)), best_fit(&observed, score_of_elo(elo1)));
    let terms = observed.iter().zip(h0.iter().zip(h1));
    total * terms.map(|(p, (p0, p1))| p * (p1 / p0).ln()).sum::<f64>()
}

/// Returns the distribution with this mean under which the observed one is likeliest: each class
/// is divided by `1 + t * (share - mean)`, with the `t` that gives the mean.
fn best_fit(observed: &[f64; 5], mean: f64) -> [f64; 5] {
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    let excess = |t: f64| -> f64 {
        let terms = observed.iter().zip(SHARES);
        terms.map(|(p, share)| p * (share - mean) / (1.0 + t * (share - mean))).sum()
    };
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        // It falls with `t`.
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let t = f64::midpoint(low, high);
    std::array::from_fn(|class| observed[class] / (1.0 + t * (SHARES[class] - mean)))
}

/// Rounds of the iteration at the most. It is broken off when nothing changes any more.
const ROUNDS_MAX: u32 = 20_000;

/// The change of a logarithm of strength below which the iteration ends.
const CHANGE_MIN: f64 = 1e-10;

/// The games of one set of players.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The players, as numbers.
    pub players: Vec<usize>,
    /// What each of them won: 1 for each game that it won alone, a part for a shared one.
    pub wins: Vec<f64>,
}

impl Comparison {
    fn games(&self) -> f64 {
        self.wins.iter().sum()
    }
}

/// A player's rating. The mean of all ratings is 0.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Rating {
    /// The rating in Elo.
    pub elo: f64,
    /// The lower end of its interval of 95 %.
    pub elo_low: f64,
    /// The upper end.
    pub elo_high: f64,
}

/// Rates `number` players by maximum likelihood. Each set of players gets `prior` additional games
/// that all of them share, which keeps ratings finite where one has won or lost everything.
///
/// The model is that of Bradley and Terry, in its form for several players of one game: the
/// probability that a player wins is its strength divided by the sum of the strengths at the
/// table. A shared win counts in equal parts. Source: D. R. Hunter, "MM algorithms for generalized
/// Bradley-Terry models", The Annals of Statistics 32 (2004), whose iteration this is.
pub fn ratings(number: usize, comparisons: &[Comparison], prior: f64) -> Vec<Rating> {
    let comparisons: Vec<Comparison> = comparisons
        .iter()
        .map(|comparison| {
            let seats = f64::from(u32::try_from(comparison.players.len()).unwrap_or(u32::MAX));
            let wins = comparison.wins.iter().map(|wins| wins + prior / seats).collect();
            Comparison { players: comparison.players.clone(), wins }
        })
        .collect();
    let strengths = strengths(number, &comparisons);
    let covariance = covariance(&strengths, &comparisons);
    let elo_per_unit = 400.0 / std::f64::consts::LN_10;
    let rate = |player: usize| {
        let elo = strengths[player].ln() * elo_per_unit;
        let reach = Z_95 * covariance[player][player].max(0.0).sqrt() * elo_per_unit;
        Rating { elo, elo_low: elo - reach, elo_high: elo + reach }
    };
    (0..number).map(rate).collect()
}

/// Returns the likeliest strengths. Their geometric mean is 1.
fn strengths(number: usize, comparisons: &[Comparison]) -> Vec<f64> {
    let mut strengths = vec![1.0; number];
    for _ in 0..ROUNDS_MAX {
        let (mut wins, mut shares) = (vec![0.0; number], vec![0.0; number]);
        for comparison in comparisons {
            let sum: f64 = comparison.players.iter().map(|&player| strengths[player]).sum();
            for (&player, won) in comparison.players.iter().zip(&comparison.wins) {
                wins[player] += won;
                shares[player] += comparison.games() / sum;
            }
        }
        let next = wins.iter().zip(&shares).map(
            |(&wins, &shares): (&f64, &f64)| {
                if shares > 0.0 { wins / shares } else { 1.0 }
            },
        );
        let mut next: Vec<f64> = next.collect();
        let count = f64::from(u32::try_from(number).unwrap_or(u32::MAX));
        let mean = next.iter().map(|strength| strength.ln()).sum::<f64>() / count;
        for strength in &mut next {
            *strength /= mean.exp();
        }
        let changes = next.iter().zip(&strengths).map(|(new, old)| (new / old).ln().abs());
        let change = changes.fold(0.0, f64::max);
        strengths = next;
        if change < CHANGE_MIN {
            break;
        }
    }
    strengths
}

/// Returns the covariance of the logarithms of the strengths around their mean: the inverse of the
/// observed information, which is made regular by what fixes the mean.
fn covariance(strengths: &[f64], comparisons: &[Comparison]) -> Vec<Vec<f64>> {
    let number = strengths.len();
    let fixed = 1.0 / f64::from(u32::try_from(number).unwrap_or(u32::MAX)).max(1.0);
    let mut information = vec![vec![fixed; number]; number];
    for comparison in comparisons {
        let sum: f64 = comparison.players.iter().map(|&player| strengths[player]).sum();
        for &one in &comparison.players {
            let chance = strengths[one] / sum;
            information[one][one] += comparison.games() * chance;
            for &other in &comparison.players {
                information[one][other] -= comparison.games() * chance * strengths[other] / sum;
            }
        }
    }
    let mut inverse = inverse(information);
    inverse.iter_mut().flatten().for_each(|entry| *entry -= fixed);
    inverse
}

/// Returns the inverse of a regular matrix, by elimination with pivots.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let number = matrix.len();
    for (index, row) in matrix.iter_mut().enumerate() {
        row.extend((0..number).map(|column| if column == index { 1.0 } else { 0.0 }));
    }
    for column in 0..number {
        let size = |row: &usize| matrix[*row][column].abs();
        let pivot = (column..number).max_by(|one, other| size(one).total_cmp(&size(other)));
        matrix.swap(column, pivot.unwrap_or(column));
        let head = matrix[column][column];
        matrix[column].iter_mut().for_each(|entry| *entry /= head);
        let reduced = matrix[column].clone();
        for (index, row) in matrix.iter_mut().enumerate() {
            let factor = row[column];
            if index != column && factor != 0.0 {
                row.iter_mut().zip(&reduced).for_each(|(entry, below)| *entry -= factor * below);
            }
        }
    }
    matrix.into_iter().map(|row| row[number..].to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_has_its_known_values() {
        for (x, wanted) in
            [(0.0, 0.5), (1.0, 0.841_344_75), (-1.0, 0.158_655_25), (Z_95, 0.975), (-9.0, 0.0)]
        {
            assert!((below(x) - wanted).abs() < 1e-6, "{x}: {}", below(x));
        }
    }

    #[test]
    fn shares_and_differences_belong_together() {
        for (score, elo) in [(0.5, 0.0), (0.640_065, 100.0), (0.75, 190.848_5), (0.909_091, 400.0)]
        {
            assert!((elo_of_score(score) - elo).abs() < 1e-3, "{score}");
            assert!((score_of_elo(elo) - score).abs() < 1e-6, "{elo}");
        }
        assert_eq!((elo_of_score(1.0), elo_of_score(0.0)), (f64::INFINITY, f64::NEG_INFINITY));
    }

    /// As published with tests of Stockfish in November 2021.
    #[test]
    fn estimates_are_those_of_published_matches() {
        for (pairs, elo, reach, los) in [
            ([254, 4_576, 10_260, 4_787, 123], -0.44, 1.8, 0.312),
            ([54, 3_358, 9_352, 3_754, 13], 3.30, 1.8, 1.0),
        ] {
            let found = Estimate::of(&Pentanomial(pairs)).unwrap();
            assert!((found.elo - elo).abs() < 0.005, "{found:?}");
            assert!(((found.elo_high - found.elo_low) / 2.0 - reach).abs() < 0.05, "{found:?}");
            assert!((found.los - los).abs() < 5e-4, "{found:?}");
        }
    }

    #[test]
    fn pairs_that_all_end_alike_have_no_spread() {
        let all_won = Estimate::of(&Pentanomial([0, 0, 0, 0, 9])).unwrap();
        assert_eq!(
            (all_won.elo, all_won.elo_low, all_won.los),
            (f64::INFINITY, f64::NEG_INFINITY, 1.0)
        );
        let all_split = Estimate::of(&Pentanomial([0, 0, 9, 0, 0])).unwrap();
        assert_eq!((all_split.elo, all_split.los), (0.0, 0.5));
        assert_eq!((all_split.elo_low, all_split.elo_high), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(Estimate::of(&Pentanomial::default()), None);
    }

    /// As published with tests of Stockfish from March and April 2021, when they stated their
    /// hypotheses in logistic Elo.
    #[test]
    fn ratios_are_those_of_published_tests() {
        for (pairs, elo0, elo1, llr) in [
            ([406, 8_728, 41_933, 8_848, 493], -0.2, 1.1, 2.94),
            ([23, 1_079, 15_473, 1_255, 14], 0.2, 0.9, 2.94),
            ([2, 245, 4_962, 291, 4], -0.7, 0.2, 2.95),
            ([577, 11_681, 56_451, 11_586, 605], -1.0, 0.2, 2.94),
            ([87, 6_272, 81_610, 6_175, 108], -0.7, 0.2, 2.98),
            ([4, 2_342, 11_769, 2_494, 7], -0.2, 1.1, 2.93),
        ] {
            let found = log_likelihood_ratio(&Pentanomial(pairs), elo0, elo1);
            assert!((found - llr).abs() < 0.005, "{found} and not {llr}");
        }
    }

    #[test]
    fn a_test_ends_at_its_bounds() {
        let bounds: SprtBounds = "elo0=0, elo1=50".parse().unwrap();
        let verdict = |pairs| Sprt::of(bounds, &Pentanomial(pairs)).verdict;
        assert_eq!(verdict([0; 5]), Verdict::Continue);
        assert_eq!(verdict([2, 3, 5, 3, 2]), Verdict::Continue);
        assert_eq!(verdict([0, 2, 10, 20, 30]), Verdict::AcceptH1);
        assert_eq!(verdict([30, 20, 10, 2, 0]), Verdict::AcceptH0);
        let found = Sprt::of(bounds, &Pentanomial::default());
        assert!((found.lower + 2.944).abs() < 1e-3 && (found.upper - 2.944).abs() < 1e-3);
    }

    #[test]
    fn faulty_bounds_are_named() {
        let error = |text: &str| text.parse::<SprtBounds>().unwrap_err().to_string();
        assert!(error("elo0=0").starts_with("a test needs elo0 and elo1"));
        assert!(error("elo0=0,elo2=5").starts_with("elo2=5 is not a part"));
        assert!(error("elo0=5,elo1=5").starts_with("elo0 must be less"));
        assert!(error("elo0=0,elo1=5,alpha=0.7").starts_with("alpha and beta"));
        assert!(error("elo0=x,elo1=5").starts_with("elo0=x is not a part"));
    }

    fn pair(one: usize, other: usize, wins: u32, losses: u32) -> Comparison {
        Comparison { players: vec![one, other], wins: vec![wins.into(), losses.into()] }
    }

    /// The American League of 1987: A. Agresti, Categorical Data Analysis; the estimates are those
    /// of the R package `BradleyTerry2`, relative to the last team.
    #[test]
    fn strengths_are_those_of_a_published_table() {
        const WINS: [[u32; 7]; 7] = [
            [0, 7, 9, 7, 7, 9, 11],
            [6, 0, 7, 5, 11, 9, 9],
            [4, 6, 0, 7, 7, 8, 12],
            [6, 8, 6, 0, 6, 7, 10],
            [6, 2, 6, 7, 0, 7, 12],
            [4, 4, 5, 6, 6, 0, 6],
            [2, 4, 1, 3, 1, 7, 0],
        ];
        const PUBLISHED: [(f64, f64); 6] = [
            (1.5814, 0.3433),
            (1.4364, 0.3396),
            (1.2945, 0.3367),
            (1.2476, 0.3359),
            (1.1077, 0.3339),
            (0.6839, 0.3319),
        ];
        let pairs = (0..7).flat_map(|one| (one + 1..7).map(move |other| (one, other)));
        let played =
            |(one, other): (usize, usize)| pair(one, other, WINS[one][other], WINS[other][one]);
        let comparisons: Vec<Comparison> = pairs.map(played).collect();
        let strengths = strengths(7, &comparisons);
        let covariance = covariance(&strengths, &comparisons);
        for (team, (ability, error)) in PUBLISHED.into_iter().enumerate() {
            let found = (strengths[team] / strengths[6]).ln();
            assert!((found - ability).abs() < 1e-4, "team {team}: {found}");
            let variance = covariance[team][team] + covariance[6][6] - 2.0 * covariance[team][6];
            assert!((variance.sqrt() - error).abs() < 1e-4, "team {team}: {}", variance.sqrt());
        }
    }

    #[test]
    fn two_players_are_as_far_apart_as_their_score_says() {
        let found = ratings(2, &[pair(0, 1, 75, 25)], 0.0);
        assert!((found[0].elo - found[1].elo - 190.8485).abs() < 1e-3, "{found:?}");
        assert!((found[0].elo + found[1].elo).abs() < 1e-6);
        assert!(found[0].elo_low > found[1].elo_high);
    }

    #[test]
    fn three_at_a_table_win_by_their_share_of_the_strength() {
        let comparison = Comparison { players: vec![0, 1, 2], wins: vec![60.0, 30.0, 10.0] };
        let strengths = strengths(3, &[comparison]);
        assert!((strengths[0] / strengths[1] - 2.0).abs() < 1e-6);
        assert!((strengths[1] / strengths[2] - 3.0).abs() < 1e-6);
    }

    #[test]
    fn shared_games_of_a_prior_keep_ratings_finite() {
        let found = ratings(3, &[pair(0, 1, 10, 0), pair(1, 2, 10, 0), pair(0, 2, 10, 0)], 1.0);
        assert!(
            found.iter().all(|rating| rating.elo_low.is_finite() && rating.elo_high.is_finite())
        );
        assert!(found[0].elo > found[1].elo && found[1].elo > found[2].elo);
        assert!(found[1].elo.abs() < 1e-6, "{found:?}");
    }
}
