//! What an address and a network may hold of connections, handshakes and downloads, which of them
//! makes room for another, and how often an address may ask.

use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    hash::Hash,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::answers::{RETRY_AFTER_S, over_limit};
use crate::{
    address::{ClientAddress, ClientNetwork},
    config::{Limits, LimitsInForce},
    error::Denial,
    limits::{
        DOWNLOAD_SLOW_BYTES_PER_S, DOWNLOAD_UNDISTURBED, DOWNLOADS_MAX, DOWNLOADS_PER_MIN,
        ENCRYPTIONS_BURST, ENCRYPTIONS_PER_S, FREE_AGAIN_SHARE, NETWORK_SHARE,
    },
    quotas::{AddressLimiter, LimitScope, rate_of},
    rate_limiter::{Rate, RetryAfter},
};

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LimitReached {
    Full,
    AddressFull,
}

/// There is no place for the connection.
impl IntoResponse for LimitReached {
    fn into_response(self) -> Response {
        let (status, limit, message) = match self {
            Self::AddressFull => (
                StatusCode::TOO_MANY_REQUESTS,
                "connections_per_address",
                "too many connections from this address",
            ),
            Self::Full => (StatusCode::SERVICE_UNAVAILABLE, "connections", "the server is full"),
        };
        over_limit(status, limit, message, RETRY_AFTER_S)
    }
}

/// Places that are held, numbered in the order in which they were taken. A stand-in of many has no
/// address and takes no share.
#[derive(Debug)]
struct HeldPlaces<T> {
    /// `None` where addresses are not capped.
    per_address_max: Option<usize>,
    last: u64,
    places: BTreeMap<u64, (Option<ClientAddress>, T)>,
    addresses: HashMap<ClientAddress, usize>,
    networks: HashMap<ClientNetwork, usize>,
}

impl<T> HeldPlaces<T> {
    fn new(per_address_max: Option<usize>) -> Self {
        let (addresses, networks) = (HashMap::new(), HashMap::new());
        Self { per_address_max, last: 0, places: BTreeMap::new(), addresses, networks }
    }

    /// Checks that neither an address nor its network has its share.
    fn check(&self, address: Option<ClientAddress>) -> Result<(), LimitReached> {
        let (Some(address), Some(share)) = (address, self.per_address_max) else { return Ok(()) };
        let shares = share.saturating_mul(NETWORK_SHARE as usize);
        let by_address = self.addresses.get(&address).copied().unwrap_or(0);
        let is_free = by_address < share && self.of_network(address) < shares;
        if is_free { Ok(()) } else { Err(LimitReached::AddressFull) }
    }

    fn of_network(&self, address: ClientAddress) -> usize {
        self.networks.get(&address.network()).copied().unwrap_or(0)
    }

    fn add(&mut self, address: Option<ClientAddress>, place: T) -> u64 {
        self.last += 1;
        self.places.insert(self.last, (address, place));
        if let Some(address) = address {
            *self.addresses.entry(address).or_default() += 1;
            *self.networks.entry(address.network()).or_default() += 1;
        }
        self.last
    }

    fn remove(&mut self, number: u64) -> Option<T> {
        let (address, place) = self.places.remove(&number)?;
        if let Some(address) = address {
            release(&mut self.addresses, address);
            release(&mut self.networks, address.network());
        }
        Some(place)
    }
}

fn release<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: K) {
    if let Entry::Occupied(mut count) = counts.entry(key) {
        *count.get_mut() -= 1;
        if *count.get() == 0 {
            count.remove();
        }
    }
}

/// Counts connections against the limit in all and per address. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct ConnectionLimits {
    limits: LimitsInForce,
    /// The most for which there are descriptors.
    most: usize,
    counts: Arc<Mutex<ConnectionCounts>>,
}

#[derive(Debug)]
struct ConnectionCounts {
    held: HeldPlaces<()>,
    /// Whether the log says that there are none left.
    is_logged: bool,
}

