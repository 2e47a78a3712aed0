//! The search of Adamas: unbounded best-first minimax. Again and again it follows the best known
//! moves to the end of what is known, looks at moves from there, and carries what they are worth
//! back to the root. Lines that force something become long by themselves.

use super::{
    moves::{Chance, Move},
    position::Adamas,
    tree::{Status, Summary, Tree},
    value::{DECIDED, WIN, judge, of_score, score},
};
use crate::search::{
    Control, Line,
    native::{End, Native as _},
};

/// Moves that are sampled at the root, one ply further, and so on.
const SAMPLES: [usize; 4] = [2_500, 400, 200, 150];

/// How many times as many moves are sampled where all that are known lose, and how often.
const WIDENING: usize = 4;
const WIDENINGS: u32 = 2;

/// Plies of a line, at the most.
const PLIES_MAX: usize = 200;

/// Places for the positions behind the moves of one node: well above the moves of any sample.
const PLACES: usize = 1 << 16;

/// Lines that are followed between two reports.
const FOLLOWED_PER_REPORT: u32 = 64;

struct Thought<'t, 'c> {
    control: &'t mut Control<'c>,
    tree: Tree,
    branches_max: usize,
    plies_max: usize,
    /// The hashes of the game so far, in order.
    seen: Vec<u64>,
    /// The positions from the root on, with their hashes.
    path: Vec<(Adamas, u64)>,
    met: Met,
    sample: Vec<Move>,
    seed: u64,
    /// The value of a draw to the seat that thinks.
    draw: i32,
    me: usize,
    longest: usize,
}

/// Thinks about a position until the control or a proof ends it.
pub(super) fn think(root: &Adamas, seen: &[u64], control: &mut Control<'_>) {
    let mut seen = seen.to_vec();
    seen.sort_unstable();
    let limits = control.limits();
    let depth = limits.depth.and_then(|depth| usize::try_from(depth).ok());
    let settings = control.settings();
    let mut thought = Thought {
        tree: Tree::default(),
        branches_max: Tree::branches_in(settings.hash_mb.max(1)),
        plies_max: depth.unwrap_or(PLIES_MAX).clamp(1, PLIES_MAX),
        control,
        seen,
        path: vec![(*root, root.hash())],
        met: Met::new(),
        sample: Vec::new(),
        seed: settings.seed,
        draw: -of_score(settings.contempt),
        me: root.to_move(),
        longest: 1,
    };
    thought.run(root);
}

impl Thought<'_, '_> {
    fn run(&mut self, root: &Adamas) {
        let is_complete = self.sample_moves(root, 0, 1);
        if let Some(mv) = self.winning_move(root) {
            let value = score(WIN, true);
            let won = Line { moves: vec![root.text(mv)], value, exact: true, distance: Some(1) };
            self.control.found(1, 1, vec![won]);
            if self.control.settings().lines <= 1 {
                return;
            }
        }
        let Some(node) = self.expand(root, 0, is_complete) else { return };
        let mut node = node;
        self.report(root, node);
        let mut followed = 0;
        while !self.control.is_over() && self.control.may_deepen(0) {
            if self.tree.branches() >= self.branches_max {
                let (kept, root) = self.tree.compacted(node);
                (self.tree, node) = (kept, root);
                if self.tree.branches() > self.branches_max / 4 * 3 {
                    break;
                }
            }
            if self.tree.summary(node, DECIDED).status != Status::Open {
                match self.widen(root, node, 0) {
                    Some(wider) => node = wider,
                    None => break,
                }
            }
            self.follow(root, node);
            followed += 1;
            if followed % FOLLOWED_PER_REPORT == 0 {
                self.report(root, node);
            }
        }
        let lines = self.lines(root, node);
        self.control.found(length_of(&lines), self.seldepth(), lines);
    }

    /// Samples moves of a position, `times` as many as usual, and says whether these are all.
    fn sample_moves(&mut self, position: &Adamas, ply: usize, times: usize) -> bool {
        let most = SAMPLES[ply.min(SAMPLES.len() - 1)] * times;
        let mut chance = Chance(self.seed ^ position.hash() ^ times as u64);
        self.sample.clear();
        position.sample(most, &mut chance, &mut self.sample)
    }

    /// A sampled move that wins at once.
    fn winning_move(&self, root: &Adamas) -> Option<Move> {
        self.sample.iter().copied().find(|&mv| {
            let mut after = *root;
            after.play(mv);
            after.end() == Some(End::Won(root.to_move()))
        })
    }

