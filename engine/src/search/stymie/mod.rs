//! Stymie: UCT with RAVE and MCTS-Solver on bitboards.

mod board;
mod fill;
mod lattice;
pub(super) mod perfect;
mod position;
mod proof;
mod small;
pub(super) mod solve;
mod tree;

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use adamant_rules::Position;
use rand::RngExt as _;

use self::{
    board::LastMove,
    fill::PLAYOUTS,
    perfect::Solver,
    position::{Playing, Stymie},
    tree::Tree,
};
use super::{
    Control, Line, Oracle, SCORE_MAX, Verdict,
    native::{Native, mix},
};

/// Visits after which the best move is checked.
const VISITS_PER_CHECK: u64 = 32;

/// The share of the memory of a thought that the solver of a small board has.
const SOLVER_SHARE: usize = 4;

/// The positions in which the solver looks for the shortest win, one attempt after the other. The last
/// one takes about a millisecond.
const PERFECT_POSITIONS: [u64; 2] = [500, 4_000];

/// The share of the nodes of a thought that all of them may take.
const PERFECT_SHARE: u64 = 4;

/// Visits after which the solver goes on with its proof, for so many positions. Each counts as so many
/// nodes. Visits and positions take about a third and two thirds of the time.
const VISITS_PER_PROOF: u64 = 32;
const POSITIONS_PER_PROOF: u64 = 16;
const NODES_PER_POSITION: u64 = 128;

/// A tree counts no more playouts than these visits make.
const VISITS_MAX: u64 = (u32::MAX / PLAYOUTS - 1) as u64;

/// A thought that counts fewer playouts than these has none to spare for checks.
const CHECKED_FROM: u64 = 200_000;

/// Thinks about a position. Pieces never leave the board, so that none occurs twice.
pub(super) fn search(position: &Position, control: &mut Control<'_>) {
    match Stymie::from_rules(position) {
        Some(Stymie::Small(playing)) => {
            let bytes = (control.settings().hash_mb << 20) / SOLVER_SHARE;
            let may_solve = control.settings().uses_tables;
            let mut solver = may_solve.then(|| Solver::new(playing, bytes)).flatten();
            think(playing, solver.as_mut(), control);
        }
        Some(Stymie::Large(playing)) => think(playing, None, control),
        None => {}
    }
}

fn think<const W: usize>(
    playing: Playing<W>,
    solver: Option<&mut Solver>,
    control: &mut Control<'_>,
) {
    let Playing { lattice, board } = playing;
    if let Some(win) = board.winning_move(lattice) {
        let moves = vec![lattice.text(win)];
        let line = Line { moves, value: SCORE_MAX, exact: true, distance: Some(1) };
        control.found(1, 1, vec![line]);
    } else if board.last == LastMove::None && board.swap {
        open_evenly(playing, control);
    } else {
        grow(playing, solver, control);
    }
}

/// The time of a thought that is left to add up the trees of several threads.
const TO_ADD_UP: Duration = Duration::from_millis(2);

/// Lets a tree grow in each thread until the thought is over, and puts together what they say.
fn grow<const W: usize>(
    Playing { lattice, board }: Playing<W>,
    mut solver: Option<&mut Solver>,
    control: &mut Control<'_>,
) {
    let bytes = control.settings().hash_mb << 20;
    let for_trees = if solver.is_some() { bytes - bytes / SOLVER_SHARE } else { bytes };
    let bytes_max = for_trees / control.settings().threads.max(1);
    let seed: u64 = control.rng().random();
    let may_swap = board.swap && board.last == LastMove::Opening;
    let mut tree = Tree::new(lattice, board, seed, bytes_max);
    if !tree.is_proven() {
        // The search for threats may take long: there is an answer before.
        tree.grow();
        note(&tree, may_swap, control);
        tree.prove_threats(control);
        control.count(u64::from(PLAYOUTS));
        if let Some(solver) = &mut solver
            && is_perfect(solver, control)
        {
            return;
        }
    }
    let is_forced = tree.is_forced() && !may_swap && control.settings().lines == 1;
    if tree.is_proven() || is_forced {
        return note(&tree, may_swap, control);
    }
    if control.settings().threads > 1 {
        control.spare(TO_ADD_UP);
    }
    let others = Mutex::new(Vec::new());
    control.think_together(
        |control, number| {
            let seed = mix(seed ^ number as u64);
            let mut tree = Tree::new(lattice, board, seed, bytes_max);
            grow_tree(&mut tree, 0, may_swap, None, control);
            if tree.is_proven() {
                control.end_all();
            }
            others.lock().unwrap_or_else(PoisonError::into_inner).push(tree);
        },
        |control| {
            grow_tree(&mut tree, 1, may_swap, solver, control);
            if control.settings().threads > 1 {
                // The others end a little later.
                note(&tree, may_swap, control);
            }
        },
    );
    tree.add(others.into_inner().unwrap_or_else(PoisonError::into_inner));
    note(&tree, may_swap, control);
}

