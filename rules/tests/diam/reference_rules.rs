//! A second set of rules, slow and simple, that knows a board only as lists of letters. It tries
//! every move that can be written and must find the same ones, and the same winner.

use std::collections::BTreeSet;

use adamant_rules::{
    Consequence, EndReason, Kind, Options, Seat, SeatSet,
    game::{Game, MoveCount},
    games::diam::{Diam, PositionError},
};
use proptest::prelude::*;

use super::{A, X, all_options, arranged, start};
use crate::games::{picks, play, written};

/// What the help text calls a board, and what it says of it.
pub(crate) struct Naive {
    /// Index 0 is unused: sectors are counted from 1.
    stacks: Vec<Vec<char>>,
    height: usize,
    colours: [&'static str; 2],
    each: usize,
    nomirror: bool,
    mover: usize,
}

impl Naive {
    /// Reads what a position shows; `options` are what it was started with, in canonical form.
    pub(crate) fn of(position: &Diam, options: &str) -> Self {
        let numbers: Vec<usize> =
            options.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect();
        let [sectors, height, colours, each] = numbers[..] else { panic!("{options}") };
        let mut stacks = vec![Vec::new(); sectors + 1];
        for (cell, letters) in position.stacks() {
            let number: usize = position.cell_name(cell).as_str().parse().unwrap();
            stacks[number] = letters.chars().collect();
        }
        Self {
            stacks,
            height,
            colours: [["AB", "XY"], ["ABC", "XYZ"], ["ABCD", "WXYZ"]][colours - 2],
            each,
            nomirror: options.contains("-nomirror"),
            mover: usize::from(position.to_move() == X),
        }
    }

    fn sectors(&self) -> usize {
        self.stacks.len() - 1
    }

    fn on_board(&self, wanted: impl Fn(char) -> bool) -> usize {
        self.stacks.iter().flatten().filter(|&&piece| wanted(piece)).count()
    }

    fn may_place(&self, letter: char, sector: usize) -> bool {
        let own = self.colours[self.mover].contains(letter);
        let left = self.on_board(|piece| piece == letter) < self.each;
        let room = self.stacks[sector].len() < self.height;
        let first = self.mover == 1 && self.on_board(|piece| "WXYZ".contains(piece)) == 0;
        let across = (sector + self.sectors() / 2 - 1) % self.sectors() + 1;
        let mirrors = self.nomirror && first && !self.stacks[across].is_empty();
        own && left && room && !mirrors
    }

    fn neighbour(&self, sector: usize, clockwise: bool) -> usize {
        match (clockwise, sector) {
            (true, last) if last == self.sectors() => 1,
            (true, _) => sector + 1,
            (false, 1) => self.sectors(),
            (false, _) => sector - 1,
        }
    }

    fn may_move(&self, from: usize, piece: usize, clockwise: bool) -> bool {
        let Some(part) = self.stacks[from].get(piece - 1..).filter(|part| !part.is_empty()) else {
            return false;
        };
        let there = self.stacks[self.neighbour(from, clockwise)].len();
        self.colours[self.mover].contains(part[0]) && there + part.len() <= self.height
    }

    /// Every legal move in canonical notation.
    pub(crate) fn moves(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for sector in 1..=self.sectors() {
            for letter in ('A'..='Z').filter(|&letter| self.may_place(letter, sector)) {
                found.insert(format!("{letter}{sector}"));
            }
            for piece in 1..=8 {
                for (clockwise, sign) in [(true, '+'), (false, '-')] {
                    if self.may_move(sector, piece, clockwise) {
                        let part = if piece == 1 { String::new() } else { format!(",{piece}") };
                        found.insert(format!("{sector}{part}{sign}"));
                    }
                }
            }
        }
        found
    }

    /// What the board looks like after a legal move, written as `arranged` takes it.
    pub(crate) fn after(&self, notation: &str) -> String {
        let mut stacks = self.stacks.clone();
        if let Some(part) = notation.strip_suffix(['+', '-']) {
            let (from, piece) = part.split_once(',').unwrap_or((part, "1"));
            let (from, piece): (usize, usize) = (from.parse().unwrap(), piece.parse().unwrap());
            let part = stacks[from].split_off(piece - 1);
            stacks[self.neighbour(from, notation.ends_with('+'))].extend(part);
        } else {
            let sector: usize = notation[1..].parse().unwrap();
            stacks[sector].push(notation.chars().next().unwrap());
        }
        let stacks = stacks.iter().enumerate().filter(|(_, stack)| !stack.is_empty());
        let written: Vec<_> = stacks
            .map(|(sector, stack)| format!("{sector}:{}", stack.iter().collect::<String>()))
            .collect();
        written.join(" ")
    }

