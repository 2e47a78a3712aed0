//! Moves that are put together sector by sector: a target alone is a placement, whose choice is the
//! letter; a source and a target are a movement, whose choice are the pieces that go. Whether a
//! whole one is legal is not decided here.

use super::{
    game::Diam,
    notation::{Move, MoveKind},
    ring::{Direction, Sector},
    stack::Colour,
    violation::RuleViolation,
};
use crate::{
    cell::{Cell, CellName},
    refusal::IllegalMove,
    sketch::{Amount, CompletedSketch, PickedCell, Sketch},
};

impl Diam {
    /// Whether these sectors could be those of a move, or one of them.
    pub(super) fn can_complete_sketch(&self, sketch: &Sketch) -> bool {
        let sector = |part: &PickedCell| self.variant.ring.sector(part.cell);
        match (sketch.from(), sketch.to()) {
            ([], []) => self.placements_and_movements().next().is_some(),
            ([], [to]) => sector(to).is_some_and(|to| self.may_place_on(to)),
            ([from], to @ ([] | [_])) => {
                let from = sector(from);
                from.is_some_and(|from| self.liftable(from, to.first()).next().is_some())
            }
            _ => false,
        }
    }

    /// The sketch with a letter for what is placed, or with the pieces that go.
    pub(super) fn complete_amounts(&self, sketch: &Sketch) -> CompletedSketch {
        let mut completed = CompletedSketch::of(sketch);
        match (sketch.from(), sketch.to()) {
            ([], [to]) => {
                let colours = self.colours_in_reserve();
                let letters = colours.map(|colour| String::from(colour.letter()).into());
                completed.to[0].amount = Amount::choice(to.wish.as_ref(), letters.collect());
            }
            ([from], to) => {
                if let Some(sector) = self.variant.ring.sector(from.cell) {
                    let levels = self.liftable(sector, to.first());
                    let pieces = levels.map(|level| self.lifted(sector, level).into());
                    completed.from[0].amount = Amount::choice(from.wish.as_ref(), pieces.collect());
                }
            }
            _ => {}
        }
        completed
    }

    /// The move of a completed sketch, if it has a target.
    pub(super) fn build_sketched_move(
        &self,
        completed: &CompletedSketch,
    ) -> Result<Option<Move>, IllegalMove> {
        let kind = match (completed.from.as_slice(), completed.to.as_slice()) {
            ([] | [_], []) => return Ok(None),
            ([], [to]) => {
                let letter = to.amount.chosen().and_then(|letter| letter.chars().next());
                let colour = letter.and_then(Colour::from_letter);
                // With no piece left, any letter will do to be refused.
                let colour = colour.or_else(|| self.variant.colours_of(self.to_move).next());
                let colour = colour.expect("every player has colours");
                MoveKind::Place { colour, sector: self.sector(to.cell)? }
            }
            ([from], [to]) => {
                let (sector, to) = (self.sector(from.cell)?, self.sector(to.cell)?);
                let names = || (sector.name(), to.name());
                let direction = self.direction(sector, to).ok_or_else(|| {
                    let (from, to) = names();
                    RuleViolation::NotNeighbours { from, to }
                })?;
                let level = from.amount.chosen().and_then(|pieces| {
                    self.own_levels(sector).find(|&level| self.lifted(sector, level) == pieces)
                });
                MoveKind::Carry { from: sector, level: level.unwrap_or(1), direction }
            }
            _ => return Err(RuleViolation::SeveralSectors.into()),
        };
        Ok(Some(Move(kind)))
    }

    /// The pieces of a stack that can be lifted and put down next to it, each by its level; on that
    /// neighbour, if one is given.
    fn liftable(&self, from: Sector, to: Option<&PickedCell>) -> impl Iterator<Item = u8> {
        let to = to.map(|part| self.variant.ring.sector(part.cell));
        let is_wanted = move |direction| {
            to.is_none_or(|to| to == Some(self.variant.ring.step(from, direction)))
        };
        let ways = Direction::BOTH.into_iter().filter(move |&direction| is_wanted(direction));
        self.own_levels(from)
            .filter(move |&level| ways.clone().any(|direction| self.fits(from, level, direction)))
    }

    /// A piece of a stack and all above it, as letters.
    fn lifted(&self, from: Sector, level: u8) -> String {
        self.board[from].split(level).1.letters()
    }

    fn direction(&self, from: Sector, to: Sector) -> Option<Direction> {
        Direction::BOTH.into_iter().find(|&direction| self.variant.ring.step(from, direction) == to)
    }

    fn sector(&self, cell: Cell) -> Result<Sector, IllegalMove> {
        let sector = self.variant.ring.sector(cell);
        sector.ok_or_else(|| IllegalMove::NoSuchCell { name: CellName::unknown() })
    }
}
