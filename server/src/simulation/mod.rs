//! The server for simulations: without a port, with a simulated clock and disk. `app` constructs
//! the rest as usual. In a single-threaded runtime with a paused clock the server is deterministic.
//!
//! Several servers can be nodes of a cluster on one store.

mod backend;
mod bus;
mod cluster;
mod journal;
mod member;
mod presence;
mod server;

pub use bus::Network;
pub use cluster::SimulatedCluster;
pub use server::SimulatedServer;

pub use crate::store::{CommitFate, Disk, OtherAppend};
