//! Rate limits of log-ins, sign-ups and guests, by address, and by network where that is larger.
//!
//! Failed log-ins count for an address together with the name. Checked passwords count for the
//! address. Nothing counts for a name alone, so failed log-ins as `ann` do not lock Ann's account.

use std::{sync::Arc, time::Duration};

use adamant_protocol::UserName;

use super::error::AuthError;
use crate::{
    address::{ClientAddress, ClientNetwork},
    config::LimitsInForce,
    limits::{MAILS_PER_DAY, MAILS_PER_HOUR, NETWORK_SHARE, RATE_KEYS_MAX, USER_ROW_BYTES},
    quotas::{AddressLimiter, BudgetExhausted, Quotas, rate_of},
    rate_limiter::{Rate, RateLimiter, RetryAfter},
};

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

#[derive(Debug)]
pub(super) struct Throttle {
    failures: RateLimiter<(ClientAddress, UserName)>,
    /// The same for the networks of addresses.
    network_failures: RateLimiter<(ClientNetwork, UserName)>,
    checks: AddressLimiter,
    sign_ups: AddressLimiter,
    guests: AddressLimiter,
    mails: AddressLimiter,
    /// By the user who asks for a mail, and by the kind of a mail and the address that it goes to.
    mails_about: RateLimiter<Box<str>>,
    mails_in_all: RateLimiter<()>,
    limits: LimitsInForce,
    quotas: Arc<Quotas>,
}

/// A password check under way. It counts as a failure unless it is [`reset`](Self::reset).
#[derive(Debug)]
#[must_use]
pub(super) struct Attempt<'a> {
    counted: Option<(&'a Throttle, (ClientAddress, UserName))>,
}

impl Attempt<'_> {
    /// Takes the failure back: the password was right, or was not checked.
    pub(super) fn reset(self) {
        if let Some((throttle, key)) = self.counted {
            throttle.refund_failure(&key);
        }
    }
}

/// Returns the error with the limit in words: `at most 20 log-ins a minute from one address`.
fn too_many(
    limit: &'static str,
    max: u32,
    what: &'static str,
    RetryAfter(ms): RetryAfter,
) -> AuthError {
    AuthError::TooMany { limit, max, what, retry_after_ms: ms }
}

/// The network of an address with a name, if it is larger.
fn wider((from, name): &(ClientAddress, UserName)) -> Option<(ClientNetwork, UserName)> {
    from.wider_network().map(|network| (network, name.clone()))
}

impl Throttle {
    pub(super) fn new(limits: impl Into<LimitsInForce>, quotas: Arc<Quotas>) -> Self {
        fn per(period: Duration, count: u32, share: u32) -> Rate {
            Rate::new(count.saturating_mul(share), period)
        }
        let limits = limits.into();
        let of = |rate| rate_of(&limits, rate);
        let failures = of(|limits, share| per(MINUTE, limits.failed_log_ins_per_min, share));
        Self {
            failures: RateLimiter::new(failures(1), RATE_KEYS_MAX),
            network_failures: RateLimiter::new(failures(NETWORK_SHARE), RATE_KEYS_MAX),
            checks: AddressLimiter::new(of(|limits, share| {
                per(MINUTE, limits.log_ins_per_min, share)
            })),
            sign_ups: AddressLimiter::new(of(|limits, share| {
                per(HOUR, limits.sign_ups_per_hour, share)
            })),
            guests: AddressLimiter::new(of(|limits, share| {
                per(HOUR, limits.guests_per_hour, share)
            })),
            mails: AddressLimiter::new(|share| per(HOUR, MAILS_PER_HOUR, share)),
            mails_about: RateLimiter::new(per(DAY, MAILS_PER_DAY, 1), RATE_KEYS_MAX),
            mails_in_all: RateLimiter::new(
                of(|limits, _| per(HOUR, limits.mails_per_hour, 1))(1),
                1,
            ),
            limits,
            quotas,
        }
    }

    /// Returns the address if its requests count.
    fn counted(&self, from: Option<ClientAddress>) -> Option<ClientAddress> {
        from.filter(|_| self.limits.get().enforced)
    }

