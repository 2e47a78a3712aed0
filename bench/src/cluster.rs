//! Several nodes with PostgreSQL, and HAProxy in front of them if asked for.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use postgres_fixture::{Balancer, Cluster, free_port};
use tokio::time::sleep;

use crate::{
    machine::{self, CpuTime, pin_to},
    target::{Host, HostPart, Launch, Node, Program, Target},
};

const STANDBYS: usize = 2;

/// Time between two looks whether a node takes clients.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Looks before a node counts as stuck: half a minute.
const LOOKS_MAX: u32 = 300;

/// Several nodes of the real server. A client connects to the node of its number, or to HAProxy.
#[derive(Debug)]
pub(crate) struct NodeCluster {
    balancer: Option<Balancer>,
    nodes: Vec<Target>,
    // Last, because everything else needs it.
    postgres: Cluster,
}

impl NodeCluster {
    /// Starts PostgreSQL and the nodes, and waits until the nodes take clients.
    pub(crate) async fn start(launch: &Launch, nodes: usize) -> Result<Self> {
        let postgres = on_server_cores(launch, || Cluster::try_start_for_production(STANDBYS))?;
        let database = postgres.url(&postgres.create_database());
        let mut started = Vec::with_capacity(nodes);
        for number in 1..=nodes {
            let node = Node { database: database.clone(), name: format!("n{number}") };
            let launch = Launch { node: Some(node), ..launch.clone() };
            let node = Target::start(Program::Adamant, &launch)?;
            wait_until_ready(node.address()).await?;
            started.push(node);
        }
        Ok(Self { balancer: None, nodes: started, postgres })
    }

    /// Starts HAProxy. From now on clients connect to it.
    pub(crate) fn balance(&mut self, launch: &Launch) -> Result<()> {
        let port = free_port()?;
        let nodes: Vec<_> = (1..)
            .zip(&self.nodes)
            .map(|(number, node)| (format!("n{number}"), node.address().port()))
            .collect();
        let folder = self.postgres.folder();
        let balancer = on_server_cores(launch, || Balancer::start(folder, port, &nodes))?;
        self.balancer = Some(balancer);
        Ok(())
    }

    pub(crate) fn folder(&self) -> &Path {
        self.postgres.folder()
    }
}

impl Host for NodeCluster {
    fn program(&self) -> Program {
        Program::Adamant
    }

    fn address_of(&self, client: usize) -> SocketAddr {
        match &self.balancer {
            Some(balancer) => SocketAddr::from((Ipv4Addr::LOCALHOST, balancer.port())),
            None => self.nodes[client % self.nodes.len()].address(),
        }
    }

    fn cpu_by_part(&self) -> Result<Vec<(HostPart, CpuTime)>> {
        let mut nodes = CpuTime::default();
        for node in &self.nodes {
            nodes = nodes.and(node.cpu()?);
        }
        let mut parts = vec![(HostPart::Server, nodes)];
        for (number, server) in self.postgres.servers().iter().enumerate() {
            let id = server.process_id().context("the server runs")?;
            let cpu = CpuTime::with_children(id.try_into()?)?;
            match parts.last_mut() {
                Some((HostPart::Standbys, sum)) => *sum = sum.and(cpu),
                _ if number == 0 => parts.push((HostPart::Primary, cpu)),
                _ => parts.push((HostPart::Standbys, cpu)),
            }
        }
        if let Some(balancer) = &self.balancer {
            parts.push((HostPart::Balancer, CpuTime::of(balancer.process_id().try_into()?)?));
        }
        Ok(parts)
    }

    fn tracer_cpu(&self) -> Result<CpuTime> {
        Ok(CpuTime::default())
    }
}

/// Starts processes on the server's cores. A process starts on those of the thread that starts it.
fn on_server_cores<T>(launch: &Launch, start: impl FnOnce() -> Result<T>) -> Result<T> {
    let Some(cores) = launch.cores else { return start() };
    pin_to(&cores.server)?;
    let started = start();
    pin_to(&cores.client)?;
    started
}

async fn wait_until_ready(node: SocketAddr) -> Result<()> {
    for _ in 0..LOOKS_MAX {
        if machine::get(node, "/lb").await?.contains(" 200 ") {
            return Ok(());
        }
        sleep(LOOK_EVERY).await;
    }
    bail!("the node at {node} takes no clients")
}
