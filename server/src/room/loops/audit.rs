//! What a loop asks the store about games that other nodes append to.

use std::collections::VecDeque;

use adamant_protocol::GameId;

use crate::{limits::AUDIT_EVERY, runtime::time::milliseconds};

/// The games that a loop is about to ask the store for.
#[derive(Debug, Default)]
pub(super) struct Audit {
    /// The games that the loop has still to ask for.
    pub(super) queue: VecDeque<GameId>,
    /// Whether the store has not answered yet.
    pub(super) is_asking: bool,
    /// Whether an announcement may have been lost since the queue was made.
    pub(super) again: bool,
    /// The time of the next audit, in epoch milliseconds; `None` on a server that is alone.
    pub(super) at: Option<u64>,
}

impl Audit {
    /// Returns the audit of a loop that starts. On a server that is alone it never comes.
    pub(super) fn starting_at(now: u64, is_alone: bool) -> Self {
        let at = (!is_alone).then(|| now.saturating_add(milliseconds(AUDIT_EVERY)));
        Self { at, ..Self::default() }
    }
}
