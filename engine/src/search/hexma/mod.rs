//! Hexma for two: alpha-beta over the moves that look best, and exact search for forced wins.
//!
//! A position is expanded once: what is missing through each point orders its moves, and those in
//! front get their exact value. The list is kept, and goes on with the values of deeper searches.

mod board;
mod forced;
mod lists;
mod star;
mod value;

use adamant_rules::Position;

use self::{
    board::{Hexma, Step},
    forced::{Forced, winning_move},
    lists::{Branch, Lists},
    star::{STAR, points},
    value::{Through, value},
};
use super::{
    Control, Line, SCORE_MAX,
    native::{End, Native as _},
};

/// The value of a win now. One that takes longer is worth less by its moves.
const WIN: i32 = 1_000_000;

/// The least value of a win.
const DECIDED: i32 = WIN - 1_000;

/// The value of a move that the other seat answers with a win in two.
const LOST_IN_TWO: i32 = 3 - WIN;

/// How far a thought looks ahead at the most.
const PLIES_MAX: u32 = 40;

/// What a gap counts when moves are put in order.
const GAP: i32 = 250;

/// Moves of a position that get their value, and those that are looked at further, by distance from
/// the root.
const VALUED: [usize; 3] = [400, 40, 24];
const EXPANDED: [usize; 3] = [20, 10, 8];

fn at(counts: [usize; 3], ply: usize) -> usize {
    counts[ply.min(counts.len() - 1)]
}

/// The thought is over.
struct Over;

struct Thinker<'a, 'b> {
    control: &'a mut Control<'b>,
    seen: &'a [u64],
    lists: &'a Lists,
    path: Vec<u64>,
    draw: i32,
    deepest: usize,
    /// Nodes that may still look for an answer with a forced win.
    checks_left: u64,
    /// The hashes of positions after moves at the root to which there is no such answer.
    checked: Vec<u64>,
}

/// Thinks about a position.
pub(super) fn search(position: &Position, seen: &[u64], control: &mut Control<'_>) -> bool {
    let Some(board) = Hexma::from_rules(position) else { return false };
    if let Some(win) = winning_move(&board) {
        let moves = vec![board.text(win)];
        let line = Line { moves, value: SCORE_MAX, exact: true, distance: Some(1) };
        control.found(1, 1, vec![line]);
        return true;
    }
    if let Some((moves, distance)) = Forced::new(control).win(&board) {
        let moves = moves.into_iter().map(|mv| board.text(mv)).collect();
        let line = Line { moves, value: SCORE_MAX, exact: true, distance: Some(distance) };
        control.found(distance, distance, vec![line]);
        return true;
    }
    let contempt = control.settings().contempt.clamp(-900, 900);
    let half = half_decided(&board);
    let draw = -half * contempt / (1000 - contempt.abs());
    // A list with its entry takes less than half a kilobyte.
    let lists = Lists::new(control.settings().hash_mb << 11);
    let checks = forced::nodes_of_checks(control.limits());
    let Some(list) = Thinker::new(&board, seen, &lists, draw, 0, control).begin(&board) else {
        return true;
    };
    control.think_together(
        // What the others find reaches the first by the lists. Every other one begins a move deeper.
        |control, number| {
            let first_depth = 2 + u32::try_from(number % 2).unwrap_or(0);
            let mut thinker = Thinker::new(&board, seen, &lists, draw, 0, control);
            thinker.deepen(&board, list.clone(), first_depth);
        },
        |control| {
            let mut thinker = Thinker::new(&board, seen, &lists, draw, checks, control);
            thinker.deepen(&board, list.clone(), 2);
        },
    );
    true
}

/// The lead that half decides the game.
fn half_decided(board: &Hexma) -> i32 {
    let missing = |seat| Through::of(board, seat).missing;
    GAP * missing(0).max(missing(1)).max(1)
}

/// The value that a move has if the position after it has this value for the seat that made it.
const fn a_move_later(value: i32) -> i32 {
    if value > DECIDED {
        value - 1
    } else if value < -DECIDED {
        value + 1
    } else {
        value
    }
}

