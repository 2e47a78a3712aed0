//! Proofs of wins by trying every move in `rules`. The engine has no part in them.

use std::{cmp::Reverse, collections::HashMap};

use adamant_rules::{Move, Position, Seat};

/// The most moves of a position that a proof goes through.
const LISTED_MAX: usize = 50_000;

/// Moves that decided a position and are tried first in the next ones.
const HINTS_MAX: usize = 6;

/// A proof would take more moves than it may.
#[derive(Debug)]
pub(super) struct TooLong;

/// What a proof says, if it comes to an end.
pub(super) type Proof<T> = Result<T, TooLong>;

/// Lines that may be near to a win, in a game that is won by a chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// The progress that a move brings at the most.
    pub(super) by_move: i32,
    /// Progress that is missing besides, at the most.
    pub(super) slack: i32,
}

impl Reach {
    /// Whether a seat can win by this number of its own moves alone.
    fn allows(self, position: &Position, seat: Seat, moves: u32) -> bool {
        let moves = i32::try_from(moves).unwrap_or(i32::MAX);
        let lacks = -position.progress(seat);
        lacks <= self.by_move.saturating_mul(moves).saturating_add(self.slack)
    }
}

/// How a game stands after a move.
struct After {
    next: Position,
    is_over: bool,
    winner: Option<Seat>,
}

/// Proofs about positions of one game, with what they have found out.
pub(super) struct Prover {
    reach: Option<Reach>,
    /// The moves that may still be made.
    left: u64,
    wins: HashMap<(u64, u32), Option<Move>>,
    losses: HashMap<(u64, u32), bool>,
    winners: HashMap<u32, Vec<Move>>,
    savers: HashMap<u32, Vec<Move>>,
}

impl Prover {
    /// A prover that makes this many moves at the most.
    pub(super) fn new(reach: Option<Reach>, left: u64) -> Self {
        Self {
            reach,
            left,
            wins: HashMap::new(),
            losses: HashMap::new(),
            winners: HashMap::new(),
            savers: HashMap::new(),
        }
    }

    /// Allows this many moves from now on.
    pub(super) const fn allow(&mut self, moves: u64) {
        self.left = moves;
    }

    /// Whether a seat seems so near to a win that a proof may be tried. Rules out no win in one.
    pub(super) fn may_win(&self, position: &Position, seat: Seat, moves: u32) -> bool {
        self.reach.is_none_or(|reach| reach.allows(position, seat, moves))
    }

    /// A move with which the seat to move wins within this number of its moves, whatever the other
    /// does.
    pub(super) fn winning_move(&mut self, position: &Position, moves: u32) -> Proof<Option<Move>> {
        let seat = position.to_move();
        if moves == 0 || moves == 1 && !self.may_win(position, seat, 1) {
            return Ok(None);
        }
        let key = (position.hash(), moves);
        if let Some(known) = self.wins.get(&key) {
            return Ok(known.clone());
        }
        let shorter = self.winning_move(position, moves - 1)?;
        let found = if shorter.is_some() { shorter } else { self.find_win(position, moves)? };
        if let Some(mv) = &found {
            remember(&mut self.winners, moves, mv);
        }
        self.wins.insert(key, found.clone());
        Ok(found)
    }

    fn find_win(&mut self, position: &Position, moves: u32) -> Proof<Option<Move>> {
        for mv in self.winners.get(&moves).cloned().unwrap_or_default() {
            if position.validate(&mv).is_ok() && self.wins_by(position, &mv, moves)? {
                return Ok(Some(mv));
            }
        }
        let mut list = listed(position)?;
        if moves > 1 {
            self.spend(list.len() as u64)?;
            // The one that comes nearest to its aim first.
            list.sort_by_cached_key(|mv| Reverse(gain(position, mv)));
        }
        for mv in list {
            if self.wins_by(position, &mv, moves)? {
                return Ok(Some(mv));
            }
        }
        Ok(None)
    }

    /// Whether a move wins within this number of moves of its seat, with itself.
    pub(super) fn wins_by(&mut self, position: &Position, mv: &Move, moves: u32) -> Proof<bool> {
        let seat = position.to_move();
        let After { next, is_over, winner } = self.after(position, mv)?;
        if is_over || moves <= 1 {
            Ok(winner == Some(seat))
        } else if next.to_move() == seat {
            Ok(self.winning_move(&next, moves - 1)?.is_some())
        } else {
            self.loses(&next, moves - 1)
        }
    }

    /// Whether the seat to move loses within this number of moves of the other, whatever it does.
    fn loses(&mut self, position: &Position, moves: u32) -> Proof<bool> {
        let key = (position.hash(), moves);
        if let Some(&known) = self.losses.get(&key) {
            return Ok(known);
        }
        let mut saver = None;
        let known = self.savers.get(&moves).cloned().unwrap_or_default();
        for mv in known.into_iter().filter(|mv| position.validate(mv).is_ok()) {
            if self.saves(position, &mv, moves)? {
                saver = Some(mv);
                break;
            }
        }
        if saver.is_none() {
            for mv in listed(position)? {
                if self.saves(position, &mv, moves)? {
                    saver = Some(mv);
                    break;
                }
            }
        }
        if let Some(mv) = &saver {
            remember(&mut self.savers, moves, mv);
        }
        self.losses.insert(key, saver.is_none());
        Ok(saver.is_none())
    }

