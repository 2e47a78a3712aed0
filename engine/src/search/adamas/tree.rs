//! The tree of positions that were looked at.

use std::{cmp::Reverse, num::NonZeroU32, sync::Arc};

use rand::RngExt as _;

use super::{
    super::{Control, Line, SCORE_MAX, Verdict, native::End},
    board::{Board, Move},
    endgame::{Tables, by_table},
    hunt::hunt,
    moves::{Chance, Choice},
    value::{DECIDED, PIECE, WIN, a_move_later, value},
};

/// How far a line looks ahead at the most.
const PLIES_MAX: usize = 200;

/// Moves of a position that are looked at, by distance from the root, and how many of them are kept
/// to be looked at further.
const SAMPLED: [usize; 4] = [2_500, 400, 200, 150];
const KEPT: [usize; 4] = [600, 64, 32, 24];

/// Steps between two notes of the best moves so far.
const STEPS_PER_NOTE: usize = 32;

/// Moves that are looked at where all of these lose.
const WIDE: usize = 4_000;

fn at(counts: [usize; 4], ply: usize) -> usize {
    counts[ply.min(counts.len() - 1)]
}

/// A move in the tree.
#[derive(Clone, Copy, Debug)]
struct Branch {
    mv: Move,
    /// What it is worth to the seat that makes it.
    value: i32,
    /// The position after it, if it was looked at.
    node: Option<NonZeroU32>,
    /// How often a line has gone on with it.
    visits: u32,
    /// Whether a look at the position after it can tell nothing new.
    is_closed: bool,
    /// Whether its value is proven.
    is_exact: bool,
}

/// A position that was looked at.
#[derive(Debug)]
struct Node {
    /// At least one.
    branches: Vec<Branch>,
    /// Whether no legal move is missing, but for some that are proven to lose.
    is_complete: bool,
    is_wide: bool,
}

/// The place of a node.
const fn index(node: NonZeroU32) -> usize {
    node.get() as usize
}

/// What a position is worth to the seat to move.
struct Worth {
    value: i32,
    is_closed: bool,
    is_exact: bool,
}

impl Node {
    fn worth(&self) -> Worth {
        let best = self.branches.iter().max_by_key(|branch| (branch.value, branch.is_exact));
        let best = best.expect("a seat to move has a move");
        let is_won = best.value > DECIDED;
        let all_exact = || self.is_complete && self.branches.iter().all(|branch| branch.is_exact);
        Worth {
            value: best.value,
            is_closed: is_won || self.branches.iter().all(|branch| branch.is_closed),
            is_exact: if is_won { best.is_exact } else { best.value < -DECIDED && all_exact() },
        }
    }

    /// Of the moves that a further look can tell more about, the best or one of the next.
    fn best_open(&self, rank: usize) -> Option<usize> {
        let open = || self.branches.iter().enumerate().filter(|(_, branch)| !branch.is_closed);
        if rank == 0 {
            return open().rev().max_by_key(|(_, branch)| branch.value).map(|(index, _)| index);
        }
        let mut open: Vec<_> = open().map(|(index, branch)| (-branch.value, index)).collect();
        open.sort_unstable();
        open.get(rank % open.len().max(1)).map(|&(_, index)| index)
    }
}

/// The thought is over.
struct Over;

struct Tree<'t, 'c, const W: usize> {
    control: &'t mut Control<'c>,
    /// The hashes of the game so far, in order.
    seen: Vec<u64>,
    nodes: Vec<Node>,
    /// Branches of all nodes, and how many there may be.
    size: usize,
    size_max: usize,
    chance: Chance,
    /// The positions from the root on, with their hashes.
    path: Vec<(Board<W>, u64)>,
    tables: Option<Arc<Tables>>,
    /// The value of a draw to the seat that thinks.
    draw: i32,
    /// The lead that half decides the game.
    half: i32,
    deepest: u32,
}

/// Thinks about a position until the control or a proof ends it.
pub(super) fn think<const W: usize>(board: Board<W>, seen: &[u64], control: &mut Control<'_>) {
    if let Some(win) = Choice::new(&board).capture_of_all() {
        let moves = vec![board.text(win)];
        let line = Line { moves, value: SCORE_MAX, exact: true, distance: Some(1) };
        control.found(1, 1, vec![line]);
        return;
    }
    let half = PIECE * i32::from(board.pieces(0) + board.pieces(1)) / 4;
    let contempt = control.settings().contempt.clamp(-900, 900);
    let mut seen = seen.to_vec();
    seen.sort_unstable();
    let tables = control.settings().uses_tables.then(Tables::now);
    if tables.as_ref().is_some_and(|tables| by_table(&board, tables, &seen, control)) {
        return;
    }
    let mut tree = Tree {
        seen,
        nodes: Vec::new(),
        size: 0,
        size_max: (control.settings().hash_mb << 20) / size_of::<Branch>(),
        chance: Chance(control.rng().random()),
        path: vec![(board, board.hash())],
        tables,
        draw: -half * contempt / (1000 - contempt.abs()),
        half,
        deepest: 1,
        control,
    };
    tree.grow();
}

