//! The section `[network]`: the server's address, the hosts, origins and proxies that it accepts, and
//! its certificate.

use std::{
    fs::File,
    io::{self, BufReader},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

use ipnet::IpNet;
use rustls::{
    ServerConfig,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject as _},
    },
};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use x509_cert::{Certificate, der::Decode as _};

/// The server's address, and the hosts, origins and proxies that it accepts.
#[expect(missing_docs, reason = "config/default.toml says what each key means")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkConfig {
    #[serde(deserialize_with = "listen_in_file")]
    pub listen: SocketAddr,
    pub origins: Vec<String>,
    pub hosts: Vec<String>,
    pub trusted_proxies: Vec<String>,
    pub metrics_from: Vec<String>,
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

/// An origin, as `https://play.example.org` or `capacitor://localhost`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    scheme: String,
    host: String,
    /// Unless it is that of the scheme.
    port: Option<u16>,
}

/// The text is not an origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotAnOrigin;

impl Origin {
    pub(crate) fn is_encrypted(&self) -> bool {
        self.scheme == "https"
    }

    /// Whether a page of this origin came from a server that was addressed as `host`, which is the
    /// header of that name.
    pub(crate) fn is_of(&self, host: &str) -> bool {
        let same = format!("{}://{host}", self.scheme).parse();
        same.is_ok_and(|same: Self| same == *self)
    }
}

impl FromStr for Origin {
    type Err = NotAnOrigin;

    fn from_str(text: &str) -> Result<Self, NotAnOrigin> {
        let (scheme, rest) = text.split_once("://").ok_or(NotAnOrigin)?;
        let starts_well = scheme.starts_with(|first: char| first.is_ascii_alphabetic());
        let in_scheme = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
        if !starts_well || !scheme.chars().all(in_scheme) {
            return Err(NotAnOrigin);
        }
        // The address of IPv6 stands in brackets.
        let end = rest.find(']').map_or(0, |bracket| bracket + 1);
        let colon = rest.get(end..).and_then(|after| after.find(':')).map(|colon| end + colon);
        let (host, port) = match colon {
            Some(colon) => {
                (&rest[..colon], Some(rest[colon + 1..].parse().map_err(|_| NotAnOrigin)?))
            }
            None => (rest, None),
        };
        let in_host = |letter: char| letter.is_ascii_alphanumeric() || "-._[]:".contains(letter);
        if host.is_empty() || !host.chars().all(in_host) {
            return Err(NotAnOrigin);
        }
        let scheme = scheme.to_ascii_lowercase();
        let default = match scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        };
        let port = port.filter(|port| Some(*port) != default);
        Ok(Self { scheme, host: host.to_ascii_lowercase(), port })
    }
}

/// A certificate and its key, as PEM files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TlsConfig {
    /// The certificate and its chain.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// Why certificate and key cannot be used.
#[expect(missing_docs, reason = "each message says it")]
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("network.tls.{name}: {path}: {error}")]
    File { name: &'static str, path: String, error: io::Error },
    #[error("network.tls.{name}: {path}: has no {what} in PEM format")]
    Pem { name: &'static str, path: String, what: &'static str },
    #[error("network.tls: {key} is not the key of the certificate in {certificate}")]
    Mismatch { certificate: String, key: String },
    #[error("network.tls: {certificate} and {key} cannot be used: {error}")]
    Unusable { certificate: String, key: String, error: rustls::Error },
}

/// A certificate with its key, for connections.
#[derive(Debug, Clone)]
pub(crate) struct LoadedTls {
    pub(crate) server: Arc<ServerConfig>,
    pub(crate) certificate: CertificateDer<'static>,
    /// When it expires, in epoch milliseconds; none if that cannot be read.
    pub(crate) expires_at: Option<u64>,
}

impl TlsConfig {
    /// Reads certificate and key. Names the cryptography provider, never the process's default.
    pub(crate) fn load(&self) -> Result<LoadedTls, TlsError> {
        let chain = open("certificate", &self.certificate)?;
        let chain = CertificateDer::pem_reader_iter(chain).collect::<Result<Vec<_>, _>>();
        let chain = chain.map_err(|error| unread("certificate", &self.certificate, error))?;
        let Some(certificate) = chain.first().cloned() else {
            return Err(unread("certificate", &self.certificate, pem::Error::NoItemsFound));
        };
        let key = PrivateKeyDer::from_pem_reader(open("key", &self.key)?)
            .map_err(|error| unread("key", &self.key, error))?;
        let shown = |path: &Path| path.display().to_string();
        let unusable = |error| {
            let (certificate, key) = (shown(&self.certificate), shown(&self.key));
            if matches!(error, rustls::Error::InconsistentKeys(_)) {
                TlsError::Mismatch { certificate, key }
            } else {
                TlsError::Unusable { certificate, key, error }
            }
        };
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(unusable)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let expires_at = expiry_of(&certificate);
        Ok(LoadedTls { server: Arc::new(config), certificate, expires_at })
    }
}

fn expiry_of(certificate: &CertificateDer<'_>) -> Option<u64> {
    let certificate = Certificate::from_der(certificate).ok()?;
    let until = certificate.tbs_certificate.validity.not_after.to_unix_duration();
    u64::try_from(until.as_millis()).ok()
}

fn open(name: &'static str, path: &Path) -> Result<BufReader<File>, TlsError> {
    File::open(path).map(BufReader::new).map_err(|error| unread(name, path, pem::Error::Io(error)))
}

fn unread(name: &'static str, path: &Path, error: pem::Error) -> TlsError {
    let path = path.display().to_string();
    let what = if name == "key" { "private key" } else { "certificate" };
    if let pem::Error::Io(error) = error {
        TlsError::File { name, path, error }
    } else {
        TlsError::Pem { name, path, what }
    }
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

    #[test]
    fn default_ports_are_none_and_what_no_browser_sends_is_no_origin() {
        let origin = |text: &str| text.parse::<Origin>();
        for (text, host) in [
            ("https://games.example", "games.example"),
            ("https://games.example", "Games.Example:443"),
            ("https://games.example:443", "games.example"),
            ("http://games.example", "games.example:80"),
            ("http://[::1]:7777", "[::1]:7777"),
        ] {
            assert!(origin(text).unwrap().is_of(host), "{text} {host}");
        }
        for (text, host) in [
            ("https://games.example:8443", "games.example"),
            ("http://games.example", "games.example:443"),
            ("https://games.example", "games.example.evil.example"),
        ] {
            assert!(!origin(text).unwrap().is_of(host), "{text} {host}");
        }
        for text in ["capacitor://localhost", "tauri://localhost", "moz-extension://0f0f-4000"] {
            assert!(origin(text).is_ok(), "{text}");
        }
        for text in
            ["null", "", "games.example", "https://", "https://*.example", "https://a/b", "://a"]
        {
            assert_eq!(origin(text), Err(NotAnOrigin), "{text}");
        }
    }
}
