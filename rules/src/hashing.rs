//! Numbers: packed and mixed for the hashes of positions, drawn by chance, and spread evenly.

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

/// Gives a number below the one that it is asked with.
pub(crate) type Pick<'a> = &'a mut dyn FnMut(usize) -> usize;

/// Brings some of the items to the front, any of them in any order.
pub(crate) fn draw<T>(items: &mut [T], count: usize, pick: Pick<'_>) {
    for index in 0..count.min(items.len()) {
        items.swap(index, index + pick(items.len() - index));
    }
}

/// Returns at most `max` of the items: all in their order if they fit.
pub(crate) fn some<T>(mut items: Vec<T>, max: usize, pick: Pick<'_>) -> Vec<T> {
    if items.len() > max {
        draw(&mut items, max, pick);
        items.truncate(max);
    }
    items
}

/// `number * times / of`, rounded down, where the result fits even if the product does not.
pub(crate) const fn portion(number: u128, times: u128, of: u128) -> u128 {
    number / of * times + number % of * times / of
}

/// Places below `total`, one in each of `count` even stretches, so that they are ascending and
/// different. `count` is no greater than `total`; the same seed gives the same places.
pub(crate) fn spread(total: u128, count: usize, seed: u64) -> impl Iterator<Item = u128> {
    let border = move |number: usize| portion(total, number as u128, count as u128);
    (0..count).map(move |number| {
        let (first, behind) = (border(number), border(number + 1));
        let chance = mix(seed ^ mix(number as u64));
        let chance = u128::from(chance) << 64 | u128::from(mix(chance));
        first + chance % (behind - first)
    })
}

/// Shares out room among groups of such sizes: as much for each, but none has more than its size.
/// Where there is less room than there are groups, an even spread of them has one each.
pub(crate) fn fair_shares(mut room: usize, sizes: impl Iterator<Item = u128>) -> Vec<usize> {
    let sizes: Vec<_> = sizes.map(|size| usize::try_from(size).unwrap_or(usize::MAX)).collect();
    let mut shares = vec![0; sizes.len()];
    loop {
        let open: Vec<_> = (0..sizes.len()).filter(|&group| shares[group] < sizes[group]).collect();
        let each = room.checked_div(open.len()).unwrap_or(0);
        if each == 0 {
            let last = if open.is_empty() { 0 } else { room };
            for number in 0..last {
                shares[open[number * open.len() / last]] += 1;
            }
            return shares;
        }
        for group in open {
            let more = each.min(sizes[group] - shares[group]);
            shares[group] += more;
            room -= more;
        }
    }
}
