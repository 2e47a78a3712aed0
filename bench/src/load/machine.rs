//! The machine: which core does what, and whether anybody else was using it.

use anyhow::{Context as _, Result};
use nix::{
    sched::{CpuSet, sched_getaffinity, sched_setaffinity},
    sys::resource::{Resource, getrlimit, setrlimit},
    unistd::Pid,
};
use procfs::{CurrentSI as _, KernelStats, process::Process};
use tokio::time::Instant;

/// How much of the machine may have gone to others before a run is no longer clean.
pub const STRANGERS_SHARE_MAX: f64 = 0.05;

/// Which cores the two sides of a measurement run on.
#[derive(Debug, Clone, Copy)]
pub struct Cores {
    /// The server's.
    pub server: usize,
    /// The load client's.
    pub client: usize,
}

impl Cores {
    /// Two cores that this process may use; `None` if there are not two.
    pub fn find() -> Result<Option<Self>> {
        let allowed = sched_getaffinity(Pid::this())?;
        let mut usable = (0..CpuSet::count()).filter(|&core| allowed.is_set(core).unwrap_or(false));
        Ok(usable.next().zip(usable.next()).map(|(server, client)| Self { server, client }))
    }
}

/// Keeps this thread, and whatever it starts from now on, on one core.
pub fn pin_to(core: usize) -> Result<()> {
    let mut set = CpuSet::new();
    set.set(core)?;
    Ok(sched_setaffinity(Pid::this(), &set)?)
}

/// Lets this process, and those that it starts, open as many files as it ever may. Says how many.
pub fn open_all_files() -> Result<u64> {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard)?;
    Ok(hard)
}

/// CPU time that processes have used so far, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuTime(u64);

impl CpuTime {
    /// That of one process, all its threads together.
    pub fn of(pid: i32) -> Result<Self> {
        let stat = Process::new(pid)?.stat().context("the process has gone")?;
        Ok(Self::from_ticks(stat.utime + stat.stime))
    }

    /// That of the whole machine, waiting excluded.
    fn of_machine() -> Result<Self> {
        let total = KernelStats::current()?.total;
        let ticks = total.user
            + total.nice
            + total.system
            + total.irq.unwrap_or(0)
            + total.softirq.unwrap_or(0);
        Ok(Self::from_ticks(ticks))
    }

    fn from_ticks(ticks: u64) -> Self {
        Self(ticks * 1_000_000 / procfs::ticks_per_second())
    }

    /// Microseconds since an earlier reading.
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Watches how much of the machine goes to processes that have nothing to do with the measurement.
#[derive(Debug)]
pub struct Strangers {
    server: i32,
    machine: CpuTime,
    ours: u64,
    begun: Instant,
}

impl Strangers {
    /// Begins to watch. `server` is the process that is measured; this one is ours, too.
    pub fn watch(server: i32) -> Result<Self> {
        Ok(Self {
            server,
            machine: CpuTime::of_machine()?,
            ours: Self::ours(server)?,
            begun: Instant::now(),
        })
    }

    fn ours(server: i32) -> Result<u64> {
        let own = CpuTime::of(Pid::this().as_raw())?;
        Ok(CpuTime::of(server)?.0 + own.0)
    }

    /// The share of two cores that others have used since.
    pub fn share(&self) -> Result<f64> {
        let all = CpuTime::of_machine()?.since(self.machine);
        let ours = Self::ours(self.server)?.saturating_sub(self.ours);
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more than three digits")]
        let others = all.saturating_sub(ours) as f64;
        Ok(others / (self.begun.elapsed().as_secs_f64() * 2e6).max(1.0))
    }
}

/// Bytes of memory that a process alone uses and that hold its own data, neither code nor cache.
pub fn memory_bytes(pid: i32) -> Result<u64> {
    let status = Process::new(pid)?.status()?;
    let kib = status.rssanon.context("the system does not tell how much memory is used")?;
    Ok(kib * 1024)
}

/// How many files a process has open.
pub fn open_files(pid: i32) -> Result<usize> {
    Ok(Process::new(pid)?.fd_count()?)
}
