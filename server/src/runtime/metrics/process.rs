//! Metrics of the process as the operating system reports them, under the names that monitors
//! expect. Values that the system does not report are omitted.

use nix::sys::resource::{Resource, getrlimit};
use procfs::{WithCurrentSystemInfo as _, process::Process};
use prometheus_client::{
    metrics::{counter::ConstCounter, gauge::ConstGauge},
    registry::{Registry, Unit},
};

/// Returns a registry of the process's present values.
pub(super) fn registry() -> Registry {
    let mut registry = Registry::with_prefix("process");
    let Ok(process) = Process::myself() else { return registry };
    if let Ok(open) = process.fd_count() {
        let open = ConstGauge::new(i64::try_from(open).unwrap_or(i64::MAX));
        registry.register("open_fds", "Open file descriptors", open);
    }
    if let Ok((soft, _)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let max = ConstGauge::new(i64::try_from(soft).unwrap_or(i64::MAX));
        registry.register("max_fds", "Limit of open file descriptors", max);
    }
    if let Ok(stat) = process.stat() {
        let bytes = i64::try_from(stat.rss_bytes().get()).unwrap_or(i64::MAX);
        let help = "Resident memory";
        registry.register_with_unit("resident_memory", help, Unit::Bytes, ConstGauge::new(bytes));
        #[expect(clippy::cast_precision_loss, reason = "a count of ticks is far below 2^52")]
        let cpu = (stat.utime + stat.stime) as f64 / procfs::ticks_per_second() as f64;
        if let Ok(booted) = procfs::boot_time_secs() {
            #[expect(clippy::cast_precision_loss, reason = "both are far below 2^52")]
            let since = booted as f64 + stat.starttime as f64 / procfs::ticks_per_second() as f64;
            let help = "Start of the process since the Unix epoch";
            let started = ConstGauge::new(since);
            registry.register_with_unit("start_time", help, Unit::Seconds, started);
        }
        let help = "User and system CPU time";
        registry.register_with_unit("cpu", help, Unit::Seconds, ConstCounter::new(cpu));
    }
    registry
}
