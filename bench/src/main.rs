//! `adamant-bench`: what the real server costs under load, beside its baselines in the same run.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use adamant_bench::load::{
    attack::{self, Attack, AttackReport},
    baseline, flush, judging, machine,
    report::Report,
    subject::{Launch, Program},
    work::{self, Bench, Crowd, Sizes},
};
use anyhow::{Context as _, Result, ensure};
use clap::{Parser, Subcommand, ValueEnum as _};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tokio::task::LocalSet;

/// Measures the server under load, beside a bare relay and bare sockets.
#[derive(Debug, Parser)]
#[command(
    name = "adamant-bench",
    version,
    about,
    after_help = "\
Build the server first: cargo build --release -p adamant-server -p adamant-bench
The server runs on one core and the load client on another. What is told is the server's CPU time
per unit of work; compare the programs of one run, not runs. Rounds in which the machine was busy
with something else are marked, and left out where there are others."
)]
struct Args {
    #[command(subcommand)]
    what: What,
    /// The server's binary; the one beside this program unless told otherwise.
    #[arg(long, global = true, value_name = "FILE")]
    server: Option<PathBuf>,
    /// Where the server's files go: a directory on the disk that is to be measured.
    #[arg(long, global = true, value_name = "DIR", default_value = ".")]
    directory: PathBuf,
    /// How often everything is measured; unless told otherwise, what is compared with a baseline
    /// more often than what is not.
    #[arg(long, global = true, value_name = "N")]
    rounds: Option<u32>,
    /// More sizes and rounds, for as long as it takes.
    #[arg(long, global = true)]
    full: bool,
    /// Prints JSON instead of a table.
    #[arg(long, global = true)]
    json: bool,
    /// Does not pin the two sides to cores of their own.
    #[arg(long, global = true)]
    no_pin: bool,
}

#[derive(Debug, Clone, Subcommand)]
enum What {
    /// Everything.
    All,
    /// W1: durable moves in many rooms, and at a pace.
    Moves,
    /// W1 on a disk whose flushes take 5 ms longer. Needs strace.
    SlowDisk,
    /// W2: one room and many spectators.
    FanOut,
    /// W3: memory of idle sockets, live rooms and parked games, and a game in a full server.
    Idle,
    /// W4: connecting and saying hello.
    Accept,
    /// W5: recovery after kill -9.
    Recovery,
    /// W6: snapshots and replays of long games.
    Reading,
    /// W7: spectators who do not read.
    Unread,
    /// Attacks by strangers on a server with default limits, each on a fresh one: how long a
    /// bystander's ping takes, whether newcomers get to play, and what memory and disk grow by.
    /// Ends with status 1 if the server does not hold.
    Attacks {
        /// Which; all of them unless told otherwise.
        attacks: Vec<Attack>,
        /// How long each of them goes on, in seconds.
        #[arg(long, value_name = "N", default_value_t = 20)]
        seconds: u64,
    },
    /// Serves a baseline; what this program starts for itself.
    #[command(hide = true)]
    Serve {
        /// Which.
        program: Program,
    },
    /// Times flushes in a directory; what this program starts for itself.
    #[command(hide = true)]
    Flush {
        /// Where.
        files: PathBuf,
    },
}

/// One measurement: its name for the progress bar, and what it does.
#[derive(Debug, Clone, Copy)]
enum Job {
    Moves(Program, usize),
    Paced { per_s: u32, rooms: usize },
    SlowDisk,
    FanOut(Program, usize),
    Idle(Program, Sizes),
    Crowd(Crowd),
    Parked(Sizes),
    Accept(Program, usize),
    Recovery(usize),
    Reading(usize),
    Unread(usize, usize),
}

/// A job, and in how many rounds it is done: quick ones and those whose ratios count in more.
type Planned = (Job, u32);

const PROGRAMS: [Program; 3] = [Program::Adamant, Program::Relay, Program::Raw];

/// Rounds of what is compared with a baseline: in the short profile, and in the full one.
const ROUNDS: u32 = 5;
const ROUNDS_FULL: u32 = 9;

/// Rounds of a disk that is slow, because the machine's own is now and then, too.
const ROUNDS_SLOW_DISK: u32 = 3;

