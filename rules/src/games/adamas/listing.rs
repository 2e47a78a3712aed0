//! Every legal move, in an order that can be entered at any move without walking what stands before
//! it.

use arrayvec::ArrayVec;

use super::{
    game::Adamas,
    hexagon::Spot,
    moves::Destinations,
    notation::{Move, PARTS_MAX, Part, Parts, Path},
    progressive::Progressive,
};

impl Adamas {
    /// The legal moves after a legal one, or all; with `from`, only those that take pieces from it.
    /// The splits of each stack come first, then the merges on each cell.
    pub(super) fn moves_behind(
        &self,
        from: Option<Spot>,
        after: Option<&Move>,
    ) -> impl Iterator<Item = Move> {
        let hexagon = self.board.hexagon();
        let (split, merge) = match after.map(Move::path) {
            None => (None, None),
            Some(Path::Split { from, to }) => (Some((*from, to)), None),
            Some(Path::Merge { from, to }) => (None, Some((*to, from))),
        };
        let begun =
            move |at: Spot, place: Option<(Spot, &Parts)>| place.is_none_or(|(spot, _)| at >= spot);
        let stacks = self.board.stacks_of(self.to_move).filter(move |&(at, _)| {
            merge.is_none() && from.is_none_or(|from| at == from) && begun(at, split)
        });
        let splits = stacks.flat_map(move |(at, height)| {
            let after = split.filter(|&(spot, _)| spot == at).map(|(_, parts)| parts);
            self.splits_from(at, height, after)
        });
        let cells = hexagon.spots().filter(move |&to| begun(to, merge));
        let merges = cells.flat_map(move |to| {
            let after = merge.filter(|&(spot, _)| spot == to).map(|(_, parts)| parts);
            self.merges_on(to, from, after)
        });
        splits.chain(merges).map(move |path| Move::new(hexagon, path))
    }

    /// The splits of one stack behind one of them, or all.
    fn splits_from(
        &self,
        from: Spot,
        height: u8,
        after: Option<&Parts>,
    ) -> impl Iterator<Item = Path> {
        let progressive = self.prog_cap.then(|| Progressive::new(self, from, height, after));
        let plain = (!self.prog_cap).then(|| {
            let destinations = self.destinations(from);
            let shares = Shares {
                limits: destinations.iter().map(|_| height).collect(),
                least: destinations.iter().map(|_| 0).collect(),
                given: given(&destinations, after),
                left: height,
            };
            shares.begun().map(move |shares| parts(&destinations, &shares))
        });
        let splits = plain.into_iter().flatten().chain(progressive.into_iter().flatten());
        splits.map(move |to| Path::Split { from, to })
    }

    /// The merges on one cell behind one of them, or all; only those with pieces from `with`, if it
    /// is given.
    fn merges_on(
        &self,
        to: Spot,
        with: Option<Spot>,
        after: Option<&Parts>,
    ) -> impl Iterator<Item = Path> {
        let mut seen = if self.may_land(to) { self.own_seen(to) } else { Parts::new() };
        if with.is_some_and(|with| seen.iter().all(|part| part.spot != with)) {
            seen.clear();
        }
        let spots: Destinations = seen.iter().map(|part| part.spot).collect();
        let limits: ArrayVec<u8, PARTS_MAX> = seen.iter().map(|part| part.pieces).collect();
        let least: ArrayVec<u8, PARTS_MAX> =
            spots.iter().map(|&spot| u8::from(Some(spot) == with)).collect();
        let mut first = given(&spots, after);
        for (given, least) in first.iter_mut().zip(&least) {
            *given = (*given).max(*least);
        }
        // Together they are pieces of one colour.
        let left = limits.iter().sum();
        Shares { limits, least, given: first, left }
            .begun()
            .map(move |shares| parts(&spots, &shares))
            .filter(|from| from.len() >= 2)
            .map(move |from| Path::Merge { from, to })
    }
}

/// The pieces that a move gives to each of these cells.
fn given(spots: &[Spot], mv: Option<&Parts>) -> ArrayVec<u8, PARTS_MAX> {
    let pieces = |spot: &Spot| {
        let mut parts = mv.into_iter().flatten();
        parts.find(|part| part.spot == *spot).map_or(0, |part| part.pieces)
    };
    spots.iter().map(pieces).collect()
}

/// The parts with a share of at least one piece.
pub(super) fn parts(spots: &[Spot], shares: &[u8]) -> Parts {
    spots
        .iter()
        .zip(shares)
        .filter(|&(_, &pieces)| pieces > 0)
        .map(|(&spot, &pieces)| Part { spot, pieces })
        .collect()
}

/// Every way to give out pieces behind the one in `given`, with a least and a limit for each share.
struct Shares {
    limits: ArrayVec<u8, PARTS_MAX>,
    least: ArrayVec<u8, PARTS_MAX>,
    given: ArrayVec<u8, PARTS_MAX>,
    /// What is yet to be given.
    left: u8,
}

impl Shares {
    /// Takes what is given already off what there is to give.
    fn begun(mut self) -> Self {
        self.left = self.given.iter().fold(self.left, |left, &share| left.saturating_sub(share));
        self
    }
}

impl Iterator for Shares {
    type Item = ArrayVec<u8, PARTS_MAX>;

    fn next(&mut self) -> Option<Self::Item> {
        // Like an odometer: the first wheel that can turn goes on by one, those before it go back
        // to their least and return their pieces.
        for ((share, &limit), &least) in self.given.iter_mut().zip(&self.limits).zip(&self.least) {
            if *share < limit && self.left > 0 {
                *share += 1;
                self.left -= 1;
                return Some(self.given.clone());
            }
            self.left += *share - least;
            *share = least;
        }
        None
    }
}