    /// Letters that stand opposite themselves on a level above the first, with that level.
    pub(crate) fn aligned(&self) -> Vec<(usize, char)> {
        let half = self.sectors() / 2;
        let mut found = Vec::new();
        for sector in 1..=half {
            for level in 2..=self.height {
                let piece = |sector: usize| self.stacks[sector].get(level - 1);
                if let (Some(one), Some(other)) = (piece(sector), piece(sector + half))
                    && one == other
                {
                    found.push((level, *one));
                }
            }
        }
        found
    }

    fn winner(&self) -> Option<Seat> {
        let (_, letter) = self.aligned().into_iter().max_by_key(|(level, _)| *level)?;
        Some(if "ABCD".contains(letter) { A } else { X })
    }

    /// What must happen before the next move.
    fn pending(&self) -> Option<Consequence> {
        if let Some(winner) = self.winner() {
            let winners = SeatSet::only(winner);
            return Some(Consequence::End { winners, reason: EndReason::Aligned });
        }
        let other = Self { stacks: self.stacks.clone(), mover: 1 - self.mover, ..*self };
        match (self.moves().is_empty(), other.moves().is_empty()) {
            (false, _) => None,
            (true, false) => Some(Consequence::Skip([A, X][self.mover])),
            (true, true) => {
                Some(Consequence::End { winners: SeatSet::all(2), reason: EndReason::Stuck })
            }
        }
    }
}

/// Everything that a position says of its moves, against what trying everything says.
pub(crate) fn compare(position: &Diam, options: &str) {
    let naive = Naive::of(position, options);
    let moves = naive.moves();
    let context = || format!("{options}: {}", written(position));
    let listed = position.legal_moves(usize::MAX);
    let texts: BTreeSet<_> = listed.iter().map(ToString::to_string).collect();
    assert_eq!(texts, moves, "{}", context());
    assert_eq!(listed.len(), moves.len(), "each move once: {}", context());
    assert_eq!(position.count_moves(), MoveCount::Exactly(moves.len() as u128), "{}", context());
    assert_eq!(position.can_move(), !moves.is_empty(), "{}", context());
    assert_eq!(position.legal_moves(1).is_empty(), moves.is_empty(), "{}", context());
    assert_eq!(position.pending(), naive.pending(), "{}", context());

    // Moves that can be written and are not legal are refused, on whatever sector.
    let mut accepted = BTreeSet::new();
    for sector in 0..=13 {
        let placed = ('A'..='Z').map(|letter| format!("{letter}{sector}"));
        let carried = (0..=8).flat_map(|piece| ['+', '-'].map(|s| format!("{sector},{piece}{s}")));
        for text in placed.chain(carried) {
            if let Ok(mv) = position.parse_move(&text)
                && position.validate(&mv).is_ok()
            {
                accepted.insert(mv.to_string());
            }
        }
    }
    assert_eq!(accepted, moves, "{}", context());

    // A hint is there exactly where some move makes use of it.
    let mut hinted = BTreeSet::new();
    let mut used = BTreeSet::new();
    for from in position.sources() {
        let targets = position.targets(from);
        assert!(!targets.is_empty(), "{}", context());
        for target in targets {
            assert!(!target.capture);
            let name = |cell| position.cell_name(cell).to_string();
            assert!(hinted.insert((name(from), name(target.cell))), "{}", context());
        }
    }
    for text in &moves {
        used.insert(if let Some(part) = text.strip_suffix(['+', '-']) {
            let from = part.split(',').next().unwrap();
            let to = naive.neighbour(from.parse().unwrap(), text.ends_with('+'));
            (from.to_owned(), to.to_string())
        } else {
            (text[1..].to_owned(), text[1..].to_owned())
        });
    }
    assert_eq!(hinted, used, "{}", context());
    for at in position.layout().cells {
        assert_eq!(position.sources().contains(&at.cell), !position.targets(at.cell).is_empty());
    }
}

fn options() -> impl Strategy<Value = String> {
    (proptest::sample::select(all_options()), any::<bool>()).prop_map(|(options, nomirror)| {
        let flag = if nomirror { " -nomirror" } else { "" };
        format!("{options}{flag}")
    })
}

/// Pieces of every colour are on the board or in reserve, and no stack is too high.
fn check_pieces(position: &Diam, options: &str) -> Result<(), TestCaseError> {
    let number = |index: usize| options.as_bytes()[index] - b'0';
    let end = options.find(" -pieces").unwrap();
    let height = number(end - 1);
    let (colours, each) = (number(end + 9), number(end + 11));
    let stacks = position.stacks();
    for letter in "ABCDWXYZ".chars() {
        let in_game = [["AB", "XY"], ["ABC", "XYZ"], ["ABCD", "WXYZ"]][usize::from(colours) - 2]
            .iter()
            .any(|letters| letters.contains(letter));
        let placed: usize = stacks.iter().map(|(_, stack)| stack.matches(letter).count()).sum();
        let all = if in_game { each } else { 0 };
        prop_assert_eq!(placed + usize::from(position.reserve(letter)), usize::from(all));
    }
    prop_assert!(stacks.iter().all(|(_, stack)| stack.len() <= usize::from(height)));
    Ok(())
}

/// The position that has the same stacks without a game that led to it.
fn rebuilt(position: &Diam, options: &str) -> Diam {
    arranged(options, &written(position), position.to_move())
}

/// How pieces are thrown on a board.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Crowd {
    /// Some of them, anywhere.
    Loose,
    /// All of them, sector by sector.
    Dense,
    /// All of them, sector by sector, the first player's between the second's.
    ShutIn,
}

