//! A second set of rules, slow and simple, that knows a board only as points in the plane. It tries
//! every way to distribute pieces on the smallest board and must find the same moves.

use std::collections::{BTreeMap, BTreeSet};

use adamant_rules::{
    Cell, Consequence, Options, Seat,
    game::{Game, Mark, MoveCount},
    games::adamas::{Adamas, Move},
};
use proptest::prelude::*;

use super::{arranged, start};
use crate::games::play;

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

#[derive(Clone, Debug)]
struct Plan {
    options: String,
    players: usize,
    choices: Vec<u32>,
}

fn plan() -> impl Strategy<Value = Plan> {
    let choices = proptest::collection::vec(any::<u32>(), 1..40);
    (2..=8_u32, 2..=12_u32, any::<bool>(), 2..=3_usize, choices).prop_map(
        |(size, pieces, progressive, players, choices)| {
            let flag = if progressive { " -prog_cap" } else { "" };
            Plan { options: format!("-size={size} -pieces={pieces}{flag}"), players, choices }
        },
    )
}

/// A move somewhere among the hints: a capture where there is one, else any number of pieces.
fn choose(position: &Adamas, choice: u32) -> String {
    let choice = choice as usize;
    let sources = position.sources();
    let stacks = position.stacks();
    let capture = sources.iter().find_map(|&from| {
        position.targets(from).into_iter().find(|target| target.capture).map(|to| (from, to))
    });
    let (from, to) = capture.unwrap_or_else(|| {
        let from = sources[choice % sources.len()];
        let targets = position.targets(from);
        (from, targets[choice / 16 % targets.len()])
    });
    let (_, pieces) = stacks.iter().find(|(cell, _)| *cell == from).unwrap();
    let count = 1 + choice / 256 % pieces.len();
    format!("{count}x{}-{}", position.cell_name(from), position.cell_name(to.cell))
}

fn pieces(position: &Adamas) -> [usize; 3] {
    let mut counts = [0; 3];
    for (_, stack) in position.stacks() {
        counts["OXY".find(&stack[..1]).unwrap()] += stack.len();
    }
    counts
}

/// Lets everything happen that must; whether the game goes on.
fn settle(position: &mut Adamas) -> Result<bool, TestCaseError> {
    loop {
        prop_assert_eq!(position.hash(), position.hash_from_scratch());
        match position.pending() {
            None => return Ok(true),
            Some(Consequence::End { .. }) => return Ok(false),
            Some(Consequence::Skip(_)) => prop_assert!(false, "no seat is skipped in Adamas"),
            Some(Consequence::Remove(seat, _)) => {
                let before = pieces(position);
                position.remove(seat);
                let mut after = pieces(position);
                prop_assert_eq!(after[seat.index()], 0);
                after[seat.index()] = before[seat.index()];
                prop_assert_eq!(after, before);
                prop_assert!(position.seats_in().contains(position.to_move()));
            }
        }
    }
}

fn check_hints(position: &Adamas) -> Result<(), TestCaseError> {
    let sources = position.sources();
    prop_assert_eq!(!sources.is_empty(), position.can_move());
    prop_assert_eq!(!position.legal_moves(1).is_empty(), position.can_move());
    let cells: Vec<_> = position.layout().cells.iter().map(|at| at.cell).collect();
    let occupied: Vec<_> = position.stacks().into_iter().map(|(cell, _)| cell).collect();
    for &from in &cells {
        let targets = position.targets(from);
        prop_assert_eq!(!targets.is_empty(), sources.contains(&from));
        for &to in cells.iter().filter(|_| occupied.contains(&from)) {
            let notation = format!("{}-{}", position.cell_name(from), position.cell_name(to));
            let validated =
                position.parse_move(&notation).and_then(|mv| position.validate(&mv)).ok();
            let hint = targets.iter().find(|target| target.cell == to);
            prop_assert_eq!(
                validated.map(|captures| !captures.is_empty()),
                hint.map(|t| t.capture)
            );
        }
    }
    Ok(())
}

