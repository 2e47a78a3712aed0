//! No file is too long to be read in one go.

use super::{sources::Sources, violation::Violation};

const CHECK: &str = "sizes";

const LINES_MAX: usize = 450;

/// Endings of the files that are measured.
const MEASURED: [&str; 6] = [".rs", ".js", ".mjs", ".css", ".ts", ".py"];

/// Files that are one table: every text of the web client, and every type of the protocol.
const TABLES: [&str; 4] = [
    "web/src/strings/en.js",
    "web/src/strings/de.js",
    "clients/python/src/adamant_client/_protocol.py",
    "clients/typescript/src/protocol.ts",
];

/// Finds files that are too long.
pub(crate) fn check(sources: &Sources) -> Vec<Violation> {
    let mut found = Vec::new();
    for (path, text) in MEASURED.iter().flat_map(|ending| sources.texts(ending)) {
        let lines = text.lines().count();
        if lines > LINES_MAX && !TABLES.contains(&path) {
            let text = format!("has {lines} lines; at most {LINES_MAX}: split it along an idea");
            found.push(Violation::new(CHECK, path, 0, text));
        }
    }
    found
}
