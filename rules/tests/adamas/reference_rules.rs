//! A second set of rules, slow and simple, that knows a board only as points in the plane. It tries
//! every way to distribute pieces on the smallest board and must find the same moves.

use std::collections::{BTreeMap, BTreeSet};

use adamant_rules::{
    Cell,
    game::{Game, MoveCount},
    games::adamas::Adamas,
};
use proptest::prelude::*;

use super::positions::arranged;

/// Counts by the name of a cell.
type Shares = Vec<(String, usize)>;

struct Naive {
    points: BTreeMap<String, (f64, f64)>,
    stacks: BTreeMap<String, String>,
    mover: String,
}

impl Naive {
    fn of(position: &Adamas) -> Self {
        let name = |cell: Cell| position.cell_name(cell).to_string();
        let layout = position.layout();
        Self {
            points: layout.cells.iter().map(|at| (name(at.cell), (at.x, at.y))).collect(),
            stacks: position.stacks().into_iter().map(|(c, pieces)| (name(c), pieces)).collect(),
            mover: position.letter(position.to_move()).to_string(),
        }
    }

    fn distance(&self, a: &str, b: &str) -> f64 {
        let ((ax, ay), (bx, by)) = (self.points[a], self.points[b]);
        (ax - bx).hypot(ay - by)
    }

    /// On one line, and no stack in between: between two cells lie those whose distances to both
    /// add up to that of the two.
    fn sees(&self, a: &str, b: &str) -> bool {
        let ((ax, ay), (bx, by)) = (self.points[a], self.points[b]);
        let sixths = (by - ay).atan2(bx - ax) / std::f64::consts::FRAC_PI_3;
        let clear = |between: &String| {
            let way = self.distance(a, between) + self.distance(between, b);
            between == a || between == b || way > self.distance(a, b) + 1e-6
        };
        a != b && (sixths - sixths.round()).abs() < 1e-6 && self.stacks.keys().all(clear)
    }

    fn threatened(&self, cell: &str) -> bool {
        let stack = &self.stacks[cell];
        let enemies = self
            .stacks
            .iter()
            .filter(|(from, other)| other.get(..1) != stack.get(..1) && self.sees(from, cell));
        enemies.map(|(_, other)| other.len()).sum::<usize>() == stack.len()
    }

    fn own(&self, cell: &str) -> usize {
        self.stacks.get(cell).filter(|stack| stack.starts_with(&self.mover)).map_or(0, String::len)
    }

    fn may_land(&self, cell: &str) -> bool {
        !self.stacks.contains_key(cell) || self.own(cell) > 0 || self.threatened(cell)
    }

    fn land(&mut self, cell: &str, pieces: usize) {
        let height = self.own(cell) + pieces;
        self.stacks.insert(cell.to_owned(), self.mover.repeat(height));
    }

    fn lift(&mut self, cell: &str, pieces: usize) {
        let left = self.own(cell) - pieces;
        self.stacks.insert(cell.to_owned(), self.mover.repeat(left));
        self.stacks.retain(|_, stack| !stack.is_empty());
    }

    fn legal_split(&self, from: &str, shares: &Shares, progressive: bool) -> bool {
        let total: usize = shares.iter().map(|(_, pieces)| pieces).sum();
        if total == 0 || total > self.own(from) {
            return false;
        }
        let mut air = Self {
            points: self.points.clone(),
            stacks: self.stacks.clone(),
            mover: self.mover.clone(),
        };
        shares.iter().enumerate().all(|(index, (to, pieces))| {
            let counted = if progressive { &air } else { self };
            let legal = self.sees(from, to) && counted.may_land(to);
            if index == 0 {
                air.lift(from, total);
            }
            air.land(to, *pieces);
            legal
        })
    }

    /// Every distribution of 0..=`most` pieces on the other cells, without those that get none.
    fn distributions(&self, without: &str, most: usize) -> Vec<Shares> {
        let mut found = vec![Shares::new()];
        for cell in self.points.keys().filter(|cell| *cell != without) {
            let longer = found.iter().flat_map(|shares| {
                (1..=most).map(|pieces| [&shares[..], &[(cell.clone(), pieces)]].concat())
            });
            found.extend(longer.collect::<Vec<_>>());
            found.retain(|shares| shares.iter().map(|(_, pieces)| pieces).sum::<usize>() <= 6);
        }
        found
    }

    fn moves(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for cell in self.points.keys() {
            for shares in self.distributions(cell, 6) {
                if self.own(cell) > 0 && self.legal_split(cell, &shares, false) {
                    found.insert(match &shares[..] {
                        [_] => format!("{}-{}", write(&[(cell.clone(), shares[0].1)]), shares[0].0),
                        _ => format!("{cell}-{}", write(&shares)),
                    });
                }
                let comes = |(from, pieces): &(String, usize)| {
                    *pieces <= self.own(from) && self.sees(from, cell)
                };
                if shares.len() >= 2 && self.may_land(cell) && shares.iter().all(comes) {
                    found.insert(format!("{}-{cell}", write(&shares)));
                }
            }
        }
        found
    }
}

