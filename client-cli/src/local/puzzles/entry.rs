//! A puzzle as files have it: the game, the moves to the position, and what the search proves.

use adamant_protocol::{
    ids::RulesName,
    values::{Named, OptionValue, Options},
};
use adamant_record::wire;
use adamant_rules::{Consequence, Kind, Move, Position};
use serde::{Deserialize, Serialize};

use super::puzzle::{Goal, Puzzle, Refutation};

/// Number of hexadecimal digits of a puzzle's id.
const ID_DIGITS: usize = 8;

/// A game before its first move.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Start {
    /// Which game.
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
    /// Number of legal moves.
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
    /// Writes down a puzzle.
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
