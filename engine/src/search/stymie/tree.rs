//! The tree: UCT with values of cells from all playouts below a node (RAVE), and proofs
//! (MCTS-Solver).

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a tree has fewer nodes than a u32 counts, and values need no more digits than an f32 has"
)]

use std::cmp::Reverse;

use super::{
    super::{Control, Line, SCORE_MAX},
    board::Board,
    fill::{Fill, PLAYOUTS},
    lattice::Lattice,
    proof::Outcome,
};

/// Visits of a move after which its own playouts count as much as the values of its cells.
const RAVE_VISITS: f32 = 30.0;

/// How much moves with few visits are preferred.
const EXPLORATION: f32 = 0.002;

/// Playouts that the value of a cell has before the first, as many won as in all.
const CELL_PRIOR: f32 = 16.0;

const NONE: u32 = u32::MAX;

/// A position of the tree.
#[derive(Debug, Clone)]
struct Node {
    /// The playouts through it, and those that the first seat has won.
    playouts: u32,
    won: u32,
    /// Whether the seat to move wins (1) or loses (-1), once that is proven.
    proven: i8,
    /// Its branches, once there are any.
    branches: u32,
}

impl Node {
    /// What orders the moves to positions: proven losses of the seat to move first, then visits.
    const fn rank(&self) -> (i8, u32) {
        (-self.proven, self.playouts)
    }
}

/// The moves of a position and what all playouts say of the cells.
#[derive(Debug)]
struct Branches {
    playouts: u32,
    won: u32,
    /// Cell by cell: the playouts in which the first seat has it, and those that it has won then.
    has: Vec<u32>,
    wins: Vec<u32>,
    /// The numbers of the moves. The first ones have been tried.
    moves: Vec<u16>,
    /// Their nodes.
    tried: Vec<u32>,
}

impl Branches {
    /// Works out what each free cell adds to the value of the position for a seat, and returns that
    /// value.
    fn weigh_cells<const W: usize>(&self, seat: u8, board: &Board<W>, gains: &mut [f32]) -> f32 {
        let (playouts, won) = (self.playouts as f32, self.won as f32);
        let base = if seat == 0 { won / playouts } else { 1.0 - won / playouts };
        let prior = CELL_PRIOR * base;
        for cell in board.free.iter() {
            let cell = usize::from(cell);
            let (has, wins) = (self.has[cell] as f32, self.wins[cell] as f32);
            let (count, wins) = if seat == 0 {
                (has, wins)
            } else {
                (playouts - has, (playouts - won) - (has - wins))
            };
            gains[cell] = (wins + prior) / (count + CELL_PRIOR) - base;
        }
        base
    }
}

/// A tree with everything that it takes to let it grow.
#[derive(Debug)]
pub(super) struct Tree<'a, const W: usize> {
    lattice: &'a Lattice<W>,
    root: Board<W>,
    fill: Fill,
    nodes: Vec<Node>,
    branches: Vec<Branches>,
    bytes: usize,
    bytes_max: usize,
    deepest: u32,
    /// Whether every move at the root is known to lose.
    is_lost: bool,
    /// What a cell is worth to the seat to move beyond the value of the position.
    gains: Vec<f32>,
    path: Vec<u32>,
    /// The nodes of moves at the root after which threats of the other seat were looked for.
    checked: Vec<u32>,
    /// Trees of the same position whose playouts are added to those of the moves at the root.
    others: Vec<Self>,
}

impl<'a, const W: usize> Tree<'a, W> {
    pub(super) fn new(
        lattice: &'a Lattice<W>,
        root: Board<W>,
        seed: u64,
        bytes_max: usize,
    ) -> Self {
        let fill = Fill::new(lattice, seed);
        let node = Node { playouts: 0, won: 0, proven: 0, branches: NONE };
        let mut tree = Self {
            lattice,
            root,
            fill,
            nodes: vec![node],
            branches: Vec::new(),
            bytes: 0,
            bytes_max,
            deepest: 0,
            is_lost: false,
            gains: vec![0.0; lattice.len()],
            path: Vec::new(),
            checked: Vec::new(),
            others: Vec::new(),
        };
        tree.branch_out(0, &root);
        tree
    }

