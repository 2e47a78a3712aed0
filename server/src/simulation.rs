//! The server for simulations: no port, the time that the simulation says it is, and a disk that
//! does what it is told. All else is what `app` always constructs. Started in a runtime with one
//! thread and a paused clock, nothing in it happens but by turns.

use std::sync::Arc;

use tokio::io::DuplexStream;

pub use crate::store::Disk;
use crate::{
    app::{StartError, build_services, close},
    config::Config,
    runtime::{
        metrics::Metrics,
        shutdown::{Lifecycle, NoSignals},
        time::TimeSource,
    },
    session::{self, Services},
    store::Sqlite,
};

/// A server inside the process that simulates it. It is crashed by dropping its runtime.
#[derive(Debug)]
pub struct SimulatedServer {
    services: Arc<Services>,
}

impl SimulatedServer {
    /// Starts a server at so many milliseconds since the epoch.
    pub async fn start(
        config: &Config,
        epoch_ms: u64,
        disk: Arc<dyn Disk>,
    ) -> Result<Self, StartError> {
        let metrics = Arc::new(Metrics::default());
        let store = Sqlite::open_on(&config.store, Arc::clone(&metrics), Some(disk))?;
        let time = TimeSource::starting_at(epoch_ms);
        let services = build_services(config, &Lifecycle::default(), time, metrics, store).await?;
        Ok(Self { services })
    }

    /// Connects a client to a session of its own: behind the upgrade, where WebSocket frames begin.
    /// So many bytes may be on the way in each direction.
    pub fn connect(&self, pipe_bytes: usize) -> DuplexStream {
        let (near, far) = tokio::io::duplex(pipe_bytes);
        let services = Arc::clone(&self.services);
        self.services.lifecycle.tasks.spawn(session::serve_stream(services, far, None));
        near
    }

    /// Stops it as an operator does, and waits until it has.
    pub async fn stop(&self) {
        let Services { lifecycle, rooms, time, .. } = &*self.services;
        lifecycle.soft.cancel();
        lifecycle.run(NoSignals).await;
        close(rooms.store(), *time).await;
    }
}
