//! The process and its environment: signals, time, files, descriptors, log and metrics.

pub(crate) mod commands;
pub(crate) mod entropy;
pub(crate) mod environment;
pub(crate) mod fd_limits;
pub(crate) mod files;
pub mod logging;
pub(crate) mod metrics;
pub(crate) mod on_wake;
pub mod sd_notify;
pub mod shutdown;
pub(crate) mod time;
pub(crate) mod work_pool;
