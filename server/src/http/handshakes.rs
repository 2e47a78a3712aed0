//! Connections that have not become a WebSocket yet: how many of them an address and a network may
//! hold, and which of them makes room when there is none.

use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

use super::connection_limits::LimitReached;
use crate::{
    address::{ClientAddress, ClientNetwork},
    limits::NETWORK_SHARE,
};

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

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

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
}
