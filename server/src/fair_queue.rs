//! Turns at work that few may do at once, shared out fairly: those who wait are served in a round by
//! who they are, so that one who asks for much delays another by one turn and not by all of theirs.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;

/// Places for work, handed out by key. Cheap to clone.
#[derive(Debug)]
pub(crate) struct FairQueue<K>(Arc<QueueShared<K>>);

#[derive(Debug)]
struct QueueShared<K> {
    /// Tasks of one key that may wait.
    waiting_max: usize,
    /// Held for moments and never across an await.
    state: Mutex<QueueState<K>>,
}

#[derive(Debug)]
struct QueueState<K> {
    free: usize,
    /// Those who wait, the key whose turn is next at the front.
    waiting: VecDeque<(K, VecDeque<oneshot::Sender<FairPermit<K>>>)>,
}

/// A place to work at, given on when dropped.
#[derive(Debug)]
pub(crate) struct FairPermit<K>(Option<Arc<QueueShared<K>>>);

/// As many tasks of this key wait as may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QueueFull;

impl<K> Clone for FairQueue<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: PartialEq> FairQueue<K> {
    /// So many places, for which so many tasks of one key may wait.
    pub(crate) fn new(places: usize, waiting_max: usize) -> Self {
        let state = Mutex::new(QueueState { free: places, waiting: VecDeque::new() });
        Self(Arc::new(QueueShared { waiting_max, state }))
    }

    /// Waits for a turn of this key.
    pub(crate) async fn take(&self, key: K) -> Result<FairPermit<K>, QueueFull> {
        let waiting = {
            let mut state = self.0.state();
            if state.free > 0 {
                state.free -= 1;
                return Ok(FairPermit(Some(Arc::clone(&self.0))));
            }
            let (turn, waiting) = oneshot::channel();
            match state.waiting.iter_mut().find(|(other, _)| *other == key) {
                Some((_, queue)) => {
                    queue.retain(|turn| !turn.is_closed());
                    if queue.len() >= self.0.waiting_max {
                        return Err(QueueFull);
                    }
                    queue.push_back(turn);
                }
                None => state.waiting.push_back((key, VecDeque::from([turn]))),
            }
            waiting
        };
        waiting.await.map_err(|_| QueueFull)
    }
}

impl<K> QueueShared<K> {
    fn state(&self) -> MutexGuard<'_, QueueState<K>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K> Drop for FairPermit<K> {
    fn drop(&mut self) {
        let Some(shared) = self.0.take() else { return };
        let mut state = shared.state();
        let mut turn = Self(Some(Arc::clone(&shared)));
        while let Some((key, mut queue)) = state.waiting.pop_front() {
            let next = queue.pop_front();
            if !queue.is_empty() {
                state.waiting.push_back((key, queue));
            }
            let Some(next) = next else { continue };
            match next.send(turn) {
                Ok(()) => return,
                // It waits no longer: the next one has its turn.
                Err(back) => turn = back,
            }
        }
        turn.0 = None;
        state.free += 1;
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn who_asks_for_much_delays_another_by_one_turn() {
        let turns = FairQueue::new(1, 3);
        let first = turns.take("greedy").await.unwrap();
        let mut greedy: Vec<_> = (0..3).map(|_| Box::pin(turns.take("greedy"))).collect();
        for waiting in &mut greedy {
            assert!(waiting.now_or_never().is_none());
        }
        assert_eq!(turns.take("greedy").now_or_never().unwrap().unwrap_err(), QueueFull);
        let mut other = Box::pin(turns.take("other"));
        assert!((&mut other).now_or_never().is_none());
        drop(first);
        let second = (&mut greedy[0]).now_or_never().expect("the first that waits").unwrap();
        assert!((&mut other).now_or_never().is_none());
        drop(second);
        let third = (&mut other).now_or_never().expect("the other's turn").unwrap();
        assert!((&mut greedy[1]).now_or_never().is_none());
        drop(third);
        assert!((&mut greedy[1]).now_or_never().is_some());
    }

    #[tokio::test]
    async fn the_turn_of_a_task_that_has_gone_is_given_on() {
        let turns = FairQueue::new(1, 3);
        let first = turns.take(1).await.unwrap();
        let mut gone = Box::pin(turns.take(2));
        let mut taken = Box::pin(turns.take(3));
        let mut last = Box::pin(turns.take(4));
        for waiting in [&mut gone, &mut taken, &mut last] {
            assert!(waiting.now_or_never().is_none());
        }
        drop(gone);
        drop(first);
        // The turn has been handed over and is not looked at any more.
        drop(taken);
        drop((&mut last).now_or_never().expect("the last one's turn"));
        assert!(turns.take(5).now_or_never().is_some());
    }
}
