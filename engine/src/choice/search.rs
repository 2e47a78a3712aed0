//! The level `hard-0.1`, against which strength is measured: what it plays never changes. It is also
//! the search of games that have none of their own in [`search`](crate::search).
//!
//! It is alpha-beta with iterative deepening. Some moves of a position are sampled, and those with
//! the best static value are expanded. All other seats are assumed to play against the seat that
//! chooses, so that two and three players are searched alike.

use adamant_rules::{Consequence, Move, Position, Seat, SeatSet};

use crate::choice::eval::{self, GAME};

/// Maximum number of moves that one choice evaluates, not counting the last expanded position.
/// Crowded boards of stacks cost more. A choice takes less than 0.3 seconds on one core, usually
/// less than 0.1.
pub const NODE_BUDGET: u64 = 20_000;

/// Maximum search depth in moves.
const PLIES_MAX: u32 = 24;

/// Minimum value of a position in which the game is won.
const DECIDED: i64 = GAME - PLIES_MAX as i64;

/// The numbers of moves of a position that are evaluated and expanded.
struct Beam {
    sampled: usize,
    expanded: usize,
}

/// Beams by distance from the root: no move that wins now is overlooked, and hardly one by which
/// the next seat wins.
const BEAMS: [Beam; 3] = [
    Beam { sampled: 2_000, expanded: 20 },
    Beam { sampled: 400, expanded: 8 },
    Beam { sampled: 200, expanded: 6 },
];

/// Returns the index of the beam `distance` moves ahead.
fn beam_at(distance: u32) -> usize {
    BEAMS.len().min(distance as usize + 1) - 1
}

/// A position of the search tree.
struct Node {
    position: Position,
    /// Empty until the node is expanded; the seat to move always has a move.
    branches: Vec<Branch>,
}

/// A move of the search tree.
struct Branch {
    mv: Move,
    /// Its value for the seat that chooses, as far as it is searched.
    value: i64,
    /// The position after it; `None` if the game is decided.
    after: Option<Node>,
}

/// The search budget is exhausted, or the search is halted.
struct BudgetExhausted;

/// Who hears what a search does, and may halt it before its budget is exhausted.
pub(crate) trait Watch {
    /// Counts a move that is evaluated, by its cost. Returns whether to halt.
    fn halts(&mut self, cost: u64) -> bool;
    /// Hears of all moves at the root with their values at a glance, the best first.
    fn valued(&mut self, _moves: &mut dyn Iterator<Item = (&Move, i64)>) {}
    /// Hears of the best move after all were searched to a depth.
    fn found(&mut self, _best: &BestMove) {}
}

/// A search that only its budget ends.
impl Watch for () {
    fn halts(&mut self, _cost: u64) -> bool {
        false
    }
}

struct Search<'a, W> {
    me: Seat,
    seen: &'a [u64],
    left: u64,
    pick: &'a mut dyn FnMut(usize) -> usize,
    watch: &'a mut W,
}

/// The best move that was found.
#[derive(Clone)]
pub(crate) struct BestMove {
    pub(crate) mv: Move,
    /// Its value for the seat that makes it.
    pub(crate) value: i64,
    /// The depth to which all moves were searched.
    pub(crate) depth: u32,
}

/// Returns the best move found within the budget. A position that has occurred before counts as a
/// draw, so that the seat that is ahead makes progress.
pub(crate) fn best(
    seen: &[u64],
    position: &Position,
    budget: u64,
    pick: &mut dyn FnMut(usize) -> usize,
) -> Option<BestMove> {
    best_under(seen, position, budget, pick, &mut ())
}

/// Like [`best`], under a watch.
pub(crate) fn best_under(
    seen: &[u64],
    position: &Position,
    budget: u64,
    pick: &mut dyn FnMut(usize) -> usize,
    watch: &mut impl Watch,
) -> Option<BestMove> {
    let mut search = Search { me: position.to_move(), seen, left: budget, pick, watch };
    let mut root = Node { position: position.clone(), branches: Vec::new() };
    let mut searched = 0;
    let best = |root: &Node, depth| {
        let Branch { mv, value, .. } = root.branches.first()?;
        Some(BestMove { mv: mv.clone(), value: *value, depth })
    };
    for depth in 1..=PLIES_MAX {
        let Ok(value) = search.search(&mut root, depth, 0, (-GAME, GAME)) else { break };
        searched = depth;
        if depth == 1 {
            let mut moves = root.branches.iter().map(|branch| (&branch.mv, branch.value));
            search.watch.valued(&mut moves);
        }
        if let Some(best) = best(&root, depth) {
            search.watch.found(&best);
        }
        if root.branches.len() <= 1 || value.abs() >= DECIDED {
            break;
        }
    }
    best(&root, searched)
}

