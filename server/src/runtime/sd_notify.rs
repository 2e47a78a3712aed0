//! Notifications of the service manager, as in `sd_notify(3)`: datagrams to a socket that the
//! environment names. Without a service manager the server sends none.

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

/// Watchdog messages in each watchdog interval.
const MESSAGES_PER_INTERVAL: u32 = 3;

/// The socket of the service manager, and its watchdog interval.
#[derive(Debug, Clone, Default)]
pub struct SdNotify {
    socket: Option<Arc<(UnixDatagram, SocketAddr)>>,
    watchdog: Option<Duration>,
}

impl SdNotify {
    /// Opens the socket at this address, which may be abstract (`@..`). The service manager
    /// restarts the process after the watchdog interval without a message.
    pub fn open(address: Option<&str>, watchdog: Option<Duration>) -> Self {
        let Some(address) = address else { return Self::default() };
        let opened = match address.strip_prefix('@') {
            Some(name) => SocketAddr::from_abstract_name(name),
            None => SocketAddr::from_pathname(address),
        }
        .and_then(|address| Ok((UnixDatagram::unbound()?, address)));
        match opened {
            Ok(socket) => Self { socket: Some(Arc::new(socket)), watchdog },
            Err(error) => {
                // operator: systemd receives no notifications and may restart the server. Check
                // `NOTIFY_SOCKET`
                tracing::warn!(%error, address, "opening the service manager's socket failed");
                Self::default()
            }
        }
    }

    /// Reports that the server accepts connections.
    pub fn ready(&self) {
        self.send("READY=1");
    }

    /// Reports that the server reloads its configuration.
    pub fn reloading(&self) {
        self.send("RELOADING=1");
    }

    /// Reports that the server stops.
    pub fn stopping(&self) {
        self.send("STOPPING=1");
    }

    /// Sends watchdog messages until `stop` is cancelled.
    pub async fn keep_alive(self, stop: CancellationToken) {
        let Some(watchdog) = self.watchdog else { return };
        while stop.run_until_cancelled(sleep(watchdog / MESSAGES_PER_INTERVAL)).await.is_some() {
            self.send("WATCHDOG=1");
        }
    }

    fn send(&self, message: &str) {
        let Some(socket) = &self.socket else { return };
        let (from, to) = &**socket;
        if let Err(error) = from.send_to_addr(message.as_bytes(), to) {
            // operator: systemd has not received one notification, and may restart the server
            tracing::warn!(%error, notification = message, "notifying the service manager failed");
        }
    }
}
