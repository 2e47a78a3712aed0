//! What this node hears, on its way to the dispatcher.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::mpsc;

use crate::{
    cluster::{Heard, HeardEvents},
    limits::POSTGRES_HEARD_MAX,
};

/// The sending end of what this node hears. What does not fit becomes a gap.
#[derive(Debug)]
pub(super) struct HeardQueue {
    sender: mpsc::Sender<Heard>,
    owes_gap: AtomicBool,
}

impl HeardQueue {
    /// A queue with its receiving end.
    pub(super) fn new() -> (Self, HeardEvents) {
        let (sender, receiver) = mpsc::channel(POSTGRES_HEARD_MAX);
        (Self { sender, owes_gap: AtomicBool::new(false) }, receiver)
    }

    /// Hands on what was heard. Never waits.
    pub(super) fn hand_on(&self, heard: Heard) {
        if self.owes_gap.load(Ordering::SeqCst) {
            if self.sender.try_send(Heard::Gap).is_err() {
                return;
            }
            self.owes_gap.store(false, Ordering::SeqCst);
        }
        if self.sender.try_send(heard).is_err() {
            self.owes_gap.store(true, Ordering::SeqCst);
        }
    }

    /// Hands on a gap that had no place before.
    pub(super) fn settle(&self) {
        if self.owes_gap.load(Ordering::SeqCst) && self.sender.try_send(Heard::Gap).is_ok() {
            self.owes_gap.store(false, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_becomes_a_gap() {
        let (queue, mut heard) = HeardQueue::new();
        let gone = Heard::NodeGone("one".parse().unwrap());
        for _ in 0..=POSTGRES_HEARD_MAX {
            queue.hand_on(gone.clone());
        }
        for _ in 0..POSTGRES_HEARD_MAX {
            assert_eq!(heard.try_recv(), Ok(gone.clone()));
        }
        assert!(heard.try_recv().is_err());
        queue.settle();
        queue.hand_on(gone.clone());
        assert_eq!((heard.try_recv(), heard.try_recv()), (Ok(Heard::Gap), Ok(gone)));
    }
}
