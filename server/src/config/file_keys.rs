//! The keys of a configuration file: their lines, earlier names, and values that cannot be read.

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use toml::{Spanned, Table, Value, de::DeTable};

/// Earlier names of keys, each with its section and its present name.
const RENAMED: [(&str, &str, &str); 1] = [("store", "log_mib", "wal_mib")];

/// A key that the file has under an earlier name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenamedKey {
    /// The name in the file, with its section.
    pub old: String,
    /// The present name, with its section.
    pub new: String,
    /// Where the file has it.
    pub line: usize,
}

/// The line of each key, by section and key.
pub(super) struct KeyLines(HashMap<(String, String), usize>);

impl KeyLines {
    /// Returns the lines of a file that is valid TOML.
    pub(super) fn of(text: &str) -> Self {
        let mut lines = HashMap::new();
        let sections = DeTable::parse(text).map(Spanned::into_inner).unwrap_or_default();
        for (section, value) in &sections {
            for key in value.get_ref().as_table().into_iter().flat_map(|table| table.keys()) {
                let line = 1 + text[..key.span().start].matches('\n').count();
                lines.insert((section.get_ref().to_string(), key.get_ref().to_string()), line);
            }
        }
        Self(lines)
    }

    fn get(&self, section: &str, key: &str) -> Option<usize> {
        self.0.get(&(section.to_owned(), key.to_owned())).copied()
    }

    /// Returns ` (line 7)` if the file has the key.
    fn shown(&self, section: &str, key: &str) -> String {
        self.get(section, key).map_or_else(String::new, |line| format!(" (line {line})"))
    }

    /// Returns the keys that the file has under earlier names.
    pub(super) fn renamed(&self) -> Vec<RenamedKey> {
        let used = RENAMED.iter().filter_map(|(section, old, new)| {
            let line = self.get(section, old)?;
            let [old, new] = [old, new].map(|key| format!("{section}.{key}"));
            Some(RenamedKey { old, new, line })
        });
        used.collect()
    }

    /// Returns a mistake for each key that a section has under both of its names.
    pub(super) fn named_twice(&self) -> Vec<String> {
        let twice = RENAMED.iter().filter_map(|(section, old, new)| {
            let (line, other) = (self.get(section, old)?, self.get(section, new)?);
            Some(format!(
                "{section}.{old} (line {line}): is the earlier name of {section}.{new}, which is \
                 set in line {other}"
            ))
        });
        twice.collect()
    }
}

/// Returns a mistake for each key of a section that cannot be read.
pub(super) fn misread<T: DeserializeOwned>(
    section: &str,
    value: &Value,
    lines: &KeyLines,
) -> Vec<String> {
    let Value::Table(keys) = value else {
        return vec![format!("{section}: must be a section, written as [{section}]")];
    };
    let read = |(key, value): (&String, &Value)| {
        let alone = Table::from_iter([(key.clone(), value.clone())]);
        let error = alone.try_into::<T>().err()?;
        Some(format!("{section}.{key}{}: {}", lines.shown(section, key), one_line(&error)))
    };
    keys.iter().filter_map(read).collect()
}

/// Returns the message of a TOML error in one line.
pub(super) fn one_line(error: &toml::de::Error) -> String {
    error.message().lines().collect::<Vec<_>>().join(" ")
}
