//! Listens to the announcements of the other nodes, and hands them to the dispatcher.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use parking_lot::Mutex;
use tokio::{
    sync::mpsc::{self, error::TrySendError},
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

use super::{
    announcements::{Announcement, is_of},
    connection::Connection,
    dialer::Dialer,
};
use crate::{
    cluster::{GoneNode, Heard, HeardEvents, NodeId},
    limits::{
        POSTGRES_DIAL_EVERY, POSTGRES_HEARD_MAX, POSTGRES_NOTIFICATIONS_MAX, POSTGRES_PATIENCE,
        POSTGRES_PROBE_EVERY, POSTGRES_STATEMENT_MAX,
    },
};

/// The sending end of what this node hears. Events that do not fit become a gap. That a node has
/// gone is never lost: nothing in the store would say so later.
#[derive(Debug)]
pub(super) struct HeardQueue {
    sender: mpsc::Sender<Heard>,
    owed: Mutex<OwedNews>,
}

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
    pub(super) fn new() -> (Self, HeardEvents) {
        let (sender, receiver) = mpsc::channel(POSTGRES_HEARD_MAX);
        (Self { sender, owed: Mutex::default() }, receiver)
    }

    pub(super) fn hand_on(&self, heard: Heard) {
        let mut owed = self.owed.lock();
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

    pub(super) fn settle(&self) {
        self.owed.lock().settle(&self.sender);
    }
}

/// The last announcement of each node: its epoch and its number.
type LastNumbers = HashMap<NodeId, (i64, u64)>;

/// Hands on what other nodes announce until the stop. A new connection may have missed something.
pub(super) async fn listen(
    dialer: Arc<Dialer>,
    node: NodeId,
    heard: Arc<HeardQueue>,
    stop: CancellationToken,
) {
    let listening = async {
        loop {
            if let Ok(connection) = dialer.dial(Instant::now() + POSTGRES_PATIENCE).await {
                listen_on(&connection, &dialer, node, &heard).await;
            }
            sleep(POSTGRES_DIAL_EVERY).await;
        }
    };
    let _: Option<()> = stop.run_until_cancelled(listening).await;
}

async fn listen_on(connection: &Connection, dialer: &Dialer, node: NodeId, heard: &HeardQueue) {
    let mut notifications = connection.notifications(POSTGRES_NOTIFICATIONS_MAX);
    if connection.batch("LISTEN adamant", POSTGRES_STATEMENT_MAX).await.is_err() {
        return;
    }
    heard.hand_on(Heard::Gap);
    let mut last = LastNumbers::new();
    loop {
        tokio::select! {
            biased;
            notification = notifications.recv() => {
                let Some(notification) = notification else { return };
                if is_of(node, notification.payload()) {
                    continue;
                }
                if let Some(announcement) = Announcement::from_text(notification.payload()) {
                    hear(announcement, &mut last, heard);
                } else {
                    // operator: the node reads from the database what it could have said
                    tracing::warn!("an announcement of another node is malformed");
                    heard.hand_on(Heard::Gap);
                }
            }
            () = sleep(POSTGRES_PROBE_EVERY) => {
                heard.settle();
                let is_old = dialer.primary().has_replaced(connection.server());
                if is_old || connection.batch("SELECT", POSTGRES_STATEMENT_MAX).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Hands on an announcement, after a gap if announcements are missing before it.
fn hear(announcement: Announcement, last: &mut LastNumbers, heard: &HeardQueue) {
    let Announcement { node, epoch, number, appended, events } = announcement;
    let expected = match last.get(&node) {
        Some((known, last)) if *known == epoch => Some(last + 1),
        // Announcements of an earlier run come before those of a later one.
        Some((known, _)) if *known > epoch => return,
        Some(_) => Some(1),
        // The gap at the start of listening covers what was announced before.
        None => None,
    };
    if expected.is_some_and(|expected| number < expected) {
        return;
    }
    last.insert(node, (epoch, number));
    if expected.is_some_and(|expected| number > expected) {
        heard.hand_on(Heard::Gap);
    }
    if !appended.is_empty() {
        heard.hand_on(Heard::Appended(appended));
    }
    for event in events {
        heard.hand_on(Heard::Event(node, event));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::ClusterEvent;

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

    #[test]
    fn a_hole_is_a_gap_and_a_copy_is_heard_once() {
        let (queue, mut heard) = HeardQueue::new();
        let mut last = LastNumbers::new();
        let node: NodeId = "two".parse().unwrap();
        let event = ClusterEvent::Watching { game: "k7q2mx".parse().unwrap(), spectators: 1 };
        for (epoch, number) in [(1, 7), (1, 8), (1, 8), (1, 10), (2, 1), (1, 11), (3, 2)] {
            let (appended, events) = (Vec::new(), vec![event.clone()]);
            hear(Announcement { node, epoch, number, appended, events }, &mut last, &queue);
        }
        let event = || Heard::Event(node, event.clone());
        let expected = [event(), event(), Heard::Gap, event(), event(), Heard::Gap, event()];
        let all: Vec<Heard> = std::iter::from_fn(|| heard.try_recv().ok()).collect();
        assert_eq!(all, expected);
    }
}
