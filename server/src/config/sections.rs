//! The sections of the configuration but `[network]` and `[limits]`.

use std::{fmt, num::NonZeroUsize, path::PathBuf, time::Duration};

use adamant_protocol::UserName;
use serde::{Deserialize, Serialize, Serializer};
use tracing_subscriber::EnvFilter;

use crate::{cluster::NodeId, limits::SEARCHES_AT_ONCE_MAX};

/// The fields of a section with their names.
macro_rules! named {
    ($section:ident: $($field:ident),*) => { [$((stringify!($field), $section.$field)),*] };
}
pub(super) use named;

/// Checks that times are longer than zero.
pub(super) fn must_last<const N: usize>(
    section: &str,
    times: [(&str, Duration); N],
    mistakes: &mut Vec<String>,
) {
    let zero = times.into_iter().filter(|(_, time)| time.is_zero());
    mistakes.extend(zero.map(|(name, _)| format!("{section}.{name}: must be longer than zero")));
}

/// Largest useful WAL: after a crash the server reads all of it.
const WAL_MIB_MAX: u32 = 1024;

/// Where games are stored.
#[expect(missing_docs, reason = "config/default.toml says what each key means")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoreConfig {
    pub data: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<DatabaseUrl>,
    /// Whether a database without a synchronous standby is good enough. Its loss loses what was
    /// acknowledged, so it is a flag and not a key of the file.
    #[serde(skip)]
    pub unreplicated: bool,
    #[serde(alias = "log_mib")]
    pub wal_mib: u32,
    /// Whether to continue without what is damaged. Applies to one start only, so
    /// it is a flag and not a key of the file.
    #[serde(skip)]
    pub accept_loss: bool,
    /// Whether a new database may be made beside an older signing key. Applies to one start only.
    #[serde(skip)]
    pub new_database: bool,
    /// Whether an older store is migrated without a copy. Applies to one start only.
    #[serde(skip)]
    pub migrate_without_copy: bool,
    pub shipping: ShippingConfig,
}

impl Default for StoreConfig {
    fn default() -> Self {
        Self {
            data: "data".into(),
            database: None,
            unreplicated: false,
            wal_mib: 32,
            accept_loss: false,
            new_database: false,
            migrate_without_copy: false,
            shipping: ShippingConfig::default(),
        }
    }
}

impl StoreConfig {
    /// Returns the defaults with this data directory.
    pub fn at(data: impl Into<PathBuf>) -> Self {
        Self { data: data.into(), ..Self::default() }
    }

    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        if let Some(database) = &self.database {
            database.check(mistakes);
        }
        if self.wal_mib == 0 || self.wal_mib > WAL_MIB_MAX {
            mistakes.push(format!("store.wal_mib: must be from 1 to {WAL_MIB_MAX}"));
        }
        self.shipping.check(mistakes);
        if self.shipping.is_on() && self.database.is_some() {
            mistakes.push(
                "store.shipping: ships the embedded store alone; PostgreSQL has its own means: an \
                 archive of its WAL (archive_command) beside a base backup (pg_basebackup)"
                    .to_owned(),
            );
        }
        let directory = self.shipping.directory.as_ref();
        if directory.is_some_and(|directory| directory.starts_with(&self.data)) {
            mistakes.push("store.shipping.directory: lies in the data directory".to_owned());
        }
    }
}

/// Where the embedded store is shipped to, each second.
#[expect(missing_docs, reason = "config/default.toml says what each key means")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ShippingConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub directory: Option<PathBuf>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    #[serde(with = "humantime_serde")]
    pub every: Duration,
    #[serde(with = "humantime_serde")]
    pub copy_every: Duration,
    pub keep: NonZeroUsize,
    pub with_key: bool,
}

impl Default for ShippingConfig {
    fn default() -> Self {
        Self {
            directory: None,
            command: Vec::new(),
            every: Duration::from_millis(500),
            copy_every: Duration::from_hours(24),
            keep: NonZeroUsize::MIN.saturating_add(2),
            with_key: false,
        }
    }
}

impl ShippingConfig {
    /// Whether anything is shipped.
    pub const fn is_on(&self) -> bool {
        self.directory.is_some() || !self.command.is_empty()
    }

    fn check(&self, mistakes: &mut Vec<String>) {
        must_last("store.shipping", named!(self: every, copy_every), mistakes);
        if self.directory.is_some() && !self.command.is_empty() {
            mistakes.push("store.shipping: has a directory and a command: name one".to_owned());
        }
        if self.command.first().is_some_and(String::is_empty) {
            mistakes.push("store.shipping.command: begins with no program".to_owned());
        }
    }
}

/// The URL of a PostgreSQL database. Logs and `--print-config` show it without its password.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct DatabaseUrl(Box<str>);

impl DatabaseUrl {
    /// Returns the URL with its password.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        if !["postgres://", "postgresql://"].iter().any(|scheme| self.0.starts_with(scheme)) {
            mistakes.push("store.database: must begin with postgres://".to_owned());
        }
    }
}

