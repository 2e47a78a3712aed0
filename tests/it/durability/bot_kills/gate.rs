//! One address for a server whose port changes with each restart.

use std::net::SocketAddr;

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};

/// Forwards connections to the server that runs now, and cuts them off while none does.
pub(super) struct Gate {
    address: SocketAddr,
    server: watch::Sender<Option<SocketAddr>>,
    /// The task that forwards; it ends with this.
    _forwarding: JoinSet<()>,
}

impl Gate {
    /// Opens an address that leads to a server.
    pub(super) async fn open(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let (server, leads_to) = watch::channel(Some(server));
        let mut forwarding = JoinSet::new();
        forwarding.spawn(forward(listener, leads_to));
        Self { address, server, _forwarding: forwarding }
    }

    /// The address that stays.
    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Leads further connections to another port.
    pub(super) fn lead_to(&self, server: SocketAddr) {
        self.server.send_replace(Some(server));
    }

    /// Cuts further connections off: the port may be another program's by now.
    pub(super) fn shut(&self) {
        self.server.send_replace(None);
    }
}

async fn forward(listener: TcpListener, leads_to: watch::Receiver<Option<SocketAddr>>) {
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (mut client, _) = accepted.expect("it listens");
                let Some(address) = *leads_to.borrow() else { continue };
                open.spawn(async move {
                    if let Ok(mut server) = TcpStream::connect(address).await {
                        let quick = [server.set_nodelay(true), client.set_nodelay(true)];
                        if quick.iter().all(Result::is_ok) {
                            copy_bidirectional(&mut client, &mut server).await.ok();
                        }
                    }
                });
            }
            Some(_) = open.join_next() => {}
        }
    }
}
