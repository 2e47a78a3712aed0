//! The results, as a table and as JSON; the goals and their thresholds. A run judges only what it has
//! measured.

use std::{
    collections::BTreeSet,
    fmt::{self, Display, Write as _},
};

use hdrhistogram::Histogram;
use serde::Serialize;

use crate::{target::Placement, workload_names};

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

/// The largest ratio of the memory after the last wave to that after the first.
const WAVES_GROWTH_MAX: f64 = 1.05;

/// The largest deviation of costs from a straight line.
const LINEAR_MAX: f64 = 1.25;

/// How much slower a game may be on a full server.
const FULL_SERVER_MAX: f64 = 2.0;

/// How much longer a move may take while other clients ask much of the same loop.
const INTERFERENCE_MAX: f64 = 2.0;

/// The largest ratio of the cost of a move on two loops to that on one.
const LOOPS_COST_MAX: f64 = 1.15;

/// The largest share of moves of one of two loops, in percent.
const LOOP_SHARE_MAX: f64 = 60.0;

/// The largest CPU time of a move between nodes, of all processes, in bare relays.
const CLUSTER_RELAYS: f64 = 4.0;

/// The same in embedded servers, by the nodes and whether the players of a game are on one of them.
const CLUSTER_EMBEDDED: [(Placement, f64); 4] = [
    (Placement { nodes: 1, together: true }, 3.0),
    (Placement { nodes: 2, together: false }, 4.5),
    (Placement::APART, 5.0),
    (Placement { nodes: 3, together: true }, 3.2),
];

/// How many flushes an acknowledged move between nodes waits for, and how long beside them: the
/// primary's, a standby's, and one that is under way.
const CLUSTER_FLUSHES: f64 = 3.0;
const CLUSTER_ACK_US: f64 = 5_000.0;

const SERVER: &str = "adamant";
const RELAY: &str = "relay";

/// How long the search of a bot may wait in a game with a clock, in milliseconds, and how long its
/// answer may take beside 1,000 rooms, in seconds: its nodes take a tenth of that alone.
const HOUSE_WAIT_MS: f64 = 200.0;
const HOUSE_ANSWER_S: f64 = 1.0;

/// The default of `games.search_memory_mb`.
const HOUSE_MEMORY_MIB: f64 = 512.0;

/// Returns every goal with a measured result.
pub(crate) fn goals(report: &Report) -> Vec<Goal> {
    let parts =
        [costs(report), linearity(report), memory(report), full_server(report), disk(report)];
    let parts = parts.into_iter().flatten().chain(recovery(report));
    parts
        .chain(stalled_readers(report))
        .chain(interference(report))
        .chain(house(report))
        .chain(loops(report))
        .chain(cluster(report))
        .collect()
}

/// How long people with clocks wait for the server's bots, and the memory of these.
fn house(report: &Report) -> Vec<Goal> {
    let wait = workload_names::house_wait(workload_names::HOUSE_BESIDE_THOUGHTS);
    let answer = workload_names::house_answer(workload_names::HOUSE_BESIDE_ROOMS);
    let memory = workload_names::house_memory(workload_names::HOUSE_BESIDE_THOUGHTS);
    let rows = [
        (&wait, "ms", HOUSE_WAIT_MS),
        (&memory, "MiB", HOUSE_MEMORY_MIB),
        (&answer, "s", HOUSE_ANSWER_S),
    ];
    rows.into_iter()
        .filter_map(|(name, unit, most)| {
            Goal::new(name.clone(), report.cost(own(name)), unit, (Some(most), None))
        })
        .collect()
}

fn own(workload: &str) -> Series<'_> {
    (workload, SERVER)
}

/// CPU time compared with the relay's.
fn costs(report: &Report) -> Vec<Goal> {
    let beside = |workload: &str, baseline: &str| report.ratio(own(workload), (baseline, RELAY));
    let same = |workload: &str| beside(workload, workload);
    let moves = workload_names::moves(1_000);
    let mut goals: Vec<_> =
        Goal::new("moves: CPU per durable move", same(&moves), "x relay", (Some(1.3), Some(0.9)))
            .into_iter()
            .collect();
    goals.extend([1_000, 5_000].into_iter().filter_map(|spectators| {
        let what = format!("fan-out: CPU per delivery, {spectators} spectators");
        let ratio = same(&workload_names::fan_out(spectators));
        Goal::new(what, ratio, "x relay", (Some(0.75), Some(0.58)))
    }));
    for (what, workload) in [
        ("accept: connect + hello by token", workload_names::CONNECT_TOKEN),
        ("accept: connect + hello as a new guest", workload_names::CONNECT_NEW),
    ] {
        let ratio = beside(workload, workload_names::CONNECT);
        goals.extend(Goal::new(what, ratio, "x relay", (Some(2.0), Some(1.3))));
    }
    goals
}

