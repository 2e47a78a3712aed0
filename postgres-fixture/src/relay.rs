//! A TCP relay on the loopback that a test can stall, and that can end connections at any byte.

use std::{
    io::{self, Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

/// Bytes that a relay takes from a socket at once.
const PIECE_BYTES: usize = 16 * 1024;

/// A way through the relay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the program that connected to the relay.
    ToTarget,
    /// Back to the program that connected.
    FromTarget,
}

/// A relay between programs and one port on the loopback.
///
/// Programs notice a stalled relay as they would notice a network that loses everything: their
/// connections stay open, and nothing arrives. The relay ends with this value.
#[derive(Debug)]
pub struct Relay {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    ways: [Way; 2],
    connections: Vec<(TcpStream, TcpStream)>,
    /// Counts the cuts. A connection that is older than the last one has ended.
    cuts: u64,
    is_closed: bool,
}

/// One of the two directions.
#[derive(Debug, Default, Clone, Copy)]
struct Way {
    is_stalled: bool,
    /// Bytes that still pass before all connections end.
    left: Option<usize>,
    /// Bytes that have passed.
    passed: u64,
}

impl Relay {
    /// Starts a relay to this port.
    ///
    /// # Errors
    ///
    /// If no port can be had.
    pub fn start(target: u16) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let shared = Arc::<Shared>::default();
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming() {
                if accepting.lock().is_closed {
                    return;
                }
                // A target that is down refuses; the client sees its connection end.
                if let (Ok(client), Ok(server)) =
                    (client, TcpStream::connect(("127.0.0.1", target)))
                {
                    accepting.relay(client, server).ok();
                }
            }
        });
        Ok(Self { port, shared })
    }

    /// The port that programs connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Stops passing bytes in this direction, on all connections and on those to come.
    pub fn stall(&self, direction: Direction) {
        self.shared.change(|state| state.way(direction).is_stalled = true);
    }

    /// Passes bytes in both directions again, first those that waited.
    pub fn resume(&self) {
        self.shared.change(|state| state.ways.iter_mut().for_each(|way| way.is_stalled = false));
    }

    /// Ends all connections once this many more bytes have passed in this direction.
    pub fn cut_after(&self, direction: Direction, bytes: usize) {
        self.shared.change(|state| state.way(direction).left = Some(bytes));
    }

    /// Ends all connections. Bytes that waited are lost.
    pub fn cut(&self) {
        self.shared.change(State::cut);
    }

    /// How many bytes have passed in this direction since the start.
    pub fn passed(&self, direction: Direction) -> u64 {
        self.shared.lock().way(direction).passed
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.change(|state| {
            state.is_closed = true;
            state.cut();
        });
        // Wakes the thread that accepts.
        TcpStream::connect(("127.0.0.1", self.port)).ok();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    /// Starts the two threads of a connection.
    fn relay(self: &Arc<Self>, client: TcpStream, server: TcpStream) -> io::Result<()> {
        for stream in [&client, &server] {
            stream.set_nodelay(true)?;
        }
        let ways = [
            (Direction::ToTarget, client.try_clone()?, server.try_clone()?),
            (Direction::FromTarget, server.try_clone()?, client.try_clone()?),
        ];
        let mut state = self.lock();
        let cuts = state.cuts;
        state.connections.push((client, server));
        drop(state);
        for (direction, from, to) in ways {
            let shared = Arc::clone(self);
            thread::spawn(move || shared.pump(direction, from, to, cuts));
        }
        Ok(())
    }

    /// Passes bytes until one side ends, or the connection is cut.
    fn pump(&self, direction: Direction, mut from: TcpStream, mut to: TcpStream, cuts: u64) {
        let mut piece = [0; PIECE_BYTES];
        loop {
            let read = from.read(&mut piece).unwrap_or(0);
            let Some((passing, is_end)) = self.wait_for_way(direction, read, cuts) else { return };
            // Written under no lock: a full socket must not hold up the test.
            if read == 0 || to.write_all(&piece[..passing]).is_err() {
                to.shutdown(Shutdown::Write).ok();
                return;
            }
            if is_end {
                self.change(State::cut);
            }
        }
    }

    /// Waits until bytes may pass, and counts them before the receiver has them. Returns how many
    /// pass, and whether they are the last ones; nothing if the relay has cut the connection.
    fn wait_for_way(&self, direction: Direction, bytes: usize, cuts: u64) -> Option<(usize, bool)> {
        let mut state = self
            .changed
            .wait_while(self.lock(), |state| state.cuts == cuts && state.way(direction).is_stalled)
            .unwrap_or_else(PoisonError::into_inner);
        if state.cuts != cuts {
            return None;
        }
        let way = state.way(direction);
        let passing = way.left.map_or(bytes, |left| bytes.min(left));
        way.passed += passing as u64;
        way.left = way.left.map(|left| left - passing);
        Some((passing, way.left == Some(0)))
    }
}

