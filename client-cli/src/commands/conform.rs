//! The command `conform`: runs a client against servers in chaos mode, one for each seed, and
//! reports what they say about it. docs/CONFORMANCE.md is for authors of clients.

use std::{
    collections::BTreeMap,
    env::consts::EXE_SUFFIX,
    fmt::Write as _,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    time::Duration,
};

use anyhow::{Context as _, bail};
use clap::Args;
use indicatif::ProgressBar;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    sync::Semaphore,
    task::JoinSet,
    time::timeout,
};

use crate::{
    failure::{CommandResult, ExitStatus, UsageError},
    output::{Output, progress_bar},
};

#[derive(Debug, Args)]
pub(crate) struct ConformArgs {
    /// Torment the client with the seeds 1 to N
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "seed")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) seeds: u64,
    /// Torment it with this seed alone, such as that of a failure
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,
    /// Games for each seed
    #[arg(long, value_name = "N", default_value_t = 4)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=200))]
    pub(crate) games: u64,
    /// Run N seeds at once
    #[arg(long, value_name = "N", default_value_t = 4)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=64))]
    pub(crate) jobs: u64,
    /// Wait as long as on real networks; a seed then takes minutes
    #[arg(long)]
    pub(crate) slow: bool,
    /// The server's program, if it is neither beside this one nor in PATH
    #[arg(long, value_name = "FILE")]
    pub(crate) server_program: Option<PathBuf>,
    /// Write what the client prints to DIR/seed-N.log
    #[arg(long, value_name = "DIR")]
    pub(crate) logs: Option<PathBuf>,
    /// Write the report to a file, too
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Write the result as a picture (SVG)
    #[arg(long, value_name = "FILE")]
    pub(crate) badge: Option<PathBuf>,
    /// The client's command; {url}, {token} and {seed} stand for their values
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,
}

/// Runs a client against all seeds, and reports.
pub(crate) async fn conform(args: &ConformArgs, output: Output) -> CommandResult {
    let run = Arc::new(SeedRun {
        server: server_program(args.server_program.as_deref())?,
        command: args.command.clone(),
        games: args.games,
        slow: args.slow,
        logs: args.logs.clone(),
    });
    if let Some(logs) = &args.logs {
        fs::create_dir_all(logs).with_context(|| format!("{}", logs.display()))?;
    }
    let seeds = args.seed.map_or(1..=args.seeds, |seed| seed..=seed);
    let progress = if output.json {
        ProgressBar::hidden()
    } else {
        let count = args.seed.map_or(args.seeds, |_| 1);
        progress_bar(count, "{bar:30} {pos} of {len} seeds, {msg}")
    };
    progress.set_message("none failed");
    progress.tick();
    let places = Arc::new(Semaphore::new(usize::try_from(args.jobs).unwrap_or(1)));
    let mut tasks = JoinSet::new();
    for seed in seeds {
        let (run, places) = (Arc::clone(&run), Arc::clone(&places));
        tasks.spawn(async move {
            let place = places.acquire().await.expect("it is never closed");
            let verdict = run.torment(seed).await;
            drop(place);
            verdict.map(|verdict| (seed, verdict))
        });
    }
    let mut verdicts = BTreeMap::new();
    let mut failed = 0;
    while let Some(done) = tasks.join_next().await {
        let (seed, verdict) = done??;
        if verdict["passed"] != true {
            failed += 1;
            progress.set_message(format!("{failed} failed"));
        }
        verdicts.insert(seed, verdict);
        progress.inc(1);
    }
    progress.finish_and_clear();
    let report =
        ConformanceReport { verdicts, command: &args.command, slow: args.slow, games: args.games };
    if let Some(file) = &args.report {
        fs::write(file, report.text()).with_context(|| format!("{}", file.display()))?;
    }
    if let Some(file) = &args.badge {
        fs::write(file, badge(&report)).with_context(|| format!("{}", file.display()))?;
    }
    if output.json {
        output.line(report.json())?;
    } else {
        output.line(report.text().trim_end())?;
    }
    Ok(if report.has_passed() { ExitStatus::Success } else { ExitStatus::Failed })
}

/// The longest wait for a server to start, on a busy machine.
const START_MAX: Duration = Duration::from_mins(1);

/// The longest wait for a verdict. The server itself ends a run earlier.
const VERDICT_MAX: Duration = Duration::from_mins(15);

/// What all seeds share.
#[derive(Debug)]
struct SeedRun {
    server: PathBuf,
    command: Vec<String>,
    games: u64,
    slow: bool,
    /// The folder for what the client prints.
    logs: Option<PathBuf>,
}

