//! The names of the workloads, shared by the measurements and the thresholds.

/// Moves in a closed loop.
pub fn moves(rooms: usize) -> String {
    format!("moves: {rooms} rooms")
}

/// Moves at a fixed rate.
pub fn paced(per_s: u32) -> String {
    format!("moves at {per_s}/s{TO_ACK}")
}

/// Moves at a fixed rate on a slow disk.
pub fn slow_paced(per_s: u32) -> String {
    format!("{SLOW_DISK} {per_s}/s{TO_ACK}")
}

/// Moves in a closed loop on a slow disk.
pub fn slow_moves(rooms: usize) -> String {
    format!("{SLOW_DISK} closed loop, {rooms} rooms")
}

/// The end of the names of all workloads at a fixed rate.
pub const TO_ACK: &str = ", move to ack";

/// The beginning of the names of all workloads on a slow disk.
pub const SLOW_DISK: &str = "slow disk:";

/// One append and its flush.
pub const FLUSH: &str = "flush of 4 KiB";

/// The 99th percentile of flushes.
pub const FLUSH_P99: &str = "flush of 4 KiB, p99";

/// One append and its flush on a slow disk.
pub const SLOW_FLUSH: &str = "flush of 4 KiB, slow disk";

/// One room and its spectators.
pub fn fan_out(spectators: usize) -> String {
    format!("fan-out: {spectators} spectators")
}

/// The memory of one more socket.
pub const SOCKET: &str = "memory: idle socket";

/// The memory of one more live room.
pub const LIVE_ROOM: &str = "memory: live room";

/// The memory of one more parked game.
pub const PARKED_GAME: &str = "memory: parked game";

/// From a move to its reply on an empty server.
pub const ACK_ALONE: &str = "move to ack, empty server";

/// From a move to its event at the other player on an empty server.
pub const EVENT_ALONE: &str = "move to event, empty server";

/// From a move to its reply on a full server.
pub const ACK_FULL: &str = "move to ack, full server";

/// From a move to its event at the other player on a full server.
pub const EVENT_FULL: &str = "move to event, full server";

/// Memory after all clients have left for the nth time.
pub fn memory_after(wave: usize) -> String {
    format!("memory: after wave {wave}")
}

/// Open descriptors after the last wave, minus those after the first.
pub const DESCRIPTORS_KEPT: &str = "descriptors kept after three waves";

/// The handshake alone.
pub const CONNECT: &str = "accept: connect";

/// Handshake and welcome of a new guest.
pub const CONNECT_NEW: &str = "accept: connect + hello, new guest";

/// Handshake and welcome of a known user.
pub const CONNECT_TOKEN: &str = "accept: connect + hello, token";

/// From `kill -9` to listening.
pub fn recovery(games: usize) -> String {
    format!("recovery: {games} live games")
}

/// From a move to its event at the other player without spectators.
pub const UNWATCHED: &str = "stalled readers: move to event, none";

/// The same with spectators, some of whom do not read.
pub const WATCHED: &str = "stalled readers: move to event, with";

/// Spectators who do not read and are still connected at the end.
pub const NOT_CLOSED: &str = "stalled readers: not closed";

/// Closed spectators that the server has not counted by cause.
pub const NOT_COUNTED: &str = "stalled readers: closed, not counted";

/// The beginning of the names of all noises.
pub const INTERFERENCE_BY: &str = "interference: by ";

/// The time before this noise.
pub fn quiet(noise: &str) -> String {
    format!("{noise}, quiet")
}

/// From a move to its reply, during this noise or before it.
pub fn to_ack(noise: &str) -> String {
    format!("{noise}{TO_ACK}")
}

/// The mean duration of a loop's pass.
pub const MEAN_PASS: &str = "mean pass";

/// The bucket of the 99th percentile of a loop's passes.
pub const P99_PASS: &str = "p99 pass, at most";

/// The bucket of a loop's longest pass.
pub const LONGEST_PASS: &str = "longest pass, at most";

/// Moves in a closed loop on a server with this many loops of games.
pub fn loops(loops: u16) -> String {
    format!("loops: {loops}, on as many cores")
}

/// The share of moves of the loop that has most of them.
pub const LARGEST_SHARE: &str = "loops: largest share of moves";

/// Several nodes, with all other processes and their databases.
pub const CLUSTER: &str = "cluster:";

/// One append and its flush on the disk of the databases.
pub const CLUSTER_FLUSH: &str = "cluster: flush of 4 KiB";

/// Moves in a closed loop between nodes on one core.
pub fn cluster_moves(rooms: usize) -> String {
    format!("{CLUSTER} moves, {rooms} rooms")
}

/// The same on all cores.
pub fn cluster_all_cores(rooms: usize) -> String {
    format!("{}, all cores", cluster_moves(rooms))
}

/// Moves between nodes at a fixed rate.
pub fn cluster_paced(per_s: u32) -> String {
    format!("{CLUSTER} moves at {per_s}/s{TO_ACK}")
}

/// The same, until the other player has the event from another node.
pub fn cluster_event(per_s: u32) -> String {
    format!("{CLUSTER} moves at {per_s}/s, move to event")
}

/// The beginning of the names of all workloads after a cut.
pub const CLUSTER_HELLO: &str = "cluster: hello,";

/// From the cut of all connections to the welcome of each.
pub fn cluster_hello(sockets: usize) -> String {
    format!("{CLUSTER_HELLO} {sockets} cut")
}

/// The same through HAProxy.
pub fn cluster_hello_balanced(sockets: usize) -> String {
    format!("{}, HAProxy", cluster_hello(sockets))
}

/// The time until the last client has its welcome.
pub fn all_back(hello: &str) -> String {
    format!("{hello}, all")
}

/// The end of the names of what failed after a cut.
pub const FAILED: &str = ", failed";

/// Connections that failed on the way to a welcome, and were tried again.
pub fn failed(hello: &str) -> String {
    format!("{hello}{FAILED}")
}

/// One part of what serves a workload.
pub fn of_part(workload: &str, part: &str) -> String {
    format!("{workload}: {part}")
}
