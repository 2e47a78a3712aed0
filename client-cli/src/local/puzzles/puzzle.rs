//! Puzzles: positions of two players in which exactly one move reaches the goal, by exhaustive
//! search. Which of them are worth solving is the caller's choice.

use std::collections::BTreeMap;

use adamant_protocol::{
    ids::RulesName,
    values::{Named, OptionValue, Options},
};
use adamant_record::wire;
use adamant_rules::{Consequence, Kind, Move, Position, Seat, game::MoveCount};
use serde::{Deserialize, Serialize};

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

/// Number of hexadecimal digits of a puzzle's id.
const ID_DIGITS: usize = 8;

/// A game before its first move.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Start {
    pub(super) kind: Kind,
    /// Its options, complete.
    pub(super) options: adamant_rules::Options,
}

/// A puzzle of a file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PuzzleEntry {
    /// The game and digits of the position's hash.
    pub(super) id: String,
    rules: RulesName,
    options: Named<OptionValue>,
    players: usize,
    /// The moves to the position.
    moves: Vec<String>,
    /// What the seat to move has to reach.
    pub(super) goal: GoalName,
    /// In how many plies the game is won, or lost after a wrong move.
    pub(super) plies: u32,
    pub(super) choices: usize,
    /// The solution, and for a win the longest defence and the end.
    pub(super) solution: Vec<String>,
    /// Replies to wrong moves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    refutations: Vec<RefutationEntry>,
    /// Where the position comes from.
    source: String,
}

/// What the seat to move has to reach.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum GoalName {
    /// To win.
    Win,
    /// Not to lose.
    Save,
}

/// A reply to wrong moves. The first of a puzzle lists no moves: it is the reply to all others.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RefutationEntry {
    reply: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    moves: Vec<String>,
}

/// Why an entry leads to no position.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct BadEntry(String);

fn written(moves: &[Move]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

impl PuzzleEntry {
    pub(super) fn new(
        start: &Start,
        moves: Vec<String>,
        position: &Position,
        puzzle: &Puzzle,
        source: String,
    ) -> Self {
        let digest = format!("{:016x}", position.hash());
        let entry = |(index, refutation): (usize, &Refutation)| RefutationEntry {
            reply: refutation.reply.to_string(),
            moves: if index == 0 { Vec::new() } else { written(&refutation.moves) },
        };
        Self {
            id: format!("{}-{}", start.kind.name(), &digest[..ID_DIGITS]),
            rules: wire::rules(start.kind),
            options: wire::options(&start.options),
            players: 2,
            moves,
            goal: match puzzle.goal {
                Goal::Win => GoalName::Win,
                Goal::Save => GoalName::Save,
            },
            plies: puzzle.plies,
            choices: puzzle.choices,
            solution: written(&puzzle.line),
            refutations: puzzle.refutations.iter().enumerate().map(entry).collect(),
            source,
        }
    }

    /// Returns what the entry would be if the search found this.
    pub(super) fn as_found(&self, start: &Start, position: &Position, puzzle: &Puzzle) -> Self {
        Self::new(start, self.moves.clone(), position, puzzle, self.source.clone())
    }

    /// Plays the moves to the position.
    pub(super) fn position(&self) -> Result<(Start, Position), BadEntry> {
        let bad = |why: &dyn std::fmt::Display| BadEntry(why.to_string());
        let kind = wire::kind(&self.rules).map_err(|error| bad(&error))?;
        let given = wire::given_options(kind, &Options::Named(self.options.clone()));
        let options = given.and_then(|options| kind.complete(&options, self.players));
        let start = Start { kind, options: options.map_err(|error| bad(&error))? };
        let mut position = kind.start(&start.options, self.players);
        let mut hashes = vec![position.hash()];
        for notation in &self.moves {
            let mv = position.parse_move(notation).map_err(|why| bad(&why))?;
            position.validate(&mv).map_err(|why| BadEntry(format!("{notation}: {why}")))?;
            if !play(&mut position, &mv) {
                return Err(BadEntry(format!("{notation} ends the game")));
            }
            if is_third(&mut hashes, &position) {
                return Err(BadEntry(format!("{notation} repeats a position for the third time")));
            }
        }
        Ok((start, position))
    }

    /// The puzzle in a line.
    pub(super) fn summary(&self) -> String {
        let goal = match self.goal {
            GoalName::Win => "win within",
            GoalName::Save => "else lost within",
        };
        let Self { id, plies, choices, solution, .. } = self;
        format!("{id}: {goal} {plies}, one of {choices} moves: {}", solution.join(" "))
    }
}

/// Adds a position to those before it. Returns whether it comes for the third time, which ends a
/// game.
pub(super) fn is_third(hashes: &mut Vec<u64>, position: &Position) -> bool {
    hashes.push(position.hash());
    hashes.iter().filter(|&&hash| hash == position.hash()).count() >= 3
}

/// Makes a move with its consequences. Returns whether the game goes on.
pub(super) fn play(position: &mut Position, mv: &Move) -> bool {
    position.apply(mv);
    while let Some(consequence) = position.pending() {
        match consequence {
            Consequence::End { .. } => return false,
            Consequence::Remove(seat, _) => position.remove(seat),
            Consequence::Skip(_) => position.skip(),
        }
    }
    true
}
