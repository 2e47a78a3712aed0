//! A fair queue: a semaphore that serves its waiters round-robin by key. A key with many tasks
//! delays another key by one task only. Urgent tasks come before all others, and some come last.

use std::{collections::VecDeque, sync::Arc};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

/// A semaphore with one queue for each key. Cheap to clone.
#[derive(Debug)]
pub(crate) struct FairQueue<K>(Arc<QueueShared<K>>);

#[derive(Debug)]
struct QueueShared<K> {
    /// Maximum number of waiting tasks of one key.
    waiting_max: usize,
    /// Held briefly and never across an await.
    state: Mutex<QueueState<K>>,
}

#[derive(Debug)]
struct QueueState<K> {
    free: usize,
    urgent: Waiting<K>,
    others: Waiting<K>,
    last: Waiting<K>,
}

/// The waiting tasks of each key. The key to serve next is at the front.
type Waiting<K> = VecDeque<(K, VecDeque<oneshot::Sender<FairPermit<K>>>)>;

/// Which tasks come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// Somebody's clock may run until it is done.
    Urgent,
    /// Every other task for which somebody waits.
    Ordinary,
    /// It can wait as long as there is anything else.
    Last,
}

/// A permit. Its drop passes it to the next task.
#[derive(Debug)]
pub(crate) struct FairPermit<K>(Option<Arc<QueueShared<K>>>);

/// The queue of this key is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FairQueueFull;

impl<K> Clone for FairQueue<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: PartialEq> FairQueue<K> {
    /// Returns a queue with this number of permits and of waiting tasks of one key.
    pub(crate) fn new(permits: usize, waiting_max: usize) -> Self {
        let [urgent, others, last] = [VecDeque::new(), VecDeque::new(), VecDeque::new()];
        let state = Mutex::new(QueueState { free: permits, urgent, others, last });
        Self(Arc::new(QueueShared { waiting_max, state }))
    }

    /// Waits for a permit.
    pub(crate) async fn acquire(
        &self,
        key: K,
        urgency: Urgency,
    ) -> Result<FairPermit<K>, FairQueueFull> {
        let waiting = {
            let mut state = self.0.state();
            if state.free > 0 {
                state.free -= 1;
                return Ok(FairPermit(Some(Arc::clone(&self.0))));
            }
            let (permit, waiting) = oneshot::channel();
            let queues = match urgency {
                Urgency::Urgent => &mut state.urgent,
                Urgency::Ordinary => &mut state.others,
                Urgency::Last => &mut state.last,
            };
            match queues.iter_mut().find(|(other, _)| *other == key) {
                Some((_, queue)) => {
                    queue.retain(|permit| !permit.is_closed());
                    if queue.len() >= self.0.waiting_max {
                        return Err(FairQueueFull);
                    }
                    queue.push_back(permit);
                }
                None => queues.push_back((key, VecDeque::from([permit]))),
            }
            waiting
        };
        waiting.await.map_err(|_| FairQueueFull)
    }
}

impl<K> QueueShared<K> {
    fn state(&self) -> MutexGuard<'_, QueueState<K>> {
        self.state.lock()
    }
}

impl<K> QueueState<K> {
    /// Takes the task to serve next out of its queue.
    fn next(&mut self) -> Option<oneshot::Sender<FairPermit<K>>> {
        for queues in [&mut self.urgent, &mut self.others, &mut self.last] {
            let Some((key, mut queue)) = queues.pop_front() else { continue };
            let next = queue.pop_front();
            if !queue.is_empty() {
                queues.push_back((key, queue));
            }
            // A key without a task has left with its last one.
            return next;
        }
        None
    }
}

impl<K> Drop for FairPermit<K> {
    fn drop(&mut self) {
        let Some(shared) = self.0.take() else { return };
        let mut state = shared.state();
        let mut permit = Self(Some(Arc::clone(&shared)));
        while let Some(next) = state.next() {
            match next.send(permit) {
                Ok(()) => return,
                // The task is gone: the next one gets the permit.
                Err(back) => permit = back,
            }
        }
        permit.0 = None;
        state.free += 1;
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    const ORDINARY: Urgency = Urgency::Ordinary;

    #[tokio::test]
    async fn busy_key_delays_another_key_by_one_permit() {
        let queue = FairQueue::new(1, 3);
        let first = queue.acquire("greedy", ORDINARY).await.unwrap();
        let mut greedy: Vec<_> =
            (0..3).map(|_| Box::pin(queue.acquire("greedy", ORDINARY))).collect();
        for waiting in &mut greedy {
            assert!(waiting.now_or_never().is_none());
        }
        assert_eq!(
            queue.acquire("greedy", ORDINARY).now_or_never().unwrap().unwrap_err(),
            FairQueueFull
        );
        let mut other = Box::pin(queue.acquire("other", ORDINARY));
        assert!((&mut other).now_or_never().is_none());
        drop(first);
        let second = (&mut greedy[0]).now_or_never().expect("the first waiting task").unwrap();
        assert!((&mut other).now_or_never().is_none());
        drop(second);
        let third = (&mut other).now_or_never().expect("the permit of the other key").unwrap();
        assert!((&mut greedy[1]).now_or_never().is_none());
        drop(third);
        assert!((&mut greedy[1]).now_or_never().is_some());
    }

    #[tokio::test]
    async fn urgent_task_comes_first() {
        let queue = FairQueue::new(1, 3);
        let first = queue.acquire(1, ORDINARY).await.unwrap();
        let mut last = Box::pin(queue.acquire(3, Urgency::Last));
        let mut ordinary = Box::pin(queue.acquire(1, ORDINARY));
        let mut urgent = Box::pin(queue.acquire(2, Urgency::Urgent));
        for waiting in [&mut last, &mut ordinary, &mut urgent] {
            assert!(waiting.now_or_never().is_none());
        }
        drop(first);
        assert!((&mut ordinary).now_or_never().is_none());
        drop((&mut urgent).now_or_never().expect("the urgent task is served").unwrap());
        assert!((&mut last).now_or_never().is_none());
        drop((&mut ordinary).now_or_never().expect("the ordinary one is served").unwrap());
        assert!((&mut last).now_or_never().is_some());
    }

    #[tokio::test]
    async fn permit_of_a_cancelled_task_is_passed_on() {
        let queue = FairQueue::new(1, 3);
        let first = queue.acquire(1, ORDINARY).await.unwrap();
        let mut gone = Box::pin(queue.acquire(2, ORDINARY));
        let mut taken = Box::pin(queue.acquire(3, ORDINARY));
        let mut last = Box::pin(queue.acquire(4, ORDINARY));
        for waiting in [&mut gone, &mut taken, &mut last] {
            assert!(waiting.now_or_never().is_none());
        }
        drop(gone);
        drop(first);
        // The permit has been handed over, but the task never polls it.
        drop(taken);
        drop((&mut last).now_or_never().expect("the permit of the last task"));
        assert!(queue.acquire(5, ORDINARY).now_or_never().is_some());
    }
}
