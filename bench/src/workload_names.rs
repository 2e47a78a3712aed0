//! The names of the workloads, shared by the measurements and the thresholds.

use crate::target::Placement;

pub(crate) fn moves(rooms: usize) -> String {
    format!("moves: {rooms} rooms")
}

pub(crate) fn paced(per_s: u32) -> String {
    format!("moves at {per_s}/s{TO_ACK}")
}

pub(crate) fn slow_paced(per_s: u32) -> String {
    format!("{SLOW_DISK} {per_s}/s{TO_ACK}")
}

pub(crate) fn slow_moves(rooms: usize) -> String {
    format!("{SLOW_DISK} closed loop, {rooms} rooms")
}

/// The end of the names of all workloads at a fixed rate.
pub(crate) const TO_ACK: &str = ", move to ack";

/// The beginning of the names of all workloads on a slow disk.
pub(crate) const SLOW_DISK: &str = "slow disk:";
pub(crate) const FLUSH: &str = "flush of 4 KiB";
pub(crate) const FLUSH_P99: &str = "flush of 4 KiB, p99";
pub(crate) const SLOW_FLUSH: &str = "flush of 4 KiB, slow disk";

pub(crate) fn fan_out(spectators: usize) -> String {
    format!("fan-out: {spectators} spectators")
}

pub(crate) const SOCKET: &str = "memory: idle socket";
pub(crate) const LIVE_ROOM: &str = "memory: live room";
pub(crate) const LONG_ROOM: &str = "memory: room at ply 40";
pub(crate) const PARKED_GAME: &str = "memory: parked game";
pub(crate) const ACK_ALONE: &str = "move to ack, empty server";
pub(crate) const EVENT_ALONE: &str = "move to event, empty server";
pub(crate) const ACK_FULL: &str = "move to ack, full server";
pub(crate) const EVENT_FULL: &str = "move to event, full server";

pub(crate) fn memory_after(wave: usize) -> String {
    format!("memory: after wave {wave}")
}

/// Open descriptors after the last wave, minus those after the first.
pub(crate) const DESCRIPTORS_KEPT: &str = "descriptors kept after three waves";
pub(crate) const CONNECT: &str = "accept: connect";
pub(crate) const CONNECT_NEW: &str = "accept: connect + hello, new guest";
pub(crate) const CONNECT_TOKEN: &str = "accept: connect + hello, token";

pub(crate) fn recovery(games: usize) -> String {
    format!("recovery: {games} live games")
}

pub(crate) const UNWATCHED: &str = "stalled readers: move to event, none";
pub(crate) const WATCHED: &str = "stalled readers: move to event, with";
pub(crate) const NOT_CLOSED: &str = "stalled readers: not closed";

/// Closed spectators that the server has not counted by cause.
pub(crate) const NOT_COUNTED: &str = "stalled readers: closed, not counted";

/// The beginning of the names of all noises.
pub(crate) const INTERFERENCE_BY: &str = "interference: by ";

pub(crate) fn quiet(noise: &str) -> String {
    format!("{noise}, quiet")
}

pub(crate) fn to_ack(noise: &str) -> String {
    format!("{noise}{TO_ACK}")
}

pub(crate) const MEAN_PASS: &str = "mean pass";

/// The bucket of the 99th percentile of a loop's passes.
pub(crate) const P99_PASS: &str = "p99 pass, at most";

/// The bucket of a loop's longest pass.
pub(crate) const LONGEST_PASS: &str = "longest pass, at most";

/// The bots' games with a clock, beside games without one and analyses, and beside games of people.
pub(crate) const HOUSE_BESIDE_THOUGHTS: &str = "house: beside 100 untimed games, 500 analyses";
pub(crate) const HOUSE_BESIDE_ROOMS: &str = "house: beside 1,000 rooms";

/// The bucket of the longest wait of a search.
pub(crate) fn house_wait(name: &str) -> String {
    format!("{name}, wait up to")
}

pub(crate) fn house_answer(name: &str) -> String {
    format!("{name}, longest answer")
}

pub(crate) fn house_moves(name: &str) -> String {
    format!("{name}, answers")
}

/// The most memory more than before the searches.
pub(crate) fn house_memory(name: &str) -> String {
    format!("{name}, memory of searches")
}

pub(crate) fn loops(loops: u16) -> String {
    format!("loops: {loops}, on as many cores")
}

pub(crate) const LARGEST_SHARE: &str = "loops: largest share of moves";
pub(crate) const CLUSTER: &str = "cluster:";
pub(crate) const CLUSTER_FLUSH: &str = "cluster: flush of 4 KiB";

pub(crate) fn cluster_moves(rooms: usize) -> String {
    format!("{CLUSTER} moves, {rooms} rooms")
}

/// The same on so many nodes, where a node of its own for each player is the usual case.
pub(crate) fn cluster_moves_on(rooms: usize, placement: Placement) -> String {
    let all = cluster_moves(rooms);
    match placement {
        Placement { nodes: 1, .. } => format!("{all}, 1 node"),
        Placement { nodes, together: true } => format!("{all}, together on {nodes} nodes"),
        Placement::APART => all,
        Placement { nodes, together: false } => format!("{all}, {nodes} nodes"),
    }
}

pub(crate) fn cluster_all_cores(rooms: usize) -> String {
    format!("{}, all cores", cluster_moves(rooms))
}

pub(crate) fn cluster_paced(per_s: u32) -> String {
    format!("{CLUSTER} moves at {per_s}/s{TO_ACK}")
}

pub(crate) fn cluster_event(per_s: u32) -> String {
    format!("{CLUSTER} moves at {per_s}/s, move to event")
}

/// The beginning of the names of all workloads after a cut.
pub(crate) const CLUSTER_HELLO: &str = "cluster: hello,";

pub(crate) fn cluster_hello(sockets: usize) -> String {
    format!("{CLUSTER_HELLO} {sockets} cut")
}

pub(crate) fn cluster_hello_balanced(sockets: usize) -> String {
    format!("{}, HAProxy", cluster_hello(sockets))
}

pub(crate) fn all_back(hello: &str) -> String {
    format!("{hello}, all")
}

/// The end of the names of what failed after a cut.
pub(crate) const FAILED: &str = ", failed";

pub(crate) fn failed(hello: &str) -> String {
    format!("{hello}{FAILED}")
}

pub(crate) fn of_part(workload: &str, part: &str) -> String {
    format!("{workload}: {part}")
}
