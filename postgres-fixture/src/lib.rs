//! PostgreSQL servers for tests: a primary and its standbys, as plain processes on loopback ports.
//!
//! The servers end with the process that started them, even if it is killed.
//! Beside them is HAProxy, as it stands in front of several nodes.

mod balancer;
mod cluster;
mod programs;
mod relay;
mod server;

pub use balancer::Balancer;
pub use cluster::{Cluster, PASSWORD, Promotion, USER};
pub use programs::{free_port, wrong_clock};
pub use relay::{Direction, Relay};
pub use server::Server;
