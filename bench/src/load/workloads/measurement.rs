//! What all workloads share: measuring a phase and adding its figures to the report.

use std::time::Duration;

use anyhow::Result;
use tokio::time::Instant;

use crate::load::{
    machine::{BACKGROUND_LOAD_MAX, BackgroundLoad, CpuTime},
    report::{Latency, Report, Sample, Split},
    target::{Launch, Program, Target},
};

/// One run of one workload by one program.
#[derive(Debug)]
pub struct Bench<'a> {
    /// How to start the programs.
    pub launch: &'a Launch,
    /// The number of the round.
    pub round: u32,
    /// Where figures are added.
    pub report: &'a mut Report,
}

/// The cost of a phase.
#[derive(Debug)]
pub struct Phase {
    /// The server's CPU time.
    pub cpu: CpuTime,
    /// Its duration.
    pub took: Duration,
    /// The share of the machine that other processes used.
    pub background_load: f64,
}

impl Phase {
    /// The sum of two phases, for work that alternates with unmeasured work.
    pub(super) fn and(self, other: &Self) -> Self {
        Self {
            cpu: self.cpu.and(other.cpu),
            took: self.took + other.took,
            background_load: self.background_load.max(other.background_load),
        }
    }

    pub(super) fn nothing() -> Self {
        Self { cpu: CpuTime::default(), took: Duration::ZERO, background_load: 0.0 }
    }
}

/// Measures the server while `work` runs.
pub async fn measured<T>(
    target: &Target,
    work: impl Future<Output = Result<T>>,
) -> Result<(Phase, T)> {
    let background_load = BackgroundLoad::watch(target.pid())?;
    let (cpu, begun) = (target.cpu()?, Instant::now());
    let result = work.await?;
    let took = begun.elapsed();
    let cpu = target.cpu()?.since(cpu);
    Ok((Phase { cpu, took, background_load: background_load.share()? }, result))
}

impl Bench<'_> {
    /// Adds the cost of units of work in CPU time.
    #[expect(clippy::cast_precision_loss, reason = "counts of work are far below 2^52")]
    pub(super) fn add_cpu(
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
            background_load: phase.background_load,
            clean: phase.background_load <= BACKGROUND_LOAD_MAX,
        });
    }

    /// Adds a cost that is not CPU time.
    pub(super) fn add(&mut self, workload: &str, program: Program, cost: f64, unit: &'static str) {
        self.add_sample(workload, program.name(), cost, unit);
    }

    /// Adds a duration of the disk, in microseconds.
    pub(super) fn add_disk(&mut self, workload: &str, cost: f64) {
        self.add_sample(workload, "disk", cost, "us");
    }

    fn add_sample(&mut self, workload: &str, program: &'static str, cost: f64, unit: &'static str) {
        self.report.samples.push(Sample {
            workload: workload.to_owned(),
            program,
            round: self.round,
            cost,
            unit,
            split: None,
            per_s: None,
            latency: None,
            background_load: 0.0,
            clean: true,
        });
    }
}
