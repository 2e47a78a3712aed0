//! The native position of Diam: stacks in words of four bits a piece, for every board and set of
//! pieces.

use adamant_rules::{Position, Seat};

use crate::search::native::{End, Native, mix};

/// Sectors of the largest ring.
pub(super) const SECTORS_MAX: usize = 12;

/// Colours of both seats together, at the most.
const COLOURS: usize = 8;

/// The letters of the colours, those of the first seat before those of the second.
const LETTERS: [char; COLOURS] = ['A', 'B', 'C', 'D', 'W', 'X', 'Y', 'Z'];

/// Bits of a stack that one piece takes: its colour's number and 1, so that no piece is 0.
const PIECE_BITS: u32 = 4;

/// The lowest bit of each piece of a stack.
const ONES: u32 = 0x1111_1111;

/// The lowest bit of each piece above the ground.
const RAISED: u32 = 0x1111_1110;

/// Pieces on top of each other, the bottom one in the lowest bits: the number that `rules` gives a
/// stack too.
pub(super) type Stack = u32;

/// How many pieces a stack has.
pub(super) const fn height(stack: Stack) -> u32 {
    u32::BITS / PIECE_BITS - stack.leading_zeros() / PIECE_BITS
}

/// A piece of a stack by its level, counted from 0 at the ground: its colour's number and 1, or 0.
pub(super) const fn piece(stack: Stack, level: u32) -> u32 {
    (stack >> (PIECE_BITS * level)) & 0xf
}

/// The seat of a piece.
pub(super) const fn owner(piece: u32) -> usize {
    (piece > 4) as usize
}

#[expect(clippy::cast_possible_truncation, reason = "a piece is four bits")]
const fn colour(piece: u32) -> u8 {
    piece as u8 - 1
}

/// Marks each piece of a stack at its lowest bit.
const fn marks(stack: Stack) -> u32 {
    (stack | stack >> 1 | stack >> 2 | stack >> 3) & ONES
}

/// Whose the highest like pieces are that two opposite stacks have above the ground.
const fn matched(one: Stack, other: Stack) -> Option<usize> {
    let alike = marks(one) & marks(other) & !marks(one ^ other) & RAISED;
    if alike == 0 {
        return None;
    }
    let highest = u32::BITS - 1 - alike.leading_zeros();
    Some(owner((one >> highest) & 0xf))
}

/// What is chosen before the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Variant {
    sectors: u8,
    height_max: u8,
    colours: u8,
    pieces: u8,
    nomirror: bool,
}

/// A move: a placement is the colour among those of its seat, times 16, and the sector; a movement
/// is 64 and twelve times the sector, twice the level and the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Move(u8);

impl Move {
    const MOVEMENTS: u8 = 64;
    const MOVEMENTS_EACH: u8 = 12;

    const fn placement(colour: u8, sector: u8) -> Self {
        Self(colour << 4 | sector)
    }

    const fn movement(from: u8, level: u8, way: u8) -> Self {
        Self(Self::MOVEMENTS + from * Self::MOVEMENTS_EACH + level * 2 + way)
    }

    /// A number that no other move of the seat has.
    pub(super) const fn number(self) -> u8 {
        self.0
    }

    pub(super) const fn of(number: u8) -> Self {
        Self(number)
    }

