//! A second set of rules, slow and simple, that knows a board only by the columns and rows in the
//! names of its cells. It tries every set of up to three cells and must find the same moves, and it
//! follows chains piece by piece.

use std::collections::{BTreeMap, BTreeSet};

use adamant_rules::{
    Consequence, EndReason, Position, SeatSet,
    game::{Game, MoveCount, Target},
    games::stymie::{LastMove, Stymie},
};
use proptest::prelude::*;

use super::{arranged, replay, seat_of, start};
use crate::games::{listed, play};

/// A column and a row, both from 1.
type Place = (u8, u8);

pub(crate) struct Naive {
    cells: BTreeMap<Place, char>,
}

fn touch(a: Place, b: Place) -> bool {
    a.0.abs_diff(b.0) == 1 && a.1.abs_diff(b.1) == 1
}

fn join(a: Place, b: Place) -> bool {
    let octagons = a.0 % 2 == 1 && b.0 % 2 == 1;
    touch(a, b) || octagons && matches!((a.0.abs_diff(b.0), a.1.abs_diff(b.1)), (2, 0) | (0, 2))
}

fn name(place: Place) -> String {
    format!("{}{}", char::from(b'a' + place.0 - 1), place.1)
}

fn place(name: &str) -> Place {
    (name.as_bytes()[0] - b'a' + 1, name[1..].parse().unwrap())
}

/// Where the cells of a board are.
fn places(size: u8) -> impl Iterator<Item = Place> {
    let lines = 2 * size - 1;
    let places = (1..=lines).flat_map(move |column| (1..=lines).map(move |row| (column, row)));
    places.filter(|(column, row)| column % 2 == row % 2)
}

/// A board with a piece on every cell, in the order of putting them down.
fn full_board() -> impl Strategy<Value = (u8, String)> {
    (3..=12_u8, 0.2..0.8).prop_flat_map(|(size, share)| {
        let names: Vec<_> = places(size).map(name).collect();
        let owners = proptest::collection::vec(proptest::bool::weighted(share), names.len());
        (Just(names).prop_shuffle(), owners).prop_map(move |(names, owners)| {
            let pieces = names.iter().zip(owners);
            let pieces = pieces.map(|(name, v)| format!("{name}:{}", if v { 'V' } else { 'H' }));
            (size, pieces.collect::<Vec<_>>().join(" "))
        })
    })
}

impl Naive {
    pub(crate) fn of(position: &Stymie, size: u8) -> Self {
        let mut cells: BTreeMap<_, _> = places(size).map(|place| (place, ' ')).collect();
        for (cell, letter) in position.stacks() {
            let known = cells.get_mut(&place(position.cell_name(cell).as_str())).unwrap();
            *known = letter.parse().unwrap();
        }
        Self { cells }
    }

    /// Whether that letter's pieces lead from one side to the other.
    pub(crate) fn connected(&self, letter: char) -> bool {
        let along = |place: &Place| if letter == 'V' { place.1 } else { place.0 };
        let own: Vec<_> =
            self.cells.iter().filter(|(_, owner)| **owner == letter).map(|(at, _)| *at).collect();
        let last = self.cells.keys().map(along).max().unwrap();
        let (mut found, mut left): (Vec<_>, Vec<_>) =
            own.into_iter().partition(|at| along(at) == 1);
        let mut followed = 0;
        while let Some(&at) = found.get(followed) {
            found.extend(left.extract_if(.., |next| join(at, *next)));
            followed += 1;
        }
        found.iter().any(|at| along(at) == last)
    }

