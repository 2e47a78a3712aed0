//! Load: the real server and its baselines, each in its own process, driven by a lean client, and
//! the cost of a unit of work.

pub mod attack;
pub mod baseline;
pub mod cluster;
pub mod count;
pub mod flush;
pub mod goal;
pub mod host;
pub mod machine;
pub mod metrics;
pub mod peer;
pub mod prices;
pub mod report;
pub mod script;
pub mod setup;
pub mod target;
pub mod thresholds;
pub mod workload_names;
pub mod workloads;
