//! `adamant-bench`: measures the real server under load, compared with baselines in the same run.

mod attack;
mod baseline;
mod callgrind;
mod count;
mod machine;
mod peer;
mod prices;
mod report;
mod target;
mod workload_names;
mod workloads;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use clap::{Parser, Subcommand, ValueEnum as _};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tokio::task::LocalSet;

use crate::{
    attack::{Attack, AttackReport},
    count::{Compared, CountReport, Counted},
    prices::PriceReport,
    report::Report,
    target::{Launch, Placement, Program},
    workloads::{Bench, Beside, ClusterSizes, FullServer, Noise, Sizes},
};

/// Measures the server under load, compared with a bare relay and bare sockets.
#[derive(Debug, Parser)]
#[command(
    name = "adamant-bench",
    version,
    about,
    after_help = "\
Build the server first: cargo build --profile shipped -p adamant-server -p adamant-bench
The server runs on one core and the load client on another. The cost is the server's CPU time per
unit of work. Compare the programs of one run, not different runs. Rounds in which other processes
used the machine are left out; if no other round remains, the row says NOT CLEAN."
)]
struct Args {
    #[command(subcommand)]
    command: Command,
    /// The server's binary; default: the one beside this program.
    #[arg(long, global = true, value_name = "FILE")]
    server: Option<PathBuf>,
    /// Directory for the server's files, on the disk to be measured.
    #[arg(long, global = true, value_name = "DIR", default_value = ".")]
    directory: PathBuf,
    /// Number of rounds; by default, workloads with a baseline run more often than others.
    #[arg(long, global = true, value_name = "N")]
    rounds: Option<u32>,
    /// Runs more sizes and rounds, however long that takes.
    #[arg(long, global = true)]
    full: bool,
    /// Prints JSON instead of a table.
    #[arg(long, global = true)]
    json: bool,
    /// Does not pin server and load client to separate cores.
    #[arg(long, global = true)]
    no_pin: bool,
}

#[derive(Debug, Clone, Subcommand)]
enum Command {
    /// All workloads of one server.
    All,
    /// Durable moves in many rooms, in a closed loop and at a fixed rate.
    Moves,
    /// Durable moves on a disk whose flushes take 5 ms longer. Needs strace.
    SlowDisk,
    /// One room with many spectators.
    FanOut,
    /// Memory of idle sockets, live rooms and parked games, and a game on a full server.
    Idle,
    /// Connecting and `hello`.
    Accept,
    /// Recovery after `kill -9`.
    Recovery,
    /// Snapshots and replays of long games.
    Reading,
    /// Spectators who do not read.
    StalledReaders,
    /// Moves in games of one loop, first alone, then while other clients open long games, watch,
    /// show many boards and read positions of the same loop's games.
    Interference {
        /// What the other clients do, each measured alone; default: all at once.
        noises: Vec<Noise>,
    },
    /// How long the server's bots let people with clocks wait: beside 100 games without clocks and
    /// 500 analyses, and beside 1,000 rooms.
    House,
    /// Moves in a closed loop on one loop of games and one core, and on two.
    Loops,
    /// Three nodes on a PostgreSQL primary with two standbys, beside the server with an embedded
    /// store and the relay: moves between players on different nodes, and `hello` after a cut of
    /// all connections. The databases are in the directory for temporary files (TMPDIR).
    Cluster {
        /// Small sizes and one round, to see whether it works.
        #[arg(long)]
        quick: bool,
    },
    /// Attacks on a server with default limits, each on a fresh server: measures a bystander's
    /// ping, whether new clients can play, and the growth of memory and disk. Exits with status 1
    /// if the server does not hold.
    Attacks {
        /// The attacks; default: all of them.
        attacks: Vec<Attack>,
        /// The duration of each attack in seconds.
        #[arg(long, value_name = "N", default_value_t = 20)]
        seconds: u64,
    },
    /// The server's CPU time for each kind of request beside what it costs of the rates. Exits with
    /// status 1 if one is too cheap.
    Prices,
    /// Counts what other processes cannot blur: the server's instructions of a move by part, under
    /// callgrind, and its wake-ups and commits of a move in a closed loop. Needs valgrind.
    Count {
        /// What is counted; default: everything.
        counted: Vec<Counted>,
        /// Another binary of the server, which runs by turns.
        #[arg(long, value_name = "FILE")]
        baseline: Option<PathBuf>,
        /// The duration of the closed loop in seconds.
        #[arg(long, value_name = "N", default_value_t = 10)]
        seconds: u64,
    },
    /// Serves a baseline; started by this program itself.
    #[command(hide = true)]
    Serve {
        /// The baseline.
        program: Program,
    },
    /// Times flushes in a directory; started by this program itself.
    #[command(hide = true)]
    Flush {
        /// The directory.
        files: PathBuf,
    },
}

