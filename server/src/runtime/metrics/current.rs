//! Values that other modules keep, read at each request of `/metrics`.

use std::time::Duration;

use prometheus_client::{
    metrics::gauge::ConstGauge,
    registry::{Registry, Unit},
};

/// Sizes of the store, as far as they are known.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StoreSize {
    /// Bytes of the database.
    pub(crate) database: Option<u64>,
    /// Bytes of the WAL.
    pub(crate) wal: Option<u64>,
    /// Free bytes on the disk of the data directory.
    pub(crate) free: Option<u64>,
    /// Users, including guests and bots.
    pub(crate) users: Option<u64>,
    /// Live games, with or without a room.
    pub(crate) live_games: Option<u64>,
}

/// Values at the time of the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CurrentValues {
    /// 1 if `/readyz` answers 200.
    pub(crate) ready: bool,
    /// Open WebSockets and event streams.
    pub(crate) connections: usize,
    /// `limits.connections`, or fewer if descriptors are scarce.
    pub(crate) connections_max: usize,
    /// Open rooms.
    pub(crate) rooms: usize,
    /// Each closes within a minute of the last request.
    pub(crate) rooms_over: usize,
    /// The log names each game and its first wrong record. The game stays closed, its players
    /// receive an error, and all other games continue. Restore the game from a backup.
    pub(crate) damaged: usize,
    /// 1 with the embedded store.
    pub(crate) nodes: usize,
    /// Heartbeats commit every half second; from 3 seconds on the node is not ready. 0 with the
    /// embedded store, which has no standbys.
    pub(crate) commit_age: Duration,
    /// Sizes of the store.
    pub(crate) store: StoreSize,
}

impl CurrentValues {
    /// Number of open rooms of live games.
    fn rooms_live(&self) -> usize {
        self.rooms.saturating_sub(self.rooms_over)
    }

    /// Returns a registry of these values.
    pub(super) fn registry(self) -> Registry {
        let mut registry = Registry::with_prefix("adamant");
        let mut gauge = |name, help, value: usize| {
            registry.register(
                name,
                help,
                ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX)),
            );
        };
        gauge("ready", "Whether the server is ready for players, as in /readyz", self.ready.into());
        gauge("connections", "Open WebSockets and event streams", self.connections);
        gauge("connections_max", "Limit of open connections", self.connections_max);
        gauge("rooms", "Open rooms", self.rooms);
        gauge("rooms_over", "Open rooms of finished games", self.rooms_over);
        gauge("games_damaged", "Games with damaged records found since the start", self.damaged);
        gauge("nodes", "Living nodes on the same store, with this one", self.nodes);
        let (help, age) = ("Time since the last confirmed commit", self.commit_age.as_secs_f64());
        registry.register_with_unit("commit_age", help, Unit::Seconds, ConstGauge::new(age));
        let StoreSize { database, wal, free, users, live_games } = self.store;
        let parked = live_games.map(|live| live.saturating_sub(self.rooms_live() as u64));
        let mut optional = |name, help, unit: Option<Unit>, value: Option<u64>| {
            let Some(value) = value else { return };
            let value = ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
            match unit {
                Some(unit) => registry.register_with_unit(name, help, unit, value),
                None => registry.register(name, help, value),
            }
        };
        optional("games_parked", "Live games without an open room", None, parked);
        optional("users", "Stored users, including guests and bots", None, users);
        let bytes = || Some(Unit::Bytes);
        optional("database", "Size of the database", bytes(), database);
        optional("log", "Size of the WAL", bytes(), wal);
        optional("disk_free", "Free space on the disk of the data directory", bytes(), free);
        registry
    }
}