impl<'a, 'b> Thinker<'a, 'b> {
    fn new(
        board: &Hexma,
        seen: &'a [u64],
        lists: &'a Lists,
        draw: i32,
        checks_left: u64,
        control: &'a mut Control<'b>,
    ) -> Self {
        let path = vec![board.hash()];
        Self { control, seen, lists, path, draw, deepest: 0, checks_left, checked: Vec::new() }
    }

    /// Lists the moves and reports the best at first sight; `None` if there is no time for it.
    fn begin(&mut self, board: &Hexma) -> Option<Vec<Branch>> {
        let list = self.expand(board, 0).ok().filter(|list| !list.is_empty())?;
        self.report(board, &list, 1, half_decided(board));
        Some(list)
    }

    /// Searches these moves deeper and deeper, from a depth on.
    fn deepen(&mut self, board: &Hexma, mut list: Vec<Branch>, first_depth: u32) {
        let half = half_decided(board);
        for depth in first_depth..=PLIES_MAX {
            if list.len() == 1 && self.control.settings().lines == 1
                || list[0].value.abs() > DECIDED
                || !self.control.may_deepen(depth - 1)
            {
                break;
            }
            let searched = self.search_root(board, &mut list, depth);
            self.report(board, &list, if searched.is_ok() { depth } else { depth - 1 }, half);
            if searched.is_err() {
                break;
            }
        }
    }

    fn report(&mut self, board: &Hexma, list: &[Branch], depth: u32, half: i32) {
        let score = |value: i32| {
            if value.abs() > DECIDED {
                // Moves were left out on the way: nothing is proven.
                (SCORE_MAX - 1) * value.signum()
            } else {
                (SCORE_MAX - 1) * value / (value.abs() + half)
            }
        };
        let most = self.control.settings().lines;
        let line = |branch: &Branch| Line {
            moves: self.continue_line(board, branch.mv),
            value: score(branch.value),
            exact: false,
            distance: None,
        };
        let lines = list.iter().take(most).map(line).collect();
        self.control.set_fill(self.lists.fill());
        self.control.found(depth, u32::try_from(self.deepest).unwrap_or(depth), lines);
    }

    /// A move with the best answers that are known.
    fn continue_line(&self, board: &Hexma, first: Step) -> Vec<String> {
        let mut moves = vec![board.text(first)];
        let (mut board, mut mv) = (*board, first);
        let mut passed = vec![board.hash()];
        loop {
            board.play(mv);
            let hash = board.hash();
            if board.end().is_some() || passed.contains(&hash) || moves.len() > self.deepest {
                return moves;
            }
            passed.push(hash);
            let Some(best) = self.lists.best(hash) else { return moves };
            mv = best.mv;
            moves.push(board.text(mv));
        }
    }

    /// Searches the moves at the root. What is known when the thought ends comes to the front.
    fn search_root(&mut self, board: &Hexma, list: &mut [Branch], depth: u32) -> Result<(), Over> {
        let lines = self.control.settings().lines;
        let expanded = at(EXPANDED, 0).max(lines).min(list.len());
        let mut best: Vec<i32> = Vec::new();
        for index in 0..list.len() {
            if index >= expanded && best[0] > -DECIDED {
                break;
            }
            best.sort_unstable_by_key(|&value| -value);
            let alpha = best.get(lines - 1).copied().unwrap_or(-WIN);
            let branch = list[index];
            let mut value = self.search_branch(board, branch, depth, (alpha, WIN), 0)?;
            if value > alpha && value.abs() < DECIDED && self.is_refuted(board, branch.mv) {
                value = LOST_IN_TWO;
            }
            list[index].value = value;
            best.push(value);
            // A move that has failed keeps its place behind those that have not.
            let place = list[..index].iter().position(|other| other.value < value);
            list[place.unwrap_or(index)..=index].rotate_right(1);
        }
        Ok(())
    }

    /// Whether the other seat has a forced win in two moves after a move at the root. The search looks
    /// at few answers and can overlook it.
    fn is_refuted(&mut self, board: &Hexma, mv: Step) -> bool {
        let mut after = *board;
        after.play(mv);
        let hash = after.hash();
        // What has been before may end the game.
        let is_known = self.checked.contains(&hash) || self.seen.contains(&hash);
        if self.checks_left == 0 || is_known || after.seat() == board.seat() {
            return false;
        }
        let mut forced = Forced::with_nodes(self.control, self.checks_left);
        let is_won = forced.wins_in_two(&after);
        self.checks_left = forced.nodes_left();
        if is_won == Some(false) {
            self.checked.push(hash);
        }
        is_won == Some(true)
    }