impl<const W: usize> Tree<'_, '_, W> {
    fn grow(&mut self) {
        let Ok(root) = self.look(0, at(SAMPLED, 0)) else { return };
        let is_forced = root.is_complete && root.branches.len() == 1;
        self.add(root);
        self.report();
        let lines = self.control.settings().lines.max(1);
        if lines == 1 && self.hunts() {
            return;
        }
        if is_forced && lines == 1 && self.control.limits().time.is_some() {
            return;
        }
        for step in 0.. {
            let root = &self.nodes[0];
            let worth = root.worth();
            if worth.value < -DECIDED && !root.is_complete && !root.is_wide {
                if self.widen(0).is_err() {
                    break;
                }
                self.note();
                continue;
            }
            if worth.is_closed
                || self.size >= self.size_max
                || !self.control.may_deepen(self.deepest)
            {
                break;
            }
            let deepest = self.deepest;
            if self.step(step % lines).is_err() {
                break;
            }
            if self.deepest > deepest {
                self.report();
            } else if step % STEPS_PER_NOTE == 0 {
                self.note();
            }
        }
        self.note();
    }

    /// Looks for a certain win where the other seat has its last piece. Returns whether there is one.
    fn hunts(&mut self) -> bool {
        let board = self.path[0].0;
        let found = hunt(&board, &self.seen, &mut self.chance, self.control);
        let Some(line) = found else { return false };
        let depth = line.distance.unwrap_or(1);
        self.control.found(depth, depth, vec![line]);
        true
    }

    /// Adds a node. Returns its number if it is not the root.
    fn add(&mut self, node: Node) -> Option<NonZeroU32> {
        self.size += node.branches.len() + size_of::<Node>() / size_of::<Branch>() + 1;
        self.nodes.push(node);
        u32::try_from(self.nodes.len() - 1).ok().and_then(NonZeroU32::new)
    }

    /// Looks at one more position.
    fn step(&mut self, rank: usize) -> Result<(), Over> {
        self.path.truncate(1);
        let mut trail = Vec::new();
        let mut node = 0;
        loop {
            let rank = if node == 0 { rank } else { 0 };
            let Some(best) = self.nodes[node].best_open(rank) else { break };
            let branch = self.nodes[node].branches[best];
            let mut board = self.path[trail.len()].0;
            board.play(branch.mv);
            self.path.push((board, board.hash()));
            trail.push((node, best));
            if let Some(next) = branch.node {
                node = index(next);
                continue;
            }
            let ply = trail.len();
            let found = self.look(ply, at(SAMPLED, ply))?;
            let found = self.add(found);
            self.nodes[node].branches[best].node = found;
            let plies = u32::try_from(ply).unwrap_or(0);
            self.deepest = self.deepest.max(plies + 1);
            break;
        }
        for (node, branch) in trail.into_iter().rev() {
            let Some(next) = self.nodes[node].branches[branch].node.map(index) else { continue };
            let mut worth = self.nodes[next].worth();
            if worth.value < -DECIDED && !self.nodes[next].is_complete && !self.nodes[next].is_wide
            {
                self.widen(next)?;
                worth = self.nodes[next].worth();
            }
            let branch = &mut self.nodes[node].branches[branch];
            branch.value = a_move_later(worth.value);
            branch.is_closed = worth.is_closed || self.path.len() > PLIES_MAX;
            branch.is_exact = worth.is_exact;
            branch.visits += 1;
            self.path.pop();
        }
        Ok(())
    }

    /// Looks at more moves of the last position of the path, where all that are known lose.
    fn widen(&mut self, node: usize) -> Result<(), Over> {
        if node == 0 {
            self.path.truncate(1);
        }
        let mut wide = self.look(self.path.len() - 1, WIDE)?;
        wide.is_wide = true;
        for branch in &mut wide.branches {
            let known = self.nodes[node].branches.iter().find(|known| known.mv == branch.mv);
            *branch = known.copied().unwrap_or(*branch);
        }
        self.size += wide.branches.len();
        self.nodes[node] = wide;
        Ok(())
    }

