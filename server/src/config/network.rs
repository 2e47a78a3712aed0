//! Where the server listens and whom it lets in.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use serde::{Deserialize, Serialize};

/// Where the server listens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Network {
    /// The address and port; port 0 takes any free one.
    pub listen: SocketAddr,
    /// Web pages, beside the server's own, that may open a WebSocket: `https://example.org`.
    pub origins: Vec<String>,
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
        if let Some(tls) = &self.tls {
            for (name, path) in [("certificate", &tls.certificate), ("key", &tls.key)] {
                if let Err(error) = std::fs::metadata(path) {
                    mistakes.push(format!("network.tls.{name}: {}: {error}", path.display()));
                }
            }
        }
    }
}
