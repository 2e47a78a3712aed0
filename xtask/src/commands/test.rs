//! All tests, and what they need: the short form, which every change runs, and the long form; and
//! everything else that must hold before a change lands.

use std::{env, fs, process::Command};

use anyhow::{Context as _, Result, ensure};
use nix::unistd::geteuid;

use super::{
    campaigns::{CLIENT_OUTAGES, TYPESCRIPT, WITH_ALL_CLIENTS, typescript_client},
    clients::{self, PAGE},
    counts::counts,
    crates,
};
use crate::{
    run::{cargo, note, program, root, run, said, step},
    suite::{Binaries, Binary, Live, Phase, Share, Step, Suite, Tally, commits},
    tidy, tools,
};

/// Nodes on PostgreSQL that the tests of the whole server run on, beside the embedded store.
const NODES: &str = "2";

/// The tests of the whole server that run on PostgreSQL: what a player can notice, and what
/// operators do.
const AREAS_ON_POSTGRES: [&str; 8] = [
    "accounts::",
    "admin::",
    "game::",
    "lobby::",
    "notifications::",
    "records::",
    "spectating::",
    "talk::",
];

/// The tests of the whole server, in one binary.
const SOCKETS: &str = "tests/it";

/// The server's library, tested from inside, and its program.
const SERVER: &str = "server/";

/// The tests of the benchmarks' own parts.
const BENCHMARKS: &str = "bench/";

/// The tests of the rules, which try properties more often in the long form.
const RULES: &str = "rules/tests/rules";

/// Tests that run alone, or when another command has made what they need.
const ELSEWHERE: [&str; 4] =
    ["bots::readme_bot::", "cluster::faults::round_of_a_contest", WITH_ALL_CLIENTS, CAMPAIGN];

/// The outages that bots of all clients play through.
const OUTAGES: &str = "10";

/// The test with the most outages, which takes too long for a share.
const CAMPAIGN: &str = "durability::outages::campaign::";

/// Tests that do more of the same in the long form: what they draw by lot is a part of it.
const LONGER: [&str; 5] = [
    "durability::bot_kills::kills::kills_lose_no_game_on_time",
    "durability::crash::random_kills::kills_lose_double_and_revert_nothing",
    "durability::power_cut::cuts::a_power_cut_loses_nothing_that_was_sent",
    "game::every_game::all_clients_of_a_game_end_with_the_same_record",
    "game::long_games::a_game_of_many_records_loads_live_parked_and_finished",
];

/// What the long form adds.
const LONG_FORM: &str = "1,000 and 300 seeds of the simulation, the tests of play on PostgreSQL \
    with two nodes, the contest, more kills and power cuts, outages, more cases \
    of each property, matches and conformance, whole games, both colour schemes and all widths of \
    the page, the packages, the counts of a move, the tests of the benchmarks, the operator's drill, \
    and rustdoc";

/// Tests at a time, of those that mostly wait. With more, two cores are too busy for what must
/// happen in time.
const THREADS: usize = 4;

/// Tests at a time on PostgreSQL, whose three servers work too.
const THREADS_ON_POSTGRES: usize = 2;

/// Steps at a time.
pub(super) const LANES: usize = 2;

/// Which tests run.
#[derive(Debug, clap::Args)]
pub(crate) struct TestArgs {
    /// Every test in its long form. Takes about an hour.
    #[arg(long, conflicts_with_all = ["share", "args"])]
    all: bool,
    /// The share of the long form that `cargo xtask ci` adds at the commit with this number.
    #[arg(long, value_name = "NUMBER", conflicts_with = "args")]
    share: Option<u32>,
    /// Arguments for `cargo test --workspace`, which then runs instead.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
}

/// Runs the tests of the short form, those of a share, or all.
pub(crate) fn test(args: &TestArgs) -> Result<()> {
    if !args.args.is_empty() {
        step("tools for the tests", tools_of_the_workspace)?;
        return run(cargo(&["test", "--workspace", "--locked"]).args(&args.args));
    }
    let binaries = Binaries::default();
    let suite = Suite::default().then(preparation(&binaries));
    match (args.all, args.share) {
        (false, None) => {
            let suite = suite.then(Phase::side_by_side(LANES, short(&binaries, false)));
            suite.run(&["`cargo xtask test --all` adds: ".to_owned() + LONG_FORM])
        }
        (false, Some(number)) => {
            let share = Share::Of(number);
            let suite = suite.then(Phase::side_by_side(LANES, long(&binaries, share)));
            suite.run(&[format!("this was {share}")])
        }
        (true, _) => {
            let suite = suite
                .then(Phase::side_by_side(LANES, short(&binaries, true)))
                .then(Phase::side_by_side(LANES, long(&binaries, Share::All)))
                .then(Phase::side_by_side(1, vec![outages(binaries), drill()]));
            suite.run(&["this was the long form".to_owned()])?;
            record_full_run()
        }
    }
}

