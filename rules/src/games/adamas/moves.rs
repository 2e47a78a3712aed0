//! What a move may do: its cells and amounts, what it captures, splits with progressive captures, and
//! moves that are put together cell by cell.

use arrayvec::ArrayVec;

use super::{
    Adamas,
    board::{Board, DIRECTIONS, Spot, Stack},
    notation::{Move, PARTS_MAX, Part, Parts, Path},
    violation::RuleViolation,
};
use crate::{
    cell::{Cell, CellName},
    game::{Capture, Captures, Followers, MoveCount, Target},
    hashing::portion,
    refusal::IllegalMove,
    seat::Seat,
    sketch::{self, Amount, AmountWish, CompletedSketch, PickedAmount, Sketch},
};

/// Cells that one stack may go to.
pub(super) type Destinations = ArrayVec<Spot, PARTS_MAX>;

impl Adamas {
    /// Whether a stack of the seat to move can go anywhere. Its neighbouring cells tell: what it
    /// may do further away, it may do next to itself, unless a stack there stops it.
    pub(super) fn can_act(&self, from: Spot) -> bool {
        let hexagon = self.board.hexagon();
        DIRECTIONS
            .iter()
            .map(|&direction| from.step(direction))
            .any(|to| hexagon.contains(to) && self.may_land(to))
    }

    /// Where single pieces of a stack may go, in the order of the cells.
    pub(super) fn destinations(&self, from: Spot) -> Destinations {
        let mut found = Destinations::new();
        for direction in DIRECTIONS {
            let mut to = from.step(direction);
            while self.board.hexagon().contains(to) {
                if self.may_land(to) {
                    found.push(to);
                }
                if !self.board.stack(to).is_empty() {
                    break;
                }
                to = to.step(direction);
            }
        }
        found.sort_unstable();
        found
    }

    /// Whether a cell holds pieces of another seat than the one to move.
    pub(super) fn is_enemy(&self, spot: Spot) -> bool {
        self.board.stack(spot).owner().is_some_and(|owner| owner != self.to_move)
    }

    /// The own stacks that see a cell, with all their pieces, in the order of the cells.
    pub(super) fn own_seen(&self, to: Spot) -> Parts {
        let mut seen: Parts = DIRECTIONS
            .iter()
            .filter_map(|&direction| self.board.first_seen(to, direction))
            .filter(|(_, stack)| stack.owner() == Some(self.to_move))
            .map(|(spot, stack)| Part { spot, pieces: stack.height() })
            .collect();
        seen.sort_unstable_by_key(|part| part.spot);
        seen
    }

    /// The number of legal moves, by arithmetic.
    pub(super) fn count(&self) -> MoveCount {
        if self.prog_cap {
            return MoveCount::NotCounted(
                "with -prog_cap the order of a split's parts decides what is legal, so different \
                 moves cannot be counted",
            );
        }
        let splits: u128 = self
            .board
            .stacks_of(self.to_move)
            .map(|(from, height)| splits(height, self.destinations(from).len()))
            .sum();
        let merges: u128 = self
            .board
            .hexagon()
            .spots()
            .filter(|&to| self.may_land(to))
            .map(|to| merges(&self.own_seen(to)))
            .sum();
        MoveCount::Exactly(splits + merges)
    }

    /// Where pieces of a stack may go, as hints for its player.
    pub(super) fn targets_of(&self, from: Spot) -> Vec<Target> {
        if self.board.stack(from).owner() != Some(self.to_move) {
            return Vec::new();
        }
        self.destinations(from)
            .into_iter()
            .map(|to| Target { cell: to.into(), capture: self.is_enemy(to) })
            .collect()
    }

    /// The cells that pieces of a stack may go to, and the stacks that may merge with it on one.
    pub(super) fn followers_of(&self, from: Spot) -> Followers {
        let mut merging: Vec<Spot> = self
            .destinations(from)
            .into_iter()
            .flat_map(|to| self.own_seen(to))
            .map(|part| part.spot)
            .filter(|&other| other != from)
            .collect();
        merging.sort_unstable();
        merging.dedup();
        Followers { to: self.targets_of(from), from: merging.into_iter().map(Cell::from).collect() }
    }
}

/// Number of ways to send 1 to `height` pieces to the destinations. With 99 pieces and 42
/// destinations it stays below 2^124.
fn splits(height: u8, destinations: usize) -> u128 {
    ways(destinations, height) - 1
}

/// Number of ways to merge pieces of at least two of these stacks.
fn merges(seen: &[Part]) -> u128 {
    let any: u128 = seen.iter().map(|part| u128::from(part.pieces) + 1).product();
    let of_one: u128 = seen.iter().map(|part| u128::from(part.pieces)).sum();
    any - of_one - 1
}

