//! Where the server listens and whom it lets in.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

/// Where the server listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Network {
    /// The address and port; port 0 takes any free one.
    pub listen: SocketAddr,
    /// Web pages, beside the server's own, that may open a WebSocket: `https://example.org`.
    pub origins: Vec<String>,
    /// Proxies in front, as addresses or networks (`10.0.0.0/8`): what they say in
    /// `X-Forwarded-For` or `Forwarded` is believed.
    pub trusted_proxies: Vec<String>,
    /// Encrypts connections, unless a proxy in front does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<Tls>,
}

/// A certificate and its key, as PEM files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// The certificate with its chain.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

impl Default for Network {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7777)),
            origins: Vec::new(),
            trusted_proxies: Vec::new(),
            tls: None,
        }
    }
}

impl Network {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        for origin in &self.origins {
            let rest = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
            if rest.is_none_or(|host| host.is_empty() || host.contains('/')) {
                mistakes.push(format!(
                    "network.origins: {origin:?} is not of the form https://example.org"
                ));
            }
        }
        for network in &self.trusted_proxies {
            if read_network(network).is_none() {
                mistakes.push(format!(
                    "network.trusted_proxies: {network:?} is neither an address nor a network \
                     such as 10.0.0.0/8"
                ));
            }
        }
        if let Some(tls) = &self.tls {
            for (name, path) in [("certificate", &tls.certificate), ("key", &tls.key)] {
                if let Err(error) = std::fs::metadata(path) {
                    mistakes.push(format!("network.tls.{name}: {}: {error}", path.display()));
                }
            }
        }
    }

    /// The proxies that are trusted.
    pub fn proxies(&self) -> Vec<IpNet> {
        self.trusted_proxies.iter().filter_map(|network| read_network(network)).collect()
    }
}

fn read_network(text: &str) -> Option<IpNet> {
    text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
}
