//! Who is connected from where: a cap on the whole, on each address and on each network.

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

/// Counts places, of which each address may hold so many and all together so many. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Places {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// Places for what, for the log.
    what: &'static str,
    taken: AtomicUsize,
    max: usize,
    /// Whether the log says that there are none left.
    told: AtomicBool,
    by_address: DashMap<ClientAddress, usize>,
    /// Only networks that are more than one address.
    by_network: DashMap<ClientNetwork, usize>,
    /// `None` where addresses are not capped.
    per_address_max: Option<usize>,
}

/// A place; given back when dropped.
#[derive(Debug)]
pub(super) struct Place {
    shared: Arc<Shared>,
    /// `None` for one that counts for no address.
    address: Option<ClientAddress>,
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// All are taken.
    Full,
    /// This address has its share.
    AddressFull,
}

impl Places {
    pub(super) fn new(what: &'static str, max: usize, per_address_max: Option<usize>) -> Self {
        let (taken, told) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (by_address, by_network) = (DashMap::new(), DashMap::new());
        let shared = Shared { what, taken, max, told, by_address, by_network, per_address_max };
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

    /// Takes a place for somebody at an address; without one, for a stand-in of many.
    pub(super) fn enter(&self, address: Option<ClientAddress>) -> Result<Place, NoPlace> {
        if self.shared.taken.fetch_add(1, Ordering::Relaxed) >= self.shared.max {
            self.shared.taken.fetch_sub(1, Ordering::Relaxed);
            if !self.shared.told.swap(true, Ordering::Relaxed) {
                let Shared { what, max, .. } = &*self.shared;
                tracing::warn!(max, "there is no place for further {what}");
            }
            return Err(NoPlace::Full);
        }
        if address.is_some_and(|address| !self.shared.count(address)) {
            self.shared.taken.fetch_sub(1, Ordering::Relaxed);
            return Err(NoPlace::AddressFull);
        }
        Ok(Place { shared: Arc::clone(&self.shared), address })
    }
}

impl Shared {
    /// Counts a place for an address and its network, unless either has its share.
    fn count(&self, address: ClientAddress) -> bool {
        let shares = self.per_address_max.map(|max| max.saturating_mul(NETWORK_SHARE as usize));
        if !count_one(&self.by_address, address, self.per_address_max) {
            return false;
        }
        let network = address.wider_network();
        if network.is_some_and(|network| !count_one(&self.by_network, network, shares)) {
            forget_one(&self.by_address, &address);
            return false;
        }
        true
    }

    fn give_back(&self) {
        let left = self.taken.fetch_sub(1, Ordering::Relaxed) - 1;
        let is_free = left + 1 + self.max / FREE_AGAIN_SHARE <= self.max;
        if is_free && self.told.load(Ordering::Relaxed) && self.told.swap(false, Ordering::Relaxed)
        {
            tracing::info!("there are places for {} again", self.what);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.shared.give_back();
        let Some(address) = self.address else { return };
        forget_one(&self.shared.by_address, &address);
        if let Some(network) = address.wider_network() {
            forget_one(&self.shared.by_network, &network);
        }
    }
}

fn count_one<K: Eq + Hash>(counts: &DashMap<K, usize>, key: K, max: Option<usize>) -> bool {
    let mut count = counts.entry(key).or_default();
    let is_free = max.is_none_or(|max| *count < max);
    *count += usize::from(is_free);
    is_free
}

fn forget_one<K: Eq + Hash>(counts: &DashMap<K, usize>, key: &K) {
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
        let places = Places::new("connections", 3, Some(2));
        let (ann, bob) = (Some(from("10.0.0.1")), Some(from("10.0.0.2")));
        let first = places.enter(ann).unwrap();
        let _second = places.enter(ann).unwrap();
        assert_eq!(places.enter(ann).unwrap_err(), NoPlace::AddressFull);
        let _third = places.enter(bob).unwrap();
        assert_eq!(places.enter(bob).unwrap_err(), NoPlace::Full);
        drop(first);
        let _again = places.enter(ann).unwrap();
    }

    #[test]
    fn a_customer_of_ipv6_has_some_shares_and_no_more() {
        let places = Places::new("connections", 1000, Some(2));
        let held: Vec<_> = (0..100)
            .map_while(|subnet| places.enter(Some(from(&format!("2001:db8:1:{subnet}::1")))).ok())
            .collect();
        assert_eq!(held.len(), 8);
        assert!(places.enter(Some(from("2001:db8:2::1"))).is_ok());
        drop(held);
        assert!(places.shared.by_network.is_empty() && places.shared.by_address.is_empty());
    }

    #[test]
    fn a_stand_in_for_many_takes_no_address_s_share() {
        let places = Places::new("connections", 3, Some(1));
        let _one = places.enter(None).unwrap();
        let other = places.enter(None).unwrap();
        let _third = places.enter(None).unwrap();
        assert_eq!(places.enter(None).unwrap_err(), NoPlace::Full);
        drop(other);
        assert!(places.enter(None).is_ok());
        assert!(places.shared.by_address.is_empty());
    }
}