impl From<String> for DatabaseUrl {
    fn from(url: String) -> Self {
        Self(url.into())
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = self.0.split_once("://").unwrap_or(("", &self.0));
        write!(f, "{scheme}://")?;
        // A password may also be an option. Options behind it are not shown.
        let rest = rest.split_once("password=").map_or(rest, |(before, _)| before);
        // The hosts begin after the last @: a password that is not escaped may have one, too.
        let hosts = match rest.rsplit_once('@') {
            Some((user, hosts)) => {
                match user.split_once(':') {
                    Some((user, _)) => write!(f, "{user}:***@")?,
                    None => write!(f, "{user}@")?,
                }
                hosts
            }
            None => rest,
        };
        f.write_str(hosts)
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for DatabaseUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// This node among those on the same database.
#[expect(missing_docs, reason = "config/default.toml says what each key means")]
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClusterConfig {
    pub node: Option<String>,
}

impl ClusterConfig {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        if let Some(node) = &self.node
            && let Err(error) = node.parse::<NodeId>()
        {
            mistakes.push(format!("cluster.node: {node:?}: {error}"));
        }
    }

    /// Returns the name of this node. A host name has letters that a node's name has not: the
    /// domain is left out, capitals become small, and others become `-`.
    pub(crate) fn node(&self, host_name: &str) -> Option<NodeId> {
        if let Some(node) = &self.node {
            return node.parse().ok();
        }
        let host = host_name.split('.').next().unwrap_or_default();
        let letters = host.chars().map(|letter| match letter.to_ascii_lowercase() {
            letter @ ('a'..='z' | '0'..='9') => letter,
            _ => '-',
        });
        letters.take(NodeId::BYTES_MAX).collect::<String>().parse().ok()
    }
}

/// Games and server bots.
#[expect(missing_docs, reason = "config/default.toml says what each key means")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GamesConfig {
    pub house: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables: Option<PathBuf>,
    pub search_memory_mb: u16,
    pub loops: Option<u16>,
    #[serde(with = "humantime_serde")]
    pub park_after: Duration,
    #[serde(with = "humantime_serde")]
    pub claim_after: Duration,
    #[serde(with = "humantime_serde")]
    pub claim_after_untimed: Duration,
    #[serde(with = "humantime_serde")]
    pub house_waits: Duration,
    #[serde(with = "humantime_serde")]
    pub house_waits_untouched: Duration,
}

impl Default for GamesConfig {
    fn default() -> Self {
        Self {
            house: true,
            tables: None,
            search_memory_mb: 512,
            loops: None,
            park_after: Duration::from_mins(10),
            claim_after: Duration::from_mins(2),
            claim_after_untimed: Duration::from_hours(7 * 24),
            house_waits: Duration::from_hours(24),
            house_waits_untouched: Duration::from_mins(10),
        }
    }
}

impl GamesConfig {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        if self.loops == Some(0) {
            mistakes.push("games.loops: must be at least 1".to_owned());
        }
        if usize::from(self.search_memory_mb) < SEARCHES_AT_ONCE_MAX {
            mistakes.push(format!(
                "games.search_memory_mb: must be at least {SEARCHES_AT_ONCE_MAX}, one for each search"
            ));
        }
        let waits = named!(
            self: park_after, claim_after, claim_after_untimed, house_waits, house_waits_untouched
        );
        must_last("games", waits, mistakes);
    }
}

/// Chat about games.
#[expect(missing_docs, reason = "config/default.toml says what each key means")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TalkConfig {
    pub enabled: bool,
    pub guests: bool,
    pub moderators: Vec<String>,
}

impl Default for TalkConfig {
    fn default() -> Self {
        Self { enabled: true, guests: true, moderators: Vec::new() }
    }
}

impl TalkConfig {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        for name in &self.moderators {
            if let Err(error) = name.parse::<UserName>() {
                mistakes.push(format!("talk.moderators: {name:?}: {error}"));
            }
        }
    }

    /// Returns the names of the moderators.
    pub(crate) fn moderator_names(&self) -> Vec<UserName> {
        self.moderators.iter().filter_map(|name| name.parse().ok()).collect()
    }

    /// Whether this user may delete lines of other users.
    pub fn has_moderator(&self, user: &UserName) -> bool {
        self.moderators.iter().any(|name| user.is_same(name))
    }
}

/// Downloads of finished games.
#[expect(missing_docs, reason = "config/default.toml says what each key means")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DownloadsConfig {
    pub enabled: bool,
    #[serde(with = "humantime_serde")]
    pub every: Duration,
}

impl Default for DownloadsConfig {
    fn default() -> Self {
        Self { enabled: true, every: Duration::from_secs(30) }
    }
}

impl DownloadsConfig {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        must_last("downloads", named!(self: every), mistakes);
    }
}

/// What the server sends to users who are away.
#[expect(missing_docs, reason = "config/default.toml says what each key means")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NotificationsConfig {
    pub push: bool,
    pub webhooks: bool,
    pub contact: String,
    pub url: String,
    #[serde(with = "humantime_serde")]
    pub grace: Duration,
    pub allow_private: bool,
}