    fn take_failure(&self, key: &(ClientAddress, UserName), now_ms: u64) -> Result<(), RetryAfter> {
        self.failures.take(key, now_ms)?;
        let Some(wider) = wider(key) else { return Ok(()) };
        let taken = self.network_failures.take(&wider, now_ms);
        taken.inspect_err(|_| self.failures.refund(key))
    }

    fn refund_failure(&self, key: &(ClientAddress, UserName)) {
        self.failures.refund(key);
        if let Some(wider) = wider(key) {
            self.network_failures.refund(&wider);
        }
    }

    /// Counts the attempt to log in with a password.
    pub(super) fn attempt(
        &self,
        from: Option<ClientAddress>,
        name: &UserName,
        now_ms: u64,
    ) -> Result<Attempt<'_>, AuthError> {
        let Some(address) = self.counted(from) else { return Ok(Attempt { counted: None }) };
        let key = (address, name.folded());
        self.take_failure(&key, now_ms).map_err(|wait| {
            let max = self.limits.get().failed_log_ins_per_min;
            too_many("failed_log_ins_per_min", max, "failed log-ins a minute as one user", wait)
        })?;
        let attempt = Attempt { counted: Some((self, key)) };
        if let Err(refusal) = self.check(from, now_ms) {
            attempt.reset();
            return Err(refusal);
        }
        Ok(attempt)
    }

    /// Counts a password hash for an address.
    pub(super) fn check(&self, from: Option<ClientAddress>, now_ms: u64) -> Result<(), AuthError> {
        let Some(address) = self.counted(from) else { return Ok(()) };
        self.checks.take(address, now_ms).map_err(|wait| {
            let max = self.limits.get().log_ins_per_min;
            too_many("log_ins_per_min", max, "passwords a minute from one address", wait)
        })
    }

    /// Takes back a password hash that was not computed.
    pub(super) fn refund_check(&self, from: Option<ClientAddress>) {
        if let Some(address) = self.counted(from) {
            self.checks.refund(address);
        }
    }

    /// Takes back a sign-up that created no account.
    pub(super) fn refund_sign_up(&self, from: Option<ClientAddress>) {
        if let Some(address) = self.counted(from) {
            self.sign_ups.refund(address);
        }
    }

    pub(super) fn sign_up(
        &self,
        from: Option<ClientAddress>,
        now_ms: u64,
    ) -> Result<(), AuthError> {
        let Some(address) = self.counted(from) else { return Ok(()) };
        self.store_user(address, now_ms, || {
            self.sign_ups.take(address, now_ms).map_err(|wait| {
                let max = self.limits.get().sign_ups_per_hour;
                too_many("sign_ups_per_hour", max, "new accounts an hour from one address", wait)
            })
        })
    }

    pub(super) fn guest(&self, from: Option<ClientAddress>, now_ms: u64) -> Result<(), AuthError> {
        let Some(address) = self.counted(from) else { return Ok(()) };
        self.store_user(address, now_ms, || {
            self.guests.take(address, now_ms).map_err(|wait| {
                let max = self.limits.get().guests_per_hour;
                too_many("guests_per_hour", max, "new guests an hour from one address", wait)
            })
        })
    }

    /// Counts a mail that an address asks for, and, with its password, a user. Nothing counts for a
    /// name that anybody may give.
    pub(super) fn mail(
        &self,
        from: Option<ClientAddress>,
        by: Option<&UserName>,
        now_ms: u64,
    ) -> Result<(), AuthError> {
        let Some(address) = self.counted(from) else { return Ok(()) };
        self.mails.take(address, now_ms).map_err(|wait| {
            too_many("mails_per_hour", MAILS_PER_HOUR, "mails an hour for one address", wait)
        })?;
        let Some(user) = by else { return Ok(()) };
        self.mails_about.take(&user.folded().as_str().into(), now_ms).map_err(|wait| {
            too_many("mails_per_day", MAILS_PER_DAY, "mails a day for one user", wait)
        })
    }

    /// Whether a mail may go out: its address has not had too many of its kind, of which nobody
    /// else's mails take any, nor has the server sent too many.
    pub(super) fn mail_to(&self, kind: &str, address: &str, now_ms: u64) -> bool {
        if !self.limits.get().enforced {
            return true;
        }
        let (mailbox, host) = address.split_once('@').unwrap_or((address, ""));
        // What follows upon a `+` leads to the same person.
        let mailbox = mailbox.split('+').next().unwrap_or_default();
        let key = format!("{kind} {mailbox}@{host}").to_ascii_lowercase();
        self.mails_about.take(&key.into(), now_ms).is_ok()
            && self.mails_in_all.take(&(), now_ms).is_ok()
    }

    /// Charges a new user to the network's quota of stored bytes, if `allow` permits the user.
    fn store_user(
        &self,
        address: ClientAddress,
        now_ms: u64,
        allow: impl FnOnce() -> Result<(), AuthError>,
    ) -> Result<(), AuthError> {
        let Some(budget) = self.quotas.network_budget(address, now_ms) else { return allow() };
        budget.check(now_ms).map_err(|BudgetExhausted { limit, what, kib, wait }| {
            too_many(limit, kib, what, wait)
        })?;
        allow()?;
        budget.charge(USER_ROW_BYTES, now_ms);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use crate::config::Limits;

    fn from(address: &str) -> ClientAddress {
        address.parse::<IpAddr>().unwrap().into()
    }

    fn throttle(limits: &Limits) -> Throttle {
        Throttle::new(limits, Arc::new(Quotas::new(limits)))
    }

    fn name(name: &str) -> UserName {
        name.parse().unwrap()
    }

    #[test]
    fn failed_logins_block_only_that_address_with_that_name() {
        let throttle = throttle(&Limits::default());
        let eve = Some(from("10.0.0.1"));
        let mut failed = 0;
        let refusal = loop {
            match throttle.attempt(eve, &name("ann"), 0) {
                Ok(_failed) => failed += 1,
                Err(refusal) => break refusal,
            }
        };
        assert_eq!(failed, Limits::default().failed_log_ins_per_min);
        let AuthError::TooMany { limit, retry_after_ms, .. } = refusal else { panic!("{refusal}") };
        assert_eq!(limit, "failed_log_ins_per_min");
        assert!(throttle.attempt(eve, &name("ANN"), 0).is_err(), "the same name");
        throttle.attempt(Some(from("10.0.0.2")), &name("ann"), 0).unwrap().reset();
        throttle.attempt(eve, &name("bob"), 0).unwrap().reset();
        throttle.attempt(eve, &name("ann"), retry_after_ms).unwrap().reset();
    }

    #[test]
    fn an_address_has_one_limit_of_password_checks_over_all_names() {
        let throttle = throttle(&Limits::default());
        let eve = Some(from("2001:db8::1"));
        let most = Limits::default().log_ins_per_min;
        for number in 0..most {
            throttle.attempt(eve, &name(&format!("user{number}")), 0).unwrap().reset();
        }
        let next_door = Some(from("2001:db8::2"));
        let refusal = throttle.attempt(next_door, &name("ann"), 0).unwrap_err();
        let AuthError::TooMany { limit, .. } = refusal else { panic!("{refusal}") };
        assert_eq!(limit, "log_ins_per_min");
        throttle.attempt(Some(from("2001:db9::1")), &name("ann"), 0).unwrap().reset();
    }

    #[test]
    fn a_network_of_ipv6_has_four_shares_of_guests_and_of_log_ins_as_one_user() {
        let limits = Limits::default();
        let throttle = throttle(&limits);
        let neighbour = |number: u32| Some(from(&format!("2001:db8:1:{number:x}::1")));
        let let_in = (0..500).filter(|number| throttle.guest(neighbour(*number), 0).is_ok());
        assert_eq!(let_in.count(), 4 * usize::try_from(limits.guests_per_hour).unwrap());
        let tried =
            (0..500).filter(|number| throttle.attempt(neighbour(*number), &name("ann"), 0).is_ok());
        assert_eq!(tried.count(), 4 * usize::try_from(limits.failed_log_ins_per_min).unwrap());
        assert!(throttle.guest(Some(from("2001:db8:2::1")), 0).is_ok());
    }

    #[test]
    fn clients_inside_the_process_and_without_limits_are_not_counted() {
        let limits = Limits { enforced: false, ..Limits::default() };
        let (strict, lenient) = (throttle(&Limits::default()), throttle(&limits));
        for _ in 0..10_000 {
            assert!(strict.guest(None, 0).is_ok());
            assert!(lenient.guest(Some(from("10.0.0.1")), 0).is_ok());
        }
    }
}
