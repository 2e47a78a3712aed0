//! Tests that run for as long as one likes: the simulation, kills, the contest and the fuzzers.
//!
//! The contest plays games between several nodes while nodes and databases fail, in rounds, until
//! there are enough writes. The rounds that are complete are kept in a file, so the command can be
//! broken off.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    hash::{BuildHasher as _, Hasher as _, RandomState},
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::clients;
use crate::{
    run::{cargo, note, print, run, step, target},
    tools,
};

/// Runs the simulation with these seeds: how many, or from which to before which.
pub(crate) fn sim(seeds: &str) -> Result<()> {
    let simulation =
        ["test", "--workspace", "--locked", "--test", "it", "sim::", "--", "--nocapture"];
    run(cargo(&simulation).env("ADAMANT_SIM_SEEDS", seeds))
}

/// How often the server is killed by default.
const SERVER_KILLS: usize = 500;

/// How many bots, engines and servers are killed by default.
const BOT_KILLS: usize = 100;

/// How many outages all clients play through by default.
const OUTAGES: usize = 50;

/// What is killed, and how often.
#[derive(Debug, Args)]
pub(crate) struct KillsArgs {
    /// How many kills; default: 500, with --bots 100, with --clients 50.
    kills: Option<usize>,
    /// Kills bots, their engines and the server, as many of each, while bots play with clocks.
    #[arg(long)]
    bots: bool,
    /// Kills or stops the server, and starts it up to 20 s later, while bots of all clients play
    /// with 3 and 5 seconds a move.
    #[arg(long, conflicts_with = "bots")]
    clients: bool,
    /// The seed of the victims and moments, as printed; with --bots or --clients.
    #[arg(long)]
    seed: Option<u64>,
}

/// Kills programs this many times, and checks that nothing is lost or doubled.
pub(crate) fn kills(args: &KillsArgs) -> Result<()> {
    ensure!(args.seed.is_none() || args.bots || args.clients, "--seed needs --bots or --clients");
    let (test, variable, by_default) = if args.bots {
        ("bot_kills::kills::kills_lose", "ADAMANT_BOT_KILLS", BOT_KILLS)
    } else if args.clients {
        (WITH_ALL_CLIENTS, CLIENT_OUTAGES, OUTAGES)
    } else {
        ("random_kills::kills_lose", "ADAMANT_KILLS", SERVER_KILLS)
    };
    let seed = args.seed.map(|seed| format!(" {seed}")).unwrap_or_default();
    let chosen = format!("{}{seed}", args.kills.unwrap_or(by_default));
    // The whole workspace, whose programs the test starts.
    run(&mut cargo(&["test", "--workspace", "--locked", "--no-run"]))?;
    let mut crash = cargo(&["test", "--workspace", "--locked", "--test", "it", test]);
    crash.args(["--", "--nocapture"]).env(variable, chosen);
    if args.clients {
        // One after the other: with twelve bots the machine would hold them up.
        crash.args(["--ignored", "--test-threads", "1"]).env(TYPESCRIPT, typescript_client()?);
    }
    run(&mut crash)
}

/// The tests in which bots of all clients play, with a control.
pub(super) const WITH_ALL_CLIENTS: &str = "durability::bot_kills::clients::";

/// The variable with the number of outages in these tests.
pub(super) const CLIENT_OUTAGES: &str = "ADAMANT_CLIENT_OUTAGES";

/// The variable with the folder of the TypeScript client in these tests.
pub(super) const TYPESCRIPT: &str = "ADAMANT_TYPESCRIPT";

/// Builds the TypeScript client, and installs what the Python client needs.
pub(super) fn typescript_client() -> Result<PathBuf> {
    tools::require_websockets()?;
    clients::built_typescript()
}

/// The test that is one round.
const ROUND: &str = "cluster::faults::round_of_a_contest";

/// The kinds of faults, as the reports of the rounds name them.
const KINDS: [&str; 5] =
    ["node killed", "node paused", "primary killed", "primary paused", "standby killed"];

/// What contradicts the promise, as the reports of the rounds name it.
const FINDINGS: [&str; 4] = ["lost", "doubled", "shown_in_vain", "others"];

