//! A wait beside others that end far more often.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures::task::AtomicWaker;

/// Polls a future at first and when it has been woken itself, but not when its task has been woken
/// for another future.
#[derive(Debug)]
pub(crate) struct OnWake<F> {
    future: F,
    wake: Arc<OwnWake>,
}

#[derive(Debug)]
struct OwnWake {
    is_woken: AtomicBool,
    task: AtomicWaker,
}

impl Wake for OwnWake {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_woken.store(true, Ordering::Release);
        self.task.wake();
    }
}

impl<F> OnWake<F> {
    pub(crate) fn new(future: F) -> Self {
        let wake = OwnWake { is_woken: AtomicBool::new(true), task: AtomicWaker::new() };
        Self { future, wake: Arc::new(wake) }
    }
}

impl<F: Future + Unpin> Future for OnWake<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // Registered before the check, so that a wake-up in between is not missed.
        self.wake.task.register(context.waker());
        if !self.wake.is_woken.swap(false, Ordering::AcqRel) {
            return Poll::Pending;
        }
        let waker = Waker::from(Arc::clone(&self.wake));
        Pin::new(&mut self.future).poll(&mut Context::from_waker(&waker))
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, pin::pin};

    use futures::FutureExt as _;
    use tokio::sync::Notify;

    use super::*;

    #[test]
    fn only_a_wake_up_of_its_own_polls_the_future_again() {
        let (notify, mut polls) = (Notify::new(), 0);
        let mut notified = pin!(notify.notified());
        let mut waiting = OnWake::new(poll_fn(|context| {
            polls += 1;
            notified.as_mut().poll(context)
        }));
        for _ in 0..3 {
            assert_eq!((&mut waiting).now_or_never(), None);
        }
        notify.notify_one();
        assert_eq!((&mut waiting).now_or_never(), Some(()));
        drop(waiting);
        assert_eq!(polls, 2);
    }
}
