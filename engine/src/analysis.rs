//! What the search thinks of a finished game: for each move the best line before it, what the move
//! lost, and the wins that it missed.
//!
//! Each position is searched alone and with the same nodes, so the same game and effort give the
//! same analysis on every machine, however many threads work on it.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use adamant_rules::{
    Move, Position, Seat,
    record::{ReplayError, TextRecord},
};

use crate::search::{Limits, Line, Report, SCORE_MAX, Search, Settings, Stop, default_nodes};

/// The players of a game that can be analysed: with more, the loss of one is not the other's gain.
const PLAYERS: usize = 2;

/// Moves of a player within which a missed win is told.
const MISSED_WITHIN: u32 = 3;

/// Replies that are tried to prove that a win was kept; with more it counts as missed.
const REPLIES_MAX: usize = 4096;

/// The most moves of a best line.
pub const LINE_MOVES_MAX: usize = 8;

/// The most turning points of a game.
const TURNING_POINTS: usize = 3;

/// How thoroughly a game is analysed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// The nodes for each position; `None` for [`NODES_FACTOR`] times those of a bot.
    pub nodes: Option<u64>,
    /// How many positions are searched at once, at least 1.
    pub threads: usize,
}

/// How many times the nodes of a bot's move a position gets: about 150 ms of a core.
pub const NODES_FACTOR: u64 = 4;

/// An analysed game.
#[derive(Clone, PartialEq, Debug)]
pub struct Analysis {
    /// The moves in their order, without passes, resignations and agreed draws.
    pub moves: Vec<Judged>,
    /// The accuracy of each player in the order of the challenge, from 0 to 100; `None` without a
    /// move.
    pub accuracy: [Option<f64>; PLAYERS],
    /// The seat of each player after the last move.
    pub seats: [Seat; PLAYERS],
    /// The indices in `moves` of those that lost the most, at most three, in the order of the game.
    pub turning_points: Vec<usize>,
}

/// A move of the game and what the search thinks of it. Values are for the player who makes it,
/// from -[`SCORE_MAX`] to [`SCORE_MAX`].
#[derive(Clone, PartialEq, Debug)]
pub struct Judged {
    /// The number of the ply.
    pub ply: u32,
    /// The position before it.
    pub position: Position,
    /// The player who moves, in the order of the challenge: a swap exchanges the seats of two.
    pub player: usize,
    /// The move that was made.
    pub played: Box<str>,
    /// The best line in its place, and its value; at most [`LINE_MOVES_MAX`] moves of it.
    pub best: Line,
    /// The value of the move that was made.
    pub value: i32,
    /// Whether that value is proven.
    pub exact: bool,
    /// How much of the chance to win the move lost, from 0 to 1.
    pub loss: f64,
    /// In how many moves of the player a certain win was missed by it.
    pub missed_win: Option<u32>,
    /// Whether the move is as bad as it looks.
    pub verdict: Verdict,
}

/// What a lost chance to win amounts to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// Less than a tenth.
    Good,
    /// At least a tenth.
    Inaccuracy,
    /// At least a fifth.
    Mistake,
    /// At least three tenths.
    Blunder,
}

impl Verdict {
    fn of(loss: f64) -> Self {
        match loss {
            0.3.. => Self::Blunder,
            0.2.. => Self::Mistake,
            0.1.. => Self::Inaccuracy,
            _ => Self::Good,
        }
    }

    /// Its name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Inaccuracy => "inaccuracy",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }
}

/// Why a game cannot be analysed.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    /// It has more players than two.
    #[error("an analysis is of a game of two, and this one has {0} players")]
    Players(usize),
    /// Its record has an illegal move.
    #[error(transparent)]
    Replay(#[from] ReplayError),
}

