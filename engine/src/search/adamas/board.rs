//! The native position of a game of which two or three players are left, and its moves.

use std::{fmt::Write as _, ops::BitOr};

use adamant_rules::{Kind, Position};

use super::{
    super::native::{End, mix},
    hexagon::{AHEAD, Cells, DIRECTIONS, Hexagon},
};

/// Parts of a move, at the most. Splits to more cells exist on all boards; no search looks at them.
pub(super) const PARTS_MAX: usize = 7;

/// Pieces that leave a cell or reach one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Part {
    pub(super) cell: u8,
    pub(super) pieces: u8,
}

/// A split of one stack to one cell or several, or a merge of several stacks on one cell. The parts
/// are in the order of their cells, except those of a split where their order decides what falls.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Move {
    is_merge: bool,
    /// The number of parts is known by the first without pieces.
    parts: [Part; PARTS_MAX],
    /// The cell that a split leaves or a merge reaches.
    one: u8,
}

impl Move {
    /// A split. The parts may be in any order.
    pub(super) fn split(from: usize, to: &[Part]) -> Self {
        Self::new(false, from, to).sorted(0)
    }

    /// A split of which the first parts fall in this order. The others may be in any.
    pub(super) fn split_in_order(from: usize, to: &[Part], first: usize) -> Self {
        Self::new(false, from, to).sorted(first)
    }

    /// A merge. The parts may be in any order.
    pub(super) fn merge(from: &[Part], to: usize) -> Self {
        Self::new(true, to, from).sorted(0)
    }

    fn new(is_merge: bool, one: usize, from: &[Part]) -> Self {
        let mut parts = [Part::default(); PARTS_MAX];
        parts[..from.len()].copy_from_slice(from);
        Self { is_merge, parts, one: number(one) }
    }

    /// Sorts the parts but for the first ones.
    fn sorted(mut self, first: usize) -> Self {
        let len = self.parts().count();
        self.parts[first..len].sort_unstable();
        self
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = Part> {
        self.parts.into_iter().take_while(|part| part.pieces > 0)
    }
}

/// A cell, or a number of pieces or parts, as a small number.
pub(super) fn number(cell: usize) -> u8 {
    u8::try_from(cell).expect("a board has 169 cells and 99 pieces at the most")
}

/// A position of a game of which so many seats were left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Board<const W: usize, const S: usize = 2> {
    pub(super) hexagon: &'static Hexagon,
    /// How many players the game began with, and the seats of those who are left.
    players: u8,
    seats: [u8; S],
    heights: [[u8; 64]; W],
    stacks: [Cells<W>; S],
    pieces: [u8; S],
    to_move: u8,
    /// Whether the next move is the first of the game and may not capture.
    pub(super) opening: bool,
    /// Whether each part of a split is judged on what the parts before it have left.
    pub(super) progressive: bool,
    end: Option<End>,
    stacks_hash: u64,
}

fn stack_key(number: u8, owner: u8, height: u8) -> u64 {
    mix(u64::from(number) << 16 | u64::from(owner) << 8 | u64::from(height))
}

impl<const W: usize, const S: usize> Board<W, S> {
    /// The same position; `None` while another number of players is in the game, and on boards that
    /// have too many cells.
    pub(super) fn from_rules(position: &Position) -> Option<Self> {
        if position.kind() != Kind::Adamas {
            return None;
        }
        let seats: Vec<_> = position.seats_in().iter().collect();
        let place = |wanted| seats.iter().position(|&seat| seat == wanted);
        let hexagon = Hexagon::of(position).filter(|hexagon| hexagon.len() <= 64 * W)?;
        let mut board = Self::empty(hexagon);
        board.players = number(position.players());
        let numbers: Vec<_> = seats.iter().map(|seat| number(seat.index())).collect();
        board.seats = numbers.try_into().ok()?;
        board.to_move = number(place(position.to_move())?);
        board.end = position
            .clone()
            .settle()
            .map(|(winners, _)| winners.single().and_then(place).map_or(End::Drawn, End::Won));
        for (cell, letters) in position.stacks() {
            let seat = seats.iter().position(|&seat| letters.starts_with(position.letter(seat)))?;
            board.place(seat, hexagon.cell(cell.0)?, u8::try_from(letters.len()).ok()?);
        }
        let rules = [(false, false), (true, false), (false, true), (true, true)];
        let mut boards =
            rules.into_iter().map(|(opening, progressive)| Self { opening, progressive, ..board });
        boards.find(|board| board.hash() == position.hash())
    }

    /// A position later than the first move, with the first seat to move; `None` if the game is over.
    pub(super) fn of_stacks(
        hexagon: &'static Hexagon,
        stacks: impl Iterator<Item = (usize, usize, u8)>,
    ) -> Option<Self> {
        let mut board = Self::empty(hexagon);
        for (seat, cell, height) in stacks {
            board.place(seat, cell, height);
        }
        (!board.is_tied() && board.can_move()).then_some(board)
    }