impl Default for NotificationsConfig {
    fn default() -> Self {
        Self {
            push: true,
            webhooks: true,
            contact: String::new(),
            url: String::new(),
            grace: Duration::from_secs(5),
            allow_private: false,
        }
    }
}

impl NotificationsConfig {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        let Self { contact, url, .. } = self;
        let is_contact = contact.starts_with("mailto:") || contact.starts_with("https://");
        if !contact.is_empty() && !is_contact {
            let form = "mailto:admin@example.org or https://example.org";
            mistakes.push(format!("notifications.contact: {contact:?} is not of the form {form}"));
        }
        let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
        if !url.is_empty() && host.is_none_or(|host| host.is_empty() || host.contains('/')) {
            let form = "https://play.example.org";
            mistakes.push(format!("notifications.url: {url:?} is not of the form {form}"));
        }
    }

    /// Whether the server notifies users at all.
    pub const fn enabled(&self) -> bool {
        self.push || self.webhooks
    }
}

/// The log on standard error.
#[expect(missing_docs, reason = "config/default.toml says what each key means")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogConfig {
    pub format: LogFormat,
    pub filter: String,
    pub colour: bool,
}

/// Format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// Text.
    Text,
    /// One JSON object per line.
    Json,
}

/// Libraries that would log frames, which contain secrets.
const SILENT: &str = "tungstenite=off,tokio_tungstenite=off";

impl Default for LogConfig {
    fn default() -> Self {
        Self { format: LogFormat::Text, filter: "info".to_owned(), colour: true }
    }
}

impl LogConfig {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        if let Err(error) = self.to_filter() {
            mistakes.push(format!("log.filter: {error}"));
        }
    }

    /// Parses the filter.
    pub fn to_filter(&self) -> Result<EnvFilter, tracing_subscriber::filter::ParseError> {
        EnvFilter::builder().parse(format!("{},{SILENT}", self.filter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let shown = |url: &str| DatabaseUrl::from(url.to_owned()).to_string();
        assert_eq!(
            shown("postgres://ann:se@cret@pg1,pg2:5433/adamant?sslmode=require"),
            "postgres://ann:***@pg1,pg2:5433/adamant?sslmode=require"
        );
        assert_eq!(shown("postgres://ann:se/cret@pg1/adamant"), "postgres://ann:***@pg1/adamant");
        assert_eq!(shown("postgres://ann@pg1/adamant"), "postgres://ann@pg1/adamant");
        assert_eq!(shown("postgres://pg1/adamant"), "postgres://pg1/adamant");
        assert_eq!(
            shown("postgres://pg1/adamant?user=ann&password=secret"),
            "postgres://pg1/adamant?user=ann&"
        );
        assert_eq!(
            shown("postgres://pg1/adamant?password=se@cret&sslmode=disable"),
            "postgres://pg1/adamant?"
        );
    }

    #[test]
    fn another_kind_of_database_is_a_mistake() {
        let mut mistakes = Vec::new();
        DatabaseUrl::from("mysql://pg1/adamant".to_owned()).check(&mut mistakes);
        assert_eq!(mistakes, ["store.database: must begin with postgres://"]);
    }

    #[test]
    fn a_second_place_is_one_and_not_in_the_first() {
        let mistakes = |shipping: ShippingConfig| {
            let mut mistakes = Vec::new();
            StoreConfig { shipping, ..StoreConfig::at("data") }.check(&mut mistakes);
            mistakes
        };
        let to = |directory: &str| ShippingConfig {
            directory: Some(directory.into()),
            ..ShippingConfig::default()
        };
        assert_eq!(mistakes(to("/mnt/second")), [""; 0]);
        let inside = "store.shipping.directory: lies in the data directory";
        assert_eq!(mistakes(to("data/shipped")), [inside]);
        let command = vec!["ship".to_owned()];
        let both = "store.shipping: has a directory and a command: name one";
        assert_eq!(mistakes(ShippingConfig { command, ..to("/mnt") }), [both]);
    }

    #[test]
    fn a_node_is_named_after_its_host_unless_it_is_configured() {
        let named = |node: Option<&str>, host: &str| {
            let config = ClusterConfig { node: node.map(str::to_owned) };
            config.node(host).map(|node| node.as_str().to_owned())
        };
        assert_eq!(named(None, "Play_One.example.org").as_deref(), Some("play-one"));
        assert_eq!(named(None, "a-host-with-a-long-name").as_deref(), Some("a-host-with-a-lo"));
        assert_eq!(named(None, ""), None);
        assert_eq!(named(Some("n1"), "play").as_deref(), Some("n1"));
    }

    #[test]
    fn a_wrong_name_is_a_mistake() {
        let mut mistakes = Vec::new();
        ClusterConfig { node: Some("Node 1".to_owned()) }.check(&mut mistakes);
        assert!(mistakes.len() == 1 && mistakes[0].starts_with("cluster.node: \"Node 1\": "));
    }
}
