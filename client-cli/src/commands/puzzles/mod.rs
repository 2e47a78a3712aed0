//! `adamant puzzles`: finds puzzles in games, and proves the puzzles of a file. A puzzle is a position
//! of two players in which exactly one move reaches the goal, by exhaustive search: every legal move
//! is tried, so the answer is exact. Repetition and clocks belong to the table and play no part.

use std::{
    collections::{BTreeMap, HashSet},
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use adamant_engine::choice::{Level, choose_after};
use adamant_protocol::{
    ids::RulesName,
    values::{Named, OptionValue, Options},
};
use adamant_record::wire;
use adamant_rules::{
    Consequence, Kind, Move, Position, Seat, SeatSet, game::MoveCount, record::TextRecord,
};
use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use rand::{SeedableRng as _, rngs::StdRng};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::replay::{print_bad_move, read_record, report_source};
use crate::{
    drawing,
    failure::{CommandResult, ExitStatus},
    output::{self, Output, progress_bar},
    spelling::MINE_HELP,
};

#[cfg(test)]
mod tests;

#[derive(Debug, Subcommand)]
pub(crate) enum PuzzlesCommand {
    /// Find positions with exactly one right move in records, or in games of bots
    #[command(after_help = MINE_HELP)]
    Mine(PuzzlesMineArgs),
    /// Prove every puzzle of a file by exhaustive search
    #[command(after_help = "Example: adamant puzzles check web/src/learn/puzzles.json")]
    Check {
        /// The file: a JSON array, or an object per line; - is standard input
        #[arg(default_value = "-")]
        file: PathBuf,
    },
}

/// Runs a command about puzzles.
pub(crate) fn puzzles(command: &PuzzlesCommand, output: Output) -> CommandResult {
    match command {
        PuzzlesCommand::Mine(args) => mine(args, output),
        PuzzlesCommand::Check { file } => check_file(file, output),
    }
}

#[derive(Debug, Args)]
pub(crate) struct PuzzlesMineArgs {
    /// The text records of two players; - is standard input
    #[arg(required = true)]
    pub(crate) records: Vec<PathBuf>,
    /// Let bots play N games on from the end of each record
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) play: u32,
    /// The level of the bots: random, greedy or search
    #[arg(long, default_value = "greedy")]
    pub(crate) level: Level,
    /// The seed of the bots: the same seed plays the same games
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Search only the last N positions of each game
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub(crate) last: usize,
    /// Skip positions with fewer legal moves than N
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub(crate) choices: usize,
    /// Give a position up after N moves of search
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    pub(crate) effort: u64,
}

/// Maximum number of plies that bots play in a game.
const PLIES_MAX: usize = 400;

/// A position in which the game goes on, with the moves to it.
type Reached = (Vec<String>, Position);

struct Mine<'a> {
    args: &'a PuzzlesMineArgs,
    output: Output,
    progress: ProgressBar,
    /// The ids of the puzzles found.
    found: HashSet<String>,
    /// Number of positions that were too large.
    given_up: u64,
}

/// Prints the puzzles of records and of games that bots play.
pub(super) fn mine(args: &PuzzlesMineArgs, output: Output) -> CommandResult {
    let games = args.records.len() as u64 * u64::from(args.play + 1);
    let progress = progress_bar(games, "{wide_bar} {pos}/{len} games, {msg}, {eta} to go");
    let mut mine = Mine { args, output, progress, found: HashSet::new(), given_up: 0 };
    for path in &args.records {
        let status = mine.record(path)?;
        if !matches!(status, ExitStatus::Success) {
            return Ok(status);
        }
    }
    mine.progress.finish_and_clear();
    if mine.given_up > 0 {
        let count = mine.given_up;
        output.message(format_args!("{count} positions were too large to search exhaustively."));
    }
    output.message(format_args!("{} puzzles found.", mine.found.len()));
    Ok(ExitStatus::Success)
}

impl Mine<'_> {
    fn record(&mut self, path: &Path) -> CommandResult {
        let record = match read_record(path) {
            Ok(record) => record,
            Err(error) => return Ok(report_source(&error)),
        };
        let setup = &record.setup;
        if setup.seats.len() != 2 {
            output::to_stderr(format_args!("adamant: {}: puzzles are for two", path.display()));
            return Ok(ExitStatus::Usage);
        }
        let start = Start { kind: setup.kind, options: setup.options.clone() };
        let game = match positions(&record) {
            Ok(game) => game,
            Err(bad) => return Ok(print_bad_move(&bad, self.output, &mut self.output.writer())?),
        };
        let names: Vec<&str> = setup.seats.iter().map(|player| &*player.user).collect();
        self.search(&start, &game, &names.join(" - "))?;
        if let Some(last) = game.last() {
            for number in 0..u64::from(self.args.play) {
                let seed = self.args.seed.wrapping_add(number);
                let game = played_on(last, self.args, seed);
                self.search(&start, &game, &format!("bots, {}, seed {seed}", self.args.level))?;
            }
        }
        Ok(ExitStatus::Success)
    }

    fn search(&mut self, start: &Start, game: &[Reached], source: &str) -> anyhow::Result<()> {
        for (moves, position) in game.iter().rev().take(self.args.last) {
            let puzzle = match find(position, self.args.effort) {
                Ok(Some(puzzle)) if puzzle.choices >= self.args.choices => puzzle,
                Ok(_) => continue,
                Err(_) => {
                    self.given_up += 1;
                    continue;
                }
            };
            let entry =
                PuzzleEntry::new(start, moves.clone(), position, &puzzle, source.to_owned());
            if self.found.insert(entry.id.clone()) {
                self.print(&entry, position)?;
            }
        }
        self.progress.inc(1);
        self.progress.set_message(format!("{} puzzles", self.found.len()));
        Ok(())
    }

    fn print(&self, entry: &PuzzleEntry, position: &Position) -> anyhow::Result<()> {
        if self.output.json {
            return self.output.entry(entry);
        }
        let board = drawing::text(&position.draw(&[]), self.output.color);
        let letter = position.letter(position.to_move());
        self.output.line(format_args!("{board}{letter} to move. {}\n", entry.summary()))?;
        Ok(())
    }
}