/// Number of ways to distribute up to `left` pieces over the cells: a binomial, factor by factor.
/// Each partial product is a binomial itself.
pub(super) fn ways(cells: usize, left: u8) -> u128 {
    (1..=cells as u128).fold(1, |ways, factor| portion(ways, u128::from(left) + factor, factor))
}

impl Adamas {
    /// Whether the seat to move may go this way, and what it would capture.
    pub(super) fn validate_path(&self, path: &Path) -> Result<Captures, RuleViolation> {
        match path {
            Path::Split { from, to } => self.validate_split(*from, to),
            Path::Merge { from, to } => self.validate_merge(from, *to),
        }
    }

    fn validate_split(&self, from: Spot, parts: &[Part]) -> Result<Captures, RuleViolation> {
        let taken = parts.iter().map(|part| u16::from(part.pieces)).sum();
        let taken = self.check_source(from, taken)?;
        let mut captures = Captures::new();
        if self.prog_cap && parts.len() > 1 {
            // The first part is counted before anything moves. Then everything that the move takes
            // is in the air, and each later part is counted on what the earlier ones have left.
            let mut counted = self.board.clone();
            for (index, part) in parts.iter().enumerate() {
                self.check_sight(from, part.spot)?;
                captures.extend(self.check_landing(&counted, part.spot)?);
                if index == 0 {
                    counted.take(from, taken);
                }
                counted.land(part.spot, self.to_move, part.pieces);
            }
        } else {
            for part in parts {
                self.check_sight(from, part.spot)?;
                captures.extend(self.check_landing(&self.board, part.spot)?);
            }
        }
        Ok(captures)
    }

    fn validate_merge(&self, parts: &[Part], to: Spot) -> Result<Captures, RuleViolation> {
        for part in parts {
            self.check_source(part.spot, u16::from(part.pieces))?;
            self.check_sight(part.spot, to)?;
        }
        Ok(self.check_landing(&self.board, to)?.into_iter().collect())
    }

    /// Returns the number of pieces taken if the source belongs to the mover and has as many.
    fn check_source(&self, from: Spot, taken: u16) -> Result<u8, RuleViolation> {
        let stack = self.board.stack(from);
        let name = || self.board.hexagon().name(from);
        match stack.owner() {
            None => Err(RuleViolation::EmptySource { cell: name() }),
            Some(owner) if owner != self.to_move => {
                Err(RuleViolation::NotYourStack { cell: name() })
            }
            Some(_) => {
                let height = stack.height();
                u8::try_from(taken)
                    .ok()
                    .filter(|&taken| taken <= height)
                    .ok_or_else(|| RuleViolation::TooFewPieces { cell: name(), height, taken })
            }
        }
    }

    /// Sight is always that of the position before the move, in every part of it.
    fn check_sight(&self, from: Spot, to: Spot) -> Result<(), RuleViolation> {
        let name = |spot| self.board.hexagon().name(spot);
        let direction = from
            .direction_to(to)
            .ok_or_else(|| RuleViolation::NotOnOneLine { from: name(from), to: name(to) })?;
        match self.board.between(from, to, direction) {
            None => Ok(()),
            Some(by) => {
                Err(RuleViolation::OutOfSight { from: name(from), to: name(to), by: name(by) })
            }
        }
    }

    /// Whether the mover's pieces may land on a cell, and what they capture there. The visible
    /// enemy count is taken on `counted`.
    fn check_landing(&self, counted: &Board, to: Spot) -> Result<Option<Capture>, RuleViolation> {
        let stack = self.board.stack(to);
        let Some(seat) = stack.owner().filter(|&owner| owner != self.to_move) else {
            return Ok(None);
        };
        let name = || self.board.hexagon().name(to);
        if self.opening {
            return Err(RuleViolation::OpeningCapture { cell: name() });
        }
        let (height, seen) = (stack.height(), counted.enemies_seen(to, seat));
        if height == seen {
            Ok(Some(Capture { cell: to.into(), seat, pieces: height }))
        } else {
            Err(RuleViolation::NotThreatened { cell: name(), height, seen })
        }
    }

    /// Whether a single piece that sees a cell may go there.
    pub(super) fn may_land(&self, to: Spot) -> bool {
        self.check_landing(&self.board, to).is_ok()
    }