fn number(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// Returns the share of an address; `None` if limits are not enforced.
fn share(limits: &Limits, count: u32) -> Option<usize> {
    limits.enforced.then(|| number(count))
}

/// A place; given back when dropped.
#[derive(Debug)]
pub(super) struct Permit {
    limits: ConnectionLimits,
    number: u64,
}

impl ConnectionLimits {
    pub(super) fn new(limits: LimitsInForce, most: usize) -> Self {
        let counts = ConnectionCounts { held: HeldPlaces::new(None), is_logged: false };
        Self { limits, most, counts: Arc::new(Mutex::new(counts)) }
    }

    pub(super) fn taken(&self) -> usize {
        self.counts.lock().held.places.len()
    }

    pub(super) fn max(&self) -> usize {
        number(self.limits.get().connections).min(self.most)
    }

    /// Takes a permit for a client at an address; `None` for a proxy.
    pub(super) fn acquire(&self, address: Option<ClientAddress>) -> Result<Permit, LimitReached> {
        let (limits, max) = (self.limits.get(), self.max());
        let mut counts = self.counts.lock();
        if counts.held.places.len() >= max {
            if !std::mem::replace(&mut counts.is_logged, true) {
                // operator: all `connections` (`limits.connections`) are in use. Logged once, until
                // they fall below the limit
                tracing::warn!(of = "connections", max, "connection limit reached");
            }
            return Err(LimitReached::Full);
        }
        counts.held.per_address_max = share(&limits, limits.connections_per_address);
        counts.held.check(address)?;
        let number = counts.held.add(address, ());
        Ok(Permit { limits: self.clone(), number })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let (max, mut counts) = (self.limits.max(), self.limits.counts.lock());
        let is_free = counts.held.places.len() + max / FREE_AGAIN_SHARE <= max;
        counts.held.remove(self.number);
        if is_free && std::mem::take(&mut counts.is_logged) {
            // operator: end of `connection limit reached`
            tracing::info!(of = "connections", "connections are below the limit again");
        }
    }
}

/// Places for connections that have not become a WebSocket yet. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Handshakes {
    limits: LimitsInForce,
    max: usize,
    held: Arc<Mutex<HeldPlaces<Arc<HandshakeState>>>>,
}

#[derive(Debug, Default)]
struct HandshakeState {
    answering: AtomicBool,
    dropped: CancellationToken,
}

/// The place of one connection; given back when dropped.
#[derive(Debug)]
pub(super) struct Handshake {
    handshakes: Handshakes,
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

impl Drop for Handshake {
    fn drop(&mut self) {
        self.handshakes.held.lock().remove(self.number);
    }
}

impl Handshakes {
    pub(super) fn new(limits: LimitsInForce, max: usize) -> Self {
        Self { limits, max, held: Arc::new(Mutex::new(HeldPlaces::new(None))) }
    }

    /// Takes a place for a connection from an address; without one, for a stand-in of many. Where
    /// there is none, the oldest silent connection of the network that holds the most makes room.
    pub(super) fn acquire(
        &self,
        address: Option<ClientAddress>,
    ) -> Result<Handshake, LimitReached> {
        let limits = self.limits.get();
        let mut held = self.held.lock();
        // However few there are, one address cannot keep all others out.
        let half = self.max.div_ceil(2);
        let share = share(&limits, limits.handshakes_per_address).map(|share| share.min(half));
        held.per_address_max = share;
        held.check(address)?;
        let made_room = held.places.len() >= self.max;
        if made_room {
            held.drop_silent().ok_or(LimitReached::Full)?;
        }
        let state = Arc::<HandshakeState>::default();
        let number = held.add(address, Arc::clone(&state));
        Ok(Handshake { handshakes: self.clone(), number, state, made_room })
    }

    /// Drops the connection that would make room for another, if there is one.
    pub(super) fn make_room(&self) {
        // Where all are being answered, one of them soon ends by itself.
        let _dropped = self.held.lock().drop_silent();
    }
}

impl HeldPlaces<Arc<HandshakeState>> {
    /// Drops one connection; `None` if all are proxies' or being answered.
    fn drop_silent(&mut self) -> Option<()> {
        let silent = self.places.iter().filter_map(|(number, (address, state))| {
            let is_silent = !state.answering.load(Relaxed);
            address.filter(|_| is_silent).map(|address| (*number, address))
        });
        // Of those with the most the first, so the oldest.
        let (number, _) = silent.rev().max_by_key(|(_, address)| self.of_network(*address))?;
        self.remove(number)?.dropped.cancel();
        Some(())
    }
}

/// A connection as the answers on it see it. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct ConnectionControl {
    streaming: CancellationToken,
    cut: CancellationToken,
}

