//! Finds puzzles: the bots' levels play games, and what a position of them holds is proven.

use adamant_record::wire;
use adamant_rules::{
    Kind, Move, Options, Position,
    game::MoveCount,
    options::OptionError,
    proof::{Proof, Prover, listed},
};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use super::{GRADE_MAX, Goal, MOVES_MAX, PLAYERS, Puzzle, id, pass_on, written};
use crate::{
    choice::{Level, choose_after},
    search::LevelNumber,
};

/// The levels that play the games: strong enough for sensible positions, weak enough for mistakes.
const PLAYING: [u8; 3] = [2, 3, 4];

/// How often of a hundred a move is made by chance.
const BY_CHANCE: u32 = 10;

/// Legal moves of a puzzle, at the least and at the most.
const CHOICES: (usize, usize) = (6, 1_500);

/// The most first moves of a puzzle that win.
const SOLUTIONS_MAX: usize = 3;

/// Of how many moves one may win, at the most.
const RARE: usize = 6;

/// The levels that try a puzzle for its grade, and how often each.
const TRYING: [u8; 3] = [2, 4, 6];
const TRIES: u64 = 3;

/// A position in a game that goes on, with the moves to it.
#[derive(Clone, Debug)]
pub struct Reached {
    /// The moves from the start, without passes.
    pub moves: Vec<String>,
    /// The position after them.
    pub position: Position,
}

/// Finds puzzles in games with these options.
#[derive(Clone, Debug)]
pub struct Miner {
    kind: Kind,
    options: Options,
    start: Position,
    bounds: Bounds,
}

/// How much is played and searched.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The plies of a game.
    pub plies: usize,
    /// How many of the last positions of a game are searched.
    pub last: usize,
    /// The moves that the proof of one position may make.
    pub effort: u64,
}

impl Miner {
    /// A miner of games between two players.
    ///
    /// # Errors
    ///
    /// If the game does not have these options.
    pub fn new(kind: Kind, options: Options, bounds: Bounds) -> Result<Self, OptionError> {
        let start = kind.open(&options, PLAYERS)?;
        Ok(Self { kind, options, start, bounds })
    }

    /// Plays a game by a seed, and returns the longest win in it that is a puzzle.
    pub fn mine(&self, seed: u64) -> Option<Puzzle> {
        self.search(&self.play(seed))
    }

    /// Returns the longest win that is a puzzle at the end of a game. Positions that are too large
    /// are skipped.
    pub fn search(&self, game: &[Reached]) -> Option<Puzzle> {
        let last = &game[game.len().saturating_sub(self.bounds.last)..];
        let found = last.iter().filter_map(|reached| {
            let win = Win::find(&reached.position, self.bounds.effort).ok().flatten()?;
            Some((reached, win))
        });
        // Of equals the first: it is farther from the end of the game.
        let (reached, win) =
            found.reduce(
                |longest, next| {
                    if next.1.moves() > longest.1.moves() { next } else { longest }
                },
            )?;
        Some(self.puzzle(reached, &win))
    }

    fn puzzle(&self, Reached { moves, position }: &Reached, win: &Win) -> Puzzle {
        let mut puzzle = Puzzle {
            id: id(position),
            rules: wire::rules(self.kind),
            options: wire::options(&self.options),
            moves: moves.join(" "),
            goal: Goal::Win,
            plies: u32::try_from(win.line.len()).unwrap_or(u32::MAX),
            choices: win.choices,
            solution: written(&win.line),
            also: written(&win.also),
            grade: 1,
            refutations: Vec::new(),
        };
        puzzle.grade = grade(&puzzle, position);
        puzzle
    }

    /// Lets two levels play a game.
    fn play(&self, seed: u64) -> Vec<Reached> {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut level = || {
            let number = LevelNumber::new(PLAYING[rng.random_range(0..PLAYING.len())]);
            Level::Numbered(number.expect("there are these levels"))
        };
        let levels = [level(), level()];
        let (mut moves, mut position) = (Vec::new(), self.start.clone());
        let (mut hashes, mut game) = (vec![position.hash()], Vec::new());
        while game.len() < self.bounds.plies {
            let by_chance = rng.random_ratio(BY_CHANCE, 100);
            let level = if by_chance { Level::Random } else { levels[position.to_move().index()] };
            let Some(mv) = choose_after(&hashes, &position, level, &mut rng) else { break };
            moves.push(mv.to_string());
            position.apply(&mv);
            // A game with repetitions could end by them.
            if position.settle().is_some() || hashes.contains(&position.hash()) {
                break;
            }
            hashes.push(position.hash());
            game.push(Reached { moves: moves.clone(), position: position.clone() });
        }
        game
    }
}

