//! Some moves out of many, for players that cannot look at all of them. Which moves there are is
//! known in `moves`; which of them are good is not known here.

use arrayvec::ArrayVec;

use super::{
    game::Adamas,
    hexagon::Spot,
    moves::{Destinations, ways},
    notation::{Move, PARTS_MAX, Part, Parts, Path},
};
use crate::{
    game::Game as _,
    games::sampling::{Pick, draw, fair_shares, portion, spread},
};

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
