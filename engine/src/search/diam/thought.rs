//! The search of Diam: principal variations deeper and deeper, one ply more under a threat, less
//! for moves that are rarely best.

use super::{
    position::{Diam, Move},
    table::{Bound, Entry, Table},
    value::{PROVEN, WIN, of_score, score, value},
};
use crate::search::{
    Control, Line,
    native::{End, Native as _},
};

/// Moves that a line looks ahead, at the most.
const PLIES_MAX: usize = 96;

/// Iterations, at the most.
const DEPTH_MAX: u32 = 64;

/// Numbers of moves of one seat.
const MOVES: usize = 256;

/// What the history of a move stays within.
const HISTORY_MAX: i32 = 1 << 14;

/// A bound that no value reaches.
const INFINITE: i32 = WIN + 1;

/// A move at the root.
struct Root {
    mv: Move,
    value: i32,
    line: Vec<Move>,
}

struct Thought<'t, 'c> {
    control: &'t mut Control<'c>,
    table: &'t Table,
    /// The hashes of the game so far, in order.
    seen: &'t [u64],
    /// The hashes from the root to the position.
    path: Vec<u64>,
    killers: [[Option<Move>; 2]; PLIES_MAX],
    history: [[i32; MOVES]; 2],
    lines: Vec<Vec<Move>>,
    /// The moves of the positions on the path, kept for their memory.
    moves: Vec<Vec<(i32, Move)>>,
    /// The value of a draw to the seat that thinks.
    draw: i32,
    me: usize,
    /// The ply from which threats no longer extend a line.
    extended_to: usize,
    seldepth: usize,
}

/// Thinks about a position until the control or a proof ends it.
pub(super) fn think(root: &Diam, seen: &[u64], control: &mut Control<'_>) {
    let wanted = control.settings().lines.max(1);
    let win = root.winning_move(root.to_move());
    if let Some(mv) = win {
        let won = Root { mv, value: WIN - 1, line: vec![mv] };
        control.found(1, 1, vec![line(root, &won)]);
        if wanted == 1 {
            return;
        }
    }
    let mut seen = seen.to_vec();
    seen.sort_unstable();
    let table = Table::new(control.settings(), control.limits());
    control.think_together(
        // What the others find reaches the first by the table. Every other one begins a move deeper.
        |control, number| {
            let first_depth = 1 + u32::try_from(number % 2).unwrap_or(0);
            Thought::new(root, &seen, &table, control).deepen(root, first_depth, wanted);
        },
        |control| Thought::new(root, &seen, &table, control).deepen(root, 1, wanted),
    );
}

fn line(root: &Diam, found: &Root) -> Line {
    let mut position = *root;
    let mut moves = Vec::with_capacity(found.line.len());
    for &mv in &found.line {
        moves.push(position.text(mv));
        position.play(mv);
    }
    let (value, exact) = score(found.value);
    let distance = exact.then(|| (WIN - found.value.abs()).cast_unsigned());
    Line { moves, value, exact, distance }
}

impl<'t, 'c> Thought<'t, 'c> {
    fn new(root: &Diam, seen: &'t [u64], table: &'t Table, control: &'t mut Control<'c>) -> Self {
        Self {
            table,
            draw: -of_score(control.settings().contempt),
            control,
            seen,
            path: vec![root.hash()],
            killers: [[None; 2]; PLIES_MAX],
            history: [[0; MOVES]; 2],
            lines: vec![Vec::new(); PLIES_MAX + 1],
            moves: vec![Vec::new(); PLIES_MAX],
            me: root.to_move(),
            extended_to: 0,
            seldepth: 0,
        }
    }

    /// Searches deeper and deeper, from a depth on, for so many best moves.
    fn deepen(&mut self, root: &Diam, first_depth: u32, wanted: usize) {
        let mut moves = Vec::new();
        root.moves(&mut moves);
        let wanted = wanted.min(moves.len());
        let unknown = |mv| Root { mv, value: -INFINITE, line: vec![mv] };
        let mut moves: Vec<_> = moves.into_iter().map(unknown).collect();
        for depth in first_depth..=DEPTH_MAX {
            self.extended_to = 2 * depth as usize + 8;
            for rank in 0..wanted {
                self.search_root(root, &mut moves, rank, depth.cast_signed());
            }
            if self.control.is_over() {
                return;
            }
            moves[..wanted].sort_by_key(|found| -found.value);
            self.control.set_fill(self.table.fill());
            let lines = moves[..wanted].iter().map(|found| line(root, found)).collect();
            self.control.found(depth, self.seldepth(), lines);
            let is_proven = |found: &Root| {
                found.value.abs() > PROVEN && WIN - found.value.abs() <= depth.cast_signed()
            };
            let is_forced = moves.len() == 1 && self.control.limits().time.is_some();
            if is_forced || moves[..wanted].iter().all(is_proven) || !self.control.may_deepen(depth)
            {
                return;
            }
        }
    }

