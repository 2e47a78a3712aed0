//! The client's address behind a proxy: `X-Forwarded-For` and `Forwarded` count only from proxies
//! that the operator has named.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderName, header};
use ipnet::IpNet;

/// The proxies whose word counts.
#[derive(Debug, Clone)]
pub(super) struct Proxies(Vec<IpNet>);

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

impl Proxies {
    pub(super) const fn new(trusted: Vec<IpNet>) -> Self {
        Self(trusted)
    }

    /// Whether this address is a proxy's.
    pub(super) fn trusts(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The address of the client behind a connection.
    ///
    /// A header is read from its end, which the nearest proxy has written. The client's address is
    /// the last one that belongs to no proxy; the client may have written those before it. Most
    /// proxies write one of the two headers and pass the other on as they received it. If both are
    /// there and differ, neither is used.
    pub(super) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        if !self.trusts(peer) {
            return peer;
        }
        match *self.forwarded_clients(peer, headers) {
            [ref one] => one.address,
            [ref one, ref other] if one.address == other.address => one.address,
            _ => peer,
        }
    }

    /// Whether all that is said of the client can be read, and agrees.
    pub(super) fn are_consistent(&self, peer: IpAddr, headers: &HeaderMap) -> bool {
        if !self.trusts(peer) {
            return true;
        }
        let claims = self.forwarded_clients(peer, headers);
        claims.iter().all(|one| one.is_read && one.address == claims[0].address)
    }

    /// What each header says that is there.
    fn forwarded_clients(&self, peer: IpAddr, headers: &HeaderMap) -> Vec<ForwardedClient> {
        let ways = [
            (&X_FORWARDED_FOR, read_plain as fn(&str) -> Option<IpAddr>),
            (&header::FORWARDED, read_forwarded),
        ];
        ways.into_iter()
            .filter(|(name, _)| headers.contains_key(*name))
            .map(|(name, read)| self.nearest_client(peer, headers, name, read))
            .collect()
    }

    /// Follows one header from its end while the addresses are those of proxies. At an invalid
    /// address, the last proxy stands for all behind it.
    fn nearest_client(
        &self,
        peer: IpAddr,
        headers: &HeaderMap,
        name: &HeaderName,
        read: fn(&str) -> Option<IpAddr>,
    ) -> ForwardedClient {
        let lines: Vec<&str> =
            headers.get_all(name).iter().map(|line| line.to_str().unwrap_or("")).collect();
        let mut nearest = peer;
        for word in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
            let Some(address) = read(word.trim()) else {
                return ForwardedClient { address: nearest, is_read: false };
            };
            nearest = address;
            if !self.trusts(address) {
                break;
            }
        }
        ForwardedClient { address: nearest, is_read: true }
    }
}

/// What a header says of the client.
#[derive(Debug, Clone, Copy)]
struct ForwardedClient {
    address: IpAddr,
    /// Whether it could be read up to there.
    is_read: bool,
}

/// An address, perhaps with a port, as in `X-Forwarded-For`.
fn read_plain(word: &str) -> Option<IpAddr> {
    let bare = word.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(word);
    let with_port = || word.parse::<SocketAddr>().ok().map(|socket| socket.ip());
    bare.parse().ok().or_else(with_port).map(|address: IpAddr| address.to_canonical())
}

/// One element of `Forwarded` (RFC 7239), such as `for="[2001:db8::1]:4711";proto=https`.
fn read_forwarded(element: &str) -> Option<IpAddr> {
    let mut pairs = element.split(';').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(name, _)| name.trim().eq_ignore_ascii_case("for"))?;
    read_plain(value.trim().trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    const XFF: HeaderName = X_FORWARDED_FOR;
    const FORWARDED: HeaderName = header::FORWARDED;

    fn client(peer: &str, lines: &[(HeaderName, &'static str)]) -> String {
        let trusted = ["127.0.0.1/32", "10.0.0.0/8", "fd00::/8"];
        let proxies = Proxies::new(trusted.iter().map(|net| net.parse().unwrap()).collect());
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(name, HeaderValue::from_static(value));
        }
        proxies.client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn only_a_named_proxy_is_believed() {
        assert_eq!(client("127.0.0.1", &[(XFF, "1.2.3.4")]), "1.2.3.4");
        assert_eq!(client("::ffff:127.0.0.1", &[(XFF, "1.2.3.4")]), "1.2.3.4");
        assert_eq!(client("9.9.9.9", &[(XFF, "1.2.3.4")]), "9.9.9.9");
        assert_eq!(client("9.9.9.9", &[(FORWARDED, "for=1.2.3.4")]), "9.9.9.9");
        assert_eq!(client("127.0.0.1", &[]), "127.0.0.1");
    }

    #[test]
    fn addresses_that_the_client_wrote_do_not_count() {
        assert_eq!(client("127.0.0.1", &[(XFF, "6.6.6.6, 1.2.3.4")]), "1.2.3.4");
        assert_eq!(client("127.0.0.1", &[(XFF, "6.6.6.6"), (XFF, "1.2.3.4")]), "1.2.3.4");
        assert_eq!(client("127.0.0.1", &[(XFF, "6.6.6.6, 1.2.3.4, 10.0.0.7")]), "1.2.3.4");
        assert_eq!(client("127.0.0.1", &[(XFF, "10.6.6.6, 10.0.0.7")]), "10.6.6.6");
        assert_eq!(client("127.0.0.1", &[(FORWARDED, "for=6.6.6.6, for=1.2.3.4")]), "1.2.3.4");
        // A header that the proxy does not write is the client's own.
        let both = [(XFF, "1.2.3.4"), (FORWARDED, "for=6.6.6.6")];
        assert_eq!(client("127.0.0.1", &both), "127.0.0.1");
        let agreed = [(XFF, "1.2.3.4"), (FORWARDED, "for=1.2.3.4;proto=https")];
        assert_eq!(client("127.0.0.1", &agreed), "1.2.3.4");
    }

    #[test]
    fn every_spelling_of_an_address_is_read_and_nonsense_is_not() {
        for (word, address) in [
            ("1.2.3.4:5678", "1.2.3.4"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("::ffff:1.2.3.4", "1.2.3.4"),
            (" 1.2.3.4 ", "1.2.3.4"),
            ("unknown", "10.0.0.7"),
            ("", "10.0.0.7"),
        ] {
            assert_eq!(client("10.0.0.7", &[(XFF, word)]), address, "{word:?}");
        }
        for (element, address) in [
            ("for=1.2.3.4", "1.2.3.4"),
            ("For=\"1.2.3.4:80\"", "1.2.3.4"),
            ("for=\"[2001:db8::1]:4711\";proto=http", "2001:db8::1"),
            ("proto=http;for=1.2.3.4;by=10.0.0.7", "1.2.3.4"),
            ("for=_hidden", "10.0.0.7"),
            ("proto=http", "10.0.0.7"),
        ] {
            assert_eq!(client("10.0.0.7", &[(FORWARDED, element)]), address, "{element:?}");
        }
        assert_eq!(client("10.0.0.7", &[(XFF, "1.2.3.4, unknown")]), "10.0.0.7");
    }
}
