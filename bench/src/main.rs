//! `adamant-bench`: what the real server costs under load, beside its baselines in the same run.

use std::path::{Path, PathBuf};

use adamant_bench::load::{
    baseline, machine,
    report::Report,
    subject::{Launch, Program},
    work::{self, Bench},
};
use anyhow::{Context as _, Result};
use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
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
    /// How often everything is measured.
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
    /// W1: durable moves in many rooms.
    Moves,
    /// W2: one room and many spectators.
    FanOut,
    /// W3: memory of idle sockets and rooms.
    Idle,
    /// W4: connecting and saying hello.
    Accept,
    /// W5: recovery after kill -9.
    Recovery,
    /// W6: snapshots and replays of long games.
    Reading,
    /// W7: spectators who do not read.
    Unread,
    /// Serves a baseline; what this program starts for itself.
    #[command(hide = true)]
    Serve {
        /// Which.
        program: Program,
    },
}

/// One measurement: its name for the progress bar, and what it does.
#[derive(Debug, Clone, Copy)]
enum Job {
    Moves(Program, usize),
    Paced { per_s: u32, rooms: usize },
    FanOut(Program, usize),
    Idle(Program, usize, usize),
    Accept(Program, usize),
    Recovery(usize),
    Reading(usize),
    Unread(usize, usize),
}

const PROGRAMS: [Program; 3] = [Program::Adamant, Program::Relay, Program::Raw];

impl What {
    fn jobs(&self, full: bool) -> Vec<Job> {
        let mut jobs = Vec::new();
        let each = |jobs: &mut Vec<Job>, job: &dyn Fn(Program) -> Job| {
            jobs.extend(PROGRAMS.map(job));
        };
        let is = |what: &Self| {
            matches!(self, Self::All)
                || std::mem::discriminant(self) == std::mem::discriminant(what)
        };
        if is(&Self::Moves) {
            each(&mut jobs, &|program| Job::Moves(program, 1_000));
            jobs.extend([100, 9_000].map(|rooms| Job::Moves(Program::Adamant, rooms)));
            jobs.push(Job::Paced { per_s: 1_000, rooms: 200 });
        }
        if is(&Self::FanOut) {
            for spectators in [100, 1_000, 5_000] {
                each(&mut jobs, &|program| Job::FanOut(program, spectators));
            }
        }
        if is(&Self::Idle) {
            let (sockets, rooms) = if full { (18_000, 20_000) } else { (9_000, 5_000) };
            each(&mut jobs, &|program| Job::Idle(program, sockets, rooms));
        }
        if is(&Self::Accept) {
            each(&mut jobs, &|program| Job::Accept(program, 5_000));
        }
        if is(&Self::Recovery) {
            jobs.push(Job::Recovery(if full { 100_000 } else { 10_000 }));
        }
        if is(&Self::Reading) {
            jobs.push(Job::Reading(200));
        }
        if is(&Self::Unread) {
            jobs.push(Job::Unread(5_000, 50));
        }
        jobs
    }
}

impl Job {
    fn name(self) -> String {
        match self {
            Self::Moves(program, rooms) => format!("moves, {rooms} rooms, {}", program.name()),
            Self::Paced { per_s, .. } => format!("moves, {per_s} a second"),
            Self::FanOut(program, size) => format!("fan-out to {size}, {}", program.name()),
            Self::Idle(program, sockets, _) => format!("{sockets} idle, {}", program.name()),
            Self::Accept(program, _) => format!("connect, {}", program.name()),
            Self::Recovery(games) => format!("recovery of {games} games"),
            Self::Reading(plies) => format!("reading {plies} plies"),
            Self::Unread(size, _) => format!("{size} spectators, some do not read"),
        }
    }

    async fn run(self, bench: &mut Bench<'_>) -> Result<()> {
        match self {
            Self::Moves(program, rooms) => work::moves(bench, program, rooms).await,
            Self::Paced { per_s, rooms } => {
                work::paced_moves(bench, Program::Adamant, rooms, per_s).await
            }
            Self::FanOut(program, spectators) => work::fan_out(bench, program, spectators).await,
            Self::Idle(program, sockets, rooms) => work::idle(bench, program, sockets, rooms).await,
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
    let cores = if args.no_pin { None } else { machine::Cores::find()? };
    let launch = Launch {
        server: args.server.clone().map_or_else(beside, Ok)?,
        directory: args.directory.clone(),
        cores,
    };
    let report = LocalSet::new().block_on(&runtime, measure(&args, &launch))?;
    #[expect(clippy::print_stdout, reason = "this is what was asked for")]
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", report.table());
    }
    Ok(())
}

/// The server's binary is built into the same directory.
fn beside() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let server = own.parent().unwrap_or(Path::new(".")).join("adamant-server");
    let found = server.is_file().then_some(server);
    found.context("build the server first: cargo build --release -p adamant-server")
}

async fn measure(args: &Args, launch: &Launch) -> Result<Report> {
    let jobs = args.what.jobs(args.full);
    let rounds = args.rounds.unwrap_or(if args.full { 5 } else { 1 });
    let bar = ProgressBar::new(jobs.len() as u64 * u64::from(rounds));
    bar.set_style(ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {pos}/{len} {msg}")?);
    let mut report = Report::default();
    if launch.cores.is_none() {
        report.notes.push("The two sides shared their cores.".to_owned());
    }
    for round in 1..=rounds {
        for job in &jobs {
            bar.set_message(job.name());
            let mut bench = Bench { launch, round, report: &mut report };
            job.run(&mut bench).await.with_context(|| job.name())?;
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(report)
}
