//! A move that is put together by pointing at cells. What may be pointed at is asked of the rules;
//! how a game writes such a move is told in [`spellings`] and nowhere else.

use std::ops::RangeInclusive;

use adamant_rules::{Cell, Kind, Position, game::Mark};

/// A move in the making: a cell that was chosen, and those that followed.
#[derive(Debug, Clone)]
pub(super) struct Aim {
    from: Cell,
    parts: Vec<Part>,
    /// The move as it stands, if it can be made.
    notation: Option<String>,
    /// What to point out on the board.
    marks: Vec<(Cell, Mark)>,
}

/// A cell where something goes, and how much of it or which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    to: Cell,
    amount: u8,
}

impl Aim {
    /// Begins with a cell that can be acted on; there is none with any other.
    pub(super) fn begin(position: &Position, from: Cell) -> Option<Self> {
        if !position.sources().contains(&from) {
            return None;
        }
        let (parts, marks) = (Vec::new(), Vec::new());
        let mut aim = Self { from, parts, notation: None, marks };
        // Where nothing else can be done, it need not be pointed at twice.
        if position.targets(from).iter().all(|target| target.cell == from) {
            aim.extend(position, from);
        }
        aim.settle(position);
        Some(aim)
    }

    /// The cell that it began with.
    pub(super) const fn from(&self) -> Cell {
        self.from
    }

    /// The move as it stands, if it can be made.
    pub(super) fn notation(&self) -> Option<&str> {
        self.notation.as_deref()
    }

    /// What was chosen, and which cells may follow.
    pub(super) fn marks(&self) -> &[(Cell, Mark)] {
        &self.marks
    }

    /// Takes a further cell into the move, or out of it again. Whether that could be done.
    pub(super) fn choose(&mut self, position: &Position, cell: Cell) -> bool {
        let done = self.take(position, cell);
        if done {
            self.settle(position);
        }
        done
    }

    /// Changes how much goes to the cell that was chosen last, or which. Whether that could be done.
    pub(super) fn step(&mut self, position: &Position, up: bool) -> bool {
        let Some(last) = self.parts.last().copied() else { return false };
        let others = self.parts.len() - 1;
        let amounts = amounts(position.kind());
        let mut amounts: Vec<u8> = if up {
            (last.amount + 1..=*amounts.end()).collect()
        } else {
            (*amounts.start()..last.amount).rev().collect()
        };
        amounts.retain(|&amount| {
            let part = Part { amount, ..last };
            legal(position, self.from, &[&self.parts[..others], &[part]].concat()).is_some()
        });
        let Some(&amount) = amounts.first() else { return false };
        self.parts[others].amount = amount;
        self.settle(position);
        true
    }

    fn take(&mut self, position: &Position, cell: Cell) -> bool {
        if let Some(place) = self.parts.iter().position(|part| part.to == cell) {
            self.parts.remove(place);
            return true;
        }
        if self.extend(position, cell) {
            return true;
        }
        // Where there is no room for one more, it takes the place of the one before.
        let Some(last) = self.parts.pop() else { return false };
        let done = self.extend(position, cell);
        if !done {
            self.parts.push(last);
        }
        done
    }

    fn extend(&mut self, position: &Position, to: Cell) -> bool {
        for amount in amounts(position.kind()) {
            self.parts.push(Part { to, amount });
            if legal(position, self.from, &self.parts).is_some() {
                return true;
            }
            self.parts.pop();
        }
        false
    }

    /// Works out what follows from the cells that are chosen.
    fn settle(&mut self, position: &Position) {
        self.notation = legal(position, self.from, &self.parts);
        let chosen: Vec<Cell> =
            std::iter::once(self.from).chain(self.parts.iter().map(|part| part.to)).collect();
        let mut marks: Vec<_> = chosen.iter().map(|&cell| (cell, Mark::Chosen)).collect();
        for target in chosen.iter().flat_map(|&cell| position.targets(cell)) {
            let is_new = !marks.iter().any(|&(cell, _)| cell == target.cell);
            if is_new && self.clone().take(position, target.cell) {
                let mark = if target.capture { Mark::Captured } else { Mark::Target };
                marks.push((target.cell, mark));
            }
        }
        self.marks = marks;
    }
}

