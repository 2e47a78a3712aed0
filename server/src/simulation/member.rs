//! A node of a simulated cluster, between its services and what the nodes share.

use std::future::pending;

use tokio::sync::{mpsc, watch};

use crate::cluster::{Heard, NodeId};

/// Whether what a node does has an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gate {
    /// It has.
    Open,
    /// It has once the gate is open again.
    Paused,
    /// It never has.
    Crashed,
}

/// A node of a simulated cluster.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) node: NodeId,
    gate: watch::Sender<Gate>,
    heard: mpsc::Sender<Heard>,
}

impl Member {
    /// Returns a node that hears events by this channel.
    pub(super) fn new(node: NodeId, heard: mpsc::Sender<Heard>) -> Self {
        Self { node, gate: watch::Sender::new(Gate::Open), heard }
    }

    /// Sets whether what the node does has an effect.
    pub(super) fn set_gate(&self, gate: Gate) {
        self.gate.send_replace(gate);
    }

    /// Whether the node has crashed.
    pub(super) fn has_crashed(&self) -> bool {
        *self.gate.borrow() == Gate::Crashed
    }

    /// Waits until the gate is open: forever after a crash.
    pub(super) async fn pass(&self) {
        let mut gate = self.gate.subscribe();
        if gate.wait_for(|gate| *gate == Gate::Open).await.is_err() {
            pending::<()>().await;
        }
    }

    /// Lets the node hear an event. A full queue drops it.
    pub(super) fn hear(&self, heard: Heard) {
        drop(self.heard.try_send(heard));
    }

    /// Lets the node know that it has missed events.
    pub(super) fn miss_events(&self) {
        self.hear(Heard::Gap);
    }
}