/// Tests that one can run without the others.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Only {
    Page,
    Python,
    TypeScript,
    Crates,
}

impl Only {
    /// Runs these tests, and builds what they need.
    pub(crate) fn run(self) -> Result<()> {
        let binaries = Binaries::default();
        let suite = Suite::default().then(preparation(&binaries));
        let step = match self {
            Self::Page => Step::tests("page", |live| clients::page_tests(live, None)),
            Self::Python => Step::tests("Python client", |live| clients::python_tests(live, true)),
            Self::TypeScript => {
                Step::tests("TypeScript client", |live| clients::typescript_tests(live, true))
            }
            Self::Crates => packages(binaries),
        };
        suite.then(Phase::side_by_side(1, vec![step])).run(&[])
    }
}

/// Builds everything, and installs what the tests need meanwhile.
pub(super) fn preparation(binaries: &Binaries) -> Phase {
    let build = binaries.clone();
    Phase::needed(
        2,
        vec![
            Step::check("build", move |live| {
                tools::CC.require()?;
                build.build(live)?;
                clients::write_schemas()
            }),
            Step::check("tools and packages for the tests", |_| {
                tools_of_the_workspace()?;
                tools_of_the_clients()
            }),
        ],
    )
}

/// The steps of the short form; `is_whole` adds what its tests do more in the long form.
pub(super) fn short(binaries: &Binaries, is_whole: bool) -> Vec<Step> {
    let [sockets, server, others, examples] = [(); 4].map(|()| binaries.clone());
    vec![
        Step::tests("server over sockets", move |live| {
            let mut tally = Tally::default();
            let change = |tests: &mut Command| {
                tests.env("ADAMANT_COMMIT", commits().to_string());
                if is_whole {
                    tests.env("ADAMANT_LONG", "all");
                }
            };
            sockets.named(SOCKETS)?.run(live, THREADS, change, &mut tally)?;
            Ok(tally)
        }),
        Step::tests("page", move |live| clients::page_tests(live, is_whole.then_some(Share::All))),
        Step::tests("server inside", move |live| {
            let chosen = server.all(|name| name.starts_with(SERVER))?;
            run_all(live, chosen, THREADS_ON_POSTGRES, is_whole)
        }),
        Step::tests("TypeScript client", move |live| clients::typescript_tests(live, is_whole))
            .that_mostly_waits(),
        Step::tests("rules, records, engines, clients", move |live| {
            let is_other = |name: &str| {
                name != SOCKETS && !name.starts_with(SERVER) && !name.starts_with(BENCHMARKS)
            };
            run_all(live, others.all(is_other)?, THREADS, is_whole)
        }),
        Step::tests("Python client", move |live| clients::python_tests(live, is_whole))
            .that_mostly_waits(),
        Step::check("examples in the documentation of crates", move |_| {
            run(&mut examples.cargo(&["test", "--workspace", "--locked", "--doc", "--quiet"])?)
        }),
    ]
}

/// The steps that a share of the long form adds to the short one.
pub(super) fn long(binaries: &Binaries, share: Share) -> Vec<Step> {
    let [every, postgres, benchmarks] = [(); 3].map(|()| binaries.clone());
    let mut steps = Vec::new();
    // The longest first. All of the page in full stands in the short form if everything runs.
    if let Share::Of(_) = share {
        steps.push(Step::tests("long tests of the page", move |live| {
            clients::page_tests(live, Some(share))
        }));
    }
    steps.extend([
        Step::tests("server on PostgreSQL with two nodes", move |live| {
            on_postgres(live, &postgres, share)
        }),
        Step::tests("long tests", move |live| long_tests(live, &every, share)),
    ]);
    if let Share::Of(_) = share {
        if share.has("Python client in full") {
            let full = |live: &Live<'_>| clients::python_tests(live, true);
            steps.push(Step::tests("Python client in full", full).that_mostly_waits());
        }
        if share.has("TypeScript client in full") {
            let full = |live: &Live<'_>| clients::typescript_tests(live, true);
            steps.push(Step::tests("TypeScript client in full", full).that_mostly_waits());
        }
    }
    if share.has("packages") {
        steps.push(packages(binaries.clone()));
    }
    if share.has("documentation") {
        steps.push(documentation());
    }
    if share.has("counts of a move") {
        steps.push(counts());
    }
    if share.has("benchmarks") {
        steps.push(Step::tests("benchmarks", move |live| {
            run_all(live, benchmarks.all(|name| name.starts_with(BENCHMARKS))?, 1, false)
        }));
    }
    steps
}

