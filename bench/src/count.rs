//! Counts what a busy machine cannot blur: instructions, wake-ups and commits of a move.

use std::{
    collections::BTreeMap,
    fmt::{self, Write as _},
    time::Duration,
};

use adamant_rules::Kind;
use anyhow::{Context as _, Result};
use clap::ValueEnum;
use futures::future::try_join_all;
use serde::Serialize;
use serde_json::json;

use crate::{
    callgrind::{Counting, Origin, Profile, check_installed, count},
    machine,
    peer::{Pair, Peer, Script, script, scripts, seat},
    report::median,
    target::{Conditions, Launch, Program, Target},
    workloads::{
        Phase, measured,
        moves::{PLIES, Times, WARM_UP_PLIES, play_all, reseat_all, seat_all},
    },
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Part {
    /// `SQLite` and its calls.
    Store,
    Copies,
    /// Reading and writing JSON.
    Json,
    /// Allocation and release of memory.
    Allocation,
    Formatting,
    /// The hashes of records and of tables in memory.
    Hashing,
    Rules,
    /// The server's own code, with the protocol and the record.
    Server,
    /// Sockets, WebSockets, tasks and timers.
    Sockets,
    /// Everything else.
    Rest,
}

impl Part {
    /// All parts, in the order of tables.
    pub(crate) const ALL: [Self; 10] = [
        Self::Store,
        Self::Copies,
        Self::Json,
        Self::Allocation,
        Self::Formatting,
        Self::Hashing,
        Self::Rules,
        Self::Server,
        Self::Sockets,
        Self::Rest,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Store => "store (SQLite)",
            Self::Copies => "copies of memory",
            Self::Json => "JSON",
            Self::Allocation => "allocation",
            Self::Formatting => "formatting",
            Self::Hashing => "hashing",
            Self::Rules => "rules",
            Self::Server => "server, protocol, record",
            Self::Sockets => "sockets and tasks",
            Self::Rest => "rest",
        }
    }

    /// Returns the part that instructions of this origin belong to.
    pub(crate) fn of(origin: &Origin) -> Self {
        let Origin { object, function, file } = origin;
        if object.contains("/libc.so") {
            return of_c_library(function, file);
        }
        let by_purpose = told_by(PURPOSES, |word| function.contains(word));
        let by_file = || crate_of(file).map(of_crate);
        by_purpose.or_else(by_file).unwrap_or_else(|| of_function(function))
    }
}

/// Words, each list with the part that they tell.
type Words = [(Part, &'static [&'static str])];

/// The part of the first list with a word that is meant.
fn told_by(words: &Words, is_meant: impl Fn(&str) -> bool) -> Option<Part> {
    let found = words.iter().find(|(_, words)| words.iter().any(|word| is_meant(word)));
    found.map(|(part, _)| *part)
}

/// Words in the names of functions whose purpose counts more than the crate that has them.
const PURPOSES: &Words = &[
    (Part::Allocation, &["alloc::raw_vec::", "__rust_"]),
    (Part::Formatting, &["core::fmt::", "alloc::fmt::"]),
    (Part::Json, &["serde"]),
    (Part::Hashing, &["core::hash::"]),
];

/// The parts of crates, by package and by name. All others belong to the rest.
const CRATES: &Words = &[
    (Part::Store, &["libsqlite3-sys", "rusqlite", "hashlink"]),
    (Part::Json, &["serde", "serde_core", "serde_json", "itoa", "memchr"]),
    (Part::Hashing, &["blake3", "constant_time_eq"]),
    (Part::Formatting, &["data-encoding"]),
    (Part::Rules, &["rules", "adamant_rules"]),
    (Part::Server, &["server", "protocol", "record"]),
    (Part::Server, &["adamant_server", "adamant_protocol", "adamant_record"]),
    (Part::Sockets, &["tokio", "tokio-util", "tokio_util", "tokio-tungstenite"]),
    (Part::Sockets, &["tokio_tungstenite", "tungstenite", "mio", "socket2", "bytes"]),
    (Part::Sockets, &["futures-core", "futures-util", "futures_util", "hyper", "hyper-util"]),
    (Part::Sockets, &["parking_lot"]),
];

fn of_crate(name: &str) -> Part {
    told_by(CRATES, |known| known == name).unwrap_or(Part::Rest)
}