impl<W: Watch> Search<'_, W> {
    /// Returns the value of a position searched to `depth`; exact if it lies within the bounds.
    /// Moves the best branch to the front, also if the budget runs out before all branches are
    /// known.
    fn search(
        &mut self,
        node: &mut Node,
        depth: u32,
        distance: u32,
        (mut alpha, mut beta): (i64, i64),
    ) -> Result<i64, BudgetExhausted> {
        if node.branches.is_empty() {
            if self.left == 0 {
                return Err(BudgetExhausted);
            }
            node.branches = self.branches(&node.position, distance)?;
        }
        let mine = node.position.to_move() == self.me;
        let mut best = None;
        let mut exhausted = false;
        let expanded = BEAMS[beam_at(distance)].expanded;
        for (index, branch) in node.branches.iter_mut().enumerate() {
            // The other moves are tried only if all expanded moves lose the game.
            if index >= expanded && best.is_some_and(|(best, _)| best > -DECIDED) {
                break;
            }
            if depth > 1
                && let Some(after) = &mut branch.after
            {
                let Ok(value) = self.search(after, depth - 1, distance + 1, (alpha, beta)) else {
                    exhausted = true;
                    break;
                };
                branch.value = value;
            }
            let value = branch.value;
            if best.is_none_or(|(best, _)| if mine { value > best } else { value < best }) {
                best = Some((value, index));
            }
            if mine {
                alpha = alpha.max(value);
            } else {
                beta = beta.min(value);
            }
            if alpha >= beta {
                break;
            }
        }
        let (value, index) = best.ok_or(BudgetExhausted)?;
        node.branches[..=index].rotate_right(1);
        if exhausted { Err(BudgetExhausted) } else { Ok(value) }
    }

    /// Returns the moves to expand, the best for the seat to move first, equals in random order. A
    /// halt leaves some of those at the root.
    fn branches(
        &mut self,
        position: &Position,
        distance: u32,
    ) -> Result<Vec<Branch>, BudgetExhausted> {
        let beam = &BEAMS[beam_at(distance)];
        let mine = position.to_move() == self.me;
        let moves = position.sample_moves(beam.sampled, self.pick);
        let cost = eval::cost(position);
        self.left = self.left.saturating_sub(moves.len() as u64 * cost);
        let mut branches = Vec::with_capacity(moves.len());
        for mv in moves {
            branches.push((self.branch(position, mv, distance), (self.pick)(usize::MAX)));
            if self.watch.halts(cost) {
                self.left = 0;
                if distance > 0 {
                    return Err(BudgetExhausted);
                }
                break;
            }
        }
        branches
            .sort_by_key(|(branch, lot)| (if mine { -branch.value } else { branch.value }, *lot));
        if distance > 0 {
            branches.truncate(beam.expanded);
        }
        Ok(branches.into_iter().map(|(branch, _)| branch).collect())
    }

    fn branch(&self, position: &Position, mv: Move, distance: u32) -> Branch {
        let mut after = position.clone();
        after.apply(&mv);
        while let Some(consequence) = after.pending() {
            match consequence {
                Consequence::End { winners, .. } => {
                    return Branch { mv, value: self.of_end(winners, distance), after: None };
                }
                Consequence::Remove(seat, _) if seat == self.me => {
                    return Branch {
                        mv,
                        value: self.of_end(SeatSet::EMPTY, distance),
                        after: None,
                    };
                }
                Consequence::Remove(seat, _) => after.remove(seat),
                Consequence::Skip(_) => after.skip(),
            }
        }
        if self.seen.contains(&after.hash()) {
            return Branch { mv, value: 0, after: None };
        }
        let value = eval::evaluate(&after, self.me);
        Branch { mv, value, after: Some(Node { position: after, branches: Vec::new() }) }
    }

    /// Returns the value of an end of the game: an early win is worth more, an early loss less.
    fn of_end(&self, winners: SeatSet, distance: u32) -> i64 {
        match winners.single() {
            Some(winner) if winner == self.me => GAME - i64::from(distance),
            None if winners.contains(self.me) => 0,
            Some(_) | None => i64::from(distance) - GAME,
        }
    }
}
