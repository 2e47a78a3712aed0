//! Nodes that serve one store, and the bus between them.

use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use tokio::sync::mpsc;

use super::client::TestClient;
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

/// The ears of all nodes.
type Ears = Arc<Mutex<Vec<(NodeId, mpsc::Sender<Heard>)>>>;

/// The bus as one node has it.
#[derive(Debug)]
struct TestBus {
    node: NodeId,
    ears: Ears,
    /// Whether the node's announcements are lost.
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

    /// Lets the node hear something.
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

    /// Connects a user by token.
    pub(super) async fn log_in(&self, token: &str) -> TestClient {
        let mut client = self.connect().await;
        client.hello(serde_json::json!({"token": token})).await;
        client
    }
}