/// One measurement.
#[derive(Debug, Clone, Copy)]
enum Job {
    Moves(Program, usize),
    Paced { per_s: u32, rooms: usize },
    SlowDisk,
    FanOut(Program, usize),
    Idle(Program, Sizes),
    FullServer(FullServer),
    LongRooms(Sizes),
    Parked(Sizes),
    Accept(Program, usize),
    Recovery(usize),
    Reading(usize),
    StalledReaders(usize, usize),
    Interference(Noise),
    House(Beside),
    Loops(usize),
    ClusterMoves(ClusterSizes, Placement),
    ClusterService(ClusterSizes),
}

/// A job and its number of rounds: quick jobs, and those whose ratios matter, run more often.
type Planned = (Job, u32);

const PROGRAMS: [Program; 3] = [Program::Adamant, Program::Relay, Program::Raw];

/// Rounds of jobs with a baseline: in the short profile, and in the full one.
const ROUNDS: u32 = 5;
const ROUNDS_FULL: u32 = 9;

/// Rounds of counting: they differ by a few percent.
const ROUNDS_COUNT: u32 = 3;

/// Rounds of interference: each plays long games first.
const ROUNDS_INTERFERENCE: u32 = 3;

/// Where the players of moves between nodes are.
const PLACEMENTS: [Placement; 4] = [
    Placement { nodes: 1, together: true },
    Placement { nodes: 2, together: false },
    Placement::APART,
    Placement { nodes: 3, together: true },
];

/// Rounds of several nodes: of moves, and of all else, which takes a minute and a half.
const ROUNDS_CLUSTER: u32 = 3;
const ROUNDS_SERVICE: u32 = 2;

/// Rounds of the slow disk: the machine's own disk is slow at times, too.
const ROUNDS_SLOW_DISK: u32 = 3;

impl Command {
    fn jobs(&self, full: bool) -> Vec<Planned> {
        let is = |what: &Self| {
            matches!(self, Self::All)
                || std::mem::discriminant(self) == std::mem::discriminant(what)
        };
        let rounds = if full { ROUNDS_FULL } else { ROUNDS };
        let mut jobs: Vec<Planned> = Vec::new();
        let mut plan = |rounds, some: &[Job]| jobs.extend(some.iter().map(|&job| (job, rounds)));
        if is(&Self::Moves) {
            plan(rounds, &PROGRAMS.map(|program| Job::Moves(program, 1_000)));
            for rooms in [100, 9_000] {
                let compared = [Program::Adamant, Program::Relay];
                plan(rounds, &compared.map(|program| Job::Moves(program, rooms)));
            }
            plan(rounds, &[Job::Paced { per_s: 1_000, rooms: 200 }]);
        }
        if is(&Self::FanOut) {
            for spectators in [100, 1_000, 5_000] {
                plan(rounds, &PROGRAMS.map(|program| Job::FanOut(program, spectators)));
            }
        }
        if is(&Self::Accept) {
            plan(rounds, &PROGRAMS.map(|program| Job::Accept(program, 10_000)));
        }
        if is(&Self::SlowDisk) {
            plan(ROUNDS_SLOW_DISK, &[Job::SlowDisk]);
        }
        if is(&Self::Idle) {
            let sizes = if full { FullServer::FULL } else { FullServer::SHORT };
            let baselines = [Program::Relay, Program::Raw];
            plan(1, &baselines.map(|program| Job::Idle(program, sizes.sockets)));
            plan(1, &[Job::FullServer(sizes)]);
            let (from, to) = if full { (10_000, 40_000) } else { (2_000, 8_000) };
            let long = Sizes { from: 300, to: 1_500 };
            plan(1, &[Job::LongRooms(long), Job::Parked(Sizes { from, to })]);
        }
        if is(&Self::Recovery) {
            plan(1, &[Job::Recovery(10_000)]);
            if full {
                plan(1, &[Job::Recovery(100_000)]);
            }
        }
        if is(&Self::Reading) {
            plan(1, &[Job::Reading(200)]);
        }
        if is(&Self::StalledReaders) {
            plan(1, &[Job::StalledReaders(5_000, 50)]);
        }
        plan(ROUNDS_INTERFERENCE, &self.noises().map(Job::Interference).collect::<Vec<_>>());
        if matches!(self, Self::House) {
            plan(1, &[Job::House(Beside::Thoughts), Job::House(Beside::Rooms)]);
        }
        if is(&Self::Loops) {
            plan(rounds, &[Job::Loops(1_000)]);
        }
        if let Self::Cluster { quick } = self {
            let sizes = if *quick { ClusterSizes::QUICK } else { ClusterSizes::USUAL };
            let of = |rounds| if *quick { 1 } else { rounds };
            let compared = [Program::Relay, Program::Adamant];
            plan(of(ROUNDS_CLUSTER), &compared.map(|program| Job::Moves(program, sizes.rooms)));
            plan(
                of(ROUNDS_CLUSTER),
                &PLACEMENTS.map(|placement| Job::ClusterMoves(sizes, placement)),
            );
            plan(of(ROUNDS_SERVICE), &[Job::ClusterService(sizes)]);
        }
        jobs
    }

