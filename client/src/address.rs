//! A server's address. People write `example.org:7777`; a socket needs a scheme, a port and a path.

use std::{fmt, str::FromStr};

use adamant_protocol::WEBSOCKET_PATH;
use tokio_tungstenite::tungstenite::http::Uri;

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
        let (scheme, rest) = text.split_once("://").unwrap_or(("ws", text));
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "ws" | "http" => false,
            "wss" | "https" => true,
            _ => return Err(bad("it begins with ws:// or wss://")),
        };
        let scheme = if secure { "wss" } else { "ws" };
        let (authority, path) = match rest.split_once('/') {
            Some((authority, path)) if !path.is_empty() => (authority, format!("/{path}")),
            Some((authority, _)) => (authority, WEBSOCKET_PATH.to_owned()),
            None => (rest, WEBSOCKET_PATH.to_owned()),
        };
        let uri: Uri = format!("{scheme}://{authority}{path}")
            .parse()
            .map_err(|_| bad("it looks like ws://host:port"))?;
        let host = uri.host().unwrap_or_default();
        if host.is_empty() {
            return Err(bad("the host is missing"));
        }
        if uri.port().is_none() && authority != host {
            return Err(bad("the port is a number"));
        }
        let host = host.trim_matches(['[', ']']);
        let port = match (uri.port(), secure) {
            (Some(port), _) => port.as_u16(),
            (None, true) => 443,
            (None, false) => 80,
        };
        Ok(Self { secure, host: host.to_ascii_lowercase().into(), port, uri })
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

    fn read(text: &str) -> (String, String, u16, bool) {
        let address: Address = text.parse().unwrap();
        (address.to_string(), address.host().to_owned(), address.port(), address.is_secure())
    }

    #[test]
    fn short_addresses_are_completed() {
        let local = ("ws://127.0.0.1:7777/v1/ws".to_owned(), "127.0.0.1".to_owned(), 7777, false);
        assert_eq!(read("127.0.0.1:7777"), local);
        assert_eq!(read("ws://127.0.0.1:7777"), local);
        assert_eq!(read("ws://127.0.0.1:7777/"), local);
        assert_eq!(read(" http://127.0.0.1:7777/v1/ws "), local);
        let (uri, host, port, secure) = read("wss://Play.Example.org");
        assert_eq!((host.as_str(), port, secure), ("play.example.org", 443, true));
        assert!(uri.ends_with("/v1/ws"), "{uri}");
        assert_eq!(read("wss://a.example/games/v1/ws").0, "wss://a.example/games/v1/ws");
        assert_eq!(read("[::1]:7777").1, "::1");
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
        assert_eq!(key("[2001:db8::1]:7777"), "ws://[2001:db8::1]:7777");
        assert_eq!(key(&key("[2001:db8::1]:7777")), key("[2001:db8::1]:7777"));
    }

    #[test]
    fn bad_addresses_are_rejected_without_repeating_secrets() {
        for bad in ["", "ws://", "ftp://a.example", "ws://a b", "a.example:http", ":7777"] {
            assert!(bad.parse::<Address>().is_err(), "{bad:?}");
        }
        let error = "ws://ann:hunter2@a.example".parse::<Address>().unwrap_err();
        assert!(!error.to_string().contains("hunter2"));
    }
}
