//! The machine: its cores, CPU time and memory, and the load of other processes.

use std::{fs, net::SocketAddr};

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
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::Instant,
};

/// The largest share of the machine for other processes in a clean round.
pub(crate) const BACKGROUND_LOAD_MAX: f64 = 0.05;

/// The cores of the two sides of a measurement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cores {
    pub(crate) server: CpuSet,
    /// The load client's cores.
    pub(crate) client: CpuSet,
}

impl Cores {
    /// Returns two cores that this process may use, one for each side; `None` if there are fewer.
    pub(crate) fn find() -> Result<Option<Self>> {
        let allowed = sched_getaffinity(Pid::this())?;
        let mut usable = (0..CpuSet::count()).filter(|&core| allowed.is_set(core).unwrap_or(false));
        let Some((server, client)) = usable.next().zip(usable.next()) else { return Ok(None) };
        Ok(Some(Self { server: set_of(&[server])?, client: set_of(&[client])? }))
    }

    /// The same cores, where the load client shares the server's, and the server may use only its
    /// own or both.
    pub(crate) fn shared(&self, both: bool) -> Result<Self> {
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
pub(crate) fn pin_to(cores: &CpuSet) -> Result<()> {
    pin(Pid::this().as_raw(), cores)
}

/// Pins another process to these cores.
pub(crate) fn pin(pid: i32, cores: &CpuSet) -> Result<()> {
    Ok(sched_setaffinity(Pid::from_raw(pid), cores)?)
}

/// The lowest priority.
const GIVE_WAY: i32 = 19;

/// Gives this thread the lowest priority, so that a thread that measures on the same core does not
/// wait for it. If that fails, the figures are only worse.
pub(crate) fn give_way() {
    rustix::process::nice(GIVE_WAY).ok();
}

/// Returns the process that traces another one, if any.
pub(crate) fn tracer_of(pid: i32) -> Result<Option<i32>> {
    let tracer = Process::new(pid)?.status()?.tracerpid;
    Ok(Some(tracer).filter(|&tracer| tracer != 0))
}

/// Raises the limit of open files of this process and its children as far as possible, and returns
/// it.
pub(crate) fn open_all_files() -> Result<u64> {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard)?;
    Ok(hard)
}

/// CPU time used so far, in microseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CpuTime {
    /// Time in user space.
    pub(crate) user_us: u64,
    /// Time in the kernel: sockets and files.
    pub(crate) system_us: u64,
}

impl CpuTime {
    /// The CPU time of a process and all its threads.
    pub(crate) fn of(pid: i32) -> Result<Self> {
        let stat = Process::new(pid)?.stat().context("the process has gone")?;
        Ok(Self::from_ticks(stat.utime, stat.stime))
    }

    /// The same with the children of the process, also those that have ended.
    pub(crate) fn with_children(pid: i32) -> Result<Self> {
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
    pub(crate) const fn total_us(self) -> u64 {
        self.user_us + self.system_us
    }

    /// The time used since an earlier reading.
    #[must_use]
    pub(crate) const fn since(self, earlier: Self) -> Self {
        Self {
            user_us: self.user_us.saturating_sub(earlier.user_us),
            system_us: self.system_us.saturating_sub(earlier.system_us),
        }
    }

    /// The sum of two times.
    #[must_use]
    pub(crate) const fn and(self, other: Self) -> Self {
        Self { user_us: self.user_us + other.user_us, system_us: self.system_us + other.system_us }
    }
}

/// Watches the load of processes that do not belong to the measurement.
#[derive(Debug)]
pub(crate) struct BackgroundLoad {
    machine: CpuTime,
    ours: CpuTime,
    begun: Instant,
}

impl BackgroundLoad {
    /// Starts to watch. `ours` is what the measurement has used so far, without this process.
    pub(crate) fn watch(ours: CpuTime) -> Result<Self> {
        let (machine, ours) = (CpuTime::of_machine()?, ours.and(Self::own()?));
        Ok(Self { machine, ours, begun: Instant::now() })
    }