impl State {
    fn way(&mut self, direction: Direction) -> &mut Way {
        &mut self.ways[match direction {
            Direction::ToTarget => 0,
            Direction::FromTarget => 1,
        }]
    }

    fn cut(&mut self) {
        self.cuts += 1;
        for way in &mut self.ways {
            way.left = None;
        }
        for (client, server) in self.connections.drain(..) {
            client.shutdown(Shutdown::Both).ok();
            server.shutdown(Shutdown::Both).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A relay to a server that sends back what it receives.
    fn relay_to_echo() -> Relay {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for client in listener.incoming() {
                let mut client = client.unwrap();
                thread::spawn(move || io::copy(&mut client.try_clone().unwrap(), &mut client));
            }
        });
        Relay::start(port).unwrap()
    }

    fn connect(relay: &Relay) -> TcpStream {
        TcpStream::connect(("127.0.0.1", relay.port())).unwrap()
    }

    fn read(stream: &mut TcpStream, bytes: usize) -> Vec<u8> {
        let mut answer = vec![0; bytes];
        stream.read_exact(&mut answer).unwrap();
        answer
    }

    #[test]
    fn bytes_of_a_stalled_direction_wait() {
        let relay = relay_to_echo();
        let mut client = connect(&relay);
        client.write_all(b"one").unwrap();
        assert_eq!(read(&mut client, 3), b"one");

        relay.stall(Direction::FromTarget);
        client.write_all(b"two").unwrap();
        client.set_nonblocking(true).unwrap();
        while relay.passed(Direction::ToTarget) < 6 {
            thread::yield_now();
        }
        let error = client.read(&mut [0; 3]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        assert_eq!(relay.passed(Direction::FromTarget), 3);

        relay.resume();
        client.set_nonblocking(false).unwrap();
        assert_eq!(read(&mut client, 3), b"two");
    }

    #[test]
    fn connections_end_after_the_last_byte_that_may_pass() {
        let relay = relay_to_echo();
        for bytes in [0, 1, 4] {
            let mut client = connect(&relay);
            relay.cut_after(Direction::FromTarget, bytes);
            client.write_all(b"12345").unwrap();
            let mut answer = Vec::new();
            client.read_to_end(&mut answer).ok();
            assert_eq!(answer, b"12345"[..bytes]);
        }
        let mut client = connect(&relay);
        client.write_all(b"again").unwrap();
        assert_eq!(read(&mut client, 5), b"again", "a new connection after the cut");
    }

    #[test]
    fn a_cut_ends_stalled_connections() {
        let relay = relay_to_echo();
        relay.stall(Direction::ToTarget);
        let mut client = connect(&relay);
        client.write_all(b"lost").unwrap();
        while relay.shared.lock().connections.is_empty() {
            thread::yield_now();
        }
        relay.cut();
        relay.resume();
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).ok();
        assert!(answer.is_empty());
        assert_eq!(relay.passed(Direction::ToTarget), 0);
    }
}
