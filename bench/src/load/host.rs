//! What the load client plays on: one process, or several nodes with their databases.

use std::net::SocketAddr;

use anyhow::Result;

use super::{
    machine::{CpuTime, tracer_of},
    target::{Program, Target},
};

/// What serves the load.
pub trait Host {
    /// The program that the clients connect to.
    fn program(&self) -> Program;

    /// The address that the client of this number connects to.
    fn address_of(&self, client: usize) -> SocketAddr;

    /// The CPU time that each part has used so far.
    fn cpu_by_part(&self) -> Result<Vec<(HostPart, CpuTime)>>;

    /// The CPU time so far of what traces it, which is no part of it.
    fn tracer_cpu(&self) -> Result<CpuTime>;
}

impl Host for Target {
    fn program(&self) -> Program {
        self.program
    }

    fn address_of(&self, _client: usize) -> SocketAddr {
        self.address()
    }

    fn cpu_by_part(&self) -> Result<Vec<(HostPart, CpuTime)>> {
        Ok(vec![(HostPart::Server, self.cpu()?)])
    }

    fn tracer_cpu(&self) -> Result<CpuTime> {
        tracer_of(self.pid())?.map_or(Ok(CpuTime::default()), CpuTime::of)
    }
}

/// The sum of the parts' CPU time.
pub fn sum_of(parts: &[(HostPart, CpuTime)]) -> CpuTime {
    parts.iter().fold(CpuTime::default(), |sum, (_, part)| sum.and(*part))
}

/// A kind of process that serves the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostPart {
    /// The server, or all nodes.
    Server,
    /// The primary of PostgreSQL.
    Primary,
    /// The standbys of PostgreSQL.
    Standbys,
    /// HAProxy.
    Balancer,
}

impl HostPart {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Server => "nodes",
            Self::Primary => "primary",
            Self::Standbys => "standbys",
            Self::Balancer => "HAProxy",
        }
    }
}
