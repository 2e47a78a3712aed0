//! Assigns seats. Pure: randomness is an argument.

use adamant_protocol::from_client::SeatWish;
use rand::{Rng, seq::SliceRandom as _};

use crate::error::Denial;

/// Rejects a wish for a seat that a game of this number of players does not have.
pub(super) fn check_wish(wish: SeatWish, players: usize) -> Result<(), Denial> {
    match wish {
        SeatWish::Seat(seat) if usize::from(seat) >= players => {
            let message = format!("seats are numbered from 0 to {}", players - 1);
            Err(Denial::BadMessage(message))
        }
        SeatWish::Seat(_) | SeatWish::Random | SeatWish::Unknown(_) => Ok(()),
    }
}

/// Whether everybody can sit as they wish: no seat is wished for twice.
pub(super) fn wishes_agree(wishes: impl IntoIterator<Item = SeatWish>) -> bool {
    let mut taken = Vec::new();
    wishes.into_iter().all(|wish| match wish {
        SeatWish::Random | SeatWish::Unknown(_) => true,
        SeatWish::Seat(seat) => {
            let free = !taken.contains(&seat);
            taken.push(seat);
            free
        }
    })
}

/// Seats everybody as they wish, and those without a wish by lot. Wishes must agree.
pub(super) fn seat_by_wish<T>(joined: Vec<(T, SeatWish)>, rng: &mut impl Rng) -> Vec<T> {
    let mut seats: Vec<Option<T>> = joined.iter().map(|_| None).collect();
    let mut others = Vec::new();
    for (player, wish) in joined {
        match wish {
            SeatWish::Seat(seat) if seats.get(usize::from(seat)).is_some_and(Option::is_none) => {
                seats[usize::from(seat)] = Some(player);
            }
            SeatWish::Seat(_) | SeatWish::Random | SeatWish::Unknown(_) => others.push(player),
        }
    }
    others.shuffle(rng);
    seats.into_iter().filter_map(|seat| seat.or_else(|| others.pop())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{SeedableRng as _, rngs::SmallRng};

    const ANY: SeatWish = SeatWish::Random;

    #[test]
    fn wishes_are_granted_and_every_player_has_a_seat() {
        let mut rng = SmallRng::seed_from_u64(7);
        for (first, second) in [(0, 1), (1, 0), (2, 1), (0, 2)] {
            let joined =
                vec![("ann", SeatWish::Seat(first)), ("bob", ANY), ("cy", SeatWish::Seat(second))];
            let seated = seat_by_wish(joined, &mut rng);
            assert_eq!(seated[usize::from(first)], "ann");
            assert_eq!(seated[usize::from(second)], "cy");
            assert!(seated.contains(&"bob") && seated.len() == 3);
        }
    }

    #[test]
    fn chance_reaches_every_seating() {
        let mut rng = SmallRng::seed_from_u64(7);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            seen.insert(seat_by_wish(vec![(0, ANY), (1, ANY), (2, ANY)], &mut rng));
        }
        assert_eq!(seen.len(), 6);
    }

    #[test]
    fn one_seat_cannot_be_wished_for_twice() {
        assert!(wishes_agree([SeatWish::Seat(0), ANY, SeatWish::Seat(1)]));
        assert!(!wishes_agree([SeatWish::Seat(1), SeatWish::Seat(1)]));
    }
}
