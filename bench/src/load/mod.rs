//! Load: the real server and its baselines, each in a process of its own, driven by a lean client,
//! and what a unit of work cost them.

pub mod attack;
pub mod baseline;
pub mod flush;
pub mod goal;
pub mod judging;
pub mod machine;
pub mod metrics;
pub mod peer;
pub mod report;
pub mod script;
pub mod seating;
pub mod subject;
pub mod work;
pub mod workload;
