//! A second set of rules, slow and simple, that knows the board only as points in the plane. It
//! follows every way that hops can take and must find the same moves, chains and consequences.

use std::collections::{BTreeMap, BTreeSet};

use adamant_rules::{
    Cell, Consequence, EndReason, Seat, SeatSet,
    game::{Game, MoveCount},
    games::hexma::Hexma,
};
use proptest::prelude::*;

use super::start;

/// A place in the plane, in half steps to the right and rows downwards.
type Place = (i32, i32);

struct Naive {
    names: BTreeMap<Place, String>,
    letters: BTreeMap<Place, String>,
}

impl Naive {
    fn of(position: &Hexma) -> Self {
        let layout = position.layout();
        #[expect(clippy::cast_possible_truncation, reason = "the board is small")]
        let place = |x: f64, y: f64| {
            ((x * 2.0).round() as i32, (y / (3.0_f64.sqrt() / 2.0)).round() as i32)
        };
        let places: BTreeMap<Cell, Place> =
            layout.cells.iter().map(|at| (at.cell, place(at.x, at.y))).collect();
        let named = |(&cell, &place)| (place, position.cell_name(cell).to_string());
        let stacks = position.stacks().into_iter();
        Self {
            names: places.iter().map(named).collect(),
            letters: stacks.map(|(cell, letter)| (places[&cell], letter)).collect(),
        }
    }

    fn around((x, y): Place, far: i32) -> impl Iterator<Item = Place> {
        let ways = [(-1, -1), (1, -1), (-2, 0), (2, 0), (-1, 1), (1, 1)];
        ways.into_iter().map(move |(right, down)| (x + far * right, y + far * down))
    }

    fn is_free(&self, place: Place) -> bool {
        self.names.contains_key(&place) && !self.letters.contains_key(&place)
    }

    /// Everything that one step or any series of hops leads to.
    fn reach(&self, from: Place) -> BTreeSet<Place> {
        let mut lifted = Self { names: self.names.clone(), letters: self.letters.clone() };
        lifted.letters.remove(&from);
        let mut reached = BTreeSet::new();
        lifted.hop_on(from, &mut reached);
        reached.extend(Self::around(from, 1).filter(|&to| self.is_free(to)));
        reached.remove(&from);
        reached
    }

    fn hop_on(&self, from: Place, reached: &mut BTreeSet<Place>) {
        for (over, to) in Self::around(from, 1).zip(Self::around(from, 2)) {
            let is_hop = self.letters.contains_key(&over) && self.is_free(to);
            if is_hop && reached.insert(to) {
                self.hop_on(to, reached);
            }
        }
    }

    /// Whether hops lead along every leg of a way, the piece being in the air meanwhile.
    fn is_way(&self, way: &[Place]) -> bool {
        let mut lifted = Self { names: self.names.clone(), letters: self.letters.clone() };
        lifted.letters.remove(&way[0]);
        way.windows(2).all(|leg| {
            let mut reached = BTreeSet::new();
            lifted.hop_on(leg[0], &mut reached);
            leg[0] != leg[1] && reached.contains(&leg[1])
        })
    }

    /// All moves of a player, as they are written.
    fn moves(&self, letter: &str) -> BTreeSet<String> {
        let own = self.letters.iter().filter(|(_, owner)| *owner == letter);
        own.flat_map(|(from, _)| {
            let name = move |to| format!("{}-{}", self.names[from], self.names[&to]);
            self.reach(*from).into_iter().map(name)
        })
        .collect()
    }

    /// Whether pieces of one letter lead from a point of one edge to a point of another.
    fn connects(&self, letter: &str, home: &[String], away: &[String]) -> bool {
        let is_own = |place: &Place| self.letters.get(place).is_some_and(|owner| owner == letter);
        let on = |edge: &[String], place: &Place| edge.contains(&self.names[place]);
        let mut chained: Vec<Place> = self.names.keys().copied().collect();
        chained.retain(|place| is_own(place) && on(home, place));
        let mut next = 0;
        while let Some(&place) = chained.get(next) {
            let joined = Self::around(place, 1).filter(|other| is_own(other));
            let fresh: Vec<_> = joined.filter(|other| !chained.contains(other)).collect();
            chained.extend(fresh);
            next += 1;
        }
        chained.iter().any(|place| on(away, place))
    }
}

/// Whether a seat is connected, by the edges that the layout tells.
fn connected(position: &Hexma, naive: &Naive, letter: &str) -> bool {
    let layout = position.layout();
    let edge = |name| -> Vec<String> {
        let mut edges = layout.edges.iter();
        let edge = edges
            .find(|edge| position.letter(edge.seat).to_string() == letter && edge.name == name)
            .unwrap();
        edge.cells.iter().map(|&cell| position.cell_name(cell).to_string()).collect()
    };
    naive.connects(letter, &edge("home"), &edge("away"))
}