    fn own() -> Result<CpuTime> {
        CpuTime::of(Pid::this().as_raw())
    }

    /// The share of two cores that other processes have used since then. `ours` is as above.
    pub(crate) fn share(&self, ours: CpuTime) -> Result<f64> {
        let all = CpuTime::of_machine()?.since(self.machine).total_us();
        let ours = ours.and(Self::own()?).since(self.ours).total_us();
        #[expect(clippy::cast_precision_loss, reason = "a share needs no more than three digits")]
        let others = all.saturating_sub(ours) as f64;
        Ok(others / (self.begun.elapsed().as_secs_f64() * 2e6).max(1.0))
    }
}

/// The private memory of a process in bytes, without code and caches.
pub(crate) fn memory_bytes(pid: i32) -> Result<u64> {
    let status = Process::new(pid)?.status()?;
    let kib = status.rssanon.context("the system does not report used memory")?;
    Ok(kib * 1024)
}

/// The memory of a process in bytes, with code and caches. Its peak is counted from now on.
pub(crate) fn begin_peak(pid: i32) -> Result<u64> {
    fs::write(format!("/proc/{pid}/clear_refs"), "5")?;
    peak_bytes(pid)
}

/// The most memory of a process in bytes since `begin_peak`, with code and caches.
pub(crate) fn peak_bytes(pid: i32) -> Result<u64> {
    let most = Process::new(pid)?.status()?.vmhwm.context("the system reports no memory")?;
    Ok(most * 1024)
}

/// How often the threads of a process have gone to sleep, each time to be woken again.
pub(crate) fn sleeps(pid: i32) -> Result<u64> {
    let mut sleeps = 0;
    for thread in Process::new(pid)?.tasks()? {
        // A thread that has ended takes its number with it.
        sleeps += thread?.status()?.voluntary_ctxt_switches.unwrap_or(0);
    }
    Ok(sleeps)
}

/// The number of files that a process has open.
pub(crate) fn open_files(pid: i32) -> Result<usize> {
    Ok(Process::new(pid)?.fd_count()?)
}

/// Reads the counter with this name and label, such as `cause="slow consumer"`; `None` if the
/// server has none.
pub(crate) async fn counter(address: SocketAddr, name: &str, label: &str) -> Result<Option<f64>> {
    Ok(found(&read(address).await?, name, label))
}

/// Reads the values with these names and without labels, all at the same time; `None` for those
/// that the server does not have.
pub(crate) async fn values<const N: usize>(
    address: SocketAddr,
    names: [&str; N],
) -> Result<[Option<f64>; N]> {
    let answer = read(address).await?;
    Ok(names.map(|name| {
        let value = answer.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
        value.split_whitespace().next()?.parse().ok()
    }))
}

/// Reads a histogram, of which there is one without labels; empty if the server has none.
pub(crate) async fn buckets(address: SocketAddr, name: &str) -> Result<Buckets> {
    Ok(Buckets::in_page(&read(address).await?, name))
}

/// The values of a histogram by bucket.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Buckets {
    /// The bucket's highest value, and how many values are up to it.
    up_to: Vec<(f64, f64)>,
    sum: f64,
}

impl Buckets {
    fn in_page(page: &str, name: &str) -> Self {
        let mut buckets = Self::default();
        for (what, value) in
            page.lines().filter_map(|line| line.strip_prefix(name)?.rsplit_once(' '))
        {
            let Ok(value) = value.parse() else { continue };
            let bound =
                what.strip_prefix("_bucket{le=\"").and_then(|rest| rest.strip_suffix("\"}"));
            if let Some(bound) = bound.and_then(|bound| bound.parse().ok()) {
                buckets.up_to.push((bound, value));
            } else if what == "_sum" {
                buckets.sum = value;
            }
        }
        buckets
    }