    /// Returns the stacks that another seat could capture, were it its turn. A seat that sees a
    /// stack that is as high as its visible enemy count can go there with a single piece.
    pub(super) fn threatened_stacks(&self) -> impl Iterator<Item = Spot> {
        let threatened = |&(spot, owner, height): &(Spot, Seat, u8)| {
            height == self.board.enemies_seen(spot, owner) && self.is_seen_by_captor(spot, owner)
        };
        self.board.stacks().filter(threatened).map(|(spot, ..)| spot)
    }

    /// Whether a seat that may capture at all sees another one's stack.
    fn is_seen_by_captor(&self, spot: Spot, owner: Seat) -> bool {
        let seen =
            DIRECTIONS.iter().filter_map(|&direction| self.board.first_seen(spot, direction));
        seen.filter_map(|(_, stack)| stack.owner())
            .any(|seat| seat != owner && !(self.opening && seat == self.to_move))
    }

    /// Moves the pieces of a legal move.
    pub(super) fn carry_out(&mut self, path: &Path) {
        match path {
            Path::Split { from, to } => {
                for part in to {
                    self.board.take(*from, part.pieces);
                    self.board.land(part.spot, self.to_move, part.pieces);
                }
            }
            Path::Merge { from, to } => {
                for part in from {
                    self.board.take(part.spot, part.pieces);
                    self.board.land(*to, self.to_move, part.pieces);
                }
            }
        }
    }
}

/// Every legal split of a stack: those that take fewest pieces first, then by cell and pieces of
/// the first part, of the second, and so on. Two orders of the same parts that cannot differ in
/// what they capture are the same split, and one of them stands for both: parts between captures go
/// by their cells, and no capture stands directly behind a part that it could have stood before.
pub(super) struct Progressive<'a> {
    position: &'a Adamas,
    from: Spot,
    height: u8,
    /// The cells that the stack sees.
    seen: Destinations,
    /// Pieces that the split takes.
    taken: u8,
    /// The parts so far, each with the place of its cell among those seen.
    parts: Vec<(usize, Part)>,
    /// What each part so far is counted on, and the next one.
    boards: Vec<Board>,
    /// The first cell, by its place, and number of pieces to try as the next part.
    next: (usize, u8),
}

impl<'a> Progressive<'a> {
    /// Those behind a legal one, or all.
    pub(super) fn new(position: &'a Adamas, from: Spot, height: u8, after: Option<&Parts>) -> Self {
        let mut all = Self {
            position,
            from,
            height,
            seen: position.seen_from(from),
            taken: 1,
            parts: Vec::new(),
            boards: vec![position.board.clone()],
            next: (0, 1),
        };
        if let Some((last, before)) = after.and_then(|parts| parts.split_last()) {
            all.taken = last.pieces + before.iter().map(|part| part.pieces).sum::<u8>();
            for part in before {
                all.go_on(all.place(part.spot), *part);
            }
            all.next = (all.place(last.spot), last.pieces + 1);
        }
        all
    }

    fn place(&self, spot: Spot) -> usize {
        self.seen.partition_point(|&seen| seen < spot)
    }

    /// Adds a part that leaves pieces for others.
    fn go_on(&mut self, place: usize, part: Part) {
        self.boards.push(self.with(part));
        self.parts.push((place, part));
        self.next = (0, 1);
    }

    /// The board after one more part. Behind the first, all that the split takes is in the air.
    fn with(&self, part: Part) -> Board {
        let mut board = self.board().clone();
        if self.parts.is_empty() {
            board.take(self.from, self.taken);
        }
        board.land(part.spot, self.position.to_move, part.pieces);
        board
    }

    /// What the next part is counted on.
    fn board(&self) -> &Board {
        self.boards.last().expect("the position itself is the first")
    }

    /// Pieces that are left for the next part and those behind it.
    fn left(&self) -> u8 {
        self.taken - self.parts.iter().map(|(_, part)| part.pieces).sum::<u8>()
    }

    fn is_used(&self, place: usize) -> bool {
        self.parts.iter().any(|&(used, _)| used == place)
    }

    fn is_enemy(&self, place: usize) -> bool {
        self.position.is_enemy(self.seen[place])
    }

    /// Whether the next part may go to a cell, in the order that stands for all.
    fn may_go(&self, place: usize) -> bool {
        if self.is_used(place) {
            return false;
        }
        let spot = self.seen[place];
        let quiet_before =
            self.parts.last().map(|&(last, _)| last).filter(|&last| !self.is_enemy(last));
        if !self.is_enemy(place) {
            return quiet_before.is_none_or(|last| place > last);
        }
        let lands = |board| self.position.check_landing(board, spot).is_ok();
        lands(self.board())
            && (quiet_before.is_none() || !lands(&self.boards[self.boards.len() - 2]))
    }

