//! What an operator sets: a flag beats the environment, which beats the file, which beats the
//! default. The only module that reads the environment.

use std::{collections::HashMap, path::Path, time::Duration};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use toml::{Spanned, Table, Value, de::DeTable};

use crate::config::args::Args;
use crate::config::games::Games;
use crate::config::limits::Limits;
use crate::config::log::Log;
use crate::config::network::Network;
use crate::config::store::Store;
use crate::config::talk::Talk;

/// The whole configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where the server listens.
    pub network: Network,
    /// Where the games are kept.
    pub store: Store,
    /// What clients may do.
    pub limits: Limits,
    /// The games and the house players.
    pub games: Games,
    /// Talk about games.
    pub talk: Talk,
    /// What is written to standard error.
    pub log: Log,
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path}: {error}")]
    File {
        /// Which.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// The file is not TOML, or names something unknown.
    #[error("{path}: {error}")]
    Toml {
        /// Which.
        path: String,
        /// Where and why.
        error: Box<toml::de::Error>,
    },
    /// Values that cannot be meant; all of them.
    #[error("the configuration cannot be used:\n{}", .0.iter().map(|mistake| format!("  - {mistake}")).collect::<Vec<_>>().join("\n"))]
    Mistakes(Vec<String>),
}

/// Where the service manager listens, and after how long without a message it takes the process for
/// dead.
#[expect(clippy::disallowed_methods, reason = "this is the one place")]
pub fn service_manager() -> (Option<String>, Option<Duration>) {
    let microseconds = std::env::var("WATCHDOG_USEC").ok().and_then(|text| text.parse().ok());
    (std::env::var("NOTIFY_SOCKET").ok(), microseconds.map(Duration::from_micros))
}

impl Config {
    /// Puts file, environment and flags together and checks the result.
    pub fn load(args: &Args) -> Result<Self, ConfigError> {
        let mut config = match &args.config {
            Some(path) => Self::read(path)?,
            None => Self::default(),
        };
        args.override_in(&mut config);
        config.check()?;
        Ok(config)
    }

    fn read(path: &Path) -> Result<Self, ConfigError> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| ConfigError::File { path: shown.clone(), error })?;
        let table: Table = toml::from_str(&text)
            .map_err(|error| ConfigError::Toml { path: shown, error: Box::new(error) })?;
        let places = Places::of(&text);
        // Line by line, so that one mistake hides no other.
        let mistakes = table.iter().flat_map(|(section, value)| match section.as_str() {
            "network" => misread::<Network>(section, value, &places),
            "store" => misread::<Store>(section, value, &places),
            "limits" => misread::<Limits>(section, value, &places),
            "games" => misread::<Games>(section, value, &places),
            "talk" => misread::<Talk>(section, value, &places),
            "log" => misread::<Log>(section, value, &places),
            unknown => {
                let known = Self::default().to_toml();
                let known = known.lines().filter(|line| line.starts_with('['));
                let known = known.collect::<Vec<_>>().join(", ");
                vec![format!("{unknown}: there is no such section; there are {known}")]
            }
        });
        let mistakes: Vec<String> = mistakes.collect();
        if mistakes.is_empty() {
            table.try_into().map_err(|error| ConfigError::Mistakes(vec![one_line(&error)]))
        } else {
            Err(ConfigError::Mistakes(mistakes))
        }
    }

    /// Reports every mistake at once.
    pub fn check(&self) -> Result<(), ConfigError> {
        let mut mistakes = Vec::new();
        self.network.check(&mut mistakes);
        self.store.check(&mut mistakes);
        self.limits.check(&mut mistakes);
        self.games.check(&mut mistakes);
        self.talk.check(&mut mistakes);
        self.log.check(&mut mistakes);
        if mistakes.is_empty() { Ok(()) } else { Err(ConfigError::Mistakes(mistakes)) }
    }

    /// The configuration as a file.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).expect("a configuration can be written as TOML")
    }
}

/// The line of each key of a file's sections.
struct Places(HashMap<(String, String), usize>);

