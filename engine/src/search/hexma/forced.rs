//! Exact search for wins in one, two and three moves of a seat, whatever the other does.

use super::{
    super::{Control, Limits, native::Native as _},
    board::{Hexma, Step},
    star::points,
    value::Through,
};

/// Nodes of a thought that look for forced wins, at the most: some milliseconds. As many may look for
/// those of the other seat after a move.
const NODES_MAX: u64 = 20_000;

/// The share of the nodes of a thought that do each.
const SHARE: u64 = 4;

/// The least nodes of a thought that can spare some to check its moves.
const CHECKED_FROM: u64 = 20_000;

/// The nodes that a thought with these limits has to look for forced wins after its moves.
pub(super) fn nodes_of_checks(limits: Limits) -> u64 {
    let nodes = limits.nodes.unwrap_or(u64::MAX);
    if nodes < CHECKED_FROM { 0 } else { (nodes / SHARE).min(NODES_MAX) }
}

/// A move with which the seat to move connects the edges.
pub(super) fn winning_move(board: &Hexma) -> Option<Step> {
    let seat = board.seat();
    let through = Through::of(board, seat);
    if through.missing > 1 {
        return None;
    }
    let mut win = None;
    board.destinations(seat, |from, to| {
        if win.is_none() {
            win = points(to)
                .filter(|&to| through.with_piece(to) <= 0)
                .map(|to| Step { from, to })
                .find(|&mv| board.connects_with(seat, mv));
        }
    });
    win
}

/// A search for forced wins.
pub(super) struct Forced<'a, 'b> {
    control: &'a mut Control<'b>,
    nodes_left: u64,
}

/// The nodes or the time are used up.
struct Over;

impl<'a, 'b> Forced<'a, 'b> {
    pub(super) fn new(control: &'a mut Control<'b>) -> Self {
        let share = control.limits().nodes.map_or(NODES_MAX, |nodes| nodes / SHARE);
        Self::with_nodes(control, share.min(NODES_MAX))
    }

    pub(super) const fn with_nodes(control: &'a mut Control<'b>, nodes_left: u64) -> Self {
        Self { control, nodes_left }
    }

    pub(super) const fn nodes_left(&self) -> u64 {
        self.nodes_left
    }

    /// Whether the seat to move has a forced win in two moves; `None` if the nodes are used up.
    pub(super) fn wins_in_two(&mut self, board: &Hexma) -> Option<bool> {
        self.win_in(board, 2).ok().map(|line| line.is_some())
    }

    /// A forced win in two or three moves of the seat to move: the first moves of one line, and the
    /// number of all moves up to the end.
    pub(super) fn win(&mut self, board: &Hexma) -> Option<(Vec<Step>, u32)> {
        for moves in [2, 3] {
            match self.win_in(board, moves) {
                Ok(Some(line)) => return Some((line, 2 * moves - 1)),
                Ok(None) => {}
                Err(Over) => return None,
            }
        }
        None
    }

    fn node(&mut self) -> Result<(), Over> {
        self.nodes_left = self.nodes_left.saturating_sub(1);
        if self.control.node() || self.nodes_left == 0 { Err(Over) } else { Ok(()) }
    }

    /// A win within this number of moves of the seat to move, if there is one.
    fn win_in(&mut self, board: &Hexma, moves: u32) -> Result<Option<Vec<Step>>, Over> {
        if let Some(win) = winning_move(board) {
            return Ok(Some(vec![win]));
        }
        let seat = board.seat();
        let through = Through::of(board, seat);
        let may_miss = i32::try_from(moves).unwrap_or(i32::MAX);
        // Each move fills one gap at the most.
        if moves == 1 || through.missing > may_miss {
            return Ok(None);
        }
        let mut tried = Vec::new();
        board.destinations(seat, |from, to| {
            let fills =
                points(to).filter(|&to| through.missing.min(through.with_piece(to)) < may_miss);
            tried.extend(fills.map(|to| (through.with_piece(to), Step { from, to })));
        });
        tried.sort_by_key(|&(missing, _)| missing);
        for (_, mv) in tried {
            let mut after = *board;
            after.play(mv);
            self.node()?;
            if after.end().is_some() || after.seat() == seat {
                continue;
            }
            if Through::of(&after, seat).missing >= may_miss || winning_move(&after).is_some() {
                continue;
            }
            if let Some(line) = self.wins_against_all(&after, moves - 1)? {
                return Ok(Some([vec![mv], line].concat()));
            }
        }
        Ok(None)
    }

    /// Whether the seat that is not to move wins after every move of the other: one line of it.
    fn wins_against_all(&mut self, board: &Hexma, moves: u32) -> Result<Option<Vec<Step>>, Over> {
        let mut answers = Vec::new();
        board.moves(&mut answers);
        let through = Through::of(board, 1 - board.seat());
        // What lies in the way stops most threats.
        answers.sort_by_key(|mv| through.detour(mv.to));
        let mut longest = None;
        for mv in answers {
            let mut after = *board;
            after.play(mv);
            self.node()?;
            let goes_on = after.end().is_none() && after.seat() != board.seat();
            let line = if goes_on { self.win_in(&after, moves)? } else { None };
            let Some(line) = line else { return Ok(None) };
            let line = [vec![mv], line].concat();
            if longest.as_ref().is_none_or(|known: &Vec<Step>| known.len() < line.len()) {
                longest = Some(line);
            }
        }
        Ok(longest)
    }
}
