//! Request ids.

use std::sync::atomic::{AtomicU64, Ordering};

use adamant_protocol::ids::RequestId;
use rand::RngExt as _;

/// Makes ids that no other run of any client has made. The server stores them with its games.
#[derive(Debug)]
pub(crate) struct Ids {
    prefix: String,
    count: AtomicU64,
}

impl Ids {
    pub(crate) fn new() -> Self {
        Self { prefix: format!("{:010x}", rand::rng().random::<u64>() >> 24), count: 0.into() }
    }

    /// Returns an unused id.
    pub(crate) fn next(&self) -> RequestId {
        let count = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        format!("{}-c{count}", self.prefix).parse().expect("it is short and printable")
    }
}
