//! The workloads.

mod accept;
mod fan_out;
mod idle;
mod moves;
mod reading;
mod recovery;
mod unread;

use std::time::Duration;

use anyhow::Result;
use tokio::time::Instant;

pub use self::{
    accept::accept, fan_out::fan_out, idle::idle, moves::moves, moves::paced_moves,
    reading::reading, recovery::recovery, unread::unread,
};
use super::{
    machine::{STRANGERS_SHARE_MAX, Strangers},
    report::{Latency, Report, Sample},
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
    /// The server's CPU time, in microseconds.
    pub cpu_us: u64,
    /// How long it took.
    pub took: Duration,
    /// The share of the machine that went to others.
    pub strangers: f64,
}

impl Phase {
    /// The sum of two phases, for work that is done in turns with work that is not measured.
    fn and(self, other: &Self) -> Self {
        Self {
            cpu_us: self.cpu_us + other.cpu_us,
            took: self.took + other.took,
            strangers: self.strangers.max(other.strangers),
        }
    }

    const fn nothing() -> Self {
        Self { cpu_us: 0, took: Duration::ZERO, strangers: 0.0 }
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
    let cpu_us = subject.cpu()?.since(cpu);
    Ok((Phase { cpu_us, took, strangers: strangers.share()? }, result))
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
        self.report.samples.push(Sample {
            workload: workload.to_owned(),
            program: program.name(),
            round: self.round,
            cost: phase.cpu_us as f64 / units.max(1) as f64,
            unit: "us CPU",
            per_s: Some(units as f64 / phase.took.as_secs_f64()),
            latency,
            strangers: phase.strangers,
            clean: phase.strangers <= STRANGERS_SHARE_MAX,
        });
    }

    /// Enters a cost that is not CPU time.
    fn enter(&mut self, workload: &str, program: Program, cost: f64, unit: &'static str) {
        self.report.samples.push(Sample {
            workload: workload.to_owned(),
            program: program.name(),
            round: self.round,
            cost,
            unit,
            per_s: None,
            latency: None,
            strangers: 0.0,
            clean: true,
        });
    }
}
