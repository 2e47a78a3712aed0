//! The other nodes: servers on the same store. They announce what others may want to know.
//!
//! Events only say where to look, or repeat what the store has. Whatever decides is in the store.
//! A lost, late or repeated event is therefore harmless.

mod cluster;
mod event;
#[cfg(test)]
pub(crate) mod fixture;

pub(crate) use cluster::{Cluster, EventBus, GoneNode, Heard, HeardEvents, InvalidNodeId, NodeId};
pub(crate) use event::{AppendedRecords, ClusterEvent, EndedSessions, StartedGame};