/// The canonical notation of the move that these cells stand for, if it may be made.
fn legal(position: &Position, from: Cell, parts: &[Part]) -> Option<String> {
    spellings(position, from, parts).into_iter().find_map(|text| {
        let play = position.read(&text).ok()?;
        position.judge(&play).ok()?;
        let touched = position.touched(&play);
        let is_meant = parts.iter().all(|part| touched.contains(&(part.to, Mark::To)));
        is_meant.then(|| play.to_string())
    })
}

/// What a part's amount can be. It counts pieces, or picks one where a single cell says too little.
const fn amounts(kind: Kind) -> RangeInclusive<u8> {
    match kind {
        Kind::Adamas => 1..=99,
        Kind::Hexma | Kind::Stymie => 1..=1,
        // As many as there are letters; no stack is as high.
        Kind::Diam => 1..=26,
    }
}

/// How the game may write a move with these cells; whether it may be made is the rules' to say.
fn spellings(position: &Position, from: Cell, parts: &[Part]) -> Vec<String> {
    let name = |cell| position.cell_name(cell);
    match (position.kind(), parts) {
        (Kind::Adamas, [_, ..]) => {
            let part = |part: &Part| match part.amount {
                1 => name(part.to).to_string(),
                pieces => format!("{pieces}x{}", name(part.to)),
            };
            let parts: Vec<String> = parts.iter().map(part).collect();
            vec![format!("{}-{}", name(from), parts.join(","))]
        }
        (Kind::Hexma, [part]) => vec![format!("{}-{}", name(from), name(part.to))],
        (Kind::Stymie, _) => {
            let cells = std::iter::once(from).chain(parts.iter().map(|part| part.to));
            let cells: Vec<String> = cells.map(|cell| name(cell).to_string()).collect();
            vec![cells.join(",")]
        }
        // A piece from the reserve goes to the chosen sector itself; the amount tells its letter.
        (Kind::Diam, [part]) if part.to == from => {
            vec![format!("{}{}", char::from(b'A' + part.amount - 1), name(from))]
        }
        // A stack goes to a neighbour; the amount tells its lowest piece that does.
        (Kind::Diam, [part]) => {
            ["+", "-"].map(|way| format!("{},{}{way}", name(from), part.amount)).into()
        }
        (Kind::Adamas | Kind::Hexma | Kind::Diam, _) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use adamant_rules::Options;

    use super::*;

    /// A position after some moves.
    fn position(kind: Kind, options: &str, moves: &[&str]) -> Position {
        let options = Options::read(options, kind.option_specs()).unwrap();
        let options = kind.complete(&options, 2).unwrap();
        let mut position = kind.start(&options, 2);
        for notation in moves {
            let play = position.read(notation).unwrap();
            position.judge(&play).unwrap();
            position.play(&play);
        }
        position
    }

    fn cell(position: &Position, name: &str) -> Cell {
        position.cell(name).unwrap()
    }

    fn begin(position: &Position, name: &str) -> Aim {
        Aim::begin(position, cell(position, name)).unwrap()
    }

    #[track_caller]
    fn chooses(aim: &mut Aim, position: &Position, name: &str, notation: &str) {
        assert!(aim.choose(position, cell(position, name)), "{name} can be chosen");
        assert_eq!(aim.notation(), Some(notation));
    }

    /// The cells with this mark.
    fn marked(aim: &Aim, position: &Position, mark: Mark) -> String {
        let cells = aim.marks().iter().filter(|&&(_, of)| of == mark);
        let mut names: Vec<_> =
            cells.map(|&(cell, _)| position.cell_name(cell).to_string()).collect();
        names.sort_unstable();
        names.join(" ")
    }

    #[test]
    fn adamas_splits_a_stack_and_counts_its_pieces() {
        let position = position(Kind::Adamas, "", &[]);
        assert!(Aim::begin(&position, cell(&position, "c5")).is_none(), "it is the enemy's");
        let mut aim = begin(&position, "c1");
        assert_eq!(aim.notation(), None);
        assert_eq!(marked(&aim, &position, Mark::Chosen), "c1");
        assert_eq!(marked(&aim, &position, Mark::Target), "a1 b1 c2 c3 c4 d1 e1");
        chooses(&mut aim, &position, "c3", "c1-c3");
        assert!(aim.step(&position, true) && aim.step(&position, true));
        assert_eq!(aim.notation(), Some("3xc1-c3"));
        assert!(aim.step(&position, false));
        chooses(&mut aim, &position, "a1", "c1-a1,2xc3");
        assert!(!aim.step(&position, false), "one piece is the least");
        assert_eq!(marked(&aim, &position, Mark::Chosen), "a1 c1 c3");
        chooses(&mut aim, &position, "a1", "2xc1-c3");
        for _ in 0..6 {
            assert!(aim.step(&position, true));
        }
        assert!(!aim.step(&position, true), "there are eight");
        // With no piece left for one more, the last part goes elsewhere.
        chooses(&mut aim, &position, "e1", "c1-e1");
        assert!(!aim.choose(&position, cell(&position, "e3")), "c1 does not see it");
        assert_eq!(aim.notation(), Some("c1-e1"));
    }

    #[test]
    fn adamas_tells_captures_from_other_targets() {
        let moves = ["c1-e1,c2,4xc3,a1", "c5-c4,3xa3", "c1-b1"];
        let position = position(Kind::Adamas, "", &moves);
        let aim = begin(&position, "c4");
        assert_eq!(marked(&aim, &position, Mark::Captured), "c3");
        assert!(marked(&aim, &position, Mark::Target).contains("d3"));
    }

    #[test]
    fn hexma_goes_from_a_point_to_another() {
        let position = position(Kind::Hexma, "", &[]);
        assert!(Aim::begin(&position, cell(&position, "m17")).is_none(), "it cannot move");
        let mut aim = begin(&position, "k13");
        assert_eq!(aim.notation(), None);
        assert_eq!(marked(&aim, &position, Mark::Target), "i13 j12 l12");
        chooses(&mut aim, &position, "j12", "k13-j12");
        assert!(!aim.step(&position, true), "it is one piece");
        assert_eq!(marked(&aim, &position, Mark::Target), "i13 l12", "another may be chosen yet");
        chooses(&mut aim, &position, "l12", "k13-l12");
        assert!(!aim.choose(&position, cell(&position, "a5")));
    }

    #[test]
    fn stymie_puts_pieces_on_one_cell_or_more() {
        let opening = position(Kind::Stymie, "", &[]);
        let aim = begin(&opening, "f6");
        assert_eq!(
            (aim.notation(), marked(&aim, &opening, Mark::Target)),
            (Some("f6"), String::new())
        );

        let position = position(Kind::Stymie, "", &["a1", "o15"]);
        let mut aim = begin(&position, "f6");
        assert_eq!(aim.notation(), Some("f6"));
        assert_eq!(marked(&aim, &position, Mark::Target), "e5 e7 g5 g7");
        chooses(&mut aim, &position, "g5", "f6,g5");
        // A square and two octagons, or the octagon and two squares.
        assert_eq!(marked(&aim, &position, Mark::Target), "e5 e7 f4 g7 h4 h6");
        chooses(&mut aim, &position, "h6", "f6,g5,h6");
        chooses(&mut aim, &position, "g7", "f6,g5,g7");
        chooses(&mut aim, &position, "g7", "f6,g5");
    }

    #[test]
    fn diam_places_a_letter_or_moves_a_part_of_a_stack() {
        let opening = position(Kind::Diam, "", &[]);
        let mut aim = begin(&opening, "4");
        assert_eq!(aim.notation(), Some("A4"), "nothing else can be done there");
        assert!(aim.step(&opening, true));
        assert_eq!(aim.notation(), Some("B4"));
        assert!(!aim.step(&opening, true), "there are two letters");

        // On sector 8 stands AXB, the bottom piece first.
        let position = position(Kind::Diam, "", &["A8", "X8", "B8", "Y2"]);
        let mut aim = begin(&position, "8");
        assert_eq!(aim.notation(), None);
        assert_eq!(marked(&aim, &position, Mark::Target), "1 7");
        chooses(&mut aim, &position, "1", "8+");
        assert!(aim.step(&position, true));
        assert_eq!(aim.notation(), Some("8,3+"), "the piece between is the enemy's");
        chooses(&mut aim, &position, "7", "8-");
        chooses(&mut aim, &position, "8", "A8");
    }

    #[test]
    fn the_second_player_of_diam_has_other_letters() {
        let position = position(Kind::Diam, "-pieces=2x3", &["A1"]);
        let mut aim = begin(&position, "3");
        assert_eq!(aim.notation(), Some("X3"));
        assert!(aim.step(&position, true));
        assert_eq!(aim.notation(), Some("Y3"));
    }
}
