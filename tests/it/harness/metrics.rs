//! Reads `/metrics`.

use std::net::SocketAddr;

use tokio::time::timeout;

use super::{http, server::Server, timeout::PATIENCE};

/// The parsed response of `/metrics`.
pub(crate) struct Metrics(String);

impl Metrics {
    /// Reads the metrics.
    pub(crate) async fn fetch(server: &Server) -> Self {
        Self::fetch_at(server.address()).await
    }

    /// Reads the metrics of the node at an address.
    pub(crate) async fn fetch_at(address: SocketAddr) -> Self {
        let answer = http::ask_at(address, "GET", "/metrics").await;
        assert_eq!(answer.status, 200);
        let kind = "text/plain; version=0.0.4; charset=utf-8";
        assert_eq!(answer.headers["content-type"], kind);
        Self(answer.text().await)
    }

    /// Reads the metrics until one has that value, because the server counts asynchronously.
    pub(crate) async fn wait_for(server: &Server, name: &str, value: u64) -> Self {
        let counted = async {
            loop {
                let metrics = Self::fetch(server).await;
                if metrics.value(name) == value {
                    return metrics;
                }
            }
        };
        timeout(PATIENCE, counted).await.unwrap_or_else(|_| panic!("{name} is never {value}"))
    }

    /// Returns the integer value of a metric, named with its labels.
    pub(crate) fn value(&self, name: &str) -> u64 {
        let value = self.0.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let value = value.unwrap_or_else(|| panic!("{name} is missing:\n{}", self.0));
        // Sums are written with a fraction.
        value.trim_end_matches(".0").parse().expect("a whole number")
    }
}