/// Analyses a record. Calls `progress` with the number of positions before each is searched.
///
/// # Errors
///
/// If the game is not one of two, or a move of the record is illegal.
pub fn analyse(
    record: &TextRecord,
    effort: Effort,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Analysis, AnalysisError> {
    let analyser = Analyser::new(record, effort.nodes)?;
    let reports = search_all(&analyser, effort.threads, progress);
    let judge = |index: usize| {
        let (before, after) = (reports[index].as_ref()?, reports.get(index + 1)?.as_ref());
        analyser.judge(index, before, after)
    };
    let moves = (0..analyser.positions()).filter_map(judge).collect();
    Ok(analyser.finish(moves))
}

/// A game whose positions are searched and whose moves are judged one by one.
#[derive(Debug)]
pub struct Analyser {
    moments: Vec<Moment>,
    nodes: Option<u64>,
}

impl Analyser {
    /// Returns that of a record, with so many nodes for each position.
    ///
    /// # Errors
    ///
    /// If the game is not one of two, or a move of the record is illegal.
    pub fn new(record: &TextRecord, nodes: Option<u64>) -> Result<Self, AnalysisError> {
        check_players(record.setup.seats.len())?;
        Ok(Self { moments: moments(record)?, nodes })
    }

    /// The number of positions, the last of them after the last move.
    pub const fn positions(&self) -> usize {
        self.moments.len()
    }

    /// Searches one of them; `None` if the game is over in it.
    pub fn search(&self, index: usize) -> Option<Report> {
        let moment = self.moments.get(index).filter(|moment| moment.end.is_none())?;
        Some(think(&moment.position, &seen(&self.moments[..=index]), self.nodes, None))
    }

    /// Judges the move in a position by the search of it and of the next one; `None` if no move was
    /// made in it.
    pub fn judge(&self, index: usize, report: &Report, next: Option<&Report>) -> Option<Judged> {
        judge(self.moments.get(index..)?, report, next, self.nodes)
    }

    /// Returns the move of a ply as somebody else has judged it; `None` if there is none.
    pub fn told(&self, ply: u32, told: Told) -> Option<Judged> {
        let moved = |pair: &&[Moment]| pair[1].ply == ply && pair[0].played.is_some();
        let pair = self.moments.windows(2).find(moved)?;
        Some(Judged::new(&pair[0], ply, pair[0].played.as_ref()?, told))
    }

    /// Sums up the judged moves.
    pub fn finish(&self, moves: Vec<Judged>) -> Analysis {
        let accuracy = [0, 1].map(|player| accuracy(&moves, player));
        let turning_points = turning_points(&moves);
        let mut seats = [Seat::FIRST, Seat::FIRST.next(PLAYERS)];
        if self.moments.iter().filter(|moment| moment.swaps()).count() % 2 == 1 {
            seats.reverse();
        }
        Analysis { moves, accuracy, seats, turning_points }
    }
}

/// Refuses a game of more players than an analysis is for.
///
/// # Errors
///
/// If they are not two.
pub const fn check_players(players: usize) -> Result<(), AnalysisError> {
    if players == PLAYERS { Ok(()) } else { Err(AnalysisError::Players(players)) }
}

/// What is said of a move.
#[derive(Clone, PartialEq, Debug)]
pub struct Told {
    /// As in [`Judged`].
    pub best: Line,
    /// As in [`Judged`].
    pub value: i32,
    /// As in [`Judged`].
    pub exact: bool,
    /// As in [`Judged`].
    pub missed_win: Option<u32>,
}

impl Judged {
    fn new(moment: &Moment, ply: u32, played: &Move, told: Told) -> Self {
        let Told { best, value, exact, missed_win } = told;
        let loss = (chance(best.value) - chance(value)).max(0.0);
        Self {
            ply,
            position: moment.position.clone(),
            player: moment.player,
            played: played.to_string().into(),
            best,
            value,
            exact,
            loss,
            missed_win,
            verdict: Verdict::of(loss),
        }
    }
}

/// A position of the game after its skips, and what was done in it.
#[derive(Debug)]
struct Moment {
    ply: u32,
    position: Position,
    /// The player whose turn it is.
    player: usize,
    played: Option<Move>,
    /// The value of the end for each player, if the rules have ended the game here.
    end: Option<[i32; PLAYERS]>,
}

impl Moment {
    /// Whether the move in it exchanges the seats.
    fn swaps(&self) -> bool {
        self.played.as_ref().is_some_and(|mv| self.position.swaps_seats(mv))
    }
}

/// The positions of a record, the last of them after its last move.
fn moments(record: &TextRecord) -> Result<Vec<Moment>, ReplayError> {
    let mut moments: Vec<Moment> = Vec::new();
    let mut players = [0, 1];
    for step in record.replay(true) {
        let step = step?;
        let mut position = step.position;
        if let Some(last) = moments.last_mut().filter(|last| last.end.is_none()) {
            let mv = last.position.parse_move(&step.notation).ok();
            last.played = mv.filter(|mv| last.position.validate(mv).is_ok());
            if last.swaps() {
                players.reverse();
            }
        }
        let winners = position.settle().map(|(winners, _)| winners);
        let end = winners.map(|winners| {
            let winner = winners.single().map(|seat| players[seat.index()]);
            [0, 1].map(|player| match winner {
                Some(winner) if winner == player => SCORE_MAX,
                Some(_) => -SCORE_MAX,
                None => 0,
            })
        });
        let player = players[position.to_move().index()];
        moments.push(Moment { ply: step.ply, position, player, played: None, end });
    }
    Ok(moments)
}

/// Searches every position in which the game goes on.
fn search_all(
    analyser: &Analyser,
    threads: usize,
    progress: &(dyn Fn(usize) + Sync),
) -> Vec<Option<Report>> {
    let (next, positions) = (AtomicUsize::new(0), analyser.positions());
    let work = || {
        let mut found = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= positions {
                return found;
            }
            progress(positions);
            found.push((index, analyser.search(index)));
        }
    };
    let mut reports = vec![None; positions];
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let own = work();
        let others = others.into_iter().flat_map(|other| other.join().expect("it does not panic"));
        for (index, report) in own.into_iter().chain(others) {
            reports[index] = report;
        }
    });
    reports
}

