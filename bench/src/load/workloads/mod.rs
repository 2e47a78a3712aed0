//! The workloads.

mod accept;
mod cluster;
mod counted;
mod fan_out;
mod full_server;
mod idle;
mod interference;
mod loops;
mod measurement;
mod moves;
mod reading;
mod recovery;
mod rooms;
mod stalled_readers;

pub use self::{
    accept::accept,
    cluster::{ClusterSizes, cluster_moves, cluster_service},
    counted::{ClosedLoop, CountedGames, LoopCounts, counted_instructions, counted_loop},
    fan_out::fan_out,
    full_server::{FullServer, full_server},
    idle::{Sizes, idle, parked},
    interference::{Noise, interference},
    loops::loops,
    measurement::{Bench, Phase, measured},
    moves::{moves, paced_moves, slow_disk},
    reading::reading,
    recovery::recovery,
    stalled_readers::stalled_readers,
};
