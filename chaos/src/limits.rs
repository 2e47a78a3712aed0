//! Limits of the chaos mode. Its waits are those of a test: long enough for a busy machine.

use std::time::Duration;

/// The longest wait for the head of an HTTP request, and its size in bytes.
pub(crate) const HEAD: (Duration, usize) = (Duration::from_secs(5), 8_192);

/// The longest wait for the handshakes and for the end of a connection.
pub(crate) const HANDSHAKE_MAX: Duration = Duration::from_secs(10);

/// The longest wait for a closing handshake: a client that does not answer has read the code.
pub(crate) const CLOSE_MAX: Duration = Duration::from_millis(500);

/// The longest time for which frames of one game wait so that those of others overtake them.
pub(crate) const HOLD_MAX: Duration = Duration::from_millis(60);

/// Frames that overtake at most.
pub(crate) const OVERTAKING_MAX: u32 = 4;

/// The longest wait for records that a snapshot contains, and for the reply that is to be lost.
pub(crate) const REPLY_MAX: Duration = Duration::from_secs(2);

/// Restarts of the inner server that may wait for their turn.
pub(crate) const RESTARTS_MAX: usize = 4;

/// The largest frame in bytes that is read at all from the client under test. It is larger than the
/// protocol's limit, so that the inner server can reject it.
pub(crate) const READ_BYTES_MAX: usize = 1 << 20;

/// Games at once of the client under test.
pub(crate) const GAMES_AT_ONCE: usize = 3;

/// Challenges in a row that the client may decline.
pub(crate) const DECLINES_MAX: u32 = 12;