/// The hashes of the positions of a game so far.
fn seen(moments: &[Moment]) -> Vec<u64> {
    moments.iter().map(|moment| moment.position.hash()).collect()
}

fn think(position: &Position, seen: &[u64], nodes: Option<u64>, depth: Option<u32>) -> Report {
    let nodes = nodes.unwrap_or_else(|| NODES_FACTOR * default_nodes(position));
    let limits = Limits { nodes: Some(nodes), depth, ..Limits::default() };
    let settings = Settings { seed: position.hash(), ..Settings::default() };
    Search::new(position, seen, limits).with(settings).run(&Stop::default(), &mut |_| {})
}

/// Judges the first of these moments by what follows it; `None` if no move was made in it.
fn judge(
    moments: &[Moment],
    report: &Report,
    next: Option<&Report>,
    nodes: Option<u64>,
) -> Option<Judged> {
    let (moment, after) = (moments.first()?, moments.get(1)?);
    let played = moment.played.as_ref()?;
    let mut best = report.lines.first()?.clone();
    let is_best = report.best.as_ref() == Some(played);
    let (value, exact) = match (&after.end, next) {
        (Some(end), _) => (end[moment.player], true),
        (None, Some(next)) if after.player == moment.player => (next.value, next.exact),
        (None, Some(next)) => (-next.value, next.exact),
        (None, None) => (best.value, best.exact),
    };
    let missed_win = missed_win(&best, moment.player, after, next, nodes);
    // The best move is as good as the better of two looks at it has it.
    let value = if is_best { best.value.max(value) } else { value };
    best.moves.truncate(LINE_MOVES_MAX);
    Some(Judged::new(moment, after.ply, played, Told { best, value, exact, missed_win }))
}

/// The chance to win that a value stands for, a draw being half a win.
fn chance(value: i32) -> f64 {
    0.5 + f64::from(value) / f64::from(2 * SCORE_MAX)
}

/// In how many moves of its player the win was that a move gave away or put off: it was certain
/// before, and is not as near after it.
fn missed_win(
    best: &Line,
    player: usize,
    after: &Moment,
    next: Option<&Report>,
    nodes: Option<u64>,
) -> Option<u32> {
    let distance = best.distance.filter(|_| best.exact && best.value == SCORE_MAX)?;
    let moves = distance.div_ceil(2);
    if moves > MISSED_WITHIN {
        return None;
    }
    let next = next.and_then(|next| next.lines.first());
    let lost_in = next.filter(|line| line.value == -SCORE_MAX).and_then(|line| line.distance);
    let is_kept = match lost_in {
        Some(left) => left < distance,
        None => wins_within(player, after, distance - 1, nodes),
    };
    (!is_kept).then_some(moves)
}

/// Whether the player who has just moved has won or wins against every reply, within so many plies.
fn wins_within(player: usize, after: &Moment, plies: u32, nodes: Option<u64>) -> bool {
    if let Some(end) = &after.end {
        return end[player] == SCORE_MAX;
    }
    if plies < 2 {
        return false;
    }
    let replies = after.position.legal_moves(REPLIES_MAX);
    replies.len() < REPLIES_MAX
        && replies.iter().all(|reply| {
            let mut position = after.position.clone();
            position.apply(reply);
            if position.settle().is_some() {
                return false;
            }
            // A third occurrence on the way is left out of account: the win is a move or two away.
            let report = think(&position, &[], nodes, Some(1));
            let is_near = |line: &Line| line.distance.is_some_and(|left| left < plies);
            report.lines.first().is_some_and(|line| line.value == SCORE_MAX && is_near(line))
        })
}

/// The mean accuracy of a player's moves. That of a move is Lichess's
/// (<https://lichess.org/page/accuracy>), by the percentage of the chance to win that it lost.
fn accuracy(moves: &[Judged], player: usize) -> Option<f64> {
    let of_move = |judged: &Judged| {
        let lost = 100.0 * judged.loss;
        (103.1668 * (-0.04354 * lost).exp() - 3.1669).clamp(0.0, 100.0)
    };
    let all: Vec<f64> =
        moves.iter().filter(|judged| judged.player == player).map(of_move).collect();
    #[expect(clippy::cast_precision_loss, reason = "a game has far fewer moves")]
    let count = all.len() as f64;
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / count)
}

