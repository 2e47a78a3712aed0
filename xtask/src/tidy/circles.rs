//! No file uses another that uses it, directly or by way of others.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    imports::{Arrows, arrows},
    sources::Sources,
    violation::Violation,
};

const CHECK: &str = "circles";

/// Finds files that use each other in a circle.
pub(crate) fn check(sources: &Sources) -> Vec<Violation> {
    let mut found = Vec::new();
    for (_, arrows) in arrows(sources) {
        for circle in circles(&arrows) {
            let files = circle.iter().copied().collect::<Vec<_>>().join(", ");
            let first = circle.first().copied().unwrap_or_default();
            found.push(Violation::new(
                CHECK,
                first,
                0,
                format!("is in a circle of files: {files}"),
            ));
            for file in &circle {
                for (used, line) in &arrows[*file] {
                    if circle.contains(used.as_str()) {
                        let text = format!("uses {used}, in a circle");
                        found.push(Violation::new(CHECK, file, *line, text));
                    }
                }
            }
        }
    }
    found
}

/// The sets of two files or more that can reach each other.
fn circles(arrows: &Arrows) -> Vec<BTreeSet<&str>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        arrows.keys().map(|file| (file.as_str(), reached(arrows, file))).collect();
    let mut circles: Vec<BTreeSet<&str>> = Vec::new();
    for (file, reached) in &reach {
        if !reached.contains(file) || circles.iter().any(|circle| circle.contains(file)) {
            continue;
        }
        let back = reached.iter().filter(|other| reach[*other].contains(file)).copied();
        circles.push(back.collect());
    }
    circles
}

/// The files that can be reached from a file by one arrow or more.
fn reached<'a>(arrows: &'a Arrows, file: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&'a str> = arrows[file].keys().map(String::as_str).collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(arrows.get(next).into_iter().flatten().map(|(used, _)| used.as_str()));
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::circles;
    use crate::tidy::imports::Arrows;

    #[test]
    fn a_circle_is_found_beside_a_path() {
        let arrow = |from: &str, to: &[&str]| {
            (from.to_owned(), to.iter().map(|to| ((*to).to_owned(), 1)).collect())
        };
        let arrows = Arrows::from([
            arrow("a", &["b"]),
            arrow("b", &["c", "d"]),
            arrow("c", &["a"]),
            arrow("d", &["e"]),
            arrow("e", &[]),
        ]);
        let circles = circles(&arrows);
        assert_eq!(circles.len(), 1);
        assert_eq!(circles[0].iter().copied().collect::<String>(), "abc");
    }
}