fn check_list(position: &Adamas) -> Result<(), TestCaseError> {
    for mv in position.legal_moves(150) {
        let notation = mv.to_string();
        prop_assert_eq!(position.parse_move(&notation), Ok(mv.clone()));
        prop_assert_eq!(position.parse_move(&notation.to_uppercase()), Ok(mv.clone()));
        let captures = position.validate(&mv);
        prop_assert!(captures.is_ok(), "{}: {:?}", notation, captures);
        let captures = captures.unwrap();

        let (before, mut after) = (pieces(position), position.clone());
        after.apply(&mv);
        let mut left = pieces(&after);
        for capture in captures {
            left[capture.seat.index()] += usize::from(capture.pieces);
        }
        prop_assert_eq!(left, before, "pieces vanish by capture only");
        prop_assert_eq!(after.hash(), after.hash_from_scratch());
        prop_assert!(after != *position);
    }
    Ok(())
}

/// What the listed moves of every seat capture, were it that seat's turn.
fn captured_by_any(position: &Adamas, options: &str, opening: bool) -> Vec<Cell> {
    let options = Options::parse(options, Adamas::OPTIONS).unwrap();
    let players = position.players();
    let named: Vec<_> = position
        .stacks()
        .into_iter()
        .map(|(cell, pieces)| (position.cell_name(cell), pieces))
        .collect();
    let stacks: Vec<_> =
        named.iter().map(|(cell, pieces)| (cell.as_str(), pieces.as_str())).collect();
    let mut found = BTreeSet::new();
    for seat in position.seats_in().iter() {
        let opening = opening && seat == position.to_move();
        let turn = Adamas::from_setup(&options, players, &stacks, seat, opening).unwrap();
        for mv in turn.legal_moves(usize::MAX) {
            // A capture that an earlier part makes possible is none in the position as it is.
            let first = turn.affected_cells(&mv).into_iter().find(|&(_, mark)| mark == Mark::To);
            let captured = turn.validate(&mv).unwrap().into_iter().map(|capture| capture.cell);
            found.extend(captured.filter(|&cell| {
                !options.flag("prog_cap") || first.is_some_and(|(first, _)| cell == first)
            }));
        }
    }
    found.into_iter().collect()
}

proptest! {
    #![proptest_config(crate::cases(64))]

    #[test]
    fn random_games_keep_the_invariants(plan in plan()) {
        let mut position = start(&plan.options, plan.players);
        for (ply, &choice) in plan.choices.iter().enumerate() {
            if !settle(&mut position)? {
                break;
            }
            if ply % 4 == 0 {
                check_hints(&position)?;
                check_list(&position)?;
            }
            let mv = position.parse_move(&choose(&position, choice)).unwrap();
            prop_assert!(position.validate(&mv).is_ok());
            position.apply(&mv);
        }
    }

    #[test]
    fn counting_is_listing(
        size in 2..=3_u32,
        players in 2..=3_usize,
        choices in proptest::collection::vec(any::<u32>(), 0..8),
    ) {
        let mut position = start(&format!("-size={size} -pieces=5"), players);
        for choice in choices {
            if !settle(&mut position)? {
                break;
            }
            let listed = position.legal_moves(usize::MAX);
            prop_assert_eq!(position.count_moves(), MoveCount::Exactly(listed.len() as u128));
            let mv = position.parse_move(&choose(&position, choice)).unwrap();
            position.apply(&mv);
        }
    }

    #[test]
    fn threatened_pieces_are_those_the_others_could_capture(
        size in 2..=3_u32,
        players in 2..=3_usize,
        progressive: bool,
        choices in proptest::collection::vec(any::<u32>(), 0..12),
    ) {
        let flag = if progressive { " -prog_cap" } else { "" };
        let options = format!("-size={size} -pieces=4{flag}");
        let mut position = start(&options, players);
        for (ply, choice) in choices.into_iter().enumerate() {
            prop_assert_eq!(position.threatened(), captured_by_any(&position, &options, ply == 0));
            let mv = position.parse_move(&choose(&position, choice)).unwrap();
            position.apply(&mv);
            if !settle(&mut position)? {
                break;
            }
        }
    }

    #[test]
    fn any_seat_may_leave_at_any_time(plan in plan(), seat in 0..3_usize) {
        let mut position = start(&plan.options, plan.players);
        let seat = Seat::new(seat % plan.players).unwrap();
        for choice in plan.choices {
            if !settle(&mut position)? {
                return Ok(());
            }
            let mv = position.parse_move(&choose(&position, choice)).unwrap();
            position.apply(&mv);
        }
        let before = position.clone();
        position.remove(seat);
        prop_assert_eq!(position.hash(), position.hash_from_scratch());
        prop_assert_eq!(pieces(&position)[seat.index()], 0);
        prop_assert_eq!(position.seats_in(), before.seats_in().without(seat));
        prop_assert!(position.seats_in().contains(position.to_move()));
    }
}

