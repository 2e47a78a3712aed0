//! The short form of the tests, which every change runs, and the long one.

use std::env;

/// Set in the long form, in which tests do more of what they draw by lot.
const LONG_VARIABLE: &str = "ADAMANT_LONG";

/// The number of the commit, so that each one draws something else.
const COMMIT_VARIABLE: &str = "ADAMANT_COMMIT";

/// Whether the tests run in their long form.
#[expect(clippy::disallowed_methods, reason = "the environment chooses the form")]
pub(crate) fn is_long() -> bool {
    env::var_os(LONG_VARIABLE).is_some()
}

/// The number of the commit, or 0 if nobody says.
#[expect(clippy::disallowed_methods, reason = "the environment chooses the commit")]
pub(crate) fn commit() -> u64 {
    env::var(COMMIT_VARIABLE).map_or(0, |number| number.parse().expect("a number"))
}

/// All in the long form, and in the short one every `nth`. After as many commits in a row each has
/// had its turn.
pub(crate) fn some_of<T>(mut all: Vec<T>, nth: u64) -> Vec<T> {
    let mut numbers = commit()..;
    all.retain(|_| is_long() || numbers.next().is_some_and(|number| number.is_multiple_of(nth)));
    all
}