/// Returns the crate that a file of the source belongs to; `None` for Rust's own library, whose
/// functions are mostly inlined and then belong to the function around them.
fn crate_of(file: &str) -> Option<&str> {
    if let Some((_, path)) = file.split_once("/registry/src/") {
        let folder = path.split('/').nth(1)?;
        let version = folder
            .match_indices('-')
            .map(|(at, _)| at)
            .find(|&at| folder[at + 1..].starts_with(|first: char| first.is_ascii_digit()));
        return Some(&folder[..version?]);
    }
    let (path, _) = file.rsplit_once("/src/").filter(|_| !file.contains("/library/"))?;
    Some(path.rsplit('/').next().unwrap_or(path))
}

/// Returns the part of the first crate in the name of a function.
fn of_function(function: &str) -> Part {
    let words = function.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let crates = words.map(of_crate).find(|&part| part != Part::Rest);
    let is_task = || function.contains("core::future::") || function.contains("core::task::");
    crates.unwrap_or_else(|| if is_task() { Part::Sockets } else { Part::Rest })
}

/// System calls and what surrounds them in the C library, by the part that makes them.
const SYSTEM_CALLS: &Words = &[
    (Part::Store, &["pread", "pwrite", "sync", "fcntl", "lseek"]),
    (Part::Sockets, &["send", "recv", "epoll", "read", "write", "pthread", "syscall"]),
];

fn of_c_library(function: &str, file: &str) -> Part {
    if file.contains("/malloc/") {
        return Part::Allocation;
    }
    if ["memcpy", "memmove", "memset"].iter().any(|copy| function.contains(copy)) {
        return Part::Copies;
    }
    told_by(SYSTEM_CALLS, |call| function.contains(call)).unwrap_or(Part::Rest)
}

/// What can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Counted {
    /// Instructions of a move in 100 games of Stymie 12, under callgrind.
    Plain,
    /// Instructions of a move in 20 games of Hexma whose players ask for their legal moves, under
    /// callgrind.
    Legal,
    /// The same as `plain` in whole games: their beginning and end are counted among their 40 moves.
    PlainGames,
    /// The same as `legal` in whole games.
    LegalGames,
    /// What a move in 1,000 games of Stymie 12 misses in a cache of 2 MiB, and mispredicted branches,
    /// under callgrind.
    Misses,
    /// Wake-ups, commits and CPU time of a move in 1,000 rooms in a closed loop.
    Loop,
}

const PLAIN: CountedGames = CountedGames {
    kind: Kind::Stymie,
    options: "-size=12",
    games: 100,
    caps: &[],
    whole: false,
    counting: Counting::Instructions,
};

const LEGAL: CountedGames =
    CountedGames { kind: Kind::Hexma, options: "", games: 20, caps: &["legal"], ..PLAIN };

const MISSES: CountedGames = CountedGames { games: 1_000, counting: Counting::Misses, ..PLAIN };

/// Rooms of the closed loop.
const LOOP_ROOMS: usize = 1_000;

/// A run to be made.
#[derive(Debug)]
pub(crate) struct Planned<'a> {
    counted: Counted,
    program: Compared,
    launch: &'a Launch,
    lasts: Duration,
}

/// Plans all runs: in each round every program once.
pub(crate) fn plan<'a>(
    counted: &[Counted],
    programs: &'a [(Compared, Launch)],
    rounds: u32,
    lasts: Duration,
) -> Result<Vec<Planned<'a>>> {
    let counted = if counted.is_empty() { Counted::value_variants() } else { counted };
    if counted.iter().any(|&counted| counted != Counted::Loop) {
        check_installed()?;
    }
    let mut planned = Vec::new();
    for _ in 0..rounds {
        for &counted in counted {
            for (program, launch) in programs {
                planned.push(Planned { counted, program: *program, launch, lasts });
            }
        }
    }
    Ok(planned)
}

