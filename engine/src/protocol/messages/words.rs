//! Reads the words of a line.

use std::str::{FromStr, SplitAsciiWhitespace};

/// Why a line cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LineError {
    /// The line is empty.
    #[error("the line is empty")]
    Empty,
    /// There is no such command.
    #[error("unknown command {0}")]
    Unknown(String),
    /// A word is missing.
    #[error("{command}: {what} is missing")]
    Missing {
        /// The command.
        command: &'static str,
        /// What should follow.
        what: &'static str,
    },
    /// A word is not what it should be.
    #[error("{command}: {word} is not {what}")]
    Wrong {
        /// The command.
        command: &'static str,
        /// The word.
        word: String,
        /// What it should be.
        what: &'static str,
    },
}

/// The words of one command.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    command: &'static str,
    rest: SplitAsciiWhitespace<'a>,
}

impl<'a> Words<'a> {
    /// Returns the words after the command.
    pub(super) fn new(command: &'static str, line: &'a str) -> Self {
        let mut rest = line.split_ascii_whitespace();
        rest.next();
        Self { command, rest }
    }

    /// The next word, if there is one.
    pub(super) fn next(&mut self) -> Option<&'a str> {
        self.rest.next()
    }

    /// The next word, which must be there.
    pub(super) fn word(&mut self, what: &'static str) -> Result<&'a str, LineError> {
        self.next().ok_or(LineError::Missing { command: self.command, what })
    }

    /// The next word as a value.
    pub(super) fn value<T: FromStr>(&mut self, what: &'static str) -> Result<T, LineError> {
        let word = self.word(what)?;
        word.parse().map_err(|_| self.wrong(word, what))
    }

    /// The next words as numbers, up to the first that is none.
    pub(super) fn numbers(&mut self) -> Vec<u64> {
        let mut numbers = Vec::new();
        while let Some(number) = self.rest.clone().next().and_then(|word| word.parse().ok()) {
            self.rest.next();
            numbers.push(number);
        }
        numbers
    }

    /// All words that are left.
    pub(super) fn all(self) -> Vec<String> {
        self.rest.map(str::to_owned).collect()
    }

    /// All words that are left, as a text.
    pub(super) fn text(self) -> String {
        self.all().join(" ")
    }

    /// The error for a word.
    pub(super) fn wrong(&self, word: &str, what: &'static str) -> LineError {
        LineError::Wrong { command: self.command, word: word.to_owned(), what }
    }
}

/// Writes words with a blank before each.
pub(super) fn write_words<T: std::fmt::Display>(
    f: &mut std::fmt::Formatter<'_>,
    words: &[T],
) -> std::fmt::Result {
    words.iter().try_for_each(|word| write!(f, " {word}"))
}
