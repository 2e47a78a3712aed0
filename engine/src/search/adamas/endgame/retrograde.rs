//! Retrograde analysis: from the lost positions back to those that lead there, by distance.
//!
//! Pieces only leave the board, so tables with fewer pieces come first. A position is won as soon
//! as one of its moves leads to a lost one, and lost once all of them lead to won ones; those that
//! are left over are drawn.

use super::{
    super::{
        super::native::End,
        board::Board,
        hexagon::{AHEAD, DIRECTIONS, Hexagon},
        moves::Choice,
    },
    number::{Stacks, bits},
    table::{DRAWN, Endgame, LOST, Slice, is_lost_value},
};

/// Positions by their number, for each distance that is to come.
type Due = Vec<Vec<u32>>;

/// The two slices of a division of pieces, between which moves without a capture alternate. They
/// are one where both seats have as many.
pub(super) struct Pair<'a> {
    tables: &'a mut Endgame,
    slices: Vec<usize>,
    /// Wins and losses by a capture or an end, by slice.
    due: Vec<Due>,
}

/// Fills the slices of these pieces. `on_step` is told of positions that are done with.
pub(super) fn fill(tables: &mut Endgame, pieces: [u8; 2], on_step: &mut dyn FnMut(u64)) {
    let [a, b] = pieces;
    let mut slices = vec![Endgame::slot([a, b])];
    if a != b {
        slices.push(Endgame::slot([b, a]));
    }
    let due = slices.iter().map(|_| Due::new()).collect();
    let mut pair = Pair { tables, slices, due };
    for index in 0..pair.slices.len() {
        pair.look_ahead(index, on_step);
    }
    pair.go_back();
    on_step(pair.slices.iter().map(|&slot| u64::from(pair.tables.slices[slot].layout.len)).sum());
}

/// How many positions are reported together.
const STEP: u32 = 1 << 12;

impl Pair<'_> {
    fn slice(&mut self, index: usize) -> &mut Slice {
        &mut self.tables.slices[self.slices[index]]
    }

    fn position(&self, index: usize, number: u32) -> Option<Stacks> {
        self.tables.numbering.stacks(&self.tables.slices[self.slices[index]].layout, number)
    }

    fn number(&self, index: usize, stacks: &Stacks) -> u32 {
        self.tables.numbering.number(&self.tables.slices[self.slices[index]].layout, stacks)
    }

    /// Finds what the captures and ends of each position decide, and when.
    fn look_ahead(&mut self, index: usize, on_step: &mut dyn FnMut(u64)) {
        let len = self.slice(index).layout.len;
        let mut moves = Vec::new();
        for number in 0..len {
            if number % STEP == STEP - 1 {
                on_step(STEP.into());
            }
            let Some(board) = self.position(index, number).and_then(|at| self.tables.board(&at))
            else {
                continue;
            };
            moves.clear();
            Choice::new(&board).all(&mut moves);
            let (mut win, mut loss, mut is_lost) = (u8::MAX, 0, true);
            for &mv in &moves {
                let mut after = board;
                after.play(mv);
                if after.end().is_none() && after.pieces(1) == board.pieces(1) {
                    continue;
                }
                match self.tables.value_after(&after) {
                    DRAWN => is_lost = false,
                    value if is_lost_value(value) => win = win.min(value + 1),
                    value => loss = loss.max(value),
                }
                if win == LOST + 1 {
                    break;
                }
            }
            if win < u8::MAX {
                self.is_due(index, win, number);
            } else if is_lost && loss > 0 {
                self.is_due(index, loss + 1, number);
            }
        }
        on_step((len % STEP).into());
    }

    fn is_due(&mut self, index: usize, value: u8, number: u32) {
        let due = &mut self.due[index];
        let value = usize::from(value);
        due.resize_with(due.len().max(value + 1), Vec::new);
        due[value].push(number);
    }

    /// Goes back from each distance to the next.
    fn go_back(&mut self) {
        let mut last: Vec<Vec<u32>> = self.slices.iter().map(|_| Vec::new()).collect();
        for value in LOST + 1..=u8::MAX {
            let mut found: Vec<Vec<u32>> = self.slices.iter().map(|_| Vec::new()).collect();
            for (index, found) in found.iter_mut().enumerate() {
                for number in self.candidates(index, value, &last) {
                    let is_open = self.slice(index).values[number as usize] == DRAWN;
                    if is_open && (!is_lost_value(value) || self.is_lost(index, number, value)) {
                        self.slice(index).values[number as usize] = value;
                        found.push(number);
                    }
                }
            }
            last = found;
            let is_later = |due: &Due| due.iter().any(|due| !due.is_empty());
            if last.iter().all(Vec::is_empty) && !self.due.iter().any(is_later) {
                return;
            }
        }
        // What takes longer stays drawn, and is found by `Endgame::check`.
    }

    /// The positions of a slice that have this value, or may have if it is a loss.
    fn candidates(&mut self, index: usize, value: u8, last: &[Vec<u32>]) -> Vec<u32> {
        let due = self.due[index].get_mut(usize::from(value));
        let mut candidates = due.map(std::mem::take).unwrap_or_default();
        let other = self.slices.len() - 1 - index;
        for &number in &last[other] {
            if let Some(at) = self.position(other, number) {
                before(self.tables.hexagon, &at, &mut |earlier| {
                    candidates.push(self.number(index, earlier));
                });
            }
        }
        candidates
    }

    /// Whether every move leads to a position that is won for the other seat sooner than this value
    /// says.
    fn is_lost(&self, index: usize, number: u32, value: u8) -> bool {
        let board = self.position(index, number).and_then(|at| self.tables.board(&at));
        let Some(board) = board else { return false };
        let mut moves = Vec::new();
        Choice::new(&board).all(&mut moves);
        moves.into_iter().all(|mv| {
            let mut after = board;
            after.play(mv);
            let next = self.tables.value_after(&after);
            next != DRAWN && !is_lost_value(next) && next < value
        })
    }
}