impl Planned<'_> {
    pub(crate) fn name(&self) -> String {
        format!("{}, {}", self.workload(), self.program.name())
    }

    fn workload(&self) -> String {
        match self.counted {
            Counted::Plain => format!("Stymie 12, {} games", PLAIN.games),
            Counted::Legal => format!("Hexma with legal, {} games", LEGAL.games),
            Counted::PlainGames => format!("Stymie 12, {} whole games", PLAIN.games),
            Counted::LegalGames => format!("Hexma with legal, {} whole games", LEGAL.games),
            Counted::Misses => format!("Stymie 12, {} games, caches", MISSES.games),
            Counted::Loop => format!("closed loop, {LOOP_ROOMS} rooms"),
        }
    }

    pub(crate) async fn run(&self, report: &mut CountReport) -> Result<()> {
        let games = match self.counted {
            Counted::Plain => PLAIN,
            Counted::Legal => LEGAL,
            Counted::PlainGames => CountedGames { whole: true, ..PLAIN },
            Counted::LegalGames => CountedGames { whole: true, ..LEGAL },
            Counted::Misses => MISSES,
            Counted::Loop => {
                let of = ClosedLoop { rooms: LOOP_ROOMS, lasts: self.lasts };
                let counts = counted_loop(self.launch, of).await.with_context(|| self.name())?;
                report.add_loop(self.workload(), self.program, counts);
                return Ok(());
            }
        };
        let counted = counted_instructions(self.launch, games).await;
        let (profile, moves) = counted.with_context(|| self.name())?;
        let counts = Instructions::of_a_move(profile, moves);
        report.add_instructions(self.workload(), self.program, counts);
        Ok(())
    }
}

/// Origins that the JSON report lists.
const ORIGINS_LISTED: usize = 60;

/// The functions that sync a commit.
const SYNCS: [&str; 2] = ["fsync", "fdatasync"];

/// The functions that allocate.
const ALLOCATIONS: [&str; 4] = ["malloc", "calloc", "realloc", "posix_memalign"];

/// The events that are misses of the last cache, and mispredicted branches.
const CACHE_MISSES: [&str; 3] = ["ILmr", "DLmr", "DLmw"];
const MISPREDICTED: [&str; 2] = ["Bcm", "Bim"];

/// The server, and the binary that it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Compared {
    Server,
    /// The other binary.
    Baseline,
}

impl Compared {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Baseline => "baseline",
        }
    }
}

/// The instructions of one run, by move.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Instructions {
    pub(crate) all: f64,
    pub(crate) parts: BTreeMap<Part, f64>,
    /// Moves that shared a sync, while callgrind slowed the server down.
    pub(crate) moves_per_sync: f64,
    pub(crate) allocations: f64,
    /// Misses of the last cache, if caches are simulated.
    pub(crate) cache_misses: Option<f64>,
    /// Mispredicted branches, with the caches.
    pub(crate) mispredicted: Option<f64>,
    /// The origins of most instructions.
    pub(crate) origins: Vec<CostlyOrigin>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct CostlyOrigin {
    pub(crate) instructions: f64,
    /// The part that they belong to.
    pub(crate) part: Part,
    #[serde(flatten)]
    pub(crate) origin: Origin,
}

impl Instructions {
    /// Divides a profile by the number of moves.
    #[expect(clippy::cast_precision_loss, reason = "counts of work are far below 2^52")]
    pub(crate) fn of_a_move(profile: Profile, moves: u64) -> Self {
        let moves = moves as f64;
        let mut parts: BTreeMap<_, f64> = Part::ALL.iter().map(|&part| (part, 0.0)).collect();
        let calls = |names: &[&str]| -> u64 {
            names.iter().filter_map(|&name| profile.calls.get(name)).sum()
        };
        let events = |names: &[&str]| -> Option<f64> {
            let counted = names.iter().map(|&name| profile.totals.get(name));
            Some(counted.sum::<Option<u64>>()? as f64 / moves)
        };
        let moves_per_sync = moves / calls(&SYNCS).max(1) as f64;
        let allocations = calls(&ALLOCATIONS) as f64 / moves;
        let (cache_misses, mispredicted) = (events(&CACHE_MISSES), events(&MISPREDICTED));
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
        let all = parts.values().sum();
        Self { all, parts, moves_per_sync, allocations, cache_misses, mispredicted, origins }
    }
}