    /// Whether the value of the root is proven.
    pub(super) fn is_proven(&self) -> bool {
        self.nodes[0].proven != 0
    }

    /// Whether there is only one move to think of.
    pub(super) fn is_forced(&self) -> bool {
        self.branches.first().is_some_and(|root| root.moves.len() == 1)
    }

    pub(super) const fn deepest(&self) -> u32 {
        self.deepest
    }

    /// The memory in use, and how much there may be.
    pub(super) const fn fill(&self) -> (usize, usize) {
        (self.bytes, self.bytes_max)
    }

    /// Adds what other trees of the same position say of the moves at the root. Counts are halved until
    /// the sum can be counted.
    pub(super) fn add(&mut self, mut others: Vec<Self>) {
        let trees = others.iter().chain([&*self]);
        let playouts: u64 = trees.map(|tree| u64::from(tree.nodes[0].playouts)).sum();
        let halvings = (u64::BITS - playouts.leading_zeros()).saturating_sub(u32::BITS);
        for tree in others.iter_mut().chain([&mut *self]).filter(|_| halvings > 0) {
            for node in &mut tree.nodes {
                node.playouts >>= halvings;
                node.won >>= halvings;
            }
        }
        for other in &others {
            self.add_one(other);
        }
        self.others = others;
    }

    fn add_one(&mut self, other: &Self) {
        if other.is_proven() {
            self.nodes[0].proven = other.nodes[0].proven;
        }
        let Some(theirs) = other.branches.first() else { return };
        for (&node, &number) in theirs.tried.iter().zip(&theirs.moves) {
            let moves = &self.branches[0].moves;
            let Some(index) = moves.iter().position(|&mv| mv == number) else { continue };
            let (mine, _) = self.child(0, index);
            let Node { playouts, won, proven, .. } = other.nodes[node as usize];
            let mine = &mut self.nodes[mine as usize];
            mine.playouts += playouts;
            mine.won += won;
            mine.proven = if proven == 0 { mine.proven } else { proven };
        }
    }

    /// Proves that the seat to move wins, if it has a move with threats that cannot all be stopped.
    pub(super) fn prove_threats(&mut self, control: &mut Control<'_>) {
        let Some(number) = self.decisive_threat(&self.root, control) else { return };
        let moves = &self.branches[0].moves;
        let Some(index) = moves.iter().position(|&mv| mv == number) else { return };
        let (node, _) = self.child(0, index);
        self.nodes[node as usize].proven = -1;
        self.nodes[0].proven = 1;
    }

    /// Proves that moves lose which look best, but let the other seat make such threats. A check
    /// counts as many nodes as there are placements.
    pub(super) fn check_best(&mut self, control: &mut Control<'_>) {
        while let Some((node, number)) = self.best_move() {
            if self.checked.contains(&node) || self.nodes[node as usize].proven != 0 {
                return;
            }
            let mut after = self.root;
            after.play(self.lattice, self.lattice.placements[usize::from(number)]);
            let is_lost = self.decisive_threat(&after, control).is_some();
            self.nodes[node as usize].proven = i8::from(is_lost);
            if control.count(self.lattice.placements.len() as u64) {
                return;
            }
            self.checked.push(node);
        }
    }

    /// The move that `lines` reports first.
    fn best_move(&self) -> Option<(u32, u16)> {
        let root = self.branches.first()?;
        let tried = root.tried.iter().copied().zip(root.moves.iter().copied());
        tried.min_by_key(|&(node, _)| Reverse(self.nodes[node as usize].rank()))
    }

    /// A move of the seat to move with threats that the other cannot all stop. Returns early if the
    /// thought is over.
    fn decisive_threat(&self, board: &Board<W>, control: &mut Control<'_>) -> Option<u16> {
        self.answers(board).into_iter().find(|&number| {
            let mut after = *board;
            after.play(self.lattice, self.lattice.placements[usize::from(number)]);
            !control.look()
                && after.winning_move(self.lattice).is_none()
                && after.is_threatened(self.lattice)
                && self.is_lost_in_two(&after, control)
        })
    }

