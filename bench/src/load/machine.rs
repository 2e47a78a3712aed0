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
    pin(Pid::this().as_raw(), core)
}

/// Keeps another process on one core.
pub fn pin(pid: i32, core: usize) -> Result<()> {
    let mut set = CpuSet::new();
    set.set(core)?;
    Ok(sched_setaffinity(Pid::from_raw(pid), &set)?)
}

/// The process that traces another one, if there is any.
pub fn tracer_of(pid: i32) -> Result<Option<i32>> {
    let tracer = Process::new(pid)?.status()?.tracerpid;
    Ok(Some(tracer).filter(|&tracer| tracer != 0))
}

/// Lets this process, and those that it starts, open as many files as it ever may. Says how many.
pub fn open_all_files() -> Result<u64> {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard)?;
    Ok(hard)
}

/// CPU time that processes have used so far, in microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CpuTime {
    /// In their own code.
    pub user_us: u64,
    /// In the system's, on their behalf: sockets and files.
    pub system_us: u64,
}

impl CpuTime {
    /// That of one process, all its threads together.
    pub fn of(pid: i32) -> Result<Self> {
        let stat = Process::new(pid)?.stat().context("the process has gone")?;
        Ok(Self::from_ticks(stat.utime, stat.stime))
    }

    /// That of the whole machine, waiting excluded.
    fn of_machine() -> Result<Self> {
        let total = KernelStats::current()?.total;
        let system = total.system + total.irq.unwrap_or(0) + total.softirq.unwrap_or(0);
        Ok(Self::from_ticks(total.user + total.nice, system))
    }

    fn from_ticks(user: u64, system: u64) -> Self {
        let micros = |ticks| ticks * 1_000_000 / procfs::ticks_per_second();
        Self { user_us: micros(user), system_us: micros(system) }
    }

    /// Both kinds together, in microseconds.
    pub const fn total_us(self) -> u64 {
        self.user_us + self.system_us
    }

    /// What was used since an earlier reading.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            user_us: self.user_us.saturating_sub(earlier.user_us),
            system_us: self.system_us.saturating_sub(earlier.system_us),
        }
    }

    /// The sum of two times.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { user_us: self.user_us + other.user_us, system_us: self.system_us + other.system_us }
    }
}

/// Watches how much of the machine goes to processes that have nothing to do with the measurement.
#[derive(Debug)]
pub struct Strangers {
    /// This process, the one that is measured, and what slows its disk down.
    ours: Vec<i32>,
    machine: CpuTime,
    used: u64,
    begun: Instant,
}

impl Strangers {
    /// Begins to watch. `server` is the process that is measured; this one is ours, too.
    pub fn watch(server: i32) -> Result<Self> {
        let mut ours = vec![Pid::this().as_raw(), server];
        ours.extend(tracer_of(server)?);
        let (machine, used) = (CpuTime::of_machine()?, Self::used_by(&ours)?);
        Ok(Self { ours, machine, used, begun: Instant::now() })
    }

    fn used_by(ours: &[i32]) -> Result<u64> {
        ours.iter().map(|&pid| Ok(CpuTime::of(pid)?.total_us())).sum()
    }

    /// The share of two cores that others have used since.
    pub fn share(&self) -> Result<f64> {
        let all = CpuTime::of_machine()?.since(self.machine).total_us();
        let ours = Self::used_by(&self.ours)?.saturating_sub(self.used);
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
