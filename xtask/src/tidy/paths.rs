//! A path that a document names is there.

use std::collections::BTreeSet;

use super::{
    sources::{SKIPPED, Sources},
    violation::Violation,
};

const CHECK: &str = "paths";

/// Finds paths from the root, in code spans of Markdown, that lead nowhere.
pub(crate) fn check(sources: &Sources) -> Vec<Violation> {
    let all: BTreeSet<&str> = sources.texts("").map(|(path, _)| path).collect();
    let is_there = |path: &str| {
        let inside = format!("{}/", path.trim_end_matches('/'));
        all.contains(path) || all.iter().any(|file| file.starts_with(&inside))
    };
    let tops: BTreeSet<&str> =
        all.iter().filter_map(|path| path.split_once('/')).map(|(top, _)| top).collect();
    let mut found = Vec::new();
    for (document, text) in sources.texts(".md") {
        for (at, line) in text.lines().enumerate() {
            for path in line.split('`').skip(1).step_by(2).filter(|span| is_path(span, &tops)) {
                if !is_there(path) {
                    let text = format!("there is no {path}");
                    found.push(Violation::new(CHECK, document, at + 1, text));
                }
            }
        }
    }
    found
}

/// Whether a code span is a path from the root to a folder, or to a file of a kind that is read.
fn is_path(span: &str, tops: &BTreeSet<&str>) -> bool {
    let is_plain = span.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c));
    let is_placeholder = span.chars().any(char::is_uppercase);
    let is_skipped = span.split('/').any(|part| SKIPPED.contains(&part));
    let ends = [".rs", ".js", ".mjs", ".toml", ".py", "/"].iter().any(|end| span.ends_with(end));
    let top = span.split_once('/').map(|(top, _)| top);
    is_plain && !is_placeholder && !is_skipped && ends && top.is_some_and(|top| tops.contains(top))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::check;
    use crate::tidy::sources::Sources;

    #[test]
    fn paths_in_documents_are_followed() {
        let text = "`a/b.rs`, `a/`, `a/NAME/`, `c/d.rs` and `x.rs` but not `a/c.rs` or `a/e/`.";
        let files = [("README.md", text), ("a/b.rs", "")];
        let texts: BTreeMap<String, String> =
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let found: Vec<String> =
            check(&Sources::of(texts)).into_iter().map(|one| one.text).collect();
        assert_eq!(found, ["there is no a/c.rs", "there is no a/e/"]);
    }
}
