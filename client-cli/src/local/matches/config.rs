//! The engines of a file for `match --config`: a table `[[engine]]` for each.

use std::{collections::BTreeMap, fs, path::Path};

use adamant_protocol::UserName;
use serde::Deserialize;

use crate::{failure::UsageError, time_control::read_length};

/// An engine as a file or the command line names it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EngineEntry {
    /// Its command.
    pub(super) command: String,
    /// Its name in records and tables.
    pub(super) name: Option<UserName>,
    /// The nodes of each move, instead of those of the match.
    pub(super) nodes: Option<u64>,
    /// The time of each move, instead of that of the match.
    #[serde(default, deserialize_with = "read_time")]
    pub(super) movetime: Option<u64>,
    /// Options of the engine, with their values.
    #[serde(default)]
    pub(super) options: BTreeMap<String, toml::Value>,
}

impl EngineEntry {
    /// Returns an engine that has only a command.
    pub(super) fn of_command(command: &str) -> Self {
        let options = BTreeMap::new();
        Self { command: command.to_owned(), name: None, nodes: None, movetime: None, options }
    }

    /// Returns the options as an engine takes them.
    pub(super) fn settings(&self) -> Vec<(String, String)> {
        let text = |value: &toml::Value| match value.as_str() {
            Some(text) => text.to_owned(),
            None => value.to_string(),
        };
        self.options.iter().map(|(name, value)| (name.clone(), text(value))).collect()
    }
}

/// Reads the engines of a file. Its other entries are options, which have been read before.
pub(super) fn read(path: &Path) -> Result<Vec<EngineEntry>, UsageError> {
    let shown = path.display();
    let invalid = |why: &dyn std::fmt::Display| UsageError(format!("{shown} is invalid: {why}"));
    let text = fs::read_to_string(path)
        .map_err(|why| UsageError(format!("{shown} cannot be read: {why}")))?;
    let mut table: toml::Table = text.parse().map_err(|why: toml::de::Error| invalid(&why))?;
    let Some(toml::Value::Array(all)) = table.remove("engine") else { return Ok(Vec::new()) };
    let tables = all.into_iter().filter(toml::Value::is_table);
    tables.map(|one| one.try_into().map_err(|why: toml::de::Error| invalid(&why))).collect()
}

fn read_time<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let wrong = || serde::de::Error::custom("write a time such as 500ms or 2s");
    read_length(&text).map(Some).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<EngineEntry>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.toml");
        fs::write(&path, text).unwrap();
        read(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn engines_are_tables() {
        let engines = read_text(
            "games = 4\n[[engine]]\nname = \"old\"\ncommand = \"python3 engine.py\"\n\
             nodes = 7\nmovetime = \"2s\"\noptions = { Hash = 16, style = \"wild\" }\n\
             [[engine]]\ncommand = \"other\"\n",
        );
        let engines = engines.unwrap();
        assert_eq!((engines[0].nodes, engines[0].movetime), (Some(7), Some(2_000)));
        let wanted = [("Hash", "16"), ("style", "wild")];
        assert_eq!(engines[0].settings(), wanted.map(|(a, b)| (a.to_owned(), b.to_owned())));
        assert_eq!(engines[1], EngineEntry::of_command("other"));
        assert_eq!(read_text("engine = [\"one\", \"two\"]\n"), Ok(Vec::new()));
    }

    #[test]
    fn faults_of_a_file_are_named() {
        for (text, why) in [
            ("[[engine]]\nname = \"old\"\n", "missing field `command`"),
            ("[[engine]]\ncommand = \"x\"\ncolour = 1\n", "unknown field `colour`"),
            ("[[engine]]\ncommand = \"x\"\nmovetime = \"2\"\n", "write a time such as"),
            ("[[engine]]\ncommand = \"x\"\nname = \"a b\"\n", "a name is 2 to 20"),
        ] {
            let error = read_text(text).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
