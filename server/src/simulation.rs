//! The server for simulations: without a port, with a simulated clock and disk. `app` constructs
//! the rest as usual. In a single-threaded runtime with a paused clock the server is deterministic.

use std::sync::Arc;

use tokio::io::DuplexStream;

pub use crate::store::{CommitFate, Disk, OtherAppend};
use crate::{
    app::{StartError, build_services, close},
    config::Config,
    runtime::{
        environment::Environment,
        metrics::Metrics,
        shutdown::{Lifecycle, NoSignals},
    },
    session::{self, Services},
    store::Sqlite,
};

/// A server inside the simulating process. Dropping its runtime crashes it.
#[derive(Debug)]
pub struct SimulatedServer {
    services: Arc<Services>,
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
        let lifecycle = Lifecycle::default();
        let services = build_services(config, &lifecycle, environment, metrics, store).await?;
        Ok(Self { services })
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
        close(rooms.store(), *time).await;
    }
}
