//! What a quiet position of Diam is judged by. What each count is worth is in `weights`.

use super::position::{Diam, height, owner, piece};
use crate::search::native::Native as _;

/// How many counts there are.
pub(super) const FEATURES: usize = 15;

/// The turn itself.
const TURN: usize = 0;
/// Pieces on the ground.
const GROUND: usize = 1;
/// Stacks of several pieces that rest on one of the seat, which can carry them.
const BASE: usize = 2;
/// Stacks of several pieces with one of the seat on top.
const TOP: usize = 3;
/// Raised pieces opposite to another one on the same level.
const BLOCKED: usize = 4;
/// Raised pieces that one piece could oppose, of which none is in reserve.
const READY: usize = 5;
/// Raised pieces of a colour in reserve that two pieces on the opposite stack oppose: on the
/// second level, on the third, and above.
const NEAR: usize = 6;
/// The same of a colour that is not in reserve.
const NEAR_WITHOUT: usize = 9;
/// Raised pieces of a colour in reserve that three pieces oppose.
const FAR: usize = 10;
/// Raised pieces further away from that, or of a colour that is not in reserve.
const FARTHER: usize = 11;
/// Pieces in reserve.
const RESERVE: usize = 12;
/// Pieces that can be carried, by way.
const ROOM: usize = 13;
/// Pieces of [`NEAR`] that rest on one of the opponent, which can carry them away.
const LOOSE: usize = 14;

/// The counts of a position, those of the other seat taken off those of the seat to move.
pub(super) fn features(position: &Diam) -> [i32; FEATURES] {
    let mut counts = [[0; FEATURES]; 2];
    for sector in 0..position.sectors() {
        count_stack(position, sector, &mut counts);
    }
    for (seat, counts) in counts.iter_mut().enumerate() {
        counts[RESERVE] = position.reserve_of(seat).into();
    }
    let me = position.to_move();
    let mut lead = [0; FEATURES];
    for (index, lead) in lead.iter_mut().enumerate() {
        *lead = counts[me][index] - counts[1 - me][index];
    }
    lead[TURN] = 1;
    lead
}

fn count_stack(position: &Diam, sector: usize, counts: &mut [[i32; FEATURES]; 2]) {
    let (stack, opposite) = (position.stack(sector), position.opposite(sector));
    let (high, facing) = (height(stack), height(opposite));
    if high == 0 {
        return;
    }
    let base = owner(piece(stack, 0));
    counts[base][GROUND] += 1;
    if high > 1 {
        counts[base][BASE] += 1;
        counts[owner(piece(stack, high - 1))][TOP] += 1;
    }
    let room = position.room_beside(sector);
    let mut rests_on = [false; 2];
    for level in 0..high {
        let number = piece(stack, level);
        let seat = owner(number);
        let fits = room.iter().filter(|&&room| high - level <= room).count();
        counts[seat][ROOM] += if fits == 0 {
            0
        } else if fits == 1 {
            1
        } else {
            2
        };
        rests_on[seat] = true;
        if level == 0 {
            continue;
        }
        let is_stocked = position.in_reserve(number) > 0;
        let feature = if level < facing {
            BLOCKED
        } else {
            match (level - facing, is_stocked) {
                // What could be opposed at once is a threat, which a quiet position has not.
                (0, true) => continue,
                (0, false) => READY,
                (1, true) => {
                    counts[seat][LOOSE] += i32::from(rests_on[1 - seat]);
                    NEAR + if level == 1 {
                        0
                    } else if level == 2 {
                        1
                    } else {
                        2
                    }
                }
                (1, false) => NEAR_WITHOUT,
                (2, true) => FAR,
                _ => FARTHER,
            }
        };
        counts[seat][feature] += 1;
    }
}
