//! A number for each position with few pieces, the same for positions that a turn or a reflection
//! of the board leads to each other.
//!
//! The stacks of the seat to move come first: their cells, up to symmetry, then their heights. The
//! cells of the other seat follow, counted among those that are left, and their heights. Numbers
//! without a position are few: where a symmetry keeps the first cells, only one of the positions
//! that it leads to each other has a number.

use super::super::hexagon::Hexagon;

/// Cells of the largest board whose positions have numbers, that of side 3.
pub(super) const CELLS_MAX: usize = 19;

/// Pieces of both seats together, at the most.
pub(crate) const PIECES_MAX: u8 = 8;

/// Rows of Pascal's triangle.
const CHOICES: [[u32; CELLS_MAX + 1]; CELLS_MAX + 1] = {
    let mut rows = [[0; CELLS_MAX + 1]; CELLS_MAX + 1];
    let mut n = 0;
    while n <= CELLS_MAX {
        rows[n][0] = 1;
        let mut k = 1;
        while k <= n {
            rows[n][k] = rows[n - 1][k - 1] + rows[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    rows
};

const fn choices(n: usize, k: usize) -> u32 {
    CHOICES[n][k]
}

/// The stacks of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stacks {
    /// The cells of the seat to move.
    pub(super) own: u32,
    /// The cells of the other seat.
    pub(super) other: u32,
    pub(super) heights: [u8; CELLS_MAX],
}

impl Stacks {
    const EMPTY: Self = Self { own: 0, other: 0, heights: [0; CELLS_MAX] };

    /// The same after a turn or reflection, which leads each cell to another.
    fn turned(&self, turn: &[u8; CELLS_MAX]) -> Self {
        let mut turned = Self::EMPTY;
        for cell in bits(self.own | self.other) {
            let to = usize::from(turn[cell]);
            let side = if self.own >> cell & 1 != 0 { &mut turned.own } else { &mut turned.other };
            *side |= 1 << to;
            turned.heights[to] = self.heights[cell];
        }
        turned
    }
}

/// The numbers of the bits that are set, the lowest first.
pub(super) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then_some(mask.trailing_zeros() as usize)?;
        mask &= mask - 1;
        Some(bit)
    })
}

/// Cells of the seat to move, of all that symmetries lead to each other.
#[derive(Debug)]
struct Pattern {
    cells: u32,
    /// The symmetries that keep them, other than that which moves nothing.
    kept_by: Vec<u8>,
}

/// The numbers of one board.
#[derive(Debug)]
pub(super) struct Numbering {
    cells: usize,
    turns: Vec<[u8; CELLS_MAX]>,
    /// For each set of cells its pattern among those of as many cells, and the turn that leads to it.
    classes: Vec<(u16, u8)>,
    /// By the number of cells.
    patterns: Vec<Vec<Pattern>>,
}

/// How the numbers of positions with certain pieces are divided.
#[derive(Debug)]
pub(super) struct Layout {
    /// The pieces of the seat to move, and of the other.
    pub(super) pieces: [u8; 2],
    /// By the number of own stacks: the first number, the ways of the heights of these, and by the
    /// number of other stacks the first of the numbers that a pattern with its heights has.
    parts: Vec<Part>,
    pub(super) len: u32,
}

#[derive(Debug)]
struct Part {
    first: u32,
    heights: u32,
    others: Vec<u32>,
    /// The numbers of a pattern with its heights.
    each: u32,
}

impl Numbering {
    pub(super) fn new(hexagon: &Hexagon) -> Self {
        let cells = hexagon.len();
        let turns = hexagon.symmetries();
        let mut classes = vec![(u16::MAX, 0); 1 << cells];
        let mut patterns: Vec<Vec<Pattern>> = (0..=PIECES_MAX).map(|_| Vec::new()).collect();
        for mask in 0..1 << cells {
            let Some(known) = patterns.get_mut(u32::count_ones(mask) as usize) else { continue };
            if classes[mask as usize].0 != u16::MAX {
                continue;
            }
            let class = u16::try_from(known.len()).expect("patterns of 8 in 19 cells are 6,406");
            let mut kept_by = Vec::new();
            for (turn, to) in (0..).zip(&turns) {
                let turned = bits(mask).fold(0, |turned, cell| turned | 1 << to[cell]);
                let back = inverse(&turns, to, cells);
                if turned == mask && turn != 0 {
                    kept_by.push(turn);
                } else if classes[turned as usize].0 == u16::MAX {
                    classes[turned as usize] = (class, back);
                }
            }
            known.push(Pattern { cells: mask, kept_by });
        }
        Self { cells, turns, classes, patterns }
    }

    /// Divides the numbers of the positions in which the seats have these pieces.
    pub(super) fn layout(&self, pieces: [u8; 2]) -> Layout {
        let [own, other] = pieces.map(usize::from);
        let (mut parts, mut len) = (vec![Part::NONE], 0);
        for stacks in 1..=own.min(self.cells - 1) {
            let heights = choices(own - 1, stacks - 1);
            let (mut others, mut each) = (vec![0], 0);
            for other_stacks in 1..=other.min(self.cells - stacks) {
                others.push(each);
                each += choices(self.cells - stacks, other_stacks)
                    * choices(other - 1, other_stacks - 1);
            }
            let patterns = u32::try_from(self.patterns[stacks].len()).unwrap_or(u32::MAX);
            parts.push(Part { first: len, heights, others, each });
            len += patterns * heights * each;
        }
        Layout { pieces, parts, len }
    }

