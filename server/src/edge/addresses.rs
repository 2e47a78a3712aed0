//! Who is connected from where: a cap on the whole and on each address.

use std::{
    net::{IpAddr, Ipv6Addr},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use dashmap::DashMap;

use crate::config::Limits;

/// Counts connections. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Addresses {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    open: AtomicUsize,
    open_max: usize,
    by_address: DashMap<IpAddr, usize>,
    /// `None` where caps are not enforced.
    per_address_max: Option<usize>,
}

/// A connection's place; given back when dropped.
#[derive(Debug)]
pub(super) struct Place {
    shared: Arc<Shared>,
    address: IpAddr,
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPlace {
    /// The server holds as many connections as it may.
    Full,
    /// This address does.
    AddressFull,
}

impl Addresses {
    pub(super) fn new(limits: &Limits) -> Self {
        let number = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        let shared = Shared {
            open: AtomicUsize::new(0),
            open_max: number(limits.connections),
            by_address: DashMap::new(),
            per_address_max: limits.enforced.then(|| number(limits.connections_per_address)),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Takes a place for a connection.
    pub(super) fn enter(&self, address: IpAddr) -> Result<Place, NoPlace> {
        let address = counted_as(address);
        if self.shared.open.fetch_add(1, Ordering::Relaxed) >= self.shared.open_max {
            self.shared.open.fetch_sub(1, Ordering::Relaxed);
            return Err(NoPlace::Full);
        }
        let mut count = self.shared.by_address.entry(address).or_default();
        if self.shared.per_address_max.is_some_and(|max| *count >= max) {
            self.shared.open.fetch_sub(1, Ordering::Relaxed);
            return Err(NoPlace::AddressFull);
        }
        *count += 1;
        drop(count);
        Ok(Place { shared: Arc::clone(&self.shared), address })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.shared.open.fetch_sub(1, Ordering::Relaxed);
        if let Some(mut count) = self.shared.by_address.get_mut(&self.address) {
            *count -= 1;
        }
        self.shared.by_address.remove_if(&self.address, |_, count| *count == 0);
    }
}

/// The address that a cap counts: of IPv6 the /64, which is what one customer has.
fn counted_as(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => {
            let prefix = v6.to_bits() & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from_bits(prefix))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(connections: u32, per_address: u32) -> Addresses {
        Addresses::new(&Limits {
            connections,
            connections_per_address: per_address,
            ..Limits::default()
        })
    }

    #[test]
    fn each_address_and_the_whole_are_capped_and_places_come_back() {
        let addresses = addresses(3, 2);
        let ann: IpAddr = "10.0.0.1".parse().unwrap();
        let bob: IpAddr = "10.0.0.2".parse().unwrap();
        let first = addresses.enter(ann).unwrap();
        let _second = addresses.enter(ann).unwrap();
        assert_eq!(addresses.enter(ann).unwrap_err(), NoPlace::AddressFull);
        let _third = addresses.enter(bob).unwrap();
        assert_eq!(addresses.enter(bob).unwrap_err(), NoPlace::Full);
        drop(first);
        let _again = addresses.enter(ann).unwrap();
    }

    #[test]
    fn one_customer_of_ipv6_is_one_address() {
        let addresses = addresses(10, 1);
        let _one = addresses.enter("2001:db8::1".parse().unwrap()).unwrap();
        assert!(addresses.enter("2001:db8::2".parse().unwrap()).is_err());
        assert!(addresses.enter("2001:db8:0:1::1".parse().unwrap()).is_ok());
        let _v4 = addresses.enter("::ffff:10.0.0.1".parse().unwrap()).unwrap();
        assert!(addresses.enter("10.0.0.1".parse().unwrap()).is_err());
    }
}
