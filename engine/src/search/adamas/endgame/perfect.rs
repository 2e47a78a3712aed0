//! Perfect play by a table: the shortest win, the longest loss.

use super::{
    super::{
        super::{Control, Line, Oracle, SCORE_MAX, Verdict, native::End},
        board::{Board, Move},
        moves::Choice,
    },
    tables::Tables,
};

/// Moves of a line that are told.
const LINE_MAX: usize = 12;

/// Moves whose verdicts are looked up between two looks at the clock.
const MOVES_PER_LOOK: usize = 64;

/// Finds the best moves where a table knows who wins. Returns whether it does: a draw is left to the
/// search, because the other seat may go wrong. `seen` are the hashes of the game so far, in order.
pub(in super::super) fn by_table<const W: usize>(
    board: &Board<W>,
    tables: &Tables,
    seen: &[u64],
    control: &mut Control<'_>,
) -> bool {
    let Some(verdict) = tables.verdict(board).filter(|&verdict| verdict != Verdict::Draw) else {
        return false;
    };
    let is_drawn_by_repetition = |after: &Board<W>| {
        let hash = after.hash();
        let first = seen.partition_point(|&earlier| earlier < hash);
        seen.get(first + 1) == Some(&hash)
    };
    let lines = control.settings().lines.max(1);
    let mut found: Vec<(Verdict, Move)> = Vec::new();
    for (index, mv) in all_moves(board).into_iter().enumerate() {
        let mut after = *board;
        after.play(mv);
        let known = verdict_of_move(tables, &after).filter(|_| !is_drawn_by_repetition(&after));
        found.push((known.unwrap_or(Verdict::Draw), mv));
        let is_best = lines == 1 && found.last().is_some_and(|&(value, _)| value == verdict);
        if is_best || (index + 1) % MOVES_PER_LOOK == 0 && control.look() {
            break;
        }
    }
    found.sort_by_key(|&(value, _)| std::cmp::Reverse(value.rank()));
    let best = found.first().map(|&(value, _)| value);
    // The time is up, or the game so far forbids the best.
    if best != Some(verdict) {
        return false;
    }
    // A third occurrence on the way would be a draw that the table does not know of.
    let is_exact = seen.windows(2).all(|pair| pair[0] != pair[1]);
    found.truncate(lines);
    let lines: Vec<_> = found
        .into_iter()
        .map(|(value, mv)| Line {
            moves: line(board, mv, tables, control),
            value: match value {
                Verdict::Win(_) => SCORE_MAX,
                Verdict::Draw => 0,
                Verdict::Loss(_) => -SCORE_MAX,
            },
            exact: is_exact,
            distance: value.plies().filter(|_| is_exact),
        })
        .collect();
    let depth = best.and_then(Verdict::plies).unwrap_or(1);
    control.found(depth, depth, lines);
    true
}

/// A move and the best ones after it.
fn line<const W: usize>(
    board: &Board<W>,
    mv: Move,
    tables: &Tables,
    control: &mut Control<'_>,
) -> Vec<String> {
    let (mut board, mut mv, mut moves) = (*board, mv, Vec::new());
    loop {
        moves.push(board.text(mv));
        board.play(mv);
        let verdict = tables.verdict(&board).filter(|_| moves.len() < LINE_MAX && !control.look());
        let next = verdict.and_then(|verdict| {
            all_moves(&board).into_iter().find(|&mv| {
                let mut after = board;
                after.play(mv);
                verdict_of_move(tables, &after) == Some(verdict)
            })
        });
        match next {
            Some(next) => mv = next,
            None => return moves,
        }
    }
}

fn all_moves<const W: usize>(board: &Board<W>) -> Vec<Move> {
    let mut moves = Vec::new();
    Choice::new(board).all(&mut moves);
    moves
}

/// What perfect play comes to, and moves that reach it; `None` unless the tables know every position
/// that the moves lead to.
pub(in super::super) fn best_moves<const W: usize>(
    board: &Board<W>,
    tables: &Tables,
    most: usize,
) -> Option<Oracle> {
    let is_known =
        tables.of_side(board.hexagon.side())?.pieces() >= board.pieces(0) + board.pieces(1);
    if !is_known || board.progressive || board.end().is_some() {
        return None;
    }
    let verdict = |mv: Move| {
        let mut after = *board;
        after.play(mv);
        Some((verdict_of_move(tables, &after)?, mv))
    };
    let moves: Option<Vec<_>> = all_moves(board).into_iter().map(verdict).collect();
    let moves = moves?;
    let best = moves.iter().map(|&(verdict, _)| verdict).max_by_key(|verdict| verdict.rank())?;
    let reach = || moves.iter().filter(|&&(verdict, _)| verdict == best);
    let texts = reach().take(most).map(|&(_, mv)| board.text(mv));
    Some(Oracle { verdict: best, best: texts.collect(), moves: reach().count() })
}

/// What a move comes to for the seat that has made it, if that is known.
fn verdict_of_move<const W: usize>(tables: &Tables, after: &Board<W>) -> Option<Verdict> {
    match after.end() {
        Some(End::Won(_)) => Some(Verdict::Win(1)),
        Some(End::Drawn) => Some(Verdict::Draw),
        None => tables.verdict(after).map(|verdict| match verdict {
            Verdict::Win(plies) => Verdict::Loss(plies + 1),
            Verdict::Loss(plies) => Verdict::Win(plies + 1),
            Verdict::Draw => Verdict::Draw,
        }),
    }
}
