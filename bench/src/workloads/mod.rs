//! The workloads, and how a phase of one is measured.

mod house;
mod interference;
mod memory;
pub(crate) mod moves;
mod service;
mod spectators;

use std::time::Duration;

use anyhow::Result;
use tokio::time::Instant;

use crate::{
    machine::{BACKGROUND_LOAD_MAX, BackgroundLoad, CpuTime},
    report::{Latency, Report, Sample, Split},
    target::{Host, HostPart, Launch, Program, sum_of},
    workload_names,
};

pub(crate) use house::{Beside, house};
pub(crate) use interference::{Noise, interference};
pub(crate) use memory::{FullServer, Sizes, full_server, idle, long_rooms, parked};
pub(crate) use moves::{loops, moves, paced_moves, slow_disk};
pub(crate) use service::{ClusterSizes, accept, cluster_moves, cluster_service, reading, recovery};
pub(crate) use spectators::{fan_out, stalled_readers};

/// One run of one workload by one program.
#[derive(Debug)]
pub(crate) struct Bench<'a> {
    /// How to start the programs.
    pub(crate) launch: &'a Launch,
    pub(crate) round: u32,
    /// Where figures are added.
    pub(crate) report: &'a mut Report,
}

#[derive(Debug)]
pub(crate) struct Phase {
    /// The CPU time of everything that serves the load.
    pub(crate) cpu: CpuTime,
    pub(crate) parts: Vec<(HostPart, CpuTime)>,
    pub(crate) took: Duration,
    /// The share of the machine that other processes used.
    pub(crate) background_load: f64,
}

impl Phase {
    /// The sum of two phases, for work that alternates with unmeasured work.
    pub(crate) fn and(self, other: &Self) -> Self {
        let before = |part| self.parts.iter().find(|(of, _)| *of == part).map(|(_, cpu)| *cpu);
        let parts = other.parts.iter();
        Self {
            cpu: self.cpu.and(other.cpu),
            parts: parts
                .map(|&(part, cpu)| (part, before(part).unwrap_or_default().and(cpu)))
                .collect(),
            took: self.took + other.took,
            background_load: self.background_load.max(other.background_load),
        }
    }

    pub(crate) fn nothing() -> Self {
        let (cpu, took) = (CpuTime::default(), Duration::ZERO);
        Self { cpu, parts: Vec::new(), took, background_load: 0.0 }
    }
}

/// Measures what serves the load while `work` runs.
pub(crate) async fn measured<T>(
    host: &impl Host,
    work: impl Future<Output = Result<T>>,
) -> Result<(Phase, T)> {
    let tracer = host.tracer_cpu()?;
    let before = host.cpu_by_part()?;
    let background_load = BackgroundLoad::watch(sum_of(&before).and(tracer))?;
    let begun = Instant::now();
    let result = work.await?;
    let took = begun.elapsed();
    let after = host.cpu_by_part()?;
    let background_load = background_load.share(sum_of(&after).and(host.tracer_cpu()?))?;
    let used = after.iter().zip(&before);
    let parts: Vec<_> = used.map(|((part, after), (_, cpu))| (*part, after.since(*cpu))).collect();
    Ok((Phase { cpu: sum_of(&parts), parts, took, background_load }, result))
}

impl Bench<'_> {
    /// Adds the cost of units of work in CPU time.
    #[expect(clippy::cast_precision_loss, reason = "counts of work are far below 2^52")]
    pub(crate) fn add_cpu(
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

    /// Adds the CPU time of each part for a unit of work.
    #[expect(clippy::cast_precision_loss, reason = "as above")]
    pub(crate) fn add_parts(&mut self, workload: &str, program: Program, of: &Phase, units: u64) {
        for (part, cpu) in &of.parts {
            let cost = cpu.total_us() as f64 / units.max(1) as f64;
            self.add(&workload_names::of_part(workload, part.name()), program, cost, "us CPU");
        }
    }

    /// Adds a cost that is not CPU time.
    pub(crate) fn add(&mut self, workload: &str, program: Program, cost: f64, unit: &'static str) {
        self.add_sample(workload, program.name(), cost, unit);
    }

    /// Adds a duration of the disk, in microseconds.
    pub(crate) fn add_disk(&mut self, workload: &str, cost: f64) {
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