    /// How many empty cells that letter's best chain from one side to the other lacks: counts get
    /// better until none does.
    pub(crate) fn cells_needed(&self, letter: char) -> Option<i32> {
        let along = |place: &Place| if letter == 'V' { place.1 } else { place.0 };
        let open: Vec<_> = self.cells.iter().filter(|(_, o)| [letter, ' '].contains(o)).collect();
        let cost = |owner| i32::from(owner != letter);
        let mut best: BTreeMap<Place, i32> = BTreeMap::new();
        loop {
            let mut changed = false;
            for &(&at, &owner) in &open {
                let joined = best.iter().filter(|(other, _)| join(at, **other)).map(|(_, n)| *n);
                let Some(before) = joined.chain((along(&at) == 1).then_some(0)).min() else {
                    continue;
                };
                let better = before + cost(owner);
                if best.get(&at).is_none_or(|known| better < *known) {
                    best.insert(at, better);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        let last = self.cells.keys().map(along).max()?;
        best.iter().filter(|(at, _)| along(at) == last).map(|(_, n)| *n).min()
    }

    fn empty(&self) -> Vec<Place> {
        self.cells.iter().filter(|(_, owner)| **owner == ' ').map(|(at, _)| *at).collect()
    }

    /// Every set of cells that may be put pieces on, ascending.
    fn sets(&self, most: usize) -> Vec<Vec<Place>> {
        let empty = self.empty();
        let mut sets = vec![Vec::new()];
        for _ in 0..3 {
            let longer: Vec<_> = sets
                .iter()
                .flat_map(|set: &Vec<Place>| {
                    let later = empty.iter().filter(|at| set.last().is_none_or(|last| *at > last));
                    later.map(|at| [&set[..], &[*at]].concat()).collect::<Vec<_>>()
                })
                .collect();
            sets.extend(longer);
            sets.sort();
            sets.dedup();
        }
        let one_with_the_rest = |set: &Vec<Place>| {
            set.iter().any(|&one| set.iter().all(|&other| other == one || touch(one, other)))
        };
        sets.retain(|set| (1..=most).contains(&set.len()) && one_with_the_rest(set));
        sets
    }
}

fn write(set: &[Place]) -> String {
    set.iter().map(|&at| name(at)).collect::<Vec<_>>().join(",")
}

/// How many pieces one move may put down, by the moves so far, each with its number of pieces; a
/// swap counts as none.
fn most(course: &[usize]) -> usize {
    match course {
        [] => 1,
        [_] => 2,
        [.., 1] => 3,
        _ => 2,
    }
}

fn check(position: &Stymie, size: u8, most: usize, swap: bool) -> Result<(), TestCaseError> {
    let naive = Naive::of(position, size);
    let sets = naive.sets(most);
    let mut expected: BTreeSet<_> = sets.iter().map(|set| write(set)).collect();
    expected.extend(swap.then(|| "swap".to_owned()));
    let found = listed(position);
    prop_assert_eq!(position.count_moves(), MoveCount::Exactly(expected.len() as u128));
    prop_assert_eq!(found.len(), expected.len());
    prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);

    let cell = |at: &Place| position.cell(&name(*at)).unwrap();
    let sources: Vec<_> = naive.empty().iter().map(cell).collect();
    prop_assert_eq!(position.sources(), sources);
    for from in naive.cells.keys() {
        let with = sets.iter().filter(|set| set.contains(from)).flatten();
        let together: BTreeSet<_> = with.filter(|at| *at != from).map(cell).collect();
        let targets: Vec<_> =
            together.into_iter().map(|cell| Target { cell, capture: false }).collect();
        prop_assert_eq!(position.targets(cell(from)), targets, "from {}", name(*from));
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::cases(128))]

    #[test]
    fn moves_match_the_reference_rules(
        size in 3..=4_u8,
        swap: bool,
        choices in proptest::collection::vec(any::<u32>(), 1..20),
    ) {
        let flag = if swap { " -swap" } else { "" };
        let mut position = start(&format!("-size={size}{flag}"));
        let mut course = Vec::new();
        for choice in choices {
            check(&position, size, most(&course), swap && course.len() == 1)?;
            if position.pending().is_some() {
                break;
            }
            // A swap stands last, and single pieces make for long games and rights to triples.
            let moves = position.legal_moves(usize::MAX);
            let index = choice as usize / 4;
            let index = match choice % 4 {
                0 => moves.len() - 1,
                1 => index % moves.len(),
                _ => index % position.sources().len(),
            };
            let notation = moves[index].to_string();
            let pieces = notation.split(',').count();
            course.push(if notation == "swap" { 0 } else { pieces });
            play(&mut position, &notation).unwrap();
        }
    }

    #[test]
    fn a_full_board_has_exactly_one_winner((size, pieces) in full_board()) {
        let full = arranged(&format!("-size={size}"), &pieces, "V", LastMove::Other);
        let naive = Naive::of(&full, size);
        let connected: Vec<_> =
            ["V", "H"].into_iter().filter(|letter| full.is_connected(seat_of(letter))).collect();
        prop_assert_eq!(connected.len(), 1);
        for letter in ["V", "H"] {
            let expected = naive.connected(letter.parse().unwrap());
            prop_assert_eq!(connected.contains(&letter), expected);
        }
        let winners = SeatSet::only(seat_of(connected[0]));
        let end = Consequence::End { winners, reason: EndReason::Connected };
        prop_assert_eq!(full.pending(), Some(end));
        prop_assert!(!full.can_move() && full.legal_moves(1).is_empty());
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) size: u8,
    pub(crate) swap: bool,
    pub(crate) choices: Vec<u16>,
}

/// Choices enough to fill the largest board.
pub(crate) fn plan() -> impl Strategy<Value = Plan> {
    let choices = proptest::collection::vec(any::<u16>(), 1..266);
    (3..=12_u8, any::<bool>(), choices).prop_map(|(size, swap, choices)| Plan {
        size,
        swap,
        choices,
    })
}

impl Plan {
    pub(crate) fn options(&self) -> String {
        format!("-size={}{}", self.size, if self.swap { " -swap" } else { "" })
    }
}

/// A move: three times out of four a single piece, so that chains grow slowly.
pub(crate) fn choose(position: &Stymie, choice: u16) -> String {
    let singles = position.sources().len();
    let moves = position.legal_moves(usize::MAX);
    let most = if choice.is_multiple_of(4) { moves.len() } else { singles };
    moves[usize::from(choice / 4) % most].to_string()
}

/// Some hundred moves from all over the list.
fn check_list(position: &Stymie) -> Result<(), TestCaseError> {
    let moves = position.legal_moves(usize::MAX);
    for mv in moves.iter().step_by(1 + moves.len() / 100) {
        let notation = mv.to_string();
        prop_assert_eq!(&position.parse_move(&notation), &Ok(mv.clone()));
        prop_assert_eq!(&position.parse_move(&notation.to_uppercase()), &Ok(mv.clone()));
        prop_assert!(position.validate(mv).is_ok_and(|captures| captures.is_empty()));

        let mut after = position.clone();
        after.apply(mv);
        let swap = notation == "swap";
        let put = if swap { 0 } else { notation.split(',').count() };
        prop_assert_eq!(after.stacks().len(), position.stacks().len() + put);
        prop_assert_eq!(after.to_move() == position.to_move(), swap);
        prop_assert_eq!(after.hash(), after.hash_from_scratch());
        prop_assert_ne!(after.hash(), position.hash());
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::cases(32))]