    /// Whether the other seat wins at once after every move. No, if the thought is over before all
    /// have been looked at.
    fn is_lost_in_two(&self, board: &Board<W>, control: &mut Control<'_>) -> bool {
        let mut moves = board.maximal(self.lattice).into_iter();
        moves.all(|number| !control.look() && self.loses_at_once(board, number))
    }

    /// Whether the other seat wins at once after a move.
    fn loses_at_once(&self, board: &Board<W>, number: u16) -> bool {
        let mut after = *board;
        after.play(self.lattice, self.lattice.placements[usize::from(number)]);
        after.winning_move(self.lattice).is_some()
    }

    /// The moves of the seat to move after which the other does not win at once.
    fn answers(&self, board: &Board<W>) -> Vec<u16> {
        let mut moves = board.maximal(self.lattice);
        if board.is_threatened(self.lattice) {
            moves.retain(|&number| !self.loses_at_once(board, number));
        }
        moves
    }

    /// Gives a node its moves, and fills the board from there for a first value of the cells.
    fn branch_out(&mut self, node: u32, board: &Board<W>) {
        let moves = self.answers(board);
        if moves.is_empty() {
            self.nodes[node as usize].proven = -1;
            if node > 0 {
                return;
            }
        }
        // All moves lose: one of them must be made all the same.
        let moves = if moves.is_empty() { board.maximal(self.lattice) } else { moves };
        self.fill.run(self.lattice, board);
        self.bytes += self.lattice.len() * 8 + moves.len() * 2 + size_of::<Branches>();
        let branches = Branches {
            playouts: PLAYOUTS,
            won: self.fill.won,
            has: self.fill.has.clone(),
            wins: self.fill.wins.clone(),
            moves,
            tried: Vec::new(),
        };
        self.nodes[node as usize].branches = self.branches.len() as u32;
        self.branches.push(branches);
    }

    /// Lets the tree grow by one visit.
    pub(super) fn grow(&mut self) {
        let mut board = self.root;
        let mut node = 0;
        self.path.clear();
        self.path.push(0);
        loop {
            let Node { playouts, branches, .. } = self.nodes[node as usize];
            if branches != NONE {
                let index = self.select(branches as usize, board.to_move, &board);
                let (next, number) = self.child(branches as usize, index);
                board.play(self.lattice, self.lattice.placements[usize::from(number)]);
                node = next;
                self.path.push(node);
                if self.nodes[node as usize].proven != 0 {
                    break;
                }
                continue;
            }
            if playouts == 0 {
                if board.winning_move(self.lattice).is_some() {
                    self.nodes[node as usize].proven = 1;
                    break;
                }
            } else if self.bytes < self.bytes_max {
                self.branch_out(node, &board);
                if self.nodes[node as usize].proven != 0 {
                    break;
                }
                self.back_up_playouts();
                return;
            }
            self.fill.run(self.lattice, &board);
            self.back_up_playouts();
            return;
        }
        self.back_up_proof(board.to_move);
    }

    /// The node of a move, made if it is tried for the first time.
    fn child(&mut self, branches: usize, index: usize) -> (u32, u16) {
        let here = &mut self.branches[branches];
        let number = here.moves[index];
        if let Some(&node) = here.tried.get(index) {
            return (node, number);
        }
        let node = self.nodes.len() as u32;
        here.moves.swap(here.tried.len(), index);
        here.tried.push(node);
        self.nodes.push(Node { playouts: 0, won: 0, proven: 0, branches: NONE });
        self.bytes += size_of::<Node>();
        (node, number)
    }