    fn seldepth(&self) -> u32 {
        u32::try_from(self.seldepth).unwrap_or(u32::MAX)
    }

    /// Searches the moves at the root but for the first `rank`, and brings the best to this rank.
    fn search_root(&mut self, root: &Diam, moves: &mut [Root], rank: usize, depth: i32) {
        let mut alpha = -INFINITE;
        for index in rank..moves.len() {
            let Some(found) = self.search_move(root, moves[index].mv, depth, alpha, index > rank)
            else {
                return;
            };
            if found > alpha || index == rank {
                alpha = found;
                let mut best = vec![moves[index].mv];
                best.extend_from_slice(&self.lines[1]);
                moves[index].value = found;
                moves[index].line = best;
                moves[rank..=index].rotate_right(1);
                if rank == 0 && (index > 0 || depth == 1) {
                    let lines = vec![line(root, &moves[0])];
                    self.control.note(depth.cast_unsigned(), self.seldepth(), lines);
                }
            }
        }
    }

    /// The value of a move at the root; `None` if the search is over before it is known.
    fn search_move(
        &mut self,
        root: &Diam,
        mv: Move,
        depth: i32,
        alpha: i32,
        is_later: bool,
    ) -> Option<i32> {
        self.lines[1].clear();
        let mut after = *root;
        after.play(mv);
        let found = self.settled(root, &after, 0).unwrap_or_else(|| {
            self.path.push(after.hash());
            let mut found = alpha + 1;
            if is_later {
                found = self.child(root, &after, depth - 1, alpha, alpha + 1, 1);
            }
            if found > alpha {
                found = self.child(root, &after, depth - 1, alpha, INFINITE, 1);
            }
            self.path.pop();
            found
        });
        (!self.control.is_over()).then_some(found)
    }

    /// The value of a position after a move where it is known without a search.
    fn settled(&self, before: &Diam, after: &Diam, ply: usize) -> Option<i32> {
        let seat = before.to_move();
        match after.end() {
            Some(End::Won(winner)) if winner == seat => Some(won_after(ply + 1)),
            Some(End::Won(_)) => Some(-won_after(ply + 1)),
            Some(End::Drawn) => Some(self.draw_to(seat)),
            None => {
                let hash = after.hash();
                let is_repeated =
                    self.path.contains(&hash) || self.seen.binary_search(&hash).is_ok();
                is_repeated.then(|| self.draw_to(seat))
            }
        }
    }

    const fn draw_to(&self, seat: usize) -> i32 {
        if seat == self.me { self.draw } else { -self.draw }
    }

    /// Searches the position after a move, for the seat that has made it.
    fn child(
        &mut self,
        before: &Diam,
        after: &Diam,
        depth: i32,
        alpha: i32,
        beta: i32,
        ply: usize,
    ) -> i32 {
        if after.to_move() == before.to_move() {
            self.search(after, depth, alpha, beta, ply)
        } else {
            -self.search(after, depth, -beta, -alpha, ply)
        }
    }

    fn search(&mut self, position: &Diam, depth: i32, alpha: i32, beta: i32, ply: usize) -> i32 {
        self.lines[ply].clear();
        if self.control.node() {
            return 0;
        }
        self.seldepth = self.seldepth.max(ply);
        let seat = position.to_move();
        if let Some(mv) = position.winning_move(seat) {
            self.lines[ply].push(mv);
            return won_after(ply + 1);
        }
        // A loss is two moves away and a win three, at the least.
        let (alpha, beta) = (alpha.max(-won_after(ply + 2)), beta.min(won_after(ply + 3)));
        if alpha >= beta {
            return alpha;
        }
        let is_threatened = position.is_threatened();
        let extension = i32::from(is_threatened && ply < self.extended_to);
        let depth = depth + extension;
        if depth <= 0 || ply + 1 >= PLIES_MAX {
            return value(position);
        }
        let hash = position.hash();
        let known = self.table.get(hash);
        if let Some(found) = known.and_then(|entry| usable(entry, depth, alpha, beta, ply)) {
            return found;
        }
        let mut moves = std::mem::take(&mut self.moves[ply]);
        self.order(position, known.and_then(|entry| entry.best), ply, &mut moves);
        let node = (ply, hash);
        let found =
            self.search_moves(position, &moves, (depth, is_threatened), (alpha, beta), node);
        self.moves[ply] = moves;
        found
    }

