//! The machine: its cores, CPU time and memory, and the load of other processes.

use anyhow::{Context as _, Result};
use nix::{
    sched::{CpuSet, sched_getaffinity, sched_setaffinity},
    sys::resource::{Resource, getrlimit, setrlimit},
    unistd::Pid,
};
use procfs::{
    CurrentSI as _, KernelStats,
    process::{Process, Stat, all_processes},
};
use tokio::time::Instant;

/// The largest share of the machine for other processes in a clean round.
pub const BACKGROUND_LOAD_MAX: f64 = 0.05;

/// The cores of the two sides of a measurement.
#[derive(Debug, Clone, Copy)]
pub struct Cores {
    /// The server's cores.
    pub server: CpuSet,
    /// The load client's cores.
    pub client: CpuSet,
}

impl Cores {
    /// Returns two cores that this process may use, one for each side; `None` if there are fewer.
    pub fn find() -> Result<Option<Self>> {
        let allowed = sched_getaffinity(Pid::this())?;
        let mut usable = (0..CpuSet::count()).filter(|&core| allowed.is_set(core).unwrap_or(false));
        let Some((server, client)) = usable.next().zip(usable.next()) else { return Ok(None) };
        Ok(Some(Self { server: set_of(&[server])?, client: set_of(&[client])? }))
    }

    /// The same cores, where the load client shares the server's, and the server may use only its
    /// own or both.
    pub fn shared(&self, both: bool) -> Result<Self> {
        let is_used =
            |core| [self.server, self.client].iter().any(|set| set.is_set(core) == Ok(true));
        let all = set_of(&(0..CpuSet::count()).filter(|&core| is_used(core)).collect::<Vec<_>>())?;
        Ok(Self { server: if both { all } else { self.server }, client: all })
    }
}

fn set_of(cores: &[usize]) -> Result<CpuSet> {
    let mut set = CpuSet::new();
    for &core in cores {
        set.set(core)?;
    }
    Ok(set)
}

/// Pins this thread, and the processes that it starts later, to these cores.
pub fn pin_to(cores: &CpuSet) -> Result<()> {
    pin(Pid::this().as_raw(), cores)
}

/// Pins another process to these cores.
pub fn pin(pid: i32, cores: &CpuSet) -> Result<()> {
    Ok(sched_setaffinity(Pid::from_raw(pid), cores)?)
}

/// The lowest priority.
const GIVE_WAY: i32 = 19;

/// Gives this thread the lowest priority, so that a thread that measures on the same core does not
/// wait for it. If that fails, the figures are only worse.
pub fn give_way() {
    rustix::process::nice(GIVE_WAY).ok();
}

/// Returns the process that traces another one, if any.
pub fn tracer_of(pid: i32) -> Result<Option<i32>> {
    let tracer = Process::new(pid)?.status()?.tracerpid;
    Ok(Some(tracer).filter(|&tracer| tracer != 0))
}

/// Raises the limit of open files of this process and its children as far as possible, and returns
/// it.
pub fn open_all_files() -> Result<u64> {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard)?;
    Ok(hard)
}

/// CPU time used so far, in microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CpuTime {
    /// Time in user space.
    pub user_us: u64,
    /// Time in the kernel: sockets and files.
    pub system_us: u64,
}

impl CpuTime {
    /// The CPU time of a process and all its threads.
    pub fn of(pid: i32) -> Result<Self> {
        let stat = Process::new(pid)?.stat().context("the process has gone")?;
        Ok(Self::from_ticks(stat.utime, stat.stime))
    }

    /// The same with the children of the process, also those that have ended.
    pub fn with_children(pid: i32) -> Result<Self> {
        loop {
            let ended = |stat: &Stat| (stat.cutime, stat.cstime);
            let before = Process::new(pid)?.stat().context("the process has gone")?;
            let mut sum = Self::from_ticks(before.utime, before.stime);
            for process in all_processes()? {
                // A process that ends at this moment is counted among the ended ones.
                let Ok(stat) = process.and_then(|process| process.stat()) else { continue };
                if stat.ppid == pid {
                    sum = sum.and(Self::from_ticks(stat.utime, stat.stime));
                }
            }
            if ended(&Process::new(pid)?.stat()?) == ended(&before) {
                let (user, system) = ended(&before);
                return Ok(sum.and(Self::from_ticks(user.try_into()?, system.try_into()?)));
            }
        }
    }

    /// The CPU time of the whole machine without idle time.
    fn of_machine() -> Result<Self> {
        let total = KernelStats::current()?.total;
        let system = total.system + total.irq.unwrap_or(0) + total.softirq.unwrap_or(0);
        Ok(Self::from_ticks(total.user + total.nice, system))
    }

    fn from_ticks(user: u64, system: u64) -> Self {
        let micros = |ticks| ticks * 1_000_000 / procfs::ticks_per_second();
        Self { user_us: micros(user), system_us: micros(system) }
    }

    /// User and kernel time, in microseconds.
    pub const fn total_us(self) -> u64 {
        self.user_us + self.system_us
    }

    /// The time used since an earlier reading.
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

/// Watches the load of processes that do not belong to the measurement.
#[derive(Debug)]
pub struct BackgroundLoad {
    machine: CpuTime,
    ours: CpuTime,
    begun: Instant,
}

impl BackgroundLoad {
    /// Starts to watch. `ours` is what the measurement has used so far, without this process.
    pub fn watch(ours: CpuTime) -> Result<Self> {
        let (machine, ours) = (CpuTime::of_machine()?, ours.and(Self::own()?));
        Ok(Self { machine, ours, begun: Instant::now() })
    }

    fn own() -> Result<CpuTime> {
        CpuTime::of(Pid::this().as_raw())
    }

    /// The share of two cores that other processes have used since then. `ours` is as above.
    pub fn share(&self, ours: CpuTime) -> Result<f64> {
        let all = CpuTime::of_machine()?.since(self.machine).total_us();
        let ours = ours.and(Self::own()?).since(self.ours).total_us();
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more than three digits")]
        let others = all.saturating_sub(ours) as f64;
        Ok(others / (self.begun.elapsed().as_secs_f64() * 2e6).max(1.0))
    }
}

/// The private memory of a process in bytes, without code and caches.
pub fn memory_bytes(pid: i32) -> Result<u64> {
    let status = Process::new(pid)?.status()?;
    let kib = status.rssanon.context("the system does not report used memory")?;
    Ok(kib * 1024)
}

/// How often the threads of a process have gone to sleep, each time to be woken again.
pub fn sleeps(pid: i32) -> Result<u64> {
    let mut sleeps = 0;
    for thread in Process::new(pid)?.tasks()? {
        // A thread that has ended takes its number with it.
        sleeps += thread?.status()?.voluntary_ctxt_switches.unwrap_or(0);
    }
    Ok(sleeps)
}

/// The number of files that a process has open.
pub fn open_files(pid: i32) -> Result<usize> {
    Ok(Process::new(pid)?.fd_count()?)
}
