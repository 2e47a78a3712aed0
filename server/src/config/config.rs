//! The whole configuration: read from the file key by key, overridden by environment and flags, and
//! checked.

use std::{collections::HashMap, path::Path, time::Duration};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use toml::{Spanned, Table, Value, de::DeTable};

use super::{
    admin::AdminConfig,
    args::{Args, Task},
    limits::Limits,
    mail::MailConfig,
    network::NetworkConfig,
    sections::{
        ClusterConfig, DownloadsConfig, GamesConfig, LogConfig, NotificationsConfig, StoreConfig,
        TalkConfig,
    },
};

/// The whole configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The server's address, and the hosts, origins and proxies that it accepts.
    pub network: NetworkConfig,
    /// Where games are stored.
    pub store: StoreConfig,
    /// This node among those on the same database.
    pub cluster: ClusterConfig,
    /// What clients may do.
    pub limits: Limits,
    /// Games and server bots.
    pub games: GamesConfig,
    /// Chat about games.
    pub talk: TalkConfig,
    /// Downloads of finished games.
    pub downloads: DownloadsConfig,
    /// What the server sends to users who are away.
    pub notifications: NotificationsConfig,
    /// The command that sends mail.
    pub mail: MailConfig,
    /// The socket of `adamant-server admin`.
    pub admin: AdminConfig,
    /// The log on standard error.
    pub log: LogConfig,
    /// Keys that the file has under earlier names.
    #[serde(skip)]
    pub renamed_keys: Vec<RenamedKey>,
}

/// Why the configuration is invalid.
#[expect(missing_docs, reason = "each message says it")]
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{path}: {error}")]
    File { path: String, error: std::io::Error },
    #[error("{path}: {error}")]
    Toml { path: String, error: Box<toml::de::Error> },
    #[error("the configuration cannot be used:\n{}", .0.iter().map(|mistake| format!("  - {mistake}")).collect::<Vec<_>>().join("\n"))]
    Mistakes(Vec<String>),
}

/// Returns the service manager's socket, and the time without a message after which it restarts the
/// process.
#[expect(clippy::disallowed_methods, reason = "this is the one place")]
pub fn service_manager() -> (Option<String>, Option<Duration>) {
    let microseconds = std::env::var("WATCHDOG_USEC").ok().and_then(|text| text.parse().ok());
    (std::env::var("NOTIFY_SOCKET").ok(), microseconds.map(Duration::from_micros))
}

impl Config {
    /// Reads the file, applies environment and flags, and checks the result.
    pub fn load(args: &Args) -> Result<Self, ConfigError> {
        let mut config = match &args.config {
            Some(path) => Self::read(path)?,
            None => Self::default(),
        };
        config.override_with(args);
        config.check()?;
        Ok(config)
    }

    fn override_with(&mut self, args: &Args) {
        let asked = match &args.task {
            Some(Task::Doctor(doctor)) => doctor.listen,
            Some(Task::Health(health)) => health.listen,
            _ => None,
        };
        if let Some(listen) = asked.or(args.listen) {
            self.network.listen = listen;
        }
        if let Some(data) = &args.data {
            self.store.data.clone_from(data);
        }
        if let Some(database) = &args.database {
            self.store.database = Some(database.clone());
        }
        self.store.unreplicated = args.unreplicated;
        if let Some(format) = args.log_format {
            self.log.format = format;
        }
        if let Some(filter) = &args.log {
            self.log.filter.clone_from(filter);
        }
        #[expect(clippy::disallowed_methods, reason = "this is the one place")]
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if no_color {
            self.log.colour = false;
        }
        if args.no_house {
            self.games.house = false;
        }
        self.store.accept_loss = args.accept_loss;
        self.store.new_database = args.new_database;
        self.store.migrate_without_copy = args.migrate_without_copy;
        if args.no_limits {
            self.limits.enforced = false;
        }
    }

