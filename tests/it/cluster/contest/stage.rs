//! The nodes of a contest and the servers of its database.

use std::{net::SocketAddr, time::Duration};

use postgres_fixture::Cluster;
use tokio::{sync::watch, task::block_in_place, time::Instant};

use crate::harness::{Metrics, Node, Setup};

/// Where a node is, as far as players can know: nowhere while it is down.
pub(super) type Address = watch::Receiver<Option<SocketAddr>>;

/// Nodes on one database with two standbys.
pub(super) struct Stage {
    nodes: Vec<Node>,
    addresses: Vec<watch::Sender<Option<SocketAddr>>>,
    cluster: Cluster,
    database: String,
    primary: usize,
    /// Conflicts that nodes counted before they were killed.
    conflicts: u64,
}

impl Stage {
    /// Starts the database and this number of nodes. Each commit takes longer by the delay.
    pub(super) async fn start(nodes: usize, commit_delay: Duration) -> Self {
        let cluster = block_in_place(|| Cluster::start(2));
        let delay = commit_delay.as_micros().to_string();
        for server in cluster.servers() {
            server.configure(&[("commit_delay", &delay), ("commit_siblings", "0")]);
            server.reload();
        }
        let database = cluster.create_database();
        let mut setup = Setup::default();
        setup.argument("--no-limits");
        setup.argument("--no-house");
        setup.set("store", "database", cluster.url(&database));
        let (mut started, mut addresses) = (Vec::new(), Vec::new());
        for number in 1..=nodes {
            let mut setup = setup.clone();
            setup.set("cluster", "node", format!("n{number}"));
            let node = Node::start(setup).await;
            addresses.push(watch::Sender::new(Some(node.address())));
            started.push(node);
        }
        Self { nodes: started, addresses, cluster, database, primary: 0, conflicts: 0 }
    }

    pub(super) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// Where the nodes are.
    pub(super) fn addresses(&self) -> Vec<Address> {
        self.addresses.iter().map(watch::Sender::subscribe).collect()
    }

    /// The index of the server that is the primary.
    pub(super) fn primary(&self) -> usize {
        self.primary
    }

    /// Does something to the servers of the database.
    pub(super) fn databases<T>(&self, act: impl FnOnce(&Cluster) -> T) -> T {
        block_in_place(|| act(&self.cluster))
    }

    /// Replaces the primary, and returns how long that took.
    pub(super) fn promote(&mut self) -> Duration {
        let began = Instant::now();
        self.primary = self.databases(|cluster| cluster.fail_over_from(self.primary));
        began.elapsed()
    }

    /// Makes an old primary a standby.
    pub(super) fn rejoin(&self, old: usize) {
        self.databases(|cluster| {
            cluster.servers()[old].rejoin(&cluster.servers()[self.primary]);
            cluster.servers()[old].wait_until_streaming();
        });
    }

    /// Runs a query on the primary.
    pub(super) fn sql(&self, query: &str) -> String {
        self.databases(|cluster| cluster.servers()[self.primary].sql(&self.database, query))
    }

    pub(super) async fn kill_node(&mut self, node: usize) {
        self.nodes[node].kill().await;
        self.addresses[node].send_replace(None);
    }

    /// Starts a node again.
    pub(super) async fn restart_node(&mut self, node: usize) {
        self.nodes[node].restart().await;
        self.addresses[node].send_replace(Some(self.nodes[node].address()));
    }

    /// Stops a node without ending it. Its clients are not told.
    pub(super) async fn pause_node(&self, node: usize) {
        self.nodes[node].pause().await;
    }

    /// Lets a stopped node go on.
    pub(super) async fn resume_node(&self, node: usize) {
        self.nodes[node].resume().await;
    }

    /// Takes over the conflicts that a node has counted, before it is killed.
    pub(super) async fn count_conflicts(&mut self, node: usize) {
        self.conflicts += conflicts_at(self.nodes[node].address()).await;
    }

    /// The conflicts of all nodes.
    pub(super) async fn conflicts(&self) -> u64 {
        let mut sum = self.conflicts;
        for node in &self.nodes {
            sum += conflicts_at(node.address()).await;
        }
        sum
    }
}

async fn conflicts_at(address: SocketAddr) -> u64 {
    Metrics::fetch_at(address).await.value("adamant_conflicts_total")
}
