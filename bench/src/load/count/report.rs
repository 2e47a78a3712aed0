//! The counts of a server and of its baseline, as a table and as JSON.

use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
};

use serde::Serialize;

use super::{
    part::Part,
    profile::{Origin, Profile},
};
use crate::load::{report::median, workloads::LoopCounts};

/// Origins that the JSON report lists.
const ORIGINS_LISTED: usize = 60;

/// The functions that sync a commit.
const SYNCS: [&str; 2] = ["fsync", "fdatasync"];

/// The server, and the binary that it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Compared {
    /// The server.
    Server,
    /// The other binary.
    Baseline,
}

impl Compared {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Baseline => "baseline",
        }
    }
}

/// The instructions of one run, by move.
#[derive(Debug, Clone, Serialize)]
pub struct Instructions {
    /// All of them.
    pub all: f64,
    /// Those of each part.
    pub parts: BTreeMap<Part, f64>,
    /// Moves that shared a sync, while callgrind slowed the server down.
    pub moves_per_sync: f64,
    /// The origins of most instructions.
    pub origins: Vec<CostlyOrigin>,
}

/// An origin of many instructions.
#[derive(Debug, Clone, Serialize)]
pub struct CostlyOrigin {
    /// Instructions of a move.
    pub instructions: f64,
    /// The part that they belong to.
    pub part: Part,
    /// The origin.
    #[serde(flatten)]
    pub origin: Origin,
}

impl Instructions {
    /// Divides a profile by the number of moves.
    #[expect(clippy::cast_precision_loss, reason = "counts of work are far below 2^52")]
    pub fn of_a_move(profile: Profile, moves: u64) -> Self {
        let moves = moves as f64;
        let mut parts: BTreeMap<_, f64> = Part::ALL.iter().map(|&part| (part, 0.0)).collect();
        let syncs = SYNCS.iter().filter_map(|&sync| profile.calls.get(sync)).sum::<u64>();
        let mut origins: Vec<_> = profile
            .instructions
            .into_iter()
            .map(|(origin, instructions)| CostlyOrigin {
                instructions: instructions as f64 / moves,
                part: Part::of(&origin),
                origin,
            })
            .collect();
        for costly in &origins {
            *parts.entry(costly.part).or_default() += costly.instructions;
        }
        origins.sort_unstable_by(|one, other| other.instructions.total_cmp(&one.instructions));
        origins.truncate(ORIGINS_LISTED);
        let moves_per_sync = moves / syncs.max(1) as f64;
        Self { all: parts.values().sum(), parts, moves_per_sync, origins }
    }
}

/// One run of a workload.
#[derive(Debug, Clone, Serialize)]
struct Run<Counts> {
    workload: String,
    program: Compared,
    counts: Counts,
}

/// All counts.
#[derive(Debug, Default, Serialize)]
pub struct CountReport {
    instructions: Vec<Run<Instructions>>,
    loops: Vec<Run<LoopCounts>>,
}

impl CountReport {
    /// Adds the instructions of a run.
    pub fn add_instructions(&mut self, workload: String, program: Compared, counts: Instructions) {
        self.instructions.push(Run { workload, program, counts });
    }

    /// Adds the counts of a closed loop.
    pub fn add_loop(&mut self, workload: String, program: Compared, counts: LoopCounts) {
        self.loops.push(Run { workload, program, counts });
    }

    /// The table.
    pub fn table(&self) -> String {
        let mut out = String::new();
        for workload in workloads(&self.instructions) {
            instructions_table(&mut out, workload, &self.instructions).expect("a string grows");
        }
        for workload in workloads(&self.loops) {
            loop_table(&mut out, workload, &self.loops).expect("a string grows");
        }
        out
    }
}

/// Returns the names of the workloads, each once, in the order of measurement.
fn workloads<Counts>(runs: &[Run<Counts>]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for run in runs {
        if !names.contains(&run.workload.as_str()) {
            names.push(&run.workload);
        }
    }
    names
}

/// Returns the values of a figure in the runs of a workload.
fn values<Counts>(
    runs: &[Run<Counts>],
    (workload, program): (&str, Compared),
    figure: impl Fn(&Counts) -> Option<f64>,
) -> Vec<f64> {
    runs.iter()
        .filter(|run| run.workload == workload && run.program == program)
        .filter_map(|run| figure(&run.counts))
        .collect()
}

/// Writes a figure of both programs and its ratio, as medians of the rounds.
fn row<Counts>(
    out: &mut String,
    (name, places): (&str, usize),
    (workload, runs): (&str, &[Run<Counts>]),
    figure: impl Fn(&Counts) -> Option<f64>,
) -> fmt::Result {
    let of = |program| median(values(runs, (workload, program), &figure));
    let (server, baseline) = (of(Compared::Server), of(Compared::Baseline));
    let ratio = server.zip(baseline).filter(|&(_, baseline)| baseline > 0.0);
    let ratio =
        ratio.map_or(String::new(), |(server, baseline)| format!("{:.2}", server / baseline));
    let shown =
        |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.places$}"));
    writeln!(out, "  {name:<36} {:>10} {:>10} {ratio:>7}", shown(server), shown(baseline))
}

fn head(out: &mut String, title: &str) -> fmt::Result {
    writeln!(out, "{title:<38} {:>10} {:>10} {:>7}", "server", "baseline", "ratio")
}

fn instructions_table(out: &mut String, workload: &str, runs: &[Run<Instructions>]) -> fmt::Result {
    head(out, workload)?;
    let of = (workload, runs);
    row(out, ("instructions of a move", 0), of, |counts| Some(counts.all))?;
    for part in Part::ALL {
        row(out, (&format!("  {}", part.name()), 0), of, |counts| {
            counts.parts.get(&part).copied()
        })?;
    }
    row(out, ("moves that share a sync", 1), of, |counts| Some(counts.moves_per_sync))?;
    for program in [Compared::Server, Compared::Baseline] {
        let all = values(runs, (workload, program), |counts| Some(counts.all));
        let (least, most) = all
            .iter()
            .fold((f64::INFINITY, 0.0_f64), |(least, most), &one| (least.min(one), most.max(one)));
        if all.len() > 1 {
            let spread = 100.0 * (most / least - 1.0);
            writeln!(out, "  {} rounds of {} within {spread:.1} %", all.len(), program.name())?;
        }
    }
    writeln!(out)
}

fn loop_table(out: &mut String, workload: &str, runs: &[Run<LoopCounts>]) -> fmt::Result {
    head(out, workload)?;
    let of = (workload, runs);
    row(out, ("wake-ups of room tasks per move", 3), of, |counts| {
        Some(counts.room_wakeups? / counts.moves)
    })?;
    row(out, ("sleeps of threads per move", 3), of, |counts| Some(counts.sleeps / counts.moves))?;
    row(out, ("moves in a commit", 1), of, |counts| Some(counts.moves / counts.commits?))?;
    row(out, ("records in a commit", 1), of, |counts| Some(counts.records? / counts.commits?))?;
    row(out, ("commits a second", 0), of, |counts| Some(counts.commits? / counts.seconds))?;
    row(out, ("moves a second", 0), of, |counts| Some(counts.moves / counts.seconds))?;
    row(out, ("CPU of a move, user (us)", 2), of, |counts| Some(counts.user_us / counts.moves))?;
    row(out, ("CPU of a move, system (us)", 2), of, |counts| {
        Some(counts.system_us / counts.moves)
    })?;
    row(out, ("load of other processes, at most (%)", 0), of, |counts| {
        Some(100.0 * counts.background_load)
    })?;
    writeln!(out)
}
