//! The tree of a best-first search: nodes and their branches, side by side in memory.

use super::moves::Move;

/// Bytes that a branch takes in all arrays.
const BRANCH_BYTES: usize = size_of::<Move>() + 4 + 4 + 4 + 1;

/// No node.
const NONE: u32 = u32::MAX;

/// What is known of a branch for good.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Status {
    /// It can be searched further.
    Open,
    /// Nothing more is to be found out, though nothing is proven.
    Closed,
    /// Its value is proven.
    Proven,
}

/// A position of the tree by its branches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    first: u32,
    len: u32,
    /// Whether the branches are all moves.
    is_complete: bool,
    /// How often more moves were sampled.
    widened: u32,
}

/// What the branches of a node come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Summary {
    /// The value for the seat to move.
    pub(super) value: i32,
    pub(super) status: Status,
}

/// Branches of a node that are kept, besides those that were followed, where memory is short.
const KEPT: usize = 24;

/// All nodes and branches.
#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    moves: Vec<Move>,
    values: Vec<i32>,
    children: Vec<u32>,
    visits: Vec<u32>,
    statuses: Vec<Status>,
}

impl Tree {
    /// How many branches fit into so many MiB.
    pub(super) const fn branches_in(mb: usize) -> usize {
        (mb << 20) / BRANCH_BYTES
    }

    /// How many branches there are.
    pub(super) fn branches(&self) -> usize {
        self.moves.len()
    }

    /// Begins a node, whose branches are added behind all others.
    pub(super) fn begin(&mut self) -> usize {
        self.moves.len()
    }

    /// Adds a branch to the node that is begun.
    pub(super) fn add(&mut self, mv: Move, value: i32, status: Status) {
        self.moves.push(mv);
        self.values.push(value);
        self.children.push(NONE);
        self.visits.push(0);
        self.statuses.push(status);
    }

    /// Adds a branch of another node to the node that is begun, with all that is known behind it.
    pub(super) fn repeat(&mut self, branch: usize) {
        self.moves.push(self.moves[branch]);
        self.values.push(self.values[branch]);
        self.children.push(self.children[branch]);
        self.visits.push(self.visits[branch]);
        self.statuses.push(self.statuses[branch]);
    }

    /// Takes the branches of an unfinished node away.
    pub(super) fn cancel(&mut self, first: usize) {
        self.moves.truncate(first);
        self.values.truncate(first);
        self.children.truncate(first);
        self.visits.truncate(first);
        self.statuses.truncate(first);
    }

    /// Completes a node.
    #[expect(clippy::cast_possible_truncation, reason = "memory is bounded far below")]
    pub(super) fn end(&mut self, first: usize, is_complete: bool, widened: u32) -> u32 {
        let len = self.moves.len() - first;
        self.nodes.push(Node { first: first as u32, len: len as u32, is_complete, widened });
        self.nodes.len() as u32 - 1
    }

    /// The branches of a node, by their places.
    pub(super) fn branches_of(&self, node: u32) -> std::ops::Range<usize> {
        let Node { first, len, .. } = self.nodes[node as usize];
        first as usize..first as usize + len as usize
    }

    /// Whether the branches of a node are all moves.
    pub(super) fn is_complete(&self, node: u32) -> bool {
        self.nodes[node as usize].is_complete
    }

    /// How often more moves of a node were sampled.
    pub(super) fn widened(&self, node: u32) -> u32 {
        self.nodes[node as usize].widened
    }

    pub(super) fn mv(&self, branch: usize) -> Move {
        self.moves[branch]
    }

    pub(super) fn value(&self, branch: usize) -> i32 {
        self.values[branch]
    }

    pub(super) fn visits(&self, branch: usize) -> u32 {
        self.visits[branch]
    }

    pub(super) fn status(&self, branch: usize) -> Status {
        self.statuses[branch]
    }

    /// The node behind a branch, if it is searched.
    pub(super) fn child(&self, branch: usize) -> Option<u32> {
        let child = self.children[branch];
        (child != NONE).then_some(child)
    }

    pub(super) fn attach(&mut self, branch: usize, child: u32) {
        self.children[branch] = child;
    }

    /// Takes note of what is known behind a branch, from the view of the seat behind it.
    pub(super) fn update(&mut self, branch: usize, below: Summary) {
        self.values[branch] = -below.value;
        self.statuses[branch] = below.status;
        self.visits[branch] += 1;
    }

    /// The open branch of the best value, if any is open.
    pub(super) fn best_open(&self, node: u32) -> Option<usize> {
        let mut best = None;
        let mut most = i32::MIN;
        for branch in self.branches_of(node) {
            if self.statuses[branch] == Status::Open && self.values[branch] > most {
                most = self.values[branch];
                best = Some(branch);
            }
        }
        best
    }

    /// The branch of the best value.
    pub(super) fn best(&self, node: u32) -> Option<usize> {
        let mut best: Option<usize> = None;
        for branch in self.branches_of(node) {
            if best.is_none_or(|best| self.values[branch] > self.values[best]) {
                best = Some(branch);
            }
        }
        best
    }

    /// What the branches of a node come to: it is won by a proven win, and anything else is proven
    /// only if all moves are known and proven.
    pub(super) fn summary(&self, node: u32, decided: i32) -> Summary {
        let (mut value, mut status) = (i32::MIN + 1, Status::Open);
        let (mut has_open, mut all_proven) = (false, self.nodes[node as usize].is_complete);
        for branch in self.branches_of(node) {
            if self.values[branch] > value {
                (value, status) = (self.values[branch], self.statuses[branch]);
            }
            has_open |= self.statuses[branch] == Status::Open;
            all_proven &= self.statuses[branch] == Status::Proven;
        }
        let is_won = status == Status::Proven && value > decided;
        let status = if is_won || all_proven {
            Status::Proven
        } else if has_open && !(status == Status::Closed && value > decided) {
            Status::Open
        } else {
            Status::Closed
        };
        Summary { value, status }
    }

    /// The same tree with the branches that matter, and its root. Only that keeps all of its own.
    pub(super) fn compacted(&self, root: u32) -> (Self, u32) {
        let mut kept = Self::default();
        let root = self.copy(root, usize::MAX, &mut kept);
        (kept, root)
    }

    fn copy(&self, node: u32, most: usize, kept: &mut Self) -> u32 {
        let mut branches: Vec<_> = self.branches_of(node).collect();
        let len = branches.len();
        if len > most {
            let rank = |&branch: &usize| (self.child(branch).is_none(), -self.values[branch]);
            branches.sort_by_key(rank);
            let followed = branches.iter().filter(|&&branch| self.child(branch).is_some()).count();
            branches.truncate(most + followed);
        }
        let first = kept.begin();
        for &branch in &branches {
            kept.moves.push(self.moves[branch]);
            kept.values.push(self.values[branch]);
            kept.children.push(NONE);
            kept.visits.push(self.visits[branch]);
            kept.statuses.push(self.statuses[branch]);
        }
        let is_complete = self.is_complete(node) && branches.len() == len;
        let copy = kept.end(first, is_complete, self.widened(node));
        for (index, &branch) in branches.iter().enumerate() {
            if let Some(child) = self.child(branch) {
                let child = self.copy(child, KEPT, kept);
                kept.children[first + index] = child;
            }
        }
        copy
    }
}
