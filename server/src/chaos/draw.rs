//! Numbers that a seed decides. A number depends on what it is for, never on what was drawn before,
//! so that faults do not depend on the order in which tasks run.

/// The seed of everything below one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Draw(u64);

impl Draw {
    /// Begins with a seed.
    pub(super) const fn seeded(seed: u64) -> Self {
        Self(mix(seed ^ 0x5ad0_1f2b_93c7_4e61))
    }

    /// Returns the draw for one purpose.
    pub(super) fn of(self, purpose: &str) -> Self {
        purpose.bytes().fold(self, |draw, byte| draw.at(u64::from(byte)))
    }

    /// Returns the draw for one number of a series.
    pub(super) const fn at(self, number: u64) -> Self {
        Self(mix(self.0 ^ mix(number.wrapping_add(1))))
    }

    /// Returns a number below a bound, which is not 0.
    pub(super) const fn below(self, bound: u64) -> u64 {
        self.0 % bound
    }

    /// Returns an element of a list, which is not empty.
    pub(super) fn pick<T: Clone>(self, list: &[T]) -> T {
        let length = u64::try_from(list.len()).unwrap_or(u64::MAX);
        list[usize::try_from(self.below(length)).unwrap_or_default()].clone()
    }

    /// Returns whether something happens that happens so often in a hundred times.
    pub(super) const fn chance(self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// The finalizer of `SplitMix64`.
const fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_decides_each_number_and_other_seeds_decide_others() {
        let series = |seed| -> Vec<u64> {
            let draw = Draw::seeded(seed).of("frames");
            (0..64).map(|number| draw.at(number).below(1_000)).collect()
        };
        assert_eq!(series(7), series(7));
        assert_ne!(series(7), series(8));
        let hits = (0..10_000).filter(|&n| Draw::seeded(1).at(n).chance(25)).count();
        assert!((2_200..2_800).contains(&hits), "{hits}");
    }
}
