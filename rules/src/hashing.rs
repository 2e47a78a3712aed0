//! Hashing of positions: packing small numbers and mixing bits.

/// Spreads a number over all 64 bits: the finaliser of `SplitMix64`.
pub(crate) const fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Numbers as one that no others of as many make: eight bits for each, as many as are left for the
/// first.
pub(crate) fn join(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers.into_iter().fold(0, |joined, number| joined << 8 | number)
}