    /// Makes a node with the sampled moves; `None` if the search is over before.
    fn expand(&mut self, position: &Adamas, ply: usize, is_complete: bool) -> Option<u32> {
        let first = self.tree.begin();
        self.met.clear();
        self.add_branches(position, ply, first, is_complete, 0)
    }

    /// Adds the sampled moves that lead to new positions to the node that begins at `first`.
    fn add_branches(
        &mut self,
        position: &Adamas,
        ply: usize,
        first: usize,
        mut is_complete: bool,
        widened: u32,
    ) -> Option<u32> {
        let sample = std::mem::take(&mut self.sample);
        for &mv in &sample {
            let mut after = *position;
            after.play(mv);
            let hash = after.hash();
            if !self.met.insert(hash) {
                continue;
            }
            let (value, status) = self.judge(position.to_move(), &after, hash, ply + 1);
            self.tree.add(mv, value, status);
            if self.control.node() {
                is_complete = false;
                break;
            }
        }
        self.sample = sample;
        if self.control.is_over() && (ply > 0 || widened > 0) {
            self.tree.cancel(first);
            return None;
        }
        Some(self.tree.end(first, is_complete, widened))
    }

    /// The value of a move to the seat that makes it, by the position behind it.
    fn judge(&self, mover: usize, after: &Adamas, hash: u64, plies: usize) -> (i32, Status) {
        match after.end() {
            Some(End::Won(winner)) if winner == mover => (won_after(plies), Status::Proven),
            Some(End::Won(_)) => (-won_after(plies), Status::Proven),
            Some(End::Drawn) => (self.draw_to(mover), Status::Proven),
            None => match self.occurrences(hash) {
                0 => {
                    let judgement = judge(after);
                    if judgement.wins {
                        return (-won_after(plies + 1), Status::Proven);
                    }
                    let is_last = plies >= self.plies_max;
                    let status = if is_last { Status::Closed } else { Status::Open };
                    (-judgement.value, status)
                }
                1 => (self.draw_to(mover), Status::Closed),
                _ => (self.draw_to(mover), Status::Proven),
            },
        }
    }

    /// How often a position has occurred, in the game or, at most once, on the way to it.
    fn occurrences(&self, hash: u64) -> usize {
        let start = self.seen.partition_point(|&seen| seen < hash);
        let in_game = self.seen[start..].iter().take_while(|&&seen| seen == hash).count();
        let on_path = self.path.iter().any(|&(_, passed)| passed == hash);
        in_game.max(usize::from(on_path))
    }

    const fn draw_to(&self, seat: usize) -> i32 {
        if seat == self.me { self.draw } else { -self.draw }
    }

    /// Follows the best open moves, looks further there, and carries the values back.
    fn follow(&mut self, root: &Adamas, root_node: u32) {
        self.path.truncate(1);
        let mut branches = Vec::with_capacity(16);
        let (mut position, mut node) = (*root, root_node);
        while let Some(branch) = self.tree.best_open(node) {
            branches.push(branch);
            position.play(self.tree.mv(branch));
            self.path.push((position, position.hash()));
            if let Some(child) = self.tree.child(branch) {
                node = child;
                continue;
            }
            let ply = branches.len();
            let is_complete = self.sample_moves(&position, ply, 1);
            let Some(child) = self.expand(&position, ply, is_complete) else { return };
            self.tree.attach(branch, child);
            break;
        }
        self.longest = self.longest.max(branches.len() + 1);
        while let Some(branch) = branches.pop() {
            let Some(child) = self.tree.child(branch) else { continue };
            let mut below = self.tree.summary(child, DECIDED);
            let ply = branches.len() + 1;
            if below.status == Status::Closed && below.value < -DECIDED {
                let position = self.path[ply].0;
                self.path.truncate(ply + 1);
                if let Some(wider) = self.widen(&position, child, ply) {
                    self.tree.attach(branch, wider);
                    below = self.tree.summary(wider, DECIDED);
                }
            }
            self.tree.update(branch, below);
        }
    }