/// Looks for the shortest win or the longest loss, and reports it.
fn is_perfect(solver: &Solver, control: &mut Control<'_>) -> bool {
    let mut share = control.limits().nodes.map_or(u64::MAX, |nodes| nodes / PERFECT_SHARE);
    for positions in PERFECT_POSITIONS {
        // The moves are looked at after the position.
        let nodes = 2 * positions;
        if control.settings().lines > 1 || nodes > share || control.look() {
            return false;
        }
        share -= nodes;
        let found = solver.perfect(positions);
        control.count(nodes);
        if let Some(Oracle { verdict, best, .. }) = found {
            let value = if matches!(verdict, Verdict::Win(_)) { SCORE_MAX } else { -SCORE_MAX };
            let line = Line { moves: best, value, exact: true, distance: verdict.plies() };
            let plies = verdict.plies().unwrap_or(0);
            control.found(plies, plies, vec![line]);
            return true;
        }
    }
    false
}

/// Lets a tree grow that has had so many visits.
fn grow_tree<const W: usize>(
    tree: &mut Tree<'_, W>,
    mut visits: u64,
    may_swap: bool,
    mut solver: Option<&mut Solver>,
    control: &mut Control<'_>,
) {
    let checks = control.limits().nodes.is_none_or(|nodes| nodes >= CHECKED_FROM);
    while !tree.is_proven() && !control.is_over() && visits < VISITS_MAX {
        tree.grow();
        visits += 1;
        if checks && visits.is_multiple_of(VISITS_PER_CHECK) {
            tree.check_best(control);
        }
        if visits.is_multiple_of(VISITS_PER_PROOF)
            && control.has_left(POSITIONS_PER_PROOF * NODES_PER_POSITION)
            && let Some(proves) = &mut solver
        {
            let outcome = proves.go_on(POSITIONS_PER_PROOF);
            control.count(POSITIONS_PER_PROOF * NODES_PER_POSITION);
            if let Some(outcome) = outcome {
                tree.settle(outcome);
                solver = None;
            }
        }
        control.count(u64::from(PLAYOUTS));
        if visits.is_power_of_two() && !control.is_over() {
            note(tree, may_swap, control);
            if !control.may_deepen(visits.ilog2()) {
                break;
            }
        }
    }
}

/// Reports what the tree says.
fn note<const W: usize>(tree: &Tree<'_, W>, may_swap: bool, control: &mut Control<'_>) {
    let mut lines = tree.lines(control.settings().lines);
    if may_swap && let Some(best) = lines.first() {
        // Whoever swaps has what the other seat gets from the best answer.
        let swap = Line {
            moves: vec!["swap".to_owned()],
            value: -best.value,
            exact: best.exact,
            distance: None,
        };
        let at = lines.iter().position(|line| line.value <= swap.value).unwrap_or(lines.len());
        lines.insert(at, swap);
        lines.truncate(control.settings().lines);
    }
    control.set_fill(tree.fill());
    let depth = lines.first().map_or(0, |line| line.moves.len());
    control.found(u32::try_from(depth).unwrap_or(u32::MAX), tree.deepest(), lines);
}

/// Visits of each opening in the rounds by which the most even one is found, and how many go on to
/// the next round.
const ROUNDS: [(u32, usize); 4] = [(4, 24), (48, 6), (400, 2), (1_500, 1)];

