//! Limits on connections: in all, by address and by network.

use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
    sync::{
        Arc,
        atomic::{
            AtomicBool, AtomicU64, AtomicUsize,
            Ordering::{self, Relaxed},
        },
    },
    time::Duration,
};

use axum::{http::StatusCode, response::Response};
use dashmap::DashMap;
use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{
    answers::{denial_response, over_limit},
    server::ConnectionControl,
};
use crate::{
    address::{ClientAddress, ClientNetwork},
    config::Limits,
    error::Denial,
    limits::{
        DOWNLOAD_SLOW_BYTES_PER_S, DOWNLOAD_UNDISTURBED, DOWNLOADS_MAX, DOWNLOADS_PER_MIN,
        ENCRYPTIONS_BURST, ENCRYPTIONS_PER_S, FREE_AGAIN_SHARE, NETWORK_SHARE,
    },
    quotas::{AddressLimiter, LimitScope},
    rate_limiter::{Rate, RetryAfter},
};

/// Counts connections against the limit in all and per address. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct ConnectionLimits {
    shared: Arc<ConnectionCounts>,
}

#[derive(Debug)]
struct ConnectionCounts {
    of: &'static str,
    taken: AtomicUsize,
    max: usize,
    /// Whether the log says that there are none left.
    is_logged: AtomicBool,
    by_address: DashMap<ClientAddress, usize>,
    /// Only networks that are more than one address.
    by_network: DashMap<ClientNetwork, usize>,
    /// `None` where addresses are not capped.
    per_address_max: Option<usize>,
}

/// A place; given back when dropped.
#[derive(Debug)]
pub(super) struct Permit {
    shared: Arc<ConnectionCounts>,
    /// `None` for one that counts for no address.
    address: Option<ClientAddress>,
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LimitReached {
    /// All are taken.
    Full,
    /// This address has its share.
    AddressFull,
}

impl ConnectionLimits {
    /// Limits connections of a kind, which the log names.
    pub(super) fn new(of: &'static str, max: usize, per_address_max: Option<usize>) -> Self {
        let (taken, is_logged) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (by_address, by_network) = (DashMap::new(), DashMap::new());
        let shared =
            ConnectionCounts { of, taken, max, is_logged, by_address, by_network, per_address_max };
        Self { shared: Arc::new(shared) }
    }

    /// How many are taken.
    pub(super) fn taken(&self) -> usize {
        self.shared.taken.load(Ordering::Relaxed).min(self.shared.max)
    }

    /// How many there are.
    pub(super) fn max(&self) -> usize {
        self.shared.max
    }

    /// Takes a permit for a client at an address; `None` for a proxy.
    pub(super) fn acquire(&self, address: Option<ClientAddress>) -> Result<Permit, LimitReached> {
        if self.shared.taken.fetch_add(1, Ordering::Relaxed) >= self.shared.max {
            self.shared.taken.fetch_sub(1, Ordering::Relaxed);
            if !self.shared.is_logged.swap(true, Ordering::Relaxed) {
                // operator: all `connections` (`limits.connections`) are in use. Logged once, until
                // they fall below the limit
                tracing::warn!(
                    of = self.shared.of,
                    max = self.shared.max,
                    "connection limit reached"
                );
            }
            return Err(LimitReached::Full);
        }
        if address.is_some_and(|address| !self.shared.count(address)) {
            self.shared.taken.fetch_sub(1, Ordering::Relaxed);
            return Err(LimitReached::AddressFull);
        }
        Ok(Permit { shared: Arc::clone(&self.shared), address })
    }
}

impl ConnectionCounts {
    /// Counts a place for an address and its network, unless either has its share.
    fn count(&self, address: ClientAddress) -> bool {
        let shares = self.per_address_max.map(|max| max.saturating_mul(NETWORK_SHARE as usize));
        if !count_one(&self.by_address, address, self.per_address_max) {
            return false;
        }
        let network = address.wider_network();
        if network.is_some_and(|network| !count_one(&self.by_network, network, shares)) {
            release_one(&self.by_address, &address);
            return false;
        }
        true
    }