    /// The number of a position whose seats have the pieces of the layout.
    pub(super) fn number(&self, layout: &Layout, stacks: &Stacks) -> u32 {
        let (class, turn) = self.classes[stacks.own as usize];
        let first = stacks.turned(&self.turns[usize::from(turn)]);
        let pattern = &self.patterns[first.own.count_ones() as usize][usize::from(class)];
        let turned =
            pattern.kept_by.iter().map(|&turn| first.turned(&self.turns[usize::from(turn)]));
        let numbers = turned.map(|stacks| number_within(layout, class, &stacks));
        numbers.fold(number_within(layout, class, &first), u32::min)
    }

    /// The position of a number; `None` if the number has none.
    pub(super) fn stacks(&self, layout: &Layout, number: u32) -> Option<Stacks> {
        let own_stacks = layout.parts.iter().rposition(|part| part.first <= number)?;
        let part = &layout.parts[own_stacks];
        let (pattern, rest) =
            ((number - part.first) / part.each, (number - part.first) % part.each);
        let own = self.patterns[own_stacks].get((pattern / part.heights) as usize)?.cells;
        let mut stacks = Stacks { own, ..Stacks::EMPTY };
        set_heights(own, layout.pieces[0], pattern % part.heights, &mut stacks.heights);
        let other_stacks = part.others.iter().rposition(|&first| first <= rest)?;
        let rest = rest - part.others[other_stacks];
        let heights = choices(usize::from(layout.pieces[1]) - 1, other_stacks - 1);
        let free: Vec<usize> = bits(!own & ((1 << self.cells) - 1)).collect();
        for place in unrank(rest / heights, other_stacks, free.len()) {
            stacks.other |= 1 << free[place];
        }
        set_heights(stacks.other, layout.pieces[1], rest % heights, &mut stacks.heights);
        (self.number(layout, &stacks) == number).then_some(stacks)
    }
}

/// The number of a position of a pattern, as it stands.
fn number_within(layout: &Layout, class: u16, stacks: &Stacks) -> u32 {
    let Stacks { own, other, heights } = stacks;
    let part = &layout.parts[own.count_ones() as usize];
    let free_below = |cell: usize| cell - (own & ((1 << cell) - 1)).count_ones() as usize;
    let cells = rank(bits(*other).map(free_below));
    let of_other = choices(usize::from(layout.pieces[1]) - 1, other.count_ones() as usize - 1);
    (u32::from(class) * part.heights + rank_of_heights(*own, heights)) * part.each
        + part.first
        + part.others[other.count_ones() as usize]
        + cells * of_other
        + rank_of_heights(*other, heights)
}

impl Part {
    /// No stacks, no numbers.
    const NONE: Self = Self { first: 0, heights: 1, others: Vec::new(), each: 1 };
}

/// The symmetry that undoes another.
fn inverse(turns: &[[u8; CELLS_MAX]], turn: &[u8; CELLS_MAX], cells: usize) -> u8 {
    let undoes = |back: &[u8; CELLS_MAX]| {
        (0_u8..).zip(&turn[..cells]).all(|(cell, &to)| back[usize::from(to)] == cell)
    };
    let place = turns.iter().position(undoes).expect("symmetries are a group");
    u8::try_from(place).expect("there are twelve")
}

/// The rank of a set among those of its size, by its members from the lowest on.
fn rank(members: impl Iterator<Item = usize>) -> u32 {
    members.zip(1..).map(|(member, size)| choices(member, size)).sum()
}

/// The set of a rank, of members below a limit. The highest comes first.
fn unrank(mut rank: u32, size: usize, below: usize) -> impl Iterator<Item = usize> {
    let mut below = below;
    (1..=size).rev().map(move |size| {
        below = (0..below).rev().find(|&member| choices(member, size) <= rank).unwrap_or(0);
        rank -= choices(below, size);
        below
    })
}

/// The heights of stacks are a set: the sums of the first ones, without the last.
fn rank_of_heights(cells: u32, heights: &[u8; CELLS_MAX]) -> u32 {
    let last = cells.count_ones() as usize - 1;
    let sums = bits(cells).take(last).scan(0, |sum, cell| {
        *sum += usize::from(heights[cell]);
        Some(*sum - 1)
    });
    rank(sums)
}

fn set_heights(cells: u32, pieces: u8, rank: u32, heights: &mut [u8; CELLS_MAX]) {
    let stacks = cells.count_ones() as usize;
    let mut upper = usize::from(pieces);
    let mut sums = unrank(rank, stacks - 1, upper - 1);
    let mut cells: Vec<usize> = bits(cells).collect();
    while let Some(cell) = cells.pop() {
        let lower = sums.next().map_or(0, |sum| sum + 1);
        heights[cell] = u8::try_from(upper - lower).expect("a part of few pieces");
        upper = lower;
    }
}
