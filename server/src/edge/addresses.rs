//! Who is connected from where: a cap on the whole and on each address.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use dashmap::DashMap;

use crate::{address::ClientAddress, limits::FREE_AGAIN_SHARE};

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
        let shared = Shared { what, taken, max, told, by_address: DashMap::new(), per_address_max };
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
        if let Some(address) = address {
            let mut count = self.shared.by_address.entry(address).or_default();
            if self.shared.per_address_max.is_some_and(|max| *count >= max) {
                self.shared.taken.fetch_sub(1, Ordering::Relaxed);
                return Err(NoPlace::AddressFull);
            }
            *count += 1;
        }
        Ok(Place { shared: Arc::clone(&self.shared), address })
    }
}

impl Shared {
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
        if let Some(mut count) = self.shared.by_address.get_mut(&address) {
            *count -= 1;
        }
        self.shared.by_address.remove_if(&address, |_, count| *count == 0);
    }
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
