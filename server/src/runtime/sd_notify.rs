//! What the service manager is told of the process, as `sd_notify(3)` describes it: a datagram to a
//! socket that the environment names. Without a service manager nothing is told.

use std::{
    os::{
        linux::net::SocketAddrExt as _,
        unix::net::{SocketAddr, UnixDatagram},
    },
    sync::Arc,
    time::Duration,
};

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// Watchdog messages in the time after which the service manager takes the process for dead.
const PER_PATIENCE: u32 = 3;

/// What the service manager has asked to be told, and where.
#[derive(Debug, Clone, Default)]
pub struct SdNotify {
    socket: Option<Arc<(UnixDatagram, SocketAddr)>>,
    patience: Option<Duration>,
}

impl SdNotify {
    /// Takes its address, which may be an abstract one (`@..`), and after how long without a message
    /// it takes the process for dead.
    pub fn at(address: Option<&str>, patience: Option<Duration>) -> Self {
        let Some(address) = address else { return Self::default() };
        let opened = match address.strip_prefix('@') {
            Some(name) => SocketAddr::from_abstract_name(name),
            None => SocketAddr::from_pathname(address),
        }
        .and_then(|address| Ok((UnixDatagram::unbound()?, address)));
        match opened {
            Ok(socket) => Self { socket: Some(Arc::new(socket)), patience },
            Err(error) => {
                tracing::warn!(%error, "the service manager cannot be told anything");
                Self::default()
            }
        }
    }

    /// The process serves.
    pub fn ready(&self) {
        self.tell("READY=1");
    }

    /// The configuration is being read again.
    pub fn reloading(&self) {
        self.tell("RELOADING=1");
    }

    /// The process ends.
    pub fn stopping(&self) {
        self.tell("STOPPING=1");
    }

    /// Shows that the process lives until it is asked to stop.
    pub async fn keep_alive(self, stop: CancellationToken) {
        let Some(patience) = self.patience else { return };
        while stop.run_until_cancelled(sleep(patience / PER_PATIENCE)).await.is_some() {
            self.tell("WATCHDOG=1");
        }
    }

    fn tell(&self, what: &str) {
        let Some(socket) = &self.socket else { return };
        let (from, to) = &**socket;
        if let Err(error) = from.send_to_addr(what.as_bytes(), to) {
            tracing::warn!(%error, what, "the service manager could not be told");
        }
    }
}
