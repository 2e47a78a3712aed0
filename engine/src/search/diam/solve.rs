//! What is forced on the smallest board, by the second player's first move.

use adamant_rules::{Kind, Options, Position};

use super::{position::Diam, value::value};
use crate::search::{
    Limits, Opening, Search, Stop,
    native::{End, Native},
    race::{Race, Racer},
};

/// The smallest board, with the fewest pieces.
const OPTIONS: &str = "-board=8x3 -pieces=2x3";

/// The replies to a first move on sector 1, each with how many it stands for: the ring has mirror
/// images, and a seat's two colours are alike.
const REPLIES: [(&str, usize); 5] = [("X1", 2), ("X2", 4), ("X3", 4), ("X4", 4), ("X5", 2)];

const FIRST: &str = "A1";

/// The table has 2 to the power of this many positions.
const TABLE_BITS: u32 = 24;

/// Looks for a win that either seat can force within so many plies after each pair of first moves;
/// each is told as soon as that is known, with the number of those that follow.
pub(in super::super) fn solve(plies: u8, check: bool, on_opening: &mut dyn FnMut(&Opening, usize)) {
    let mut race = Race::new(TABLE_BITS);
    for (left, (reply, alike)) in (0..REPLIES.len()).rev().zip(REPLIES) {
        let position = after(&[FIRST, reply]);
        let native = Diam::from_rules(&position).expect("every board of Diam is native");
        race.allow(u64::MAX);
        let found = race.winner(&native, plies);
        let opening = Opening {
            text: format!("{FIRST} {reply}"),
            alike,
            wins: found.map(|(winner, _)| winner != native.to_move()),
            plies: Some(found.map_or(plies, |(_, plies)| plies)),
            nodes: race.positions(),
            agrees: check.then(|| agrees(&position, found, plies)).flatten(),
        };
        on_opening(&opening, left);
    }
}

/// The position after some moves on the smallest board.
fn after(moves: &[&str]) -> Position {
    let options =
        Options::parse(OPTIONS, Kind::Diam.option_specs()).expect("the options are known");
    let mut position = Kind::Diam.open(&options, 2).expect("the options are possible");
    for text in moves {
        let mv = position.parse_move(text).expect("the first moves are possible");
        position.apply(&mv);
    }
    position
}

/// Whether the search, which looks ahead by another way, has found the same; none if it has no proof.
/// Late moves it looks at less far, so that it may find a win late.
fn agrees(position: &Position, found: Option<(usize, u8)>, plies: u8) -> Option<bool> {
    let nodes = Some(Opening::CHECK_NODES);
    let limits = Limits { depth: Some(plies.into()), nodes, ..Limits::default() };
    let report = Search::new(position, &[], limits).run(&Stop::default(), &mut |_| {});
    let distance = report.lines.first().and_then(|line| line.distance);
    let proven = distance.filter(|_| report.exact);
    match (found, proven) {
        (Some((winner, within)), Some(distance)) => {
            let is_same = (winner == position.to_move().index()) == (report.value > 0);
            Some(is_same && distance >= within.into())
        }
        (None, Some(distance)) => Some(distance > plies.into()),
        (None, None) => (report.nodes < Opening::CHECK_NODES).then_some(true),
        (Some(_), None) => None,
    }
}

impl Racer for Diam {
    fn seat(&self) -> usize {
        self.to_move()
    }

    fn outcome(&self) -> Option<End> {
        self.end()
    }

    fn key(&self) -> u64 {
        self.hash()
    }

    fn wins_at_once(&self) -> bool {
        self.winning_move(self.to_move()).is_some()
    }

    fn answers(&self, made: &mut u64) -> Vec<Self> {
        let mut answers = Vec::with_capacity(32);
        self.any_move(|mv| {
            let mut after = *self;
            after.play(mv);
            *made += 1;
            if !after.is_lost_for(self.to_move()) {
                // A threat leaves the other seat few answers.
                let is_quiet = !after.is_threatened();
                answers.push((is_quiet, value(&after), after));
            }
            false
        });
        answers.sort_by_key(|&(is_quiet, value, _)| (is_quiet, value));
        answers.into_iter().map(|(.., after)| after).collect()
    }

    fn is_lost_in_two(&self, made: &mut u64) -> bool {
        let seat = self.to_move();
        !self.any_move(|mv| {
            let mut after = *self;
            after.play(mv);
            *made += 1;
            !after.is_lost_for(seat)
        })
    }
}

impl Diam {
    /// Whether the other seat has won, or wins at once.
    fn is_lost_for(&self, seat: usize) -> bool {
        let other = 1 - seat;
        match self.end() {
            Some(end) => end == End::Won(other),
            None => self.to_move() == other && self.winning_move(other).is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use adamant_rules::proof::Prover;
    use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

    use super::*;

    #[test]
    fn both_solvers_find_the_same_within_few_plies() {
        let mut alike = 0;
        solve(7, true, &mut |opening, _| {
            assert_eq!((opening.wins, opening.agrees), (None, Some(true)), "{opening:?}");
            alike += opening.alike;
        });
        assert_eq!(alike, 16);
    }

    #[test]
    fn a_race_finds_the_wins_that_a_proof_by_rules_finds() {
        let (mut race, mut wins) = (Race::new(16), 0);
        for seed in 0..40 {
            let mut rng = StdRng::seed_from_u64(seed);
            let mut position = after(&[]);
            while position.clone().settle().is_none() {
                let (native, seat) = (Diam::from_rules(&position).unwrap(), position.to_move());
                for moves in 1..=2 {
                    let proven = Prover::new(u64::MAX).winning_move(&position, moves).unwrap();
                    let plies = u8::try_from(2 * moves - 1).unwrap();
                    let found = race.forces(&native, seat.index(), plies);
                    assert_eq!(found, Some(proven.is_some()), "{position:?}");
                    wins += usize::from(moves == 2 && proven.is_some());
                }
                let mv =
                    position.sample_moves(1, &mut |below| rng.random_range(0..below)).remove(0);
                position.apply(&mv);
            }
        }
        assert!(wins > 30, "{wins}");
    }
}
