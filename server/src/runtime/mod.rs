//! The process and its surroundings: start, stop, time, files, descriptors, logs and metrics.

pub(crate) mod fd_limits;
pub(crate) mod files;
pub mod logging;
pub(crate) mod metrics;
pub mod sd_notify;
pub mod shutdown;
pub(crate) mod time;