/// Returns the positions of a record up to its end, or to the first line that is not a move.
fn positions(record: &TextRecord) -> Result<Vec<Reached>, adamant_rules::record::ReplayError> {
    let mut reached: Vec<Reached> = Vec::new();
    let mut moves = Vec::new();
    for step in record.replay(true) {
        let step = step?;
        match step.notation.as_str() {
            "resign" | "draw" => break,
            // The rules skip again by themselves.
            "" | "pass" => {}
            notation => moves.push(notation.to_owned()),
        }
        if step.to_move.is_none() {
            break;
        }
        reached.push((moves.clone(), step.position));
    }
    Ok(reached)
}

/// Lets bots play a game from a position.
fn played_on((moves, position): &Reached, args: &PuzzlesMineArgs, seed: u64) -> Vec<Reached> {
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut moves, mut position) = (moves.clone(), position.clone());
    let (mut hashes, mut game) = (vec![position.hash()], Vec::new());
    while game.len() < PLIES_MAX {
        let Some(mv) = choose_after(&hashes, &position, args.level, &mut rng) else { break };
        moves.push(mv.to_string());
        if !play(&mut position, &mv) || is_third(&mut hashes, &position) {
            break;
        }
        game.push((moves.clone(), position.clone()));
    }
    game
}

/// Maximum length of a file of puzzles in bytes.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Maximum number of moves that the proof of one puzzle makes.
const EFFORT_MAX: u64 = 200_000_000;

/// What is wrong with a puzzle.
#[derive(Debug, thiserror::Error)]
enum PuzzleFault {
    #[error("its moves do not lead to a position: {0}")]
    Moves(#[from] BadEntry),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error("no single move is right")]
    NoPuzzle,
    #[error("the search finds {0}")]
    Differs(String),
}

/// Proves every puzzle of a file.
pub(super) fn check_file(path: &Path, output: Output) -> CommandResult {
    let entries = match read(path) {
        Ok(entries) => entries,
        Err(error) => {
            output::to_stderr(format_args!("adamant: {}: {error}", path.display()));
            return Ok(ExitStatus::Usage);
        }
    };
    let template = "{wide_bar} {pos}/{len} puzzles, {eta} to go";
    let progress = progress_bar(entries.len() as u64, template);
    let mut wrong = 0;
    for entry in &entries {
        if let Err(fault) = prove(entry) {
            wrong += 1;
            let why = fault.to_string();
            if output.json {
                output.line(json!({ "ok": false, "id": entry.id, "why": why }))?;
            } else {
                progress.suspend(|| {
                    output::to_stderr(format_args!("adamant: {}: {why}", entry.id));
                });
            }
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    if wrong > 0 {
        return Ok(ExitStatus::Failed);
    }
    let count = entries.len();
    if output.json {
        output.line(json!({ "ok": true, "puzzles": count }))?;
    } else {
        output.line(format_args!("All {count} puzzles have exactly one solution."))?;
    }
    Ok(ExitStatus::Success)
}

fn prove(entry: &PuzzleEntry) -> Result<(), PuzzleFault> {
    let (start, position) = entry.position()?;
    let puzzle = find(&position, EFFORT_MAX)?.ok_or(PuzzleFault::NoPuzzle)?;
    let found = entry.as_found(&start, &position, &puzzle);
    if found == *entry {
        Ok(())
    } else {
        let found = serde_json::to_string(&found).expect("an entry has a text");
        Err(PuzzleFault::Differs(found))
    }
}

/// Reads an array, or an object per line.
fn read(path: &Path) -> io::Result<Vec<PuzzleEntry>> {
    let mut text = String::new();
    let limit = FILE_BYTES_MAX + 1;
    if path == Path::new("-") {
        io::stdin().lock().take(limit).read_to_string(&mut text)?;
    } else {
        File::open(path)?.take(limit).read_to_string(&mut text)?;
    }
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(io::Error::other(format!("a file has at most {FILE_BYTES_MAX} bytes")));
    }
    if text.trim_start().starts_with('[') {
        Ok(serde_json::from_str(&text)?)
    } else {
        Ok(serde_json::Deserializer::from_str(&text).into_iter().collect::<Result<_, _>>()?)
    }
}

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
    Win,
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
