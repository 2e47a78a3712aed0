//! The parts of an internet address that limits count by.

use std::{
    fmt,
    net::{AddrParseError, IpAddr, Ipv6Addr},
    str::FromStr,
};

use ipnet::IpNet;

/// A client's address as limits count it: an IPv4 address, or the /64 of an IPv6 address, which
/// one customer usually has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ClientAddress(IpAddr);

impl fmt::Display for ClientAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpAddr::V4(v4) => v4.fmt(f),
            IpAddr::V6(v6) => write!(f, "{v6}/64"),
        }
    }
}

impl From<IpAddr> for ClientAddress {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(v4) => Self(IpAddr::V4(v4)),
            IpAddr::V6(v6) => {
                let prefix = v6.to_bits() & !u128::from(u64::MAX);
                Self(IpAddr::V6(Ipv6Addr::from_bits(prefix)))
            }
        }
    }
}

/// A customer's network as limits count it: an IPv4 address, or the /48 of an IPv6 address, which
/// is the most that one customer usually has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ClientNetwork(IpAddr);

/// The network's first address, as the store keeps it.
impl fmt::Display for ClientNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for ClientNetwork {
    type Err = AddrParseError;

    fn from_str(text: &str) -> Result<Self, AddrParseError> {
        Ok(ClientAddress::from(text.parse::<IpAddr>()?).network())
    }
}

/// Bits of an IPv6 address that name a host or subnet within a customer's network.
const WITHIN_NETWORK_BITS: u32 = 128 - 48;

impl ClientAddress {
    pub(crate) fn network(self) -> ClientNetwork {
        match self.0 {
            IpAddr::V4(_) => ClientNetwork(self.0),
            IpAddr::V6(v6) => {
                let prefix = v6.to_bits() >> WITHIN_NETWORK_BITS << WITHIN_NETWORK_BITS;
                ClientNetwork(IpAddr::V6(Ipv6Addr::from_bits(prefix)))
            }
        }
    }

    /// Whether the address lies in a network.
    pub(crate) fn is_in(self, network: &IpNet) -> bool {
        network.contains(&self.0)
    }

    /// Returns the network if it is larger than the address; this is so for IPv6.
    pub(crate) fn wider_network(self) -> Option<ClientNetwork> {
        self.0.is_ipv6().then(|| self.network())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(text: &str) -> ClientAddress {
        text.parse::<IpAddr>().unwrap().into()
    }

    #[test]
    fn one_customer_of_ipv6_is_one_address() {
        assert_eq!(counted("2001:db8::1"), counted("2001:db8::ffff:2"));
        assert_ne!(counted("2001:db8::1"), counted("2001:db8:0:1::1"));
        assert_eq!(counted("::ffff:10.0.0.1"), counted("10.0.0.1"));
        assert_ne!(counted("10.0.0.1"), counted("10.0.0.2"));
    }

    #[test]
    fn the_addresses_of_one_48_are_one_network() {
        let network = |text| counted(text).network();
        assert_eq!(network("2001:db8:1::1"), network("2001:db8:1:ffff::2"));
        assert_ne!(network("2001:db8:1::1"), network("2001:db8:2::1"));
        assert_eq!(network("::ffff:10.0.0.1"), network("10.0.0.1"));
        assert_ne!(network("127.0.0.1"), network("127.0.0.2"));
    }

    #[test]
    fn a_network_keeps_its_text_form() {
        for address in ["2001:db8:1::1", "10.0.0.1"] {
            let network = counted(address).network();
            assert_eq!(network.to_string().parse(), Ok(network));
        }
    }
}
