//! A server inside the simulating process.

use std::sync::Arc;

use tokio::io::DuplexStream;

use super::member::{Gate, Member};
use crate::{
    app::{StartError, build_services},
    config::Config,
    runtime::{
        environment::Environment,
        metrics::Metrics,
        shutdown::{Lifecycle, NoSignals},
    },
    session::{self, Services},
    store::{Disk, OpenedStore, Sqlite},
};

/// A server inside the simulating process. Dropping its runtime crashes it.
#[derive(Debug)]
pub struct SimulatedServer {
    services: Arc<Services>,
    /// The server as a node; `None` if it is alone.
    member: Option<Arc<Member>>,
}

impl SimulatedServer {
    /// Starts a server at a time in epoch milliseconds. The seed decides all that it draws by lot.
    pub async fn start(
        config: &Config,
        (epoch_ms, seed): (u64, u64),
        disk: Arc<dyn Disk>,
    ) -> Result<Self, StartError> {
        let metrics = Arc::new(Metrics::default());
        let environment = Environment::simulated(epoch_ms, seed);
        let work = environment.work.clone();
        let store = Sqlite::open_on(&config.store, Arc::clone(&metrics), work, Some(disk))?;
        Self::start_on(config, environment, metrics, store.into(), None).await
    }

    /// Starts a server on an open store.
    pub(super) async fn start_on(
        config: &Config,
        environment: Environment,
        metrics: Arc<Metrics>,
        opened: OpenedStore,
        member: Option<Arc<Member>>,
    ) -> Result<Self, StartError> {
        let lifecycle = Lifecycle::default();
        let services = build_services(config, &lifecycle, environment, metrics, opened).await?;
        Ok(Self { services, member })
    }

    /// Connects a client. The stream begins after the upgrade, with WebSocket frames. It buffers up
    /// to `pipe_bytes` in each direction.
    pub fn connect(&self, pipe_bytes: usize) -> DuplexStream {
        let (near, far) = tokio::io::duplex(pipe_bytes);
        let services = Arc::clone(&self.services);
        self.services.lifecycle.tasks.spawn(session::serve_stream(services, far, None));
        near
    }

    /// Stops the server gracefully.
    pub async fn stop(&self) {
        let Services { lifecycle, rooms, time, .. } = &*self.services;
        lifecycle.soft.cancel();
        lifecycle.run(NoSignals).await;
        rooms.store().backend.close(time.now_ms()).await;
    }

    /// Crashes a node: nothing that it does from now on reaches the store or another node. Its
    /// clients are to be cut off first.
    pub fn crash(self) {
        if let Some(member) = &self.member {
            member.set_gate(Gate::Crashed);
        }
        self.services.lifecycle.soft.cancel();
    }

    /// Holds back what a node asks of the store and announces, until [`resume`](Self::resume).
    pub fn pause(&self) {
        if let Some(member) = &self.member {
            member.set_gate(Gate::Paused);
        }
    }

    /// Continues a paused node. It knows that it has missed events.
    pub fn resume(&self) {
        if let Some(member) = &self.member {
            member.set_gate(Gate::Open);
            member.miss_events();
        }
    }
}