/// Finds the server's program: the one that is named, or the one beside this program, or in PATH.
fn server_program(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    let name = format!("adamant-server{EXE_SUFFIX}");
    match named {
        Some(named) if named.is_file() => Ok(named.to_owned()),
        Some(named) => Err(UsageError(format!("there is no program {}", named.display())).into()),
        None => {
            let own = std::env::current_exe().context("where this program lies")?;
            let beside = own.with_file_name(&name);
            Ok(if beside.is_file() { beside } else { name.into() })
        }
    }
}

impl SeedRun {
    /// Torments the client with a seed, and returns the server's verdict.
    async fn torment(&self, seed: u64) -> anyhow::Result<Value> {
        let mut server = Command::new(&self.server);
        server.args(["--chaos", &seed.to_string(), "--games", &self.games.to_string(), "--json"]);
        server.args(["--listen", "127.0.0.1:0"]);
        if !self.slow {
            server.arg("--fast");
        }
        for name in ["LISTEN", "DATA", "DATABASE", "CONFIG", "LOG", "LOG_FORMAT"] {
            server.env_remove(format!("ADAMANT_{name}"));
        }
        server.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut server = server.spawn().with_context(|| {
            let program = self.server.display();
            format!("{program} does not start; name the server's program with --server-program")
        })?;
        let said = server.stdout.take().context("the server's output")?;
        let mut said = BufReader::new(said).lines();
        let invitation = next_object(&mut said, START_MAX).await?;
        let mut client = self.client(seed, &invitation)?;
        let verdict = next_object(&mut said, VERDICT_MAX).await;
        // A client that goes on after the end has had its time.
        client.kill().await.ok();
        server.wait().await?;
        verdict
    }

    fn client(&self, seed: u64, invitation: &Value) -> anyhow::Result<Child> {
        let url = invitation["url"].as_str().unwrap_or_default();
        let token = invitation["token"].as_str().unwrap_or_default();
        let seed = seed.to_string();
        let fill = |word: &String| {
            word.replace("{url}", url).replace("{token}", token).replace("{seed}", &seed)
        };
        let mut words = self.command.iter().map(fill);
        let Some(program) = words.next() else { bail!("there is no command") };
        let mut client = Command::new(&program);
        client.args(words).stdin(Stdio::null()).kill_on_drop(true);
        client.env("ADAMANT_SERVER", url).env("ADAMANT_TOKEN", token).env("ADAMANT_SEED", &seed);
        if let Some(logs) = &self.logs {
            let path = logs.join(format!("seed-{seed}.log"));
            let log = File::create(&path).with_context(|| format!("{}", path.display()))?;
            client.stderr(log.try_clone()?).stdout(log);
        } else {
            client.stdout(Stdio::null()).stderr(Stdio::null());
        }
        client
            .spawn()
            .map_err(|error| UsageError(format!("{program} does not start: {error}")).into())
    }
}

/// Reads the server's next line, which is an object.
async fn next_object(
    said: &mut Lines<BufReader<ChildStdout>>,
    patience: Duration,
) -> anyhow::Result<Value> {
    let line = timeout(patience, said.next_line()).await.context("the server is silent")??;
    let line = line.context("the server has ended without a verdict")?;
    Ok(serde_json::from_str(&line)?)
}

/// The verdicts of all seeds.
#[derive(Debug)]
struct ConformanceReport<'a> {
    /// By seed, as the servers said them.
    verdicts: BTreeMap<u64, Value>,
    command: &'a [String],
    slow: bool,
    games: u64,
}