    fn noises(&self) -> impl Iterator<Item = Noise> {
        let chosen = if let Self::Interference { noises } = self { Some(noises) } else { None };
        let noises = match chosen {
            Some(noises) if !noises.is_empty() => noises.as_slice(),
            None if !matches!(self, Self::All) => &[],
            Some(_) | None => &[Noise::All][..],
        };
        noises.iter().copied()
    }
}

impl Job {
    fn name(self) -> String {
        match self {
            Self::Moves(program, rooms) => format!("moves, {rooms} rooms, {}", program.name()),
            Self::Paced { per_s, .. } => format!("moves, {per_s} a second"),
            Self::SlowDisk => "moves on a slow disk".to_owned(),
            Self::FanOut(program, size) => format!("fan-out to {size}, {}", program.name()),
            Self::Idle(program, sockets) => format!("{} idle, {}", sockets.to, program.name()),
            Self::FullServer(FullServer { sockets, rooms, .. }) => {
                format!("{} idle and {} rooms, three times", sockets.to, rooms.to)
            }
            Self::LongRooms(rooms) => format!("{} rooms of longer games", rooms.to),
            Self::Parked(games) => format!("{} parked games", games.to),
            Self::Accept(program, _) => format!("connect, {}", program.name()),
            Self::Recovery(games) => format!("recovery of {games} games"),
            Self::Reading(plies) => format!("reading {plies} plies"),
            Self::StalledReaders(size, _) => format!("{size} spectators, some do not read"),
            Self::Interference(noise) => noise.name().to_owned(),
            Self::House(beside) => beside.name().to_owned(),
            Self::Loops(rooms) => format!("loops, {rooms} rooms"),
            Self::ClusterMoves(_, Placement { nodes, together }) => {
                format!("moves on {nodes} nodes, {}", if together { "together" } else { "apart" })
            }
            Self::ClusterService(_) => "nodes on all cores".to_owned(),
        }
    }

    async fn run(self, bench: &mut Bench<'_>) -> Result<()> {
        match self {
            Self::Moves(program, rooms) => workloads::moves(bench, program, rooms).await,
            Self::Paced { per_s, rooms } => workloads::paced_moves(bench, rooms, per_s).await,
            Self::SlowDisk => workloads::slow_disk(bench).await,
            Self::FanOut(program, spectators) => {
                workloads::fan_out(bench, program, spectators).await
            }
            Self::Idle(program, sockets) => workloads::idle(bench, program, sockets).await,
            Self::FullServer(sizes) => workloads::full_server(bench, sizes).await,
            Self::LongRooms(rooms) => workloads::long_rooms(bench, rooms).await,
            Self::Parked(games) => workloads::parked(bench, games).await,
            Self::Accept(program, connections) => {
                workloads::accept(bench, program, connections).await
            }
            Self::Recovery(games) => workloads::recovery(bench, games).await,
            Self::Reading(plies) => workloads::reading(bench, plies).await,
            Self::StalledReaders(spectators, never) => {
                workloads::stalled_readers(bench, spectators, never).await
            }
            Self::Interference(noise) => workloads::interference(bench, noise).await,
            Self::House(beside) => workloads::house(bench, beside).await,
            Self::Loops(rooms) => workloads::loops(bench, rooms).await,
            Self::ClusterMoves(sizes, placement) => {
                workloads::cluster_moves(bench, sizes, placement).await
            }
            Self::ClusterService(sizes) => workloads::cluster_service(bench, sizes).await,
        }
    }
}

