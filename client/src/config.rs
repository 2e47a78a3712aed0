//! The settings of a connection and the address of a server. Nothing here is read from files or the
//! environment.

use std::{fmt, net::IpAddr, path::PathBuf, str::FromStr, time::Duration};

use adamant_protocol::{
    WEBSOCKET_PATH,
    from_client::{Auth, CAP_LEGAL, Cursor, Software},
    ids::GameId,
};
use tokio_tungstenite::tungstenite::http::Uri;

/// The settings of a connection.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Config {
    /// The server's address.
    pub address: Address,
    /// The user's credentials. Without them a session may watch and sign up, but not play.
    pub auth: Option<Auth>,
    /// Optional capabilities to ask for, such as `legal`.
    pub caps: Vec<Box<str>>,
    /// The name and version of the program, for the server's logs.
    pub software: Software,
    /// A PEM file of certificates to trust besides those of the machine.
    pub extra_ca: Option<PathBuf>,
    /// The cursors of games from an earlier run.
    pub resume: Vec<(GameId, Cursor)>,
    /// Whether to reconnect after a drop.
    pub reconnect: Reconnect,
    /// The longest wait, named by the server, after which the client sends a refused request again
    /// by itself. A program where a person waits may prefer the refusal.
    pub retry_wait_max: Duration,
}

/// The longest wait of a program for a refused request.
const RETRY_WAIT_MAX: Duration = Duration::from_mins(1);

/// Whether to reconnect after a drop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Reconnect {
    /// The first drop ends the connection for good.
    Never,
    /// Gives up after this number of failed attempts in a row.
    Attempts(u32),
    /// Reconnects until the server forbids it.
    Forever,
}

impl Config {
    /// Returns settings without credentials, which reconnect forever.
    pub fn new(address: Address) -> Self {
        Self {
            address,
            auth: None,
            caps: Vec::new(),
            software: Software::new(
                env!("CARGO_PKG_NAME").into(),
                env!("CARGO_PKG_VERSION").into(),
            ),
            extra_ca: None,
            resume: Vec::new(),
            reconnect: Reconnect::Forever,
            retry_wait_max: RETRY_WAIT_MAX,
        }
    }

    /// Asks for a list of legal moves with each turn.
    #[must_use]
    pub fn with_legal_moves(mut self) -> Self {
        self.caps.push(CAP_LEGAL.into());
        self
    }

    /// Sets the user's credentials.
    #[must_use]
    pub fn with_auth(mut self, auth: Auth) -> Self {
        self.auth = Some(auth);
        self
    }
}

// A server's address. People write `example.org`; a socket needs a scheme, a port and a path.
//
// An address without a scheme is encrypted, so that no password crosses a network in the clear,
// except to this machine.

/// A server's WebSocket endpoint.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    secure: bool,
    host: Box<str>,
    port: u16,
    uri: Uri,
}

/// Why a text is not the address of a server.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("\"{text}\" is not a server's address: {why}")]
pub struct ParseAddressError {
    /// The text, without anything that could be a password.
    pub text: Box<str>,
    /// The reason.
    pub why: &'static str,
}

impl Address {
    /// Returns whether the connection uses TLS.
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// Returns the host's name or IP address, without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns whether all that is sent crosses a network in the clear: without TLS, and not to this
    /// machine.
    pub fn is_exposed(&self) -> bool {
        !self.secure && !is_loopback(&self.host)
    }

    /// Returns the TCP port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the key under which to store data of the server. Spellings of one address share it,
    /// and so do all names of this machine.
    pub fn key(&self) -> String {
        let scheme = if self.secure { "wss" } else { "ws" };
        let host = match &*self.host {
            "localhost" | "::1" => "127.0.0.1".to_owned(),
            number if number.contains(':') => format!("[{number}]"),
            name => name.to_owned(),
        };
        let path = match self.uri.path() {
            WEBSOCKET_PATH => "",
            other => other,
        };
        match (self.port, self.secure) {
            (443, true) | (80, false) => format!("{scheme}://{host}{path}"),
            (port, _) => format!("{scheme}://{host}:{port}{path}"),
        }
    }

    /// Returns the URL of a page of the server, such as `/game/k7q2mx`.
    pub fn page_url(&self, path: &str) -> String {
        let scheme = if self.secure { "https" } else { "http" };
        let host = match &*self.host {
            number if number.contains(':') => format!("[{number}]"),
            name => name.to_owned(),
        };
        match (self.port, self.secure) {
            (443, true) | (80, false) => format!("{scheme}://{host}{path}"),
            (port, _) => format!("{scheme}://{host}:{port}{path}"),
        }
    }

