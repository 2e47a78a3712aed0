//! The files of a checkout.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context as _, Result};

use super::rust::Rust;

/// What is wrong at a line of a file, from 1; at 0 with the file as a whole.
pub(super) fn at(path: &str, line: usize, what: &str) -> String {
    if line == 0 { format!("{path}: {what}") } else { format!("{path}:{line}: {what}") }
}

/// Whether a path ends so, in these letters.
pub(super) fn ends_with(path: &str, ending: &str) -> bool {
    path.ends_with(ending)
}

/// Folders that hold nothing written by hand.
pub(super) const SKIPPED: [&str; 9] = [
    ".git",
    "target",
    "node_modules",
    "dist",
    "corpus",
    "artifacts",
    "data",
    "adamant-data",
    ".venv",
];

/// Endings of the files that the checks read.
const READ: [&str; 15] = [
    "rs", "md", "toml", "js", "mjs", "css", "ts", "py", "yml", "txt", "html", "json", "c", "cfg",
    "service",
];

/// The files of a checkout by path, with `/` between folders; those that are not read have no text.
#[derive(Default)]
pub(super) struct Sources {
    pub(super) texts: BTreeMap<String, String>,
    pub(super) rust: BTreeMap<String, Rust>,
}

impl Sources {
    pub(super) fn collect(&mut self, root: &Path, folder: &Path) -> Result<()> {
        for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_symlink() || SKIPPED.contains(&name.as_ref()) {
                continue;
            }
            if path.is_dir() {
                self.collect(root, &path)?;
                continue;
            }
            let inside = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
            let is_read = path.extension().is_some_and(|end| READ.iter().any(|read| end == *read));
            let text = if is_read { fs::read_to_string(&path)? } else { String::new() };
            self.add(&inside, text)?;
        }
        Ok(())
    }

    pub(super) fn add(&mut self, path: &str, text: String) -> Result<()> {
        if ends_with(path, ".rs") {
            self.rust.insert(path.to_owned(), Rust::read(&text).with_context(|| path.to_owned())?);
        }
        self.texts.insert(path.to_owned(), text);
        Ok(())
    }

    pub(super) fn text(&self, path: &str) -> &str {
        self.texts.get(path).map_or("", String::as_str)
    }

    /// All files whose path ends so, with their texts.
    pub(super) fn texts(&self, ending: &str) -> impl Iterator<Item = (&str, &str)> {
        let texts = self.texts.iter().filter(move |(path, _)| path.ends_with(ending));
        texts.map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// The Rust files below a folder that are not tests alone.
    pub(super) fn rust(&self, folder: &str) -> impl Iterator<Item = (&str, &Rust)> {
        let files = self.rust.iter().map(|(path, rust)| (path.as_str(), rust));
        files.filter(move |(path, _)| {
            path.starts_with(folder) && !path.ends_with("/tests.rs") && !path.contains("/tests/")
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// What a check finds in these files, if it is not that the rest of the tree is missing.
    pub(in super::super) fn found(
        check: fn(&Sources) -> Vec<String>,
        files: &[(&str, &str)],
    ) -> Vec<String> {
        let mut sources = Sources::default();
        for (path, text) in files {
            sources.add(path, (*text).to_owned()).unwrap();
        }
        let mut found = check(&sources);
        found.retain(|one| !one.contains("is not there"));
        found
    }
}
