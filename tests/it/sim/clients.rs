//! The state of the simulated clients, as far as the oracle knows it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::accounts::{LogIn, SimAccount};

/// Types of requests that the server carries out at most once.
const IDEMPOTENT: [&str; 8] =
    ["move", "resign", "abort", "offer", "answer", "withdraw", "claim", "say"];

#[derive(Debug)]
pub(super) struct SentRequest {
    pub(super) frame: Value,
    /// How often it was sent.
    pub(super) sends: u32,
    pub(super) errors: u32,
    /// The record that acknowledged it, and the connection of the first acknowledgement.
    pub(super) acked: Option<(u64, usize)>,
}

impl SentRequest {
    /// Whether a reply has arrived.
    pub(super) const fn is_answered(&self) -> bool {
        self.errors > 0 || self.acked.is_some()
    }
}

/// A simulated user.
#[derive(Debug, Default)]
pub(super) struct SimUser {
    /// The name that the server uses.
    pub(super) name: String,
    /// The token that the user reconnects with.
    pub(super) token: Option<String>,
    pub(super) account: SimAccount,
    /// By id.
    pub(super) requests: BTreeMap<String, SentRequest>,
    /// Challenges that wait for the user's answer.
    pub(super) challenges: Vec<String>,
    /// The last known seq of each game: what the user resumes from.
    pub(super) known: BTreeMap<String, u64>,
}

/// What one connection has received.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is independent of the others")]
pub(super) struct ConnState {
    pub(super) user: usize,
    pub(super) log_in: LogIn,
    /// The token that the connection's session has.
    pub(super) token: Option<String>,
    /// Whether it is neither closed nor lost.
    pub(super) open: bool,
    /// Whether the server has welcomed the user.
    pub(super) welcomed: bool,
    /// Whether the server has asked the user to say `hello` again later. The user does not.
    pub(super) told_to_wait: bool,
    /// Whether it has ever stopped to read.
    pub(super) was_stalled: bool,
    /// When it joined each game, in epoch milliseconds.
    pub(super) joined: BTreeMap<String, u64>,
    /// The last seq of each game that the connection receives.
    pub(super) heard: BTreeMap<String, u64>,
    pub(super) cursors: BTreeMap<String, u64>,
    /// Games of which the server announced a snapshot.
    pub(super) announced: BTreeSet<String>,
    pub(super) your_turn: BTreeMap<String, u64>,
    pub(super) presence: BTreeMap<String, Value>,
}

/// Whether the server promises to carry a request out at most once.
pub(super) fn is_idempotent(frame: &Value) -> bool {
    frame["type"].as_str().is_some_and(|kind| IDEMPOTENT.contains(&kind))
}
