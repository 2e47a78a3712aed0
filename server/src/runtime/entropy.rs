//! The source of randomness. No other module draws random numbers from elsewhere, so that a
//! simulation repeats with its seed.

use std::{convert::Infallible, sync::Arc, time::Duration};

use parking_lot::Mutex;
use rand::{RngExt as _, SeedableRng as _, TryCryptoRng, TryRng, rngs::StdRng};

/// The source of randomness. It is itself a generator. Cheap to clone; clones draw from one source.
#[derive(Debug, Clone, Default)]
pub(crate) enum Entropy {
    /// The operating system, by the generator of each thread.
    #[default]
    System,
    Seeded(Arc<Mutex<StdRng>>),
}

impl Entropy {
    /// Returns the source of a simulation.
    pub(crate) fn seeded(seed: u64) -> Self {
        Self::Seeded(Arc::new(Mutex::new(StdRng::seed_from_u64(seed))))
    }

    /// Draws a time of whole milliseconds, at most this long.
    pub(crate) fn within(&mut self, max: Duration) -> Duration {
        let max_ms = u64::try_from(max.as_millis()).unwrap_or(u64::MAX);
        Duration::from_millis(self.random_range(0..=max_ms))
    }

    fn draw<T>(&self, draw: impl FnOnce(&mut dyn rand::Rng) -> T) -> T {
        match self {
            Self::System => draw(&mut rand::rng()),
            Self::Seeded(seeded) => draw(&mut *seeded.lock()),
        }
    }
}

impl TryRng for Entropy {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.draw(|rng| rng.next_u32()))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.draw(|rng| rng.next_u64()))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.draw(|rng| rng.fill_bytes(bytes));
        Ok(())
    }
}

/// Both generators are cryptographic.
impl TryCryptoRng for Entropy {}