    /// Chooses a move: the one with the best value, of its own playouts where there are many, of its
    /// cells where there are few.
    fn select(&mut self, branches: usize, seat: u8, board: &Board<W>) -> usize {
        let here = &self.branches[branches];
        let base = here.weigh_cells(seat, board, &mut self.gains);
        let by_cells = |number: u16| {
            let cells = self.lattice.placements[usize::from(number)];
            let cells = cells.cells().iter();
            base + cells.map(|&cell| self.gains[usize::from(cell)]).sum::<f32>()
        };
        let mut visits = 0.0;
        let mut shift = 0.0;
        for (&number, &node) in here.moves.iter().zip(&here.tried) {
            let node = &self.nodes[node as usize];
            if node.proven == 0 && node.playouts > 0 {
                let count = node.playouts as f32;
                visits += count;
                shift += count * (value(node, seat) - by_cells(number));
            }
        }
        // Cells say nothing of the other seat's answer: what it takes on average is taken off.
        let shift = if visits > 0.0 { shift / visits } else { 0.0 };
        let eager = EXPLORATION * (here.playouts as f32 / PLAYOUTS as f32).sqrt();
        let mut best = (f32::MIN, 0);
        for (index, (&number, &node)) in here.moves.iter().zip(&here.tried).enumerate() {
            let node = &self.nodes[node as usize];
            if node.proven == 1 {
                continue;
            }
            let count = node.playouts as f32 / PLAYOUTS as f32;
            let rave = (RAVE_VISITS / (3.0 * count + RAVE_VISITS)).sqrt();
            let own = if node.playouts > 0 { value(node, seat) } else { 0.0 };
            let rave = if node.playouts > 0 { rave } else { 1.0 };
            let score =
                (1.0 - rave) * own + rave * (by_cells(number) + shift) + eager / (1.0 + count);
            if score > best.0 {
                best = (score, index);
            }
        }
        let tried = here.tried.len();
        for (index, &number) in here.moves.iter().enumerate().skip(tried) {
            let score = by_cells(number) + shift + eager;
            if score > best.0 {
                best = (score, index);
            }
        }
        best.1
    }

    /// Adds the last playouts to all nodes of the path.
    fn back_up_playouts(&mut self) {
        self.deepest = self.deepest.max(self.path.len() as u32 - 1);
        for &node in &self.path {
            let node = &mut self.nodes[node as usize];
            node.playouts += PLAYOUTS;
            node.won += self.fill.won;
            let Some(here) = self.branches.get_mut(node.branches as usize) else { continue };
            here.playouts += PLAYOUTS;
            here.won += self.fill.won;
            for (sum, more) in here.has.iter_mut().zip(&self.fill.has) {
                *sum += more;
            }
            for (sum, more) in here.wins.iter_mut().zip(&self.fill.wins) {
                *sum += more;
            }
        }
    }

    /// Carries the proof at the end of the path up as far as it goes. Above that, it counts as
    /// playouts with one winner. `seat` is to move at the end of the path.
    fn back_up_proof(&mut self, seat: u8) {
        let mut below = self.path.len() - 1;
        while below > 0 {
            let (node, above) = (self.path[below] as usize, self.path[below - 1] as usize);
            if self.nodes[node].proven == -1 {
                self.nodes[above].proven = 1;
            } else {
                let here = &self.branches[self.nodes[above].branches as usize];
                let all = here.tried.len() == here.moves.len();
                let lost = |&node: &u32| self.nodes[node as usize].proven == 1;
                if !all || !here.tried.iter().all(lost) {
                    break;
                }
                self.nodes[above].proven = -1;
            }
            below -= 1;
        }
        let last = self.path.len() - 1;
        let proven = self.nodes[self.path[last] as usize].proven;
        let winner = if proven == 1 { seat } else { 1 - seat };
        // The seat that loses goes elsewhere the next time: its node is not made worse by that.
        for &node in &self.path[..below] {
            let node = &mut self.nodes[node as usize];
            node.playouts += 1;
            node.won += u32::from(winner == 0);
        }
    }

