//! Where the server listens and whom it lets in.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use ipnet::IpNet;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use super::Tls;

/// Where the server listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Network {
    /// The address and port; port 0 takes any free one.
    #[serde(deserialize_with = "listen_in_file")]
    pub listen: SocketAddr,
    /// Web pages, beside the server's own, that may open a WebSocket: `https://example.org`.
    pub origins: Vec<String>,
    /// The server's own names (`play.example.org`), if only requests for these and for addresses
    /// are answered; without any, all are.
    pub hosts: Vec<String>,
    /// Proxies in front, as addresses or networks (`10.0.0.0/8`): what they say in
    /// `X-Forwarded-For` or `Forwarded` is believed.
    pub trusted_proxies: Vec<String>,
    /// Who may read `/metrics`, as addresses or networks.
    pub metrics_from: Vec<String>,
    /// Encrypts connections, unless a proxy in front does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<Tls>,
}

impl Default for Network {
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
        for host in &self.hosts {
            if host.is_empty() || host.contains(['/', ':', ' ']) {
                mistakes
                    .push(format!("network.hosts: {host:?} is no name such as play.example.org"));
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
        if let Some(Err(error)) = self.tls.as_ref().map(Tls::load) {
            mistakes.push(error.to_string());
        }
    }

    /// The proxies that are trusted.
    pub fn proxies(&self) -> Vec<IpNet> {
        read_networks(&self.trusted_proxies)
    }

    /// Where metrics may be read.
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

/// An address with a port. `localhost` is the loopback; other names are not looked up, because they
/// may lead elsewhere tomorrow.
pub(super) fn read_listen(text: &str) -> Result<SocketAddr, String> {
    let named = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    named.as_deref().unwrap_or(text).parse().map_err(|_| {
        format!(
            "{text:?} is no address with a port, such as 127.0.0.1:7777 for this machine alone, \
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
    fn where_to_listen_is_an_address_or_is_explained() {
        assert_eq!(read_listen("localhost:7825").unwrap(), ([127, 0, 0, 1], 7825).into());
        assert_eq!(read_listen("[::]:7825").unwrap().port(), 7825);
        for wrong in [":7825", "7825", "localhost", "example.org:7825", "localhost:x", ""] {
            let error = read_listen(wrong).unwrap_err();
            assert!(error.contains("such as 127.0.0.1:7777"), "{error}");
        }
    }
}
