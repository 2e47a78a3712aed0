//! The search of games that have none of their own: that of the level `hard-0.1`, deeper and deeper
//! until a limit is reached.

use adamant_rules::{Move, Position};
use rand::RngExt as _;

use super::{Control, Line, SCORE_MAX};
use crate::choice::{self, BestMove, Watch};

/// Moves that one thought evaluates at the most: it keeps the positions, in a hundred megabytes.
const NODES_MAX: u64 = 1_000_000;

/// Moves among which a win is looked for before all else, captures first: in most positions all.
const WINS_AMONG: usize = 400;

/// Thinks about any position of any game.
pub(super) fn search(position: &Position, seen: &[u64], control: &mut Control<'_>) {
    let mut rng = control.rng();
    let mut pick = |below: usize| rng.random_range(0..below);
    let first = position.sample_moves(WINS_AMONG, &mut pick);
    if let Some(win) = first.into_iter().find(|mv| wins(position, mv)) {
        let moves = vec![win.to_string()];
        let line = Line { moves, value: SCORE_MAX, exact: true, distance: Some(1) };
        control.found(1, 1, vec![line]);
        return;
    }
    let mut watch = Watched { position, control, others: Vec::new() };
    let best = choice::best_under(seen, position, NODES_MAX, &mut pick, &mut watch);
    if let Some(best) = best {
        watch.note(&best);
    }
}

/// Whether a move wins the game at once.
fn wins(position: &Position, mv: &Move) -> bool {
    let mut after = position.clone();
    after.apply(mv);
    let winner = after.settle().and_then(|(winners, _)| winners.single());
    winner == Some(position.to_move())
}

/// The thought as `choice` knows it.
struct Watched<'a, 'b> {
    position: &'a Position,
    control: &'a mut Control<'b>,
    /// The next best moves at a glance, as far as they are wanted.
    others: Vec<Line>,
}

impl Watched<'_, '_> {
    fn line(&self, mv: &Move, value: i64) -> Line {
        let value = choice::score(self.position, value);
        Line { moves: vec![mv.to_string()], value, ..Line::default() }
    }

    /// The best move, and those behind it if it was looked at as they were.
    fn lines(&self, best: &BestMove) -> Vec<Line> {
        let others = if best.depth == 1 { self.others.as_slice() } else { &[] };
        let mut lines = vec![self.line(&best.mv, best.value)];
        lines.extend_from_slice(others);
        lines
    }

    fn note(&mut self, best: &BestMove) {
        let lines = self.lines(best);
        self.control.note(best.depth, best.depth, lines);
    }
}

impl Watch for Watched<'_, '_> {
    fn halts(&mut self, cost: u64) -> bool {
        self.control.count(cost)
    }

    fn valued(&mut self, moves: &mut dyn Iterator<Item = (&Move, i64)>) {
        let wanted = self.control.settings().lines;
        self.others = moves.take(wanted).skip(1).map(|(mv, value)| self.line(mv, value)).collect();
    }

    fn found(&mut self, best: &BestMove) {
        let lines = self.lines(best);
        self.control.found(best.depth, best.depth, lines);
        if !self.control.may_deepen(best.depth) {
            self.control.end();
        }
    }
}