    fn empty(hexagon: &'static Hexagon) -> Self {
        Self {
            hexagon,
            players: 2,
            seats: std::array::from_fn(number),
            heights: [[0; 64]; W],
            stacks: [Cells::EMPTY; S],
            pieces: [0; S],
            to_move: 0,
            opening: false,
            progressive: false,
            end: None,
            stacks_hash: 0,
        }
    }

    /// Adds a stack.
    fn place(&mut self, seat: usize, cell: usize, height: u8) {
        self.set(seat, cell, height);
        self.pieces[seat] += height;
    }

    #[inline]
    pub(super) const fn height(&self, cell: usize) -> u8 {
        self.heights[cell / 64][cell % 64]
    }

    #[inline]
    pub(super) fn seat(&self) -> usize {
        usize::from(self.to_move)
    }

    /// The number that `rules` gives a seat.
    #[inline]
    pub(super) const fn owner(&self, seat: usize) -> u8 {
        self.seats[seat]
    }

    /// The stacks of a seat.
    #[inline]
    pub(super) const fn stacks(&self, seat: usize) -> Cells<W> {
        self.stacks[seat]
    }

    #[inline]
    pub(super) const fn pieces(&self, seat: usize) -> u8 {
        self.pieces[seat]
    }

    #[inline]
    pub(super) fn occupied(&self) -> Cells<W> {
        self.stacks.into_iter().fold(Cells::EMPTY, BitOr::bitor)
    }

    /// The stacks of all other seats.
    #[inline]
    pub(super) fn others(&self, seat: usize) -> Cells<W> {
        if S == 2 { self.stacks[1 - seat] } else { self.occupied().without(self.stacks[seat]) }
    }

    /// The seats that have pieces left.
    pub(super) fn seats_left(&self) -> impl Iterator<Item = usize> {
        let pieces = self.pieces;
        (0..S).filter(move |&seat| pieces[seat] > 0)
    }

    /// Whose stack stands on an occupied cell.
    #[inline]
    pub(super) fn seat_at(&self, cell: usize) -> usize {
        (0..S - 1).find(|&seat| self.stacks[seat].contains(cell)).unwrap_or(S - 1)
    }

    pub(super) const fn end(&self) -> Option<End> {
        self.end
    }

    /// The hash that `rules` gives the position.
    pub(super) fn hash(&self) -> u64 {
        let (progressive, opening) = (u8::from(self.progressive), u8::from(self.opening));
        let left = self.seats_left().fold(0, |left, seat| left | 1 << self.owner(seat));
        let to_move = self.owner(self.seat());
        let state = [self.hexagon.side(), self.players, progressive, opening, to_move, left];
        let state = state.into_iter().fold(0, |joined, byte| joined << 8 | u64::from(byte));
        mix(self.stacks_hash ^ mix(state))
    }

    fn set(&mut self, seat: usize, cell: usize, height: u8) {
        let (number, owner) = (self.hexagon.number(cell), self.owner(seat));
        let place = &mut self.heights[cell / 64][cell % 64];
        if *place > 0 {
            self.stacks_hash ^= stack_key(number, owner, *place);
        }
        if height > 0 {
            self.stacks_hash ^= stack_key(number, owner, height);
            self.stacks[seat].insert(cell);
        } else {
            self.stacks[seat].remove(cell);
        }
        *place = height;
    }

    /// The first stack that is seen from a cell that way.
    #[inline]
    pub(super) fn first_seen(
        &self,
        occupied: Cells<W>,
        from: usize,
        direction: usize,
    ) -> Option<usize> {
        let seen = self.hexagon.ray(from, direction) & occupied;
        if direction < AHEAD { seen.first() } else { seen.last() }
    }

    /// How many pieces of other seats a stack of this seat sees.
    pub(super) fn enemies_seen(&self, cell: usize, seat: usize) -> u8 {
        let occupied = self.occupied();
        (0..DIRECTIONS)
            .filter_map(|direction| self.first_seen(occupied, cell, direction))
            .filter(|&seen| !self.stacks[seat].contains(seen))
            .map(|seen| self.height(seen))
            .sum()
    }

    /// The stacks of other seats that the seat to move may capture wherever it sees them.
    pub(super) fn capturable(&self) -> Cells<W> {
        let mut found = Cells::EMPTY;
        if !self.opening {
            for cell in self.others(self.seat()) {
                if self.height(cell) == self.enemies_seen(cell, self.seat_at(cell)) {
                    found.insert(cell);
                }
            }
        }
        found
    }

    /// The position while so many pieces of a stack are in the air.
    pub(super) fn lifted(&self, from: usize, pieces: u8) -> Self {
        let mut lifted = *self;
        lifted.set(self.seat(), from, self.height(from) - pieces);
        lifted
    }