impl What {
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
            let crowd = if full { Crowd::FULL } else { Crowd::SHORT };
            let baselines = [Program::Relay, Program::Raw];
            plan(1, &baselines.map(|program| Job::Idle(program, crowd.sockets)));
            plan(1, &[Job::Crowd(crowd)]);
            let (from, to) = if full { (10_000, 40_000) } else { (2_000, 8_000) };
            plan(1, &[Job::Parked(Sizes { from, to })]);
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
        if is(&Self::Unread) {
            plan(1, &[Job::Unread(5_000, 50)]);
        }
        jobs
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
            Self::Crowd(Crowd { sockets, rooms, .. }) => {
                format!("{} idle and {} rooms, three times", sockets.to, rooms.to)
            }
            Self::Parked(games) => format!("{} parked games", games.to),
            Self::Accept(program, _) => format!("connect, {}", program.name()),
            Self::Recovery(games) => format!("recovery of {games} games"),
            Self::Reading(plies) => format!("reading {plies} plies"),
            Self::Unread(size, _) => format!("{size} spectators, some do not read"),
        }
    }

    async fn run(self, bench: &mut Bench<'_>) -> Result<()> {
        match self {
            Self::Moves(program, rooms) => work::moves(bench, program, rooms).await,
            Self::Paced { per_s, rooms } => work::paced_moves(bench, rooms, per_s).await,
            Self::SlowDisk => work::slow_disk(bench).await,
            Self::FanOut(program, spectators) => work::fan_out(bench, program, spectators).await,
            Self::Idle(program, sockets) => work::idle(bench, program, sockets).await,
            Self::Crowd(crowd) => work::crowd(bench, crowd).await,
            Self::Parked(games) => work::parked(bench, games).await,
            Self::Accept(program, connections) => work::accept(bench, program, connections).await,
            Self::Recovery(games) => work::recovery(bench, games).await,
            Self::Reading(plies) => work::reading(bench, plies).await,
            Self::Unread(spectators, never) => work::unread(bench, spectators, never).await,
        }
    }
}

fn main() -> Result<()> {
    let args = Args::parse();
    machine::open_all_files()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    if let What::Serve { program } = args.what {
        return runtime.block_on(baseline::serve(program));
    }
    if let What::Flush { files } = &args.what {
        #[expect(clippy::print_stdout, reason = "the process that started this one reads it")]
        {
            println!("{}", flush::time(files)?);
        }
        return Ok(());
    }
    let cores = if args.no_pin { None } else { machine::Cores::find()? };
    let launch = Launch {
        server: args.server.clone().map_or_else(beside, Ok)?,
        directory: args.directory.clone(),
        cores,
    };
    if let What::Attacks { attacks, seconds } = &args.what {
        let lasts = Duration::from_secs(*seconds);
        let attacked = attacked(&args, attacks, lasts, &launch);
        let report = LocalSet::new().block_on(&runtime, attacked)?;
        print(&args, &report, AttackReport::table)?;
        ensure!(report.is_held(), "the server does not hold against every attack");
        return Ok(());
    }
    let report = LocalSet::new().block_on(&runtime, measure(&args, &launch))?;
    print(&args, &report, Report::table)
}

/// Prints what was measured, as a table or as JSON.
fn print<R: Serialize>(args: &Args, report: &R, table: impl Fn(&R) -> String) -> Result<()> {
    #[expect(clippy::print_stdout, reason = "this is what was asked for")]
    if args.json {
        println!("{}", serde_json::to_string_pretty(report)?);
    } else {
        print!("{}", table(report));
    }
    Ok(())
}

async fn attacked(
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

fn progress(steps: u64) -> Result<ProgressBar> {
    let style = ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {pos}/{len} {msg}")?;
    Ok(ProgressBar::new(steps).with_style(style))
}

/// The server's binary is built into the same directory.
fn beside() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let server = own.parent().unwrap_or(Path::new(".")).join("adamant-server");
    let found = server.is_file().then_some(server);
    found.context("build the server first: cargo build --release -p adamant-server")
}

async fn measure(args: &Args, launch: &Launch) -> Result<Report> {
    let mut jobs = args.what.jobs(args.full);
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
    report.goals = judging::goals(&report);
    Ok(report)
}