impl Places {
    /// Of a file that can be parsed.
    fn of(text: &str) -> Self {
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

    /// ` (line 7)`, if the file has the key.
    fn of_key(&self, section: &str, key: &str) -> String {
        let line = self.0.get(&(section.to_owned(), key.to_owned()));
        line.map_or_else(String::new, |line| format!(" (line {line})"))
    }
}

/// The lines of a section that cannot be read, each with the reason.
fn misread<T: DeserializeOwned>(section: &str, value: &Value, places: &Places) -> Vec<String> {
    let Value::Table(lines) = value else {
        return vec![format!("{section}: it is a section, written as [{section}]")];
    };
    let read = |(key, value): (&String, &Value)| {
        let alone = Table::from_iter([(key.clone(), value.clone())]);
        let error = alone.try_into::<T>().err()?;
        Some(format!("{section}.{key}{}: {}", places.of_key(section, key), one_line(&error)))
    };
    lines.iter().filter_map(read).collect()
}

fn one_line(error: &toml::de::Error) -> String {
    error.message().lines().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    /// The file that operators start from says what the code does.
    #[test]
    fn the_default_file_is_the_default() {
        let text = include_str!("../../../config/default.toml");
        assert_eq!(toml::from_str::<Config>(text).unwrap(), Config::default());
        for key in Config::default().to_toml().lines().filter_map(|line| line.split_once(" = ")) {
            assert!(text.contains(&format!("{} =", key.0)), "{} is missing", key.0);
        }
    }

    #[test]
    fn the_files_beside_it_are_valid() {
        let production = include_str!("../../../config/production.example.toml");
        let container = include_str!("../../../config/container.toml");
        for text in [production, container] {
            toml::from_str::<Config>(text).unwrap().check().unwrap();
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let config = Config::default();
        assert_eq!(toml::from_str::<Config>(&config.to_toml()).unwrap(), config);
    }

    #[test]
    fn a_flag_beats_the_file_and_all_mistakes_are_told() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("adamant.toml");
        std::fs::write(&file, "[network]\nlisten = \"127.0.0.1:1\"\n[store]\ndata = \"x\"\n")
            .unwrap();
        let path = file.to_str().unwrap();
        let args =
            Args::parse_from(["adamant-server", "--config", path, "--listen", "127.0.0.1:2"]);
        let config = Config::load(&args).unwrap();
        assert_eq!(config.network.listen.port(), 2);
        assert_eq!(config.store.data, Path::new("x"));

        let mistakes = "[store]\nlog_mib = 0\n[limits]\nmessages_per_s = 0\n[log]\nfilter = \"a=b=c\"\n[network.tls]\ncertificate = \"/nowhere\"\nkey = \"/nowhere\"\n";
        std::fs::write(&file, mistakes).unwrap();
        let error =
            Config::load(&Args::parse_from(["adamant-server", "--config", path])).unwrap_err();
        let ConfigError::Mistakes(mistakes) = error else { panic!("{error}") };
        assert_eq!(mistakes.len(), 4, "{mistakes:?}");
        assert!(mistakes[0].starts_with("network.tls.certificate: /nowhere: No such file"));

        std::fs::write(&file, "[network]\nlisten_on = 7\n").unwrap();
        let error =
            Config::load(&Args::parse_from(["adamant-server", "--config", path])).unwrap_err();
        assert!(error.to_string().contains("listen_on"), "{error}");

        let several = "extra = 1\n[network]\nlisten = \":7777\"\norigins = 3\n[limits]\nmessages = 1\nmessages_per_s = \"x\"\n[lists]\n";
        std::fs::write(&file, several).unwrap();
        let error =
            Config::load(&Args::parse_from(["adamant-server", "--config", path])).unwrap_err();
        let ConfigError::Mistakes(mistakes) = error else { panic!("{error}") };
        assert_eq!(mistakes.len(), 6, "{mistakes:?}");
        for name in ["extra", "network.listen", "network.origins", "limits.messages", "lists"] {
            assert!(mistakes.iter().any(|mistake| mistake.starts_with(name)), "{mistakes:?}");
        }
    }
}