    fn read(path: &Path) -> Result<Self, ConfigError> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| ConfigError::File { path: shown.clone(), error })?;
        let table: Table = toml::from_str(&text)
            .map_err(|error| ConfigError::Toml { path: shown, error: Box::new(error) })?;
        let lines = KeyLines::of(&text);
        // Key by key, so that one mistake hides no other.
        let misread = table.iter().flat_map(|(section, value)| match section.as_str() {
            "network" => misread::<NetworkConfig>(section, value, &lines),
            "store" => misread::<StoreConfig>(section, value, &lines),
            "cluster" => misread::<ClusterConfig>(section, value, &lines),
            "limits" => misread::<Limits>(section, value, &lines),
            "games" => misread::<GamesConfig>(section, value, &lines),
            "talk" => misread::<TalkConfig>(section, value, &lines),
            "downloads" => misread::<DownloadsConfig>(section, value, &lines),
            "notifications" => misread::<NotificationsConfig>(section, value, &lines),
            "mail" => misread::<MailConfig>(section, value, &lines),
            "admin" => misread::<AdminConfig>(section, value, &lines),
            "log" => misread::<LogConfig>(section, value, &lines),
            unknown => {
                let known = Self::default().to_toml();
                let known = known.lines().filter(|line| line.starts_with('['));
                let known = known.collect::<Vec<_>>().join(", ");
                vec![format!("{unknown}: is not a section; the sections are {known}")]
            }
        });
        let mistakes: Vec<String> = misread.chain(lines.named_twice()).collect();
        if !mistakes.is_empty() {
            return Err(ConfigError::Mistakes(mistakes));
        }
        let config: Self =
            table.try_into().map_err(|error| ConfigError::Mistakes(vec![one_line(&error)]))?;
        Ok(Self { renamed_keys: lines.renamed(), ..config })
    }

    /// Checks all values and returns every mistake at once.
    pub fn check(&self) -> Result<(), ConfigError> {
        let mut mistakes = Vec::new();
        self.network.check(&mut mistakes);
        self.store.check(&mut mistakes);
        self.cluster.check(&mut mistakes);
        self.limits.check(&mut mistakes);
        self.games.check(&mut mistakes);
        self.talk.check(&mut mistakes);
        self.downloads.check(&mut mistakes);
        self.notifications.check(&mut mistakes);
        self.mail.check(&mut mistakes);
        self.admin.check(&mut mistakes);
        self.log.check(&mut mistakes);
        if mistakes.is_empty() { Ok(()) } else { Err(ConfigError::Mistakes(mistakes)) }
    }

    /// Returns the configuration as a file in TOML.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).expect("a configuration can be written as TOML")
    }
}

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
    fn renamed(&self) -> Vec<RenamedKey> {
        let used = RENAMED.iter().filter_map(|(section, old, new)| {
            let line = self.get(section, old)?;
            let [old, new] = [old, new].map(|key| format!("{section}.{key}"));
            Some(RenamedKey { old, new, line })
        });
        used.collect()
    }

    /// Returns a mistake for each key that a section has under both of its names.
    fn named_twice(&self) -> Vec<String> {
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
fn misread<T: DeserializeOwned>(section: &str, value: &Value, lines: &KeyLines) -> Vec<String> {
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
fn one_line(error: &toml::de::Error) -> String {
    error.message().lines().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    /// Loads a file with this text.
    fn load(text: &str) -> Result<Config, ConfigError> {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("adamant.toml");
        std::fs::write(&file, text).unwrap();
        Config::load(&Args::parse_from(["adamant-server", "--config", file.to_str().unwrap()]))
    }

    /// Loads a file with this text and returns its mistakes.
    fn mistakes(text: &str) -> Vec<String> {
        match load(text) {
            Err(ConfigError::Mistakes(mistakes)) => mistakes,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_default_file_has_every_key_with_its_default() {
        let text = include_str!("../../../config/default.toml");
        assert_eq!(toml::from_str::<Config>(text).unwrap(), Config::default());
        for key in Config::default().to_toml().lines().filter_map(|line| line.split_once(" = ")) {
            assert!(text.contains(&format!("{} =", key.0)), "{} is missing", key.0);
        }
    }

    #[test]
    fn the_example_files_are_valid() {
        let production = include_str!("../../../config/production.example.toml");
        let container = include_str!("../../../config/container.toml");
        for (text, is_public) in [(production, true), (container, false)] {
            let mut config = toml::from_str::<Config>(text).unwrap();
            // Its certificate is the operator's.
            assert_eq!(config.network.tls.take().is_some(), is_public);
            config.check().unwrap();
        }
    }

    #[test]
    fn the_printed_configuration_is_parsed_to_the_same() {
        let config = Config::default();
        assert_eq!(toml::from_str::<Config>(&config.to_toml()).unwrap(), config);
    }

    #[test]
    fn a_flag_overrides_the_file() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("adamant.toml");
        std::fs::write(&file, "[network]\nlisten = \"127.0.0.1:1\"\n[store]\ndata = \"x\"\n")
            .unwrap();
        let path = file.to_str().unwrap();
        let args =
            Args::parse_from(["adamant-server", "--config", path, "--listen", "127.0.0.1:2"]);
        let config = Config::load(&args).unwrap();
        assert_eq!(config.network.listen.port(), 2);
        let asked = ["adamant-server", "--config", path, "health", "--listen", "127.0.0.1:3"];
        let config = Config::load(&Args::parse_from(asked)).unwrap();
        assert_eq!(config.network.listen.port(), 3);
        assert_eq!(config.store.data, Path::new("x"));
    }

    #[test]
    fn all_invalid_values_are_reported_at_once() {
        let mistakes = mistakes(
            "[store]\nwal_mib = 0\n[limits]\nmessages_per_s = 0\n[log]\nfilter = \"a=b=c\"\n\
             [network.tls]\ncertificate = \"/nowhere\"\nkey = \"/nowhere\"\n",
        );
        assert_eq!(mistakes.len(), 4, "{mistakes:?}");
        assert!(mistakes[0].starts_with("network.tls.certificate: /nowhere: No such file"));
    }

    #[test]
    fn all_unknown_keys_and_misread_values_are_reported_at_once() {
        let mistakes = mistakes(
            "extra = 1\n[network]\nlisten = \":7777\"\norigins = 3\n[limits]\nmessages = 1\n\
             messages_per_s = \"x\"\n[lists]\n",
        );
        assert_eq!(mistakes.len(), 6, "{mistakes:?}");
        for name in [
            "extra: ",
            "network.listen (line 3): ",
            "network.origins (line 4): ",
            "limits.messages (line 6): ",
            "limits.messages_per_s (line 7): ",
            "lists: ",
        ] {
            assert!(mistakes.iter().any(|mistake| mistake.starts_with(name)), "{mistakes:?}");
        }
    }

    #[test]
    fn a_key_under_its_earlier_name_is_accepted_and_reported() {
        let present = load("[store]\nwal_mib = 7\n").unwrap();
        assert_eq!((present.store.wal_mib, present.renamed_keys), (7, Vec::new()));
        let earlier = load("[store]\n\nlog_mib = 7\n").unwrap();
        assert_eq!(earlier.store.wal_mib, 7);
        let renamed =
            RenamedKey { old: "store.log_mib".into(), new: "store.wal_mib".into(), line: 3 };
        assert_eq!(earlier.renamed_keys, [renamed]);
    }

    #[test]
    fn mistakes_in_a_renamed_key_are_reported_with_its_line() {
        for name in ["wal_mib", "log_mib"] {
            let mistakes = mistakes(&format!("[store]\n{name} = \"x\"\n"));
            let expected = format!("store.{name} (line 2): ");
            assert!(mistakes.len() == 1 && mistakes[0].starts_with(&expected), "{mistakes:?}");
        }
        let twice = mistakes("[store]\nwal_mib = 1\nlog_mib = 1\n");
        assert_eq!(
            twice,
            [
                "store.log_mib (line 3): is the earlier name of store.wal_mib, which is set in line 2"
            ]
        );
    }
}
