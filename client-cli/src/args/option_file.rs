//! The file of `bot --config` and `match --config`: options of the command line under their names,
//! as TOML.

use std::{ffi::OsString, fs, path::Path};

/// The tables in which `match` has its engines; it reads them itself.
const ENGINE_TABLES: &str = "engine";

/// Returns the words of a command line with those of the file before the other words of a command,
/// so that the command line overrides the file.
pub(super) fn insert(
    mut words: Vec<OsString>,
    command: &str,
    path: &Path,
) -> Result<Vec<OsString>, String> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|why| format!("{shown} cannot be read: {why}"))?;
    let table: toml::Table = text.parse().map_err(|why| format!("{shown} is invalid: {why}"))?;
    let mut options = Vec::new();
    for (name, value) in table {
        if name == "config" {
            return Err(format!("{shown} is invalid: a file cannot name another"));
        }
        let is_table = |value: &toml::Value| value.is_table();
        let has_tables = value.as_array().is_some_and(|all| all.iter().any(is_table));
        if command == "match" && name == ENGINE_TABLES && has_tables {
            continue;
        }
        let all = if let toml::Value::Array(all) = value { all } else { vec![value] };
        for value in all {
            if value == toml::Value::Boolean(false) {
                continue;
            }
            let word = match (value.as_str(), value.as_integer()) {
                (Some(text), _) => format!("--{name}={text}"),
                (None, Some(number)) => format!("--{name}={number}"),
                (None, None) if value.is_bool() => format!("--{name}"),
                (None, None) => {
                    let why = "is no option with such a value";
                    return Err(format!("{shown} is invalid: {name} {why}"));
                }
            };
            options.push(word.into());
        }
    }
    let first = words.iter().position(|word| word == command).map_or(words.len(), |at| at + 1);
    words.splice(first..first, options);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};

    fn read(file: &str, line: &str) -> Result<crate::commands::bot::run::BotArgs, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bot.toml");
        fs::write(&path, file).unwrap();
        let line = line.replace("FILE", &path.display().to_string());
        let cli = Cli::read(line.split_whitespace().map(Into::into));
        let Command::Bot(args) = cli.map_err(|error| error.to_string())?.command else {
            panic!("{line}")
        };
        Ok(*args)
    }

    #[test]
    fn a_file_sets_options_and_the_command_line_overrides_them() {
        let file = "engine = \"python3 'my engine.py'\"\naccept-any = true\ngames-at-once = 3\n\
                    only-games = [\"hexma/2\", \"diam\"]\nno-guests = false\nrestarts = 5\n";
        let args = read(file, "adamant bot --config FILE --games-at-once 7").unwrap();
        assert_eq!(args.run.engine.as_deref(), Some("python3 'my engine.py'"));
        assert!(args.accept_any && !args.acceptance.no_guests);
        assert_eq!((args.acceptance.games_at_once, args.run.restarts), (7, 5));
        assert_eq!(args.acceptance.only_games.len(), 2);
    }

    #[test]
    fn faults_of_a_file_are_named() {
        for (file, why) in [
            ("colour = \"red\"", "--colour"),
            ("restarts = \"many\"", "--restarts"),
            ("restarts = 1.5", "restarts is no option with such a value"),
            ("config = \"other.toml\"", "cannot name another"),
            ("engine =", "bot.toml is invalid"),
        ] {
            let error = read(file, "adamant bot --config FILE").unwrap_err();
            assert!(error.contains(why), "{file}: {error}");
        }
        let missing = read("", "adamant bot --config FILE.missing").unwrap_err();
        assert!(missing.contains("cannot be read"), "{missing}");
    }
}