fn captures(position: &Adamas, mv: &Move) -> bool {
    !position.validate(mv).unwrap().is_empty()
}

fn cells(position: &Adamas, moves: &[Move], mark: Mark) -> BTreeSet<String> {
    let affected = moves.iter().flat_map(|mv| position.affected_cells(mv));
    let cells = affected.filter(|&(_, as_what)| as_what == mark);
    cells.map(|(cell, _)| position.cell_name(cell).as_str().to_owned()).collect()
}

/// Every cell that a stack of the seat to move may go to.
fn targets(position: &Adamas) -> BTreeSet<String> {
    let targets = position.sources().into_iter().flat_map(|from| position.targets(from));
    targets.map(|target| position.cell_name(target.cell).as_str().to_owned()).collect()
}

fn sources(position: &Adamas) -> BTreeSet<String> {
    position
        .sources()
        .into_iter()
        .map(|cell| position.cell_name(cell).as_str().to_owned())
        .collect()
}

fn is_single(position: &Adamas, mv: &Move) -> bool {
    position.affected_cells(mv).len() == 2
}

/// How many different ones there are.
fn told(moves: &[Move]) -> usize {
    moves.iter().map(ToString::to_string).collect::<BTreeSet<_>>().len()
}

proptest! {
    #![proptest_config(crate::cases(24))]

    #[test]
    fn captures_and_single_parts_come_first(
        size in 2..=3_u32,
        players in 2..=3_usize,
        progressive: bool,
        room in 0..400_usize,
        choices in proptest::collection::vec(any::<usize>(), 0..10),
    ) {
        let flag = if progressive { " -prog_cap" } else { "" };
        let mut position = start(&format!("-size={size} -pieces=6{flag}"), players);
        for choice in choices {
            if position.pending().is_some() {
                break;
            }
            let survey = position.representative_moves(room);
            let listed = position.legal_moves(usize::MAX);
            prop_assert_eq!(&survey, &position.clone().representative_moves(room));
            prop_assert!(survey.iter().all(|mv| position.validate(mv).is_ok()));
            let told: BTreeSet<_> = survey.iter().map(ToString::to_string).collect();
            prop_assert_eq!(told.len(), survey.len());
            if !progressive {
                prop_assert_eq!(survey.len(), room.min(listed.len()));
                let first = |mv: &&Move| is_single(&position, mv) || captures(&position, mv);
                let first: Vec<_> = listed.iter().filter(first).collect();
                if first.len() <= room {
                    for mv in first {
                        prop_assert!(told.contains(&mv.to_string()), "{} is missing", mv);
                    }
                }
            }
            position.apply(&listed[choice % listed.len()]);
        }
    }

    #[test]
    fn nothing_is_out_of_reach(
        players in 2..=3_usize,
        choices in proptest::collection::vec(any::<usize>(), 0..8),
    ) {
        let mut position = start("-size=2 -pieces=5", players);
        for choice in choices {
            if position.pending().is_some() {
                break;
            }
            // One move less than there are: the groups hold the others.
            let listed = position.legal_moves(usize::MAX);
            let survey = position.representative_moves(listed.len() - 1);
            prop_assert_eq!(survey.len(), listed.len() - 1);
            prop_assert!(survey.iter().all(|mv| listed.contains(mv)));
            position.apply(&listed[choice % listed.len()]);
        }
    }
}