    /// Whether each stack falls that a progressive split goes to, in the order of its parts.
    pub(super) fn falls_in_order(&self, mv: &Move) -> bool {
        let (seat, from) = (self.seat(), usize::from(mv.one));
        let taken: u8 = mv.parts().map(|part| part.pieces).sum();
        let mut counted = *self;
        for (index, Part { cell, pieces }) in mv.parts().enumerate() {
            let cell = usize::from(cell);
            let is_enemy = self.others(seat).contains(cell);
            if is_enemy && self.height(cell) != counted.enemies_seen(cell, self.seat_at(cell)) {
                return false;
            }
            if index == 0 {
                // From here on all pieces of the move are in the air.
                counted = self.lifted(from, taken);
            }
            let before = counted.land(seat, cell);
            counted.set(seat, cell, before + pieces);
        }
        true
    }

    fn can_move(&self) -> bool {
        let seat = self.seat();
        // What a stack may do further away it may do next to itself, unless a stack there stops it.
        let beside = |may_go: Cells<W>| {
            self.stacks[seat].into_iter().any(|cell| !(self.hexagon.near(cell) & may_go).is_empty())
        };
        let others = self.others(seat);
        let near = self.stacks[seat]
            .into_iter()
            .any(|cell| !self.hexagon.near::<W>(cell).without(others).is_empty());
        near || beside(self.capturable())
    }

    /// Two single pieces of different colours that do not see each other.
    fn is_tied(&self) -> bool {
        self.seats_left().count() == 2
            && self.seats_left().all(|seat| {
                self.pieces[seat] == 1
                    && self.stacks[seat].into_iter().all(|cell| self.enemies_seen(cell, seat) == 0)
            })
    }

    /// Makes a legal move.
    pub(super) fn play(&mut self, mv: Move) {
        let (seat, one) = (self.seat(), usize::from(mv.one));
        let mut height = self.land(seat, one);
        for Part { cell, pieces } in mv.parts() {
            let cell = usize::from(cell);
            if mv.is_merge {
                self.set(seat, cell, self.height(cell) - pieces);
                height += pieces;
            } else {
                let before = self.land(seat, cell);
                self.set(seat, cell, before + pieces);
                height -= pieces;
            }
        }
        self.set(seat, one, height);
        self.opening = false;
        self.pass_turn();
        self.settle();
    }

    /// Gives the turn to the next seat that is left.
    fn pass_turn(&mut self) {
        let mut next = (1..S).map(|further| (self.seat() + further) % S);
        let next = next.find(|&seat| self.pieces[seat] > 0);
        self.to_move = number(next.unwrap_or(self.seat()));
    }

    /// Removes seats that cannot move, and ends the game where nobody else is left.
    fn settle(&mut self) {
        while self.end.is_none() {
            let left = self.seats_left().count();
            if left == 1 {
                self.end = Some(End::Won(self.seat()));
            } else if self.is_tied() {
                self.end = Some(End::Drawn);
            } else if self.can_move() {
                return;
            } else {
                let out = self.seat();
                self.pass_turn();
                if left == 2 {
                    self.end = Some(End::Won(self.seat()));
                } else {
                    self.clear(out);
                }
            }
        }
    }

    /// Takes all stacks of a seat off the board.
    fn clear(&mut self, seat: usize) {
        for cell in self.stacks[seat] {
            self.set(seat, cell, 0);
        }
        self.pieces[seat] = 0;
    }

    /// The height of an own stack on a cell, after a stack of another seat there is captured.
    fn land(&mut self, seat: usize, cell: usize) -> u8 {
        if self.others(seat).contains(cell) {
            let other = self.seat_at(cell);
            self.pieces[other] -= self.height(cell);
            self.set(other, cell, 0);
        }
        self.height(cell)
    }

    /// The canonical notation of a move.
    pub(super) fn text(&self, mv: Move) -> String {
        let mut text = String::new();
        let mut write = |pieces: u8, cell: usize, before: &str| {
            let count = if pieces == 1 { String::new() } else { format!("{pieces}x") };
            write!(text, "{before}{count}{}", self.hexagon.name(cell)).expect("a string grows");
        };
        let one = usize::from(mv.one);
        let parts: Vec<Part> = mv.parts().collect();
        match (mv.is_merge, parts.as_slice()) {
            (false, [Part { cell, pieces }]) => {
                write(*pieces, one, "");
                write(1, usize::from(*cell), "-");
            }
            (false, parts) => {
                write(1, one, "");
                for (index, part) in parts.iter().enumerate() {
                    write(part.pieces, part.cell.into(), if index == 0 { "-" } else { "," });
                }
            }
            (true, parts) => {
                for (index, part) in parts.iter().enumerate() {
                    write(part.pieces, part.cell.into(), if index == 0 { "" } else { "," });
                }
                write(1, one, "-");
            }
        }
        text
    }
}
