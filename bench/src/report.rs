//! The results, as a table and as JSON.

use std::{
    collections::BTreeSet,
    fmt::{self, Display, Write as _},
};

use hdrhistogram::Histogram;
use serde::Serialize;

/// Latencies in microseconds, as percentiles of a histogram.
#[derive(Debug, Clone, Copy, Serialize)]
#[expect(clippy::struct_field_names, reason = "the unit stands last")]
pub(crate) struct Latency {
    pub(crate) p50_us: u64,
    /// The 99th percentile.
    pub(crate) p99_us: u64,
    /// The 99.9th percentile.
    pub(crate) p999_us: u64,
    pub(crate) max_us: u64,
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

/// Returns a histogram of latencies from a microsecond to a minute.
pub(crate) fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000, 3).expect("the bounds are in order")
}

/// The parts of a unit's CPU time.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Split {
    /// Time in user space.
    pub(crate) user: f64,
    /// Time in the kernel.
    pub(crate) system: f64,
}

/// One figure of one program in one round.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Sample {
    pub(crate) workload: String,
    pub(crate) program: &'static str,
    /// The round; all programs of a round run one after the other.
    pub(crate) round: u32,
    /// The server's cost of one unit, in `unit`.
    pub(crate) cost: f64,
    pub(crate) unit: &'static str,
    /// The parts of the cost, if it is CPU time.
    pub(crate) split: Option<Split>,
    /// Units a second, if meaningful.
    pub(crate) per_s: Option<f64>,
    /// The duration of units, if measured.
    pub(crate) latency: Option<Latency>,
    /// The share of the machine that other processes used.
    pub(crate) background_load: f64,
    /// Whether that share was small enough.
    pub(crate) clean: bool,
}

impl Sample {
    /// The 99th percentile of the latency, in microseconds.
    #[expect(clippy::cast_precision_loss, reason = "microseconds of less than a minute")]
    pub(crate) fn p99_us(&self) -> Option<f64> {
        self.latency.map(|latency| latency.p99_us as f64)
    }
}

/// A workload and the program that did it.
pub(crate) type Series<'a> = (&'a str, &'a str);

/// The results of one run.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    /// All figures, in the order of measurement.
    pub(crate) samples: Vec<Sample>,
    /// Findings that are not figures.
    pub(crate) notes: Vec<String>,
    /// The goals, and whether they are met.
    pub(crate) goals: Vec<Goal>,
}

impl Report {
    /// Adds a note, once.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The figures of a series; figures of unclean rounds only if there are no others.
    fn of(&self, (workload, program): Series<'_>) -> Vec<&Sample> {
        let all: Vec<_> = self
            .samples
            .iter()
            .filter(|sample| sample.workload == workload && sample.program == program)
            .collect();
        let clean: Vec<_> = all.iter().copied().filter(|sample| sample.clean).collect();
        if clean.is_empty() { all } else { clean }
    }

    /// The workloads whose names begin with `prefix`, each once, in the order of measurement.
    pub(crate) fn workloads(&self, prefix: &str) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let names = self.samples.iter().map(|sample| sample.workload.as_str());
        names.filter(|name| name.starts_with(prefix) && seen.insert(*name)).collect()
    }

    /// The median over the rounds of a figure computed from one round's samples of all these
    /// series.
    pub(crate) fn median_of_rounds<const N: usize>(
        &self,
        of: [Series<'_>; N],
        figure: impl Fn([&Sample; N]) -> Option<f64>,
    ) -> Option<f64> {
        let figures = of.map(|of| self.of(of));
        let rounds: BTreeSet<u32> = figures.iter().flatten().map(|sample| sample.round).collect();
        let of_round = |round: u32| {
            let mut found = figures
                .iter()
                .map(|samples| samples.iter().copied().find(|sample| sample.round == round));
            let all: Vec<&Sample> = found.by_ref().collect::<Option<_>>()?;
            figure(all.try_into().ok()?)
        };
        median(rounds.into_iter().filter_map(of_round).collect())
    }

    /// The median cost of a series.
    pub(crate) fn cost(&self, of: Series<'_>) -> Option<f64> {
        self.median_of_rounds([of], |[sample]| Some(sample.cost))
    }

    /// The median of a series' 99th percentiles, in microseconds.
    pub(crate) fn p99_us(&self, of: Series<'_>) -> Option<f64> {
        self.median_of_rounds([of], |[sample]| sample.p99_us())
    }

    /// The median over the rounds of the ratio of two series' costs.
    pub(crate) fn ratio(&self, of: Series<'_>, baseline: Series<'_>) -> Option<f64> {
        self.median_of_rounds([of, baseline], |[sample, beside]| {
            (beside.cost > 0.0).then(|| sample.cost / beside.cost)
        })
    }

    pub(crate) fn table(&self) -> String {
        let mut out = String::new();
        self.write_to(&mut out).expect("writing to a string does not fail");
        out
    }

    fn write_to(&self, out: &mut String) -> fmt::Result {
        writeln!(
            out,
            "{:<44} {:<8} {:>9} {:<10} {:>7} {:>7} {:>8} {:>8} {:>8} {:>9}  vs relay",
            "workload",
            "program",
            "cost",
            "unit",
            "user",
            "system",
            "per s",
            "p50 us",
            "p99 us",
            "p99.9 us"
        )?;
        let mut seen: BTreeSet<Series<'_>> = BTreeSet::new();
        for sample in &self.samples {
            let of = (sample.workload.as_str(), sample.program);
            if seen.insert(of) {
                self.row(out, of)?;
            }
        }
        for note in &self.notes {
            writeln!(out, "- {note}")?;
        }
        if !self.goals.is_empty() {
            writeln!(out, "\n{}", Goal::HEADING)?;
        }
        for goal in &self.goals {
            writeln!(out, "{goal}")?;
        }
        Ok(())
    }

    fn row(&self, out: &mut String, of: Series<'_>) -> fmt::Result {
        let (workload, program) = of;
        let samples = self.of(of);
        let middle = |figure: &dyn Fn(&Sample) -> Option<f64>| {
            median(samples.iter().filter_map(|sample| figure(sample)).collect())
        };
        #[expect(clippy::cast_precision_loss, reason = "microseconds of less than a minute")]
        let latency = |of: fn(Latency) -> u64| {
            shown(middle(&|sample| sample.latency.map(|latency| of(latency) as f64)), 0)
        };
        let ratio = self.ratio(of, (workload, "relay")).filter(|_| program != "relay");
        let ratio = ratio.map_or(String::new(), |ratio| format!("{ratio:.2}x"));
        let unclean = if samples.iter().any(|sample| sample.clean) { "" } else { "  NOT CLEAN" };
        writeln!(
            out,
            "{workload:<44} {program:<8} {:>9} {:<10} {:>7} {:>7} {:>8} {:>8} {:>8} {:>9}  \
             {ratio}{unclean}",
            shown(middle(&|sample| Some(sample.cost)), 2),
            samples.first().map_or("", |sample| sample.unit),
            shown(middle(&|sample| sample.split.map(|split| split.user)), 2),
            shown(middle(&|sample| sample.split.map(|split| split.system)), 2),
            shown(middle(&|sample| sample.per_s), 0),
            latency(|latency| latency.p50_us),
            latency(|latency| latency.p99_us),
            latency(|latency| latency.p999_us),
        )
    }
}