impl ConnectionControl {
    /// Lifts the deadline of the handshake for a streaming answer. The caller bounds the answer
    /// otherwise.
    pub(super) fn lift_deadline(&self) {
        self.streaming.cancel();
    }

    /// Waits until an answer takes as long as it takes.
    pub(super) async fn deadline_lifted(&self) {
        self.streaming.cancelled().await;
    }

    pub(super) fn abort(&self) {
        self.cut.cancel();
    }

    /// Waits until the connection is to end at once.
    pub(super) async fn aborted(&self) {
        self.cut.cancelled().await;
    }
}

/// Places for downloads, of which each reads the store as fast as its client takes it. Cheap to
/// clone.
#[derive(Debug, Clone)]
pub(super) struct DownloadPlaces(Arc<Mutex<HeldPlaces<OpenDownload>>>);

#[derive(Debug)]
struct OpenDownload {
    begun: Instant,
    sent_bytes: Arc<AtomicU64>,
    connection: ConnectionControl,
}

/// The place of one download; given back when dropped.
#[derive(Debug)]
pub(super) struct DownloadPlace {
    places: DownloadPlaces,
    number: u64,
    sent_bytes: Arc<AtomicU64>,
}

impl DownloadPlaces {
    pub(super) fn new(per_address_max: Option<usize>) -> Self {
        Self(Arc::new(Mutex::new(HeldPlaces::new(per_address_max))))
    }

    /// Takes a place for a client at an address. Where there is none, the slowest download of the
    /// network that holds the most makes room, if it is slow.
    pub(super) fn acquire(
        &self,
        from: ClientAddress,
        connection: &ConnectionControl,
    ) -> Result<DownloadPlace, LimitReached> {
        let mut held = self.0.lock();
        held.check(Some(from))?;
        if held.places.len() >= DOWNLOADS_MAX {
            held.drop_slow(from).ok_or(LimitReached::Full)?;
        }
        let sent_bytes = Arc::<AtomicU64>::default();
        let (begun, connection) = (Instant::now(), connection.clone());
        let download = OpenDownload { begun, sent_bytes: Arc::clone(&sent_bytes), connection };
        let number = held.add(Some(from), download);
        Ok(DownloadPlace { places: self.clone(), number, sent_bytes })
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
        self.places.0.lock().remove(self.number);
    }
}

impl HeldPlaces<OpenDownload> {
    /// Ends one download for a newcomer whose network holds fewer than that download's; `None` if
    /// there is none that is slow.
    fn drop_slow(&mut self, newcomer: ClientAddress) -> Option<()> {
        let own = self.of_network(newcomer);
        let slow = self.places.iter().filter_map(|(number, (address, download))| {
            let crowd = self.of_network((*address)?);
            let bytes_per_s = download.slow_bytes_per_s().filter(|_| crowd > own)?;
            Some((*number, crowd, bytes_per_s))
        });
        let (number, ..) =
            slow.max_by_key(|(_, crowd, bytes_per_s)| (*crowd, u64::MAX - bytes_per_s))?;
        self.remove(number)?.connection.abort();
        Some(())
    }
}

impl OpenDownload {
    /// The rate at which the client takes the file; `None` if it is not slow, or began just now.
    fn slow_bytes_per_s(&self) -> Option<u64> {
        let lasts = self.begun.elapsed();
        if lasts < DOWNLOAD_UNDISTURBED {
            return None;
        }
        let bytes_per_s = self.sent_bytes.load(Relaxed) / lasts.as_secs().max(1);
        (bytes_per_s < DOWNLOAD_SLOW_BYTES_PER_S).then_some(bytes_per_s)
    }
}

const MINUTE: Duration = Duration::from_mins(1);

