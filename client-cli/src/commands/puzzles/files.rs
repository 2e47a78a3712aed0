//! Files of puzzles, a puzzle in each line, and those that come with the program.

use std::path::Path;

use adamant_rules::Kind;
use rust_embed::RustEmbed;

/// The puzzles of the page: a file of each game, with a puzzle in each line.
#[derive(RustEmbed)]
#[folder = "../web/src/learn/puzzles/"]
struct Files;

/// A file of puzzles.
pub(super) struct PuzzleFile {
    pub(super) name: String,
    text: String,
}

impl PuzzleFile {
    /// The puzzles of a game that come with the program.
    pub(super) fn embedded(kind: Kind) -> Self {
        let name = format!("{}.jsonl", kind.name());
        let data = Files::get(&name).map(|file| file.data).unwrap_or_default();
        Self { name, text: String::from_utf8_lossy(&data).into_owned() }
    }

    pub(super) fn new(path: &Path, text: String) -> Self {
        Self { name: path.display().to_string(), text }
    }

    /// Its lines with their numbers.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        lines.filter(|(_, line)| !line.trim().is_empty())
    }
}
