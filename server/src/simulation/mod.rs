//! The server for simulations: without a port, with a simulated clock and disk. `app` constructs
//! the rest as usual. In a single-threaded runtime with a paused clock the server is deterministic.
//!
//! Several servers can be nodes of a cluster on one store.

mod member;

pub use crate::store::{CommitFate, Disk, OtherAppend};
pub use member::Network;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::{io::DuplexStream, sync::mpsc, time::sleep};
use tokio_util::task::TaskTracker;

use crate::app::{StartError, build_services};
use crate::cluster::{Cluster, GoneNode, Heard};
use crate::config::Config;
use crate::runtime::shutdown::{Lifecycle, NoSignals};
use crate::runtime::{environment::Environment, metrics::Metrics, time::TimeSource};
use crate::session::{self, Services};
use crate::simulation::member::{
    Gate, Member, MemberBus, MemberJournal, MemberPresence, PresenceTable, Shared, SharedBackend,
};
use crate::store::{OpenedStore, Sqlite, Store};

/// A server inside the simulating process. Dropping its runtime crashes it.
#[derive(Debug)]
pub struct SimulatedServer {
    services: Arc<Services>,
    /// The server as a node; `None` if it is alone.
    member: Option<Arc<Member>>,
}

impl SimulatedServer {
    /// Starts a server at a time in epoch milliseconds. The seed decides all that it draws by lot.
    pub async fn start(
        config: &Config,
        (epoch_ms, seed): (u64, u64),
        disk: Arc<dyn Disk>,
    ) -> Result<Self, StartError> {
        let metrics = Arc::new(Metrics::default());
        let environment = Environment::simulated(epoch_ms, seed);
        let work = environment.work.clone();
        let store = Sqlite::open_on(&config.store, Arc::clone(&metrics), work, Some(disk))?;
        Self::start_on(config, environment, metrics, store.into(), None).await
    }

    /// Starts a server on an open store.
    async fn start_on(
        config: &Config,
        environment: Environment,
        metrics: Arc<Metrics>,
        opened: OpenedStore,
        member: Option<Arc<Member>>,
    ) -> Result<Self, StartError> {
        let lifecycle = Lifecycle::default();
        let services = build_services(config, &lifecycle, environment, metrics, opened).await?;
        Ok(Self { services, member })
    }

    /// Connects a client. The stream begins after the upgrade, with WebSocket frames. It buffers up
    /// to `pipe_bytes` in each direction.
    pub fn connect(&self, pipe_bytes: usize) -> DuplexStream {
        let (near, far) = tokio::io::duplex(pipe_bytes);
        let services = Arc::clone(&self.services);
        self.services.lifecycle.tasks.spawn(session::serve_stream(services, far, None));
        near
    }

    /// Stops the server gracefully.
    pub async fn stop(&self) {
        let Services { lifecycle, rooms, time, .. } = &*self.services;
        lifecycle.soft.cancel();
        lifecycle.run(NoSignals).await;
        rooms.store().backend.close(time.now_ms()).await;
    }

    /// Crashes a node: nothing that it does from now on reaches the store or another node. Its
    /// clients are to be cut off first.
    pub fn crash(self) {
        if let Some(member) = &self.member {
            member.set_gate(Gate::Crashed);
        }
        self.services.lifecycle.soft.cancel();
    }

    /// Holds back what a node asks of the store and announces, until [`resume`](Self::resume).
    pub fn pause(&self) {
        if let Some(member) = &self.member {
            member.set_gate(Gate::Paused);
        }
    }

    /// Continues a paused node. It knows that it has missed events.
    pub fn resume(&self) {
        if let Some(member) = &self.member {
            member.set_gate(Gate::Open);
            member.hear(Heard::Gap);
        }
    }
}

/// Events that may wait for a node. More are lost.
const HEARD_MAX: usize = 1024;

/// Time after which the other nodes notice that a node has gone.
const GONE_AFTER: Duration = Duration::from_millis(1_500);

/// Several simulated servers on one store, which is always there.
#[derive(Debug)]
pub struct SimulatedCluster {
    store: Sqlite,
    shared: Arc<Shared>,
    presence: Arc<PresenceTable>,
    time: TimeSource,
}

impl SimulatedCluster {
    /// Opens the store that all nodes share, at a time in epoch milliseconds.
    pub fn open(
        config: &Config,
        (epoch_ms, seed): (u64, u64),
        disk: Arc<dyn Disk>,
        network: Arc<dyn Network>,
    ) -> Result<Self, StartError> {
        let Environment { time, work, .. } = Environment::simulated(epoch_ms, seed);
        let (store, _) = Sqlite::open_on(&config.store, Arc::default(), work, Some(disk))?;
        let members = Mutex::default();
        let shared = Arc::new(Shared { members, network, tasks: TaskTracker::new() });
        Ok(Self { store, shared, presence: Arc::default(), time })
    }

    /// Starts a node with a name that no other node has had. Its clock shows `epoch_ms` now.
    pub async fn start_node(
        &self,
        name: &str,
        config: &Config,
        (epoch_ms, seed): (u64, u64),
    ) -> Result<SimulatedServer, StartError> {
        let (sender, heard) = mpsc::channel(HEARD_MAX);
        let node = name.parse().expect("the simulation names its nodes well");
        let member = Arc::new(Member::new(node, sender));
        let (shared, announcing) = (Arc::clone(&self.shared), Arc::clone(&member));
        let bus = Arc::new(MemberBus { shared, member: announcing });
        let whole = Store::from(self.store.clone());
        let journal = MemberJournal {
            inner: Arc::clone(&whole.journal),
            member: Arc::clone(&member),
            bus: Arc::clone(&bus),
        };
        let (table, presence_of) = (Arc::clone(&self.presence), Arc::clone(&member));
        let store = Store {
            backend: Arc::new(SharedBackend {
                inner: Arc::clone(&whole.backend),
                member: Arc::clone(&member),
            }),
            journal: Arc::new(journal),
            presence: Some(Arc::new(MemberPresence { table, member: presence_of })),
            ..whole
        };
        let cluster = Cluster::join(node, bus);
        let opened = OpenedStore { store, recovery: None, cluster, heard: Some(heard) };
        self.shared.members().push(Arc::clone(&member));
        let environment = Environment::simulated(epoch_ms, seed);
        let metrics = Arc::new(Metrics::default());
        SimulatedServer::start_on(config, environment, metrics, opened, Some(member)).await
    }

    /// Lets the other nodes notice, after a moment, which nodes have crashed.
    pub fn notice_crashes(&self) {
        let mut members = self.shared.members();
        let (crashed, alive): (Vec<_>, Vec<_>) =
            members.drain(..).partition(|member| member.has_crashed());
        for gone in crashed {
            let (presence, died_at) = (Arc::clone(&self.presence), self.time.now_ms());
            let others = alive.clone();
            self.shared.tasks.spawn(async move {
                sleep(GONE_AFTER).await;
                presence.node_gone(gone.node, died_at);
                let gone = GoneNode { node: gone.node, died_at: Some(died_at) };
                for member in others {
                    member.hear(Heard::NodeGone(gone));
                }
            });
        }
        *members = alive;
    }
}
