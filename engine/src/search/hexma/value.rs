//! What a position is worth: the chain that needs the least, and the steps of pieces to its gaps.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "layers are fewer than forty"
)]

use super::{
    board::Hexma,
    star::{POINTS, STAR, points},
};

/// What an empty point of a chain counts beside a step.
const GAP: i32 = 250;

/// How many empty points one counts for that the other seat's piece stands on.
const BARRED: usize = 2;

/// More than any chain needs: the star is 17 points high.
const LAYERS: usize = 40;

/// The cheapest ways from an edge.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    /// By what is missing: the points that are reached with it, their own part included.
    layers: [u128; LAYERS],
    /// What is missing to the other edge.
    pub(super) missing: usize,
}

/// The sets of points that matter to one seat.
#[derive(Clone, Copy)]
pub(super) struct Points {
    own: u128,
    free: u128,
}

impl Points {
    pub(super) fn of(board: &Hexma, seat: u8) -> Self {
        Self { own: board.pieces(seat), free: !board.occupied() }
    }

    /// What a point adds to what is missing.
    const fn cost(self, point: u8) -> usize {
        if self.own >> point & 1 != 0 {
            0
        } else if self.free >> point & 1 != 0 {
            1
        } else {
            BARRED
        }
    }

    /// Finds the cheapest ways from one edge to the other, and `beyond` what these need.
    pub(super) fn ways(self, one: u128, other: u128, beyond: usize) -> Ways {
        let Self { own, free } = self;
        let mut layers = [0; LAYERS];
        let mut seen = one;
        layers[0] = one & own;
        layers[1] = one & free;
        layers[BARRED] |= one & !own & !free;
        let mut missing = LAYERS;
        for layer in 0..LAYERS - BARRED {
            let mut fresh = layers[layer];
            while fresh != 0 {
                let point = fresh.trailing_zeros() as usize;
                fresh &= fresh - 1;
                let next = STAR.near[point] & !seen;
                if next == 0 {
                    continue;
                }
                seen |= next;
                fresh |= next & own;
                layers[layer] |= next & own;
                layers[layer + 1] |= next & free;
                layers[layer + BARRED] |= next & !own & !free;
            }
            if missing == LAYERS && layers[layer] & other != 0 {
                missing = layer;
            }
            if layer >= missing.saturating_add(beyond) {
                break;
            }
        }
        Ways { layers, missing }
    }

    /// A chain that needs the least.
    fn chain(self, ways: &Ways, other: u128) -> u128 {
        let mut layer = ways.missing;
        let mut chain = ways.layers[layer] & other;
        chain &= chain.wrapping_neg();
        let mut last = chain;
        loop {
            let Some(point) = points(last).next() else { return chain };
            let cost = self.cost(point);
            let near = STAR.near[usize::from(point)] & !chain;
            if cost > layer {
                return chain;
            }
            layer -= cost;
            let before = near & ways.layers[layer];
            // The first point of the chain lies on the edge.
            if layer == 0 && before & self.own == 0 {
                return chain;
            }
            last = before & before.wrapping_neg();
            if last == 0 {
                return chain;
            }
            chain |= last;
        }
    }

    /// What is missing, and the steps of the other pieces to the gaps of the chain.
    fn progress(self) -> (usize, i32) {
        let [one, other] = STAR.edges;
        let ways = self.ways(one, other, 0);
        if ways.missing == LAYERS {
            return (LAYERS, -GAP * LAYERS as i32);
        }
        let chain = self.chain(&ways, other);
        let gaps = chain & self.free;
        let mut steps = 0;
        for piece in points(self.own & !chain) {
            let row = &STAR.steps[usize::from(piece)];
            let nearest = points(gaps).map(|gap| row[usize::from(gap)]).min();
            steps += i32::from(nearest.unwrap_or(0));
        }
        (ways.missing, -GAP * ways.missing as i32 - steps)
    }
}

/// What a position comes to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    /// The lead of the seat to move.
    pub(super) lead: i32,
    /// What the seat to move is missing.
    pub(super) missing: usize,
}

/// Works out what a position is worth to the seat to move.
pub(super) fn value(board: &Hexma) -> Value {
    let seat = board.seat();
    let (missing, mine) = Points::of(board, seat).progress();
    let (_, theirs) = Points::of(board, 1 - seat).progress();
    Value { lead: mine - theirs, missing }
}

/// What is missing in the cheapest chain through each point, for one seat.
#[derive(Clone, Debug)]
pub(super) struct Through {
    pub(super) missing: i32,
    by_point: [i32; POINTS],
    costs: [i32; POINTS],
}

impl Through {
    pub(super) fn of(board: &Hexma, seat: u8) -> Self {
        let points_of_seat = Points::of(board, seat);
        let [one, other] = STAR.edges;
        let there = points_of_seat.ways(one, other, 3);
        let back = points_of_seat.ways(other, one, 3);
        let far = |ways: &Ways| {
            let mut by_point = [ways.missing as i32 + 4; POINTS];
            for (layer, &reached) in ways.layers.iter().enumerate().take(ways.missing + 4) {
                for point in points(reached) {
                    by_point[usize::from(point)] = layer as i32;
                }
            }
            by_point
        };
        let (there_by_point, back_by_point) = (far(&there), far(&back));
        let costs: [i32; POINTS] = std::array::from_fn(|point| {
            points_of_seat.cost(u8::try_from(point).unwrap_or(0)) as i32
        });
        let by_point = std::array::from_fn(|point| {
            there_by_point[point] + back_by_point[point] - costs[point]
        });
        Self { missing: there.missing as i32, by_point, costs }
    }

    /// What is missing in the cheapest chain through a point once a piece of the seat stands on it.
    pub(super) const fn with_piece(&self, point: u8) -> i32 {
        self.by_point[point as usize] - self.costs[point as usize]
    }

    /// By how much the cheapest chain through a point needs more than the cheapest of all.
    pub(super) const fn detour(&self, point: u8) -> i32 {
        self.by_point[point as usize] - self.missing
    }
}
