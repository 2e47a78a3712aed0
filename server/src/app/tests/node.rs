//! Nodes that serve one store, and the bus between them.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::DuplexStream,
    sync::mpsc,
    time::{Instant, timeout, timeout_at},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Message, protocol::Role},
};

use crate::{
    app::build_services,
    cluster::{Cluster, ClusterEvent, EventBus, Heard, NodeId},
    config::{Config, StoreConfig},
    runtime::{environment::Environment, shutdown::Lifecycle},
    session::{self, Services},
    store::{OpenedStore, Sqlite, Store},
};

const EVENTS_MAX: usize = 256;
const PIPE_BYTES: usize = 64 * 1024;

type Ears = Arc<Mutex<Vec<(NodeId, mpsc::Sender<Heard>)>>>;

/// The bus as one node has it.
#[derive(Debug)]
struct TestBus {
    node: NodeId,
    ears: Ears,
    is_cut: Mutex<bool>,
}

impl EventBus for TestBus {
    fn publish(&self, event: ClusterEvent) {
        if *self.is_cut.lock().unwrap() {
            return;
        }
        // As on a wire.
        let event = ClusterEvent::from_text(&event.to_text()).unwrap();
        for (node, ear) in self.ears.lock().unwrap().iter() {
            if *node != self.node {
                ear.try_send(Heard::Event(self.node, event.clone())).unwrap();
            }
        }
    }
}

/// A node. Dropping its runtime stops it.
pub(super) struct TestNode {
    pub(super) services: Arc<Services>,
    bus: Arc<TestBus>,
    _directory: TempDir,
}

impl TestNode {
    /// Starts two nodes on one store.
    pub(super) async fn pair() -> ([Self; 2], TempDir) {
        let directory = tempfile::tempdir().unwrap();
        let config = StoreConfig { wal_mib: 1, ..StoreConfig::at(directory.path()) };
        let store = Sqlite::open(&config, Arc::default()).unwrap().0;
        let store: Store = store.into();
        (Self::pair_on([store.clone(), store]).await, directory)
    }

    /// Starts two nodes on one store, ann at the first and bob at the second.
    pub(super) async fn with_ann_and_bob() -> ([Self; 2], TempDir, TestClient, TestClient) {
        let (nodes, store) = Self::pair().await;
        let (ann, bob) = (nodes[0].guest("ann").await.0, nodes[1].guest("bob").await.0);
        (nodes, store, ann, bob)
    }

    /// Starts two nodes, each on its view of one store.
    pub(super) async fn pair_on([store, other]: [Store; 2]) -> [Self; 2] {
        let ears = Ears::default();
        let one = Box::pin(Self::start("one", store, &ears)).await;
        [one, Box::pin(Self::start("two", other, &ears)).await]
    }

    async fn start(node: &str, store: Store, ears: &Ears) -> Self {
        // For what belongs to one node, such as its key.
        let directory = tempfile::tempdir().unwrap();
        let mut config = Config::default();
        config.store.data = directory.path().to_owned();
        config.games.house = false;
        config.limits.enforced = false;
        let node: NodeId = node.parse().unwrap();
        let (ear, heard) = mpsc::channel(EVENTS_MAX);
        ears.lock().unwrap().push((node, ear));
        let bus = Arc::new(TestBus { node, ears: Arc::clone(ears), is_cut: Mutex::new(false) });
        let opened = OpenedStore {
            store,
            recovery: None,
            cluster: Cluster::join(node, Arc::clone(&bus) as _),
            heard: Some(heard),
        };
        let (lifecycle, environment) = (Lifecycle::default(), Environment::system());
        let services =
            build_services(&config, &lifecycle, environment, Arc::default(), opened).await.unwrap();
        Self { services, bus, _directory: directory }
    }

    /// Loses the node's announcements from here on, or no longer.
    pub(super) fn cut(&self, is_cut: bool) {
        *self.bus.is_cut.lock().unwrap() = is_cut;
    }

    pub(super) fn hear(&self, heard: Heard) {
        let ears = self.bus.ears.lock().unwrap();
        let (_, ear) = ears.iter().find(|(node, _)| *node == self.bus.node).unwrap();
        ear.try_send(heard).unwrap();
    }

    pub(super) fn id(&self) -> NodeId {
        self.bus.node
    }

    /// Connects a client that has yet to say hello.
    pub(super) async fn connect(&self) -> TestClient {
        let (near, far) = tokio::io::duplex(PIPE_BYTES);
        let services = Arc::clone(&self.services);
        self.services.lifecycle.tasks.spawn(session::serve_stream(services, far, None));
        TestClient::new(near).await
    }

    /// Connects a new guest. Returns the client and its token.
    pub(super) async fn guest(&self, name: &str) -> (TestClient, String) {
        let mut client = self.connect().await;
        let welcome = client.hello(serde_json::json!({"guest": name})).await;
        let token = welcome["token"].as_str().unwrap().to_owned();
        (client, token)
    }

    pub(super) async fn log_in(&self, token: &str) -> TestClient {
        let mut client = self.connect().await;
        client.hello(serde_json::json!({"token": token})).await;
        client
    }
}

const PATIENCE: Duration = Duration::from_secs(20);

pub(super) struct TestClient {
    socket: WebSocketStream<DuplexStream>,
    /// Frames that no test has wanted yet, in order.
    unread: Vec<Value>,
    last_id: u32,
}

impl TestClient {
    pub(super) async fn new(pipe: DuplexStream) -> Self {
        let socket = WebSocketStream::from_raw_socket(pipe, Role::Client, None).await;
        Self { socket, unread: Vec::new(), last_id: 0 }
    }

    pub(super) async fn hello(&mut self, auth: Value) -> Value {
        self.ask(json!({"type": "hello", "proto": [1], "auth": auth})).await
    }

    /// Sends a request without waiting for the answer. Returns its id.
    pub(super) async fn send(&mut self, mut request: Value) -> String {
        self.last_id += 1;
        let id = format!("r{}", self.last_id);
        request["id"] = json!(id);
        self.socket.send(Message::text(request.to_string())).await.unwrap();
        id
    }

    /// Waits for the answer to a request.
    pub(super) async fn answer(&mut self, id: &str) -> Value {
        self.next(|frame| frame["re"] == id).await
    }

    /// Sends a request and waits for its answer.
    pub(super) async fn ask(&mut self, request: Value) -> Value {
        let id = self.send(request).await;
        self.answer(&id).await
    }

    /// Waits for the next frame of a type.
    pub(super) async fn next_of(&mut self, kind: &str) -> Value {
        self.next(|frame| frame["type"] == kind).await
    }

    /// Waits for the next frame that a test wants. Frames before it stay for later.
    pub(super) async fn next(&mut self, wants: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.unread.iter().position(&wants) {
            return self.unread.remove(place);
        }
        // Pings do not extend the wait.
        let deadline = Instant::now() + PATIENCE;
        loop {
            let Ok(message) = timeout_at(deadline, self.socket.next()).await else {
                panic!("only these came: {:#?}", self.unread)
            };
            if let Message::Text(text) = message.unwrap().unwrap() {
                let frame: Value = serde_json::from_str(&text).unwrap();
                if wants(&frame) {
                    return frame;
                }
                self.unread.push(frame);
            }
        }
    }

    /// Waits until the server closes the connection. Returns the code.
    pub(super) async fn closed(&mut self) -> u16 {
        loop {
            let message = timeout(PATIENCE, self.socket.next()).await.unwrap().unwrap().unwrap();
            if let Message::Close(frame) = message {
                return frame.unwrap().code.into();
            }
        }
    }
}