    /// The value of a move, searched to a depth.
    fn search_branch(
        &mut self,
        board: &Hexma,
        branch: Branch,
        depth: u32,
        (alpha, beta): (i32, i32),
        ply: usize,
    ) -> Result<i32, Over> {
        if branch.value.abs() > DECIDED {
            return Ok(branch.value);
        }
        let mut after = *board;
        after.play(branch.mv);
        let hash = after.hash();
        if self.seen.contains(&hash) || self.path.contains(&hash) {
            return Ok(if ply.is_multiple_of(2) { self.draw } else { -self.draw });
        }
        self.path.push(hash);
        let value = if after.seat() == board.seat() {
            self.search(&after, depth - 1, (alpha, beta), ply + 1)
        } else {
            self.search(&after, depth - 1, (-beta, -alpha), ply + 1).map(|value| -value)
        };
        self.path.pop();
        value.map(a_move_later)
    }

    /// The value of a position for the seat to move.
    fn search(
        &mut self,
        board: &Hexma,
        depth: u32,
        (mut alpha, beta): (i32, i32),
        ply: usize,
    ) -> Result<i32, Over> {
        self.deepest = self.deepest.max(ply + 1);
        let hash = board.hash();
        if depth <= 1
            && let Some(best) = self.lists.best(hash)
        {
            return Ok(best.value);
        }
        let mut list = match self.lists.get(hash) {
            // Others may have made all lists that this thread comes to.
            Some(_) if self.control.look() => return Err(Over),
            Some(list) => list,
            None => self.expand(board, ply)?,
        };
        if depth <= 1 || list.is_empty() {
            let value = list.first().map_or(0, |best| best.value);
            self.lists.put(hash, list);
            return Ok(value);
        }
        let expanded = at(EXPANDED, ply).min(list.len());
        let mut best = -WIN;
        let mut result = Ok(());
        for index in 0..list.len() {
            if index >= expanded && best > -DECIDED {
                break;
            }
            match self.search_branch(board, list[index], depth, (alpha, beta), ply) {
                Ok(value) => list[index].value = value,
                Err(over) => {
                    result = Err(over);
                    break;
                }
            }
            if list[index].value > best {
                best = list[index].value;
                list[..=index].rotate_right(1);
            }
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        self.lists.put(hash, list);
        result.map(|()| best)
    }

    /// The moves of a position that look best, with their values, the best first.
    fn expand(&mut self, board: &Hexma, ply: usize) -> Result<Vec<Branch>, Over> {
        if let Some(win) = winning_move(board) {
            return Ok(vec![Branch { mv: win, value: WIN }]);
        }
        let seat = board.seat();
        let (mine, theirs) = (Through::of(board, seat), Through::of(board, 1 - seat));
        // Where the other seat threatens to win, no move that stops it may be overlooked.
        let is_threatened = winning_move(&board.passed()).is_some();
        let mut list = order(board, &mine, &theirs);
        let valued = if is_threatened { list.len() } else { at(VALUED, ply) };
        if list.len() > valued {
            list.select_nth_unstable_by_key(valued, |branch| -branch.value);
            list.truncate(valued);
        }
        list.sort_by_key(|branch| -branch.value);
        for index in 0..list.len() {
            list[index].value = value_after(board, list[index].mv);
            if ply == 0 && self.seen.contains(&hash_after(board, list[index].mv)) {
                list[index].value = self.draw;
            }
            if self.control.node() {
                if ply > 0 || index == 0 {
                    return Err(Over);
                }
                list.truncate(index + 1);
                break;
            }
        }
        list.sort_by_key(|branch| -branch.value);
        if ply > 0 {
            let all = list.iter().all(|branch| branch.value < -DECIDED);
            list.truncate(if all { 1 } else { at(EXPANDED, ply) + 4 });
            list.shrink_to_fit();
        }
        Ok(list)
    }
}

fn hash_after(board: &Hexma, mv: Step) -> u64 {
    let mut after = *board;
    after.play(mv);
    after.hash()
}

/// The value of the position after a move for the seat that makes it.
fn value_after(board: &Hexma, mv: Step) -> i32 {
    let mut after = *board;
    after.play(mv);
    let sign = if after.seat() == board.seat() { 1 } else { -1 };
    match after.end() {
        Some(End::Won(seat)) => WIN * if seat == usize::from(board.seat()) { 1 } else { -1 },
        Some(End::Drawn) => 0,
        None => {
            let found = value(&after);
            if found.missing <= 1 && winning_move(&after).is_some() {
                a_move_later(sign * WIN)
            } else {
                sign * found.lead
            }
        }
    }
}

/// All moves with what they seem to be worth at a glance.
fn order(board: &Hexma, mine: &Through, theirs: &Through) -> Vec<Branch> {
    let free = !board.occupied();
    let gaps: Vec<u8> =
        points(free & ((1 << star::POINTS) - 1)).filter(|&point| mine.detour(point) == 0).collect();
    let nearest = |point: u8| {
        let row = &STAR.steps[usize::from(point)];
        gaps.iter().map(|&gap| i32::from(row[usize::from(gap)])).min().unwrap_or(0)
    };
    let mut list = Vec::with_capacity(160);
    board.destinations(board.seat(), |from, to| {
        let in_chain = mine.detour(from) == 0;
        // Where the piece stood it was in the way.
        let opens = (theirs.missing - theirs.with_piece(from) - 1).max(0);
        let leaves = if in_chain { GAP * 3 / 4 } else { -nearest(from) } + GAP / 2 * opens;
        for to in points(to) {
            let closer = mine.missing - mine.with_piece(to).min(mine.missing);
            let blocks = i32::from(theirs.detour(to) == 0);
            let value = GAP * closer + GAP / 3 * blocks - nearest(to) - leaves;
            list.push(Branch { mv: Step { from, to }, value });
        }
    });
    list
}

#[cfg(test)]
mod tests {
    use adamant_rules::{Kind, Options};
    use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