    /// Returns the URI of the upgrade request.
    pub(crate) fn uri(&self) -> &Uri {
        &self.uri
    }
}

impl FromStr for Address {
    type Err = ParseAddressError;

    fn from_str(text: &str) -> Result<Self, ParseAddressError> {
        let text = text.trim();
        if text.contains('@') {
            // The part before an @ may be a password, and errors end up in logs.
            let text = "...@...".into();
            return Err(ParseAddressError { text, why: "names and passwords do not belong in it" });
        }
        let bad = |why| ParseAddressError { text: text.into(), why };
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, text),
        };
        let (authority, path) = match rest.split_once('/') {
            Some((authority, path)) if !path.is_empty() => (authority, format!("/{path}")),
            Some((authority, _)) => (authority, WEBSOCKET_PATH.to_owned()),
            None => (rest, WEBSOCKET_PATH.to_owned()),
        };
        let uri = |scheme: &str, authority: &str| -> Result<Uri, ParseAddressError> {
            let uri = format!("{scheme}://{authority}{path}").parse();
            uri.map_err(|_| bad("it looks like wss://host:port"))
        };
        let typed = uri("ws", authority)?;
        let host = typed.host().unwrap_or_default();
        if host.is_empty() {
            return Err(bad("the host is missing"));
        }
        if typed.port().is_none() && authority != host {
            return Err(bad("the port is a number"));
        }
        let host: Box<str> = host.trim_matches(['[', ']']).to_ascii_lowercase().into();
        let (secure, usual) = match scheme.as_deref() {
            Some("ws" | "http") => (false, 80),
            Some("wss" | "https") => (true, 443),
            Some(_) => return Err(bad("it begins with ws:// or wss://")),
            None if is_loopback(&host) => (false, LOCAL_PORT),
            None => (true, 443),
        };
        let port = typed.port_u16().unwrap_or(usual);
        let has_port = typed.port().is_some() || scheme.is_some();
        let authority = if has_port { authority.to_owned() } else { format!("{authority}:{port}") };
        let uri = uri(if secure { "wss" } else { "ws" }, &authority)?;
        Ok(Self { secure, host, port, uri })
    }
}

/// The port of a server on this machine.
const LOCAL_PORT: u16 = 7777;

/// Whether a name or an IP address is this machine's own, whatever the network says.
fn is_loopback(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.uri.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of the table that all clients share.
    #[derive(serde::Deserialize)]
    struct Case {
        address: String,
        url: Option<String>,
        /// Whether a client says that nothing is encrypted.
        #[serde(default)]
        plain: bool,
    }

    #[test]
    fn addresses_are_completed_as_in_all_clients() {
        let cases: Vec<Case> =
            serde_json::from_str(include_str!("../tests/addresses.json")).unwrap();
        for Case { address: text, url, plain } in cases {
            let address = text.parse::<Address>().ok();
            let (scheme, path) = match &address {
                Some(address) if address.is_secure() => ("wss", address.uri.path()),
                Some(address) => ("ws", address.uri.path()),
                None => ("", ""),
            };
            let read = address.as_ref().map(|Address { host, port, .. }| {
                let host = if host.contains(':') { format!("[{host}]") } else { host.to_string() };
                format!("{scheme}://{host}:{port}{path}")
            });
            assert_eq!(read, url, "{text}");
            assert_eq!(address.is_some_and(|address| address.is_exposed()), plain, "{text}");
        }
    }

    #[test]
    fn spellings_of_one_address_share_a_key() {
        let key = |text: &str| text.parse::<Address>().unwrap().key();
        for text in
            ["localhost:7777", "ws://127.0.0.1:7777/v1/ws", "http://LOCALHOST:7777/", "[::1]:7777"]
        {
            assert_eq!(key(text), "ws://127.0.0.1:7777", "{text}");
        }
        assert_eq!(key("wss://Play.example.org:443"), "wss://play.example.org");
        assert_eq!(key("wss://a.example/games/v1/ws"), "wss://a.example/games/v1/ws");
        assert_eq!(key("ws://[2001:db8::1]:7777"), "ws://[2001:db8::1]:7777");
        assert_eq!(key(&key("[2001:db8::1]:7777")), key("[2001:db8::1]:7777"));
    }

    #[test]
    fn bad_addresses_are_rejected_without_repeating_secrets() {
        let error = "ws://ann:hunter2@a.example".parse::<Address>().unwrap_err();
        assert!(!error.to_string().contains("hunter2"));
    }
}
