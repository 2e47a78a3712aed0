//! The network between simulated nodes: it loses, doubles, delays and so reorders events.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use adamant_server::simulation::Network;
use bytes::Bytes;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

/// The network, and what may go wrong with it.
#[derive(Debug)]
pub(super) struct SimNetwork {
    chance: Mutex<StdRng>,
    /// How many events of a thousand are lost.
    lost: u32,
    /// How many events of a thousand come twice.
    doubled: u32,
    slowest_ms: u64,
    /// How many announced records of a thousand are lost or damaged, and with them those before.
    spoilt: u32,
    /// Whether anything may go wrong now.
    is_unreliable: AtomicBool,
}

impl SimNetwork {
    pub(super) fn new(seed: u64) -> Self {
        let mut own = StdRng::seed_from_u64(seed);
        Self {
            lost: [0, 10, 100, 500][own.random_range(0..4)],
            doubled: [0, 100][own.random_range(0..2)],
            slowest_ms: [0, 5, 50, 400][own.random_range(0..4)],
            spoilt: [0, 50, 500][own.random_range(0..3)],
            is_unreliable: AtomicBool::new(true),
            chance: Mutex::new(own),
        }
    }

    /// Sets whether anything may go wrong from now on.
    pub(super) fn set_unreliable(&self, is_unreliable: bool) {
        self.is_unreliable.store(is_unreliable, Ordering::Relaxed);
    }
}

impl Network for SimNetwork {
    fn deliveries(&self) -> Vec<Duration> {
        if !self.is_unreliable.load(Ordering::Relaxed) {
            return vec![Duration::ZERO];
        }
        let chance = &mut *self.chance.lock().unwrap();
        let copies = match chance.random_range(0..1_000) {
            lot if lot < self.lost => 0,
            lot if lot < self.lost + self.doubled => 2,
            _ => 1,
        };
        let mut delay = || Duration::from_millis(chance.random_range(0..=self.slowest_ms));
        (0..copies).map(|_| delay()).collect()
    }

    fn records(&self, mut records: Vec<Bytes>) -> Vec<Bytes> {
        if !self.is_unreliable.load(Ordering::Relaxed) {
            return records;
        }
        let chance = &mut *self.chance.lock().unwrap();
        for place in (0..records.len()).rev() {
            if chance.random_range(0..1_000) >= self.spoilt {
                continue;
            }
            if chance.random_bool(0.5) {
                // The last records are announced, so that the first ones can be missing.
                records.drain(..=place);
                break;
            }
            let mut damaged = records[place].to_vec();
            let at = chance.random_range(0..damaged.len());
            damaged[at] ^= 1;
            records[place] = damaged.into();
        }
        records
    }

    fn gap(&self) -> Option<Duration> {
        let chance = &mut *self.chance.lock().unwrap();
        chance.random_bool(0.5).then(|| Duration::from_millis(chance.random_range(0..2_000)))
    }
}