    /// Whether the other seat has no win within this number of its moves after a move.
    pub(super) fn saves(&mut self, position: &Position, mv: &Move, moves: u32) -> Proof<bool> {
        let seat = position.to_move();
        let After { next, is_over, winner } = self.after(position, mv)?;
        if is_over {
            Ok(winner.is_none_or(|winner| winner == seat))
        } else if next.to_move() == seat {
            Ok(!self.loses(&next, moves)?)
        } else {
            Ok(self.winning_move(&next, moves)?.is_none())
        }
    }

    /// How many moves the seat to move needs to win, up to a number.
    pub(super) fn distance(&mut self, position: &Position, most: u32) -> Proof<Option<u32>> {
        for moves in 1..=most {
            if self.winning_move(position, moves)?.is_some() {
                return Ok(Some(moves));
            }
        }
        Ok(None)
    }

    fn after(&mut self, position: &Position, mv: &Move) -> Proof<After> {
        self.spend(1)?;
        let mut next = position.clone();
        next.apply(mv);
        let end = next.settle();
        let winner = end.and_then(|(winners, _)| winners.single());
        Ok(After { next, is_over: end.is_some(), winner })
    }

    fn spend(&mut self, moves: u64) -> Proof<()> {
        self.left = self.left.checked_sub(moves).ok_or(TooLong)?;
        Ok(())
    }
}

/// All moves of a position.
pub(super) fn listed(position: &Position) -> Proof<Vec<Move>> {
    let list = position.legal_moves(LISTED_MAX + 1);
    if list.len() > LISTED_MAX { Err(TooLong) } else { Ok(list) }
}

/// How much nearer than the other a move brings its seat to its aim.
pub(super) fn gain(position: &Position, mv: &Move) -> i32 {
    let seat = position.to_move();
    let mut next = position.clone();
    next.apply(mv);
    let others = next.seats_in().iter().filter(|&other| other != seat);
    next.progress(seat) - others.map(|other| next.progress(other)).max().unwrap_or(0)
}

fn remember(hints: &mut HashMap<u32, Vec<Move>>, moves: u32, mv: &Move) {
    let hints = hints.entry(moves).or_default();
    hints.retain(|known| known != mv);
    hints.insert(0, mv.clone());
    hints.truncate(HINTS_MAX);
}

#[cfg(test)]
mod tests {
    use adamant_rules::{Kind, Options};
    use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

    use super::{super::rows, *};

    #[test]
    fn no_win_in_one_is_beyond_reach() {
        let mut wins = 0;
        for row in rows() {
            let mut rng = StdRng::seed_from_u64(7);
            let mut position = row.start();
            let mut prover = Prover::new(row.reach, u64::MAX);
            for _ in 0..60 {
                let list = listed(&position).unwrap_or_default();
                let is_win = |mv: &Move| prover.wins_by(&position, mv, 1).unwrap();
                if list.iter().any(is_win) {
                    wins += 1;
                    assert!(prover.may_win(&position, position.to_move(), 1), "{}", row.game);
                }
                let mut pick = |below: usize| rng.random_range(0..below);
                let some = position.sample_moves(12, &mut pick);
                let Some(mv) = some.into_iter().max_by_key(|mv| gain(&position, mv)) else { break };
                position.apply(&mv);
                if position.settle().is_some() {
                    break;
                }
            }
        }
        assert!(wins > 0);
    }

    #[test]
    fn a_forced_win_holds_against_every_reply() {
        let kind = Kind::ALL.iter().find(|kind| kind.name() == "diam").copied().unwrap();
        let options = Options::parse("-board=8x4", kind.option_specs()).unwrap();
        let mut found = 0;
        for seed in 0..40 {
            let mut rng = StdRng::seed_from_u64(seed);
            let mut position = kind.open(&options, 2).unwrap();
            for _ in 0..12 {
                let mut prover = Prover::new(None, 1_000_000);
                let Ok(one) = prover.winning_move(&position, 1) else { break };
                let Ok(two) = prover.winning_move(&position, 2) else { break };
                if let (None, Some(mv)) = (one, two) {
                    found += 1;
                    let mut next = position.clone();
                    next.apply(&mv);
                    assert!(next.settle().is_none());
                    for reply in next.legal_moves(usize::MAX) {
                        let mut last = next.clone();
                        last.apply(&reply);
                        let ended = last.settle().map(|(winners, _)| winners.single());
                        let wins = |mv: &Move| {
                            let mut end = last.clone();
                            end.apply(mv);
                            let ended = end.settle().map(|(winners, _)| winners.single());
                            ended == Some(Some(position.to_move()))
                        };
                        let moves = last.legal_moves(usize::MAX);
                        assert!(ended == Some(Some(position.to_move())) || moves.iter().any(wins));
                    }
                }
                let mv =
                    position.sample_moves(1, &mut |below| rng.random_range(0..below)).remove(0);
                position.apply(&mv);
                if position.settle().is_some() {
                    break;
                }
            }
        }
        assert!(found > 3, "{found}");
    }
}
