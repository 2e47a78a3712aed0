//! How many requests a session may send: over its connection, its user's sessions, and all that
//! comes from where its client is.

use std::time::Duration;

use crate::{
    address::ClientAddress,
    config::Limits,
    error::Denial,
    limits::{PACED_MAX, RATE_STRIKES_MAX},
    quotas::{Meter, Quotas, UserQuota},
    runtime::time::milliseconds,
};

/// Counts one session's requests.
#[derive(Debug)]
pub(super) struct RequestLimits {
    /// `None` where the connection has no bound of its own.
    connection: Option<Meter>,
    /// Those of the user, the address and the network.
    shared: [Option<Meter>; 3],
    /// How long requests in a row have waited until they were due.
    paced_ms: u64,
    /// Requests refused in a row.
    strikes: u32,
}

impl RequestLimits {
    /// For a session of a client that is there; `None` inside the process, where nothing is shared.
    pub(super) fn new(
        limits: &Limits,
        quotas: &Quotas,
        from: Option<ClientAddress>,
        now_ms: u64,
    ) -> Self {
        let connection = limits.enforced.then(|| Meter::of_connection(limits));
        let [address, network] = from.map_or([None, None], |from| quotas.of_address(from, now_ms));
        Self { connection, shared: [None, address, network], paced_ms: 0, strikes: 0 }
    }

    /// From now on the requests are those of a user.
    pub(super) fn speak_as(&mut self, quota: Option<&UserQuota>) {
        if quota.is_some_and(|quota| quota.trusted) {
            self.connection = None;
        }
        self.shared[0] = quota.map(|quota| quota.messages.clone());
    }

    /// Takes what costs one message of the connection, and so much of what is shared; or says when
    /// it may come. Returns the time until the message is due, which is zero unless the connection
    /// is above its own rate.
    pub(super) fn take(&mut self, cost: u64, now_ms: u64) -> Result<Duration, Denial> {
        match self.take_all(cost, now_ms) {
            Ok(wait_ms) => {
                self.strikes = 0;
                self.paced_ms = if wait_ms == 0 { 0 } else { self.paced_ms + wait_ms };
                Ok(Duration::from_millis(wait_ms))
            }
            Err(denial) => {
                self.strikes += 1;
                Err(denial)
            }
        }
    }

    /// A request has waited, and no other one has come: the next ones may wait as long again.
    pub(super) const fn caught_up(&mut self) {
        self.paced_ms = 0;
    }

    /// Takes from all limits or from none.
    fn take_all(&self, cost: u64, now_ms: u64) -> Result<u64, Denial> {
        let ahead_ms = milliseconds(PACED_MAX).saturating_sub(self.paced_ms);
        let wait_ms = match &self.connection {
            Some(connection) => connection.take_ahead(1, now_ms, ahead_ms)?,
            None => 0,
        };
        for (index, meter) in self.shared.iter().enumerate() {
            let Some(meter) = meter else { continue };
            if let Err(too_soon) = meter.take(cost, now_ms) {
                self.shared[..index].iter().flatten().for_each(|taken| taken.refund(cost));
                self.connection.iter().for_each(|taken| taken.refund(1));
                return Err(too_soon.into());
            }
        }
        Ok(wait_ms)
    }

    /// Counts what a request turned out to cost beyond what it was taken for.
    pub(super) fn charge(&self, cost: u64, now_ms: u64) {
        for meter in self.shared.iter().flatten() {
            meter.charge(cost, now_ms);
        }
    }

    /// Whether more requests have been refused in a row than a session survives.
    pub(super) const fn is_struck_out(&self) -> bool {
        self.strikes > RATE_STRIKES_MAX
    }
}
