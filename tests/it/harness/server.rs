//! The server of one test: one process with the embedded store, or several nodes on PostgreSQL.

use std::{
    net::SocketAddr,
    path::PathBuf,
    process::ExitStatus,
    sync::atomic::{AtomicUsize, Ordering},
};

use futures::future::select_all;
use postgres_fixture::Cluster;

use super::node::{Node, Setup};

/// The variable that runs the tests on PostgreSQL: the number of nodes, such as `2`. The clients of
/// a test connect to one node after the other.
const NODES_VARIABLE: &str = "ADAMANT_TEST_NODES";

/// Number of nodes on PostgreSQL; `None` for the embedded store.
#[expect(clippy::disallowed_methods, reason = "the environment chooses the store")]
fn chosen_nodes() -> Option<usize> {
    let nodes = std::env::var(NODES_VARIABLE).ok()?;
    Some(nodes.parse().expect("a number of nodes"))
}

/// The server of one test. Dropping it kills its processes, and prints their logs if the test
/// fails.
pub(crate) struct Server {
    nodes: Vec<Node>,
    /// The database of the nodes; `None` with the embedded store.
    database: Option<String>,
    /// The node for the next client.
    next: AtomicUsize,
}

impl Server {
    /// Starts a server with high rate limits, so that they do not interfere with a test.
    pub(crate) async fn start() -> Self {
        Self::with(|_| {}).await
    }

    /// Starts a server with changes to the default configuration.
    pub(crate) async fn with(change: impl FnOnce(&mut Setup)) -> Self {
        Self::of_nodes(chosen_nodes(), change).await
    }

    /// Starts one process with the store that the environment chooses: for tests of what each node
    /// has or counts for itself.
    pub(crate) async fn one_node(change: impl FnOnce(&mut Setup)) -> Self {
        Self::of_nodes(chosen_nodes().map(|_| 1), change).await
    }

    async fn of_nodes(nodes: Option<usize>, change: impl FnOnce(&mut Setup)) -> Self {
        let mut setup = Setup::default();
        change(&mut setup);
        match nodes {
            None => Self::of(vec![Node::start(setup).await], None),
            Some(nodes) => Self::on_postgres(nodes, setup).await,
        }
    }

    /// Starts a server with the embedded store, whatever the environment chooses: for tests that
    /// read or damage its files, and for commands that PostgreSQL has tools of its own for.
    pub(crate) async fn embedded(change: impl FnOnce(&mut Setup)) -> Self {
        let mut setup = Setup::default();
        change(&mut setup);
        Self::of(vec![Node::start(setup).await], None)
    }

    /// Starts nodes on a PostgreSQL database of their own, whatever the environment chooses.
    pub(crate) async fn cluster(nodes: usize, change: impl FnOnce(&mut Setup)) -> Self {
        let mut setup = Setup::default();
        change(&mut setup);
        Self::on_postgres(nodes, setup).await
    }

    const fn of(nodes: Vec<Node>, database: Option<String>) -> Self {
        Self { nodes, database, next: AtomicUsize::new(0) }
    }

    /// Starts nodes on a PostgreSQL database of their own.
    async fn on_postgres(nodes: usize, setup: Setup) -> Self {
        let cluster = Cluster::shared();
        Self::on_database(nodes, setup, &cluster.url(&cluster.create_database())).await
    }

    /// Starts nodes `n1`, `n2`, ... on a PostgreSQL database.
    pub(crate) async fn on_database(nodes: usize, mut setup: Setup, url: &str) -> Self {
        setup.set("store", "database", url);
        let mut started = Vec::with_capacity(nodes);
        for number in 1..=nodes {
            let mut setup = setup.clone();
            setup.set("cluster", "node", format!("n{number}"));
            started.push(Node::start(setup).await);
        }
        Self::of(started, Some(url.to_owned()))
    }

    /// The address that the next client connects to. Each call names the next node.
    /// [`Server::restart`] changes the ports.
    pub(crate) fn address(&self) -> SocketAddr {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        self.nodes[next % self.nodes.len()].address()
    }

    /// One of the nodes, from 0.
    pub(crate) fn node(&self, index: usize) -> &Node {
        &self.nodes[index]
    }

    /// One of the nodes, from 0, to stop or start it.
    pub(crate) fn node_mut(&mut self, index: usize) -> &mut Node {
        &mut self.nodes[index]
    }

    /// The number of nodes.
    pub(crate) const fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The data directory of the first node.
    pub(crate) fn data(&self) -> PathBuf {
        self.nodes[0].data()
    }

    /// Returns the arguments that name the server's store to a command of the server's program.
    pub(crate) fn store_arguments(&self) -> [String; 2] {
        match &self.database {
            Some(url) => ["--database".to_owned(), url.clone()],
            None => ["--data".to_owned(), self.data().display().to_string()],
        }
    }

    /// Returns what SQL prints, on the database of the nodes.
    pub(crate) fn sql(&self, statements: &str) -> String {
        let url = self.database.as_deref().expect("the nodes have a database");
        let (_, database) = url.rsplit_once('/').expect("a URL ends with the database");
        Cluster::shared().primary().sql(database, statements)
    }

    /// The process id of the first node.
    pub(crate) fn process_id(&self) -> u32 {
        self.nodes[0].process_id()
    }

    /// The lines that the first node has logged since its last start.
    pub(crate) fn log(&self) -> Vec<String> {
        self.nodes[0].log()
    }

    /// Waits until a log line of any node contains the text.
    pub(crate) async fn wait_for_log(&self, text: &str) {
        select_all(self.nodes.iter().map(|node| Box::pin(node.wait_for_log(text)))).await;
    }

    /// Kills all processes with SIGKILL.
    pub(crate) async fn kill(&mut self) {
        for node in &mut self.nodes {
            node.kill().await;
        }
    }

    /// Sends SIGTERM to all processes and waits for their exit. Returns the status of the first.
    pub(crate) async fn stop(&mut self) -> ExitStatus {
        self.terminate().await;
        self.wait().await
    }

    /// Sends SIGTERM to all processes and does not wait.
    pub(crate) async fn terminate(&self) {
        for node in &self.nodes {
            node.terminate().await;
        }
    }

    /// Waits until all processes exit. Returns the status of the first.
    pub(crate) async fn wait(&mut self) -> ExitStatus {
        let mut first = None;
        for node in &mut self.nodes {
            let status = node.wait().await;
            first.get_or_insert(status);
        }
        first.expect("a server has a node")
    }

    /// Starts all processes again on the same files, after they were killed or stopped.
    pub(crate) async fn restart(&mut self) {
        for node in &mut self.nodes {
            node.restart().await;
        }
    }

    /// Changes the configuration that the next [`Server::restart`] uses for all nodes.
    pub(crate) fn configure(&mut self, change: impl Fn(&mut Setup)) {
        for node in &mut self.nodes {
            change(node.setup());
        }
    }
}