    /// Looks at the moves of the last position of the path.
    fn look(&mut self, ply: usize, most: usize) -> Result<Node, Over> {
        let board = self.path[self.path.len() - 1].0;
        let choice = Choice::new(&board);
        if let Some(mv) = choice.capture_of_all() {
            let win =
                Branch { mv, value: WIN, node: None, visits: 0, is_closed: true, is_exact: true };
            return Ok(Node { branches: vec![win], is_complete: true, is_wide: true });
        }
        let mut moves = Vec::with_capacity(most);
        let mut is_complete = false;
        if choice.count(most as u64).is_some() {
            is_complete = choice.all(&mut moves);
        } else {
            choice.sample(most, &mut self.chance, &mut moves);
        }
        let mut branches = Vec::with_capacity(moves.len());
        for mv in moves {
            branches.push(self.branch(&board, mv, ply));
            if self.control.node() {
                if ply > 0 {
                    return Err(Over);
                }
                is_complete = false;
                break;
            }
        }
        branches.sort_by_key(|branch| -branch.value);
        let kept = if most == WIDE { most } else { at(KEPT, ply) };
        if branches.len() > kept {
            is_complete &= branches[kept..].iter().all(|b| b.is_exact && b.value < -DECIDED);
            branches.truncate(kept);
            branches.shrink_to_fit();
        }
        Ok(Node { branches, is_complete, is_wide: false })
    }

    /// A move with the value of the position after it.
    fn branch(&self, board: &Board<W>, mv: Move, ply: usize) -> Branch {
        let mut after = *board;
        after.play(mv);
        let mut branch =
            Branch { mv, value: 0, node: None, visits: 0, is_closed: true, is_exact: true };
        match after.end() {
            Some(End::Won(seat)) => branch.value = if seat == board.seat() { WIN } else { -WIN },
            Some(End::Drawn) => branch.value = self.draw_at(ply),
            None if self.is_repeated(&after) => {
                (branch.value, branch.is_exact) = (self.draw_at(ply), false);
            }
            None => {
                let known = self.tables.as_ref().and_then(|tables| tables.verdict(&after));
                // A draw is not closed: the other seat may go wrong.
                branch.value = a_move_later(match known {
                    Some(Verdict::Win(plies)) => WIN + 1 - i32::from(plies),
                    Some(Verdict::Loss(plies)) => i32::from(plies) - WIN - 1,
                    Some(Verdict::Draw) | None => value(&after),
                });
                let is_decided = branch.value.abs() > DECIDED;
                (branch.is_closed, branch.is_exact) = (is_decided, is_decided);
            }
        }
        branch
    }

    const fn draw_at(&self, ply: usize) -> i32 {
        if ply.is_multiple_of(2) { self.draw } else { -self.draw }
    }

    fn is_repeated(&self, board: &Board<W>) -> bool {
        let hash = board.hash();
        self.path.iter().any(|&(_, passed)| passed == hash) || {
            // After a capture nothing occurs again.
            let root = &self.path[0].0;
            (0..2).all(|seat| board.pieces(seat) == root.pieces(seat))
                && self.seen.binary_search(&hash).is_ok()
        }
    }

    fn report(&mut self) {
        let lines = self.lines();
        self.control.set_fill((self.size, self.size_max));
        self.control.found(self.deepest, self.deepest, lines);
    }

    fn note(&mut self) {
        let lines = self.lines();
        self.control.note(self.deepest, self.deepest, lines);
    }

    fn lines(&self) -> Vec<Line> {
        // What was looked at most often has best stood the test; a value alone may be that of a
        // move to which nobody has looked for an answer.
        let rank = |branch: &&Branch| {
            let decided = if branch.value.abs() > DECIDED { branch.value } else { 0 };
            (-decided, Reverse(branch.visits), -branch.value)
        };
        let branches = self.nodes[0].branches.iter();
        let wanted = self.control.settings().lines;
        if wanted <= 1 {
            return branches.min_by_key(rank).map(|best| self.line(best)).into_iter().collect();
        }
        let mut best: Vec<_> = branches.collect();
        best.sort_by_key(rank);
        best.truncate(wanted);
        let mut lines: Vec<_> = best.into_iter().map(|branch| self.line(branch)).collect();
        lines.sort_by_key(|line| -line.value);
        lines
    }

    /// A move with the best answers that are known.
    fn line(&self, first: &Branch) -> Line {
        let mut board = self.path[0].0;
        let mut moves = Vec::new();
        let mut next = Some(first);
        while let Some(branch) = next {
            moves.push(board.text(branch.mv));
            board.play(branch.mv);
            next = branch.node.and_then(|node| {
                let branches = self.nodes[index(node)].branches.iter();
                branches.rev().max_by_key(|branch| (branch.value, branch.is_exact))
            });
        }
        let Branch { value, is_exact, .. } = *first;
        let is_decided = value.abs() > DECIDED;
        let distance = || u32::try_from(1 + WIN - value.abs()).unwrap_or(u32::MAX);
        Line {
            moves,
            value: match (is_decided, is_exact) {
                (true, true) => SCORE_MAX * value.signum(),
                (true, false) => (SCORE_MAX - 1) * value.signum(),
                (false, _) => (SCORE_MAX - 1) * value / (value.abs() + self.half),
            },
            exact: is_decided && is_exact,
            distance: (is_decided && is_exact).then(distance),
        }
    }
}
