//! The board as characters: a ring with a stack on each sector, and what is in reserve.
//!
//! The first half of the ring is above from left to right, the other half below from right to left,
//! so that going round is going clockwise and opposites lie across the middle. Each stack stands on
//! the line below it, where its sector is numbered; dots show how high it may still get. Levels are
//! numbered at the left, and a sign before a sector's number points it out.

use super::{
    game::Diam,
    ring::Sector,
    stack::{Colour, FIRST, SECOND},
};
use crate::{
    cell::Cell,
    drawing::{Drawing, Mark, Span, sign},
    game::Game as _,
    seat::Seat,
};

/// Characters of a line that belong to one sector.
const SECTOR_WIDTH: usize = 6;

impl Diam {
    /// The board with the given cells pointed out.
    pub(super) fn drawing(&self, marks: &[(Cell, Mark)]) -> Drawing {
        let mut upper: Vec<_> = self.variant.ring.sectors().collect();
        let half = upper.len() / 2;
        let mut lower = upper.split_off(half);
        lower.reverse();
        let inside = " ".repeat(half * SECTOR_WIDTH + 1);

        let mut lines = self.levels(&upper, " ", marks);
        lines.push(floor(&upper, ['.', '.'], marks));
        lines.push(vec![Span::plain(format!("   |{inside}|"))]);
        lines.extend(self.levels(&lower, "|", marks));
        lines.push(floor(&lower, ['|', '|'], marks));
        lines.push(Vec::new());
        lines.extend([FIRST, SECOND].map(|seat| self.reserve_line(seat)));
        Drawing { lines }
    }

    /// The pieces of some stacks, level by level from the top.
    fn levels(&self, sectors: &[Sector], wall: &str, marks: &[(Cell, Mark)]) -> Vec<Vec<Span>> {
        let levels = (1..=self.variant.height_max).rev();
        let line = |level| {
            let pieces = sectors.iter().map(|&sector| self.piece(sector, level, marks));
            let left = Span::plain(format!(" {level} {wall}"));
            std::iter::once(left).chain(pieces).chain([Span::plain(format!(" {wall}"))]).collect()
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
            mark: Mark::of(sector.into(), marks),
        }
    }

    fn reserve_line(&self, seat: Seat) -> Vec<Span> {
        let mut line = vec![Span::plain(format!(" {} has", self.letter(seat)))];
        for colour in self.variant.colours_of(seat) {
            let count = self.board.reserve(colour).into();
            let pieces: String = std::iter::repeat_n(colour.letter(), count).collect();
            if count > 0 {
                let text = format!(" {pieces}");
                line.push(Span { text, seat: Some(seat), cell: None, mark: None });
            }
        }
        if line.len() == 1 {
            line.push(Span::plain(" nothing"));
        }
        line.push(Span::plain(" to place"));
        line
    }
}

/// The line that stacks stand on, with the numbers of their sectors.
fn floor(sectors: &[Sector], ends: [char; 2], marks: &[(Cell, Mark)]) -> Vec<Span> {
    let mut line = vec![Span::plain(format!("   {}", ends[0]))];
    for &sector in sectors {
        let mark = Mark::of(sector.into(), marks);
        line.push(Span::plain("__"));
        let text = format!("{}{} ", sign(mark), sector.number());
        let rest = "_".repeat(SECTOR_WIDTH - "__".len() - text.len());
        line.push(Span { text, seat: None, cell: Some(sector.into()), mark });
        line.push(Span::plain(rest));
    }
    line.push(Span::plain(format!("_{}", ends[1])));
    line
}
