//! Several simulated servers on one store.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{sync::mpsc, time::sleep};
use tokio_util::task::TaskTracker;

use super::{
    backend::SharedBackend,
    bus::{MemberBus, Network, Shared},
    journal::MemberJournal,
    member::Member,
    presence::{MemberPresence, PresenceTable},
    server::SimulatedServer,
};
use crate::{
    app::StartError,
    cluster::{Cluster, GoneNode, Heard},
    config::Config,
    runtime::{environment::Environment, metrics::Metrics, time::TimeSource},
    store::{Disk, OpenedStore, Sqlite, Store},
};

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