#[derive(Debug, Clone, Serialize)]
struct Run<Counts> {
    workload: String,
    program: Compared,
    counts: Counts,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct CountReport {
    instructions: Vec<Run<Instructions>>,
    loops: Vec<Run<LoopCounts>>,
}

impl CountReport {
    pub(crate) fn add_instructions(
        &mut self,
        workload: String,
        program: Compared,
        counts: Instructions,
    ) {
        self.instructions.push(Run { workload, program, counts });
    }

    /// Adds the counts of a closed loop.
    pub(crate) fn add_loop(&mut self, workload: String, program: Compared, counts: LoopCounts) {
        self.loops.push(Run { workload, program, counts });
    }

    pub(crate) fn table(&self) -> String {
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

type Figure = fn(&Instructions) -> Option<f64>;

/// The figures that only a simulation of the caches has.
const FIGURES_OF_MISSES: [(&str, Figure); 2] = [
    ("misses of a cache of 2 MiB", |counts| counts.cache_misses),
    ("mispredicted branches", |counts| counts.mispredicted),
];

fn instructions_table(out: &mut String, workload: &str, runs: &[Run<Instructions>]) -> fmt::Result {
    head(out, workload)?;
    let of = (workload, runs);
    row(out, ("instructions of a move", 0), of, |counts| Some(counts.all))?;
    for part in Part::ALL {
        row(out, (&format!("  {}", part.name()), 0), of, |counts| {
            counts.parts.get(&part).copied()
        })?;
    }
    row(out, ("allocations", 1), of, |counts| Some(counts.allocations))?;
    for (name, figure) in FIGURES_OF_MISSES {
        if !values(runs, (workload, Compared::Server), figure).is_empty() {
            row(out, (name, 0), of, figure)?;
        }
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

/// Moves of each game that callgrind counts.
const COUNTED_PLIES: usize = 20;

/// Games whose instructions are counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CountedGames {
    pub(crate) kind: Kind,
    pub(crate) options: &'static str,
    /// The number of games at once.
    pub(crate) games: usize,
    /// What the players ask for in `hello`.
    pub(crate) caps: &'static [&'static str],
    /// Whether their beginning and end are counted, too.
    pub(crate) whole: bool,
    pub(crate) counting: Counting,
}

/// Counts the server's instructions while these games are played. Returns the number of moves, too.
/// The server's metrics cannot be read: under valgrind the library that reads the limit of open
/// files for them fails.
pub(crate) async fn counted_instructions(
    launch: &Launch,
    of: CountedGames,
) -> Result<(Profile, u64)> {
    let conditions = Conditions { callgrind: Some(of.counting), ..Conditions::default() };
    let target = Target::start_under(conditions, Program::Adamant, launch)?;
    let plies = if of.whole { PLIES } else { COUNTED_PLIES };
    let scripts: Vec<_> = (0..)
        .take(of.games)
        .map(|number| script(of.kind, of.options, WARM_UP_PLIES + plies, number))
        .collect();
    let mut pairs = Vec::with_capacity(of.games);
    for (number, script) in scripts.iter().enumerate() {
        pairs.push(seat_with_caps(&target, number, script, of.caps).await?);
    }
    let pairs = play_all(pairs, WARM_UP_PLIES, &Times::new()).await?;
    target.settle().await?;
    let playing = async {
        let pairs = if of.whole { reseat_all(&target, pairs, &scripts).await? } else { pairs };
        let pairs = play_all(pairs, plies, &Times::new()).await?;
        // The last moves cost something after their events, too.
        target.settle().await?;
        Ok(pairs)
    };
    let (profile, _pairs) = count(target.pid(), target.directory()?, playing).await?;
    Ok((profile, (of.games * plies) as u64))
}

async fn seat_with_caps(
    target: &Target,
    number: usize,
    script: &Script,
    caps: &[&str],
) -> Result<Pair> {
    let greeted = [2 * number, 2 * number + 1].map(|number| async move {
        let mut peer = Peer::connect(target.address(), number).await?;
        let auth = json!({"guest": format!("g{number}")});
        peer.ask(&json!({"type":"hello","id":"h","proto":[1],"auth":auth,"caps":caps})).await?;
        anyhow::Ok(peer)
    });
    let peers = try_join_all(greeted).await?.try_into().ok().context("two players were seated")?;
    seat(target, peers, number, script).await
}

/// A closed loop whose wake-ups and commits are counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClosedLoop {
    pub(crate) rooms: usize,
    /// How long it plays at least.
    pub(crate) lasts: Duration,
}

/// What the server counted in a closed loop, and its CPU time.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct LoopCounts {
    pub(crate) moves: f64,
    /// Their duration in seconds.
    pub(crate) seconds: f64,
    /// The CPU time in user space, in microseconds.
    pub(crate) user_us: f64,
    /// The CPU time in the kernel, in microseconds.
    pub(crate) system_us: f64,
    /// How often the server's threads slept.
    pub(crate) sleeps: f64,
    /// How often the tasks that drive rooms were woken, if the server counts that.
    pub(crate) room_wakeups: Option<f64>,
    pub(crate) commits: Option<f64>,
    pub(crate) records: Option<f64>,
    /// The largest share of the machine that other processes used.
    pub(crate) background_load: f64,
}

/// The server's counters at one time.
#[derive(Debug)]
struct Counters {
    sleeps: u64,
    counted: [Option<f64>; 3],
}

impl Counters {
    async fn read(target: &Target) -> Result<Self> {
        let names = [
            "adamant_room_wakeups_total",
            "adamant_commits_total",
            "adamant_records_committed_total",
        ];
        let counted = machine::values(target.address(), names).await?;
        Ok(Self { sleeps: machine::sleeps(target.pid())?, counted })
    }
}

/// Plays in a closed loop and counts.
pub(crate) async fn counted_loop(launch: &Launch, of: ClosedLoop) -> Result<LoopCounts> {
    let target = Target::start(Program::Adamant, launch)?;
    let scripts = scripts(PLIES);
    let mut pairs = seat_all(&target, of.rooms, &scripts).await?;
    let (mut phase, mut moves) = (Phase::nothing(), 0);
    let (mut sleeps, mut counted) = (0, [Some(0.0); 3]);
    while phase.took < of.lasts {
        pairs = play_all(pairs, WARM_UP_PLIES, &Times::new()).await?;
        let before = Counters::read(&target).await?;
        let plies = PLIES - WARM_UP_PLIES;
        let (played, back) = measured(&target, play_all(pairs, plies, &Times::new())).await?;
        let after = Counters::read(&target).await?;
        phase = phase.and(&played);
        moves += of.rooms * plies;
        sleeps += after.sleeps - before.sleeps;
        for ((sum, after), before) in counted.iter_mut().zip(after.counted).zip(before.counted) {
            *sum = sum.zip(after).zip(before).map(|((sum, after), before)| sum + after - before);
        }
        pairs = reseat_all(&target, back, &scripts).await?;
    }
    let [room_wakeups, commits, records] = counted;
    #[expect(clippy::cast_precision_loss, reason = "counts of work are far below 2^52")]
    Ok(LoopCounts {
        moves: moves as f64,
        seconds: phase.took.as_secs_f64(),
        user_us: phase.cpu.user_us as f64,
        system_us: phase.cpu.system_us as f64,
        sleeps: sleeps as f64,
        room_wakeups,
        commits,
        records,
        background_load: phase.background_load,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callgrind::parse;

    /// Rows of a recorded profile. A called function's cost appears in the row after its call, too.
    const RECORDED: &str = include_str!("recorded.out");

    #[test]
    fn instructions_are_counted_once_in_the_part_of_their_source() {
        let profile = parse(RECORDED).unwrap();
        let mut parts = BTreeMap::new();
        for (origin, instructions) in &profile.instructions {
            *parts.entry(Part::of(origin)).or_insert(0) += instructions;
        }
        let expected = BTreeMap::from([
            (Part::Store, 11),
            (Part::Copies, 102),
            (Part::Json, 23),
            (Part::Allocation, 34),
            (Part::Formatting, 45),
            (Part::Hashing, 56),
            (Part::Rules, 67),
            (Part::Server, 78),
            (Part::Sockets, 89),
            (Part::Rest, 7),
        ]);
        assert_eq!(parts, expected);
        let total = RECORDED.lines().find_map(|line| line.strip_prefix("totals: ")).unwrap();
        assert_eq!(parts.values().sum::<u64>(), total.parse::<u64>().unwrap());
        assert_eq!(profile.calls["fsync"], 3);
    }
}