fn write(shares: &[(String, usize)]) -> String {
    let part = |(cell, pieces): &(String, usize)| match pieces {
        1 => cell.clone(),
        _ => format!("{pieces}x{cell}"),
    };
    shares.iter().map(part).collect::<Vec<_>>().join(",")
}

/// Stacks on the smallest board with at most six pieces of each colour, one at least of O.
fn small_position(options: &'static str) -> impl Strategy<Value = Adamas> {
    let cells = ["a1", "a2", "b1", "b2", "b3", "c1", "c2"];
    let heights = proptest::collection::vec((0..4_usize, 0..3_usize), cells.len());
    heights.prop_filter_map("O must be able to move", move |heights| {
        let mut left = [6; 3];
        let mut stacks = Vec::new();
        for (cell, (height, seat)) in cells.iter().zip(heights) {
            let height = height.min(left[seat]);
            left[seat] -= height;
            if height > 0 {
                stacks.push(format!("{cell}:{}", ["O", "X", "Y"][seat].repeat(height)));
            }
        }
        (left[0] < 6).then(|| arranged(options, 3, &stacks.join(" "), "O"))
    })
}

proptest! {
    #![proptest_config(crate::cases(48))]

    #[test]
    fn moves_match_the_reference_rules(position in small_position("-size=2")) {
        let naive = Naive::of(&position).moves();
        let listed: Vec<_> =
            position.legal_moves(usize::MAX).iter().map(ToString::to_string).collect();
        prop_assert_eq!(position.count_moves(), MoveCount::Exactly(naive.len() as u128));
        prop_assert_eq!(position.can_move(), !naive.is_empty());
        prop_assert_eq!(listed.len(), naive.len());
        prop_assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), naive);
    }

    #[test]
    fn every_progressive_split_is_listed_in_some_order(position in small_position("-size=2 -prog_cap")) {
        let naive = Naive::of(&position);
        let mut legal = BTreeSet::new();
        for from in naive.points.keys().filter(|from| naive.own(from) > 0) {
            for shares in naive.distributions(from, 6).iter().filter(|shares| shares.len() <= 4) {
                if orders(shares).iter().any(|order| naive.legal_split(from, order, true)) {
                    legal.insert(effect(from, shares));
                }
            }
        }
        let listed = position.legal_moves(usize::MAX);
        let mut different = BTreeSet::new();
        let mut splits = BTreeSet::new();
        for mv in &listed {
            prop_assert!(position.validate(mv).is_ok(), "{}", mv);
            prop_assert!(different.insert(mv.to_string()), "{} twice", mv);
            if let Some((from, shares)) = read_split(&mv.to_string()) {
                splits.extend((shares.len() <= 4).then(|| effect(from, &shares)));
            }
        }
        prop_assert_eq!(splits, legal);
    }

    #[test]
    fn every_order_of_parts_is_validated_alike(position in small_position("-size=2 -prog_cap")) {
        let naive = Naive::of(&position);
        for from in naive.points.keys() {
            for shares in naive.distributions(from, 3).iter().filter(|s| (1..=3).contains(&s.len())) {
                for order in orders(shares) {
                    let legal = naive.own(from) > 0 && naive.legal_split(from, &order, true);
                    let notation = match &order[..] {
                        [(to, pieces)] => format!("{pieces}x{from}-{to}"),
                        _ => format!("{from}-{}", write(&order)),
                    };
                    let validated = position.validate(&position.parse_move(&notation).unwrap());
                    prop_assert_eq!(validated.is_ok(), legal, "{}: {:?}", notation, validated);
                }
            }
        }
    }
}

/// What a split does, whatever the order of its parts.
fn effect(from: &str, shares: &[(String, usize)]) -> (String, BTreeSet<(String, usize)>) {
    (from.to_owned(), shares.iter().cloned().collect())
}

/// A split as it is written, taken apart; `None` for a merge.
fn read_split(notation: &str) -> Option<(&str, Shares)> {
    let (from, to) = notation.split_once('-').unwrap();
    let part = |part: &str| match part.split_once('x') {
        Some((pieces, cell)) => (cell.to_owned(), pieces.parse().unwrap()),
        None => (part.to_owned(), 1),
    };
    if from.contains(',') {
        return None;
    }
    let mut shares: Shares = to.split(',').map(part).collect();
    if let Some((pieces, cell)) = from.split_once('x') {
        shares[0].1 = pieces.parse().unwrap();
        return Some((cell, shares));
    }
    Some((from, shares))
}

fn orders(shares: &[(String, usize)]) -> Vec<Shares> {
    if shares.is_empty() {
        return vec![Shares::new()];
    }
    let with_first = |first: usize| {
        let mut rest = shares.to_vec();
        let share = rest.remove(first);
        orders(&rest).into_iter().map(move |order| [vec![share.clone()], order].concat())
    };
    (0..shares.len()).flat_map(with_first).collect()
}
