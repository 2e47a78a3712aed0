//! PostgreSQL servers for tests: a primary and its standbys, as plain processes on loopback ports.
//!
//! The servers end with the process that started them, even if it is killed.
//! Beside them is HAProxy, as it stands in front of several nodes.

mod balancer;
mod cluster;
mod ports;
mod programs;
mod promote;
mod relay;
mod server;
mod watchdog;
mod wrong_clock;

pub use balancer::Balancer;
pub use cluster::{Cluster, PASSWORD, USER};
pub use ports::free_port;
pub use promote::Promotion;
pub use relay::{Direction, Relay};
pub use server::Server;
pub use wrong_clock::wrong_clock;