/// How long the contest is.
#[derive(Debug, Args)]
pub(crate) struct ContestArgs {
    /// The writes of all rounds together.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    writes: u64,
    /// The acknowledgements of a round.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    round: u64,
    /// The nodes.
    #[arg(long, value_name = "N", default_value_t = 3)]
    nodes: usize,
    /// The games at a time.
    #[arg(long, value_name = "N", default_value_t = 64)]
    games: usize,
    /// The milliseconds by which each commit takes longer, as with standbys far away. With the
    /// default more than 30 % of the appends are contested; with 0 the pauses after faults are
    /// those of the nodes alone.
    #[arg(long, value_name = "MS", default_value_t = 30)]
    commit_delay: u64,
    /// The file with the complete rounds; default: target/contest.jsonl. Further rounds are added.
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Plays with the debug build of the server, which is slower and built sooner.
    #[arg(long)]
    debug: bool,
    /// Prints JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// Plays rounds until there are enough writes, and fails if anything is lost.
pub(crate) fn contest(args: &ContestArgs) -> Result<()> {
    let profile: &[&str] = if args.debug { &[] } else { &["--release"] };
    run(cargo(&["build", "--locked", "-p", "adamant-server"]).args(profile))?;
    let tests = ["test", "--locked", "-p", "adamant-tests", "--test", "it", "--no-run"];
    run(cargo(&tests).args(profile))?;
    let state = args.state.clone().unwrap_or_else(|| target().join("contest.jsonl"));
    let mut rounds = read_rounds(&state)?;
    let bar = ProgressBar::new(args.writes).with_style(ProgressStyle::with_template(
        "{elapsed_precise} [{bar:30}] {human_pos}/{human_len} writes  {msg}",
    )?);
    while total(&rounds, "writes") < args.writes && findings(&rounds) == 0 {
        let report = play_round(args, profile, &rounds, &bar)?;
        let mut file = OpenOptions::new().create(true).append(true).open(&state)?;
        writeln!(file, "{report}").context("the state file cannot be written")?;
        rounds.push(report);
    }
    bar.finish_and_clear();
    if args.json {
        print(&serde_json::to_string_pretty(&summary(&rounds))?);
    } else {
        table(&summary(&rounds));
    }
    for sentence in rounds.iter().filter_map(|round| round["sentences"].as_array()).flatten() {
        note(&format!("  {sentence}"));
    }
    match findings(&rounds) {
        0 => Ok(()),
        found => bail!("{found} contradictions; the rounds with their seeds: {}", state.display()),
    }
}

fn read_rounds(state: &Path) -> Result<Vec<Value>> {
    if !state.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(state)?;
    let rounds = text.lines().map(serde_json::from_str).collect::<Result<_, _>>();
    rounds.with_context(|| format!("{} is no state file of a contest", state.display()))
}

/// Plays one round and returns its report.
fn play_round(
    args: &ContestArgs,
    profile: &[&str],
    rounds: &[Value],
    bar: &ProgressBar,
) -> Result<Value> {
    let seed = RandomState::new().build_hasher().finish();
    let left = args.writes.saturating_sub(total(rounds, "writes"));
    let acks = args.round.min(left);
    let report = target().join("contest-round.json");
    if report.exists() {
        fs::remove_file(&report)?;
    }
    let ContestArgs { nodes, games, commit_delay, .. } = args;
    let plan = format!("{seed} {acks} {nodes} {games} {commit_delay} {}", report.display());
    let mut round = cargo(&["test", "--locked", "-p", "adamant-tests", "--test", "it", ROUND]);
    round.args(profile).args(["--", "--exact", "--ignored", "--nocapture"]);
    let log = target().join("contest-round.log");
    round.env("ADAMANT_CONTEST", plan).stdout(Stdio::piped()).stderr(File::create(&log)?);
    let mut playing = round.spawn().context("the round cannot be started")?;
    let lines = playing.stdout.take().context("the round says nothing")?;
    let mut said = OpenOptions::new().append(true).open(&log)?;
    for line in BufReader::new(lines).lines() {
        let line = line?;
        // A line of progress: acknowledgements, and what comes next.
        if let Some((acks, next)) = line.strip_prefix('@').and_then(|line| line.split_once(' ')) {
            bar.set_position(total(rounds, "writes") + acks.parse::<u64>().unwrap_or(0));
            bar.set_message(format!(
                "round {}, {} faults, {} contradictions; next: {next}",
                rounds.len() + 1,
                KINDS.iter().map(|kind| count(rounds, kind)).sum::<usize>(),
                findings(rounds)
            ));
        } else if !line.is_empty() {
            writeln!(said, "{line}")?;
        }
    }
    if !playing.wait()?.success() {
        bar.finish_and_clear();
        bail!("the round with the seed {seed} failed; its output: {}", log.display());
    }
    let report = fs::read_to_string(&report).context("the round left no report")?;
    let mut report: Value = serde_json::from_str(&report)?;
    report["seed"] = json!(seed);
    report["nodes"] = json!(args.nodes);
    report["commit_delay_ms"] = json!(args.commit_delay);
    Ok(report)
}

fn total(rounds: &[Value], key: &str) -> u64 {
    rounds.iter().filter_map(|round| round[key].as_u64()).sum()
}

fn findings(rounds: &[Value]) -> u64 {
    FINDINGS.iter().map(|finding| total(rounds, finding)).sum()
}

fn faults(rounds: &[Value]) -> impl Iterator<Item = &Value> {
    rounds.iter().filter_map(|round| round["faults"].as_array()).flatten()
}

fn count(rounds: &[Value], kind: &str) -> usize {
    faults(rounds).filter(|fault| fault["kind"] == kind).count()
}

/// The median, the 99th percentile and the maximum.
fn quantiles(mut values: Vec<u64>) -> Value {
    values.sort_unstable();
    let at = |percent: usize| values.get((values.len() * percent / 100).min(values.len() - 1));
    if values.is_empty() {
        return Value::Null;
    }
    json!({"count": values.len(), "p50": at(50), "p99": at(99), "max": values.last()})
}

/// The sums of all rounds.
fn summary(rounds: &[Value]) -> Value {
    let mut pauses: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (kind, found) in rounds.iter().filter_map(|round| round["pauses_ms"].as_object()).flatten()
    {
        let found = found.as_array().into_iter().flatten().filter_map(Value::as_u64);
        pauses.entry(kind.clone()).or_default().extend(found);
    }
    let promotions: Vec<u64> =
        faults(rounds).filter_map(|fault| fault["promotion_ms"].as_u64()).collect();
    let (writes, conflicts) = (total(rounds, "writes"), total(rounds, "conflicts"));
    let sums = ["acknowledged", "resent", "done_before", "games"].into_iter().chain(FINDINGS);
    let mut summary: BTreeMap<&str, Value> =
        sums.map(|key| (key, json!(total(rounds, key)))).collect();
    summary.insert("rounds", json!(rounds.len()));
    summary.insert("writes", json!(writes));
    summary.insert("contested_percent", json!(100 * conflicts / writes.max(1)));
    let faults: BTreeMap<&str, usize> =
        KINDS.iter().map(|kind| (*kind, count(rounds, kind))).collect();
    summary.insert("faults", json!(faults));
    summary.insert("promotion_ms", quantiles(promotions));
    let pauses: BTreeMap<String, Value> =
        pauses.into_iter().map(|(kind, found)| (kind, quantiles(found))).collect();
    summary.insert("without_acknowledgement_ms", json!(pauses));
    json!(summary)
}

/// The text of a number in the table.
fn cell(number: &Value) -> String {
    if number.is_null() { "-".to_owned() } else { number.to_string() }
}

fn table(summary: &Value) {
    let counts = ["rounds", "games", "writes", "contested_percent", "acknowledged", "resent"];
    for key in counts.into_iter().chain(["done_before"]).chain(FINDINGS) {
        print(&format!("{:<28}{:>10}", key.replace('_', " "), cell(&summary[key])));
    }
    for kind in KINDS {
        print(&format!("{kind:<28}{:>10}", cell(&summary["faults"][kind])));
    }
    print(&format!("\n{:<28}{:>10}{:>10}{:>10}", "milliseconds", "p50", "p99", "max"));
    let row = |name: &str, found: &Value| {
        let [p50, p99, max] = ["p50", "p99", "max"].map(|key| cell(&found[key]));
        print(&format!("{name:<28}{p50:>10}{p99:>10}{max:>10}"));
    };
    row("promotion of a standby", &summary["promotion_ms"]);
    print("without an acknowledgement, each session after each fault:");
    let pauses = summary["without_acknowledgement_ms"].as_object();
    for (kind, found) in pauses.into_iter().flatten() {
        row(kind, found);
    }
}

const DIRECTORY: &str = "fuzz/cargo-fuzz";

/// Runs one fuzzer, or each of them, for so long.
pub(crate) fn fuzz(target: Option<&str>, seconds: u32) -> Result<()> {
    if !tools::on_path("cargo-fuzz") {
        bail!("cargo-fuzz is missing; please install it: cargo install cargo-fuzz --locked");
    }
    let targets = targets()?;
    if let Some(target) = target
        && !targets.iter().any(|name| name == target)
    {
        bail!("there is no target {target}; there are {}", targets.join(", "));
    }
    for name in targets.iter().filter(|name| target.is_none_or(|target| target == *name)) {
        step(name, || {
            let fuzz = ["fuzz", "run", "--fuzz-dir", DIRECTORY, name, "--"];
            let time = format!("-max_total_time={seconds}");
            // Sanitizers are unstable; the stable compiler has them all the same.
            run(cargo(&fuzz).arg(time).env("RUSTC_BOOTSTRAP", "1"))
        })?;
    }
    Ok(())
}

fn targets() -> Result<Vec<String>> {
    let mut targets = Vec::new();
    for entry in fs::read_dir(crate::run::root().join(DIRECTORY).join("fuzz_targets"))? {
        let path = entry?.path();
        targets.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    }
    targets.sort();
    Ok(targets)
}