fn random_stacks(
    options: &str,
    crowd: Crowd,
    pick: &mut impl FnMut(usize) -> usize,
) -> Vec<(String, String)> {
    let position = start(options);
    let height: usize = options[options.find(" -p").unwrap() - 1..][..1].parse().unwrap();
    let mut letters: Vec<char> = "ABCDWXYZ"
        .chars()
        .flat_map(|letter| std::iter::repeat_n(letter, position.reserve(letter).into()))
        .collect();
    for index in 0..letters.len() {
        let other = index + pick(letters.len() - index);
        letters.swap(index, other);
    }
    match crowd {
        Crowd::Loose => letters.truncate(pick(letters.len())),
        Crowd::Dense => {}
        Crowd::ShutIn => {
            letters.sort_by_key(|letter| "ABCD".contains(*letter));
            let half = letters.len() / 4;
            letters.rotate_left(half);
        }
    }
    let mut stacks = vec![String::new(); position.layout().cells.len()];
    for letter in letters {
        let open: Vec<_> = (0..stacks.len()).filter(|&s| stacks[s].len() < height).collect();
        if let Some(&next) = open.first() {
            let sector = if crowd == Crowd::Loose { open[pick(open.len())] } else { next };
            stacks[sector].push(letter);
        }
    }
    let named = (1..).zip(stacks).map(|(number, stack): (u8, _)| (number.to_string(), stack));
    named.filter(|(_, stack)| !stack.is_empty()).collect()
}

