//! Known exceptions: `pending.txt` has one per line, a check and a file. An exception that is no
//! longer needed is a violation itself, so that the list only shrinks.

use std::collections::BTreeSet;

use super::violation::Violation;

const CHECK: &str = "pending";

/// The list, below the root.
pub(crate) const LIST: &str = "xtask/src/tidy/pending.txt";

/// The violations that are no known exceptions, and the exceptions that are not needed.
pub(crate) fn unexpected(list: &str, found: Vec<Violation>) -> Vec<Violation> {
    let mut unneeded: BTreeSet<String> = entries(list).collect();
    let known = unneeded.clone();
    let mut unexpected = Vec::new();
    for violation in found {
        let entry = entry(&violation);
        unneeded.remove(&entry);
        if !known.contains(&entry) {
            unexpected.push(violation);
        }
    }
    unexpected.extend(unneeded.iter().map(|entry| {
        Violation::new(CHECK, LIST, 0, format!("is no longer needed, take it out: {entry}"))
    }));
    unexpected
}

/// The list without the exceptions that are not needed.
pub(crate) fn shrunk(list: &str, found: &[Violation]) -> String {
    let needed: BTreeSet<String> = found.iter().map(entry).collect();
    entries(list).filter(|entry| needed.contains(entry)).map(|entry| entry + "\n").collect()
}

fn entries(list: &str) -> impl Iterator<Item = String> {
    list.lines().filter(|line| !line.is_empty()).map(str::to_owned)
}

fn entry(violation: &Violation) -> String {
    format!("{}: {}", violation.check, violation.path)
}

#[cfg(test)]
mod tests {
    use super::{shrunk, unexpected};
    use crate::tidy::violation::Violation;

    #[test]
    fn exceptions_are_known_and_needed() {
        let found = || {
            vec![Violation::new("sizes", "a.rs", 0, "x"), Violation::new("sizes", "b.rs", 0, "x")]
        };
        let left = unexpected("sizes: a.rs\nsizes: c.rs\n", found());
        let left: Vec<String> = left.iter().map(ToString::to_string).collect();
        assert!(
            left.len() == 2
                && left[0].starts_with("b.rs")
                && left[1].ends_with("sizes: c.rs (pending)")
        );
        assert_eq!(shrunk("sizes: a.rs\nsizes: c.rs\n", &found()), "sizes: a.rs\n");
    }
}