fn turning_points(moves: &[Judged]) -> Vec<usize> {
    let mut worst: Vec<usize> =
        (0..moves.len()).filter(|&index| moves[index].verdict > Verdict::Good).collect();
    worst.sort_by(|&one, &other| moves[other].loss.total_cmp(&moves[one].loss));
    worst.truncate(TURNING_POINTS);
    worst.sort_unstable();
    worst
}

#[cfg(test)]
mod tests {
    use adamant_protocol::values;
    use adamant_record::wire;
    use adamant_rules::Kind;

    use super::*;
    use crate::puzzles::{Goal, Puzzle};

    /// The record up to a puzzle, with one more move.
    fn with(puzzle: &Puzzle, mv: &str) -> TextRecord {
        let kind = puzzle.kind().unwrap();
        let named = values::Options::Named(puzzle.options.clone());
        let options = wire::given_options(kind, &named).unwrap();
        let moves = puzzle.moves.replace(' ', "\n");
        let text = format!("{} challenge {options} ann bob\n{moves}\n{mv}\n", kind.name());
        TextRecord::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    const EFFORT: Effort = Effort { nodes: Some(20_000), threads: 1 };

    /// What is said of the last move of a record.
    fn judged_last(record: &TextRecord) -> Judged {
        let mut analyser = Analyser::new(record, EFFORT.nodes).unwrap();
        analyser.moments.drain(..analyser.positions() - 2);
        analyser.judge(0, &analyser.search(0).unwrap(), analyser.search(1).as_ref()).unwrap()
    }

    #[test]
    fn wins_that_were_missed_are_told_and_those_that_were_kept_are_not() {
        let files = [
            include_str!("../../web/src/learn/puzzles/adamas.jsonl"),
            include_str!("../../web/src/learn/puzzles/hexma.jsonl"),
            include_str!("../../web/src/learn/puzzles/stymie.jsonl"),
            include_str!("../../web/src/learn/puzzles/diam.jsonl"),
        ];
        let lines = files.into_iter().flat_map(|file| file.lines().take(10));
        let puzzles = lines.map(|line| serde_json::from_str::<Puzzle>(line).unwrap());
        let mut told = 0;
        for puzzle in puzzles.filter(|puzzle| puzzle.goal == Goal::Win) {
            let solution = puzzle.solutions().next().unwrap();
            let solved = judged_last(&with(&puzzle, solution));
            assert_eq!(solved.missed_win, None, "{:?} {:?}", puzzle.moves, solved.played);
            let position = &solved.position;
            let exact = [Kind::Diam, Kind::Hexma].contains(&puzzle.kind().unwrap());
            if (puzzle.plies == 1 || exact) && puzzle.own_moves() <= MISSED_WITHIN {
                let other = position.legal_moves(2).into_iter().map(|mv| mv.to_string());
                let other = other.into_iter().find(|mv| mv != solution).unwrap();
                let missed = judged_last(&with(&puzzle, &other));
                let told_within = Some(puzzle.own_moves());
                assert_eq!(missed.missed_win, told_within, "{other}: {}", puzzle.moves);
                told += 1;
            }
        }
        assert!(told > 20, "{told}");
    }

    #[test]
    fn an_analysis_does_not_depend_on_the_number_of_threads() {
        let text = "diam challenge ann bob\nB6\nY8\nB7\nY5\nB8\n5+\nA4\nX4\n";
        let record = TextRecord::parse(text).unwrap();
        let by = |threads| {
            let effort = Effort { nodes: Some(2_000), threads };
            analyse(&record, effort, &|_| {}).unwrap()
        };
        let one = by(1);
        assert_eq!(one, by(3));
        assert_eq!(one.moves.len(), 8);
        assert!(one.accuracy.iter().all(|of| of.is_some_and(|of| (0.0..=100.0).contains(&of))));
    }

    #[test]
    fn a_player_keeps_the_moves_of_both_seats_after_a_swap() {
        let text = "stymie challenge -size=5 -swap ann bob\nc3\nswap\nb2\n";
        let record = TextRecord::parse(text).unwrap();
        let effort = Effort { nodes: Some(500), threads: 1 };
        let found = analyse(&record, effort, &|_| {}).unwrap();
        let who: Vec<_> = found.moves.iter().map(|judged| judged.player).collect();
        assert_eq!(who, [0, 1, 0]);
        assert_eq!(found.seats, [Seat::FIRST.next(2), Seat::FIRST]);
    }

    #[test]
    fn games_of_three_are_refused() {
        let record = TextRecord::parse("hexma challenge ann bob cy\n").unwrap();
        let error = analyse(&record, EFFORT, &|_| {}).unwrap_err();
        assert_eq!(
            error.to_string(),
            "an analysis is of a game of two, and this one has 3 players"
        );
    }
}
