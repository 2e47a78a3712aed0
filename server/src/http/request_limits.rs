//! How often each address may ask by HTTP, and open a WebSocket.

use std::time::Duration;

use axum::{http::StatusCode, response::Response};

use super::errors::{denial_response, over_limit};
use crate::{
    address::ClientAddress,
    config::Limits,
    error::Denial,
    limits::{DOWNLOADS_PER_MIN, ENCRYPTIONS_BURST, ENCRYPTIONS_PER_S},
    quotas::{AddressLimiter, LimitScope},
    rate_limiter::{Rate, RetryAfter},
};

const MINUTE: Duration = Duration::from_mins(1);

/// What is counted of each address.
#[derive(Debug)]
pub(super) struct HttpRateLimits {
    limits: Limits,
    /// What is computed for the one who asks.
    reads: AddressLimiter,
    /// What is the same for everybody, and only sent: the page.
    files: AddressLimiter,
    upgrades: AddressLimiter,
    downloads: AddressLimiter,
    /// Connections that begin with the arithmetic of TLS.
    encryptions: AddressLimiter,
}

impl HttpRateLimits {
    pub(super) fn new(limits: &Limits) -> Self {
        let per_min = |count: u32| move |share: u32| Rate::new(count.saturating_mul(share), MINUTE);
        let (burst, per_s) = (limits.messages_burst, limits.messages_per_s);
        Self {
            limits: limits.clone(),
            // By HTTP an address may ask as often as over one WebSocket.
            reads: AddressLimiter::new(|share| {
                Rate::burst(burst.saturating_mul(share), per_s.saturating_mul(share))
            }),
            files: AddressLimiter::new(per_min(limits.page_files_per_min)),
            upgrades: AddressLimiter::new(per_min(limits.upgrades_per_min)),
            downloads: AddressLimiter::new(per_min(DOWNLOADS_PER_MIN)),
            encryptions: AddressLimiter::new(|share| {
                Rate::burst(ENCRYPTIONS_BURST * share, ENCRYPTIONS_PER_S * share)
            }),
        }
    }

    fn take(
        &self,
        limiter: &AddressLimiter,
        from: ClientAddress,
        now_ms: u64,
    ) -> Result<(), RetryAfter> {
        if self.limits.enforced { limiter.take(from, now_ms) } else { Ok(()) }
    }

    /// Whether an address may begin another encrypted connection.
    pub(super) fn allows_encryption(&self, from: ClientAddress, now_ms: u64) -> bool {
        self.take(&self.encryptions, from, now_ms).is_ok()
    }

    /// The refusal of a reading; `None` lets it pass.
    pub(super) fn check_read(&self, from: ClientAddress, now_ms: u64) -> Option<Response> {
        self.take(&self.reads, from, now_ms).err().map(|RetryAfter(retry_after_ms)| {
            let (burst, per_s) = (self.limits.messages_burst, self.limits.messages_per_s);
            let scope = LimitScope::Connection;
            denial_response(Denial::RateLimited { scope, burst, per_s, retry_after_ms })
        })
    }

    /// Counts what a reading turned out to cost beyond one.
    pub(super) fn charge_read(&self, from: ClientAddress, cost: u64, now_ms: u64) {
        if self.limits.enforced {
            self.reads.charge(from, cost, now_ms);
        }
    }

    /// The refusal of a request for a file of the page; `None` lets it pass.
    pub(super) fn check_file(&self, from: ClientAddress, now_ms: u64) -> Option<Response> {
        self.take(&self.files, from, now_ms).err().map(|wait| {
            let max = self.limits.page_files_per_min;
            too_many("page_files_per_min", max, "files of the page a minute", wait)
        })
    }

    /// The refusal of a request for the bytes of a download; `None` lets it pass.
    pub(super) fn check_download(&self, from: ClientAddress, now_ms: u64) -> Option<Response> {
        self.take(&self.downloads, from, now_ms).err().map(|wait| {
            too_many("downloads_per_min", DOWNLOADS_PER_MIN, "downloads a minute", wait)
        })
    }

    /// The refusal of an upgrade to a WebSocket; `None` lets it pass.
    pub(super) fn check_upgrade(&self, from: ClientAddress, now_ms: u64) -> Option<Response> {
        self.take(&self.upgrades, from, now_ms).err().map(|wait| {
            let max = self.limits.upgrades_per_min;
            too_many("upgrades_per_min", max, "new WebSockets a minute", wait)
        })
    }
}

fn too_many(limit: &str, max: u32, what: &str, RetryAfter(wait_ms): RetryAfter) -> Response {
    let message = format!("at most {max} {what} from one address");
    over_limit(StatusCode::TOO_MANY_REQUESTS, limit, &message, wait_ms.div_ceil(1000))
}
