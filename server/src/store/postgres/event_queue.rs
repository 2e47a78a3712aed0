//! Events of this node that wait to be announced.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use adamant_protocol::GameId;
use tokio::sync::Notify;

use crate::{
    cluster::{ClusterEvent, EventBus},
    limits::POSTGRES_EVENTS_MAX,
};

/// Events that wait. Of several appends to a game only the last is announced. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct EventQueue(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    waiting: Mutex<WaitingEvents>,
    added: Notify,
}

/// What is announced next.
#[derive(Debug, Default)]
pub(super) struct WaitingEvents {
    /// The last seq of each game that has been appended to.
    pub(super) appended: HashMap<GameId, u64>,
    /// All other events, in order.
    pub(super) others: Vec<ClusterEvent>,
    /// Whether there were too many events to keep them all.
    pub(super) has_dropped: bool,
}

impl WaitingEvents {
    fn is_empty(&self) -> bool {
        self.appended.is_empty() && self.others.is_empty() && !self.has_dropped
    }

    fn push(&mut self, event: ClusterEvent) {
        let is_full = self.appended.len() + self.others.len() >= POSTGRES_EVENTS_MAX;
        let ClusterEvent::Appended(games) = event else {
            if is_full {
                self.has_dropped = true;
            } else {
                self.others.push(event);
            }
            return;
        };
        for (game, seq) in games {
            if is_full && !self.appended.contains_key(&game) {
                self.has_dropped = true;
                continue;
            }
            let known = self.appended.entry(game).or_default();
            *known = seq.max(*known);
        }
    }
}

impl EventBus for EventQueue {
    fn publish(&self, event: ClusterEvent) {
        self.waiting().push(event);
        self.0.added.notify_one();
    }
}

impl EventQueue {
    /// Waits for events and takes all of them. One task calls this.
    pub(super) async fn take(&self) -> WaitingEvents {
        loop {
            let taken = self.take_now();
            if !taken.is_empty() {
                return taken;
            }
            self.0.added.notified().await;
        }
    }

    /// Takes the events that are there.
    pub(super) fn take_now(&self) -> WaitingEvents {
        std::mem::take(&mut *self.waiting())
    }

    fn waiting(&self) -> MutexGuard<'_, WaitingEvents> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_appends_to_a_game_the_last_is_kept() {
        let (queue, game): (EventQueue, GameId) =
            (EventQueue::default(), "k7q2mx".parse().unwrap());
        for seq in [3, 5, 4] {
            queue.publish(ClusterEvent::Appended(vec![(game.clone(), seq)]));
        }
        assert_eq!(queue.take_now().appended, HashMap::from([(game, 5)]));
        assert!(queue.take_now().is_empty());
    }

    #[test]
    fn what_does_not_fit_is_noticed() {
        let (queue, game): (EventQueue, GameId) =
            (EventQueue::default(), "k7q2mx".parse().unwrap());
        for spectators in 0..=POSTGRES_EVENTS_MAX {
            let spectators = u32::try_from(spectators).unwrap();
            queue.publish(ClusterEvent::Watching { game: game.clone(), spectators });
        }
        let taken = queue.take_now();
        assert!(taken.has_dropped);
        assert_eq!(taken.others.len(), POSTGRES_EVENTS_MAX);
    }
}