    fn release(&self) {
        let left = self.taken.fetch_sub(1, Ordering::Relaxed) - 1;
        let is_free = left + 1 + self.max / FREE_AGAIN_SHARE <= self.max;
        if is_free
            && self.is_logged.load(Ordering::Relaxed)
            && self.is_logged.swap(false, Ordering::Relaxed)
        {
            // operator: end of `connection limit reached`
            tracing::info!(of = self.of, "connections are below the limit again");
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.shared.release();
        let Some(address) = self.address else { return };
        release_one(&self.shared.by_address, &address);
        if let Some(network) = address.wider_network() {
            release_one(&self.shared.by_network, &network);
        }
    }
}

fn count_one<K: Eq + Hash>(counts: &DashMap<K, usize>, key: K, max: Option<usize>) -> bool {
    let mut count = counts.entry(key).or_default();
    let is_free = max.is_none_or(|max| *count < max);
    *count += usize::from(is_free);
    is_free
}

fn release_one<K: Eq + Hash>(counts: &DashMap<K, usize>, key: &K) {
    if let Some(mut count) = counts.get_mut(key) {
        *count -= 1;
    }
    counts.remove_if(key, |_, count| *count == 0);
}

/// Places for handshakes. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Handshakes {
    shared: Arc<HandshakeSlots>,
}

#[derive(Debug)]
struct HandshakeSlots {
    max: usize,
    /// `None` where addresses are not capped.
    per_address_max: Option<usize>,
    held: Mutex<HeldSlots>,
}

/// What is held. Connections are numbered in the order in which they came.
#[derive(Debug, Default)]
struct HeldSlots {
    last: u64,
    connections: BTreeMap<u64, OpenHandshake>,
    addresses: HashMap<ClientAddress, usize>,
    networks: HashMap<ClientNetwork, usize>,
}

#[derive(Debug)]
struct OpenHandshake {
    /// `None` for a proxy, which shakes hands for many.
    address: Option<ClientAddress>,
    state: Arc<HandshakeState>,
}

#[derive(Debug, Default)]
struct HandshakeState {
    answering: AtomicBool,
    dropped: CancellationToken,
}

/// The place of one connection; given back when dropped.
#[derive(Debug)]
pub(super) struct Handshake {
    shared: Arc<HandshakeSlots>,
    number: u64,
    state: Arc<HandshakeState>,
    made_room: bool,
}

/// Says of a connection that it is silent, or that a request of it is being answered.
#[derive(Debug, Clone)]
pub(super) struct Activity(Arc<HandshakeState>);

impl Activity {
    pub(super) fn set_answering(&self, is_so: bool) {
        self.0.answering.store(is_so, Relaxed);
    }
}

impl Handshake {
    /// To be told of requests.
    pub(super) fn activity(&self) -> Activity {
        Activity(Arc::clone(&self.state))
    }

    /// Whether another connection was dropped for this one.
    pub(super) const fn displaced_another(&self) -> bool {
        self.made_room
    }

    /// Waits until the connection has to make room for another.
    pub(super) fn displaced(&self) -> impl Future<Output = ()> + use<> {
        self.state.dropped.clone().cancelled_owned()
    }
}

impl Handshakes {
    pub(super) fn new(max: usize, per_address_max: Option<usize>) -> Self {
        let shared = HandshakeSlots { max, per_address_max, held: Mutex::default() };
        Self { shared: Arc::new(shared) }
    }

    /// Takes a place for a connection from an address; without one, for a stand-in of many. Where
    /// there is none, the oldest silent connection of the network that holds the most makes room.
    pub(super) fn acquire(
        &self,
        address: Option<ClientAddress>,
    ) -> Result<Handshake, LimitReached> {
        let HandshakeSlots { max, per_address_max, .. } = *self.shared;
        let mut held = self.shared.lock();
        if let (Some(address), Some(share)) = (address, per_address_max) {
            let shares = share.saturating_mul(NETWORK_SHARE as usize);
            let by_address = held.addresses.get(&address).copied().unwrap_or(0);
            let by_network = held.networks.get(&address.network()).copied().unwrap_or(0);
            if by_address >= share || by_network >= shares {
                return Err(LimitReached::AddressFull);
            }
        }
        let made_room = held.connections.len() >= max;
        if made_room {
            held.make_room().ok_or(LimitReached::Full)?;
        }
        held.last += 1;
        let (number, state) = (held.last, Arc::<HandshakeState>::default());
        held.connections.insert(number, OpenHandshake { address, state: Arc::clone(&state) });
        if let Some(address) = address {
            *held.addresses.entry(address).or_default() += 1;
            *held.networks.entry(address.network()).or_default() += 1;
        }
        Ok(Handshake { shared: Arc::clone(&self.shared), number, state, made_room })
    }
}

impl Handshakes {
    /// Drops the connection that would make room for another, if there is one.
    pub(super) fn make_room(&self) {
        // Where all are being answered, one of them soon ends by itself.
        let _dropped = self.shared.lock().make_room();
    }
}

impl HandshakeSlots {
    fn lock(&self) -> MutexGuard<'_, HeldSlots> {
        self.held.lock()
    }
}

