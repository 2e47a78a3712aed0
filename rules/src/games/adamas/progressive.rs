//! The splits of one stack where captures are progressive: the order of the parts decides what is
//! legal, so they are found part by part.

use super::{
    board::Board,
    game::Adamas,
    hexagon::{DIRECTIONS, Spot},
    moves::Destinations,
    notation::{Part, Parts},
};

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
            let (owner, height) = (counted[enemy].owner()?, counted[enemy].height());
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
                if !self.board[to].is_empty() {
                    break;
                }
                to = to.step(direction);
            }
        }
        seen.sort_unstable();
        seen
    }
}