/// Whether costs grow no faster than the work; the relay's figure beside it shows the machine's own
/// part.
fn linearity(report: &Report) -> Vec<Goal> {
    let rooms = [100, 1_000, 9_000].map(workload_names::moves);
    let moves = |program| {
        report.median_of_rounds(rooms.each_ref().map(|name| (name.as_str(), program)), |samples| {
            let costs = samples.map(|sample| sample.cost);
            let least = costs.into_iter().fold(f64::INFINITY, f64::min);
            (least > 0.0).then(|| costs.into_iter().fold(0.0, f64::max) / least)
        })
    };
    let sizes = [100, 1_000, 5_000].map(workload_names::fan_out);
    let deliveries = |program| {
        report.median_of_rounds(sizes.each_ref().map(|name| (name.as_str(), program)), |samples| {
            let [small, middle, large] = samples.map(|sample| sample.cost);
            // The cost of one more spectator between two sizes.
            let lower = (middle * 1_000.0 - small * 100.0) / 900.0;
            let upper = (large * 5_000.0 - middle * 1_000.0) / 4_000.0;
            (lower > 0.0).then(|| upper / lower)
        })
    };
    let (limit, none) = ((Some(LINEAR_MAX), None), (None, None));
    let rows = [
        Goal::new("moves: 100 to 9,000 rooms, largest / smallest", moves(SERVER), "x", limit),
        Goal::new("moves: the same, of the relay", moves(RELAY), "x", none),
        Goal::new("fan-out: one more, beyond / below 1,000", deliveries(SERVER), "x", limit),
        Goal::new("fan-out: the same, of the relay", deliveries(RELAY), "x", none),
    ];
    rows.into_iter().flatten().collect()
}

fn memory(report: &Report) -> Vec<Goal> {
    let rows = [
        ("memory: of a socket", workload_names::SOCKET, "KiB", (Some(6.0), Some(3.5))),
        ("memory: of a live room", workload_names::LIVE_ROOM, "KiB", (Some(8.0), None)),
        ("memory: of a parked game", workload_names::PARKED_GAME, "bytes", (None, Some(200.0))),
    ];
    let measured =
        |prefix| report.workloads(prefix).into_iter().find_map(|of| report.cost(own(of)));
    rows.into_iter()
        .filter_map(|(what, prefix, unit, marks)| Goal::new(what, measured(prefix), unit, marks))
        .collect()
}

/// A game on a full server, and what remains when all clients have left.
fn full_server(report: &Report) -> Vec<Goal> {
    let slower = |alone: &str, crowded: &str| {
        report.median_of_rounds([own(alone), own(crowded)], |[alone, crowded]| {
            Some(crowded.p99_us()? / alone.p99_us()?.max(1.0))
        })
    };
    let to_ack = slower(workload_names::ACK_ALONE, workload_names::ACK_FULL);
    let to_event = slower(workload_names::EVENT_ALONE, workload_names::EVENT_FULL);
    let (first, last) = (workload_names::memory_after(1), workload_names::memory_after(3));
    let growth = report.ratio(own(&last), own(&first));
    let kept = report.cost(own(workload_names::DESCRIPTORS_KEPT));
    let limit = (Some(FULL_SERVER_MAX), None);
    let rows = [
        Goal::new("full server: p99 move to ack, full / empty", to_ack, "x", limit),
        Goal::new("full server: p99 move to event, full / empty", to_event, "x", limit),
        Goal::new("memory: after three waves / one", growth, "x", (Some(WAVES_GROWTH_MAX), None)),
        Goal::new(workload_names::DESCRIPTORS_KEPT, kept, "", (Some(0.0), None)),
    ];
    rows.into_iter().flatten().collect()
}

