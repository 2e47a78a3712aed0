//! The hosts, origins, proxies and readers of metrics that the port admits, which can change while
//! the server runs.

use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};
use ipnet::IpNet;

use super::proxies::Proxies;
use crate::config::{NetworkConfig, Origin};

/// What is admitted now.
#[derive(Debug, Clone)]
pub(crate) struct Admitted(Arc<ArcSwap<AdmittedNow>>);

#[derive(Debug)]
pub(super) struct AdmittedNow {
    pub(super) proxies: Proxies,
    pub(super) origins: Vec<Origin>,
    /// The server's own names; none if it is not particular.
    pub(super) hosts: Vec<String>,
    /// Networks that may read the metrics.
    pub(super) metrics_from: Vec<IpNet>,
}

impl Admitted {
    pub(super) fn new(network: &NetworkConfig) -> Self {
        Self(Arc::new(ArcSwap::new(AdmittedNow::new(network))))
    }

    pub(super) fn now(&self) -> Guard<Arc<AdmittedNow>> {
        self.0.load()
    }

    /// Puts other settings in force, for requests to come.
    pub(crate) fn replace(&self, network: &NetworkConfig) {
        self.0.store(AdmittedNow::new(network));
    }
}

impl AdmittedNow {
    fn new(network: &NetworkConfig) -> Arc<Self> {
        let (origins, hosts) = (network.origins(), network.hosts.clone());
        let (proxies, metrics_from) = (Proxies::new(network.proxies()), network.metrics_readers());
        Arc::new(Self { proxies, origins, hosts, metrics_from })
    }
}
