//! Moves that are put together sector by sector: a target alone is a placement, whose choice is the
//! letter; a source and a target are a movement, whose choice are the pieces that go. Whether a whole
//! one is legal is not decided here.

use super::{
    game::Diam,
    notation::{Act, Move},
    ring::{Sector, Way},
    stack::Colour,
    violation::Breach,
};
use crate::{
    cell::{Cell, CellName},
    refusal::IllegalMove,
    sketch::{Amount, Draft, Part, Sketch},
};

impl Diam {
    /// Whether these sectors could be those of a move, or one of them.
    pub(super) fn sketch_may_become_move(&self, sketch: &Sketch) -> bool {
        let sector = |part: &Part| self.terms.ring.sector(part.cell);
        match (sketch.from(), sketch.to()) {
            ([], []) => self.moves().next().is_some(),
            ([], [to]) => sector(to).is_some_and(|to| self.may_place_on(to)),
            ([from], to @ ([] | [_])) => {
                let from = sector(from);
                from.is_some_and(|from| self.liftable(from, to.first()).next().is_some())
            }
            _ => false,
        }
    }

    /// The sketch with a letter for what is placed, or with the pieces that go.
    pub(super) fn draft_sketch(&self, sketch: &Sketch) -> Draft {
        let mut draft = Draft::of(sketch);
        match (sketch.from(), sketch.to()) {
            ([], [to]) => {
                let colours = self.colours_in_reserve();
                let letters = colours.map(|colour| String::from(colour.letter()).into());
                draft.to[0].amount = Amount::choice(to.wish.as_ref(), letters.collect());
            }
            ([from], to) => {
                if let Some(sector) = self.terms.ring.sector(from.cell) {
                    let levels = self.liftable(sector, to.first());
                    let pieces = levels.map(|level| self.lifted(sector, level).into());
                    draft.from[0].amount = Amount::choice(from.wish.as_ref(), pieces.collect());
                }
            }
            _ => {}
        }
        draft
    }

    /// The move that a draft stands for, if it has a target.
    pub(super) fn compose_move(&self, draft: &Draft) -> Result<Option<Move>, IllegalMove> {
        let act = match (draft.from.as_slice(), draft.to.as_slice()) {
            ([] | [_], []) => return Ok(None),
            ([], [to]) => {
                let letter = to.amount.chosen().and_then(|letter| letter.chars().next());
                let colour = letter.and_then(Colour::from_letter);
                // With no piece left, any letter will do to be refused.
                let colour = colour.or_else(|| self.terms.colours_of(self.to_move).next());
                let colour = colour.expect("every player has colours");
                Act::Place { colour, sector: self.sector(to.cell)? }
            }
            ([from], [to]) => {
                let (sector, to) = (self.sector(from.cell)?, self.sector(to.cell)?);
                let names = || (sector.name(), to.name());
                let way = self.way(sector, to).ok_or_else(|| {
                    let (from, to) = names();
                    Breach::NotNeighbours { from, to }
                })?;
                let level = from.amount.chosen().and_then(|pieces| {
                    self.own_levels(sector).find(|&level| self.lifted(sector, level) == pieces)
                });
                Act::Carry { from: sector, level: level.unwrap_or(1), way }
            }
            _ => return Err(Breach::SeveralSectors.into()),
        };
        Ok(Some(Move(act)))
    }

    /// The pieces of a stack that can be lifted and put down next to it, each by its level; on that
    /// neighbour, if one is given.
    fn liftable(&self, from: Sector, to: Option<&Part>) -> impl Iterator<Item = u8> {
        let to = to.map(|part| self.terms.ring.sector(part.cell));
        let is_wanted = move |way| to.is_none_or(|to| to == Some(self.terms.ring.step(from, way)));
        let ways = Way::BOTH.into_iter().filter(move |&way| is_wanted(way));
        self.own_levels(from)
            .filter(move |&level| ways.clone().any(|way| self.fits(from, level, way)))
    }

    /// A piece of a stack and all above it, as letters.
    fn lifted(&self, from: Sector, level: u8) -> String {
        self.board[from].split(level).1.letters()
    }

    fn way(&self, from: Sector, to: Sector) -> Option<Way> {
        Way::BOTH.into_iter().find(|&way| self.terms.ring.step(from, way) == to)
    }

    fn sector(&self, cell: Cell) -> Result<Sector, IllegalMove> {
        let sector = self.terms.ring.sector(cell);
        sector.ok_or_else(|| IllegalMove::NoSuchCell { name: CellName::unknown() })
    }
}