/// What is counted of each address.
#[derive(Debug)]
pub(super) struct HttpRateLimits {
    limits: LimitsInForce,
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
    pub(super) fn new(limits: &LimitsInForce) -> Self {
        fn per_min(count: u32, share: u32) -> Rate {
            Rate::new(count.saturating_mul(share), MINUTE)
        }
        let of = |rate| rate_of(limits, rate);
        Self {
            limits: limits.clone(),
            // By HTTP an address may ask as often as over one WebSocket.
            reads: AddressLimiter::new(of(|limits, share| {
                let numbers = [limits.messages_burst, limits.messages_per_s];
                let [burst, per_s] = numbers.map(|number| number.saturating_mul(share));
                Rate::burst(burst, per_s)
            })),
            files: AddressLimiter::new(of(|limits, share| {
                per_min(limits.page_files_per_min, share)
            })),
            upgrades: AddressLimiter::new(of(|limits, share| {
                per_min(limits.upgrades_per_min, share)
            })),
            downloads: AddressLimiter::new(|share| per_min(DOWNLOADS_PER_MIN, share)),
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
        if self.limits.get().enforced { limiter.take(from, now_ms) } else { Ok(()) }
    }

    /// Whether an address may begin another encrypted connection.
    pub(super) fn allows_encryption(&self, from: ClientAddress, now_ms: u64) -> bool {
        self.take(&self.encryptions, from, now_ms).is_ok()
    }

    /// The refusal of a reading; `None` lets it pass.
    pub(super) fn check_read(&self, from: ClientAddress, now_ms: u64) -> Option<Response> {
        self.take(&self.reads, from, now_ms).err().map(|RetryAfter(retry_after_ms)| {
            let limits = self.limits.get();
            let (burst, per_s) = (limits.messages_burst, limits.messages_per_s);
            let scope = LimitScope::Connection;
            Denial::RateLimited { scope, burst, per_s, retry_after_ms }.into_response()
        })
    }

    /// Counts what a reading turned out to cost beyond one.
    pub(super) fn charge_read(&self, from: ClientAddress, cost: u64, now_ms: u64) {
        if self.limits.get().enforced {
            self.reads.charge(from, cost, now_ms);
        }
    }

    /// The refusal of a request for a file of the page; `None` lets it pass.
    pub(super) fn check_file(&self, from: ClientAddress, now_ms: u64) -> Option<Response> {
        let limit = ("page_files_per_min", self.limits.get().page_files_per_min);
        self.refusal(&self.files, limit, "files of the page a minute", (from, now_ms))
    }

    /// The refusal of a request for the bytes of a download; `None` lets it pass.
    pub(super) fn check_download(&self, from: ClientAddress, now_ms: u64) -> Option<Response> {
        let limit = ("downloads_per_min", DOWNLOADS_PER_MIN);
        self.refusal(&self.downloads, limit, "downloads a minute", (from, now_ms))
    }

    /// The refusal of an upgrade to a WebSocket; `None` lets it pass.
    pub(super) fn check_upgrade(&self, from: ClientAddress, now_ms: u64) -> Option<Response> {
        let limit = ("upgrades_per_min", self.limits.get().upgrades_per_min);
        self.refusal(&self.upgrades, limit, "new WebSockets a minute", (from, now_ms))
    }

    fn refusal(
        &self,
        limiter: &AddressLimiter,
        (limit, max): (&str, u32),
        what: &str,
        (from, now_ms): (ClientAddress, u64),
    ) -> Option<Response> {
        let RetryAfter(wait_ms) = self.take(limiter, from, now_ms).err()?;
        let message = format!("at most {max} {what} from one address");
        let status = StatusCode::TOO_MANY_REQUESTS;
        Some(over_limit(status, limit, &message, wait_ms.div_ceil(1000)))
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use futures::FutureExt as _;
    use tokio::time::advance;

    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "it is what clients come from")]
    fn from(address: &str) -> Option<ClientAddress> {
        Some(address.parse::<IpAddr>().unwrap().into())
    }

    fn connections(connections: u32, connections_per_address: u32) -> ConnectionLimits {
        let limits = Limits { connections, connections_per_address, ..Limits::default() };
        ConnectionLimits::new((&limits).into(), 2000)
    }

    fn handshakes(max: usize, handshakes_per_address: u32) -> Handshakes {
        let limits = Limits { handshakes_per_address, ..Limits::default() };
        Handshakes::new((&limits).into(), max)
    }

