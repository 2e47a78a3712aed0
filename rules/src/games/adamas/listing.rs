//! Every legal move, in an order that can be entered at any move without walking what stands before
//! it, and any or representative ones of too many.

use arrayvec::ArrayVec;

use super::{
    Adamas,
    board::Spot,
    moves::{Destinations, Progressive, ways},
    notation::{Move, PARTS_MAX, Part, Parts, Path},
};
use crate::{
    game::Game as _,
    hashing::{Pick, draw, fair_shares, portion, spread},
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

/// Draws for each move that is wanted, at the most: some draw what has been found already.
const DRAWS_PER_MOVE: usize = 2;

/// Tries to share pieces out in different ways, for each way to capture.
const SHARES_PER_CAPTURE: usize = 8;

impl Adamas {
    /// Some legal moves: all, where they are few, else captures and then anything.
    pub(super) fn sample(&self, max: usize, pick: Pick<'_>) -> Vec<Move> {
        let few = self.legal_moves(max.saturating_add(1));
        if few.len() <= max {
            return few;
        }
        let mut sources: Vec<_> =
            self.board.stacks_of(self.to_move).filter(|&(from, _)| self.can_act(from)).collect();
        draw(&mut sources, usize::MAX, pick);
        let mut found = Vec::with_capacity(max);
        for &(from, height) in &sources {
            self.sample_captures(from, height, max / 2, pick, &mut found);
        }
        for _ in 0..max * DRAWS_PER_MOVE {
            if found.len() == max {
                break;
            }
            let (from, height) = sources[pick(sources.len())];
            self.add(self.any_path(from, height, pick), &mut found);
        }
        found
    }

    /// Adds captures by one stack alone and by others with it, until there are `max` moves.
    fn sample_captures(
        &self,
        from: Spot,
        height: u8,
        max: usize,
        pick: Pick<'_>,
        found: &mut Vec<Move>,
    ) {
        let (mut enemies, mut quiet): (Destinations, Destinations) =
            self.destinations(from).into_iter().partition(|&to| self.is_enemy(to));
        for first in 0..enemies.len() {
            enemies.swap(0, first);
            for _ in 0..SHARES_PER_CAPTURE {
                if found.len() >= max {
                    return;
                }
                let seen = self.own_seen(enemies[0]);
                if seen.len() >= 2 {
                    self.add(merge(seen, enemies[0], pick), found);
                }
                let mut to = enemies.clone();
                draw(&mut to[1..], usize::MAX, pick);
                to.truncate(1 + pick(enemies.len()));
                let others = pick(1 + quiet.len());
                draw(&mut quiet, others, pick);
                to.extend(quiet[..others].iter().copied());
                to.truncate(height.into());
                self.add(self.split(from, height, &to, pick), found);
            }
        }
    }

    /// A move of a stack that can act, of any kind; few parts are as likely as many.
    fn any_path(&self, from: Spot, height: u8, pick: Pick<'_>) -> Path {
        let mut to = self.destinations(from);
        if pick(3) == 0 {
            let to = to[pick(to.len())];
            let seen = self.own_seen(to);
            if seen.len() >= 2 {
                return merge(seen, to, pick);
            }
        }
        let most = to.len().min(height.into());
        let parts = if pick(2) == 0 { 1 } else { 1 + pick(most) };
        draw(&mut to, parts, pick);
        self.split(from, height, &to[..parts], pick)
    }

    /// Pieces of a stack on all of these cells. Where captures are progressive, an enemy stack that
    /// is threatened before the move sees too little once pieces are in the air, so that only the
    /// first part can capture.
    fn split(&self, from: Spot, height: u8, to: &[Spot], pick: Pick<'_>) -> Path {
        let mut to: Parts = to
            .iter()
            .enumerate()
            .filter(|&(index, &spot)| index == 0 || !self.prog_cap || !self.is_enemy(spot))
            .map(|(_, &spot)| Part { spot, pieces: 1 })
            .collect();
        let spare = height - u8::try_from(to.len()).expect("no more parts than pieces");
        let mut left = some_or_all(spare, pick);
        for part in &mut to {
            let more = some_or_all(left, pick);
            part.pieces += more;
            left -= more;
        }
        if !self.prog_cap {
            to.sort_unstable_by_key(|part| part.spot);
        }
        Path::Split { from, to }
    }

    fn add(&self, path: Path, found: &mut Vec<Move>) {
        let mv = Move::new(self.board.hexagon(), path);
        if !found.contains(&mv) {
            found.push(mv);
        }
    }
}

/// Pieces of at least two of these stacks together.
fn merge(mut seen: Parts, to: Spot, pick: Pick<'_>) -> Path {
    let parts = 2 + pick(seen.len() - 1);
    draw(&mut seen, parts, pick);
    seen.truncate(parts);
    for part in &mut seen {
        part.pieces = 1 + some_or_all(part.pieces - 1, pick);
    }
    seen.sort_unstable_by_key(|part| part.spot);
    Path::Merge { from: seen, to }
}

/// None, all, or any number between.
fn some_or_all(all: u8, pick: Pick<'_>) -> u8 {
    match pick(3) {
        0 => 0,
        1 => all,
        _ => u8::try_from(pick(usize::from(all) + 1)).expect("a pick is below what was asked with"),
    }
}

/// Moves that have their first part in common and are numbered together.
struct Group {
    form: Form,
    captures: bool,
    /// How many have no other part.
    singles: u8,
    /// How many have other parts.
    several: u128,
}

enum Form {
    /// Pieces of one stack go to a cell, and further ones may go to others.
    Split { from: Spot, height: u8, first: Spot, others: Destinations },
    /// Pieces of the first of these stacks meet those of others on a cell.
    Merge { seen: Parts, to: Spot },
}

impl Adamas {
    /// Returns at most `max` of more legal moves, the same ones for the same position: first the
    /// captures of one part, then other moves of one part and other captures, half of the room for
    /// each where both are too many, then what is left. Where some of a kind are left out, each
    /// stack and each cell that it goes to first has an equal share. Where captures are
    /// progressive, only first parts capture.
    pub(super) fn pick_representatives(&self, max: usize) -> Vec<Move> {
        let (capturing, quiet): (Vec<_>, Vec<_>) =
            self.groups().into_iter().partition(|group| group.captures);
        let singles = |groups: &[Group], room| {
            fair_shares(room, groups.iter().map(|group| group.singles.into()))
        };
        let several =
            |groups: &[Group], room| fair_shares(room, groups.iter().map(|group| group.several));
        let sum = |shares: &[usize]| shares.iter().sum::<usize>();

        let captures = singles(&capturing, max);
        let room = max - sum(&captures);
        // Each of the two has what the other does not need of its half.
        let beside = sum(&several(&capturing, room - room / 2));
        let plain = singles(&quiet, room - beside);
        let room = room - sum(&plain);
        let more_captures = several(&capturing, room);
        let rest = several(&quiet, room - sum(&more_captures));

        let mut found = Vec::with_capacity(max);
        let kinds = [(&capturing, captures, false), (&quiet, plain, false)];
        let kinds =
            kinds.into_iter().chain([(&capturing, more_captures, true), (&quiet, rest, true)]);
        for (groups, shares, has_others) in kinds {
            for (number, (group, share)) in (0..).zip(groups.iter().zip(shares)) {
                if has_others {
                    let places = spread(group.several, share, self.hash() ^ number);
                    found.extend(places.map(|place| self.of_several(group, place)));
                } else {
                    let steps = (0..share).map(|step| step_of(step, share, group.singles));
                    found.extend(steps.map(|pieces| self.single(group, pieces)));
                }
            }
        }
        found
    }

    /// Every legal move in one of the groups, but for later parts that capture progressively.
    fn groups(&self) -> Vec<Group> {
        let stacks = self.board.stacks_of(self.to_move);
        let splits = stacks.flat_map(|(from, height)| self.splits_by_first(from, height));
        let cells = self.board.hexagon().spots().filter(|&to| self.may_land(to));
        splits.chain(cells.flat_map(|to| self.merges_by_first(to))).collect()
    }

    /// The splits of a stack by the first cell that gets pieces, cells with captures before others.
    fn splits_by_first(&self, from: Spot, height: u8) -> impl Iterator<Item = Group> {
        let (mut cells, quiet): (Destinations, Destinations) =
            self.destinations(from).into_iter().partition(|&to| self.is_enemy(to));
        let enemies = cells.len();
        cells.extend(quiet.iter().copied());
        (0..cells.len()).map(move |place| {
            let captures = place < enemies;
            let others = if captures && self.prog_cap { enemies } else { place + 1 };
            let others: Destinations = cells[others..].iter().copied().collect();
            let several = ways(others.len() + 1, height - 1) - u128::from(height);
            let form = Form::Split { from, height, first: cells[place], others };
            Group { form, captures, singles: height, several }
        })
    }

    /// The merges on a cell by the first stack that takes part.
    fn merges_by_first(&self, to: Spot) -> impl Iterator<Item = Group> {
        let captures = self.is_enemy(to);
        let all = self.own_seen(to);
        (0..all.len()).map(move |place| {
            let seen: Parts = all[place..].iter().copied().collect();
            let others: u128 = seen[1..].iter().map(|part| u128::from(part.pieces) + 1).product();
            let several = u128::from(seen[0].pieces) * (others - 1);
            Group { form: Form::Merge { seen, to }, captures, singles: 0, several }
        })
    }

    /// Returns the move of a group with one part of `pieces` pieces.
    fn single(&self, group: &Group, pieces: u8) -> Move {
        let path = match &group.form {
            Form::Split { from, first, .. } => Path::Split {
                from: *from,
                to: [Part { spot: *first, pieces }].into_iter().collect(),
            },
            Form::Merge { seen, to } => {
                let one = Part { spot: seen[0].spot, pieces };
                Path::Merge { from: [one].into_iter().collect(), to: *to }
            }
        };
        Move::new(self.board.hexagon(), path)
    }

    /// The move of several parts that has this place in its group.
    fn of_several(&self, group: &Group, place: u128) -> Move {
        let path = match &group.form {
            Form::Split { from, height, first, others } => {
                // The first places of all are those with a single part.
                let place = place + u128::from(*height);
                let shares = shares_at(place, others.len() + 1, height - 1);
                let first = Part { spot: *first, pieces: shares[0] + 1 };
                let others = others.iter().zip(&shares[1..]).filter(|&(_, &pieces)| pieces > 0);
                let others = others.map(|(&spot, &pieces)| Part { spot, pieces });
                let mut to: Parts = [first].into_iter().chain(others).collect();
                if !self.prog_cap {
                    to.sort_unstable_by_key(|part| part.spot);
                }
                Path::Split { from: *from, to }
            }
            Form::Merge { seen, to } => {
                let (first, others) = seen.split_first().expect("a merge has a first stack");
                let (pieces, place) = digit(place, first.pieces);
                let mut from: Parts = [Part { pieces: pieces + 1, ..*first }].into_iter().collect();
                // The other stacks' shares count from one: with none at all it would be no merge.
                let mut place = place + 1;
                for part in others {
                    let (pieces, rest) = digit(place, part.pieces + 1);
                    place = rest;
                    if pieces > 0 {
                        from.push(Part { pieces, ..*part });
                    }
                }
                Path::Merge { from, to: *to }
            }
        };
        Move::new(self.board.hexagon(), path)
    }
}

/// A number's last digit in a base, and the number without it.
fn digit(number: u128, base: u8) -> (u8, u128) {
    let digit = number % u128::from(base);
    (u8::try_from(digit).expect("a digit is below its base"), number / u128::from(base))
}

/// Numbers of pieces from one to all, in even steps.
fn step_of(step: usize, steps: usize, all: u8) -> u8 {
    let last = steps.saturating_sub(1).max(1);
    1 + u8::try_from(step * usize::from(all - 1) / last).expect("no more than all")
}

/// The shares that stand at this place among all of [`ways`], where the last share decides first.
fn shares_at(mut place: u128, cells: usize, mut left: u8) -> ArrayVec<u8, PARTS_MAX> {
    let mut shares: ArrayVec<u8, PARTS_MAX> = (0..cells).map(|_| 0).collect();
    let mut below = ways(cells, left);
    for (lower, share) in shares.iter_mut().enumerate().rev() {
        // `below` becomes the ways of the shares before this one.
        below = portion(below, lower as u128 + 1, u128::from(left) + lower as u128 + 1);
        while place >= below {
            place -= below;
            below = portion(below, left.into(), u128::from(left) + lower as u128);
            *share += 1;
            left -= 1;
        }
    }
    shares
}