impl HeldSlots {
    /// Drops one connection; `None` if all are proxies' or being answered.
    fn make_room(&mut self) -> Option<()> {
        let silent = self.connections.iter().filter_map(|(number, connection)| {
            let network = connection.address?.network();
            let is_silent = !connection.state.answering.load(Relaxed);
            is_silent.then_some((*number, network))
        });
        // Of those with the most the first, so the oldest.
        let crowd = |network| self.networks.get(&network).copied().unwrap_or(0);
        let (number, _) = silent.rev().max_by_key(|(_, network)| crowd(*network))?;
        self.remove(number)?.state.dropped.cancel();
        Some(())
    }

    fn remove(&mut self, number: u64) -> Option<OpenHandshake> {
        let connection = self.connections.remove(&number)?;
        if let Some(address) = connection.address {
            release(&mut self.addresses, &address);
            release(&mut self.networks, &address.network());
        }
        Some(connection)
    }
}

fn release<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

impl Drop for Handshake {
    fn drop(&mut self) {
        self.shared.lock().remove(self.number);
    }
}

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

const MINUTE: Duration = Duration::from_mins(1);

/// What is counted of each address.
#[derive(Debug)]
pub(super) struct HttpRateLimits {
    limits: Limits,
    /// What is computed for the one who asks.
    reads: AddressLimiter,
    /// What is the same for everybody, and only sent: the page.
    files: AddressLimiter,
    upgrades: AddressLimiter,
    downloads: AddressLimiter,
    /// Connections that begin with the arithmetic of TLS.
    encryptions: AddressLimiter,
}

impl HttpRateLimits {
    pub(super) fn new(limits: &Limits) -> Self {
        let per_min = |count: u32| move |share: u32| Rate::new(count.saturating_mul(share), MINUTE);
        let (burst, per_s) = (limits.messages_burst, limits.messages_per_s);
        Self {
            limits: limits.clone(),
            // By HTTP an address may ask as often as over one WebSocket.
            reads: AddressLimiter::new(|share| {
                Rate::burst(burst.saturating_mul(share), per_s.saturating_mul(share))
            }),
            files: AddressLimiter::new(per_min(limits.page_files_per_min)),
            upgrades: AddressLimiter::new(per_min(limits.upgrades_per_min)),
            downloads: AddressLimiter::new(per_min(DOWNLOADS_PER_MIN)),
            encryptions: AddressLimiter::new(|share| {
                Rate::burst(ENCRYPTIONS_BURST * share, ENCRYPTIONS_PER_S * share)
            }),
        }
    }

    fn take(
        &self,
        limiter: &AddressLimiter,
        from: ClientAddress,
        now_ms: u64,
    ) -> Result<(), RetryAfter> {
        if self.limits.enforced { limiter.take(from, now_ms) } else { Ok(()) }
    }

    /// Whether an address may begin another encrypted connection.
    pub(super) fn allows_encryption(&self, from: ClientAddress, now_ms: u64) -> bool {
        self.take(&self.encryptions, from, now_ms).is_ok()
    }

    /// The refusal of a reading; `None` lets it pass.
    pub(super) fn check_read(&self, from: ClientAddress, now_ms: u64) -> Option<Response> {
        self.take(&self.reads, from, now_ms).err().map(|RetryAfter(retry_after_ms)| {
            let (burst, per_s) = (self.limits.messages_burst, self.limits.messages_per_s);
            let scope = LimitScope::Connection;
            denial_response(Denial::RateLimited { scope, burst, per_s, retry_after_ms })
        })
    }

    /// Counts what a reading turned out to cost beyond one.
    pub(super) fn charge_read(&self, from: ClientAddress, cost: u64, now_ms: u64) {
        if self.limits.enforced {
            self.reads.charge(from, cost, now_ms);
        }
    }

    /// The refusal of a request for a file of the page; `None` lets it pass.
    pub(super) fn check_file(&self, from: ClientAddress, now_ms: u64) -> Option<Response> {
        self.take(&self.files, from, now_ms).err().map(|wait| {
            let max = self.limits.page_files_per_min;
            too_many("page_files_per_min", max, "files of the page a minute", wait)
        })
    }

    /// The refusal of a request for the bytes of a download; `None` lets it pass.
    pub(super) fn check_download(&self, from: ClientAddress, now_ms: u64) -> Option<Response> {
        self.take(&self.downloads, from, now_ms).err().map(|wait| {
            too_many("downloads_per_min", DOWNLOADS_PER_MIN, "downloads a minute", wait)
        })
    }

    /// The refusal of an upgrade to a WebSocket; `None` lets it pass.
    pub(super) fn check_upgrade(&self, from: ClientAddress, now_ms: u64) -> Option<Response> {
        self.take(&self.upgrades, from, now_ms).err().map(|wait| {
            let max = self.limits.upgrades_per_min;
            too_many("upgrades_per_min", max, "new WebSockets a minute", wait)
        })
    }
}