    /// The values since an earlier reading.
    #[must_use]
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        let before = |at: usize| earlier.up_to.get(at).map_or(0.0, |&(_, count)| count);
        let up_to = self.up_to.iter().enumerate();
        Self {
            up_to: up_to.map(|(at, &(bound, count))| (bound, count - before(at))).collect(),
            sum: self.sum - earlier.sum,
        }
    }

    /// The mean; `None` without values.
    pub(crate) fn mean(&self) -> Option<f64> {
        let &(_, count) = self.up_to.last()?;
        (count > 0.0).then(|| self.sum / count)
    }

    /// The upper end of the bucket that this share of the values does not exceed; the highest
    /// bucket with a value if the share is 1.
    pub(crate) fn quantile(&self, share: f64) -> Option<f64> {
        let &(_, count) = self.up_to.last()?;
        let found = self.up_to.iter().find(|&&(_, up_to)| up_to >= share * count)?;
        (count > 0.0).then_some(found.0)
    }
}

async fn read(address: SocketAddr) -> Result<String> {
    get(address, "/metrics").await
}

/// Reads a path of the server, with the head of the response.
pub(crate) async fn get(address: SocketAddr, path: &str) -> Result<String> {
    // With HTTP/1.0 the response comes in one piece and ends with the connection.
    let request = format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n");
    Ok(String::from_utf8(exchange(TcpStream::connect(address).await?, &request).await?)?)
}

/// Requests a path in an encoding over a connection, which then closes. Returns the whole response.
pub(crate) async fn fetch(stream: TcpStream, path: &str, accepted: &str) -> Result<Vec<u8>> {
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: {accepted}\r\n\
         Connection: close\r\n\r\n"
    );
    exchange(stream, &request).await
}

async fn exchange(mut stream: TcpStream, request: &str) -> Result<Vec<u8>> {
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(answer)
}

fn found(answer: &str, name: &str, label: &str) -> Option<f64> {
    let (_, body) = answer.split_once("\r\n\r\n").filter(|(head, _)| head.contains(" 200 "))?;
    body.lines().find_map(|line| {
        let (labels, value) = line.strip_prefix(name)?.strip_prefix('{')?.split_once('}')?;
        let is_it = labels.split(',').any(|one| one == label);
        if is_it { value.split_whitespace().next()?.parse().ok() } else { None }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_those_of_the_time_between_two_readings() {
        let page = |low: u32, high: u32, sum: f64| {
            Buckets::in_page(
                &format!(
                    "# TYPE pass_seconds histogram\npass_seconds_sum {sum}\npass_seconds_count 9\n\
                     pass_seconds_bucket{{le=\"0.001\"}} {low}\n\
                     pass_seconds_bucket{{le=\"0.01\"}} {high}\n\
                     pass_seconds_bucket{{le=\"+Inf\"}} {high}\npass_seconds_bucket_of 7\n"
                ),
                "pass_seconds",
            )
        };
        let first = page(90, 100, 1.0);
        assert_eq!((first.quantile(0.9), first.quantile(1.0)), (Some(0.001), Some(0.01)));
        let between = page(98, 108, 1.5).since(&first);
        assert_eq!((between.quantile(1.0), between.mean()), (Some(0.001), Some(0.0625)));
        assert_eq!(first.since(&first).quantile(1.0), None);
        assert_eq!(Buckets::in_page("HTTP/1.0 404 Not Found", "pass_seconds").mean(), None);
    }

    #[test]
    fn a_counter_is_found_by_its_label() {
        let answer = "HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\n\
                      # TYPE ended counter\nended_total{cause=\"left\"} 7\n\
                      ended_total{kind=\"b\",cause=\"slow consumer\"} 50\n";
        let find = |label| found(answer, "ended_total", label);
        assert_eq!(find("cause=\"slow consumer\""), Some(50.0));
        assert_eq!(find("cause=\"slow\""), None);
        assert_eq!(found("HTTP/1.0 404 Not Found\r\n\r\n", "ended_total", "a"), None);
    }
}
