//! What each workload is called, for those who measure it and those who judge what was measured.

/// Moves in a closed loop.
pub fn moves(rooms: usize) -> String {
    format!("W1 moves, {rooms} rooms")
}

/// Moves at a pace.
pub fn paced(per_s: u32) -> String {
    format!("W1 paced {per_s}/s{TO_ACK}")
}

/// The same with a slow disk.
pub fn slow_paced(per_s: u32) -> String {
    format!("{SLOW_DISK} {per_s}/s{TO_ACK}")
}

/// A closed loop with a slow disk.
pub fn slow_moves(rooms: usize) -> String {
    format!("{SLOW_DISK} closed loop, {rooms} rooms")
}

/// How all workloads end whose moves are made at a pace.
pub const TO_ACK: &str = ", move to ack";

/// How all workloads on a slow disk begin.
pub const SLOW_DISK: &str = "W1 slow disk,";

/// One append and its flush on the disk as it is.
pub const FLUSH: &str = "flush of 4 KiB";

/// The slowest of a hundred.
pub const FLUSH_P99: &str = "flush of 4 KiB, p99";

/// The same on the disk that is slowed down.
pub const SLOW_FLUSH: &str = "flush of 4 KiB, slow disk";

/// One room and its spectators.
pub fn fan_out(spectators: usize) -> String {
    format!("W2 fan-out, {spectators} spectators")
}

/// The memory of one more socket.
pub const SOCKET: &str = "W3 idle socket";

/// The memory of one more live room.
pub const LIVE_ROOM: &str = "W3 live room";

/// The memory of one more parked game.
pub const PARKED_GAME: &str = "W3 parked game";

/// A move's way to its answer while nobody else is there.
pub const ACK_ALONE: &str = "W3 move to ack, empty server";

/// A move's way to the other player while nobody else is there.
pub const EVENT_ALONE: &str = "W3 move to event, empty server";

/// A move's way to its answer in a full server.
pub const ACK_CROWDED: &str = "W3 move to ack, full server";

/// A move's way to the other player in a full server.
pub const EVENT_CROWDED: &str = "W3 move to event, full server";

/// Memory once everybody has left for so many times.
pub fn memory_after(wave: usize) -> String {
    format!("W3 memory after wave {wave}")
}

/// Descriptors that are open after the last wave, above those after the first.
pub const DESCRIPTORS_KEPT: &str = "W3 descriptors kept, after three waves";

/// The handshake alone.
pub const CONNECT: &str = "W4 connect";

/// The handshake and the welcome of somebody new.
pub const CONNECT_NEW: &str = "W4 connect + hello, new guest";

/// The handshake and the welcome of somebody known.
pub const CONNECT_TOKEN: &str = "W4 connect + hello, token";

/// From `kill -9` to listening.
pub fn recovery(games: usize) -> String {
    format!("W5 recovery, {games} live games")
}

/// A move's way to the other player without spectators.
pub const UNWATCHED: &str = "W7 move to event, no spectators";

/// A move's way to the other player among spectators, some of whom do not read.
pub const WATCHED: &str = "W7 move to event, spectators";

/// Spectators who do not read and are still connected in the end.
pub const NOT_CUT_OFF: &str = "W7 do not read, not cut off";

/// Spectators who were cut off and that the server has not counted by cause.
pub const NOT_COUNTED: &str = "W7 cut off, not counted";
