//! Ships what is stored to a second place, each second.
//!
//! A *generation* begins with the server and after a gap. It is a chain of *segments*, which have
//! the pages that commits have changed, and of *copies* of the database, each with the number of the
//! first segment that it needs. A copy is read while the server writes: pages that the WAL is copied
//! to meanwhile may be torn in it, and the segments have all of them.
//!
//! A thread of its own reads the WAL that the writer has written, so that no move waits for the
//! second place. The writer copies the WAL into the database itself (`capture`), and has its frames
//! collected before. No other program may do that: what it copied could be overwritten unseen.

mod capture;
mod destination;
mod layout;
mod rebuild;
mod segment;
mod shipper;
#[cfg(test)]
mod tests;

use std::{path::Path, sync::Arc, thread, time::Duration};

use parking_lot::Mutex;
use rusqlite::Connection;
use tokio::{sync::oneshot, time::timeout};
use tokio_util::sync::CancellationToken;

pub(crate) use self::rebuild::{RebuildError, Rebuilt, rebuild};
use self::{
    capture::{Capture, copy_when_full},
    destination::Destination,
    shipper::{LastShipped, Shipper, ShipperParts},
};
use super::place::{LockedDatabase, WAL_FILE};
use crate::{
    config::ShippingConfig,
    limits::{SHIP_STOP_WAIT, SHIPPED_WAITING_MAX},
    runtime::metrics::Metrics,
};

/// What ships the store. It ends with the last handle of the store.
#[derive(Debug)]
pub(super) struct Shipping {
    stop: CancellationToken,
    last: LastShipped,
    ended: Mutex<Option<oneshot::Receiver<()>>>,
}

impl Shipping {
    /// Starts to ship the commits of this connection, if that is configured.
    pub(super) fn start(
        config: &ShippingConfig,
        directory: &Path,
        database: Option<LockedDatabase>,
        connection: &mut Connection,
        metrics: Arc<Metrics>,
    ) -> rusqlite::Result<Option<Self>> {
        let (Some(destination), Some(database)) = (Destination::of(config), database) else {
            return Ok(None);
        };
        let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
        let (pages_max, page_bytes) = (pragma("wal_autocheckpoint")?, pragma("page_size")?);
        // A generation begins with all that is in the WAL.
        let wal_bytes = u64::from(pages_max) * u64::from(page_bytes);
        let waiting_max = usize::try_from(2 * wal_bytes).unwrap_or(usize::MAX);
        let waiting_max = waiting_max.max(SHIPPED_WAITING_MAX);
        let capture = Arc::new(Mutex::new(Capture::new(directory.join(WAL_FILE), waiting_max)));
        connection.wal_hook(Some(copy_when_full(Arc::clone(&capture), pages_max)))?;
        let (stop, last) = (CancellationToken::new(), LastShipped::new());
        let shipper = Shipper::new(ShipperParts {
            destination,
            config: config.clone(),
            directory: directory.to_owned(),
            capture,
            database,
            metrics,
            last: last.clone(),
            stop: stop.clone(),
        });
        let (ends, ended) = oneshot::channel();
        thread::Builder::new()
            .name("store-shipper".to_owned())
            .spawn(move || {
                match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                    Ok(runtime) => runtime.block_on(shipper.run()),
                    // operator: nothing is shipped: the machine is out of descriptors or memory
                    Err(error) => tracing::error!(%error, "shipping cannot start"),
                }
                drop(ends);
            })
            .expect("a thread can be spawned at the start");
        Ok(Some(Self { stop, last, ended: Mutex::new(Some(ended)) }))
    }

    /// Returns the time since the second place last had all that was stored.
    pub(super) fn elapsed(&self) -> Duration {
        self.last.elapsed()
    }

    /// Ships what was stored last. Nothing may be stored after that.
    pub(super) async fn finish(&self) {
        self.stop.cancel();
        let ended = self.ended.lock().take();
        if let Some(ended) = ended
            && timeout(SHIP_STOP_WAIT, ended).await.is_err()
        {
            // operator: at the stop. The second place lacks the end; the store has all of it
            tracing::warn!("what was stored last could not be shipped in time");
        }
    }
}

impl Drop for Shipping {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