impl ConformanceReport<'_> {
    fn passed(&self) -> usize {
        self.verdicts.values().filter(|verdict| verdict["passed"] == true).count()
    }

    /// Whether the client has passed all seeds.
    fn has_passed(&self) -> bool {
        self.passed() == self.verdicts.len()
    }

    fn result(&self) -> String {
        let (passed, all) = (self.passed(), self.verdicts.len());
        let word = if self.has_passed() { "passed" } else { "FAILED" };
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "Adamant conformance (protocol 1, adamant {version}): {word}, {passed} of {all} seeds"
        )
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |words: String| writeln!(text, "{words}").expect("a string takes text");
        line(format!(
            "{:>6}  {:6}  {:>6}  {:>8}  {:>5}  {:>6}  {:>8}  findings",
            "seed", "result", "games", "sessions", "acts", "again", "slowest"
        ));
        for (seed, verdict) in &self.verdicts {
            let number = |name: &str| verdict[name].as_u64().unwrap_or_default();
            let names = verdict["findings"].as_object().into_iter().flatten();
            let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
            line(format!(
                "{seed:>6}  {:6}  {:>6}  {:>8}  {:>5}  {:>6}  {:>5} ms  {}",
                if verdict["passed"] == true { "passed" } else { "FAILED" },
                format!("{}/{}", number("games"), number("games_wanted")),
                number("sessions"),
                number("acts"),
                number("acts_sent_again"),
                number("think_max_ms"),
                names.join(", ")
            ));
        }
        for (name, (first_seed, seeds, found)) in self.findings() {
            let text = |field: &str| found[field].as_str().unwrap_or_default().to_owned();
            line(String::new());
            line(format!("{name}, with {seeds} of the seeds: the client {}.", text("meaning")));
            line(format!("  What to do: docs/PROTOCOL.md, \"{}\".", text("section")));
            line(format!("  First with seed {first_seed}: {}", text("first")));
            line(format!("  Again: {}", self.again(first_seed)));
        }
        line(String::new());
        line(self.result());
        text
    }

    /// The findings by name: the first seed, the number of seeds, and what was found first.
    fn findings(&self) -> BTreeMap<&str, (u64, u64, &Value)> {
        let mut all = BTreeMap::new();
        for (seed, verdict) in &self.verdicts {
            for (name, found) in verdict["findings"].as_object().into_iter().flatten() {
                all.entry(name.as_str()).or_insert((*seed, 0, found)).1 += 1;
            }
        }
        all
    }

    /// The command that repeats a seed.
    fn again(&self, seed: u64) -> String {
        let slow = if self.slow { " --slow" } else { "" };
        let words: Vec<String> = self.command.iter().map(|word| quoted(word)).collect();
        let (games, command) = (self.games, words.join(" "));
        format!("adamant conform --seed {seed} --games {games}{slow} --logs . -- {command}")
    }

    fn json(&self) -> Value {
        json!({
            "passed": self.has_passed(),
            "seeds": self.verdicts.len(),
            "seeds_passed": self.passed(),
            "result": self.result(),
            "verdicts": self.verdicts.values().collect::<Vec<_>>(),
        })
    }
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+{}".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The result as a picture for a web page.
fn badge(report: &ConformanceReport<'_>) -> String {
    let (passed, all) = (report.passed(), report.verdicts.len());
    let colour = if report.has_passed() { "#2a7a3b" } else { "#b3261e" };
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="230" height="20" role="img" aria-label="Adamant conformance: {passed} of {all} seeds">
<rect width="150" height="20" fill="#444"/><rect x="150" width="80" height="20" fill="{colour}"/>
<g fill="#fff" font-family="sans-serif" font-size="11" text-anchor="middle">
<text x="75" y="14">Adamant conformance</text><text x="190" y="14">{passed} of {all}</text></g></svg>
"##
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(command: &[String]) -> ConformanceReport<'_> {
        let good = json!({
            "passed": true, "games": 4, "games_wanted": 4, "sessions": 5, "acts": 30,
            "acts_sent_again": 6, "think_max_ms": 12, "findings": {},
        });
        let found = json!({
            "count": 2, "first": "session 1, request m2: it is m1 again",
            "meaning": "made an unanswered act again under a new id", "section": "Guarantees",
        });
        let bad = json!({
            "passed": false, "games": 1, "games_wanted": 4, "sessions": 2, "acts": 3,
            "acts_sent_again": 0, "think_max_ms": 4, "findings": {"act_doubled": found},
        });
        ConformanceReport { verdicts: [(1, good), (2, bad)].into(), command, slow: false, games: 4 }
    }

    #[test]
    fn the_report_names_each_finding_and_how_to_repeat_it() {
        let command = ["python3".to_owned(), "my bot.py".to_owned(), "{url}".to_owned()];
        let report = report(&command);
        let text = report.text();
        for part in [
            "     1  passed     4/4         5     30       6     12 ms",
            "     2  FAILED     1/4         2      3       0      4 ms  act_doubled",
            "act_doubled, with 1 of the seeds: the client made an unanswered act again under a new id.",
            "  First with seed 2: session 1, request m2: it is m1 again",
            "  Again: adamant conform --seed 2 --games 4 --logs . -- python3 'my bot.py' {url}",
            "FAILED, 1 of 2 seeds",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(!report.has_passed());
        assert_eq!(report.json()["seeds_passed"], 1);
    }

    #[test]
    fn the_badge_has_the_result() {
        let command = ["bot".to_owned()];
        let badge = badge(&report(&command));
        assert!(badge.contains("1 of 2") && badge.contains("#b3261e"), "{badge}");
    }
}
