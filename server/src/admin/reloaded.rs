//! What a reload of the configuration changes. The process reads it, as it does after SIGHUP; the
//! operator who has asked for that waits for the outcome.

use std::collections::BTreeMap;

use serde::Serialize;
use tokio::sync::{mpsc, oneshot};
use toml::{Table, Value};

use crate::config::Config;

/// What a reload has changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Reloaded {
    /// The settings that have another value from now on.
    pub changed: Vec<String>,
    /// The settings that will have another value after a restart.
    pub needs_restart: Vec<String>,
}

/// Where the outcome of a reload goes.
pub(crate) type ReloadAnswer = oneshot::Sender<Result<Reloaded, String>>;

/// The operators who ask for a reload.
pub(crate) type ReloadRequests = mpsc::Receiver<ReloadAnswer>;

/// Settings, or the sections of settings, that can change while the server runs.
const RELOADED: [&str; 8] = [
    "limits",
    "log.filter",
    "network.hosts",
    "network.metrics_from",
    "network.origins",
    "network.tls",
    "network.trusted_proxies",
    "talk",
];

/// Those of them that cannot: clients have been told of the heartbeat.
const NOT_RELOADED: [&str; 3] = ["limits.enforced", "limits.idle_close", "limits.ping_every"];

/// Compares the configuration in force with another.
pub(crate) fn settings_changed(present: &Config, other: &Config) -> Reloaded {
    let (present, other) = (settings(present), settings(other));
    let mut reloaded = Reloaded::default();
    let names: std::collections::BTreeSet<&String> = present.keys().chain(other.keys()).collect();
    for name in names.into_iter().filter(|name| present.get(*name) != other.get(*name)) {
        let is_reloaded = |part: &&str| {
            name.strip_prefix(*part).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let is_fixed = NOT_RELOADED.contains(&name.as_str());
        let list = if !is_fixed && RELOADED.iter().any(is_reloaded) {
            &mut reloaded.changed
        } else {
            &mut reloaded.needs_restart
        };
        list.push(name.clone());
    }
    reloaded
}

/// All settings by name.
fn settings(config: &Config) -> BTreeMap<String, Value> {
    fn add(settings: &mut BTreeMap<String, Value>, prefix: &str, table: Table) {
        for (key, value) in table {
            let name = if prefix.is_empty() { key } else { format!("{prefix}.{key}") };
            match value {
                Value::Table(inner) => add(settings, &name, inner),
                value => drop(settings.insert(name, value)),
            }
        }
    }
    let mut settings = BTreeMap::new();
    add(&mut settings, "", config.to_toml().parse().unwrap_or_default());
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_differ_change_at_once_or_after_a_restart() {
        let present = Config::default();
        let mut other = Config::default();
        assert_eq!(settings_changed(&present, &other), Reloaded::default());
        other.talk.guests = false;
        other.network.origins = vec!["https://example.org".to_owned()];
        other.limits.connections = 7;
        other.limits.enforced = false;
        other.network.listen.set_port(1);
        let reloaded = settings_changed(&present, &other);
        assert_eq!(reloaded.changed, ["limits.connections", "network.origins", "talk.guests"]);
        assert_eq!(reloaded.needs_restart, ["limits.enforced", "network.listen"]);
    }
}
