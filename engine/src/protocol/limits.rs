//! Every bound of the protocol, with its reason.

use std::time::Duration;

/// The version of the protocol.
pub const VERSION: u32 = 1;

/// The longest line of an engine in bytes. A move has fewer than 400, and a `pv` is cut.
pub const LINE_BYTES_MAX: usize = 64 * 1024;

/// The bytes that may wait for an engine that does not read. The position of the longest game has
/// less than half a megabyte.
pub const OUTGOING_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Moves of an answer to `legal` without `max`: as many as the server sends to clients.
pub const LEGAL_DEFAULT: usize = 512;

/// Moves of an answer to `legal` at the most: more than a line for an engine can use.
pub const LEGAL_MAX: usize = 10_000;

/// Questions about one position at the most. An engine that asks more is in a loop.
pub const QUESTIONS_PER_THOUGHT_MAX: u32 = 1_000;

/// Faulty lines of one engine that are logged. The others are only counted.
pub const FAULTS_LOGGED_MAX: u32 = 20;

/// Lines that wait at `adamant engine` for the end of a thought. The next one ends the thought.
pub const HEARD_MAX: usize = 64;

/// The time from the start of an engine to its `ready`: some load large files first.
pub const HANDSHAKE_WAIT: Duration = Duration::from_secs(30);

/// The time from `stop` to `bestmove`. A longer one would cost time on the clock.
pub const STOP_WAIT: Duration = Duration::from_millis(300);

/// The time for the answer to an offer. A longer one would cost time on the clock.
pub const DRAW_WAIT: Duration = Duration::from_secs(1);

/// The time from `quit` to the end of the process, before it is killed.
pub const QUIT_WAIT: Duration = Duration::from_secs(2);

/// The pause before an engine is started again, so that one that crashes at once does not keep a
/// core busy.
pub const RESTART_WAIT: Duration = Duration::from_millis(100);

/// What an engine may use beyond the time of `go movetime`, before the player sends `stop`.
pub const MOVETIME_SLACK: Duration = Duration::from_millis(200);

/// The time after `stop` in which an engine without a clock may still answer.
pub const UNTIMED_STOP_WAIT: Duration = Duration::from_secs(5);

/// The longest thought where neither a clock nor a setting limits it.
pub const THOUGHT_MAX: Duration = Duration::from_mins(10);