    /// Takes note of who wins the position at the root. Which move loses last remains to be found.
    pub(super) fn settle(&mut self, outcome: Outcome) {
        let Outcome::Win(placement) = outcome else {
            self.is_lost = true;
            return;
        };
        let mut placements = self.lattice.placements.iter();
        let number = placements
            .position(|&known| known == placement)
            .expect("a proof has legal moves") as u16;
        let moves = &mut self.branches[0].moves;
        let index = moves.iter().position(|&mv| mv == number).unwrap_or(moves.len());
        if index == moves.len() {
            moves.push(number);
        }
        let (child, _) = self.child(0, index);
        self.nodes[child as usize].proven = -1;
        self.nodes[0].proven = 1;
    }

    /// The best moves with their continuations, the best first.
    pub(super) fn lines(&self, most: usize) -> Vec<Line> {
        let seat = self.root.to_move;
        let Some(root) = self.branches.first() else { return Vec::new() };
        let mut order: Vec<usize> = (0..root.tried.len()).collect();
        let rank = |&index: &usize| self.nodes[root.tried[index] as usize].rank();
        order.sort_by_key(|index| Reverse(rank(index)));
        let lost = self.is_lost || self.nodes[0].proven == -1;
        if order.is_empty() {
            let text = self.lattice.text(self.lattice.placements[usize::from(root.moves[0])]);
            let value = if lost { -SCORE_MAX } else { 0 };
            return vec![Line { moves: vec![text], value, exact: lost, distance: None }];
        }
        let line = |index: usize| {
            let node = &self.nodes[root.tried[index] as usize];
            let mut moves = vec![self.text(root.moves[index])];
            self.continue_from_root(root.moves[index], &mut moves);
            let value = if lost { -SCORE_MAX } else { score(node, seat) };
            Line { moves, value, exact: lost || node.proven != 0, distance: None }
        };
        order.into_iter().take(most).map(line).collect()
    }

    fn text(&self, number: u16) -> String {
        self.lattice.text(self.lattice.placements[usize::from(number)])
    }

    /// The node of a move at the root.
    fn at_root(&self, number: u16) -> Option<u32> {
        let root = self.branches.first()?;
        let index = root.moves.iter().position(|&mv| mv == number)?;
        root.tried.get(index).copied()
    }

    /// Adds the moves after one at the root, by the tree that has tried it most.
    fn continue_from_root(&self, number: u16, moves: &mut Vec<String>) {
        let Some(node) = self.at_root(number) else { return };
        let playouts = |tree: &Self, node: u32| tree.nodes[node as usize].playouts;
        let of_others: Vec<_> = self
            .others
            .iter()
            .filter_map(|tree| tree.at_root(number).map(|node| (playouts(tree, node), node, tree)))
            .collect();
        let own = playouts(self, node) - of_others.iter().map(|other| other.0).sum::<u32>();
        match of_others.into_iter().max_by_key(|other| other.0) {
            Some((most, node, tree)) if most > own => tree.continue_line(node, moves),
            _ => self.continue_line(node, moves),
        }
    }

    /// Adds the moves that were tried most.
    fn continue_line(&self, mut node: u32, moves: &mut Vec<String>) {
        while let Some(here) = self.branches.get(self.nodes[node as usize].branches as usize) {
            let tried = here.tried.iter().zip(&here.moves);
            let rank = |node: u32| self.nodes[node as usize].rank();
            let Some((&next, &number)) = tried.max_by_key(|(node, _)| rank(**node)) else { return };
            moves.push(self.text(number));
            node = next;
        }
    }
}

/// The value of a node for a seat, from 0 to 1.
fn value(node: &Node, seat: u8) -> f32 {
    let won = node.won as f32 / node.playouts as f32;
    if seat == 0 { won } else { 1.0 - won }
}

/// The value of the position after a move as a score for the seat that makes it.
fn score(node: &Node, seat: u8) -> i32 {
    match node.proven {
        0 if node.playouts == 0 => 0,
        0 => ((value(node, seat) - 0.5) * 1998.0) as i32,
        proven => -SCORE_MAX * i32::from(proven),
    }
}
