//! What a check finds.

use std::fmt;

/// A place where a rule does not hold.
#[derive(Debug, Clone)]
pub(crate) struct Violation {
    /// The check.
    pub(crate) check: &'static str,
    /// The file.
    pub(crate) path: String,
    /// The line, from 1; 0 if the file as a whole is meant.
    pub(crate) line: usize,
    /// What is wrong.
    pub(crate) text: String,
}

impl Violation {
    /// Something is wrong with a file, or at a line of it.
    pub(crate) fn new(
        check: &'static str,
        path: &str,
        line: usize,
        text: impl Into<String>,
    ) -> Self {
        Self { check, path: path.to_owned(), line, text: text.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}", self.path)?;
        if self.line > 0 {
            write!(to, ":{}", self.line)?;
        }
        write!(to, ": {} ({})", self.text, self.check)
    }
}
