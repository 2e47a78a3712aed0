//! Proof by exhaustive search: whether a seat wins within some plies whatever the other plays.
//! Every legal move is tried, so the answer is exact. Repetition and clocks belong to the table and
//! play no part.

use adamant_rules::{Consequence, Move, Position, Seat, SeatSet};

/// Maximum number of legal moves of a position that a search tries: their list is held in memory.
const MOVES_MAX: usize = 20_000;

/// Number of refuting moves that a search remembers and tries first.
const KILLERS_MAX: usize = 8;

/// Why a position cannot be searched exhaustively.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum SearchError {
    /// A position on the way has too many moves.
    #[error("a position on the way has more than {MOVES_MAX} moves")]
    Moves,
    /// The options let moves be legal that no list contains.
    #[error("the options of this game do not let all moves be listed")]
    NotCounted,
    /// The search has made as many moves as it may.
    #[error("the search would make more moves than it may")]
    Budget,
}

/// A position after a move and its consequences.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Outcome {
    pub(super) position: Position,
    /// Who has won, if the game is over.
    winners: Option<SeatSet>,
}

impl Outcome {
    /// The position, if the game goes on.
    pub(super) fn open(&self) -> Option<&Position> {
        self.winners.is_none().then_some(&self.position)
    }
}

/// An exhaustive search with a limit.
pub(super) struct Proof {
    /// Moves that may still be made.
    left: u64,
    /// Replies that have refuted something before, the latest first.
    killers: Vec<Move>,
}

impl Proof {
    pub(super) const fn new(moves_max: u64) -> Self {
        Self { left: moves_max, killers: Vec::new() }
    }

    /// Makes a legal move on a copy, with all that the rules demand before the next move.
    pub(super) fn after(&mut self, position: &Position, mv: &Move) -> Result<Outcome, SearchError> {
        self.left = self.left.checked_sub(1).ok_or(SearchError::Budget)?;
        let mut after = position.clone();
        after.apply(mv);
        while let Some(consequence) = after.pending() {
            match consequence {
                Consequence::End { winners, .. } => {
                    return Ok(Outcome { position: after, winners: Some(winners) });
                }
                Consequence::Remove(seat, _) => after.remove(seat),
                Consequence::Skip(_) => after.skip(),
            }
        }
        Ok(Outcome { position: after, winners: None })
    }

    /// Whether the seat wins after at most `plies` further moves of all seats together, whatever
    /// the other seats play. A skipped turn is no move.
    pub(super) fn wins(
        &mut self,
        outcome: &Outcome,
        seat: Seat,
        plies: u32,
    ) -> Result<bool, SearchError> {
        if let Some(winners) = outcome.winners {
            return Ok(winners.single() == Some(seat));
        }
        let position = &outcome.position;
        if plies == 0 {
            return Ok(false);
        }
        let mine = position.to_move() == seat;
        let killers = if mine { Vec::new() } else { self.killers.clone() };
        for mv in killers.iter().filter(|mv| position.validate(mv).is_ok()) {
            let after = self.after(position, mv)?;
            if !self.wins(&after, seat, plies - 1)? {
                return Ok(false);
            }
        }
        for mv in moves_of(position)? {
            let after = self.after(position, &mv)?;
            if self.wins(&after, seat, plies - 1)? == mine {
                if !mine {
                    self.remember(mv);
                }
                return Ok(mine);
            }
        }
        Ok(!mine)
    }

    fn remember(&mut self, mv: Move) {
        self.killers.insert(0, mv);
        self.killers.truncate(KILLERS_MAX);
    }

    /// Returns the replies of the seat to move after which `hero` no longer wins within `plies`.
    pub(super) fn replies_that_stop(
        &mut self,
        position: &Position,
        hero: Seat,
        plies: u32,
    ) -> Result<Vec<Move>, SearchError> {
        let mut replies = Vec::new();
        for mv in moves_of(position)? {
            let after = self.after(position, &mv)?;
            if !self.wins(&after, hero, plies)? {
                replies.push(mv);
            }
        }
        Ok(replies)
    }

    /// Returns the moves of the seat to move that win within `plies`.
    pub(super) fn winning_moves(
        &mut self,
        position: &Position,
        plies: u32,
    ) -> Result<Vec<Move>, SearchError> {
        let seat = position.to_move();
        let mut winning = Vec::new();
        for mv in moves_of(position)? {
            let after = self.after(position, &mv)?;
            if self.wins(&after, seat, plies - 1)? {
                winning.push(mv);
            }
        }
        Ok(winning)
    }
}

pub(super) fn moves_of(position: &Position) -> Result<Vec<Move>, SearchError> {
    // Asking for one more than allowed shows that there are more.
    let moves = position.legal_moves(MOVES_MAX + 1);
    if moves.len() > MOVES_MAX { Err(SearchError::Moves) } else { Ok(moves) }
}