    /// Whether a part without a capture could follow one on this cell.
    fn may_be_followed(&self, place: usize) -> bool {
        let first = if self.is_enemy(place) { 0 } else { place + 1 };
        (first..self.seen.len())
            .any(|other| other != place && !self.is_used(other) && !self.is_enemy(other))
    }

    /// The least number of pieces from `least` on with which a part on this cell can be the last,
    /// or be followed by another.
    fn amount(&self, place: usize, least: u8) -> u8 {
        let left = self.left();
        if self.may_be_followed(place) {
            return least;
        }
        // Only a capture can follow. What an enemy sees grows with the part, if it sees that at
        // all.
        let spot = self.seen[place];
        let counted = self.with(Part { spot, pieces: 1 });
        let others = (0..self.seen.len())
            .filter(|&other| other != place && self.is_enemy(other) && !self.is_used(other));
        let amounts = others.filter_map(|other| {
            let enemy = self.seen[other];
            let (owner, height) = (counted.stack(enemy).owner()?, counted.stack(enemy).height());
            let seen = counted.enemies_seen(enemy, owner);
            let sees_it = enemy
                .direction_to(spot)
                .and_then(|direction| counted.first_seen(enemy, direction))
                .is_some_and(|(first, _)| first == spot);
            if sees_it { (height + 1).checked_sub(seen) } else { (height == seen).then_some(least) }
        });
        let opening = self.position.opening;
        amounts.filter(|amount| !opening && (least..left).contains(amount)).min().unwrap_or(left)
    }

    /// The next part to try, with the place of its cell.
    fn candidate(&self) -> Option<(usize, Part)> {
        let left = self.left();
        let (first, pieces) = self.next;
        (first..self.seen.len()).find_map(|place| {
            let least = if place == first { pieces } else { 1 };
            let fits = least <= left && self.may_go(place);
            fits.then(|| {
                (place, Part { spot: self.seen[place], pieces: self.amount(place, least) })
            })
        })
    }
}

impl Iterator for Progressive<'_> {
    type Item = Parts;

    fn next(&mut self) -> Option<Parts> {
        while self.taken <= self.height {
            if let Some((place, part)) = self.candidate() {
                if part.pieces < self.left() {
                    self.go_on(place, part);
                    continue;
                }
                self.next = (place + 1, 1);
                let parts = self.parts.iter().map(|&(_, part)| part);
                return Some(parts.chain([part]).collect());
            }
            if let Some((place, part)) = self.parts.pop() {
                self.boards.pop();
                self.next = (place, part.pieces + 1);
            } else {
                self.taken += 1;
                self.next = (0, 1);
            }
        }
        None
    }
}

impl Adamas {
    /// The cells that a stack sees, whatever stands on them, in order.
    fn seen_from(&self, from: Spot) -> Destinations {
        let mut seen = Destinations::new();
        for direction in DIRECTIONS {
            let mut to = from.step(direction);
            while self.board.hexagon().contains(to) {
                seen.push(to);
                if !self.board.stack(to).is_empty() {
                    break;
                }
                to = to.step(direction);
            }
        }
        seen.sort_unstable();
        seen
    }

    /// Whether these cells could be those of a move, or some of them.
    pub(super) fn can_complete_sketch(&self, sketch: &Sketch) -> bool {
        let (Some(from), Some(to)) = (self.spots(sketch.from()), self.spots(sketch.to())) else {
            return false;
        };
        let is_own = |&from: &Spot| self.board.stack(from).owner() == Some(self.to_move);
        if !from.iter().all(is_own) {
            return false;
        }
        match (from.as_slice(), to.as_slice()) {
            ([], []) => self.board.stacks_of(self.to_move).any(|(from, _)| self.can_act(from)),
            ([], _) => false,
            ([from], []) => self.can_act(*from),
            ([from], to) => self.may_split(*from, to),
            ([first, ..], []) => {
                let all = self.destinations(*first);
                all.into_iter().any(|to| self.may_merge(&from, to))
            }
            (from, [to]) => self.may_merge(from, *to),
            (_, _) => false,
        }
    }

    fn may_split(&self, from: Spot, to: &[Spot]) -> bool {
        to.len() <= usize::from(self.board.stack(from).height())
            && to.iter().enumerate().all(|(index, &to)| {
                // Where captures are progressive, what falls as a later part is decided by the
                // amounts of all parts, and these are yet to be chosen.
                let later = self.prog_cap && index > 0 && !self.opening;
                self.sees(from, to) && (later || self.may_land(to))
            })
    }