/// What rustdoc says about the documentation. It checks every crate again.
fn documentation() -> Step {
    Step::check("documentation", |_| {
        let document = ["doc", "--workspace", "--no-deps", "--locked", "--document-private-items"];
        run(cargo(&document).env("RUSTDOCFLAGS", "-D warnings"))
    })
}

fn packages(binaries: Binaries) -> Step {
    Step::tests("packages of the crates, and a bot built from them", move |live| {
        crates::tests(live, &binaries)
    })
}

/// Outages while clients play, in a campaign and with bots of all clients. Alone: a busy machine
/// would hold the clients up.
fn outages(binaries: Binaries) -> Step {
    Step::tests("outages", move |live| {
        let binary = binaries.named(SOCKETS)?;
        let typescript = typescript_client()?;
        let change = |tests: &mut Command| {
            tests.args(["--ignored", WITH_ALL_CLIENTS, CAMPAIGN]).env("ADAMANT_LONG", "all");
            tests.env(TYPESCRIPT, typescript).env(CLIENT_OUTAGES, OUTAGES);
        };
        let mut tally = Tally::default();
        binary.run(live, 1, change, &mut tally)?;
        Ok(tally)
    })
}

/// The operator's drill with the debug build. A program of its own, because it gives up the network
/// of the machine.
fn drill() -> Step {
    Step::check("operator's drill", |_| {
        if !geteuid().is_root() {
            note("SKIPPED: only root can install the package in a fresh Debian");
            return Ok(());
        }
        run(program(env::current_exe()?).args(["drill", "--debug"]))
    })
}

/// Runs all tests of binaries, one binary after the other, and more of what is drawn by lot if they
/// run in full.
fn run_all(live: &Live<'_>, binaries: Vec<Binary>, threads: usize, in_full: bool) -> Result<Tally> {
    let mut tally = Tally::default();
    let change = |tests: &mut Command| {
        if in_full {
            tests.env("ADAMANT_LONG", "all");
        }
    };
    for binary in binaries {
        binary.run(live, threads, change, &mut tally)?;
    }
    Ok(tally)
}

/// Tests that the short form leaves out, and those that do more in the long form.
fn long_tests(live: &Live<'_>, binaries: &Binaries, share: Share) -> Result<Tally> {
    let binary = binaries.named(SOCKETS)?;
    let mut chosen = binary.list(true)?;
    chosen.retain(|test| !ELSEWHERE.iter().any(|elsewhere| test.starts_with(elsewhere)));
    let all = binary.list(false)?;
    for test in LONGER {
        ensure!(all.iter().any(|other| other == test), "no test is {test}");
    }
    if let Share::Of(_) = share {
        chosen.extend(LONGER.map(str::to_owned));
    }
    let in_full = |tests: &mut Command| {
        tests.arg("--include-ignored").env("ADAMANT_LONG", "all");
    };
    chosen.retain(|test| share.has(test));
    let mut tally = run_chosen(live, &binary, &chosen, in_full)?;
    let is_other = |name: &str| name != SOCKETS && !name.starts_with(BENCHMARKS);
    for binary in binaries.all(is_other)? {
        let mut chosen = binary.list(true)?;
        if let (RULES, Share::Of(_)) = (binary.name.as_str(), share) {
            chosen = binary.list(false)?;
        }
        chosen.retain(|test| share.has(test));
        tally.add(run_chosen(live, &binary, &chosen, in_full)?);
    }
    Ok(tally)
}

fn on_postgres(live: &Live<'_>, binaries: &Binaries, share: Share) -> Result<Tally> {
    let binary = binaries.named(SOCKETS)?;
    let ignored = binary.list(true)?;
    let mut chosen = binary.list(false)?;
    chosen.retain(|test| {
        AREAS_ON_POSTGRES.iter().any(|area| test.starts_with(area))
            && !ignored.contains(test)
            && share.has(&format!("PostgreSQL {test}"))
    });
    run_chosen(live, &binary, &chosen, |tests| {
        tests.env("ADAMANT_TEST_NODES", NODES);
    })
}

