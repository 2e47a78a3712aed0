//! Time controls as arithmetic on milliseconds. Nothing here knows what time it is: every `now`
//! comes from the caller. What a fallen flag means for the game is the table's.

use crate::seat::{BySeat, Seat};

/// The shortest thinking time that can be agreed. Below it the network decides, not the players.
pub const THINKING_MS_MIN: u64 = 1_000;

/// The longest thinking time that can be agreed: 30 days, a slow correspondence game.
pub const THINKING_MS_MAX: u64 = 30 * 24 * 60 * 60 * 1_000;

/// The longest increment: one hour a move.
pub const INCREMENT_MS_MAX: u64 = 60 * 60 * 1_000;

/// The longest period of overtime: what is longer is a time for one move.
pub const PERIOD_MS_MAX: u64 = 60 * 60 * 1_000;

/// The most periods of overtime.
pub const PERIODS_MAX: u32 = 99;

/// The most days for one move.
pub const DAYS_MAX: u32 = 30;

/// How much of one move's time may be laid at the door of the network: half a second covers the way
/// to the other side of the world and back, twice over.
pub const LAG_PER_MOVE_MS_MAX: u64 = 500;

/// How much of one seat's time in a whole game may be. Sixty of the worst moves use it up; without
/// it a player who delays the server's pings would gain time with every move.
pub const LAG_PER_GAME_MS_MAX: u64 = 30_000;

/// How long a side may let its first move wait before the game is called off as one that it did not
/// come to.
pub const NO_SHOW_MS: u64 = 90_000;

/// A day in milliseconds.
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// How much time the players have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
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
    /// A main time and periods after it. A period is restored if a move is made within it.
    Byoyomi {
        /// The main time; with none the first period begins at once.
        base_ms: u64,
        /// How many periods follow.
        periods: u32,
        /// The length of one.
        period_ms: u64,
    },
    /// A number of days for every move.
    Days {
        /// How many.
        per_move_days: u32,
    },
}

/// Why a time control was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{name} must be from {min} to {max}")]
pub struct ClockError {
    /// Which value; its unit stands in its name.
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
            Self::Byoyomi { base_ms, periods, period_ms } => {
                within("base_ms", base_ms, 0, THINKING_MS_MAX)?;
                within("periods", u64::from(periods), 1, u64::from(PERIODS_MAX))?;
                within("period_ms", period_ms, THINKING_MS_MIN, PERIOD_MS_MAX)
            }
            Self::Days { per_move_days } => {
                within("per_move_days", u64::from(per_move_days), 1, u64::from(DAYS_MAX))
            }
        }
    }

    /// Its name on the wire and in records.
    pub const fn mode(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Fischer { .. } => "fischer",
            Self::PerMove { .. } => "per_move",
            Self::Byoyomi { .. } => "byoyomi",
            Self::Days { .. } => "days",
        }
    }

    /// The time in milliseconds that a side has for its first move before it is a no-show; `None`
    /// without a clock. With days for a move, a side may come at any time in them.
    pub fn first_move_ms(&self) -> Option<u64> {
        match *self {
            Self::None => None,
            Self::Days { .. } => self.start_ms(),
            Self::Fischer { .. } | Self::PerMove { .. } | Self::Byoyomi { .. } => Some(NO_SHOW_MS),
        }
    }

    /// Returns what to show for a clock with `left_ms` left: the time until its flag falls, or
    /// until its next period begins, and how many periods stand behind that. Only byoyomi has any.
    pub fn shown(&self, left_ms: u64) -> (u64, u32) {
        let Self::Byoyomi { periods, period_ms, .. } = *self else { return (left_ms, 0) };
        let begun = left_ms.div_ceil(period_ms.max(1));
        let behind = u32::try_from(begun.saturating_sub(1)).unwrap_or(periods).min(periods);
        (left_ms - u64::from(behind) * period_ms, behind)
    }

    /// What a clock shows before the first move, if there are clocks.
    fn start_ms(&self) -> Option<u64> {
        match *self {
            Self::None => None,
            Self::Fischer { base_ms, .. } => Some(base_ms),
            Self::PerMove { move_ms } => Some(move_ms),
            Self::Byoyomi { base_ms, periods, period_ms } => {
                Some(base_ms + u64::from(periods) * period_ms)
            }
            Self::Days { per_move_days } => Some(u64::from(per_move_days) * DAY_MS),
        }
    }

    /// What a clock shows after a move that left so much on it.
    fn after_move(&self, left_ms: u64) -> u64 {
        match *self {
            Self::None => left_ms,
            Self::Fischer { inc_ms, .. } => left_ms.saturating_add(inc_ms),
            Self::PerMove { move_ms } => move_ms,
            Self::Byoyomi { periods, period_ms, .. } => {
                if left_ms < u64::from(periods) * period_ms {
                    // The main time is used up: the period that the move was made in is given back.
                    left_ms.next_multiple_of(period_ms)
                } else {
                    left_ms
                }
            }
            Self::Days { per_move_days } => u64::from(per_move_days) * DAY_MS,
        }
    }
}

