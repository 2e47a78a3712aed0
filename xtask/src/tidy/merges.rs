//! What a merge that was not finished leaves in a file.

use super::{sources::Sources, violation::Violation};

const CHECK: &str = "merges";

/// How the lines begin that Git writes round the two sides of a conflict. The line between the
/// sides may be a heading's underline, so it does not count.
const MARKERS: [&str; 2] = ["<<<<<<< ", ">>>>>>> "];

/// Finds the markers of conflicts.
pub(crate) fn check(sources: &Sources) -> Vec<Violation> {
    let mut found = Vec::new();
    for (path, text) in sources.texts("") {
        for (line, text) in (1..).zip(text.lines()) {
            if MARKERS.iter().any(|marker| text.starts_with(marker)) {
                found.push(Violation::new(CHECK, path, line, "has a conflict: choose a side"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_a_conflict_are_found() {
        let text = "one\n<<<<<<< HEAD\ntwo\n=======\nthree\n>>>>>>> f00\n";
        let sources = Sources::of([("docs/A.md".to_owned(), text.to_owned())].into());
        let lines: Vec<_> = check(&sources).iter().map(ToString::to_string).collect();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].starts_with("docs/A.md:2: "), "{lines:?}");
    }
}