/// How long a move waits for the disk.
fn disk(report: &Report) -> Vec<Goal> {
    let mut goals = Vec::new();
    let paced = workload_names::paced(1_000);
    // A disk that is slow once in a hundred times is slow for a move, too. The second row shows the
    // server's part on such a disk.
    for (flush, name) in [
        (workload_names::FLUSH, "moves: p99 at 1,000/s (2 flushes + 2, 1 ms)"),
        (workload_names::FLUSH_P99, "moves: p99 at 1,000/s (by the disk's own p99)"),
    ] {
        let Some(flush) = report.cost((flush, "disk")) else { continue };
        let limits = [2_000.0, 1_000.0].map(|more| Some(2.0 * flush + more));
        goals.extend(Goal::new(name, report.p99_us(own(&paced)), "us", limits.into()));
    }
    // In a closed loop all rooms wait for each other: that shows the throughput, not the latency.
    let at_a_pace = |name: &&str| name.ends_with(workload_names::TO_ACK);
    for name in report.workloads(workload_names::SLOW_DISK).into_iter().filter(at_a_pace) {
        let flush = report.cost((workload_names::SLOW_FLUSH, "disk"));
        let p99 = report.p99_us(own(name)).zip(flush).map(|(p99, flush)| p99 / flush.max(1.0));
        goals.extend(Goal::new(format!("{name}: p99"), p99, "flushes", (Some(4.0), Some(3.0))));
    }
    goals
}

fn recovery(report: &Report) -> Vec<Goal> {
    let within = |games, limits| {
        let name = workload_names::recovery(games);
        Goal::new(name.clone(), report.cost(own(&name)), "s", limits)
    };
    let rows = [within(10_000, (Some(2.0), None)), within(100_000, (None, Some(5.0)))];
    rows.into_iter().flatten().collect()
}

/// How much spectators slow players down, and whether the server closes those that do not read.
fn stalled_readers(report: &Report) -> Vec<Goal> {
    let pair = [own(workload_names::UNWATCHED), own(workload_names::WATCHED)];
    let slower = report.median_of_rounds(pair, |[without, with]| {
        Some(with.p99_us()? / without.p99_us()?.max(1.0))
    });
    let none = (Some(0.0), None);
    let rows = [
        Goal::new(
            "stalled readers: p99 move, watched / not",
            slower,
            "x",
            (Some(FULL_SERVER_MAX), None),
        ),
        Goal::new(
            workload_names::NOT_CLOSED,
            report.cost(own(workload_names::NOT_CLOSED)),
            "",
            none,
        ),
        Goal::new(
            workload_names::NOT_COUNTED,
            report.cost(own(workload_names::NOT_COUNTED)),
            "",
            none,
        ),
    ];
    rows.into_iter().flatten().collect()
}

/// Whether the other clients of a loop slow its games down.
fn interference(report: &Report) -> Vec<Goal> {
    let named = report.workloads(workload_names::INTERFERENCE_BY).into_iter();
    let noises = named.filter_map(|name| name.strip_suffix(workload_names::TO_ACK));
    let goal = |noise: &str| {
        let [quiet, noisy] = [&workload_names::quiet(noise), noise].map(workload_names::to_ack);
        let slower = report.median_of_rounds([own(&quiet), own(&noisy)], |[quiet, noisy]| {
            Some(noisy.p99_us()? / quiet.p99_us()?.max(1.0))
        });
        Goal::new(format!("{noisy}, p99"), slower, "x quiet", (Some(INTERFERENCE_MAX), None))
    };
    noises.filter_map(goal).collect()
}

/// Whether a second loop costs little and has its share of the work.
fn loops(report: &Report) -> Vec<Goal> {
    let [one, two] = [1, 2].map(workload_names::loops);
    let cost = report.ratio(own(&two), own(&one));
    let share = report.cost(own(workload_names::LARGEST_SHARE));
    let rows = [
        Goal::new("loops: CPU per move, two", cost, "x one", (Some(LOOPS_COST_MAX), None)),
        Goal::new(workload_names::LARGEST_SHARE, share, "%", (Some(LOOP_SHARE_MAX), None)),
    ];
    rows.into_iter().flatten().collect()
}

