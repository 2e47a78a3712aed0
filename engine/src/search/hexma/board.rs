//! The native position of a game for two.

use adamant_rules::{Kind, Position};

use super::{
    super::native::{End, Native, mix},
    star::{POINTS, STAR, points},
};

/// A move from point to point.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Step {
    pub(super) from: u8,
    pub(super) to: u8,
}

/// A position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Hexma {
    pieces: [u128; 2],
    to_move: u8,
    end: Option<End>,
    pieces_hash: u64,
}

fn piece_key(point: u8, seat: u8) -> u64 {
    mix(u64::from(point) << 8 | u64::from(seat))
}

impl Hexma {
    pub(super) const fn pieces(&self, seat: u8) -> u128 {
        self.pieces[seat as usize]
    }

    /// The seat to move.
    pub(super) const fn seat(&self) -> u8 {
        self.to_move
    }

    pub(super) const fn occupied(&self) -> u128 {
        self.pieces[0] | self.pieces[1]
    }

    /// The same position with the other seat to move.
    #[must_use]
    pub(super) const fn passed(&self) -> Self {
        Self { to_move: 1 - self.to_move, ..*self }
    }

    /// Calls for each piece of a seat with the points that it can go to. Points that hops join are
    /// found once for all pieces: a hop leads back as well as forth.
    pub(super) fn destinations(&self, seat: u8, mut each: impl FnMut(u8, u128)) {
        let occupied = self.occupied();
        let mut nets = [0_u128; POINTS];
        let mut found = 0;
        for from in points(self.pieces[usize::from(seat)]) {
            let mut reached = STAR.near[usize::from(from)] & !occupied;
            let mut hopped = 0;
            for hop in &STAR.hops[usize::from(from)] {
                if occupied & hop.over == 0 || (occupied | hopped) & hop.to != 0 {
                    continue;
                }
                let known = nets[..found].iter().find(|&net| net & hop.to != 0).copied();
                let net = known.unwrap_or_else(|| {
                    nets[found] = net(hop.to, occupied);
                    found += 1;
                    nets[found - 1]
                });
                hopped |= net;
            }
            reached |= hopped;
            if reached != 0 {
                each(from, reached);
            }
        }
    }

    fn can_move(&self, seat: u8) -> bool {
        let occupied = self.occupied();
        points(self.pieces[usize::from(seat)]).any(|from| {
            STAR.near[usize::from(from)] & !occupied != 0
                || STAR.hops[usize::from(from)].iter().any(|hop| occupied & hop.to == 0)
        })
    }

    /// Whether a seat would have connected the edges after a move.
    pub(super) fn connects_with(&self, seat: u8, mv: Step) -> bool {
        let pieces = self.pieces[usize::from(seat)];
        connects(pieces & !(1 << mv.from) | 1 << mv.to)
    }
}

/// The empty points that hops join to a point, which is one of them.
fn net(start: u128, occupied: u128) -> u128 {
    let (mut reached, mut fresh) = (start, start);
    while fresh != 0 {
        let point = fresh.trailing_zeros() as usize;
        fresh &= fresh - 1;
        for hop in &STAR.hops[point] {
            if occupied & hop.over != 0 && (occupied | reached) & hop.to == 0 {
                reached |= hop.to;
                fresh |= hop.to;
            }
        }
    }
    reached
}

/// Whether one chain of these pieces touches both edges.
fn connects(pieces: u128) -> bool {
    let [one, other] = STAR.edges;
    let mut chained = pieces & one;
    let mut fresh = chained;
    if pieces & other == 0 {
        return false;
    }
    while fresh != 0 {
        let point = fresh.trailing_zeros() as usize;
        fresh &= fresh - 1;
        let joined = STAR.near[point] & pieces & !chained;
        chained |= joined;
        fresh |= joined;
    }
    chained & other != 0
}

impl Native for Hexma {
    type Move = Step;

    fn from_rules(position: &Position) -> Option<Self> {
        if position.kind() != Kind::Hexma || position.players() != 2 {
            return None;
        }
        let mut board = Self { pieces: [0; 2], to_move: 0, end: None, pieces_hash: 0 };
        let first = position.letter(adamant_rules::Seat::FIRST);
        for (cell, letters) in position.stacks() {
            let (point, seat) = (u8::try_from(cell.0).ok()?, u8::from(!letters.starts_with(first)));
            board.pieces[usize::from(seat)] |= 1 << point;
            board.pieces_hash ^= piece_key(point, seat);
        }
        board.to_move = u8::from(position.to_move() != adamant_rules::Seat::FIRST);
        board.end = position.clone().settle().map(|(winners, _)| match winners.single() {
            Some(winner) => End::Won(winner.index()),
            None => End::Drawn,
        });
        (board.hash() == position.hash()).then_some(board)
    }

    fn to_move(&self) -> usize {
        usize::from(self.to_move)
    }

    fn moves(&self, moves: &mut Vec<Step>) {
        self.destinations(self.to_move, |from, to| {
            moves.extend(points(to).map(|to| Step { from, to }));
        });
    }

    fn play(&mut self, Step { from, to }: Step) {
        let seat = self.to_move;
        let pieces = &mut self.pieces[usize::from(seat)];
        *pieces = *pieces & !(1 << from) | 1 << to;
        self.pieces_hash ^= piece_key(from, seat) ^ piece_key(to, seat);
        self.to_move = 1 - seat;
        if connects(self.pieces[usize::from(seat)]) {
            self.end = Some(End::Won(usize::from(seat)));
        } else if !self.can_move(1 - seat) {
            if self.can_move(seat) {
                self.to_move = seat;
            } else {
                self.end = Some(End::Drawn);
            }
        }
    }

    fn end(&self) -> Option<End> {
        self.end
    }

    fn hash(&self) -> u64 {
        mix(self.pieces_hash ^ mix(2 << 16 | u64::from(self.to_move) << 8 | 0b11))
    }

    fn text(&self, Step { from, to }: Step) -> String {
        format!("{}-{}", STAR.names[usize::from(from)], STAR.names[usize::from(to)])
    }
}
