//! The workloads.

mod accept;
mod crowd;
mod fan_out;
mod idle;
mod moves;
mod reading;
mod recovery;
mod rooms;
mod unread;

use std::time::Duration;

use anyhow::Result;
use tokio::time::Instant;

pub use self::{
    accept::accept,
    crowd::{Crowd, crowd},
    fan_out::fan_out,
    idle::{Sizes, idle, parked},
    moves::{moves, paced_moves, slow_disk},
    reading::reading,
    recovery::recovery,
    unread::unread,
};
use super::{
    machine::{CpuTime, STRANGERS_SHARE_MAX, Strangers},
    report::{Latency, Report, Sample, Split},
    subject::{Launch, Program, Subject},
};

/// One run of one workload by one program.
#[derive(Debug)]
pub struct Bench<'a> {
    /// How the programs are started.
    pub launch: &'a Launch,
    /// The number of the round.
    pub round: u32,
    /// Where figures go.
    pub report: &'a mut Report,
}

/// What a phase has done.
#[derive(Debug)]
pub struct Phase {
    /// The server's CPU time.
    pub cpu: CpuTime,
    /// How long it took.
    pub took: Duration,
    /// The share of the machine that went to others.
    pub strangers: f64,
}

impl Phase {
    /// The sum of two phases, for work that is done in turns with work that is not measured.
    fn and(self, other: &Self) -> Self {
        Self {
            cpu: self.cpu.and(other.cpu),
            took: self.took + other.took,
            strangers: self.strangers.max(other.strangers),
        }
    }

    fn nothing() -> Self {
        Self { cpu: CpuTime::default(), took: Duration::ZERO, strangers: 0.0 }
    }
}

/// Measures what is done meanwhile.
pub async fn measured<T>(
    subject: &Subject,
    work: impl Future<Output = Result<T>>,
) -> Result<(Phase, T)> {
    let strangers = Strangers::watch(subject.pid())?;
    let (cpu, begun) = (subject.cpu()?, Instant::now());
    let result = work.await?;
    let took = begun.elapsed();
    let cpu = subject.cpu()?.since(cpu);
    Ok((Phase { cpu, took, strangers: strangers.share()? }, result))
}

impl Bench<'_> {
    /// Enters the cost of units of work in CPU time.
    #[expect(clippy::cast_precision_loss, reason = "counts of work are far below 2^52")]
    fn enter_cpu(
        &mut self,
        workload: &str,
        program: Program,
        phase: &Phase,
        units: u64,
        latency: Option<Latency>,
    ) {
        let of_unit = |micros: u64| micros as f64 / units.max(1) as f64;
        let split =
            Split { user: of_unit(phase.cpu.user_us), system: of_unit(phase.cpu.system_us) };
        self.report.samples.push(Sample {
            workload: workload.to_owned(),
            program: program.name(),
            round: self.round,
            cost: of_unit(phase.cpu.total_us()),
            unit: "us CPU",
            split: Some(split),
            per_s: Some(units as f64 / phase.took.as_secs_f64()),
            latency,
            strangers: phase.strangers,
            clean: phase.strangers <= STRANGERS_SHARE_MAX,
        });
    }

    /// Enters a cost that is not CPU time.
    fn enter(&mut self, workload: &str, program: Program, cost: f64, unit: &'static str) {
        self.enter_of(workload, program.name(), cost, unit);
    }

    /// Enters how many microseconds the disk took.
    fn enter_disk(&mut self, workload: &str, cost: f64) {
        self.enter_of(workload, "disk", cost, "us");
    }

    fn enter_of(&mut self, workload: &str, program: &'static str, cost: f64, unit: &'static str) {
        self.report.samples.push(Sample {
            workload: workload.to_owned(),
            program,
            round: self.round,
            cost,
            unit,
            split: None,
            per_s: None,
            latency: None,
            strangers: 0.0,
            clean: true,
        });
    }
}
