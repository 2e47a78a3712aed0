//! Hands what other nodes announce to the parts of this node.

use std::{collections::BTreeSet, sync::Arc};

use tokio::{
    select,
    sync::mpsc::{self, error::TrySendError},
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use crate::{
    admin,
    cluster::{ClusterEvent, GoneNode, Heard, HeardEvents, NodeId},
    limits::GAPS_APART,
    room::AudienceElsewhere,
    session::Services,
};

/// Hands on what this node hears, in order, until shutdown. Rooms come first. What the other parts
/// read from the store waits in a queue, so that no room waits for it.
pub(super) async fn dispatch(
    services: Arc<Services>,
    mut heard: HeardEvents,
    readers: mpsc::Sender<Heard>,
    stop: CancellationToken,
) {
    let mut gaps = GapTimer::default();
    let mut readers = HeardReaders { queue: readers, gone: BTreeSet::new() };
    loop {
        let next = async {
            select! {
                biased;
                () = gaps.due() => Some(Heard::Gap),
                next = heard.recv() => next,
            }
        };
        let Some(Some(heard)) = stop.run_until_cancelled(next).await else { return };
        if matches!(heard, Heard::Gap) && !gaps.begin() {
            continue;
        }
        if !concerns_rooms_alone(&heard) && !readers.hand_on(&heard) {
            // The readers miss what does not fit into their queue.
            gaps.waits = true;
        }
        match &heard {
            Heard::Event(..) | Heard::Appended(_) => services.metrics.events_heard.inc(),
            Heard::Gap => services.metrics.event_gaps.inc(),
            Heard::NodeGone(_) => 0,
        };
        match heard {
            Heard::Event(node, event) => on_event(&services, node, event).await,
            Heard::Appended(games) => services.rooms.announced(games).await,
            Heard::Gap => on_gap(&services).await,
            Heard::NodeGone(gone) => on_node_gone(&services, gone).await,
        }
    }
}

/// The queue of the parts that read from the store.
#[derive(Debug)]
struct HeardReaders {
    queue: mpsc::Sender<Heard>,
    /// The nodes of whose end the readers do not know, because it did not fit into their queue.
    gone: BTreeSet<GoneNode>,
}

impl HeardReaders {
    /// Hands on what was heard, after the ends of nodes that did not fit before. Returns whether
    /// all of it fits.
    fn hand_on(&mut self, heard: &Heard) -> bool {
        let gone = std::mem::take(&mut self.gone).into_iter().map(Heard::NodeGone);
        let mut fits = true;
        for heard in gone.chain([heard.clone()]) {
            let Err(TrySendError::Full(lost)) = self.queue.try_send(heard) else { continue };
            fits = false;
            if let Heard::NodeGone(node) = lost {
                self.gone.insert(node);
            }
        }
        fits
    }
}

/// Spaces the answers to gaps: the first is answered at once, and those that follow it together.
#[derive(Debug, Default)]
struct GapTimer {
    answered: Option<Instant>,
    /// Whether a gap waits for its answer.
    waits: bool,
}

impl GapTimer {
    /// Returns whether a gap is to be answered now; if not, it waits.
    fn begin(&mut self) -> bool {
        let is_early = self.answered.is_some_and(|answered| answered.elapsed() < GAPS_APART);
        self.waits = is_early;
        if !is_early {
            self.answered = Some(Instant::now());
        }
        !is_early
    }

    /// Waits until a waiting gap is to be answered; for ever if none waits.
    async fn due(&self) {
        match self.answered {
            _ if !self.waits => std::future::pending().await,
            Some(answered) => sleep_until(answered + GAPS_APART).await,
            None => {}
        }
    }
}

/// Hands what this node hears to the parts that read from the store what is announced.
pub(super) async fn read_announced(services: Arc<Services>, mut heard: mpsc::Receiver<Heard>) {
    while let Some(heard) = heard.recv().await {
        if matches!(heard, Heard::Gap | Heard::Event(_, ClusterEvent::KeysChanged)) {
            read_keys(&services).await;
        }
        admin::on_heard(&services, &heard).await;
        services.relations.on_heard(&heard).await;
        services.talk.on_heard(&heard).await;
        services.lobby.on_heard(heard).await;
    }
}

/// Another node may have registered its public keys.
async fn read_keys(services: &Services) {
    let Some(keys) = &services.store.keys else { return };
    match keys.signing_keys().await {
        Ok(keys) => services.signing.set_elsewhere(keys),
        // operator: the store failed; `welcome` and `/v1/key` may lack the key of a new node
        Err(error) => tracing::warn!(%error, "reading the public keys of other nodes failed"),
    }
    if let Err(error) = services.notifications.read_keys().await {
        // operator: the store failed; browsers subscribe to an earlier push key on this node, and
        // are served
        tracing::warn!(%error, "reading the push keys failed");
    }
}

/// Whether no part of the server but the rooms takes in what is heard.
const fn concerns_rooms_alone(heard: &Heard) -> bool {
    matches!(
        heard,
        Heard::Appended(_)
            | Heard::Event(_, ClusterEvent::AtGame { .. } | ClusterEvent::Watching { .. })
    )
}

/// Another node has announced an event.
async fn on_event(services: &Services, node: NodeId, event: ClusterEvent) {
    match event {
        ClusterEvent::AtGame { game, user, here, at } => {
            let what = AudienceElsewhere::Player { user, here, at };
            services.rooms.elsewhere(node, game, what).await;
        }
        ClusterEvent::Watching { game, spectators } => {
            let what = AudienceElsewhere::Spectators(spectators);
            services.rooms.elsewhere(node, game, what).await;
        }
        ClusterEvent::Began(_) => services.live_lists.began_elsewhere(),
        // The readers take in the rest.
        _ => {}
    }
}

/// Events may be lost: every part reads from the store what they could have said.
async fn on_gap(services: &Services) {
    tracing::debug!("events of other nodes may be lost");
    services.live_lists.began_elsewhere();
    services.rooms.audit().await;
}

/// A node has gone. Its sessions have ended, and it may not have announced its last writes.
async fn on_node_gone(services: &Services, gone: GoneNode) {
    tracing::debug!(node = %gone.node, "node has gone");
    services.rooms.node_gone(gone).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_learn_of_the_end_of_a_node_although_their_queue_was_full() {
        let (queue, mut read) = mpsc::channel(2);
        let mut readers = HeardReaders { queue, gone: BTreeSet::new() };
        let gone = |node: &str| {
            Heard::NodeGone(GoneNode { node: node.parse().unwrap(), died_at: Some(1) })
        };
        assert!(readers.hand_on(&Heard::Gap) && readers.hand_on(&gone("one")));
        assert!(!readers.hand_on(&gone("two")) && !readers.hand_on(&Heard::Gap));
        assert_eq!((read.try_recv(), read.try_recv()), (Ok(Heard::Gap), Ok(gone("one"))));
        assert!(readers.hand_on(&Heard::Gap));
        assert_eq!((read.try_recv(), read.try_recv()), (Ok(gone("two")), Ok(Heard::Gap)));
    }
}
