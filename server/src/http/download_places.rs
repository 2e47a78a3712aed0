//! Places for downloads, of which each reads the store as fast as its client takes it: how many
//! an address and a network may hold, and which download makes room when there is none.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;

use super::{connection::ConnectionControl, connection_limits::LimitReached};
use crate::{
    address::ClientAddress,
    limits::{DOWNLOAD_SLOW_BYTES_PER_S, DOWNLOAD_UNDISTURBED, DOWNLOADS_MAX, NETWORK_SHARE},
};

/// Places for downloads. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct DownloadPlaces {
    /// `None` where addresses are not capped.
    per_address_max: Option<usize>,
    held: Arc<Mutex<HeldPlaces>>,
}

/// What is held. Downloads are numbered in the order in which they came.
#[derive(Debug, Default)]
struct HeldPlaces {
    last: u64,
    downloads: BTreeMap<u64, OpenDownload>,
}

#[derive(Debug)]
struct OpenDownload {
    from: ClientAddress,
    begun: Instant,
    sent_bytes: Arc<AtomicU64>,
    connection: ConnectionControl,
}

/// The place of one download; given back when dropped.
#[derive(Debug)]
pub(super) struct DownloadPlace {
    held: Arc<Mutex<HeldPlaces>>,
    number: u64,
    sent_bytes: Arc<AtomicU64>,
}

impl DownloadPlaces {
    pub(super) fn new(per_address_max: Option<usize>) -> Self {
        Self { per_address_max, held: Arc::default() }
    }

    /// Takes a place for a client at an address. Where there is none, the slowest download of the
    /// network that holds the most makes room, if it is slow.
    pub(super) fn acquire(
        &self,
        from: ClientAddress,
        connection: &ConnectionControl,
    ) -> Result<DownloadPlace, LimitReached> {
        let mut held = lock(&self.held);
        if let Some(share) = self.per_address_max {
            let shares = share.saturating_mul(NETWORK_SHARE as usize);
            let by_address = held.count(|other| other == from);
            if by_address >= share || held.of_network(from) >= shares {
                return Err(LimitReached::AddressFull);
            }
        }
        if held.downloads.len() >= DOWNLOADS_MAX {
            held.make_room(from).ok_or(LimitReached::Full)?;
        }
        held.last += 1;
        let (number, sent_bytes) = (held.last, Arc::<AtomicU64>::default());
        let download = OpenDownload {
            from,
            begun: Instant::now(),
            sent_bytes: Arc::clone(&sent_bytes),
            connection: connection.clone(),
        };
        held.downloads.insert(number, download);
        Ok(DownloadPlace { held: Arc::clone(&self.held), number, sent_bytes })
    }
}

impl DownloadPlace {
    /// Counts what the client has taken.
    pub(super) fn sent(&self, bytes: usize) {
        self.sent_bytes.fetch_add(bytes as u64, Relaxed);
    }
}

impl Drop for DownloadPlace {
    fn drop(&mut self) {
        lock(&self.held).downloads.remove(&self.number);
    }
}

impl HeldPlaces {
    fn count(&self, is_meant: impl Fn(ClientAddress) -> bool) -> usize {
        self.downloads.values().filter(|download| is_meant(download.from)).count()
    }

    fn of_network(&self, from: ClientAddress) -> usize {
        self.count(|other| other.network() == from.network())
    }

    /// Ends one download for a newcomer whose network holds fewer than that download's; `None` if
    /// there is none that is slow.
    fn make_room(&mut self, newcomer: ClientAddress) -> Option<()> {
        let own = self.of_network(newcomer);
        let slow = self.downloads.iter().filter_map(|(number, download)| {
            let crowd = self.of_network(download.from);
            let bytes_per_s = download.slow_bytes_per_s().filter(|_| crowd > own)?;
            Some((*number, crowd, bytes_per_s))
        });
        let (number, ..) =
            slow.max_by_key(|(_, crowd, bytes_per_s)| (*crowd, u64::MAX - bytes_per_s))?;
        self.downloads.remove(&number)?.connection.abort();
        Some(())
    }
}

impl OpenDownload {
    /// The rate at which the client takes the file; `None` if it is not slow, or began just now.
    fn slow_bytes_per_s(&self) -> Option<u64> {
        let lasts: Duration = self.begun.elapsed();
        if lasts < DOWNLOAD_UNDISTURBED {
            return None;
        }
        let bytes_per_s = self.sent_bytes.load(Relaxed) / lasts.as_secs().max(1);
        (bytes_per_s < DOWNLOAD_SLOW_BYTES_PER_S).then_some(bytes_per_s)
    }
}

fn lock(held: &Mutex<HeldPlaces>) -> MutexGuard<'_, HeldPlaces> {
    held.lock()
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use futures::FutureExt as _;
    use tokio::time::advance;

    use super::*;

    fn from(address: &str) -> ClientAddress {
        address.parse::<IpAddr>().unwrap().into()
    }

    fn is_cut(connection: &ConnectionControl) -> bool {
        connection.aborted().now_or_never().is_some()
    }

    #[tokio::test(start_paused = true)]
    async fn the_slowest_download_of_the_fullest_network_makes_room() {
        let places = DownloadPlaces::new(Some(2));
        let begin = |address: &str| {
            let connection = ConnectionControl::default();
            places.acquire(from(address), &connection).map(|place| (place, connection))
        };
        let eve: Vec<_> =
            (0..14).map(|number| begin(&format!("10.0.1.{}", number / 2)).unwrap()).collect();
        assert_eq!(begin("10.0.1.0").unwrap_err(), LimitReached::AddressFull);
        let (bob, cy) = (begin("10.0.0.2").unwrap(), begin("10.0.0.3").unwrap());
        assert_eq!(begin("10.0.0.1").unwrap_err(), LimitReached::Full, "all have just begun");
        advance(DOWNLOAD_UNDISTURBED).await;
        for (at, (place, _)) in eve.iter().enumerate() {
            place.sent(if at == 5 { 10 } else { 1_000 });
        }
        let ann = begin("10.0.0.1").unwrap();
        let cut: Vec<usize> = (0..14).filter(|at| is_cut(&eve[*at].1)).collect();
        assert_eq!(cut, [5]);
        assert!(![&bob, &cy, &ann].iter().any(|(_, connection)| is_cut(connection)));

        for (place, _) in &eve {
            place.sent(usize::MAX / 2);
        }
        bob.0.sent(usize::MAX / 2);
        cy.0.sent(usize::MAX / 2);
        assert_eq!(begin("10.0.0.4").unwrap_err(), LimitReached::Full, "none is slow");
        drop(bob);
        begin("10.0.0.4").unwrap();
    }
}
