//! Ids of requests.

use std::sync::atomic::{AtomicU64, Ordering};

use adamant_protocol::RequestId;
use rand::RngExt as _;

/// Makes ids that no other run of any client has made: the server remembers them with its games.
#[derive(Debug)]
pub(crate) struct Ids {
    prefix: String,
    count: AtomicU64,
}

impl Ids {
    pub(crate) fn new() -> Self {
        Self { prefix: format!("{:010x}", rand::rng().random::<u64>() >> 24), count: 0.into() }
    }

    /// An id that was never used.
    pub(crate) fn next(&self) -> RequestId {
        let count = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        format!("{}-c{count}", self.prefix).parse().expect("it is short and printable")
    }
}