/// What a move costs between nodes, how long it takes, and whether all clients come back.
fn cluster(report: &Report) -> Vec<Goal> {
    let [moves, alone] = [workload_names::cluster_moves(1_000), workload_names::moves(1_000)];
    let paced = workload_names::cluster_paced(1_000);
    let flush = report.cost((workload_names::CLUSTER_FLUSH, "disk"));
    let p99 = report.p99_us(own(&paced)).filter(|_| flush.is_some());
    let limit = flush.map(|flush| CLUSTER_FLUSHES * flush + CLUSTER_ACK_US);
    let on_nodes = CLUSTER_EMBEDDED.iter().filter_map(|&(placement, limit)| {
        let on = workload_names::cluster_moves_on(1_000, placement);
        let ratio = report.ratio(own(&on), (&alone, SERVER));
        let Placement { nodes, together } = placement;
        let how = if together { "together" } else { "apart" };
        let name = format!("cluster: in embedded servers, {nodes} nodes, {how}");
        Goal::new(name, ratio, "x", (Some(limit), None))
    });
    let rows = [
        Goal::new(
            "cluster: CPU per move, all processes",
            report.ratio(own(&moves), (&alone, RELAY)),
            "x relay",
            (Some(CLUSTER_RELAYS), None),
        ),
        Goal::new("cluster: p99 at 1,000/s (3 flushes + 5 ms)", p99, "us", (limit, None)),
    ];
    let hellos = report.workloads(workload_names::CLUSTER_HELLO).into_iter();
    let failed = hellos
        .filter(|name| name.ends_with(workload_names::FAILED))
        .filter_map(|name| Goal::new(name, report.cost(own(name)), "dials", (Some(0.0), None)));
    rows.into_iter().flatten().chain(on_nodes).chain(failed).collect()
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

    fn report(samples: &[(&str, &'static str, f64, u64)]) -> Report {
        let samples = samples
            .iter()
            .map(|&(workload, program, cost, p99_us)| sample(workload, program, 1, cost, p99_us));
        Report { samples: samples.collect(), ..Report::default() }
    }

    fn reached(report: &Report, what: &str) -> (f64, Option<bool>, Option<bool>) {
        let goals = goals(report);
        let goal = goals.iter().find(|goal| goal.what.starts_with(what));
        let goal = goal.unwrap_or_else(|| panic!("no {what} in {goals:?}"));
        (goal.reached, goal.first.map(|mark| mark.met), goal.then.map(|mark| mark.met))
    }

    #[test]
    fn goals_without_a_measurement_are_left_out() {
        assert_eq!(goals(&Report::default()), []);
        let alone = report(&[("moves: 1000 rooms", SERVER, 20.0, 1)]);
        assert_eq!(goals(&alone), []);
    }

    #[test]
    fn a_cost_is_compared_with_the_relay() {
        let report = report(&[
            ("moves: 1000 rooms", SERVER, 24.0, 1),
            ("moves: 1000 rooms", RELAY, 20.0, 1),
            (workload_names::CONNECT_TOKEN, SERVER, 50.0, 1),
            (workload_names::CONNECT, SERVER, 1.0, 1),
            (workload_names::CONNECT, RELAY, 40.0, 1),
        ]);
        assert_eq!(reached(&report, "moves: CPU per durable move"), (1.2, Some(true), Some(false)));
        assert_eq!(reached(&report, "accept: connect + hello by"), (1.25, Some(true), Some(true)));
    }

    #[test]
    fn linearity_compares_the_cost_of_one_more() {
        let costs = |large| {
            // 100 us a move and 5 us a delivery: the mean falls, the slope does not.
            let mean = |spectators: f64| 5.0 + 100.0 / spectators;
            report(&[
                ("fan-out: 100 spectators", SERVER, mean(100.0), 1),
                ("fan-out: 1000 spectators", SERVER, mean(1_000.0), 1),
                ("fan-out: 5000 spectators", SERVER, mean(5_000.0) + large, 1),
            ])
        };
        let (straight, met, _) = reached(&costs(0.0), "fan-out: one more");
        assert!((straight - 1.0).abs() < 1e-9 && met == Some(true), "{straight}");
        let (bent, met, _) = reached(&costs(2.0), "fan-out: one more");
        assert!((bent - 1.5).abs() < 1e-9 && met == Some(false), "{bent}");
        let moves = report(&[
            ("moves: 100 rooms", SERVER, 26.0, 1),
            ("moves: 1000 rooms", SERVER, 20.0, 1),
            ("moves: 9000 rooms", SERVER, 24.0, 1),
            ("moves: 100 rooms", RELAY, 10.0, 1),
            ("moves: 1000 rooms", RELAY, 12.0, 1),
            ("moves: 9000 rooms", RELAY, 15.0, 1),
        ]);
        assert_eq!(reached(&moves, "moves: the same, of the relay"), (1.5, None, None));
        assert_eq!(reached(&moves, "moves: 100 to 9,000"), (1.3, Some(false), None));
    }

    #[test]
    fn disk_waits_are_counted_in_flushes() {
        let report = report(&[
            (workload_names::FLUSH, "disk", 50.0, 1),
            ("moves at 1000/s, move to ack", SERVER, 9.0, 1_500),
            (workload_names::SLOW_FLUSH, "disk", 5_000.0, 1),
            ("slow disk: 10000/s, move to ack", SERVER, 9.0, 17_500),
        ]);
        assert_eq!(reached(&report, "moves: p99 at"), (1_500.0, Some(true), Some(false)));
        assert_eq!(reached(&report, "slow disk: 10000"), (3.5, Some(true), Some(false)));
    }

    #[test]
    fn noise_on_a_loop_and_a_second_loop_cost_little() {
        let report = report(&[
            ("interference: by all, quiet, move to ack", SERVER, 9.0, 200),
            ("interference: by all, move to ack", SERVER, 9.0, 500),
            ("interference: by all: longest pass, at most", SERVER, 5_000.0, 1),
            ("loops: 1, on as many cores", SERVER, 20.0, 1),
            ("loops: 2, on as many cores", SERVER, 22.0, 1),
            (workload_names::LARGEST_SHARE, SERVER, 61.0, 1),
        ]);
        assert_eq!(reached(&report, "interference: by all"), (2.5, Some(false), None));
        assert_eq!(reached(&report, "loops: CPU"), (1.1, Some(true), None));
        assert_eq!(reached(&report, workload_names::LARGEST_SHARE), (61.0, Some(false), None));
        assert_eq!(goals(&report).len(), 3);
    }

    #[test]
    fn moves_between_nodes_are_compared_with_the_relay_and_the_embedded_server() {
        let report = report(&[
            ("moves: 1000 rooms", RELAY, 20.0, 1),
            ("moves: 1000 rooms", SERVER, 50.0, 1),
            ("cluster: moves, 1000 rooms", SERVER, 90.0, 1),
            (workload_names::CLUSTER_FLUSH, "disk", 500.0, 1),
            ("cluster: moves at 1000/s, move to ack", SERVER, 200.0, 6_501),
            ("cluster: hello, 10000 cut, failed", SERVER, 1.0, 1),
        ]);
        assert_eq!(reached(&report, "cluster: CPU per move"), (4.5, Some(false), None));
        assert_eq!(
            reached(&report, "cluster: in embedded servers, 3 nodes, apart"),
            (1.8, Some(true), None)
        );
        assert_eq!(reached(&report, "cluster: p99"), (6_501.0, Some(false), None));
        assert_eq!(reached(&report, "cluster: hello"), (1.0, Some(false), None));
    }

    #[test]
    fn a_full_server_slows_a_game_little_and_keeps_nothing() {
        let report = report(&[
            (workload_names::EVENT_ALONE, SERVER, 9.0, 200),
            (workload_names::EVENT_FULL, SERVER, 9.0, 500),
            ("memory: after wave 1", SERVER, 100.0, 1),
            ("memory: after wave 3", SERVER, 104.0, 1),
            (workload_names::DESCRIPTORS_KEPT, SERVER, 1.0, 1),
            (workload_names::UNWATCHED, SERVER, 9.0, 100),
            (workload_names::WATCHED, SERVER, 9.0, 150),
        ]);
        assert_eq!(reached(&report, "full server: p99 move to event"), (2.5, Some(false), None));
        assert_eq!(reached(&report, "memory: after three"), (1.04, Some(true), None));
        assert_eq!(reached(&report, workload_names::DESCRIPTORS_KEPT), (1.0, Some(false), None));
        assert_eq!(reached(&report, "stalled readers: p99"), (1.5, Some(true), None));
    }
}
