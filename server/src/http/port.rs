//! The port of the server: taken first, so that a second server on it fails before it touches the
//! store, and listened to when clients may wait for the server. Connections are accepted also when
//! the operating system has no descriptor left for one: a spare is kept for that, with which one
//! connection at a time is let in, told how things stand, and sent away.

use std::{
    fs::File,
    io,
    net::SocketAddr,
    os::fd::AsFd as _,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures::FutureExt as _;
use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    sync::watch,
    time::sleep,
};
use tokio_rustls::TlsAcceptor;

use crate::{
    config::{LoadedTls, TlsError},
    limits::{ACCEPT_BACKLOG, SOCKET_SEND_BYTES},
    runtime::{fd_limits, metrics::Metrics},
};

/// Why the port cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// The certificate or key cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

/// A port that stays taken between two servers of one process.
#[derive(Debug)]
pub struct KeptPort(std::net::TcpListener);

impl KeptPort {
    /// Keeps the port while the server restarts, so that new connections wait.
    pub(crate) fn of(listener: &TcpListener) -> io::Result<Self> {
        let descriptor = listener.as_fd().try_clone_to_owned()?;
        Ok(Self(descriptor.into()))
    }
}

/// A port that no other server can serve.
#[derive(Debug)]
pub(crate) struct TakenPort {
    address: SocketAddr,
    socket: PortSocket,
}

#[derive(Debug)]
enum PortSocket {
    Bound(TcpSocket),
    /// Connections wait until the server accepts them.
    Listening(TcpListener),
}

impl TakenPort {
    /// Takes a port, unless another server listens to it.
    pub(crate) fn take(address: SocketAddr, kept: Option<KeptPort>) -> Result<Self, BindError> {
        let socket = match kept {
            Some(KeptPort(listener)) => TcpListener::from_std(listener).map(PortSocket::Listening),
            None => bind(address).map(PortSocket::Bound),
        };
        let taken = socket.and_then(|socket| {
            let address = match &socket {
                PortSocket::Bound(socket) => socket.local_addr(),
                PortSocket::Listening(listener) => listener.local_addr(),
            };
            Ok(Self { address: address?, socket })
        });
        taken.map_err(|error| BindError::Listen { address, error })
    }

    /// The address, with the number of the port that was taken.
    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Lets clients connect. They wait until the server accepts them.
    pub(crate) fn listen(self) -> Result<Self, BindError> {
        let address = self.address;
        let listener = self.into_listener()?;
        Ok(Self { address, socket: PortSocket::Listening(listener) })
    }

    /// Lets clients connect if they cannot yet, and returns the listener.
    pub(crate) fn into_listener(self) -> Result<TcpListener, BindError> {
        let address = self.address;
        match self.socket {
            PortSocket::Bound(socket) => {
                socket.listen(ACCEPT_BACKLOG).map_err(|error| BindError::Listen { address, error })
            }
            PortSocket::Listening(listener) => Ok(listener),
        }
    }
}

/// Binds an address. Accepted sockets inherit the bound on the send buffer, and `TCP_NODELAY`, so
/// that moves are sent without delay.
fn bind(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A restart need not wait for the last connections of the process before it to be forgotten.
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SOCKET_SEND_BYTES)?;
    socket.set_nodelay(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// How long to wait after the operating system had no connection to give: without a wait the loop
/// would spin.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(100);

/// A connection that has come.
#[derive(Debug)]
pub(super) enum AcceptedSocket {
    Connection(TcpStream, SocketAddr),
    /// One that holds the spare descriptor, and must let go of it soon.
    OnSpare(TcpStream, SocketAddr),
}

/// Whether the operating system has run out. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Exhausted(Arc<AtomicBool>);

impl Exhausted {
    pub(super) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

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

/// The certificate that new connections get.
#[derive(Debug, Clone)]
pub(crate) struct Certificate(Arc<watch::Sender<LoadedTls>>);

impl Certificate {
    pub(super) fn new(loaded: LoadedTls) -> Self {
        Self(Arc::new(watch::Sender::new(loaded)))
    }

    /// Shakes hands with the certificate that is in force now.
    pub(super) fn acceptor(&self) -> TlsAcceptor {
        Arc::clone(&self.0.borrow().server).into()
    }

    /// Puts another in force, for connections to come.
    pub(crate) fn replace(&self, loaded: LoadedTls) {
        self.0.send_replace(loaded);
    }

    /// The one in force, and those that replace it.
    pub(crate) fn subscribe(&self) -> watch::Receiver<LoadedTls> {
        self.0.subscribe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn connections_are_refused_until_the_port_is_listened_to() {
        let port = TakenPort::take("127.0.0.1:0".parse().unwrap(), None).unwrap();
        let address = port.address();
        let refused = TcpStream::connect(address).await.unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
        let port = port.listen().unwrap();
        TcpStream::connect(address).await.unwrap();
        let second = TakenPort::take(address, None).unwrap_err();
        assert!(second.to_string().starts_with("cannot listen on 127.0.0.1:"), "{second}");
        let kept = KeptPort::of(&port.into_listener().unwrap()).unwrap();
        TcpStream::connect(address).await.unwrap();
        assert_eq!(TakenPort::take(address, Some(kept)).unwrap().address(), address);
    }

    #[tokio::test]
    async fn of_two_that_take_a_port_at_once_one_listens() {
        let first = TakenPort::take("127.0.0.1:0".parse().unwrap(), None).unwrap();
        let second = TakenPort::take(first.address(), None);
        let _listening = first.listen().unwrap();
        assert!(second.and_then(TakenPort::listen).is_err());
    }
}
