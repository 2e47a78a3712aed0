//! The section `[network]`: the server's address, and the hosts, origins and proxies that it
//! accepts.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use ipnet::IpNet;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use super::{TlsConfig, origin::Origin};

/// The server's address, and the hosts, origins and proxies that it accepts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// Address and port to listen on; port 0 takes any free port.
    #[serde(deserialize_with = "listen_in_file")]
    pub listen: SocketAddr,
    /// Origins of other web pages that may open a WebSocket, such as `https://example.org`.
    pub origins: Vec<String>,
    /// The server's own host names, such as `play.example.org`. If the list is not empty, the
    /// server answers only requests for these names and for addresses.
    pub hosts: Vec<String>,
    /// Reverse proxies, as addresses or networks (`10.0.0.0/8`). The server trusts their
    /// `X-Forwarded-For` or `Forwarded` header.
    pub trusted_proxies: Vec<String>,
    /// Addresses or networks that may read `/metrics`.
    pub metrics_from: Vec<String>,
    /// TLS, unless a proxy in front provides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsConfig>,
}

impl Default for NetworkConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7777)),
            origins: Vec::new(),
            hosts: Vec::new(),
            trusted_proxies: Vec::new(),
            metrics_from: vec!["127.0.0.0/8".to_owned(), "::1".to_owned()],
            tls: None,
        }
    }
}

impl NetworkConfig {
    pub(super) fn check(&self, mistakes: &mut Vec<String>) {
        for origin in &self.origins {
            if origin.parse::<Origin>().is_err() {
                mistakes.push(format!(
                    "network.origins: {origin:?} is not of the form https://example.org"
                ));
            }
        }
        for host in &self.hosts {
            if host.is_empty() || host.contains(['/', ':', ' ']) {
                mistakes.push(format!(
                    "network.hosts: {host:?} is not a host name such as play.example.org"
                ));
            }
        }
        let lists =
            [("trusted_proxies", &self.trusted_proxies), ("metrics_from", &self.metrics_from)];
        for (name, networks) in lists {
            for network in networks.iter().filter(|network| read_network(network).is_none()) {
                mistakes.push(format!(
                    "network.{name}: {network:?} is neither an address nor a network such as \
                     10.0.0.0/8"
                ));
            }
        }
        if let Some(Err(error)) = self.tls.as_ref().map(TlsConfig::load) {
            mistakes.push(error.to_string());
        }
    }

    /// Whether clients on other machines connect without encryption, as far as the server knows:
    /// neither it nor a proxy in front of it has a certificate.
    pub(crate) fn is_plain_text(&self) -> bool {
        self.tls.is_none() && self.trusted_proxies.is_empty() && !self.listen.ip().is_loopback()
    }

    /// Returns the origins whose pages may connect.
    pub(crate) fn origins(&self) -> Vec<Origin> {
        self.origins.iter().filter_map(|origin| origin.parse().ok()).collect()
    }

    /// Returns the trusted proxies.
    pub fn proxies(&self) -> Vec<IpNet> {
        read_networks(&self.trusted_proxies)
    }

    /// Returns the networks that may read metrics.
    pub fn metrics_readers(&self) -> Vec<IpNet> {
        read_networks(&self.metrics_from)
    }
}

fn read_networks(networks: &[String]) -> Vec<IpNet> {
    networks.iter().filter_map(|network| read_network(network)).collect()
}

fn read_network(text: &str) -> Option<IpNet> {
    text.parse().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
}

/// Parses an address with a port. `localhost` is the loopback. Other names are not resolved,
/// because they may point elsewhere tomorrow.
pub(super) fn read_listen(text: &str) -> Result<SocketAddr, String> {
    let named = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    named.as_deref().unwrap_or(text).parse().map_err(|_| {
        format!(
            "{text:?} is not an address with a port, such as 127.0.0.1:7777 for this machine alone, \
             0.0.0.0:7777 or [::]:7777 for all networks, or localhost:7777"
        )
    })
}

fn listen_in_file<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    read_listen(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listen_addresses_are_parsed_or_explained() {
        assert_eq!(read_listen("localhost:7825").unwrap(), ([127, 0, 0, 1], 7825).into());
        assert_eq!(read_listen("[::]:7825").unwrap().port(), 7825);
        for wrong in [":7825", "7825", "localhost", "example.org:7825", "localhost:x", ""] {
            let error = read_listen(wrong).unwrap_err();
            assert!(error.contains("such as 127.0.0.1:7777"), "{error}");
        }
    }
}