    fn may_merge(&self, from: &[Spot], to: Spot) -> bool {
        self.may_land(to) && from.iter().all(|&from| from != to && self.sees(from, to))
    }

    fn sees(&self, from: Spot, to: Spot) -> bool {
        let direction = from.direction_to(to);
        direction.is_some_and(|direction| self.board.between(from, to, direction).is_none())
    }

    fn spots(&self, parts: &[sketch::PickedCell]) -> Option<Vec<Spot>> {
        parts.iter().map(|part| self.board.hexagon().spot(part.cell)).collect()
    }

    /// The amounts stand where there are several cells: at the targets of a split, at the sources
    /// of a merge. A move from one cell to another has its amount at the target.
    pub(super) fn complete_amounts(&self, sketch: &Sketch) -> CompletedSketch {
        let mut completed = CompletedSketch::of(sketch);
        match (sketch.from(), sketch.to()) {
            ([source], [target]) => {
                // What was a merge up to now has it at its source.
                let wish = target.wish.as_ref().or(source.wish.as_ref());
                share(self.height(source.cell), &[wish], &mut completed.to);
            }
            ([source], targets) => {
                let wishes: Vec<_> = targets.iter().map(|part| part.wish.as_ref()).collect();
                share(self.height(source.cell), &wishes, &mut completed.to);
            }
            (sources, targets) => {
                // What went from one cell to another up to now had it at its target.
                let mut moved = targets.first().and_then(|target| target.wish.as_ref());
                for (part, chosen) in sources.iter().zip(&mut completed.from) {
                    let wish = part.wish.as_ref().or(moved.take());
                    share(self.height(part.cell), &[wish], std::slice::from_mut(chosen));
                }
            }
        }
        completed
    }

    /// Of how many pieces the seat to move disposes on a cell.
    fn height(&self, cell: Cell) -> u8 {
        let stack = self.board.hexagon().spot(cell).map(|spot| self.board.stack(spot));
        let own = stack.filter(|stack| stack.owner() == Some(self.to_move));
        own.map_or(0, Stack::height)
    }

    /// Builds the move of a completed sketch, if it has sources and targets.
    pub(super) fn build_sketched_move(
        &self,
        completed: &CompletedSketch,
    ) -> Result<Option<Move>, IllegalMove> {
        let (mut from, mut to) = (self.parts(&completed.from)?, self.parts(&completed.to)?);
        let path = match (from.as_mut_slice(), to.as_mut_slice()) {
            ([], _) | (_, []) => return Ok(None),
            ([source], targets) => {
                if !self.prog_cap {
                    targets.sort_unstable_by_key(|part| part.spot);
                }
                Path::Split { from: source.spot, to }
            }
            (sources, [target]) => {
                sources.sort_unstable_by_key(|part| part.spot);
                Path::Merge { to: target.spot, from }
            }
            (_, _) => return Err(RuleViolation::SeveralToSeveral.into()),
        };
        Ok(Some(Move::new(self.board.hexagon(), path)))
    }

    fn parts(&self, cells: &[PickedAmount]) -> Result<Parts, IllegalMove> {
        let mut parts = Parts::new();
        for PickedAmount { cell, amount } in cells {
            let spot = self.board.hexagon().spot(*cell);
            let spot = spot.ok_or_else(|| IllegalMove::NoSuchCell { name: CellName::unknown() })?;
            let part = Part { spot, pieces: amount.pieces() };
            parts.try_push(part).map_err(|_| RuleViolation::TooManyParts { max: PARTS_MAX })?;
        }
        Ok(parts)
    }
}

/// Gives each cell the wished number of pieces as long as one is left for each later cell, and one
/// piece where there is no wish. Leaves all amounts fixed if there are too few pieces.
fn share(all: u8, wishes: &[Option<&AmountWish>], cells: &mut [PickedAmount]) {
    let Some(mut spare) = usize::from(all).checked_sub(cells.len()) else { return };
    let shares: Vec<usize> = wishes
        .iter()
        .map(|wish| {
            let more = match wish {
                Some(AmountWish::Pieces(pieces)) => {
                    usize::from(pieces.saturating_sub(1)).min(spare)
                }
                Some(AmountWish::Choice(_)) | None => 0,
            };
            spare -= more;
            1 + more
        })
        .collect();
    let count = |pieces: usize| u8::try_from(pieces).expect("no more pieces than the stack has");
    for (cell, share) in cells.iter_mut().zip(shares) {
        cell.amount = Amount::Pieces { pieces: count(share), range: 1..=count(share + spare) };
    }
}