fn main() -> Result<()> {
    let args = Args::parse();
    machine::open_all_files()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    if let Command::Serve { program } = args.command {
        return runtime.block_on(baseline::serve(program));
    }
    if let Command::Flush { files } = &args.command {
        #[expect(clippy::print_stdout, reason = "the process that started this one reads it")]
        {
            println!("{}", target::time_flushes(files)?);
        }
        return Ok(());
    }
    let cores = if args.no_pin { None } else { machine::Cores::find()? };
    let launch = Launch {
        server: args.server.clone().map_or_else(sibling_server, Ok)?,
        directory: args.directory.clone(),
        cores,
        node: None,
    };
    if let Command::Attacks { attacks, seconds } = &args.command {
        let lasts = Duration::from_secs(*seconds);
        let run_attacks = run_attacks(&args, attacks, lasts, &launch);
        let report = LocalSet::new().block_on(&runtime, run_attacks)?;
        print(&args, &report, AttackReport::table)?;
        ensure!(report.is_held(), "the server does not hold against every attack");
        return Ok(());
    }
    if let Command::Prices = &args.command {
        let report = LocalSet::new().block_on(&runtime, prices::measure(&launch))?;
        print(&args, &report, PriceReport::table)?;
        ensure!(report.is_fair(), "some requests cost the server more than their price covers");
        return Ok(());
    }
    if let Command::Count { counted, baseline, seconds } = &args.command {
        let mut programs = vec![(Compared::Server, launch.clone())];
        programs.extend(
            baseline.clone().map(|server| (Compared::Baseline, Launch { server, ..launch })),
        );
        let rounds = args.rounds.unwrap_or(ROUNDS_COUNT);
        let planned = count::plan(counted, &programs, rounds, Duration::from_secs(*seconds))?;
        let report = LocalSet::new().block_on(&runtime, run_count(&planned))?;
        return print(&args, &report, CountReport::table);
    }
    let report = LocalSet::new().block_on(&runtime, measure(&args, &launch))?;
    print(&args, &report, Report::table)
}

/// Prints a report as a table or as JSON.
fn print<R: Serialize>(args: &Args, report: &R, table: impl Fn(&R) -> String) -> Result<()> {
    #[expect(clippy::print_stdout, reason = "this is what was asked for")]
    if args.json {
        println!("{}", serde_json::to_string_pretty(report)?);
    } else {
        print!("{}", table(report));
    }
    Ok(())
}

async fn run_attacks(
    args: &Args,
    attacks: &[Attack],
    lasts: Duration,
    launch: &Launch,
) -> Result<AttackReport> {
    let attacks = if attacks.is_empty() { Attack::value_variants() } else { attacks };
    let bar = progress(attacks.len().try_into()?)?;
    let mut report = AttackReport::default();
    for &attack in attacks {
        bar.set_message(attack.name());
        let outcome = attack::measure(attack, launch, lasts, args.full).await;
        report.attacks.push(outcome.with_context(|| attack.name())?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(report)
}

async fn run_count(planned: &[count::Planned<'_>]) -> Result<CountReport> {
    let bar = progress(planned.len().try_into()?)?;
    let mut report = CountReport::default();
    for planned in planned {
        bar.set_message(planned.name());
        planned.run(&mut report).await?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(report)
}

fn progress(steps: u64) -> Result<ProgressBar> {
    let style = ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {pos}/{len} {msg}")?;
    Ok(ProgressBar::new(steps).with_style(style))
}

/// Returns the path of the server's binary in this program's directory.
fn sibling_server() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let server = own.parent().unwrap_or(Path::new(".")).join("adamant-server");
    let found = server.is_file().then_some(server);
    found.context("build the server first: cargo build --profile shipped -p adamant-server")
}

async fn measure(args: &Args, launch: &Launch) -> Result<Report> {
    let mut jobs = args.command.jobs(args.full);
    if let Some(rounds) = args.rounds {
        for (_, planned) in &mut jobs {
            *planned = rounds;
        }
    }
    let bar = progress(jobs.iter().map(|(_, rounds)| u64::from(*rounds)).sum())?;
    let mut report = Report::default();
    if launch.cores.is_none() {
        report.note("The two sides shared their cores.");
    }
    let rounds = jobs.iter().map(|(_, rounds)| *rounds).max().unwrap_or(0);
    for round in 1..=rounds {
        for (job, _) in jobs.iter().filter(|(_, rounds)| round <= *rounds) {
            bar.set_message(job.name());
            let mut bench = Bench { launch, round, report: &mut report };
            job.run(&mut bench).await.with_context(|| job.name())?;
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    report.goals = report::goals(&report);
    Ok(report)
}
