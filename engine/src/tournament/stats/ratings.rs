//! Ratings of many engines by maximum likelihood.
//!
//! The model is that of Bradley and Terry, in its form for several players of one game: the
//! probability that a player wins is its strength divided by the sum of the strengths at the
//! table. A shared win counts in equal parts. Source: D. R. Hunter, "MM algorithms for generalized
//! Bradley-Terry models", The Annals of Statistics 32 (2004), whose iteration this is.

use serde::Serialize;

use super::normal::Z_95;

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

/// Rates `number` players. Each set of players gets `prior` additional games that all of them
/// share, which keeps ratings finite where one has won or lost everything.
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
