//! Limits on connections: in all, by address and by network.

use std::{
    hash::Hash,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use dashmap::DashMap;

use crate::{
    address::{ClientAddress, ClientNetwork},
    limits::{FREE_AGAIN_SHARE, NETWORK_SHARE},
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

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

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
}