    fn act(self) -> Act {
        match self.0.checked_sub(Self::MOVEMENTS) {
            None => Act::Place { colour: self.0 >> 4, sector: (self.0 & 0xf).into() },
            Some(movement) => {
                let (from, rest) =
                    (movement / Self::MOVEMENTS_EACH, movement % Self::MOVEMENTS_EACH);
                Act::Carry { from, level: (rest / 2).into(), back: rest % 2 == 1 }
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Act {
    /// Places a piece by its colour among those of the seat.
    Place { colour: u8, sector: usize },
    /// Moves the piece on a level, counted from 0, with all above it.
    Carry { from: u8, level: u32, back: bool },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Diam {
    stacks: [Stack; SECTORS_MAX],
    /// What stands on the ring, as `rules` hashes it.
    board_hash: u64,
    reserve: [u8; COLOURS],
    variant: Variant,
    to_move: u8,
    /// 0 while the game goes on, 1 or 2 for the seat that has won, 3 for a draw.
    end: u8,
}

impl Diam {
    pub(super) const fn sectors(&self) -> usize {
        self.variant.sectors as usize
    }

    /// The height of the highest stack there can be.
    pub(super) const fn height_max(&self) -> u32 {
        self.variant.height_max as u32
    }

    pub(super) const fn stack(&self, sector: usize) -> Stack {
        self.stacks[sector]
    }

    pub(super) const fn opposite(&self, sector: usize) -> Stack {
        let (half, all) = (self.sectors() / 2, self.sectors());
        self.stacks[if sector < half { sector + half } else { sector + half - all }]
    }

    const fn neighbour(&self, sector: u8, back: bool) -> u8 {
        match (back, sector + 1 == self.variant.sectors) {
            (true, _) if sector == 0 => self.variant.sectors - 1,
            (true, _) => sector - 1,
            (false, true) => 0,
            (false, false) => sector + 1,
        }
    }

    /// How many more pieces each neighbour of a sector has room for.
    pub(super) fn room_beside(&self, sector: usize) -> [u32; 2] {
        let (all, most) = (self.sectors(), self.height_max());
        let after = if sector + 1 == all { 0 } else { sector + 1 };
        let before = if sector == 0 { all - 1 } else { sector - 1 };
        [most - height(self.stacks[after]), most - height(self.stacks[before])]
    }

    /// How many of a piece, by its number, are yet to be placed.
    pub(super) const fn in_reserve(&self, piece: u32) -> u8 {
        self.reserve[piece as usize - 1]
    }

    /// How many pieces a seat has yet to place.
    pub(super) fn reserve_of(&self, seat: usize) -> u8 {
        self.reserve[seat * 4..seat * 4 + 4].iter().sum()
    }

    const fn first_colour(&self, seat: usize) -> u8 {
        match (seat, self.variant.colours) {
            (0, _) => 0,
            // The second seat's W only comes in as the fourth.
            (_, 4) => 4,
            (_, _) => 5,
        }
    }

    fn set(&mut self, sector: usize, stack: Stack) {
        let before = std::mem::replace(&mut self.stacks[sector], stack);
        self.board_hash ^= key(sector, before) ^ key(sector, stack);
    }

    /// The sector that the second seat's first piece may not go to, if it is bound.
    fn mirror(&self) -> Option<usize> {
        let all = self.variant.colours * self.variant.pieces;
        let binds = self.variant.nomirror
            && self.to_move == 1
            && self.reserve_of(1) == all
            && self.reserve_of(0) + 1 == all;
        let first = binds.then(|| self.stacks.iter().position(|&stack| stack != 0)).flatten()?;
        Some((first + self.sectors() / 2) % self.sectors())
    }

    /// Calls `act` with each legal move until it returns true, and whether it did.
    pub(super) fn any_move(&self, mut act: impl FnMut(Move) -> bool) -> bool {
        let (most, mirror) = (self.height_max(), self.mirror());
        let first = self.first_colour(self.to_move());
        for colour in 0..self.variant.colours {
            if self.reserve[usize::from(first + colour)] == 0 {
                continue;
            }
            for sector in 0..self.variant.sectors {
                let at = usize::from(sector);
                let is_open = height(self.stacks[at]) < most && mirror != Some(at);
                if is_open && act(Move::placement(colour, sector)) {
                    return true;
                }
            }
        }
        for from in 0..self.variant.sectors {
            let stack = self.stacks[usize::from(from)];
            let high = height(stack);
            let room = self.room_beside(from.into());
            for level in (0..self.variant.height_max).take(high as usize) {
                if owner(piece(stack, level.into())) != usize::from(self.to_move) {
                    continue;
                }
                let carried = high - u32::from(level);
                for way in 0..2 {
                    if carried <= room[usize::from(way)] && act(Move::movement(from, level, way)) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// A move by which a seat would win at once if it were its turn.
    pub(super) fn winning_move(&self, seat: usize) -> Option<Move> {
        let most = self.height_max();
        for sector in 0..self.variant.sectors {
            let at = usize::from(sector);
            let (stack, opposite) = (self.stacks[at], self.opposite(at));
            let high = height(stack);
            // Only like pieces above the ground count.
            if high == most || height(opposite) <= high.max(1) {
                continue;
            }
            let facing = piece(opposite, high);
            if high > 0 && owner(facing) == seat && self.in_reserve(facing) > 0 {
                return Some(Move::placement(colour(facing) - self.first_colour(seat), sector));
            }
            // A part of a neighbour could bring a like piece on a level that this stack lacks.
            for back in [false, true] {
                let from = self.neighbour(sector, !back);
                let other = self.stacks[usize::from(from)];
                let others = height(other);
                let least = (others + high).saturating_sub(most);
                for level in 0..self.variant.height_max {
                    let number = piece(other, level.into());
                    if u32::from(level) < least || number == 0 || owner(number) != seat {
                        continue;
                    }
                    let part = other >> (PIECE_BITS * u32::from(level));
                    if matched(stack | part << (PIECE_BITS * high), opposite) == Some(seat) {
                        return Some(Move::movement(from, level, back.into()));
                    }
                }
            }
        }
        None
    }

    /// Whether the seat that has just moved could win if it were its turn again.
    pub(super) fn is_threatened(&self) -> bool {
        self.winning_move(1 - usize::from(self.to_move)).is_some()
    }
}

impl Native for Diam {
    type Move = Move;

    fn from_rules(position: &Position) -> Option<Self> {
        let Position::Diam(_) = position else { return None };
        let layout = position.layout();
        let colours: [&str; 2] = [layout.letters.first()?, layout.letters.get(1)?];
        let mut variant = Variant {
            sectors: u8::try_from(layout.cells.len()).ok()?,
            height_max: layout.levels?,
            colours: u8::try_from(colours[0].len()).ok()?,
            pieces: 0,
            nomirror: false,
        };
        let index = |letter| LETTERS.iter().position(|&known| known == letter);
        let mut reserve = [0; COLOURS];
        for seat in Seat::all(2) {
            for letter in position.in_reserve(seat).chars() {
                reserve[index(letter)?] += 1;
            }
        }
        variant.pieces = reserve[0];
        let mut native = Self {
            stacks: [0; SECTORS_MAX],
            board_hash: 0,
            reserve,
            variant,
            to_move: u8::try_from(position.to_move().index()).ok()?,
            end: 0,
        };
        for (cell, letters) in position.stacks() {
            let mut stack = 0;
            for letter in letters.chars().rev() {
                let colour = index(letter)?;
                native.variant.pieces += u8::from(colour == 0);
                stack = stack << PIECE_BITS | (u32::try_from(colour).ok()? + 1);
            }
            native.set(cell.0.into(), stack);
        }
        // What a position does not tell by itself, its hash does.
        if native.hash() != position.hash() {
            native.variant.nomirror = true;
        }
        (native.hash() == position.hash()).then_some(native)
    }

    fn to_move(&self) -> usize {
        self.to_move.into()
    }

    fn moves(&self, moves: &mut Vec<Move>) {
        self.any_move(|mv| {
            moves.push(mv);
            false
        });
    }

    fn play(&mut self, mv: Move) {
        let to = match mv.act() {
            Act::Place { colour, sector } => {
                let colour = self.first_colour(self.to_move()) + colour;
                self.reserve[usize::from(colour)] -= 1;
                let stack = self.stacks[sector];
                let piece = u32::from(colour) + 1;
                self.set(sector, stack | piece << (PIECE_BITS * height(stack)));
                sector
            }
            Act::Carry { from, level, back } => {
                let to = usize::from(self.neighbour(from, back));
                let from = usize::from(from);
                let (stack, below) = (self.stacks[from], PIECE_BITS * level);
                self.set(from, stack & ((1 << below) - 1));
                let under = self.stacks[to];
                self.set(to, under | stack >> below << (PIECE_BITS * height(under)));
                to
            }
        };
        self.to_move = 1 - self.to_move;
        // Only the stack that has grown can have come to match.
        self.end = match matched(self.stacks[to], self.opposite(to)) {
            Some(0) => 1,
            Some(_) => 2,
            None => 0,
        };
        if self.end == 0 && !self.any_move(|_| true) {
            self.to_move = 1 - self.to_move;
            if !self.any_move(|_| true) {
                self.end = 3;
                self.to_move = 1 - self.to_move;
            }
        }
    }

    fn end(&self) -> Option<End> {
        match self.end {
            0 => None,
            3 => Some(End::Drawn),
            seat => Some(End::Won(usize::from(seat) - 1)),
        }
    }

    fn hash(&self) -> u64 {
        let Variant { sectors, height_max, colours, pieces, nomirror } = self.variant;
        // Both seats are in.
        let state = [sectors, height_max, colours, pieces, nomirror.into(), self.to_move, 0b11];
        let state = state.iter().fold(0, |joined, &number| joined << 8 | u64::from(number));
        mix(self.board_hash ^ mix(state))
    }

    fn text(&self, mv: Move) -> String {
        match mv.act() {
            Act::Place { colour, sector } => {
                let letter = LETTERS[usize::from(self.first_colour(self.to_move()) + colour)];
                format!("{letter}{}", sector + 1)
            }
            Act::Carry { from, level, back } => {
                let part = if level == 0 { String::new() } else { format!(",{}", level + 1) };
                format!("{}{part}{}", from + 1, if back { '-' } else { '+' })
            }
        }
    }
}

/// What a stack on a sector adds to the hash of the ring.
const fn key(sector: usize, stack: Stack) -> u64 {
    if stack == 0 { 0 } else { mix((sector as u64 + 1) << 32 | stack as u64) }
}