/// A win that few moves begin.
struct Win {
    choices: usize,
    /// The solution as [`Puzzle::solution`] describes it.
    line: Vec<Move>,
    also: Vec<Move>,
}

impl Win {
    /// Finds the win of a position, if it is a puzzle.
    fn find(position: &Position, effort: u64) -> Proof<Option<Self>> {
        let MoveCount::Exactly(choices) = position.count_moves() else { return Ok(None) };
        let choices = usize::try_from(choices).unwrap_or(usize::MAX);
        let is_near = position.moves_needed(position.to_move()) <= MOVES_MAX;
        if !is_near || choices < CHOICES.0 || choices > CHOICES.1 {
            return Ok(None);
        }
        let mut prover = Prover::new(effort);
        let Some(moves) = prover.distance(position, MOVES_MAX)? else { return Ok(None) };
        let winning = prover.winning_moves(position, moves)?;
        // A win at once is looked for, and not only one of several.
        let most = if moves == 1 { 1 } else { SOLUTIONS_MAX };
        if winning.len() > most || winning.len() * RARE > choices {
            return Ok(None);
        }
        let mut also = winning;
        let solution = also.remove(0);
        let Some(line) = line(&mut prover, position, solution, moves)? else { return Ok(None) };
        Ok(Some(Self { choices, line, also }))
    }

    fn moves(&self) -> usize {
        self.line.len().div_ceil(2)
    }
}

/// How hard a puzzle is, from 1 to [`GRADE_MAX`]: one more for each move beyond the first, and for
/// each level that does not find a solution.
pub fn grade(puzzle: &Puzzle, position: &Position) -> u8 {
    let finds = |level: u8| {
        let level = Level::Numbered(LevelNumber::new(level).expect("there are these levels"));
        let tries = (0..TRIES).filter(|&seed| {
            let mut rng = StdRng::seed_from_u64(seed);
            let mv = choose_after(&[], position, level, &mut rng).map(|mv| mv.to_string());
            puzzle.solutions().any(|solution| Some(solution) == mv.as_deref())
        });
        tries.count() as u64 * 2 > TRIES
    };
    let missed = TRYING.into_iter().filter(|&level| !finds(level)).count();
    let grade = puzzle.own_moves() as usize + missed;
    u8::try_from(grade).map_or(GRADE_MAX, |grade| grade.min(GRADE_MAX))
}

/// Goes on with the longest defence until the game is won: the one after which the fewest moves win
/// in time. Returns none if it passes a seat over, or leaves a choice before the last move.
fn line(
    prover: &mut Prover,
    position: &Position,
    solution: Move,
    moves: u32,
) -> Proof<Option<Vec<Move>>> {
    if moves == 1 {
        return Ok(Some(vec![solution]));
    }
    let mut after = position.clone();
    if !pass_on(&mut after, &solution) {
        return Ok(None);
    }
    let mut best: Option<(Move, Position, Vec<Move>)> = None;
    for reply in listed(&after)? {
        let mut next = after.clone();
        if !pass_on(&mut next, &reply) || prover.winning_move(&next, moves - 2)?.is_some() {
            continue;
        }
        let winning = prover.winning_moves(&next, moves - 1)?;
        if best.as_ref().is_none_or(|(_, _, fewest)| winning.len() < fewest.len()) {
            let is_one = winning.len() == 1;
            best = Some((reply, next, winning));
            if is_one {
                break;
            }
        }
    }
    let Some((reply, next, mut winning)) = best else { return Ok(None) };
    if moves > 2 && winning.len() > 1 {
        return Ok(None);
    }
    let rest = line(prover, &next, winning.remove(0), moves - 1)?;
    Ok(rest.map(|rest| [vec![solution, reply], rest].concat()))
}