    #[test]
    fn a_limit_that_changes_counts_for_the_connections_that_there_are() {
        let limits = connections(3, 2);
        let ann = from("10.0.0.1");
        let _held: Vec<_> = (0..2).map(|_| limits.acquire(ann).unwrap()).collect();
        let other = Limits { connections: 5000, connections_per_address: 3, ..Limits::default() };
        limits.limits.replace(&other);
        let _third = limits.acquire(ann).unwrap();
        assert_eq!(limits.max(), 2000, "as many as there are descriptors for");
        limits.limits.replace(&Limits { connections: 1, ..other });
        assert_eq!(limits.acquire(from("10.0.0.2")).unwrap_err(), LimitReached::Full);
    }

    #[test]
    fn each_address_and_the_whole_are_capped_and_places_come_back() {
        let limits = connections(3, 2);
        let (ann, bob) = (from("10.0.0.1"), from("10.0.0.2"));
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
        let limits = connections(1000, 2);
        let held: Vec<_> = (0..100)
            .map_while(|subnet| limits.acquire(from(&format!("2001:db8:1:{subnet}::1"))).ok())
            .collect();
        assert_eq!(held.len(), 8);
        assert!(limits.acquire(from("2001:db8:2::1")).is_ok());
        drop(held);
        let counts = limits.counts.lock();
        assert!(counts.held.networks.is_empty() && counts.held.addresses.is_empty());
    }

    #[test]
    fn a_stand_in_for_many_takes_no_address_s_share() {
        let limits = connections(3, 1);
        let _one = limits.acquire(None).unwrap();
        let other = limits.acquire(None).unwrap();
        let _third = limits.acquire(None).unwrap();
        assert_eq!(limits.acquire(None).unwrap_err(), LimitReached::Full);
        drop(other);
        assert!(limits.acquire(None).is_ok());
        assert!(limits.counts.lock().held.addresses.is_empty());
    }

    fn is_dropped(handshake: &Handshake) -> bool {
        handshake.state.dropped.is_cancelled()
    }

    #[test]
    fn the_oldest_silent_one_of_the_fullest_network_makes_room() {
        let handshakes = handshakes(5, 3);
        let cy = handshakes.acquire(from("10.0.0.4")).unwrap();
        let bob = handshakes.acquire(from("10.0.0.2")).unwrap();
        let eve: Vec<_> = (0..3).map(|_| handshakes.acquire(from("10.0.0.1")).unwrap()).collect();
        assert_eq!(handshakes.acquire(from("10.0.0.1")).unwrap_err(), LimitReached::AddressFull);
        eve[0].activity().set_answering(true);
        let ann = handshakes.acquire(from("10.0.0.3")).unwrap();
        assert!(ann.displaced_another() && !bob.displaced_another());
        assert!(is_dropped(&eve[1]));
        assert!([&bob, &cy, &eve[0], &eve[2], &ann].iter().all(|kept| !is_dropped(kept)));
        drop(eve);
        drop((ann, bob, cy));
        let held = handshakes.held.lock();
        assert!(held.places.is_empty() && held.addresses.is_empty() && held.networks.is_empty());
    }

    #[test]
    fn where_all_are_busy_the_newcomer_is_dropped() {
        let handshakes = handshakes(2, 2);
        let _proxy = handshakes.acquire(None).unwrap();
        let busy = handshakes.acquire(from("10.0.0.1")).unwrap();
        busy.activity().set_answering(true);
        assert_eq!(handshakes.acquire(from("10.0.0.2")).unwrap_err(), LimitReached::Full);
        busy.activity().set_answering(false);
        let _newcomer = handshakes.acquire(from("10.0.0.2")).unwrap();
        assert!(is_dropped(&busy));
    }

    fn is_cut(connection: &ConnectionControl) -> bool {
        connection.aborted().now_or_never().is_some()
    }

    #[tokio::test(start_paused = true)]
    async fn the_slowest_download_of_the_fullest_network_makes_room() {
        let places = DownloadPlaces::new(Some(2));
        let begin = |address: &str| {
            let connection = ConnectionControl::default();
            places.acquire(from(address).unwrap(), &connection).map(|place| (place, connection))
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
