//! How often a user may ask for a game, over all of the user's sessions.

use std::time::Duration;

use adamant_protocol::UserName;

use crate::{
    config::Limits,
    limits::RATE_KEYS_MAX,
    rate_limiter::{Rate, RateLimiter},
};

const MINUTE: Duration = Duration::from_mins(1);

/// Counts by user.
#[derive(Debug)]
pub(crate) struct UserRateLimits {
    pub(super) seeks: RateLimiter<UserName>,
    pub(super) games: RateLimiter<UserName>,
}

impl UserRateLimits {
    /// Creates the limiters.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            seeks: RateLimiter::new(Rate::new(limits.seeks_per_min, MINUTE), RATE_KEYS_MAX),
            games: RateLimiter::new(Rate::new(limits.games_per_min, MINUTE), RATE_KEYS_MAX),
        }
    }
}