const fn within(name: &'static str, value: u64, min: u64, max: u64) -> Result<(), ClockError> {
    if min <= value && value <= max { Ok(()) } else { Err(ClockError { name, min, max }) }
}

/// What a move cost its player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Charge {
    /// The time between the turn's beginning and the move's arrival.
    pub spent_ms: u64,
    /// How much of that was not charged because the network took it.
    pub lag_ms: u64,
}

/// The clocks of a table. At most one runs, and only while the game is on.
///
/// Without a time control no seat runs out of time, but it is still known since when the seat to
/// move has been thinking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameClock {
    control: TimeControl,
    left_ms: Option<BySeat<u64>>,
    /// What each seat has been granted for lag so far.
    lag_ms: BySeat<u32>,
    running: Option<(Seat, u64)>,
}

impl GameClock {
    /// Returns stopped clocks for `players` seats.
    pub fn new(control: TimeControl, players: usize) -> Self {
        let left_ms = control.start_ms().map(|start| BySeat::from_fn(players, |_| start));
        let lag_ms = BySeat::from_fn(players, |_| 0);
        Self { control, left_ms, lag_ms, running: None }
    }

    /// The time control.
    pub const fn control(&self) -> TimeControl {
        self.control
    }

    /// What each clock showed when it was last stopped; absent without a time control.
    pub const fn left_ms(&self) -> Option<&BySeat<u64>> {
        self.left_ms.as_ref()
    }

    /// Returns the seat whose clock runs, and the start of its turn.
    pub const fn running(&self) -> Option<(Seat, u64)> {
        self.running
    }

    /// When the running clock will have run out: from that very millisecond the flag is down.
    pub fn deadline(&self) -> Option<u64> {
        let (seat, since) = self.running?;
        Some(since.saturating_add(*self.left_ms.as_ref()?.get(seat)?))
    }

    /// Whether the running clock's flag is down at `now`.
    pub fn is_fallen(&self, now: u64) -> bool {
        self.deadline().is_some_and(|deadline| deadline <= now)
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

    /// Stops the running clock and charges what was spent.
    pub fn stop(&mut self, now: u64) {
        self.charge(now, 0);
    }

    /// Stops the running clock after a move, charges what was spent but for the lag that is
    /// granted, and gives its seat what the time control grants for a move.
    pub fn press(&mut self, now: u64, measured_lag_ms: u64) -> Charge {
        let mover = self.running.map(|(seat, _)| seat);
        let charge = self.charge(now, measured_lag_ms);
        if let (Some(seat), Some(left_ms)) = (mover, &mut self.left_ms) {
            left_ms[seat] = self.control.after_move(left_ms[seat]);
        }
        charge
    }

    /// Moves the beginning of the turn later, as if the time between had not been.
    pub fn credit(&mut self, by_ms: u64) {
        if let Some((_, since)) = &mut self.running {
            *since = since.saturating_add(by_ms);
        }
    }

    /// Gives a seat what its clock showed at the start.
    pub fn renew(&mut self, seat: Seat) {
        if let (Some(start), Some(left_ms)) = (self.control.start_ms(), &mut self.left_ms) {
            left_ms[seat] = start;
        }
    }

    /// Exchanges what two clocks show: time goes with the player who saved it.
    pub fn swap(&mut self, one: Seat, other: Seat) {
        if let Some(left_ms) = &mut self.left_ms {
            left_ms.swap(one, other);
        }
        self.lag_ms.swap(one, other);
    }

    /// Sets what each clock shows back to what it showed before. What was granted for lag since
    /// stays granted: else it could be had twice.
    pub fn restore(&mut self, left_ms: BySeat<u64>) {
        if self.left_ms.is_some() {
            self.left_ms = Some(left_ms);
        }
    }

    fn charge(&mut self, now: u64, measured_lag_ms: u64) -> Charge {
        let Some((seat, since)) = self.running else { return Charge { spent_ms: 0, lag_ms: 0 } };
        let spent_ms = now.saturating_sub(since);
        let lag_ms = self.grant(seat, spent_ms, measured_lag_ms, self.is_fallen(now));
        self.running = None;
        if let Some(left_ms) = &mut self.left_ms {
            left_ms[seat] = left_ms[seat].saturating_sub(spent_ms - lag_ms);
            let granted = u64::from(self.lag_ms[seat]) + lag_ms;
            self.lag_ms[seat] = u32::try_from(granted).expect("at most LAG_PER_GAME_MS_MAX");
        }
        Charge { spent_ms, lag_ms }
    }

    /// How much of what was measured is not charged. A flag that is down stays down.
    fn grant(&self, seat: Seat, spent_ms: u64, measured_ms: u64, fallen: bool) -> u64 {
        if fallen || self.left_ms.is_none() {
            return 0;
        }
        let left_in_game = LAG_PER_GAME_MS_MAX - u64::from(self.lag_ms[seat]);
        measured_ms.min(LAG_PER_MOVE_MS_MAX).min(left_in_game).min(spent_ms)
    }
}
