//! How often somebody may try to get in, or come as somebody new.
//!
//! Failed log-ins are counted for an address together with the name that was tried, and all
//! passwords that are checked for an address. Nothing is counted for a name alone: whoever fails
//! as `ann`, wherever they sit, does not keep Ann out.

use std::{sync::Arc, time::Duration};

use adamant_protocol::UserName;

use super::accounts::AuthError;
use crate::{
    address::ClientAddress,
    config::Limits,
    limits::{RATE_KEYS_MAX, USER_ROW_BYTES},
    quotas::{Quotas, Spent},
    rate_limiter::{Rate, Rates, Wait},
};

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);

/// Counts attempts by address.
#[derive(Debug)]
pub(super) struct Throttle {
    failures: Rates<(ClientAddress, UserName)>,
    checks: Rates<ClientAddress>,
    sign_ups: Rates<ClientAddress>,
    guests: Rates<ClientAddress>,
    limits: Limits,
    quotas: Arc<Quotas>,
}

/// A password that is being checked. It counts as a failure unless it is said to be none.
#[derive(Debug)]
#[must_use]
pub(super) struct Attempt<'a> {
    counted: Option<(&'a Throttle, (ClientAddress, UserName))>,
}

impl Attempt<'_> {
    /// The password was right, or was not checked after all.
    pub(super) fn forgive(self) {
        if let Some((throttle, key)) = self.counted {
            throttle.failures.give_back(&key);
        }
    }
}

/// A refusal that names the limit in words: `at most 20 log-ins a minute from one address`.
fn too_many(limit: &'static str, max: u32, what: &'static str, Wait(ms): Wait) -> AuthError {
    AuthError::TooMany { limit, max, what, retry_after_ms: ms }
}

impl Throttle {
    pub(super) fn new(limits: &Limits, quotas: Arc<Quotas>) -> Self {
        Self {
            failures: Rates::new(Rate::new(limits.failed_log_ins_per_min, MINUTE), RATE_KEYS_MAX),
            checks: Rates::new(Rate::new(limits.log_ins_per_min, MINUTE), RATE_KEYS_MAX),
            sign_ups: Rates::new(Rate::new(limits.sign_ups_per_hour, HOUR), RATE_KEYS_MAX),
            guests: Rates::new(Rate::new(limits.guests_per_hour, HOUR), RATE_KEYS_MAX),
            limits: limits.clone(),
            quotas,
        }
    }

    /// The address, if what is done from it is counted.
    fn counted(&self, from: Option<ClientAddress>) -> Option<ClientAddress> {
        from.filter(|_| self.limits.enforced)
    }

    /// Somebody tries a password.
    pub(super) fn attempt(
        &self,
        from: Option<ClientAddress>,
        name: &UserName,
        now_ms: u64,
    ) -> Result<Attempt<'_>, AuthError> {
        let Some(address) = self.counted(from) else { return Ok(Attempt { counted: None }) };
        let key = (address, name.folded());
        self.failures.take(&key, now_ms).map_err(|wait| {
            let max = self.limits.failed_log_ins_per_min;
            too_many("failed_log_ins_per_min", max, "failed log-ins a minute as one user", wait)
        })?;
        let attempt = Attempt { counted: Some((self, key)) };
        if let Err(refusal) = self.check(from, now_ms) {
            attempt.forgive();
            return Err(refusal);
        }
        Ok(attempt)
    }

    /// A password is hashed for an address.
    pub(super) fn check(&self, from: Option<ClientAddress>, now_ms: u64) -> Result<(), AuthError> {
        let Some(address) = self.counted(from) else { return Ok(()) };
        self.checks.take(&address, now_ms).map_err(|wait| {
            let max = self.limits.log_ins_per_min;
            too_many("log_ins_per_min", max, "passwords a minute from one address", wait)
        })
    }

    /// A password was not hashed after all.
    pub(super) fn give_check_back(&self, from: Option<ClientAddress>) {
        if let Some(address) = self.counted(from) {
            self.checks.give_back(&address);
        }
    }

    /// No account was made after all.
    pub(super) fn give_sign_up_back(&self, from: Option<ClientAddress>) {
        if let Some(address) = self.counted(from) {
            self.sign_ups.give_back(&address);
        }
    }

    /// Somebody makes an account.
    pub(super) fn sign_up(
        &self,
        from: Option<ClientAddress>,
        now_ms: u64,
    ) -> Result<(), AuthError> {
        let Some(address) = self.counted(from) else { return Ok(()) };
        self.store_user(address, now_ms, || {
            self.sign_ups.take(&address, now_ms).map_err(|wait| {
                let max = self.limits.sign_ups_per_hour;
                too_many("sign_ups_per_hour", max, "new accounts an hour from one address", wait)
            })
        })
    }

    /// Somebody comes as a new guest.
    pub(super) fn guest(&self, from: Option<ClientAddress>, now_ms: u64) -> Result<(), AuthError> {
        let Some(address) = self.counted(from) else { return Ok(()) };
        self.store_user(address, now_ms, || {
            self.guests.take(&address, now_ms).map_err(|wait| {
                let max = self.limits.guests_per_hour;
                too_many("guests_per_hour", max, "new guests an hour from one address", wait)
            })
        })
    }

    /// A user is stored if what comes from this network has anything left for it, and if all else
    /// allows it.
    fn store_user(
        &self,
        address: ClientAddress,
        now_ms: u64,
        allow: impl FnOnce() -> Result<(), AuthError>,
    ) -> Result<(), AuthError> {
        let Some(purse) = self.quotas.purse_of(address, now_ms) else { return allow() };
        purse
            .check(now_ms)
            .map_err(|Spent { limit, what, kib, wait }| too_many(limit, kib, what, wait))?;
        allow()?;
        purse.charge(USER_ROW_BYTES, now_ms);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

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
    fn who_fails_as_ann_is_kept_from_trying_as_ann_and_keeps_nobody_else_out() {
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
        throttle.attempt(Some(from("10.0.0.2")), &name("ann"), 0).unwrap().forgive();
        throttle.attempt(eve, &name("bob"), 0).unwrap().forgive();
        throttle.attempt(eve, &name("ann"), retry_after_ms).unwrap().forgive();
    }

    #[test]
    fn an_address_checks_so_many_passwords_whomever_it_tries() {
        let throttle = throttle(&Limits::default());
        let eve = Some(from("2001:db8::1"));
        let most = Limits::default().log_ins_per_min;
        for number in 0..most {
            throttle.attempt(eve, &name(&format!("user{number}")), 0).unwrap().forgive();
        }
        let next_door = Some(from("2001:db8::2"));
        let refusal = throttle.attempt(next_door, &name("ann"), 0).unwrap_err();
        let AuthError::TooMany { limit, .. } = refusal else { panic!("{refusal}") };
        assert_eq!(limit, "log_ins_per_min");
        throttle.attempt(Some(from("2001:db9::1")), &name("ann"), 0).unwrap().forgive();
    }

    #[test]
    fn nothing_is_counted_inside_the_process_or_without_limits() {
        let limits = Limits { enforced: false, ..Limits::default() };
        let (strict, lenient) = (throttle(&Limits::default()), throttle(&limits));
        for _ in 0..10_000 {
            assert!(strict.guest(None, 0).is_ok());
            assert!(lenient.guest(Some(from("10.0.0.1")), 0).is_ok());
        }
    }
}
