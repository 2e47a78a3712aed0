//! The tree of positions that were looked at.

use std::{
    cmp::Reverse,
    num::NonZeroU32,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use rand::RngExt as _;

use super::{
    super::{
        Control, Line, SCORE_MAX, Verdict,
        native::{End, mix},
    },
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

/// How long a thread rests for which nothing is left to look at.
const IDLE: Duration = Duration::from_micros(50);

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
    /// Whether other threads look at all that it could tell.
    is_taken: bool,
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

impl Branch {
    /// A move that ends the game, in a draw until more is said.
    const fn ended(mv: Move) -> Self {
        Self {
            mv,
            value: 0,
            node: None,
            visits: 0,
            is_closed: true,
            is_taken: false,
            is_exact: true,
        }
    }
}

impl Node {
    /// Whether more of its moves can be looked at.
    const fn may_widen(&self) -> bool {
        !self.is_complete && !self.is_wide
    }

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

    fn is_taken(&self) -> bool {
        self.branches.iter().all(|branch| branch.is_closed || branch.is_taken)
    }

    /// The branch with a move, which was last seen at an index. A node that was widened has another
    /// order, and may have lost it.
    fn branch_mut(&mut self, index: usize, mv: Move) -> Option<&mut Branch> {
        let is_there = self.branches.get(index).is_some_and(|branch| branch.mv == mv);
        let place = || self.branches.iter().position(|branch| branch.mv == mv);
        let index = if is_there { Some(index) } else { place() };
        index.map(|index| &mut self.branches[index])
    }

    /// Of the moves that a further look can tell more about, the best or one of the next.
    fn best_open(&self, rank: usize) -> Option<usize> {
        let is_open = |branch: &Branch| !branch.is_closed && !branch.is_taken;
        let open = || self.branches.iter().enumerate().filter(|(_, branch)| is_open(branch));
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

/// What all threads of a thought have looked at.
struct Tree {
    nodes: Vec<Node>,
    /// Branches of all nodes.
    size: usize,
    deepest: u32,
}

/// What a thought knows before it begins.
struct Root<const W: usize> {
    /// The hashes of the game so far, in order.
    seen: Vec<u64>,
    board: Board<W>,
    tables: Option<Arc<Tables>>,
    /// How many branches there may be.
    size_max: usize,
    /// The value of a draw to the seat that thinks.
    draw: i32,
    /// The lead that half decides the game.
    half: i32,
}

/// What one thread does.
struct Worker<'t, 'c, const W: usize> {
    control: &'t mut Control<'c>,
    root: &'t Root<W>,
    tree: &'t Mutex<Tree>,
    chance: Chance,
    /// The positions from the root on, with their hashes.
    path: Vec<(Board<W>, u64)>,
}

/// A move on the way of a line through the tree: its node, its index there, and itself.
type Trail = Vec<(usize, usize, Move)>;

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
    let root = Root {
        seen,
        board,
        tables,
        size_max: (control.settings().hash_mb << 20) / size_of::<Branch>(),
        draw: -half * contempt / (1000 - contempt.abs()),
        half,
    };
    let tree = Mutex::new(Tree { nodes: Vec::new(), size: 0, deepest: 1 });
    let start = control.rng().random();
    let mut first = Worker::new(control, &root, &tree, Chance(start));
    if first.begin() {
        return;
    }
    let chance = first.chance;
    control.think_together(
        |control, number| {
            let chance = Chance(mix(start ^ number as u64));
            Worker::new(control, &root, &tree, chance).help(number);
        },
        |control| Worker::new(control, &root, &tree, chance).lead(),
    );
    Worker::new(control, &root, &tree, Chance(0)).note();
}

impl<'t, 'c, const W: usize> Worker<'t, 'c, W> {
    fn new(
        control: &'t mut Control<'c>,
        root: &'t Root<W>,
        tree: &'t Mutex<Tree>,
        chance: Chance,
    ) -> Self {
        let path = vec![(root.board, root.board.hash())];
        Self { control, root, tree, chance, path }
    }

    fn tree(&self) -> MutexGuard<'t, Tree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the root. Returns whether that is all.
    fn begin(&mut self) -> bool {
        let Ok(root) = self.look(0, at(SAMPLED, 0)) else { return true };
        let is_forced = root.is_complete && root.branches.len() == 1;
        self.tree().add(root);
        self.report();
        let lines = self.control.settings().lines.max(1);
        let is_timed = self.control.limits().time.is_some();
        lines == 1 && (self.hunts() || is_forced && is_timed)
    }

    /// Lets the tree grow until the thought is over.
    fn lead(&mut self) {
        let lines = self.control.settings().lines.max(1);
        for step in 0.. {
            let mut tree = self.tree();
            let worth = tree.nodes[0].worth();
            if worth.value < -DECIDED && tree.nodes[0].may_widen() {
                if self.widen(&mut tree, 0).is_err() {
                    break;
                }
                drop(tree);
                self.note();
                continue;
            }
            let deepest = tree.deepest;
            let is_full = tree.size >= self.root.size_max;
            drop(tree);
            if worth.is_closed || is_full || !self.control.may_deepen(deepest) {
                break;
            }
            if self.step(step % lines).is_err() {
                break;
            }
            if self.tree().deepest > deepest {
                self.report();
            } else if step % STEPS_PER_NOTE == 0 {
                self.note();
            }
        }
    }

    /// Lets the tree grow beside the thread that leads.
    fn help(&mut self, number: usize) {
        let lines = self.control.settings().lines.max(1);
        for step in number.. {
            let is_full = self.tree().size >= self.root.size_max;
            if is_full || self.control.look() || self.step(step % lines).is_err() {
                return;
            }
        }
    }

    /// Looks for a certain win where the other seat has its last piece. Returns whether there is one.
    fn hunts(&mut self) -> bool {
        let Root { board, seen, .. } = self.root;
        let found = hunt(board, seen, &mut self.chance, self.control);
        let Some(line) = found else { return false };
        let depth = line.distance.unwrap_or(1);
        self.control.found(depth, depth, vec![line]);
        true
    }

    /// Looks at one more position.
    fn step(&mut self, rank: usize) -> Result<(), Over> {
        self.path.truncate(1);
        let mut trail = Trail::new();
        let mut node = 0;
        let mut tree = self.tree();
        loop {
            let rank = if node == 0 { rank } else { 0 };
            let Some(best) = tree.nodes[node].best_open(rank) else { break };
            let Branch { mv, node: next, .. } = tree.nodes[node].branches[best];
            let mut board = self.path[trail.len()].0;
            board.play(mv);
            self.path.push((board, board.hash()));
            trail.push((node, best, mv));
            if let Some(next) = next {
                node = index(next);
                continue;
            }
            tree.take(&trail);
            drop(tree);
            let ply = trail.len();
            let found = self.look(ply, at(SAMPLED, ply))?;
            tree = self.tree();
            let found = tree.add(found);
            if let Some(branch) = tree.nodes[node].branch_mut(best, mv) {
                branch.node = found;
            }
            let plies = u32::try_from(ply).unwrap_or(0);
            tree.deepest = tree.deepest.max(plies + 1);
            break;
        }
        if trail.is_empty() {
            // The others look at all that is open.
            drop(tree);
            thread::sleep(IDLE);
            return Ok(());
        }
        self.back_up(&mut tree, &trail)
    }

    /// Carries the value of the last position of a trail to the root.
    fn back_up(&mut self, tree: &mut Tree, trail: &Trail) -> Result<(), Over> {
        for (ply, &(node, best, mv)) in trail.iter().enumerate().rev() {
            self.path.truncate(ply + 2);
            let Some(branch) = tree.nodes[node].branch_mut(best, mv) else { continue };
            branch.is_taken = false;
            let Some(next) = branch.node.map(index) else { continue };
            let mut worth = tree.nodes[next].worth();
            if worth.value < -DECIDED && tree.nodes[next].may_widen() {
                self.widen(tree, next)?;
                worth = tree.nodes[next].worth();
            }
            let is_taken = !worth.is_closed && tree.nodes[next].is_taken();
            let Some(branch) = tree.nodes[node].branch_mut(best, mv) else { continue };
            branch.value = a_move_later(worth.value);
            branch.is_closed = worth.is_closed || self.path.len() > PLIES_MAX;
            branch.is_taken = is_taken;
            branch.is_exact = worth.is_exact;
            branch.visits += 1;
        }
        Ok(())
    }

    /// Looks at more moves of the last position of the path, where all that are known lose.
    fn widen(&mut self, tree: &mut Tree, node: usize) -> Result<(), Over> {
        if node == 0 {
            self.path.truncate(1);
        }
        let mut wide = self.look(self.path.len() - 1, WIDE)?;
        wide.is_wide = true;
        for branch in &mut wide.branches {
            let known = tree.nodes[node].branches.iter().find(|known| known.mv == branch.mv);
            *branch = known.copied().unwrap_or(*branch);
        }
        tree.size += wide.branches.len();
        tree.nodes[node] = wide;
        Ok(())
    }

    /// Looks at the moves of the last position of the path.
    fn look(&mut self, ply: usize, most: usize) -> Result<Node, Over> {
        let board = self.path[self.path.len() - 1].0;
        let choice = Choice::new(&board);
        if let Some(mv) = choice.capture_of_all() {
            let win = Branch { value: WIN, ..Branch::ended(mv) };
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
        let mut branch = Branch::ended(mv);
        match after.end() {
            Some(End::Won(seat)) => branch.value = if seat == board.seat() { WIN } else { -WIN },
            Some(End::Drawn) => branch.value = self.draw_at(ply),
            None if self.is_repeated(&after) => {
                (branch.value, branch.is_exact) = (self.draw_at(ply), false);
            }
            None => {
                let known = self.root.tables.as_ref().and_then(|tables| tables.verdict(&after));
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
        if ply.is_multiple_of(2) { self.root.draw } else { -self.root.draw }
    }

    fn is_repeated(&self, board: &Board<W>) -> bool {
        let hash = board.hash();
        self.path.iter().any(|&(_, passed)| passed == hash) || {
            // After a capture nothing occurs again.
            let Root { board: root, seen, .. } = self.root;
            (0..2).all(|seat| board.pieces(seat) == root.pieces(seat))
                && seen.binary_search(&hash).is_ok()
        }
    }

    fn report(&mut self) {
        let (lines, deepest, size) = self.found();
        self.control.set_fill((size, self.root.size_max));
        self.control.found(deepest, deepest, lines);
    }

    fn note(&mut self) {
        let (lines, deepest, _) = self.found();
        self.control.note(deepest, deepest, lines);
    }

    /// The best lines, and how deep and large the tree is.
    fn found(&self) -> (Vec<Line>, u32, usize) {
        let tree = self.tree();
        let wanted = self.control.settings().lines;
        let best = tree.best(wanted).into_iter();
        let mut lines: Vec<_> = best.map(|best| tree.line(best, self.root)).collect();
        lines.sort_by_key(|line| -line.value);
        (lines, tree.deepest, tree.size)
    }
}

impl Tree {
    /// Adds a node. Returns its number if it is not the root.
    fn add(&mut self, node: Node) -> Option<NonZeroU32> {
        self.size += node.branches.len() + size_of::<Node>() / size_of::<Branch>() + 1;
        self.nodes.push(node);
        u32::try_from(self.nodes.len() - 1).ok().and_then(NonZeroU32::new)
    }

    /// Keeps the other threads away from the end of a trail.
    fn take(&mut self, trail: &Trail) {
        for &(node, best, _) in trail.iter().rev() {
            self.nodes[node].branches[best].is_taken = true;
            if !self.nodes[node].is_taken() {
                return;
            }
        }
    }

    /// The best moves at the root.
    fn best(&self, wanted: usize) -> Vec<&Branch> {
        // What was looked at most often has best stood the test; a value alone may be that of a
        // move to which nobody has looked for an answer.
        let rank = |branch: &&Branch| {
            let decided = if branch.value.abs() > DECIDED { branch.value } else { 0 };
            (-decided, Reverse(branch.visits), -branch.value)
        };
        let branches = self.nodes[0].branches.iter();
        if wanted <= 1 {
            return branches.min_by_key(rank).into_iter().collect();
        }
        let mut best: Vec<_> = branches.collect();
        best.sort_by_key(rank);
        best.truncate(wanted);
        best
    }

    /// A move with the best answers that are known.
    fn line<const W: usize>(&self, first: &Branch, root: &Root<W>) -> Line {
        let mut board = root.board;
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
                (false, _) => (SCORE_MAX - 1) * value / (value.abs() + root.half),
            },
            exact: is_decided && is_exact,
            distance: (is_decided && is_exact).then(distance),
        }
    }
}
