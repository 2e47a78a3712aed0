//! Announces events to the other nodes, after their commits and on a connection of its own.
//!
//! An announcement waits for no disk and no standby: what it points to was committed before, and a
//! node that misses it notices the hole in the numbers.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::{
    announcement::{PackedEvents, text},
    connection::Connection,
    dialer::Dialer,
    event_queue::{EventQueue, WaitingEvents},
    failure::Failure,
};
use crate::{
    cluster::NodeId,
    limits::{
        POSTGRES_ANNOUNCE_EVERY, POSTGRES_ANNOUNCEMENTS_AT_ONCE, POSTGRES_DIAL_EVERY,
        POSTGRES_PATIENCE, POSTGRES_STATEMENT_MAX,
    },
};

/// The channel of the announcements.
pub(super) const CHANNEL: &str = "adamant";

/// All of them are one transaction, for which the listening servers wake once.
const NOTIFY: &str = "SELECT pg_notify($1, texts.text) FROM unnest($2::text[]) AS texts (text)";

/// Sends what waits in a queue.
#[derive(Debug)]
pub(super) struct Announcer {
    dialer: Arc<Dialer>,
    queue: EventQueue,
    node: NodeId,
    /// The node's run, which the heartbeat sets.
    epoch: Arc<AtomicI64>,
    connection: Option<Connection>,
    /// The epoch and the number of the last announcement.
    last: (i64, u64),
}

impl Announcer {
    /// Announces what this node puts into the queue.
    pub(super) fn new(
        dialer: Arc<Dialer>,
        queue: EventQueue,
        node: NodeId,
        epoch: Arc<AtomicI64>,
    ) -> Self {
        Self { dialer, queue, node, epoch, connection: None, last: (0, 0) }
    }

    /// Announces until the stop, and then what is left.
    pub(super) async fn run(mut self, stop: CancellationToken) {
        loop {
            let queue = self.queue.clone();
            let Some(waiting) = stop.run_until_cancelled(queue.take()).await else { break };
            let started = Instant::now();
            if stop.run_until_cancelled(self.announce(waiting)).await.is_none() {
                return;
            }
            sleep_until(started + POSTGRES_ANNOUNCE_EVERY).await;
        }
        let rest = self.queue.take_now();
        self.announce(rest).await;
    }

    async fn announce(&mut self, waiting: WaitingEvents) {
        let WaitingEvents { appended, others, has_dropped, .. } = waiting;
        let packed = PackedEvents::of(appended.into_values(), &others);
        if has_dropped || packed.has_dropped {
            // A number that is never sent, so that the other nodes notice.
            self.next_number();
            // operator: PostgreSQL was unreachable for too long. The other nodes notice and read
            // from the database
            tracing::warn!(node = %self.node, "announcements to the other nodes were dropped");
        }
        for lines in packed.lines.chunks(POSTGRES_ANNOUNCEMENTS_AT_ONCE) {
            let numbered = |lines: &String| {
                let (epoch, number) = self.next_number();
                text(self.node, epoch, number, lines)
            };
            let texts: Vec<String> = lines.iter().map(numbered).collect();
            // A second copy has the same number and is not heard twice.
            let mut has_failed = false;
            while let Err(failure) = self.send(&texts).await {
                if !has_failed {
                    // operator: PostgreSQL was away. The node tries again until it succeeds
                    tracing::warn!(node = %self.node, ?failure, "announcing to the other nodes failed");
                }
                has_failed = true;
                self.connection = None;
                sleep(POSTGRES_DIAL_EVERY).await;
            }
        }
    }

    fn next_number(&mut self) -> (i64, u64) {
        let epoch = self.epoch.load(Ordering::SeqCst);
        let number = if self.last.0 == epoch { self.last.1 + 1 } else { 1 };
        self.last = (epoch, number);
        self.last
    }

    async fn send(&mut self, texts: &[String]) -> Result<(), Failure> {
        let usable = |connection: &Connection| {
            connection.is_usable() && !self.dialer.primary().has_replaced(connection.server())
        };
        let connection = if let Some(connection) = self.connection.take().filter(usable) {
            connection
        } else {
            let dialled = self.dialer.dial(Instant::now() + POSTGRES_PATIENCE).await;
            let connection = dialled.map_err(|error| Failure::unknown(error.to_string()))?;
            let without_waiting = "SET synchronous_commit = off";
            connection.batch(without_waiting, POSTGRES_STATEMENT_MAX).await?;
            connection
        };
        connection.query(NOTIFY, &[&CHANNEL, &texts]).await?;
        self.connection = Some(connection);
        Ok(())
    }
}
