//! How often each address may ask by HTTP, and open a WebSocket.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    extract::{Extension, Request, State},
    http::StatusCode,
    middleware::Next,
    response::Response,
};

use super::{
    errors::{over_limit, refusal},
    server::Front,
};
use crate::{
    address::{ClientAddress, ClientNetwork},
    config::Limits,
    error::Denial,
    limits::{NETWORK_SHARE, RATE_KEYS_MAX},
    quotas::Over,
    rate_limiter::{Rate, Rates, Wait},
};

const MINUTE: Duration = Duration::from_mins(1);

/// Lets the requests of an address for files of the page pass that are within its rate.
pub(super) async fn admit_file(
    State(front): State<Arc<Front>>,
    Extension(peer): Extension<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    match front.admission.file(front.client(peer, request.headers()), front.now_ms()) {
        None => next.run(request).await,
        Some(refused) => refused,
    }
}

/// A rate that each address has, and of which a network of IPv6 has some shares.
#[derive(Debug)]
struct Door {
    addresses: Rates<ClientAddress>,
    networks: Rates<ClientNetwork>,
}

impl Door {
    fn new(rate: impl Fn(u32) -> Rate) -> Self {
        Self {
            addresses: Rates::new(rate(1), RATE_KEYS_MAX),
            networks: Rates::new(rate(NETWORK_SHARE), RATE_KEYS_MAX),
        }
    }

    fn pass(&self, from: ClientAddress, now_ms: u64) -> Result<(), Wait> {
        self.addresses.take(&from, now_ms)?;
        let Some(network) = from.wider_network() else { return Ok(()) };
        self.networks.take(&network, now_ms).inspect_err(|_| self.addresses.give_back(&from))
    }
}

/// What is counted of each address.
#[derive(Debug)]
pub(super) struct Admission {
    limits: Limits,
    /// What is computed for the one who asks.
    reads: Door,
    /// What is the same for everybody, and only sent: the page.
    files: Door,
    upgrades: Door,
}

impl Admission {
    pub(super) fn new(limits: &Limits) -> Self {
        let per_min = |count: u32| move |share: u32| Rate::new(count.saturating_mul(share), MINUTE);
        let (burst, per_s) = (limits.messages_burst, limits.messages_per_s);
        Self {
            limits: limits.clone(),
            // By HTTP an address may ask as often as over one WebSocket.
            reads: Door::new(|share| {
                Rate::burst(burst.saturating_mul(share), per_s.saturating_mul(share))
            }),
            files: Door::new(per_min(limits.page_files_per_min)),
            upgrades: Door::new(per_min(limits.upgrades_per_min)),
        }
    }

    fn pass(&self, door: &Door, from: ClientAddress, now_ms: u64) -> Result<(), Wait> {
        if self.limits.enforced { door.pass(from, now_ms) } else { Ok(()) }
    }

    /// The refusal of a reading; `None` lets it pass.
    pub(super) fn read(&self, from: ClientAddress, now_ms: u64) -> Option<Response> {
        self.pass(&self.reads, from, now_ms).err().map(|Wait(retry_after_ms)| {
            let (burst, per_s) = (self.limits.messages_burst, self.limits.messages_per_s);
            let over = Over::Connection;
            refusal(Denial::RateLimited { over, burst, per_s, retry_after_ms })
        })
    }

    /// The refusal of a request for a file of the page; `None` lets it pass.
    pub(super) fn file(&self, from: ClientAddress, now_ms: u64) -> Option<Response> {
        self.pass(&self.files, from, now_ms).err().map(|wait| {
            let max = self.limits.page_files_per_min;
            too_many("page_files_per_min", max, "files of the page a minute", wait)
        })
    }

    /// The refusal of an upgrade to a WebSocket; `None` lets it pass.
    pub(super) fn upgrade(&self, from: ClientAddress, now_ms: u64) -> Option<Response> {
        self.pass(&self.upgrades, from, now_ms).err().map(|wait| {
            let max = self.limits.upgrades_per_min;
            too_many("upgrades_per_min", max, "new WebSockets a minute", wait)
        })
    }
}

fn too_many(limit: &str, max: u32, what: &str, Wait(wait_ms): Wait) -> Response {
    let message = format!("at most {max} {what} from one address");
    over_limit(StatusCode::TOO_MANY_REQUESTS, limit, &message, wait_ms.div_ceil(1000))
}