/// What must happen next, by the second set of rules.
pub(crate) fn pending(position: &Hexma) -> Option<Consequence> {
    let naive = &Naive::of(position);
    let letter = |seat| position.letter(seat).to_string();
    let in_game: Vec<_> = position.seats_in().iter().collect();
    let stuck = |seat| naive.moves(&letter(seat)).is_empty();
    let connected = |&&seat: &&_| connected(position, naive, &letter(seat));
    if let Some(&winner) = in_game.iter().find(connected) {
        let winners = SeatSet::only(winner);
        return Some(Consequence::End { winners, reason: EndReason::Connected });
    }
    let winners = position.seats_in();
    match (in_game.len(), stuck(position.to_move())) {
        (1, _) => Some(Consequence::End { winners, reason: EndReason::LastPlayer }),
        (_, false) => None,
        (_, true) if in_game.into_iter().all(stuck) => {
            Some(Consequence::End { winners, reason: EndReason::Stuck })
        }
        (_, true) => Some(Consequence::Skip(position.to_move())),
    }
}

/// Compares everything that is said about moves with what trying everything finds.
pub(crate) fn check(position: &Hexma) -> Result<(), TestCaseError> {
    let naive = Naive::of(position);
    let moves = naive.moves(&position.letter(position.to_move()).to_string());
    let listed: Vec<_> = position.legal_moves(usize::MAX).iter().map(ToString::to_string).collect();
    prop_assert_eq!(listed.len(), moves.len());
    prop_assert_eq!(&listed.into_iter().collect::<BTreeSet<_>>(), &moves);
    prop_assert_eq!(position.count_moves(), MoveCount::Exactly(moves.len() as u128));
    prop_assert_eq!(position.can_move(), !moves.is_empty());
    prop_assert_eq!(position.legal_moves(1).len(), moves.len().min(1));

    let sources = position.sources();
    let mut hinted = BTreeSet::new();
    for at in position.layout().cells {
        let targets = position.targets(at.cell);
        prop_assert_eq!(sources.contains(&at.cell), !targets.is_empty());
        for to in targets {
            prop_assert!(!to.capture);
            let (from, to) = (position.cell_name(at.cell), position.cell_name(to.cell));
            let new = hinted.insert(format!("{from}-{to}"));
            prop_assert!(new);
        }
    }
    prop_assert_eq!(&hinted, &moves);

    for from in naive.names.values() {
        for to in naive.names.values() {
            let notation = format!("{from}-{to}");
            let validated = position.validate(&position.parse_move(&notation).unwrap());
            prop_assert_eq!(validated.is_ok(), moves.contains(&notation), "{}", notation);
        }
    }
    prop_assert_eq!(position.pending(), pending(position));
    Ok(())
}

/// Pieces anywhere, from an empty board to a full one.
pub(crate) fn anything() -> impl Strategy<Value = Hexma> {
    let draws = proptest::collection::vec((0..100_u32, 0..3_usize), 121);
    let most = prop_oneof![0..100_u32, Just(97), Just(100)];
    (draws, most, 2..=3_usize, 0..3_usize, 0..4_usize).prop_map(
        |(draws, most, players, to_move, leaves)| {
            let names: Vec<_> = Naive::of(&start(2)).names.into_values().collect();
            let pieces = names.iter().zip(draws).filter(|(_, (draw, _))| *draw < most);
            let letter = |seat: usize| ['O', 'X', 'Y'][seat % players];
            let pieces: Vec<_> =
                pieces.map(|(name, (_, seat))| (name.as_str(), letter(seat))).collect();
            let seat = |index: usize| Seat::new(index % players).unwrap();
            let mut position = Hexma::from_setup(players, &pieces, seat(to_move)).unwrap();
            if leaves < 3 && players == 3 {
                position.remove(seat(leaves));
            }
            position
        },
    )
}

proptest! {
    #![proptest_config(crate::cases(96))]

    #[test]
    fn matches_the_reference_rules(position in anything()) {
        check(&position)?;
        prop_assert_eq!(position.hash(), position.hash_from_scratch());
    }

    #[test]
    fn named_ways_are_hops_all_the_way(
        position in anything(),
        choices in proptest::collection::vec(any::<prop::sample::Index>(), 3..8),
    ) {
        let naive = Naive::of(&position);
        let letter = position.letter(position.to_move()).to_string();
        let own: Vec<_> = naive.letters.iter().filter(|(_, owner)| **owner == letter).collect();
        prop_assume!(!own.is_empty());
        // Mostly hops, one or several, sometimes only something as long as a hop.
        let mut way = vec![*choices[0].get(&own).0];
        for choice in &choices[1..] {
            let last = way[way.len() - 1];
            let near: Vec<_> =
                Naive::around(last, 2).filter(|to| naive.names.contains_key(to)).collect();
            let mut hops: Vec<_> = naive.names.keys().copied().collect();
            hops.retain(|&to| naive.is_way(&[way[0], last, to]) || naive.is_way(&[way[0], to]));
            let some = if hops.is_empty() || choice.index(10) == 0 { near } else { hops };
            way.push(*choice.get(&some));
        }
        let name = |index: usize| naive.names[&way[index]].as_str();
        for end in 2..way.len() {
            let names: Vec<_> = (0..=end).map(name).collect();
            let read = position.parse_move(&names.join("-"));
            prop_assert_eq!(read.is_ok(), naive.is_way(&way[..=end]), "{:?}: {:?}", names, read);
            if let Ok(mv) = read {
                prop_assert_eq!(mv.to_string(), format!("{}-{}", name(0), name(end)));
                prop_assert_eq!(position.validate(&mv).is_ok(), way[0] != way[end]);
            }
        }
    }
}

