//! Documents whose examples are run.

use std::path::Path;

pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the repository")
}

/// Returns the text of a document in `docs/`.
pub(crate) fn document(name: &str) -> String {
    std::fs::read_to_string(repository().join("docs").join(name)).expect("the document is there")
}

/// Whether a line is what a document shows; `..` stands for any text.
pub(crate) fn fits(shown: &str, line: &str) -> bool {
    let Some((first, shown)) = shown.split_once("..") else { return shown == line };
    let Some(line) = line.strip_prefix(first) else { return false };
    let mut rests = (0..=line.len()).filter_map(|at| line.get(at..));
    rests.any(|rest| fits(shown, rest))
}

#[test]
fn shown_lines_fit_lines() {
    for (shown, line, is_fit) in [
        ("bestmove ..", "bestmove c1-c2", true),
        ("info depth 1 score .. pv ..", "info depth 1 score -3 pv a b", true),
        ("info depth 1 score .. pv ..", "info depth 1 score -3", false),
        ("ready", "ready", true),
        ("ready", "ready now", false),
        ("..", "accept", true),
        ("id .. 2", "id name 3", false),
        ("id .. 2", "id name 2", true),
    ] {
        assert_eq!(fits(shown, line), is_fit, "{shown} and {line}");
    }
}
