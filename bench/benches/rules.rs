//! `cargo bench -p adamant-bench`: the cost of the rules, game by game, in the middle of games.

use adamant_bench::{CASES, Case, Middle};
use divan::{Bencher, black_box};

/// Counts allocations beside the time.
#[global_allocator]
static ALLOCATIONS: divan::AllocProfiler = divan::AllocProfiler::system();

fn main() {
    divan::main();
}

/// Long enough for a middle, short enough that most games last that long.
const PLIES: usize = 60;

/// Runs a benchmark over the middle of a game, one position at a time.
fn each_middle<T>(bencher: Bencher<'_, '_>, case: Case, run: impl Fn(&mut Middle) -> T + Sync) {
    let game = case.played(PLIES);
    let middles = game.middle();
    let next = std::sync::atomic::AtomicUsize::new(0);
    bencher
        .with_inputs(|| {
            let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            middles[index % middles.len()].clone()
        })
        .bench_refs(|middle| run(middle));
}

#[divan::bench(args = CASES)]
fn decide(bencher: Bencher<'_, '_>, case: &Case) {
    each_middle(bencher, *case, |middle| black_box(middle).decide());
}

#[divan::bench(args = CASES)]
fn decide_and_apply(bencher: Bencher<'_, '_>, case: &Case) {
    each_middle(bencher, *case, |middle| {
        for event in &black_box(&*middle).decide() {
            middle.table.apply(event).expect("it was decided here");
        }
    });
}

#[divan::bench(args = CASES)]
fn read(bencher: Bencher<'_, '_>, case: &Case) {
    each_middle(bencher, *case, |middle| {
        middle.table.position().parse_move(black_box(&middle.notation))
    });
}

#[divan::bench(args = CASES)]
fn hints(bencher: Bencher<'_, '_>, case: &Case) {
    each_middle(bencher, *case, |middle| {
        let position = middle.table.position();
        position.sources().into_iter().map(|from| position.targets(from).len()).sum::<usize>()
    });
}

#[divan::bench(args = CASES)]
fn hash_from_scratch(bencher: Bencher<'_, '_>, case: &Case) {
    each_middle(bencher, *case, |middle| middle.table.position().hash_from_scratch());
}

#[divan::bench(args = CASES)]
fn count_moves(bencher: Bencher<'_, '_>, case: &Case) {
    each_middle(bencher, *case, |middle| middle.table.position().count_moves());
}

#[divan::bench(args = CASES)]
fn replay_of_200_plies(bencher: Bencher<'_, '_>, case: &Case) {
    let game = case.played(200);
    bencher.bench_local(|| game.replay());
}
