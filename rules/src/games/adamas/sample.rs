//! Some moves out of many, for players that cannot look at all of them. Which moves there are is
//! known in `moves`; which of them are good is not known here.

use super::{
    game::Adamas,
    hexagon::Spot,
    moves::Destinations,
    notation::{Move, Part, Parts, Path},
};
use crate::{
    game::Game as _,
    games::sampling::{Pick, draw},
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
