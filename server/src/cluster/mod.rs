//! The other nodes: servers on the same store. They announce what others may want to know.
//!
//! Events only say where to look, or repeat what the store has. Whatever decides is in the store.
//! A lost, late or repeated event is therefore harmless.

mod appended;
mod bus;
mod cluster;
mod ended_sessions;
mod event;
#[cfg(test)]
pub(crate) mod fixture;
mod node_id;

pub(crate) use appended::AppendedRecords;
pub(crate) use bus::{EventBus, GoneNode, Heard, HeardEvents};
pub(crate) use cluster::Cluster;
pub(crate) use ended_sessions::EndedSessions;
pub(crate) use event::{ClusterEvent, StartedGame};
pub(crate) use node_id::{InvalidNodeId, NodeId};
