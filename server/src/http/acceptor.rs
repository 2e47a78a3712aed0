//! Accepting connections, also when the operating system has no descriptor left for one. A spare is
//! kept for that: with it one connection at a time is let in, told how things stand, and sent away.

use std::{
    fs::File,
    io,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures::FutureExt as _;
use tokio::{
    net::{TcpListener, TcpStream},
    time::sleep,
};

use crate::runtime::{fd_limits, metrics::Metrics};

/// How long to wait after the operating system had no connection to give: without a wait the loop
/// would spin.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(100);

/// A connection that has come.
#[derive(Debug)]
pub(super) enum AcceptedSocket {
    /// One like any other.
    Connection(TcpStream, SocketAddr),
    /// One that holds the spare descriptor, and must let go of it soon.
    OnSpare(TcpStream, SocketAddr),
}

/// Whether the operating system has run out. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Exhausted(Arc<AtomicBool>);

impl Exhausted {
    /// Whether it has.
    pub(super) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Where connections come in.
#[derive(Debug)]
pub(super) struct Acceptor {
    listener: TcpListener,
    spare: Option<File>,
    exhausted: Exhausted,
    metrics: Arc<Metrics>,
}

impl Acceptor {
    pub(super) fn new(listener: TcpListener, exhausted: Exhausted, metrics: Arc<Metrics>) -> Self {
        let mut acceptor = Self { listener, spare: None, exhausted, metrics };
        acceptor.reserve_spare();
        acceptor
    }

    /// Waits for the next connection. Safe to cancel.
    pub(super) async fn accept(&mut self) -> AcceptedSocket {
        loop {
            self.reserve_spare();
            match self.listener.accept().await {
                Ok((stream, peer)) => {
                    if self.exhausted.0.swap(false, Ordering::Relaxed) {
                        // operator: end of `out of file descriptors or memory`
                        tracing::info!("accepting connections again");
                    }
                    return AcceptedSocket::Connection(stream, peer);
                }
                Err(error) if fd_limits::is_exhaustion(&error) => {
                    self.record_failure(&error);
                    self.spare = None;
                    // The waiting connection is accepted immediately or not at all.
                    if let Some(Ok((stream, peer))) = self.listener.accept().now_or_never() {
                        return AcceptedSocket::OnSpare(stream, peer);
                    }
                }
                // operator: not for lack of descriptors; the server continues
                Err(error) => tracing::warn!(%error, "accepting a connection failed"),
            }
            sleep(ACCEPT_BACKOFF).await;
        }
    }

    /// Takes a descriptor for bad times, if there is one.
    fn reserve_spare(&mut self) {
        if self.spare.is_none() {
            self.spare = File::open("/dev/null").ok();
        }
    }

    /// Logs once per episode, because rejected clients retry.
    fn record_failure(&self, error: &io::Error) {
        self.metrics.accept_failures.inc();
        if !self.exhausted.0.swap(true, Ordering::Relaxed) {
            // operator: the operating system gives the server no descriptor for a connection.
            // Logged once, until connections are accepted. Look for the process that uses them
            tracing::error!(%error, "out of file descriptors or memory");
        }
    }
}
