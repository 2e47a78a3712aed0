//! Time controls as arithmetic on milliseconds. Nothing here knows what time it is: every `now`
//! comes from the caller. What a fallen flag means for the game is the table's.

use crate::seat::{BySeat, Seat};

/// The shortest thinking time that can be agreed. Below it the network decides, not the players.
pub const THINKING_MS_MIN: u64 = 1_000;

/// The longest thinking time that can be agreed: 30 days, a slow correspondence game.
pub const THINKING_MS_MAX: u64 = 30 * 24 * 60 * 60 * 1_000;

/// The longest increment: one hour a move.
pub const INCREMENT_MS_MAX: u64 = 60 * 60 * 1_000;

/// How much time the players have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TimeControl {
    /// As much as they like.
    None,
    /// A stock of time for the whole game that grows with every move.
    Fischer {
        /// The stock at the start.
        base_ms: u64,
        /// What every move adds to it.
        inc_ms: u64,
    },
    /// The same time for every move; what is left over is lost.
    PerMove {
        /// The time for one move.
        move_ms: u64,
    },
}

/// Why a time control was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{name} must be from {min} to {max} milliseconds")]
pub struct ClockError {
    /// Which value.
    pub name: &'static str,
    /// The least.
    pub min: u64,
    /// The greatest.
    pub max: u64,
}

impl TimeControl {
    /// Checks that every value is within its bounds.
    pub fn check(&self) -> Result<(), ClockError> {
        match *self {
            Self::None => Ok(()),
            Self::Fischer { base_ms, inc_ms } => {
                within("base_ms", base_ms, THINKING_MS_MIN, THINKING_MS_MAX)?;
                within("inc_ms", inc_ms, 0, INCREMENT_MS_MAX)
            }
            Self::PerMove { move_ms } => {
                within("move_ms", move_ms, THINKING_MS_MIN, THINKING_MS_MAX)
            }
        }
    }

    /// Its name on the wire and in records.
    pub const fn mode(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Fischer { .. } => "fischer",
            Self::PerMove { .. } => "per_move",
        }
    }

    /// What a clock shows before the first move, if there are clocks.
    const fn start_ms(&self) -> Option<u64> {
        match *self {
            Self::None => None,
            Self::Fischer { base_ms, .. } => Some(base_ms),
            Self::PerMove { move_ms } => Some(move_ms),
        }
    }
}

const fn within(name: &'static str, value: u64, min: u64, max: u64) -> Result<(), ClockError> {
    if min <= value && value <= max { Ok(()) } else { Err(ClockError { name, min, max }) }
}

/// The clocks of a table. At most one runs, and only while the game is on.
///
/// Without a time control nobody runs out of time, but it is still known since when the seat to
/// move has been thinking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameClock {
    control: TimeControl,
    left_ms: Option<BySeat<u64>>,
    running: Option<(Seat, u64)>,
}

impl GameClock {
    /// Clocks for so many players, none of them running.
    pub fn new(control: TimeControl, players: usize) -> Self {
        let left_ms = control.start_ms().map(|start| BySeat::from_fn(players, |_| start));
        Self { control, left_ms, running: None }
    }

    /// The time control.
    pub const fn control(&self) -> TimeControl {
        self.control
    }

    /// What each clock showed when it was last stopped; absent without a time control.
    pub const fn left_ms(&self) -> Option<&BySeat<u64>> {
        self.left_ms.as_ref()
    }

    /// Who is thinking and since when.
    pub const fn running(&self) -> Option<(Seat, u64)> {
        self.running
    }

    /// When the running clock will have run out: from that very millisecond the flag is down.
    pub fn deadline(&self) -> Option<u64> {
        let (seat, since) = self.running?;
        Some(since.saturating_add(*self.left_ms.as_ref()?.get(seat)?))
    }

    /// What a seat's clock shows at `now`.
    pub fn left_at(&self, seat: Seat, now: u64) -> Option<u64> {
        let left = *self.left_ms.as_ref()?.get(seat)?;
        Some(match self.running {
            Some((running, since)) if running == seat => {
                left.saturating_sub(now.saturating_sub(since))
            }
            Some(_) | None => left,
        })
    }

    /// Lets a seat's clock run from `now` on; whatever ran before is dropped uncharged.
    pub fn start(&mut self, seat: Seat, now: u64) {
        self.running = Some((seat, now));
    }

    /// Stops the running clock and charges what was spent, which is returned.
    pub fn stop(&mut self, now: u64) -> u64 {
        let Some((seat, since)) = self.running.take() else { return 0 };
        let spent = now.saturating_sub(since);
        if let Some(left_ms) = &mut self.left_ms {
            left_ms[seat] = left_ms[seat].saturating_sub(spent);
        }
        spent
    }

    /// Exchanges what two clocks show: time goes with the player who saved it.
    pub fn swap(&mut self, one: Seat, other: Seat) {
        if let Some(left_ms) = &mut self.left_ms {
            left_ms.swap(one, other);
        }
    }

    /// Stops the running clock after a move and gives its seat what the time control grants for
    /// it. Returns what was spent.
    pub fn press(&mut self, now: u64) -> u64 {
        let mover = self.running.map(|(seat, _)| seat);
        let spent = self.stop(now);
        if let (Some(seat), Some(left_ms)) = (mover, &mut self.left_ms) {
            match self.control {
                TimeControl::None => {}
                TimeControl::Fischer { inc_ms, .. } => {
                    left_ms[seat] = left_ms[seat].saturating_add(inc_ms);
                }
                TimeControl::PerMove { move_ms } => left_ms[seat] = move_ms,
            }
        }
        spent
    }
}