/// Lets everything happen that must; how the game ended, if it did.
fn settle(position: &mut Hexma) -> Result<Option<EndReason>, TestCaseError> {
    loop {
        prop_assert_eq!(position.hash(), position.hash_from_scratch());
        match position.pending() {
            None => return Ok(None),
            Some(Consequence::End { reason, .. }) => return Ok(Some(reason)),
            Some(Consequence::Remove(..)) => prop_assert!(false, "the rules remove no seat"),
            Some(Consequence::Skip(seat)) => {
                prop_assert_eq!(seat, position.to_move());
                prop_assert!(!position.can_move());
                let before = position.stacks();
                position.skip();
                prop_assert_eq!(position.stacks(), before);
                prop_assert!(position.seats_in().contains(position.to_move()));
            }
        }
    }
}

/// A seat leaves and nothing else happens to the board.
fn leave(position: &mut Hexma, seat: Seat) -> Result<(), TestCaseError> {
    let before = position.clone();
    position.remove(seat);
    prop_assert_eq!(position.stacks(), before.stacks());
    prop_assert_eq!(position.seats_in(), before.seats_in().without(seat));
    prop_assert_ne!(position.to_move(), seat);
    if before.to_move() != seat {
        prop_assert_eq!(position.to_move(), before.to_move());
    }
    Ok(())
}

proptest! {
    #![proptest_config(crate::cases(32))]

    #[test]
    fn random_games_keep_the_invariants(
        players in 2..=3_usize,
        choices in proptest::collection::vec(any::<prop::sample::Index>(), 1..80),
        leaver in 0..3_usize,
        leaves_at in 0..120_usize,
    ) {
        let (mut live, mut replayed) = (start(players), start(players));
        for (ply, choice) in choices.iter().enumerate() {
            let ended = settle(&mut live)?;
            prop_assert_eq!(settle(&mut replayed)?, ended);
            prop_assert_eq!(&live, &replayed);
            prop_assert_eq!(live.hash(), replayed.hash());
            if ended.is_some() {
                break;
            }
            if ply % 8 == 0 {
                check(&live)?;
            }
            if players == 3 && ply == leaves_at {
                leave(&mut live, Seat::new(leaver).unwrap())?;
                replayed.remove(Seat::new(leaver).unwrap());
                continue;
            }
            let mv = *choice.get(&live.legal_moves(usize::MAX));
            let notation = mv.to_string();
            prop_assert_eq!(live.parse_move(&notation), Ok(mv));
            prop_assert_eq!(live.parse_move(&notation.to_uppercase()), Ok(mv));
            live.apply(&mv);
            replayed.apply(&replayed.parse_move(&notation).unwrap());
        }
    }

    #[test]
    fn only_the_mover_completes_a_chain(position in anything()) {
        prop_assume!(position.pending().is_none());
        let mover = position.to_move();
        for mv in position.legal_moves(40) {
            let mut after = position.clone();
            after.apply(&mv);
            prop_assert_eq!(after.hash(), after.hash_from_scratch());
            prop_assert_ne!(after.hash(), position.hash());
            prop_assert_eq!(after.stacks().len(), position.stacks().len());
            prop_assert_eq!(after.pending(), pending(&after));
            let others = after.seats_in().iter().filter(|&seat| seat != mover);
            prop_assert!(!others.into_iter().any(|seat| after.connected(seat)));
        }
    }
}

#[test]
fn positions_that_differ_have_different_hashes() {
    let mut hashes = BTreeSet::new();
    let mut seen = 0;
    for players in 2..=3 {
        let opening = start(players);
        for first in opening.legal_moves(usize::MAX) {
            let mut after = opening.clone();
            after.apply(&first);
            for second in after.legal_moves(usize::MAX) {
                let mut after = after.clone();
                after.apply(&second);
                hashes.insert(after.hash());
                seen += 1;
            }
        }
    }
    assert_eq!(hashes.len(), seen, "after two plies no position comes about in two ways");
}
