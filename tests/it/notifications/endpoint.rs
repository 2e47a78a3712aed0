//! Another server with TLS: a push service, or the home of a webhook. It keeps what it receives.

use std::{collections::HashMap, fs, path::PathBuf, sync::Arc};

use rustls::{ServerConfig, pki_types::PrivateKeyDer};
use serde_json::Value;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::JoinSet,
    time::timeout,
};
use tokio_rustls::TlsAcceptor;

use crate::harness::{PATIENCE, Peer, Server, Setup};

/// Requests and connections that a test has not looked at yet.
const QUEUED_MAX: usize = 128;

/// The path below which the endpoint receives requests and never answers.
pub(super) const SILENT: &str = "/silent";

/// A request that the endpoint has received.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) line: String,
    /// By name in lower case.
    pub(super) headers: HashMap<String, String>,
    pub(super) body: Vec<u8>,
}

impl Received {
    /// The body as JSON.
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

/// An endpoint on the loopback, with a certificate of its own.
pub(super) struct Endpoint {
    port: u16,
    files: TempDir,
    received: mpsc::Receiver<Received>,
    connections: mpsc::Receiver<()>,
    _task: JoinSet<()>,
}

impl Endpoint {
    /// Starts an endpoint that answers every request with these lines of a head, but none below
    /// [`SILENT`].
    pub(super) async fn answering(head: &'static str) -> Self {
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let issued = rcgen::generate_simple_self_signed(names).unwrap();
        let files = tempfile::tempdir().unwrap();
        fs::write(files.path().join("cert.pem"), issued.cert.pem()).unwrap();
        let key = PrivateKeyDer::try_from(issued.signing_key.serialize_der()).unwrap();
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![issued.cert.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, received) = mpsc::channel(QUEUED_MAX);
        let (opened, connections) = mpsc::channel(QUEUED_MAX);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut serving = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                opened.send(()).await.unwrap();
                serving.spawn(serve(acceptor.clone(), stream, head, sender.clone()));
            }
        });
        Self { port, files, received, connections, _task: task }
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("https://127.0.0.1:{}{path}", self.port)
    }

    /// Another URL of the endpoint, with a host name.
    pub(super) fn named_url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.port)
    }

    fn certificate(&self) -> PathBuf {
        self.files.path().join("cert.pem")
    }

    /// Starts a server that trusts the endpoint's certificate and notifies at once.
    pub(super) async fn server(&self, change: impl FnOnce(&mut Setup)) -> Server {
        Server::with(|setup| {
            self.trust(setup);
            change(setup);
        })
        .await
    }

    /// Has a server trust the endpoint's certificate and notify at once.
    pub(super) fn trust(&self, setup: &mut Setup) {
        let trusted = format!("SSL_CERT_FILE={}", self.certificate().display());
        setup.run_by(&["env", &trusted]);
        setup.set("notifications", "grace", "1ms");
        setup.set("notifications", "allow_private", true);
    }

    pub(super) async fn next(&mut self) -> Received {
        timeout(PATIENCE, self.received.recv()).await.expect("a request in time").unwrap()
    }

    /// Whether no request has arrived.
    pub(super) fn is_unused(&mut self) -> bool {
        self.received.try_recv().is_err()
    }

    /// Waits for a further connection.
    pub(super) async fn connected(&mut self) {
        timeout(PATIENCE, self.connections.recv()).await.expect("a connection in time").unwrap();
    }

    /// Returns the number of connections since the last look.
    pub(super) fn connections(&mut self) -> usize {
        let mut count = 0;
        while self.connections.try_recv().is_ok() {
            count += 1;
        }
        count
    }
}

async fn serve(
    acceptor: TlsAcceptor,
    stream: TcpStream,
    head: &'static str,
    sender: mpsc::Sender<Received>,
) {
    let Ok(stream) = acceptor.accept(stream).await else { return };
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line).await.unwrap();
    if line.contains(SILENT) {
        drop(stream.read_to_end(&mut Vec::new()).await);
        return;
    }
    let mut headers = HashMap::new();
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).await.unwrap();
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let mut body = vec![0; headers["content-length"].parse().unwrap()];
    stream.read_exact(&mut body).await.unwrap();
    let answer = format!("{head}\r\nContent-Length: 0\r\n\r\n");
    stream.write_all(answer.as_bytes()).await.unwrap();
    sender.send(Received { line: line.trim_end().to_owned(), headers, body }).await.unwrap();
    // The server closes the connection.
    drop(stream.read_to_end(&mut Vec::new()).await);
}

/// Closes a peer's connection and waits until the server has noticed.
pub(super) async fn leave(peer: Peer, witness: &mut Peer) {
    let name = peer.name().to_owned();
    witness.wait_for_online(&name, true).await;
    peer.close().await;
    witness.wait_for_online(&name, false).await;
}
