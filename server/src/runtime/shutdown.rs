//! Starting and stopping. The only module that listens to the operating system's signals.

use std::process::ExitCode;

use nix::sys::signal::Signal;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::limits::DRAIN_MAX;

/// What every long-lived task is given, to know when to stop.
///
/// A stop has three stages. `soft`: nothing new is taken; sessions stop reading, rooms finish what
/// they have. `drained`: the rooms are done, so every acknowledgement is on its way and sessions
/// may say goodbye. `hard`: whoever is still there is dropped.
#[derive(Debug, Clone, Default)]
pub struct Lifecycle {
    /// Asks: take nothing more, finish what is in hand.
    pub soft: CancellationToken,
    /// Tells sessions that no room will send them anything more.
    pub drained: CancellationToken,
    /// Orders: drop what you hold.
    pub hard: CancellationToken,
    /// The rooms' tasks.
    pub rooms: TaskTracker,
    /// All other tasks; nothing else may spawn.
    pub tasks: TaskTracker,
    failed: CancellationToken,
}

impl Lifecycle {
    /// Stops the server because it cannot go on.
    pub fn fail(&self) {
        self.failed.cancel();
        self.soft.cancel();
    }

    /// Waits for `soft`, drains, and returns once the last task has ended.
    pub async fn run(&self, signals: impl Signals) -> ExitCode {
        self.run_and(signals, |_| {}).await
    }

    /// The same, and does what is to be done besides.
    pub async fn run_and(
        &self,
        mut signals: impl Signals,
        mut besides: impl FnMut(Asked),
    ) -> ExitCode {
        loop {
            tokio::select! {
                asked = signals.next() => {
                    besides(asked);
                    if asked == Asked::ToStop {
                        tracing::info!("asked to stop");
                        break;
                    }
                }
                () = self.soft.cancelled() => break,
            }
        }
        self.soft.cancel();
        let drain = async {
            self.rooms.close();
            self.rooms.wait().await;
            self.drained.cancel();
            self.tasks.close();
            self.tasks.wait().await;
        };
        tokio::select! {
            () = drain => {}
            () = asked_to_stop(&mut signals) => {
                tracing::warn!("asked again, not waiting any longer");
            }
            () = tokio::time::sleep(DRAIN_MAX) => {
                let (rooms, tasks) = (self.rooms.len(), self.tasks.len());
                tracing::warn!(rooms, tasks, "draining took too long");
            }
        }
        self.drained.cancel();
        self.hard.cancel();
        if self.failed.is_cancelled() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}

impl<S: Signals> Signals for &mut S {
    fn next(&mut self) -> impl Future<Output = Asked> + Send {
        S::next(self)
    }
}

/// What a signal asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// SIGINT or SIGTERM: to stop.
    ToStop,
    /// SIGHUP: to read the configuration again.
    ToReload,
}

async fn asked_to_stop(signals: &mut impl Signals) {
    while signals.next().await != Asked::ToStop {}
}

/// The process's signals in production, none in tests.
pub trait Signals: Send {
    /// Waits for the next one.
    fn next(&mut self) -> impl Future<Output = Asked> + Send;
}

/// The process's own signals.
#[derive(Debug)]
pub struct ProcessSignals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
    /// A file has reached the size that the process may give one, which would end it. Listened to,
    /// the write fails instead, as on a full disk, and is dealt with as such.
    _file_size: tokio::signal::unix::Signal,
}

impl ProcessSignals {
    /// Begins to listen.
    pub fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::SignalKind;
        #[expect(clippy::disallowed_methods, reason = "this is the one place")]
        let listen = tokio::signal::unix::signal;
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
            _file_size: listen(SignalKind::from_raw(Signal::SIGXFSZ as i32))?,
        })
    }
}

impl Signals for ProcessSignals {
    async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.interrupt.recv() => Asked::ToStop,
            _ = self.terminate.recv() => Asked::ToStop,
            _ = self.hang_up.recv() => Asked::ToReload,
        }
    }
}

/// Never a signal: for servers that are stopped by their owner.
#[derive(Debug)]
pub struct NoSignals;

impl Signals for NoSignals {
    async fn next(&mut self) -> Asked {
        std::future::pending().await
    }
}
