//! Origins of pages and apps, as browsers send them, compared as origins: a port that a scheme has
//! by default is the same as none.

use std::str::FromStr;

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
    /// Whether the scheme encrypts.
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

#[cfg(test)]
mod tests {
    use super::*;

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