    #[test]
    fn random_games_keep_the_invariants(plan in plan()) {
        let mut position = start(&plan.options());
        let mut notations = Vec::new();
        for (ply, &choice) in plan.choices.iter().enumerate() {
            prop_assert_eq!(position.hash(), position.hash_from_scratch());
            prop_assert_eq!(position.can_move(), !position.legal_moves(1).is_empty());
            let naive = Naive::of(&position, plan.size);
            for (letter, seat) in [('V', 0), ('H', 1)] {
                let seat = adamant_rules::Seat::new(seat).unwrap();
                prop_assert_eq!(position.is_connected(seat), naive.connected(letter));
            }
            if let Some(end) = position.pending() {
                let winner = position.seats_in().iter().find(|&seat| position.is_connected(seat));
                prop_assert_ne!(winner, Some(position.to_move()), "the mover has won");
                let winners = winner.into_iter().collect();
                prop_assert_eq!(end, Consequence::End { winners, reason: EndReason::Connected });
                break;
            }
            prop_assert!(position.can_move(), "there is a winner before a board is full");
            if ply % 16 < 2 {
                check_list(&position)?;
            }
            let notation = choose(&position, choice);
            prop_assert!(play(&mut position, &notation).is_ok());
            notations.push(notation);
        }
        let mut again = start(&plan.options());
        for notation in notations {
            prop_assert!(play(&mut again, &notation.to_uppercase()).is_ok());
        }
        prop_assert_eq!(again, position);
    }
}

proptest! {
    #![proptest_config(crate::cases(64))]

    #[test]
    fn no_way_needs_fewer_cells(plan in plan(), plies in 0..80_usize) {
        let mut position = start(&plan.options());
        for &choice in plan.choices.iter().take(plies) {
            if position.pending().is_some() {
                break;
            }
            let notation = choose(&position, choice);
            play(&mut position, &notation).unwrap();
        }
        let naive = Naive::of(&position, plan.size);
        for letter in ['V', 'H'] {
            let progress = position.progress(seat_of(&letter.to_string()));
            if let Some(cells) = naive.cells_needed(letter) {
                prop_assert_eq!(progress, -cells);
            } else {
                let cells = i32::try_from(position.layout().cells.len()).unwrap();
                prop_assert!(position.pending().is_some() && progress < -cells);
            }
        }
    }
}

proptest! {
    #![proptest_config(crate::cases(24))]

    #[test]
    fn a_game_is_its_record(plan in plan()) {
        let plan = Plan { swap: false, ..plan };
        let mut position = start(&plan.options());
        let mut text = format!("stymie challenge {} ann bob\n", plan.options());
        for choice in plan.choices {
            if position.pending().is_some() {
                break;
            }
            let notation = choose(&position, choice);
            play(&mut position, &notation).unwrap();
            text = text + &notation + "\n";
        }
        let steps = replay(&text);
        prop_assert_eq!(steps.len(), text.lines().count());
        let last = steps.last().unwrap();
        prop_assert_eq!(last.outcome.is_some(), position.pending().is_some());
        prop_assert_eq!(&last.position, &Position::Stymie(position));
    }
}
