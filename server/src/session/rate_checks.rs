//! Checks of the rate limits and storage budgets that a request counts against.

use adamant_protocol::UserName;

use super::session::Session;
use crate::{
    error::Denial,
    limits::CHALLENGE_ROW_BYTES,
    outbound::client::ClientHandle,
    rate_limiter::{RateLimiter, RetryAfter},
};

impl Session {
    /// Counts a seek.
    pub(super) fn allow_seek(&self, client: &ClientHandle) -> Result<(), Denial> {
        self.allow_stored(client)?;
        let services = &self.services;
        let taken = self.take(&services.user_rate_limits.seeks, client);
        taken.map_err(|RetryAfter(retry_after_ms)| Denial::TooOften {
            limit: "seeks_per_min",
            what: "seeks a minute",
            max: services.limits.seeks_per_min,
            retry_after_ms,
        })
    }

    /// Counts a challenge, rematch or invite that is made, or a seek, challenge or invite that is
    /// accepted.
    pub(super) fn allow_game(&self, client: &ClientHandle) -> Result<(), Denial> {
        self.allow_stored(client)?;
        let services = &self.services;
        let taken = self.take(&services.user_rate_limits.games, client);
        taken.map_err(|RetryAfter(retry_after_ms)| Denial::TooOften {
            limit: "games_per_min",
            what: "challenges, rematches, invites and acceptances a minute",
            max: services.limits.games_per_min,
            retry_after_ms,
        })?;
        self.charge(client, CHALLENGE_ROW_BYTES);
        Ok(())
    }

    /// Whether there is anything left of what the caller may have stored.
    pub(super) fn allow_stored(&self, client: &ClientHandle) -> Result<(), Denial> {
        match &client.quota {
            Some(quota) => Ok(quota.stored.check(self.now_ms())?),
            None => Ok(()),
        }
    }

    /// Counts what is stored for the caller.
    pub(super) fn charge(&self, client: &ClientHandle, bytes: u64) {
        if let Some(quota) = &client.quota {
            quota.stored.charge(bytes, self.now_ms());
        }
    }

    /// Those without a name are refused elsewhere.
    fn take(&self, rates: &RateLimiter<UserName>, client: &ClientHandle) -> Result<(), RetryAfter> {
        match &client.user {
            Some(user) if self.services.limits.enforced => {
                rates.take(&user.folded(), self.now_ms())
            }
            Some(_) | None => Ok(()),
        }
    }
}
