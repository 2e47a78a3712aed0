//! What a move may do, and which moves there are: all of them, some of them, and from where to where.
//! There are never as many as a hundred, so counting them is listing them.

use super::{
    Diam,
    board::{Colour, Direction, FIRST, SECOND, Sector},
    notation::{Move, MoveKind},
    violation::RuleViolation,
};
use crate::{
    cell::{Cell, CellName},
    game::Target,
    hashing::{Pick, some},
    refusal::IllegalMove,
    sketch::{Amount, CompletedSketch, PickedCell, Sketch},
};

impl Diam {
    /// Every legal move: placements by colour and sector, then movements by sector, lowest piece
    /// and way.
    pub(super) fn placements_and_movements(&self) -> impl Iterator<Item = Move> {
        let mirror = self.mirror();
        let sectors = self.variant.ring.sectors();
        let open = sectors.clone().filter(move |&to| self.has_room(to, 1) && mirror != Some(to));
        let placements = self.colours_in_reserve().flat_map(move |colour| {
            open.clone().map(move |sector| MoveKind::Place { colour, sector })
        });
        let movements = sectors.flat_map(move |from| {
            self.own_levels(from).flat_map(move |level| {
                let ways = Direction::BOTH
                    .into_iter()
                    .filter(move |&direction| self.fits(from, level, direction));
                ways.map(move |direction| MoveKind::Carry { from, level, direction })
            })
        });
        placements.chain(movements).map(Move)
    }

    /// Some legal moves: all where they fit, else any of them with the same chance for each.
    pub(super) fn sample(&self, max: usize, pick: Pick<'_>) -> Vec<Move> {
        some(self.placements_and_movements().collect(), max, pick)
    }

    /// Where the seat to move may act from: neighbours that a part of this stack may go to, and the
    /// sector itself if a piece may be placed there.
    pub(super) fn targets_of(&self, from: Sector) -> Vec<Target> {
        let places = self.may_place_on(from);
        // Where any part of the stack may go, the smallest may.
        let smallest = self.own_levels(from).last();
        let goes = |&direction: &Direction| {
            smallest.is_some_and(|level| self.fits(from, level, direction))
        };
        let neighbours = Direction::BOTH.into_iter().filter(goes);
        let mut cells: Vec<Cell> = neighbours
            .map(|direction| self.variant.ring.step(from, direction))
            .chain(places.then_some(from))
            .map(Cell::from)
            .collect();
        cells.sort_unstable();
        cells.into_iter().map(|cell| Target { cell, capture: false }).collect()
    }

    /// Whether some piece may be placed on a sector.
    fn may_place_on(&self, sector: Sector) -> bool {
        self.colours_in_reserve().next().is_some()
            && self.has_room(sector, 1)
            && self.mirror() != Some(sector)
    }

    /// The colours that the seat to move can still place.
    fn colours_in_reserve(&self) -> impl Iterator<Item = Colour> {
        self.variant.colours_of(self.to_move).filter(|&colour| self.board.reserve(colour) > 0)
    }

    /// The pieces of a stack that the seat to move may lift, counted from 1 at the bottom.
    fn own_levels(&self, from: Sector) -> impl DoubleEndedIterator<Item = u8> {
        let stack = self.board[from];
        let own = move |level| stack.piece(level).is_some_and(|c| c.owner() == self.to_move);
        (1..=stack.height()).filter(move |&level| own(level))
    }

    /// Whether there is room that way for a piece that the stack has and all above it.
    fn fits(&self, from: Sector, level: u8, direction: Direction) -> bool {
        self.has_room(
            self.variant.ring.step(from, direction),
            self.board[from].height() + 1 - level,
        )
    }

    /// Whether the seat to move may do this.
    pub(super) fn validate_kind(&self, kind: MoveKind) -> Result<(), IllegalMove> {
        let (MoveKind::Place { sector, .. } | MoveKind::Carry { from: sector, .. }) = kind;
        if !self.variant.ring.contains(sector) {
            return Err(IllegalMove::NoSuchCell { name: sector.name() });
        }
        match kind {
            MoveKind::Place { colour, sector } => self.validate_placement(colour, sector)?,
            MoveKind::Carry { from, level, direction } => {
                self.validate_movement(from, level, direction)?;
            }
        }
        Ok(())
    }

    fn validate_placement(&self, colour: Colour, sector: Sector) -> Result<(), RuleViolation> {
        let letter = colour.letter();
        if !self.variant.has(colour) {
            Err(RuleViolation::NoSuchColour { letter })
        } else if colour.owner() != self.to_move {
            Err(RuleViolation::NotYourColour { letter })
        } else if self.board.reserve(colour) == 0 {
            Err(RuleViolation::NoneInReserve { letter })
        } else if !self.has_room(sector, 1) {
            Err(RuleViolation::Full { cell: sector.name(), max: self.variant.height_max })
        } else if self.mirror() == Some(sector) {
            Err(RuleViolation::Mirrored { cell: sector.name() })
        } else {
            Ok(())
        }
    }

    fn validate_movement(
        &self,
        from: Sector,
        level: u8,
        direction: Direction,
    ) -> Result<(), RuleViolation> {
        let stack = self.board[from];
        let height = stack.height();
        if height == 0 {
            return Err(RuleViolation::EmptySector { cell: from.name() });
        }
        let Some(colour) = stack.piece(level) else {
            return Err(RuleViolation::NoSuchPiece { cell: from.name(), height });
        };
        if colour.owner() != self.to_move {
            let letter = colour.letter();
            return Err(RuleViolation::NotYourPiece { cell: from.name(), piece: level, letter });
        }
        let to = self.variant.ring.step(from, direction);
        let pieces = height + 1 - level;
        if !self.has_room(to, pieces) {
            let height = self.board[to].height() + pieces;
            return Err(RuleViolation::TooHigh {
                cell: to.name(),
                height,
                max: self.variant.height_max,
            });
        }
        Ok(())
    }

    /// Whether a sector has room for `pieces` more.
    fn has_room(&self, sector: Sector, pieces: u8) -> bool {
        self.board[sector].height() + pieces <= self.variant.height_max
    }

    /// The sector that the seat to move may not place on because it is opposite the opponent's
    /// first piece. It binds the second player's first placement alone. That is always the second
    /// move of a game, because a player without a piece on the board can only place one. So the
    /// opponent's first piece is the only one there, and no history of moves is needed.
    fn mirror(&self) -> Option<Sector> {
        let binds = self.variant.nomirror
            && self.to_move == SECOND
            && self.board.placed(self.variant, SECOND) == 0
            && self.board.placed(self.variant, FIRST) == 1;
        let ring = self.variant.ring;
        let first = binds.then(|| ring.sectors().find(|&s| self.board[s].height() > 0)).flatten();
        first.map(|sector| ring.opposite(sector))
    }

    /// Does what is legal.
    pub(super) fn carry_out(&mut self, kind: MoveKind) {
        match kind {
            MoveKind::Place { colour, sector } => self.board.place(colour, sector),
            MoveKind::Carry { from, level, direction } => {
                self.board.carry(from, level, self.variant.ring.step(from, direction));
            }
        }
    }

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