proptest! {
    #![proptest_config(crate::cases(96))]

    #[test]
    fn random_games_keep_the_invariants(options in options(), seed: u64, plies in 0..160_usize) {
        let mut position = start(&options);
        let mut pick = picks(seed);
        let mut record = Vec::new();
        for ply in 0..plies {
            prop_assert_eq!(position.hash(), position.hash_from_scratch());
            if ply % 3 == 0 {
                compare(&position, &options);
            }
            check_pieces(&position, &options)?;
            match position.pending() {
                None => {}
                Some(Consequence::Skip(seat)) => {
                    prop_assert_eq!(seat, position.to_move());
                    position.skip();
                    prop_assert!(position.can_move(), "a skip leads to a move");
                    record.push(None);
                }
                Some(_) => break,
            }
            let moves = position.legal_moves(usize::MAX);
            // Movements make games in which more happens than that reserves run out.
            let movements: Vec<_> =
                moves.iter().filter(|mv| mv.to_string().ends_with(['+', '-'])).collect();
            let mv = if movements.is_empty() || pick(3) == 0 {
                moves[pick(moves.len())]
            } else {
                *movements[pick(movements.len())]
            };
            let text = mv.to_string();
            prop_assert_eq!(position.parse_move(&text), Ok(mv));
            prop_assert_eq!(position.parse_move(&text.to_lowercase()), Ok(mv));
            prop_assert!(position.validate(&mv).is_ok());
            let expected = Naive::of(&position, &options).after(&text);
            position.apply(&mv);
            prop_assert_eq!(written(&position), expected, "{}", text);
            prop_assert_eq!(&rebuilt(&position, &options), &position);
            record.push(Some(text));
        }
        let mut replayed = start(&options);
        for line in record {
            match line {
                Some(notation) => drop(play(&mut replayed, &notation).unwrap()),
                None => replayed.skip(),
            }
        }
        prop_assert_eq!(replayed.hash(), position.hash());
        prop_assert_eq!(replayed, position);
    }

    /// A move makes one stack higher, and a stack has one piece a level: so one side at the most is
    /// aligned on any level after it.
    #[test]
    fn both_are_never_aligned_on_one_level(options in options(), seed: u64) {
        let mut position = start(&options);
        let mut pick = picks(seed);
        for _ in 0..200 {
            match position.pending() {
                None => {}
                Some(Consequence::Skip(_)) => position.skip(),
                Some(Consequence::End { winners, reason }) => {
                    if reason == EndReason::Aligned {
                        prop_assert!(winners.single().is_some());
                    }
                    break;
                }
                Some(Consequence::Remove(..)) => prop_assert!(false, "no seat has to leave in Diam"),
            }
            for mv in position.legal_moves(usize::MAX) {
                let mut after = position.clone();
                after.apply(&mv);
                let mut levels: Vec<_> =
                    Naive::of(&after, &options).aligned().into_iter().map(|(level, _)| level).collect();
                let all = levels.len();
                levels.sort_unstable();
                levels.dedup();
                prop_assert_eq!(levels.len(), all);
            }
            let mv = position.sample_moves(1, &mut pick)[0];
            position.apply(&mv);
        }
    }

    /// Stacks thrown at random, crowded or with one player shut in, as games hardly reach them.
    #[test]
    fn any_setup_is_validated_like_the_reference_rules(
        options in options(),
        seed: u64,
        crowd in proptest::sample::select(vec![Crowd::Loose, Crowd::Dense, Crowd::ShutIn]),
        first: bool,
    ) {
        let stacks = random_stacks(&options, crowd, &mut picks(seed));
        let second_waits = stacks.iter().all(|(_, s)| !s.contains(['W', 'X', 'Y', 'Z']));
        let placed: usize = stacks.iter().map(|(_, stack)| stack.len()).sum();
        // What was placed first cannot be told where the second player has waited too long.
        prop_assume!(!second_waits || placed <= 1);
        let stacks: Vec<_> = stacks.iter().map(|(n, s)| (n.as_str(), s.as_str())).collect();
        let given = Options::parse(&options, Diam::OPTIONS).unwrap();
        let arranged = Diam::from_setup(&given, &stacks, if first { A } else { X });
        prop_assume!(arranged != Err(PositionError::BothAligned));
        let position = arranged.unwrap();
        prop_assert_eq!(position.hash(), position.hash_from_scratch());
        compare(&position, &options);
    }

    #[test]
    fn any_seat_may_leave_at_any_time(options in options(), seed: u64, plies in 0..30, seat in 0..2_usize) {
        let mut position = start(&options);
        let mut pick = picks(seed);
        for _ in 0..plies {
            if position.pending().is_some() {
                return Ok(());
            }
            let mv = position.sample_moves(1, &mut pick)[0];
            position.apply(&mv);
        }
        let seat = Seat::new(seat).unwrap();
        let stacks = position.stacks();
        let before = position.hash();
        position.remove(seat);
        prop_assert_eq!(position.hash(), position.hash_from_scratch());
        prop_assert_ne!(position.hash(), before);
        prop_assert_eq!(position.stacks(), stacks, "pieces stay where they are");
        prop_assert_ne!(position.to_move(), seat);
        prop_assert_eq!(position.seats_in().single(), Some(position.to_move()));
        let winners = position.seats_in();
        let end = Consequence::End { winners, reason: EndReason::LastPlayer };
        prop_assert_eq!(position.pending(), Some(end));
    }

    #[test]
    fn any_option_value_is_handled(value in "\\PC*|[0-9x+ ]{0,6}") {
        for name in ["board", "pieces"] {
            let mut given = Options::new();
            drop(given.parse_word(&format!("-{name}={value}"), Diam::OPTIONS));
            if let Ok(complete) = Kind::Diam.complete(&given, 2) {
                prop_assert_eq!(&Kind::Diam.complete(&complete, 2), &Ok(complete.clone()));
                prop_assert_eq!(Diam::start(&complete, 2).pending(), None);
            }
        }
    }
}
