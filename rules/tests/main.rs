//! The rules, tested from outside: what their games, tables and records say and do.

#![cfg(test)]

mod adamas;
mod allocation; // what deciding a move allocates
mod diam;
mod games; // what all of them keep alike
mod hexma;
mod proof; // proofs of wins
mod record_text; // games as text
mod sketch; // moves put together cell by cell
mod stymie;
mod table; // players, clocks and offers

use std::env;

use proptest::test_runner::Config;

/// A property that is tried so often in the long form of the tests, and a quarter as often in the
/// short one.
#[expect(clippy::disallowed_methods, reason = "the environment chooses the form")]
fn cases(long: u32) -> Config {
    let cases = if env::var_os("ADAMANT_LONG").is_some() { long } else { long.div_ceil(4) };
    Config { cases, failure_persistence: None, ..Config::default() }
}