    use super::{super::native::tests::equals_rules, *};

    #[test]
    fn positions_are_those_of_rules() {
        assert!(equals_rules::<Hexma>(Kind::Hexma, "", 12, 5_000) > 1_000);
    }

    /// Positions in which pieces have come near to each other.
    fn positions(mut check: impl FnMut(&Hexma, &Position)) {
        for seed in 0..12 {
            let mut rng = StdRng::seed_from_u64(seed);
            let mut position = Kind::Hexma.open(&Options::new(), 2).unwrap();
            for _ in 0..120 {
                let mut pick = |below: usize| rng.random_range(0..below);
                let moves = position.sample_moves(12, &mut pick);
                // The best of a few moves, so that chains come about.
                let progress = |mv: &adamant_rules::Move| {
                    let seat = position.to_move();
                    let mut after = position.clone();
                    after.apply(mv);
                    after.progress(seat)
                };
                let Some(mv) = moves.into_iter().max_by_key(progress) else { break };
                position.apply(&mv);
                if position.settle().is_some() {
                    break;
                }
                check(&Hexma::from_rules(&position).unwrap(), &position);
            }
        }
    }

    #[test]
    fn what_is_missing_is_what_rules_say() {
        positions(|board, position| {
            for seat in 0..2 {
                let missing = Through::of(board, seat).missing;
                let seat = adamant_rules::Seat::new(usize::from(seat)).unwrap();
                // The steps of all pieces count less than a gap.
                assert_eq!(missing, -position.progress(seat) / GAP);
            }
        });
    }

    #[test]
    fn a_win_in_one_is_seen_exactly_where_there_is_one() {
        let mut wins = 0;
        positions(|board, position| {
            let seat = position.to_move();
            let is_win = |mv: &adamant_rules::Move| {
                let mut after = position.clone();
                after.apply(mv);
                after.settle().is_some_and(|(winners, _)| winners.single() == Some(seat))
            };
            let all = position.legal_moves(usize::MAX);
            let found = winning_move(board).map(|mv| board.text(mv));
            assert_eq!(found.is_some(), all.iter().any(is_win));
            if let Some(text) = found {
                wins += 1;
                assert!(is_win(&position.parse_move(&text).unwrap()), "{text}");
            }
        });
        assert!(wins > 3, "{wins}");
    }
}
