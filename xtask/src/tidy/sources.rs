//! The files of a checkout.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};

use super::rust::Rust;

/// Folders that hold nothing written by hand.
pub(crate) const SKIPPED: [&str; 9] = [
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
const READ: [&str; 10] = ["rs", "md", "toml", "js", "mjs", "css", "ts", "py", "yml", "txt"];

/// The text files of a checkout by path, with `/` between folders, and the Rust files among them.
#[derive(Debug)]
pub(crate) struct Sources {
    texts: BTreeMap<String, String>,
    rust: BTreeMap<String, Rust>,
}

impl Sources {
    /// Reads a checkout.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let mut texts = BTreeMap::new();
        collect(root, root, &mut texts)?;
        Ok(Self::of(texts))
    }

    /// Takes texts by path for the files of a checkout.
    pub(crate) fn of(texts: BTreeMap<String, String>) -> Self {
        let is_rust = |path: &str| Path::new(path).extension().is_some_and(|ending| ending == "rs");
        let read = |(path, text): (&String, &String)| (path.clone(), Rust::read(text));
        let rust = texts.iter().filter(|(path, _)| is_rust(path)).map(read).collect();
        Self { texts, rust }
    }

    /// The text of a file.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }

    /// All text files whose path ends so, with their texts.
    pub(crate) fn texts(&self, ending: &str) -> impl Iterator<Item = (&str, &str)> {
        let texts = self.texts.iter().filter(move |(path, _)| path.ends_with(ending));
        texts.map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// All Rust files, read.
    pub(crate) fn rust(&self) -> impl Iterator<Item = (&str, &Rust)> {
        self.rust.iter().map(|(path, rust)| (path.as_str(), rust))
    }

    /// A Rust file, read.
    pub(crate) fn rust_file(&self, path: &str) -> Option<&Rust> {
        self.rust.get(path)
    }

    /// The folders that hold a manifest.
    pub(crate) fn packages(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().filter_map(|path| path.strip_suffix("/Cargo.toml"))
    }
}

fn collect(root: &Path, folder: &Path, texts: &mut BTreeMap<String, String>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("{}", folder.display()))?;
    for entry in entries {
        let path: PathBuf = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_symlink() || SKIPPED.contains(&name.as_ref()) {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, texts)?;
        } else if path.extension().is_some_and(|ending| READ.iter().any(|read| ending == *read)) {
            let inside = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            texts.insert(inside, text);
        }
    }
    Ok(())
}
