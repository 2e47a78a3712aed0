//! The board as characters: a ring with a stack on each sector, and what is in reserve.
//!
//! The first half of the ring is above from left to right, the other half below from right to left,
//! so that going round is going clockwise and opposites lie across the middle. Each stack stands on
//! the line below it, where its sector is numbered; dots show how high it may still get. Levels are
//! numbered at the left, and a sign before a sector's number points it out.

use super::{
    Diam,
    ring::Sector,
    stack::{Colour, FIRST, SECOND},
};
use crate::{
    cell::Cell,
    game::{Drawing, Game as _, Mark, Span},
    seat::Seat,
};

/// Characters of a line that belong to one sector.
const SECTOR_WIDTH: usize = 6;

impl Diam {
    /// The board with the given cells pointed out.
    pub(super) fn drawing(&self, marks: &[(Cell, Mark)]) -> Drawing {
        let mut upper: Vec<_> = self.terms.ring.sectors().collect();
        let half = upper.len() / 2;
        let mut lower = upper.split_off(half);
        lower.reverse();
        let inside = " ".repeat(half * SECTOR_WIDTH + 1);

        let mut lines = self.levels(&upper, " ", marks);
        lines.push(floor(&upper, ['.', '.'], marks));
        lines.push(vec![plain(format!("   |{inside}|"))]);
        lines.extend(self.levels(&lower, "|", marks));
        lines.push(floor(&lower, ['|', '|'], marks));
        lines.push(Vec::new());
        lines.extend([FIRST, SECOND].map(|seat| self.reserve_line(seat)));
        Drawing { lines }
    }

    /// The pieces of some stacks, level by level from the top.
    fn levels(&self, sectors: &[Sector], wall: &str, marks: &[(Cell, Mark)]) -> Vec<Vec<Span>> {
        let levels = (1..=self.terms.height_max).rev();
        let line = |level| {
            let pieces = sectors.iter().map(|&sector| self.piece(sector, level, marks));
            let left = plain(format!(" {level} {wall}"));
            std::iter::once(left).chain(pieces).chain([plain(format!(" {wall}"))]).collect()
        };
        levels.map(line).collect()
    }

    fn piece(&self, sector: Sector, level: u8, marks: &[(Cell, Mark)]) -> Span {
        let colour = self.board[sector].piece(level);
        let letter = colour.map_or('.', Colour::letter);
        Span {
            text: format!("   {letter}  "),
            seat: colour.map(Colour::owner),
            cell: Some(sector.into()),
            mark: mark_of(sector, marks),
        }
    }

    fn reserve_line(&self, seat: Seat) -> Vec<Span> {
        let mut line = vec![plain(format!(" {} has", self.letter(seat)))];
        for colour in self.terms.colours_of(seat) {
            let count = self.board.reserve(colour).into();
            let pieces: String = std::iter::repeat_n(colour.letter(), count).collect();
            if count > 0 {
                let text = format!(" {pieces}");
                line.push(Span { text, seat: Some(seat), cell: None, mark: None });
            }
        }
        if line.len() == 1 {
            line.push(plain(" nothing".to_owned()));
        }
        line.push(plain(" to place".to_owned()));
        line
    }
}

/// The line that stacks stand on, with the numbers of their sectors.
fn floor(sectors: &[Sector], ends: [char; 2], marks: &[(Cell, Mark)]) -> Vec<Span> {
    let mut line = vec![plain(format!("   {}", ends[0]))];
    for &sector in sectors {
        let mark = mark_of(sector, marks);
        line.push(plain("__".to_owned()));
        let text = format!("{}{} ", mark.map_or(' ', sign), sector.number());
        let rest = "_".repeat(SECTOR_WIDTH - "__".len() - text.len());
        line.push(Span { text, seat: None, cell: Some(sector.into()), mark });
        line.push(plain(rest));
    }
    line.push(plain(format!("_{}", ends[1])));
    line
}

/// Of several marks on one sector, the one that says most about it.
fn mark_of(sector: Sector, marks: &[(Cell, Mark)]) -> Option<Mark> {
    let here = marks.iter().filter(|&&(cell, _)| cell == sector.into());
    here.map(|&(_, mark)| mark).max_by_key(|&mark| rank(mark))
}

/// How a mark is drawn, in front of its sector's number.
const fn sign(mark: Mark) -> char {
    match mark {
        Mark::From => '-',
        Mark::To => '+',
        Mark::Captured => '*',
        Mark::Cursor => '>',
        Mark::Chosen => '=',
        Mark::Target => ':',
    }
}

/// Of several marks on one sector, the one with the highest rank is drawn.
const fn rank(mark: Mark) -> u8 {
    match mark {
        Mark::From => 0,
        Mark::To => 1,
        Mark::Captured => 2,
        Mark::Target => 3,
        Mark::Chosen => 4,
        Mark::Cursor => 5,
    }
}

fn plain(text: String) -> Span {
    Span { text, seat: None, cell: None, mark: None }
}