/// Opens a game in which the other player may swap: the most even opening is the best.
fn open_evenly<const W: usize>(playing: Playing<W>, control: &mut Control<'_>) {
    let Playing { lattice, board } = playing;
    let bytes_max = control.settings().hash_mb << 18;
    let mut rng = control.rng();
    let mut openings: Vec<(u16, Tree<'_, W>)> = Vec::new();
    for number in board.maximal(lattice) {
        let mut after = board;
        after.play(lattice, lattice.placements[usize::from(number)]);
        openings.push((number, Tree::new(lattice, after, rng.random(), bytes_max)));
    }
    let answer = |tree: &Tree<'_, W>| tree.lines(1).first().map_or(0, |line| line.value);
    for (visits, left) in ROUNDS {
        for (_, tree) in &mut openings {
            for _ in 0..visits {
                if control.count(u64::from(PLAYOUTS)) || tree.is_proven() {
                    break;
                }
                tree.grow();
            }
        }
        openings.sort_by_key(|(_, tree)| answer(tree).abs());
        openings.truncate(left.max(control.settings().lines));
        let line = |(number, tree): &(u16, Tree<'_, W>)| {
            let mut moves = vec![lattice.text(lattice.placements[usize::from(*number)])];
            moves.extend(tree.lines(1).into_iter().flat_map(|line| line.moves));
            Line { moves, value: -answer(tree).abs(), exact: false, distance: None }
        };
        let lines = openings.iter().take(control.settings().lines).map(line).collect();
        control.found(1, 2, lines);
        if !control.may_deepen(0) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use adamant_rules::{Kind, Options};
    use rand::{SeedableRng as _, rngs::StdRng};

    use super::{
        super::{Limits, Search, Stop, native::tests::equals_rules, oracle},
        lattice::{Placement, SMALL},
        proof::{Outcome, Proof},
        *,
    };

    #[test]
    fn positions_are_those_of_rules() {
        let games = [("-size=3", 40), ("-size=5 -swap", 20), ("", 6), ("-size=9 -swap", 3)];
        for (options, games) in games {
            assert!(equals_rules::<Stymie>(Kind::Stymie, options, games, 5_000) > 20, "{options}");
        }
    }

    /// What `solve` says of a size: the openings, how many win, and whether the search agrees.
    fn solved(size: u8) -> (usize, usize) {
        let (mut openings, mut winning) = (0, 0);
        let is_solved = solve::solve(size, true, &mut |opening, _| {
            assert_eq!(opening.agrees, Some(true), "{opening:?}");
            openings += opening.alike;
            winning += if opening.wins == Some(true) { opening.alike } else { 0 };
        });
        assert!(is_solved);
        (openings, winning)
    }

    #[test]
    fn both_solvers_prove_the_same_of_the_smallest_board() {
        assert_eq!(solved(3), (13, 1));
    }

    #[test]
    #[ignore = "long: proves every opening of a board twice"]
    fn both_solvers_prove_the_same_of_the_next_board() {
        assert_eq!(solved(4), (25, 5));
    }

    #[test]
    #[ignore = "long: proves openings of the largest board that is solved"]
    fn only_the_middle_wins_on_the_largest_board() {
        let options = Options::parse("-size=5", Kind::Stymie.option_specs()).unwrap();
        for (opening, wins) in [("c1", false), ("e1", false), ("e3", false), ("e5", true)] {
            let mut position = Kind::Stymie.open(&options, 2).unwrap();
            position.apply(&position.parse_move(opening).unwrap());
            let Some(Stymie::Small(Playing { lattice, board })) = Stymie::from_rules(&position)
            else {
                panic!()
            };
            let outcome = Proof::new(lattice, board, 22).go_on(u64::MAX).unwrap();
            assert_eq!(outcome == Outcome::Loss, wins, "{opening}");
        }
    }

    /// Calls a check at positions of random games on a small board.
    fn along_games(mut check: impl FnMut(&Playing<SMALL>, &Position)) {
        let options = Options::parse("-size=4", Kind::Stymie.option_specs()).unwrap();
        for seed in 0..60 {
            let mut rng = StdRng::seed_from_u64(seed);
            let mut position = Kind::Stymie.open(&options, 2).unwrap();
            while position.pending().is_none() {
                let Some(Stymie::Small(playing)) = Stymie::from_rules(&position) else { panic!() };
                check(&playing, &position);
                let mv =
                    position.sample_moves(1, &mut |below| rng.random_range(0..below)).remove(0);
                position.apply(&mv);
            }
        }
    }

    /// Who wins and how soon, by the referee's rules and every legal move.
    fn verdict(position: &Position, known: &mut HashMap<u64, Verdict>) -> Verdict {
        if let Some(&verdict) = known.get(&position.hash()) {
            return verdict;
        }
        let after = position.legal_moves(usize::MAX).into_iter().map(|mv| {
            match verdict_after(position, &mv.to_string(), known) {
                Verdict::Loss(plies) => Verdict::Win(plies + 1),
                Verdict::Win(plies) => Verdict::Loss(plies + 1),
                Verdict::Draw => panic!("no game is drawn"),
            }
        });
        let best = after.max_by_key(|verdict| verdict.rank()).unwrap();
        known.insert(position.hash(), best);
        best
    }

    fn verdict_after(position: &Position, mv: &str, known: &mut HashMap<u64, Verdict>) -> Verdict {
        let mut after = position.clone();
        after.apply(&position.parse_move(mv).unwrap());
        after.settle().map_or_else(|| verdict(&after, known), |_| Verdict::Loss(0))
    }

    #[test]
    fn the_oracle_and_the_proof_are_right_about_who_wins_and_when() {
        let (mut known, mut asked) = (HashMap::new(), 0);
        along_games(|&Playing { lattice, board }, position| {
            if board.free.len() > 7 {
                return;
            }
            let found = oracle(position, usize::MAX, u64::MAX).unwrap();
            assert_eq!(found.verdict, verdict(position, &mut known));
            for best in found.best {
                let left = verdict_after(position, &best, &mut known).plies().unwrap();
                assert_eq!(Some(left + 1), found.verdict.plies(), "{best}");
            }
            let wins = matches!(found.verdict, Verdict::Win(_));
            match Proof::new(lattice, board, 10).go_on(u64::MAX).unwrap() {
                Outcome::Loss => assert!(!wins, "{position:?}"),
                Outcome::Win(mv) => {
                    let after = verdict_after(position, &lattice.text(mv), &mut known);
                    assert!(wins && matches!(after, Verdict::Loss(_)), "{position:?}");
                }
            }
            asked += 1;
        });
        assert!(asked > 30, "{asked}");
    }

    #[test]
    fn a_win_in_one_is_seen_exactly_where_there_is_one() {
        let mut wins = 0;
        along_games(|Playing { lattice, board }, position| {
            let ends = |text: &str| {
                let mut after = position.clone();
                after.play(&position.parse_move(text).unwrap()).unwrap();
                after.pending().is_some()
            };
            let found = board.winning_move(lattice).map(|mv| lattice.text(mv));
            assert!(found.as_ref().is_none_or(|text| ends(text)), "{found:?}");
            let all = position.legal_moves(usize::MAX);
            assert_eq!(found.is_some(), all.iter().any(|mv| ends(&mv.to_string())));
            wins += usize::from(found.is_some());
        });
        assert!(wins > 30, "{wins}");
    }

    #[test]
    fn moves_to_which_a_piece_can_be_added_are_left_out() {
        along_games(|Playing { lattice, board }, _| {
            let mut all = Vec::new();
            board.moves(lattice, &mut all);
            let lies_in = |one: &Placement, other: &Placement| {
                one.len < other.len && one.cells().iter().all(|cell| other.cells().contains(cell))
            };
            all.retain(|mv| mv.len > 0);
            let whole: Vec<_> = all
                .iter()
                .filter(|one| !all.iter().any(|other| lies_in(one, other)))
                .copied()
                .collect();
            let maximal: Vec<_> = board
                .maximal(lattice)
                .into_iter()
                .map(|number| lattice.placements[usize::from(number)])
                .collect();
            assert_eq!(maximal, whole);
        });
    }

    #[test]
    fn small_boards_are_solved_within_a_thought() {
        for (size, game, value, distance) in [
            (3, "c3", -SCORE_MAX, Some(4)),
            (5, "e5 d4,e3 e7,f6", SCORE_MAX, None),
            (5, "e5 c3,d4 e3,f4", -SCORE_MAX, None),
        ] {
            let options = format!("-size={size}");
            let options = Options::parse(&options, Kind::Stymie.option_specs()).unwrap();
            let mut position = Kind::Stymie.open(&options, 2).unwrap();
            for text in game.split_whitespace() {
                position.apply(&position.parse_move(text).unwrap());
            }
            let limits = Limits { nodes: Some(5_000_000), ..Limits::default() };
            let report = Search::new(&position, &[], limits).run(&Stop::default(), &mut |_| {});
            let line = &report.lines[0];
            assert_eq!((line.value, line.exact, line.distance), (value, true, distance), "{game}");
        }
    }
}
