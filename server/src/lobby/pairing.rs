//! Who sits where. Pure: chance comes in as an argument.

use adamant_protocol::from_client::SeatWish;
use rand::{Rng, seq::SliceRandom as _};

/// Seats the seeker, who comes first in `joined`, as wished, and the others by lot.
pub(super) fn seat_by_wish<T>(mut joined: Vec<T>, wish: SeatWish, rng: &mut impl Rng) -> Vec<T> {
    match wish {
        SeatWish::Random => joined.shuffle(rng),
        SeatWish::Seat(seat) => {
            if let Some((_, others)) = joined.split_first_mut() {
                others.shuffle(rng);
            }
            let seat = usize::from(seat).min(joined.len().saturating_sub(1));
            joined[..=seat].rotate_left(1);
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{SeedableRng as _, rngs::SmallRng};

    #[test]
    fn a_wish_is_granted_and_nobody_is_lost() {
        let mut rng = SmallRng::seed_from_u64(7);
        for seat in 0..3 {
            let seated = seat_by_wish(vec!["ann", "bob", "cy"], SeatWish::Seat(seat), &mut rng);
            assert_eq!(seated[usize::from(seat)], "ann");
            let mut all = seated.clone();
            all.sort_unstable();
            assert_eq!(all, ["ann", "bob", "cy"]);
        }
    }

    #[test]
    fn chance_reaches_every_seating() {
        let mut rng = SmallRng::seed_from_u64(7);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            seen.insert(seat_by_wish(vec![0, 1, 2], SeatWish::Random, &mut rng));
        }
        assert_eq!(seen.len(), 6);
    }
}
