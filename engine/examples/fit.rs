//! Fits the weights of the value of Diam, and prints the file that holds them.
//!
//! `cargo run --release -p adamant-engine --example fit -- GAMES NODES SEED`

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command prints what it finds")]

use adamant_engine::search::fit_diam;

fn main() {
    let number = |index, default| {
        std::env::args().nth(index).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (games, nodes, seed) = (number(1, 2_000), number(2, 3_000), number(3, 1));
    let fit = fit_diam(games, nodes, seed, &mut |game, positions| {
        if game % 100 == 0 {
            eprintln!("{game} games, {positions} positions");
        }
    });
    let [before, after] = fit.loss;
    eprintln!("{} positions, loss {before:.4} before, {after:.4} after", fit.positions);
    print!("{}", fit.source());
}