/// Formats a number with this many decimal places, or nothing.
fn shown(value: Option<f64>, places: usize) -> impl Display {
    value.map_or(String::new(), |value| format!("{value:.places$}"))
}

pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// The largest allowed value.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Threshold {
    /// The largest allowed value.
    pub(crate) at_most: f64,
    /// Whether the result is within it.
    pub(crate) met: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Goal {
    pub(crate) what: String,
    pub(crate) reached: f64,
    pub(crate) unit: &'static str,
    pub(crate) first: Option<Threshold>,
    pub(crate) then: Option<Threshold>,
}

impl Goal {
    pub(crate) const HEADING: &str = "goal                                               reached                      first             then";

    pub(crate) fn new(
        what: impl Into<String>,
        reached: Option<f64>,
        unit: &'static str,
        (first, then): (Option<f64>, Option<f64>),
    ) -> Option<Self> {
        let (what, reached) = (what.into(), reached?);
        let mark = |at_most| Threshold { at_most, met: reached <= at_most };
        Some(Self { what, reached, unit, first: first.map(mark), then: then.map(mark) })
    }
}

impl Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = |mark: Option<Threshold>| {
            mark.map_or(String::new(), |Threshold { at_most, met }| {
                format!("<= {at_most:.2} {}", if met { "yes" } else { "NO" })
            })
        };
        let Self { what, reached, unit, .. } = self;
        write!(f, "{what:<48} {reached:>9.2} {unit:<8} {:>17}", mark(self.first))?;
        write!(f, " {:>16}", mark(self.then))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A sample with only a cost and a 99th percentile.
    pub(crate) fn sample(
        workload: &str,
        program: &'static str,
        round: u32,
        cost: f64,
        p99_us: u64,
    ) -> Sample {
        Sample {
            workload: workload.to_owned(),
            program,
            round,
            cost,
            unit: "us CPU",
            split: None,
            per_s: None,
            latency: Some(Latency { p50_us: p99_us / 2, p99_us, p999_us: p99_us, max_us: p99_us }),
            background_load: 0.0,
            clean: true,
        }
    }

    #[test]
    fn ratios_compare_within_a_round_and_skip_unclean_rounds() {
        let mut report = Report::default();
        // The machine was three times slower in round 2, and busy with other processes in round 3.
        for (round, own, relay) in [(1, 20.0, 10.0), (2, 66.0, 30.0), (3, 90.0, 10.0)] {
            report.samples.push(sample("w", "adamant", round, own, 1));
            report.samples.push(sample("w", "relay", round, relay, 1));
        }
        report.samples[4].clean = false;
        assert_eq!(report.ratio(("w", "adamant"), ("w", "relay")), Some(2.2));
        assert_eq!(report.cost(("w", "adamant")), Some(66.0));
        assert_eq!(report.ratio(("w", "adamant"), ("w", "raw")), None);
        for sample in &mut report.samples {
            sample.clean = false;
        }
        assert_eq!(report.ratio(("w", "adamant"), ("w", "relay")), Some(2.2));
        assert!(report.table().contains("NOT CLEAN"));
    }

    #[test]
    fn a_goal_shows_whether_it_is_met() {
        let limits = (Some(1.3), Some(0.9));
        let goal = Goal::new("moves: CPU per durable move", Some(1.2), "x relay", limits).unwrap();
        let row = goal.to_string();
        assert!(row.contains("1.20 x relay") && row.contains("<= 1.30 yes"), "{row}");
        assert!(row.contains("<= 0.90 NO"), "{row}");
        assert_eq!(row.len(), Goal::HEADING.len(), "{row}");
    }
}
