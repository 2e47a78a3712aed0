//! What this node hears, on its way to the dispatcher.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use tokio::sync::mpsc::{self, error::TrySendError};

use crate::{
    cluster::{GoneNode, Heard, HeardEvents},
    limits::POSTGRES_HEARD_MAX,
};

/// The sending end of what this node hears. Events that do not fit become a gap. That a node has
/// gone is never lost: nothing in the store would say so later.
#[derive(Debug)]
pub(super) struct HeardQueue {
    sender: mpsc::Sender<Heard>,
    owed: Mutex<OwedNews>,
}

/// What had no place in the queue.
#[derive(Debug, Default)]
struct OwedNews {
    has_gap: bool,
    gone: BTreeSet<GoneNode>,
}

impl OwedNews {
    /// Hands on what is owed: the gap last, because a node that has gone may have come again.
    /// Returns whether all of it has had a place.
    fn settle(&mut self, sender: &mpsc::Sender<Heard>) -> bool {
        while let Some(node) = self.gone.first().copied() {
            if sender.try_send(Heard::NodeGone(node)).is_err() {
                return false;
            }
            self.gone.remove(&node);
        }
        self.has_gap = self.has_gap && sender.try_send(Heard::Gap).is_err();
        !self.has_gap
    }
}

impl HeardQueue {
    /// A queue with its receiving end.
    pub(super) fn new() -> (Self, HeardEvents) {
        let (sender, receiver) = mpsc::channel(POSTGRES_HEARD_MAX);
        (Self { sender, owed: Mutex::default() }, receiver)
    }

    /// Hands on what was heard. Never waits.
    pub(super) fn hand_on(&self, heard: Heard) {
        let mut owed = self.owed.lock().unwrap_or_else(PoisonError::into_inner);
        let lost = if owed.settle(&self.sender) {
            let Err(TrySendError::Full(lost)) = self.sender.try_send(heard) else { return };
            lost
        } else {
            heard
        };
        owed.has_gap = true;
        if let Heard::NodeGone(node) = lost {
            owed.gone.insert(node);
        }
    }

    /// Hands on what had no place before.
    pub(super) fn settle(&self) {
        self.owed.lock().unwrap_or_else(PoisonError::into_inner).settle(&self.sender);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_becomes_a_gap_and_no_end_of_a_node_is_lost() {
        let (queue, mut heard) = HeardQueue::new();
        let gone = |node: &str| {
            Heard::NodeGone(GoneNode { node: node.parse().unwrap(), died_at: Some(1) })
        };
        for _ in 0..POSTGRES_HEARD_MAX {
            queue.hand_on(gone("one"));
        }
        for node in ["two", "three", "two"] {
            queue.hand_on(gone(node));
        }
        assert_eq!(heard.try_recv(), Ok(gone("one")));
        queue.settle();
        for _ in 1..POSTGRES_HEARD_MAX {
            assert_eq!(heard.try_recv(), Ok(gone("one")));
        }
        assert_eq!(heard.try_recv(), Ok(gone("three")));
        assert!(heard.try_recv().is_err());
        queue.hand_on(gone("four"));
        for expected in [gone("two"), Heard::Gap, gone("four")] {
            assert_eq!(heard.try_recv(), Ok(expected));
        }
        assert!(heard.try_recv().is_err());
    }
}
