//! Ports for programs that are told where to listen.

use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    io,
    net::{Ipv4Addr, TcpListener},
};

/// The lowest port. All lie below those that Linux gives to outgoing connections, 32768 and above:
/// of these any program could get one between this choice and the start, or restart, of a server.
const FIRST: u16 = 20_000;

/// How many ports there are.
const COUNT: u16 = 12_000;

/// How many ports are tried.
const TRIES: u32 = 100;

/// Returns a random port of the loopback on which no program listens.
///
/// # Errors
///
/// If all ports that were tried are taken.
pub fn free_port() -> io::Result<u16> {
    let mut failed = None;
    for _ in 0..TRIES {
        let drawn = RandomState::new().build_hasher().finish() % u64::from(COUNT);
        let port = FIRST + u16::try_from(drawn).unwrap_or_default();
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(_) => return Ok(port),
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or_else(|| io::ErrorKind::AddrNotAvailable.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_free_and_no_connection_gets_it() {
        let port = free_port().unwrap();
        assert!((FIRST..FIRST + COUNT).contains(&port), "{port}");
        TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
    }
}
