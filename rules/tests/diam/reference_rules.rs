//! A second set of rules, slow and simple, that knows a board only as lists of letters. It tries
//! every move that can be written and must find the same ones, and the same winner.

use std::collections::BTreeSet;

use adamant_rules::{
    Consequence, EndReason, Seat, SeatSet,
    game::{Game, MoveCount},
    games::diam::Diam,
};

use super::positions::{A, X};

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
    let context = || format!("{options}: {}", super::positions::written(position));
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