fn run_chosen(
    live: &Live<'_>,
    binary: &Binary,
    chosen: &[String],
    change: impl FnOnce(&mut Command),
) -> Result<Tally> {
    let mut tally = Tally::default();
    // Without names the harness would run all.
    if !chosen.is_empty() {
        let exactly = |tests: &mut Command| {
            tests.arg("--exact").args(chosen);
            change(tests);
        };
        binary.run(live, THREADS_ON_POSTGRES, exactly, &mut tally)?;
    }
    Ok(tally)
}

/// Installs what all tests need.
pub(crate) fn setup() -> Result<()> {
    step("tools for the tests", || {
        tools_of_the_workspace()?;
        tools::VALGRIND.require()
    })?;
    step("tools for the tests of the page and the clients", tools_of_the_clients)
}

fn tools_of_the_workspace() -> Result<()> {
    tools::CC.require()?;
    tools::require_websockets()?;
    tools::STRACE.require()?;
    tools::require_postgres()?;
    tools::require_haproxy()?;
    tools::PROMTOOL.require()
}

fn tools_of_the_clients() -> Result<()> {
    clients::browser_tools(PAGE)?;
    tools::require_python_packages()?;
    clients::browser_tools(clients::TYPESCRIPT)
}

/// Runs all checks, the quick ones first.
pub(crate) fn ci() -> Result<()> {
    let share = Share::of_head();
    note(&format!("{share}; to repeat it: cargo xtask test --share {}", share.number()));
    let binaries = Binaries::linted();
    // The longest first: a long one that begins last would run alone.
    let mut steps = short(&binaries, false);
    let shorter = steps.split_off(1);
    steps.extend(long(&binaries, share));
    steps.extend(shorter);
    Suite::default()
        .then(Phase::needed(
            2,
            vec![
                Step::check("formatting", |_| run(&mut cargo(&["fmt", "--all", "--check"]))),
                Step::check("source tree", |_| tidy::tidy()),
                Step::check("spelling", |_| spelling()),
                Step::check("licences, bans and sources of dependencies", |_| dependencies()),
            ],
        ))
        .then(preparation(&binaries))
        .then(Phase::side_by_side(LANES, steps))
        .run(&[
            last_full_run(),
            format!("to repeat {share}: cargo xtask test --share {}", share.number()),
        ])
}

fn spelling() -> Result<()> {
    let Some(typos) = tools::typos() else {
        skipped("typos");
        return Ok(());
    };
    run(&mut program(typos))
}

fn dependencies() -> Result<()> {
    let Some(deny) = tools::cargo_deny() else {
        skipped("cargo-deny");
        return Ok(());
    };
    run(&mut cargo(&["fetch", "--locked"]))?;
    // Advisories need the network: cargo deny check advisories.
    run(program(deny).args(["--offline", "check", "licenses", "bans", "sources"]))
}

fn skipped(tool: &str) {
    note(&format!("SKIPPED: {tool} is not here and cannot be installed quickly"));
}

/// The file: the commit, and the day.
const FILE: &str = "tests/last_full_run";

/// The commits after which the long form should run again.
const COMMITS_MAX: u32 = 30;

/// Writes that it passed at the commit that is checked out.
fn record_full_run() -> Result<()> {
    let line = format!("{} {}\n", said("git", &["rev-parse", "HEAD"])?, said("date", &["+%F"])?);
    fs::write(root().join(FILE), &line).with_context(|| format!("{FILE} cannot be written"))?;
    note(&format!("{FILE} says so now: please commit it"));
    Ok(())
}

/// Returns a line about it: a warning if it is long ago.
fn last_full_run() -> String {
    let Ok(file) = fs::read_to_string(root().join(FILE)) else {
        return format!("WARNING: {FILE} is missing: run `cargo xtask test --all`");
    };
    let (commit, day) = file.trim().split_once(' ').unwrap_or((file.trim(), "an unknown day"));
    let since = said("git", &["rev-list", "--count", &format!("{commit}..HEAD")]);
    match since.ok().and_then(|since| since.parse::<u32>().ok()) {
        None => format!("WARNING: {FILE} names a commit that is not here, of {day}"),
        Some(since) if since > COMMITS_MAX => {
            format!(
                "WARNING: the last full run was {since} commits ago, on {day}: run `cargo xtask test --all`"
            )
        }
        Some(since) => format!("the last full run was {since} commits ago, on {day}"),
    }
}
