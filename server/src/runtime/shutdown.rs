//! Signals and shutdown. No other module listens to the operating system's signals.

use std::process::ExitCode;

use nix::sys::signal::Signal;
use tokio::time::sleep;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::limits::{DRAIN_BALANCER, DRAIN_MAX, DRAIN_SPREAD};

/// The stages of a shutdown, and the tasks that it waits for.
///
/// `draining`: other nodes take over, and each session asks its client to go there. `soft`:
/// sessions stop reading, and rooms finish the requests that they have accepted. `drained`: the
/// rooms are done, so every acknowledgement is queued, and sessions may close. `hard`: remaining
/// tasks are dropped. `ended`: the store is closed, and monitors receive no more answers.
#[derive(Debug, Clone)]
pub struct Lifecycle {
    /// Stage before the first, if there are other nodes; part of the first otherwise.
    pub draining: CancellationToken,
    /// First stage: accept nothing new.
    pub soft: CancellationToken,
    /// Second stage: rooms send nothing more.
    pub drained: CancellationToken,
    /// Last stage: drop everything.
    pub hard: CancellationToken,
    /// The tasks of rooms.
    pub rooms: TaskTracker,
    /// All other tasks; tasks are spawned nowhere else.
    pub tasks: TaskTracker,
    /// After the last stage: the port is closed.
    pub ended: CancellationToken,
    /// The task that serves the port until then.
    pub port: TaskTracker,
    failed: CancellationToken,
}

impl Default for Lifecycle {
    fn default() -> Self {
        let soft = CancellationToken::new();
        Self {
            draining: soft.child_token(),
            soft,
            drained: CancellationToken::new(),
            hard: CancellationToken::new(),
            rooms: TaskTracker::new(),
            tasks: TaskTracker::new(),
            ended: CancellationToken::new(),
            port: TaskTracker::new(),
            failed: CancellationToken::new(),
        }
    }
}

impl Lifecycle {
    /// Returns whether the server is stopping, so that clients should go elsewhere.
    pub fn is_stopping(&self) -> bool {
        self.draining.is_cancelled()
    }

    /// Stops the server after a fatal error.
    pub fn fail(&self) {
        self.failed.cancel();
        self.soft.cancel();
    }

    /// Waits for a stop, drains, and returns when the last task has ended.
    pub async fn run(&self, signals: impl Signals) -> ExitCode {
        self.run_with(signals, |_| {}, || false).await
    }

    /// Does the same, and calls `on_signal` for each signal before the stop. If `has_others`, other
    /// nodes take over the clients first.
    pub async fn run_with(
        &self,
        mut signals: impl Signals,
        mut on_signal: impl FnMut(SignalRequest),
        has_others: impl Fn() -> bool,
    ) -> ExitCode {
        loop {
            tokio::select! {
                biased;
                request = signals.next() => {
                    on_signal(request);
                    if let SignalRequest::Stop(signal) = request {
                        // operator: `SIGTERM` or `SIGINT`; see "Stopping"
                        tracing::info!(%signal, "received stop signal, shutting down");
                        break;
                    }
                }
                () = self.soft.cancelled() => break,
            }
        }
        let drain = async {
            if !self.soft.is_cancelled() && has_others() {
                self.draining.cancel();
                self.soft.run_until_cancelled(sleep(DRAIN_BALANCER + DRAIN_SPREAD)).await;
            }
            self.soft.cancel();
            self.rooms.close();
            self.rooms.wait().await;
            self.drained.cancel();
            self.tasks.close();
            self.tasks.wait().await;
        };
        tokio::select! {
            biased;
            () = drain => {}
            signal = stop_signal(&mut signals) => {
                // operator: the shutdown was cut short. Nothing acknowledged is lost
                tracing::warn!(%signal, "received second signal, aborting");
            }
            () = sleep(DRAIN_MAX) => {
                let (rooms, tasks) = (self.rooms.len(), self.tasks.len());
                // operator: the shutdown took longer than 20 seconds and was cut short. Nothing
                // acknowledged is lost
                tracing::warn!(rooms, tasks, "shutdown timed out");
            }
        }
        self.soft.cancel();
        self.drained.cancel();
        self.hard.cancel();
        if self.failed.is_cancelled() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }

    /// Closes the port, after the store was closed.
    pub async fn end(&self) {
        self.ended.cancel();
        self.port.close();
        self.port.wait().await;
    }
}

impl<S: Signals> Signals for &mut S {
    fn next(&mut self) -> impl Future<Output = SignalRequest> + Send {
        S::next(self)
    }
}

/// The request that a signal stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalRequest {
    /// SIGINT or SIGTERM: stop the server.
    Stop(Signal),
    /// SIGHUP: reload the configuration.
    Reload,
}

async fn stop_signal(signals: &mut impl Signals) -> Signal {
    loop {
        if let SignalRequest::Stop(signal) = signals.next().await {
            return signal;
        }
    }
}

/// The process's signals in production, none in tests.
pub trait Signals: Send {
    /// Waits for the next signal.
    fn next(&mut self) -> impl Future<Output = SignalRequest> + Send;
}

/// The process's own signals.
#[derive(Debug)]
pub struct ProcessSignals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
    /// SIGXFSZ ends the process when a file reaches the maximum size. With a listener the write
    /// fails instead, and the server treats it as a full disk.
    _file_size: tokio::signal::unix::Signal,
}

impl ProcessSignals {
    /// Starts to listen.
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
    async fn next(&mut self) -> SignalRequest {
        tokio::select! {
            biased;
            _ = self.interrupt.recv() => SignalRequest::Stop(Signal::SIGINT),
            _ = self.terminate.recv() => SignalRequest::Stop(Signal::SIGTERM),
            _ = self.hang_up.recv() => SignalRequest::Reload,
        }
    }
}

/// Never a signal: for servers that their owner stops.
#[derive(Debug)]
pub struct NoSignals;

impl Signals for NoSignals {
    async fn next(&mut self) -> SignalRequest {
        std::future::pending().await
    }
}
