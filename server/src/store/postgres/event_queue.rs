//! What this node has to announce.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use adamant_protocol::GameId;
use tokio::sync::Notify;

use crate::{
    cluster::{AppendedRecords, ClusterEvent, EventBus},
    limits::{POSTGRES_ANNOUNCED_RECORDS_BYTES, POSTGRES_EVENTS_MAX},
};

/// What waits. Several appends to a game are announced as one. Cheap to clone.
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
    /// The records that have been appended to each game.
    pub(super) appended: HashMap<GameId, AppendedRecords>,
    /// Bytes of these records.
    bytes: usize,
    /// The events, in order.
    pub(super) others: Vec<ClusterEvent>,
    /// Whether there were too many events to keep them all.
    pub(super) has_dropped: bool,
}

impl WaitingEvents {
    fn is_empty(&self) -> bool {
        self.appended.is_empty() && self.others.is_empty() && !self.has_dropped
    }

    fn push(&mut self, event: ClusterEvent) {
        if self.is_full() {
            self.has_dropped = true;
        } else {
            self.others.push(event);
        }
    }

    fn is_full(&self) -> bool {
        self.appended.len() + self.others.len() >= POSTGRES_EVENTS_MAX
    }

    fn push_appended(&mut self, mut appended: AppendedRecords) {
        if self.bytes + appended.bytes() > POSTGRES_ANNOUNCED_RECORDS_BYTES {
            appended.records.clear();
        }
        let added = appended.bytes();
        if let Some(known) = self.appended.get_mut(&appended.game) {
            let before = known.bytes();
            known.add(appended);
            self.bytes = self.bytes - before + known.bytes();
        } else if self.is_full() {
            self.has_dropped = true;
        } else {
            self.bytes += added;
            self.appended.insert(appended.game.clone(), appended);
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
    /// Announces records that a standby has. Never waits.
    pub(super) fn publish_appended(&self, appended: impl Iterator<Item = AppendedRecords>) {
        let mut waiting = self.waiting();
        appended.for_each(|appended| waiting.push_appended(appended));
        drop(waiting);
        self.0.added.notify_one();
    }

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
    use bytes::Bytes;

    use super::*;

    #[test]
    fn several_appends_to_a_game_are_announced_as_one() {
        let (queue, game): (EventQueue, GameId) =
            (EventQueue::default(), "k7q2mx".parse().unwrap());
        let appended = |until: u64| AppendedRecords {
            game: game.clone(),
            until,
            records: vec![until.to_string().into()],
        };
        for seq in [3, 4, 3] {
            queue.publish_appended(std::iter::once(appended(seq)));
        }
        let both = AppendedRecords { records: vec!["3".into(), "4".into()], ..appended(4) };
        assert_eq!(queue.take_now().appended, HashMap::from([(game.clone(), both)]));
        assert!(queue.take_now().is_empty());
    }

    #[test]
    fn records_beyond_the_limit_are_only_named() {
        let queue = EventQueue::default();
        let half: Bytes = vec![b'x'; POSTGRES_ANNOUNCED_RECORDS_BYTES / 2].into();
        let games: Vec<GameId> = (0..4).map(|n| format!("game{n}").parse().unwrap()).collect();
        let appended = |game: &GameId| AppendedRecords {
            game: game.clone(),
            until: 3,
            records: vec![half.clone()],
        };
        queue.publish_appended(games[..3].iter().map(appended));
        // It replaces records, whose place another game has then.
        let longer = AppendedRecords { until: 5, records: vec!["5".into()], ..appended(&games[0]) };
        queue.publish_appended(std::iter::once(longer));
        queue.publish_appended(games[3..].iter().map(appended));
        let waiting = queue.take_now();
        let bytes: Vec<usize> = games.iter().map(|game| waiting.appended[game].bytes()).collect();
        assert_eq!(bytes, [0, half.len(), 0, half.len()]);
        assert!(!waiting.has_dropped);
        queue.publish_appended(games[3..].iter().map(appended));
        assert_eq!(queue.take_now().appended[&games[3]].bytes(), half.len());
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