    /// Samples more moves of a node that has others and whose known moves lose.
    fn widen(&mut self, position: &Adamas, node: u32, ply: usize) -> Option<u32> {
        let widened = self.tree.widened(node) + 1;
        let Summary { value, .. } = self.tree.summary(node, DECIDED);
        if self.tree.is_complete(node) || widened > WIDENINGS || value >= -DECIDED {
            return None;
        }
        let is_complete = self.sample_moves(position, ply, WIDENING.pow(widened));
        let first = self.tree.begin();
        self.met.clear();
        for branch in self.tree.branches_of(node) {
            let mut after = *position;
            after.play(self.tree.mv(branch));
            self.met.insert(after.hash());
            self.tree.repeat(branch);
        }
        self.add_branches(position, ply, first, is_complete, widened)
    }

    /// The branches of the root, the best first: what is sure to win, then what was looked at most
    /// often, unless something that needs no look is worth more.
    fn ranked(&self, node: u32) -> Vec<usize> {
        let tree = &self.tree;
        let mut branches: Vec<_> = tree.branches_of(node).collect();
        let key = |&branch: &usize| {
            let (value, visits) = (tree.value(branch), tree.visits(branch));
            let rank = if value > DECIDED {
                (2, value, 0)
            } else if value < -DECIDED {
                (0, value, 0)
            } else {
                (1, i32::try_from(visits).unwrap_or(i32::MAX), value)
            };
            std::cmp::Reverse(rank)
        };
        branches.sort_by_key(key);
        let Some(&first) = branches.first() else { return branches };
        let settled = branches.iter().enumerate().filter(|&(_, &branch)| {
            tree.status(branch) != Status::Open && tree.value(branch) > tree.value(first)
        });
        let better =
            settled.max_by_key(|&(index, &branch)| (tree.value(branch), std::cmp::Reverse(index)));
        if let Some((index, _)) = better {
            branches[..=index].rotate_right(1);
        }
        branches
    }

    fn lines(&self, root: &Adamas, node: u32) -> Vec<Line> {
        let wanted = self.control.settings().lines.max(1);
        let is_proven = self.tree.summary(node, DECIDED).status == Status::Proven;
        let ranked = self.ranked(node);
        ranked
            .iter()
            .take(wanted)
            .enumerate()
            .map(|(index, &branch)| {
                let value = self.tree.value(branch);
                // Moves that are not known could be better than the best.
                let exact = self.tree.status(branch) == Status::Proven
                    && (index > 0 || is_proven || value > DECIDED);
                let is_decided = exact && value.abs() > DECIDED;
                let distance = is_decided.then(|| (WIN - value.abs()).cast_unsigned());
                let moves = self.continuation(root, branch);
                Line { moves, value: score(value, exact), exact, distance }
            })
            .collect()
    }

    fn continuation(&self, root: &Adamas, branch: usize) -> Vec<String> {
        let mut position = *root;
        let mut moves = Vec::new();
        let mut next = Some(branch);
        while let Some(branch) = next {
            let mv = self.tree.mv(branch);
            moves.push(position.text(mv));
            position.play(mv);
            next = self.tree.child(branch).and_then(|child| self.tree.best(child));
        }
        moves
    }

    fn report(&mut self, root: &Adamas, node: u32) {
        let lines = self.lines(root, node);
        let full = self.tree.branches() * 1000 / self.branches_max;
        self.control.set_hashfull(u32::try_from(full).unwrap_or(1000));
        self.control.note(length_of(&lines), self.seldepth(), lines);
    }

    fn seldepth(&self) -> u32 {
        u32::try_from(self.longest).unwrap_or(u32::MAX)
    }
}

/// The moves of the best line.
fn length_of(lines: &[Line]) -> u32 {
    let moves = lines.first().map_or(1, |line| line.moves.len());
    u32::try_from(moves).unwrap_or(u32::MAX)
}

/// The value of a win so many moves from the root.
fn won_after(plies: usize) -> i32 {
    WIN - i32::try_from(plies).unwrap_or(0)
}

/// The positions behind the moves of one node, so that of several moves to one position a single
/// one is kept.
struct Met {
    places: Vec<(u64, u32)>,
    turn: u32,
}

impl Met {
    fn new() -> Self {
        Self { places: vec![(0, 0); PLACES], turn: 0 }
    }

    fn clear(&mut self) {
        self.turn += 1;
    }

    /// Adds a position. Returns whether it is new.
    fn insert(&mut self, hash: u64) -> bool {
        #[expect(clippy::cast_possible_truncation, reason = "any part of a hash will do")]
        let mut place = hash as usize % PLACES;
        while self.places[place].1 == self.turn {
            if self.places[place].0 == hash {
                return false;
            }
            place = (place + 1) % PLACES;
        }
        self.places[place] = (hash, self.turn);
        true
    }
}
