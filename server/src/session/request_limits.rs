//! How many requests a session may send: over its connection, its user's sessions, and all that
//! comes from where its client is.

use crate::{
    address::ClientAddress,
    config::Limits,
    error::Denial,
    limits::RATE_STRIKES_MAX,
    quotas::{Meter, Quotas, UserQuota},
};

/// Counts one session's requests.
#[derive(Debug)]
pub(super) struct RequestLimits {
    /// `None` where the connection has no bound of its own.
    connection: Option<Meter>,
    /// Those of the user, the address and the network.
    shared: [Option<Meter>; 3],
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
        Self { connection, shared: [None, address, network], strikes: 0 }
    }

    /// From now on the requests are those of a user.
    pub(super) fn speak_as(&mut self, quota: Option<&UserQuota>) {
        if quota.is_some_and(|quota| quota.trusted) {
            self.connection = None;
        }
        self.shared[0] = quota.map(|quota| quota.messages.clone());
    }

    /// Takes what costs one message of the connection, and so much of what is shared; or says when
    /// it may come.
    pub(super) fn take(&mut self, cost: u64, now_ms: u64) -> Result<(), Denial> {
        match self.take_all(cost, now_ms) {
            Ok(()) => {
                self.strikes = 0;
                Ok(())
            }
            Err(denial) => {
                self.strikes += 1;
                Err(denial)
            }
        }
    }

    /// Takes from all limits or from none.
    fn take_all(&self, cost: u64, now_ms: u64) -> Result<(), Denial> {
        if let Some(connection) = &self.connection {
            connection.take(1, now_ms)?;
        }
        for (index, meter) in self.shared.iter().enumerate() {
            let Some(meter) = meter else { continue };
            if let Err(too_soon) = meter.take(cost, now_ms) {
                self.shared[..index].iter().flatten().for_each(|taken| taken.refund(cost));
                self.connection.iter().for_each(|taken| taken.refund(1));
                return Err(too_soon.into());
            }
        }
        Ok(())
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