#[test]
fn every_cell_is_among_the_targets_of_an_opening() {
    let position = start("", 2);
    assert_eq!(position.count_moves(), MoveCount::Exactly(6_434));
    let survey = position.representative_moves(512);
    assert_eq!(survey.len(), 512);
    assert_eq!(cells(&position, &survey, Mark::To), targets(&position));
    let several = survey.iter().filter(|mv| !is_single(&position, mv)).count();
    assert!(several > 300, "an even sample of the others");
}

#[test]
fn representatives_of_a_huge_move_list_are_fast() {
    for flag in ["", " -prog_cap"] {
        for players in [2, 3] {
            let mut position = start(&format!("-size=8 -pieces=99{flag}"), players);
            let survey = position.representative_moves(512);
            assert_eq!(told(&survey), 512);
            assert_eq!(cells(&position, &survey, Mark::To), targets(&position));
            for notation in ["h1-30xh8,20xa1,o1,9xd1", "50xh15-h14"] {
                drop(play(&mut position, notation));
            }
            let survey = position.representative_moves(512);
            assert_eq!(told(&survey), 512);
            assert_eq!(cells(&position, &survey, Mark::To), targets(&position));
            assert_eq!(cells(&position, &survey, Mark::From), sources(&position));
            assert!(survey.iter().all(|mv| position.validate(mv).is_ok()));
        }
    }
}

/// A stack of two and one of six that may go to as many cells, and nothing to capture.
#[test]
fn room_is_shared_out_as_evenly_as_sizes_let_it() {
    let stacks = format!("a1:OO c3:{} e1:{}", "O".repeat(6), "X".repeat(60));
    let position = arranged("", 2, &stacks, "O");
    let shares = |moves: &[Move]| {
        let mut shares = BTreeMap::new();
        for mv in moves.iter().filter(|mv| is_single(&position, mv)) {
            *shares.entry(position.affected_cells(mv)).or_insert(0_usize) += 1;
        }
        shares
    };
    let all = shares(&position.legal_moves(usize::MAX));
    assert_eq!(all.values().copied().collect::<BTreeSet<_>>(), BTreeSet::from([2, 6]));
    for room in 0..all.values().sum() {
        let survey = position.representative_moves(room);
        let shares = shares(&survey);
        assert_eq!((survey.len(), shares.values().sum::<usize>()), (room, room));
        let most = shares.values().max().copied().unwrap_or(0);
        for (group, &size) in &all {
            let share = shares.get(group).copied().unwrap_or(0);
            assert!(share == size || share + 1 >= most, "{share} for {group:?} of {room}");
        }
        if room > 1 {
            assert_eq!(cells(&position, &survey, Mark::From), sources(&position));
        }
    }
}

#[test]
fn captures_that_are_too_many_leave_room_for_single_parts() {
    let stacks = format!("c3:{} a1:XXXXXXXXXXXXXXXX", "O".repeat(16));
    let position = arranged("", 2, &stacks, "O");
    let survey = position.representative_moves(200);
    let told = |capture: bool, alone: bool| {
        let told = survey.iter().filter(|mv| captures(&position, mv) == capture);
        told.filter(|mv| is_single(&position, mv) == alone).count()
    };
    // Sixteen of one part capture; 11 other cells could get up to sixteen pieces each.
    assert_eq!(told(true, true), 16);
    assert_eq!((told(false, true), told(true, false)), (92, 92));
    assert_eq!(told(false, false), 0);
    assert_eq!(cells(&position, &survey, Mark::To), targets(&position));
}