fn too_many(limit: &str, max: u32, what: &str, RetryAfter(wait_ms): RetryAfter) -> Response {
    let message = format!("at most {max} {what} from one address");
    over_limit(StatusCode::TOO_MANY_REQUESTS, limit, &message, wait_ms.div_ceil(1000))
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

    #[test]
    fn each_address_and_the_whole_are_capped_and_places_come_back() {
        let limits = ConnectionLimits::new("connections", 3, Some(2));
        let (ann, bob) = (Some(from("10.0.0.1")), Some(from("10.0.0.2")));
        let first = limits.acquire(ann).unwrap();
        let _second = limits.acquire(ann).unwrap();
        assert_eq!(limits.acquire(ann).unwrap_err(), LimitReached::AddressFull);
        let _third = limits.acquire(bob).unwrap();
        assert_eq!(limits.acquire(bob).unwrap_err(), LimitReached::Full);
        drop(first);
        let _again = limits.acquire(ann).unwrap();
    }

    #[test]
    fn a_customer_of_ipv6_has_some_shares_and_no_more() {
        let limits = ConnectionLimits::new("connections", 1000, Some(2));
        let held: Vec<_> = (0..100)
            .map_while(|subnet| limits.acquire(Some(from(&format!("2001:db8:1:{subnet}::1")))).ok())
            .collect();
        assert_eq!(held.len(), 8);
        assert!(limits.acquire(Some(from("2001:db8:2::1"))).is_ok());
        drop(held);
        assert!(limits.shared.by_network.is_empty() && limits.shared.by_address.is_empty());
    }

    #[test]
    fn a_stand_in_for_many_takes_no_address_s_share() {
        let limits = ConnectionLimits::new("connections", 3, Some(1));
        let _one = limits.acquire(None).unwrap();
        let other = limits.acquire(None).unwrap();
        let _third = limits.acquire(None).unwrap();
        assert_eq!(limits.acquire(None).unwrap_err(), LimitReached::Full);
        drop(other);
        assert!(limits.acquire(None).is_ok());
        assert!(limits.shared.by_address.is_empty());
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is what clients come from")]
    fn from(address: &str) -> Option<ClientAddress> {
        Some(address.parse::<IpAddr>().unwrap().into())
    }

    fn is_dropped(handshake: &Handshake) -> bool {
        handshake.state.dropped.is_cancelled()
    }

    #[test]
    fn the_oldest_silent_one_of_the_fullest_network_makes_room() {
        let handshakes = Handshakes::new(4, Some(3));
        let bob = handshakes.acquire(from("10.0.0.2")).unwrap();
        let eve: Vec<_> = (0..3).map(|_| handshakes.acquire(from("10.0.0.1")).unwrap()).collect();
        assert_eq!(handshakes.acquire(from("10.0.0.1")).unwrap_err(), LimitReached::AddressFull);
        eve[0].activity().set_answering(true);
        let ann = handshakes.acquire(from("10.0.0.3")).unwrap();
        assert!(ann.displaced_another() && !bob.displaced_another());
        assert!(is_dropped(&eve[1]));
        assert!([&bob, &eve[0], &eve[2], &ann].iter().all(|kept| !is_dropped(kept)));
        drop(eve);
        drop((ann, bob));
        let held = handshakes.shared.lock();
        assert!(held.connections.is_empty() && held.addresses.is_empty());
        assert!(held.networks.is_empty());
    }

    #[test]
    fn where_all_are_busy_the_newcomer_is_dropped() {
        let handshakes = Handshakes::new(2, None);
        let _proxy = handshakes.acquire(None).unwrap();
        let busy = handshakes.acquire(from("10.0.0.1")).unwrap();
        busy.activity().set_answering(true);
        assert_eq!(handshakes.acquire(from("10.0.0.2")).unwrap_err(), LimitReached::Full);
        busy.activity().set_answering(false);
        let _newcomer = handshakes.acquire(from("10.0.0.2")).unwrap();
        assert!(is_dropped(&busy));
    }

    #[test]
    fn a_customer_of_ipv6_has_a_share_however_many_addresses_there_are() {
        let handshakes = Handshakes::new(1000, Some(2));
        let held: Vec<_> = (0..100)
            .map_while(|subnet| handshakes.acquire(from(&format!("2001:db8:1:{subnet}::1"))).ok())
            .collect();
        assert_eq!(held.len(), 8);
        assert!(handshakes.acquire(from("2001:db8:2::1")).is_ok());
    }

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