/// Calls back for each position from which a move without a capture leads to this one.
fn before(hexagon: &Hexagon, at: &Stacks, on_earlier: &mut dyn FnMut(&Stacks)) {
    // The seat that does not move has moved.
    let now = Stacks { own: at.other, other: at.own, heights: at.heights };
    for cell in 0..hexagon.len() {
        if now.other >> cell & 1 == 0 {
            let mut unmove = Unmove { hexagon, now, cell, earlier: now, parts: 0, on_earlier };
            unmove.unsplit(0);
            unmove.earlier = now;
            unmove.unmerge(0, now.heights[cell]);
        }
    }
}

/// A move that is taken back, line by line from one cell.
struct Unmove<'a> {
    hexagon: &'a Hexagon,
    now: Stacks,
    /// The cell that a split has left, or a merge has reached.
    cell: usize,
    /// The position before, as far as it is known.
    earlier: Stacks,
    parts: u32,
    on_earlier: &'a mut dyn FnMut(&Stacks),
}

impl Unmove<'_> {
    /// Takes pieces of the stacks on the lines from this one on back to the cell.
    fn unsplit(&mut self, direction: usize) {
        if direction == DIRECTIONS {
            if self.parts > 0 {
                (self.on_earlier)(&self.earlier);
            }
            return;
        }
        self.unsplit_line(direction, ray(self.hexagon, self.cell, direction));
    }

    /// Takes back pieces of the stacks on what is left of a line. A stack that has come whole was
    /// not in the way of those behind it.
    fn unsplit_line(&mut self, direction: usize, line: u32) {
        self.unsplit(direction + 1);
        let Some(first) = nearest(line & (self.now.own | self.now.other), direction) else {
            return;
        };
        if self.now.other >> first & 1 != 0 {
            return;
        }
        let kept = self.earlier;
        self.parts += 1;
        for pieces in 1..=self.now.heights[first] {
            self.earlier = kept;
            self.lift(first, pieces);
            if self.now.heights[first] > pieces {
                self.unsplit(direction + 1);
            } else {
                self.unsplit_line(direction, line & ray(self.hexagon, first, direction));
            }
        }
        self.parts -= 1;
        self.earlier = kept;
    }

    /// Moves pieces from a stack to the cell.
    fn lift(&mut self, from: usize, pieces: u8) {
        self.earlier.heights[from] -= pieces;
        if self.earlier.heights[from] == 0 {
            self.earlier.own &= !(1 << from);
        }
        self.earlier.heights[self.cell] += pieces;
        self.earlier.own |= 1 << self.cell;
    }

    /// Takes pieces of the cell, of which some are left, back to one cell of each line from this one
    /// on, or none.
    fn unmerge(&mut self, direction: usize, left: u8) {
        if direction == DIRECTIONS || left == 0 {
            if self.parts > 1 {
                (self.on_earlier)(&self.earlier);
            }
            return;
        }
        self.unmerge(direction + 1, left);
        let kept = self.earlier;
        self.parts += 1;
        let line = ray(self.hexagon, self.cell, direction);
        let first = nearest(line & (self.now.own | self.now.other), direction);
        let open = first.map_or(line, |first| {
            let behind = ray(self.hexagon, first, direction);
            let own = self.now.own >> first & 1;
            line & !behind & !(u32::from(own == 0) << first)
        });
        for to in bits(open) {
            for pieces in 1..=left {
                self.earlier = kept;
                self.drop(to, pieces);
                self.unmerge(direction + 1, left - pieces);
            }
        }
        self.parts -= 1;
        self.earlier = kept;
    }

    /// Moves pieces of the cell to another.
    fn drop(&mut self, to: usize, pieces: u8) {
        self.earlier.heights[self.cell] -= pieces;
        if self.earlier.heights[self.cell] == 0 {
            self.earlier.own &= !(1 << self.cell);
        }
        self.earlier.heights[to] += pieces;
        self.earlier.own |= 1 << to;
    }
}

fn ray(hexagon: &Hexagon, cell: usize, direction: usize) -> u32 {
    hexagon.ray::<1>(cell, direction).low()
}

/// The first of the cells on a line.
fn nearest(cells: u32, direction: usize) -> Option<usize> {
    (cells != 0).then(|| {
        if direction < AHEAD { cells.trailing_zeros() as usize } else { cells.ilog2() as usize }
    })
}

/// The value of a position by its moves, which a sound table has, too.
pub(super) fn value_by_moves(tables: &Endgame, board: &Board<1>) -> u8 {
    let mut moves = Vec::new();
    Choice::new(board).all(&mut moves);
    let (mut win, mut loss, mut is_drawn) = (u8::MAX, 0, false);
    for mv in moves {
        let mut after = *board;
        after.play(mv);
        match tables.value_after(&after) {
            DRAWN => is_drawn = true,
            value if is_lost_value(value) => win = win.min(value + 1),
            value => loss = loss.max(value + 1),
        }
    }
    match win {
        u8::MAX if is_drawn => DRAWN,
        u8::MAX => loss,
        win => win,
    }
}

impl Endgame {
    /// The value of a position after a move to the seat that is to move then.
    pub(super) fn value_after(&self, after: &Board<1>) -> u8 {
        match after.end() {
            Some(End::Drawn) => DRAWN,
            // Only who has moved wins by it.
            Some(End::Won(_)) => LOST,
            None => self.value(after).unwrap_or(DRAWN),
        }
    }
}
