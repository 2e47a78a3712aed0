//! Puzzles: positions of two players in which exactly one move reaches the goal, by exhaustive
//! search. Which of them are worth solving is the caller's choice.

use std::collections::BTreeMap;

use adamant_rules::{Move, Position, Seat, game::MoveCount};

use super::proof::{Outcome, Proof, SearchError, moves_of};

/// The numbers of plies within which a puzzle's game is decided, the shortest first.
const PLIES: [u32; 2] = [1, 3];

/// What the seat to move has to reach.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Goal {
    /// To win within the puzzle's plies, whatever the other seat plays.
    Win,
    /// Not to lose: after each other move, the other seat can win within the puzzle's plies.
    Save,
}

/// A reply that refutes wrong moves.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Refutation {
    /// The reply of the other seat.
    pub(super) reply: Move,
    /// The wrong moves that it refutes.
    pub(super) moves: Vec<Move>,
}

/// A position's only solution.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Puzzle {
    /// What the solution reaches.
    pub(super) goal: Goal,
    /// For [`Goal::Win`] the plies of the longest defence, the first move included. For
    /// [`Goal::Save`] the plies in which the other seat wins after a wrong move.
    pub(super) plies: u32,
    /// The only solution, and for a win the longest defence and the end.
    pub(super) line: Vec<Move>,
    /// Replies to every wrong move, the reply to most moves first. Empty for a win in one.
    pub(super) refutations: Vec<Refutation>,
    /// Number of legal moves.
    pub(super) choices: usize,
}

/// A move and what it leads to.
type Branch = (Move, Outcome);

/// Returns the puzzle of a position, if it is one. The search makes at most `moves_max` moves.
pub(super) fn find(position: &Position, moves_max: u64) -> Result<Option<Puzzle>, SearchError> {
    if position.players() != 2 || position.pending().is_some() {
        return Ok(None);
    }
    if matches!(position.count_moves(), MoveCount::NotCounted(_)) {
        return Err(SearchError::NotCounted);
    }
    let me = position.to_move();
    let mut proof = Proof::new(moves_max);
    let mut branches = Vec::new();
    for mv in moves_of(position)? {
        let outcome = proof.after(position, &mv)?;
        branches.push((mv, outcome));
    }
    for plies in PLIES {
        let mut winning = Vec::new();
        for branch in &branches {
            if proof.wins(&branch.1, me, plies - 1)? {
                winning.push(branch);
            }
            if winning.len() > 1 {
                return Ok(None);
            }
        }
        if let [solution] = winning[..] {
            return winning_puzzle(&mut proof, me, &branches, solution, plies);
        }
    }
    saving_puzzle(&mut proof, position, &branches)
}

/// Returns the puzzle of the only winning move; `None` if the rules skip the other seat after it.
fn winning_puzzle(
    proof: &mut Proof,
    me: Seat,
    branches: &[Branch],
    (solution, after): &Branch,
    plies: u32,
) -> Result<Option<Puzzle>, SearchError> {
    let mut line = vec![solution.clone()];
    let mut wrong = Vec::new();
    if let Some(after) = after.open() {
        if after.to_move() == me {
            return Ok(None);
        }
        line.extend(best_defence(proof, after)?);
        for (mv, outcome) in branches {
            // A move that ends the game without a win, or after which the other seat is skipped,
            // has no reply.
            if let Some(position) = outcome.open()
                && mv != solution
                && position.to_move() != me
            {
                wrong.push((mv.clone(), proof.replies_that_stop(position, me, plies - 2)?));
            }
        }
    }
    Ok(Some(Puzzle {
        goal: Goal::Win,
        plies,
        line,
        refutations: cover(wrong),
        choices: branches.len(),
    }))
}

/// Returns the reply that leaves the fewest winning moves, and a winning move after it.
fn best_defence(proof: &mut Proof, position: &Position) -> Result<Vec<Move>, SearchError> {
    let mut best: Option<(usize, [Move; 2])> = None;
    for reply in moves_of(position)? {
        if let Some(after) = proof.after(position, &reply)?.open() {
            let winning = proof.winning_moves(after, 1)?;
            if best.as_ref().is_none_or(|(fewest, _)| winning.len() < *fewest)
                && let Some(win) = winning.first()
            {
                best = Some((winning.len(), [reply, win.clone()]));
            }
        }
    }
    Ok(best.map(|(_, line)| line.to_vec()).unwrap_or_default())
}

fn saving_puzzle(
    proof: &mut Proof,
    position: &Position,
    branches: &[Branch],
) -> Result<Option<Puzzle>, SearchError> {
    let other = position.to_move().next(2);
    let mut safe: Vec<&Branch> = branches.iter().collect();
    for plies in PLIES {
        let mut saving = Vec::new();
        for &branch in &safe {
            if !proof.wins(&branch.1, other, plies)? {
                saving.push(branch);
            }
        }
        let [(solution, _)] = saving[..] else {
            safe = saving;
            continue;
        };
        let mut wrong = Vec::new();
        for (mv, outcome) in branches {
            if let Some(after) = outcome.open()
                && mv != solution
            {
                wrong.push((mv.clone(), proof.winning_moves(after, plies)?));
            }
        }
        return Ok(Some(Puzzle {
            goal: Goal::Save,
            plies,
            line: vec![solution.clone()],
            refutations: cover(wrong),
            choices: branches.len(),
        }));
    }
    Ok(None)
}

/// Chooses few replies that refute all wrong moves: again and again the one that refutes most.
fn cover(wrong: Vec<(Move, Vec<Move>)>) -> Vec<Refutation> {
    let mut refutations = Vec::new();
    let mut wrong: Vec<_> = wrong.into_iter().filter(|(_, replies)| !replies.is_empty()).collect();
    while !wrong.is_empty() {
        let mut counts: BTreeMap<String, (usize, &Move)> = BTreeMap::new();
        for reply in wrong.iter().flat_map(|(_, replies)| replies) {
            counts.entry(reply.to_string()).or_insert((0, reply)).0 += 1;
        }
        let most = counts.into_values().max_by_key(|(count, _)| *count);
        let reply = most.expect("each wrong move has a reply").1.clone();
        let (refuted, rest): (Vec<_>, Vec<_>) =
            wrong.into_iter().partition(|(_, replies)| replies.contains(&reply));
        wrong = rest;
        let moves = refuted.into_iter().map(|(mv, _)| mv).collect();
        refutations.push(Refutation { reply, moves });
    }
    refutations
}