    fn search_moves(
        &mut self,
        position: &Diam,
        moves: &[(i32, Move)],
        (depth, is_threatened): (i32, bool),
        (mut alpha, beta): (i32, i32),
        (ply, hash): (usize, u64),
    ) -> i32 {
        let first_alpha = alpha;
        let (mut best, mut best_move) = (-INFINITE, None);
        for (index, &(_, mv)) in moves.iter().enumerate() {
            let mut after = *position;
            after.play(mv);
            self.lines[ply + 1].clear();
            let found = self.settled(position, &after, ply).unwrap_or_else(|| {
                let less = if is_threatened { 0 } else { reduction(depth, index) };
                self.path.push(after.hash());
                let found =
                    self.search_later(position, &after, (depth, less, index), alpha, beta, ply);
                self.path.pop();
                found
            });
            if self.control.is_over() {
                return 0;
            }
            if found > best {
                (best, best_move) = (found, Some(mv));
            }
            if found > alpha {
                alpha = found;
                let (here, below) = self.lines.split_at_mut(ply + 1);
                here[ply].clear();
                here[ply].push(mv);
                here[ply].extend_from_slice(&below[0]);
            }
            if alpha >= beta {
                self.reward(position.to_move(), mv, &moves[..index], depth, ply);
                break;
            }
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best > first_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let best_move = if bound == Bound::Upper { None } else { best_move };
        self.table.put(hash, Entry { value: stored(best, ply), depth, bound, best: best_move });
        best
    }

    /// Searches a move with the full window only if a narrow one, and less depth for late moves,
    /// show that it could be best.
    fn search_later(
        &mut self,
        before: &Diam,
        after: &Diam,
        (depth, less, index): (i32, i32, usize),
        alpha: i32,
        beta: i32,
        ply: usize,
    ) -> i32 {
        if index == 0 {
            return self.child(before, after, depth - 1, alpha, beta, ply + 1);
        }
        let mut found = self.child(before, after, depth - 1 - less, alpha, alpha + 1, ply + 1);
        if found > alpha && less > 0 {
            found = self.child(before, after, depth - 1, alpha, alpha + 1, ply + 1);
        }
        if found > alpha && found < beta {
            found = self.child(before, after, depth - 1, alpha, beta, ply + 1);
        }
        found
    }

    /// Lists the moves of a position: the stored one, killers, then by history.
    fn order(
        &self,
        position: &Diam,
        stored: Option<Move>,
        ply: usize,
        moves: &mut Vec<(i32, Move)>,
    ) {
        let history = &self.history[position.to_move()];
        let killers = self.killers[ply];
        moves.clear();
        position.any_move(|mv| {
            let rank = if stored == Some(mv) {
                4 * HISTORY_MAX
            } else if killers[0] == Some(mv) {
                3 * HISTORY_MAX
            } else if killers[1] == Some(mv) {
                2 * HISTORY_MAX
            } else {
                history[usize::from(mv.number())]
            };
            moves.push((rank, mv));
            false
        });
        moves.sort_unstable_by_key(|&(rank, mv)| (-rank, mv.number()));
    }

    /// Remembers a move that refuted the one before, and that others did not.
    fn reward(&mut self, seat: usize, mv: Move, others: &[(i32, Move)], depth: i32, ply: usize) {
        if self.killers[ply][0] != Some(mv) {
            self.killers[ply] = [Some(mv), self.killers[ply][0]];
        }
        let bonus = (depth * depth).min(400);
        let history = &mut self.history[seat];
        let mut change = |mv: Move, by: i32| {
            let entry = &mut history[usize::from(mv.number())];
            *entry += by - *entry * by.abs() / HISTORY_MAX;
        };
        change(mv, bonus);
        for &(_, other) in others {
            change(other, -bonus);
        }
    }
}

/// The value of a win so many moves from the root.
fn won_after(plies: usize) -> i32 {
    WIN - i32::try_from(plies).unwrap_or(WIN)
}

/// How much less deep a move is searched that comes so late.
const fn reduction(depth: i32, index: usize) -> i32 {
    if depth < 3 || index < 4 {
        0
    } else if depth >= 6 && index >= 16 {
        2
    } else {
        1
    }
}

/// A stored value counts the moves to the end of the game from its position, not from the root.
fn stored(value: i32, ply: usize) -> i32 {
    let plies = i32::try_from(ply).unwrap_or(0);
    if value > PROVEN {
        value + plies
    } else if value < -PROVEN {
        value - plies
    } else {
        value
    }
}

/// A stored value, if it decides within these bounds.
fn usable(entry: Entry, depth: i32, alpha: i32, beta: i32, ply: usize) -> Option<i32> {
    let plies = i32::try_from(ply).unwrap_or(0);
    let is_proven = entry.value.abs() > PROVEN;
    let value = match (is_proven, entry.value > 0) {
        (true, true) => entry.value - plies,
        (true, false) => entry.value + plies,
        (false, _) => entry.value,
    };
    // What is proven needs no depth.
    let is_deep = entry.depth >= depth || is_proven;
    let decides = match entry.bound {
        Bound::Exact => is_deep,
        Bound::Lower => is_deep && value >= beta,
        Bound::Upper => is_deep && value <= alpha,
    };
    decides.then_some(value)
}
