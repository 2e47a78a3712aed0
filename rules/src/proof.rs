//! Proofs of wins by trying every move. No engine has a part in them: what they say is exact, up to
//! two positions with the same hash. Repetition and clocks belong to the table and play no part.

use std::{cmp::Reverse, collections::HashMap, error::Error, fmt};

use crate::{Move, Position, Seat};

/// The most moves of a position that a proof goes through.
const LISTED_MAX: usize = 50_000;

/// Moves that decided a position and are tried first in the next ones.
const HINTS_MAX: usize = 6;

/// A proof would take more moves than it may.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the proof would take more moves than it may")
    }
}

impl Error for TooLong {}

/// What a proof says, if it comes to an end.
pub type Proof<T> = Result<T, TooLong>;

/// How a game stands after a move.
struct After {
    next: Position,
    is_over: bool,
    winner: Option<Seat>,
}

/// Proofs about positions of one game, with what they have found out.
#[derive(Debug, Default)]
pub struct Prover {
    /// The moves that may still be made.
    left: u64,
    wins: HashMap<(u64, u32), Option<Move>>,
    losses: HashMap<(u64, u32), bool>,
    winners: HashMap<u32, Vec<Move>>,
    savers: HashMap<u32, Vec<Move>>,
}

impl Prover {
    /// A prover that makes this many moves at the most.
    pub fn new(left: u64) -> Self {
        Self { left, ..Self::default() }
    }

    /// Allows this many moves from now on.
    pub const fn allow(&mut self, moves: u64) {
        self.left = moves;
    }

    /// Returns a move with which the seat to move wins within this number of its moves, whatever
    /// the other does.
    pub fn winning_move(&mut self, position: &Position, moves: u32) -> Proof<Option<Move>> {
        let seat = position.to_move();
        if moves == 0 || moves == 1 && position.moves_needed(seat) > 1 {
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

    /// Returns all moves that win within this number of moves of the seat to move.
    pub fn winning_moves(&mut self, position: &Position, moves: u32) -> Proof<Vec<Move>> {
        let mut winning = Vec::new();
        for mv in listed(position)? {
            if self.wins_by(position, &mv, moves)? {
                winning.push(mv);
            }
        }
        Ok(winning)
    }

    /// Whether a move wins within this number of moves of its seat, with itself.
    pub fn wins_by(&mut self, position: &Position, mv: &Move, moves: u32) -> Proof<bool> {
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
    pub fn saves(&mut self, position: &Position, mv: &Move, moves: u32) -> Proof<bool> {
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

    /// Returns how many moves the seat to move needs to win, up to a number.
    pub fn distance(&mut self, position: &Position, most: u32) -> Proof<Option<u32>> {
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
pub fn listed(position: &Position) -> Proof<Vec<Move>> {
    let list = position.legal_moves(LISTED_MAX + 1);
    if list.len() > LISTED_MAX { Err(TooLong) } else { Ok(list) }
}

/// How much nearer than the other a move brings its seat to its aim.
pub fn gain(position: &Position, mv: &Move) -> i32 {
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
