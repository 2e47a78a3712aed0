//! What was measured, as a table for people and as JSON for programs.

use std::fmt::Write as _;

use hdrhistogram::Histogram;
use serde::Serialize;

/// Latencies in microseconds, as percentiles of a histogram.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Latency {
    /// Half of all were as fast.
    pub p50_us: u64,
    /// 99 of 100 were as fast.
    pub p99_us: u64,
    /// 999 of 1,000 were as fast.
    pub p999_us: u64,
    /// The slowest.
    pub max_us: u64,
}

impl From<&Histogram<u64>> for Latency {
    fn from(histogram: &Histogram<u64>) -> Self {
        Self {
            p50_us: histogram.value_at_quantile(0.5),
            p99_us: histogram.value_at_quantile(0.99),
            p999_us: histogram.value_at_quantile(0.999),
            max_us: histogram.max(),
        }
    }
}

/// A histogram of latencies from a microsecond to a minute.
pub fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000, 3).expect("the bounds are in order")
}

/// One figure of one program in one round.
#[derive(Debug, Clone, Serialize)]
pub struct Sample {
    /// What was done, with its size.
    pub workload: String,
    /// By which program.
    pub program: &'static str,
    /// In which round; all programs of a round ran one after the other.
    pub round: u32,
    /// The server's cost of one unit, in `unit`.
    pub cost: f64,
    /// What the cost is counted in.
    pub unit: &'static str,
    /// Units a second, where that says something.
    pub per_s: Option<f64>,
    /// How long units took, where that was measured.
    pub latency: Option<Latency>,
    /// The share of the machine that went to others meanwhile.
    pub strangers: f64,
    /// Whether the machine was quiet enough.
    pub clean: bool,
}

/// Everything that one run has measured.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// Every figure, in the order in which they were taken.
    pub samples: Vec<Sample>,
    /// What was found and is no figure.
    pub notes: Vec<String>,
}

impl Report {
    /// The figures of a workload and program, those of unclean rounds left out while there are
    /// others.
    fn of(&self, workload: &str, program: &str) -> Vec<&Sample> {
        let all: Vec<_> = self
            .samples
            .iter()
            .filter(|sample| sample.workload == workload && sample.program == program)
            .collect();
        let clean: Vec<_> = all.iter().copied().filter(|sample| sample.clean).collect();
        if clean.is_empty() { all } else { clean }
    }

    /// The median cost of a program at a workload.
    pub fn cost(&self, workload: &str, program: &str) -> Option<f64> {
        median(self.of(workload, program).into_iter().map(|sample| sample.cost).collect())
    }

    /// The median over the rounds of what a program costs beside another in the same round.
    pub fn ratio(&self, workload: &str, program: &str, baseline: &str) -> Option<f64> {
        let baselines = self.of(workload, baseline);
        let ratios = self.of(workload, program).into_iter().filter_map(|sample| {
            let beside = baselines.iter().find(|other| other.round == sample.round)?;
            (beside.cost > 0.0).then(|| sample.cost / beside.cost)
        });
        median(ratios.collect())
    }

    /// The table.
    pub fn table(&self) -> String {
        let mut out = String::new();
        let mut seen: Vec<(&str, &str)> = Vec::new();
        writeln!(
            out,
            "{:<38} {:<8} {:>10} {:<13} {:>9} {:>9} {:>9} {:>9}  vs relay",
            "workload", "program", "cost", "unit", "per s", "p50 us", "p99 us", "p99.9 us"
        )
        .expect("writing to a string does not fail");
        for sample in &self.samples {
            let key = (sample.workload.as_str(), sample.program);
            if seen.contains(&key) {
                continue;
            }
            seen.push(key);
            self.row(&mut out, key).expect("writing to a string does not fail");
        }
        for note in &self.notes {
            writeln!(out, "- {note}").expect("writing to a string does not fail");
        }
        out
    }

    fn row(&self, out: &mut String, (workload, program): (&str, &str)) -> std::fmt::Result {
        let samples = self.of(workload, program);
        let number =
            |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.0}"));
        let latency = |of: fn(Latency) -> u64| {
            let values = samples.iter().filter_map(|sample| sample.latency).map(of);
            #[expect(clippy::cast_precision_loss, reason = "microseconds of less than a minute")]
            number(median(values.map(|value| value as f64).collect()))
        };
        let ratio = self.ratio(workload, program, "relay").filter(|_| program != "relay");
        let ratio = ratio.map_or(String::new(), |ratio| format!("{ratio:.2}x"));
        let unclean = if samples.iter().any(|sample| sample.clean) { "" } else { "  NOT CLEAN" };
        writeln!(
            out,
            "{workload:<38} {program:<8} {:>10.2} {:<13} {:>9} {:>9} {:>9} {:>9}  {ratio}{unclean}",
            self.cost(workload, program).unwrap_or_default(),
            samples.first().map_or("", |sample| sample.unit),
            number(median(samples.iter().filter_map(|sample| sample.per_s).collect())),
            latency(|latency| latency.p50_us),
            latency(|latency| latency.p99_us),
            latency(|latency| latency.p999_us),
        )
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
