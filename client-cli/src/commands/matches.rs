//! `adamant match`: engines play a match or a tournament on this machine.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use adamant_engine::{
    protocol::EngineCommand,
    tournament::{
        End, EngineLog, EngineReport, EngineSpec, Fault, Folder, FolderError, Format, GameResult,
        GameTime, Host, Openings, PairingReport, Plan, Report, Rules, Schedule, Tally, enter,
        limits::CONCURRENCY_MAX,
        run,
        stats::{Estimate, Rating, Sprt, SprtBounds, Trinomial, Verdict},
    },
};
use adamant_protocol::{UserName, values::TimeControl};
use adamant_record::wire::Mirror as _;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use serde::Deserialize;

use crate::{
    failure::{CommandResult, ExitStatus, UsageError},
    output::{Output, format_table, progress_bar},
    proposal::{self, read_clock, read_length},
    spelling::read_ms,
};

#[derive(Debug, Args)]
pub(crate) struct MatchArgs {
    /// The game
    #[arg(long, value_name = "GAME", required_unless_present = "config")]
    pub(crate) game: Option<String>,
    /// An option of the game, with its dash: -size=4
    #[arg(long = "option", hide = true, value_name = "WORD", allow_hyphen_values = true)]
    pub(crate) options: Vec<String>,
    /// The number of players of a game
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) players: u8,
    /// The command of an engine; give this once for each engine
    #[arg(long, value_name = "COMMAND")]
    pub(crate) engine: Vec<String>,
    /// The name of an engine, in the order of the engines; without it, what the engine says
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Vec<UserName>,
    /// Who meets whom if there are more engines than players: all meet all, or the first meets
    /// the others
    #[arg(long, value_enum, default_value_t = FormatName::RoundRobin)]
    pub(crate) format: FormatName,
    /// The games of each pairing
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) games: u32,
    /// Read options and engines from this file
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) budgets: BudgetArgs,
    #[command(flatten)]
    pub(crate) openings: OpeningArgs,
    /// Stop as soon as the test decides, as in elo0=0,elo1=10,alpha=0.05,beta=0.05
    #[arg(long, value_name = "TEST")]
    pub(crate) sprt: Option<SprtBounds>,
    /// Play N games at once
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) concurrency: usize,
    /// Store results and records in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Go on with the match in that folder
    #[arg(long, requires = "out")]
    pub(crate) resume: bool,
    /// Print what engines write to standard error
    #[arg(long)]
    pub(crate) verbose: bool,
}

/// What engines may use for a move.
#[derive(Debug, Args)]
#[command(next_help_heading = "Budgets")]
pub(crate) struct BudgetArgs {
    /// Let engines look at N positions for a move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// Let engines think this long for a move, such as 500ms
    #[arg(long, value_name = "TIME", value_parser = read_ms)]
    pub(crate) movetime: Option<u64>,
    /// Give each player of a game a clock, such as 1m+1s, 5s/move or 1m+5x10s
    #[arg(long, value_name = "CLOCK", default_value = "none", value_parser = read_clock)]
    pub(crate) clock: TimeControl,
    /// Draw a game after N plies
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub(crate) max_plies: u32,
    /// Let an engine lose if it does not answer for this long, where nothing else limits its time
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = read_ms)]
    pub(crate) hang_timeout: u64,
}

/// How games begin.
#[derive(Debug, Args)]
#[command(next_help_heading = "Openings")]
pub(crate) struct OpeningArgs {
    /// Begin games with the openings of this book, a line each
    #[arg(long, value_name = "FILE", conflicts_with = "opening_plies")]
    pub(crate) openings: Option<PathBuf>,
    /// Begin games with N random plies
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) opening_plies: u32,
    /// The seed of random openings: the same seed draws the same openings
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// Who meets whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    /// All meet all.
    RoundRobin,
    /// The first engine meets the others.
    Gauntlet,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::RoundRobin => Self::RoundRobin,
            FormatName::Gauntlet => Self::Gauntlet,
        }
    }
}

pub(crate) async fn play_match(args: &MatchArgs, output: Output) -> CommandResult {
    let rules = rules(args)?;
    let engines = engines(args, &rules, output).await?;
    // The openings are drawn only for a schedule that is possible.
    let format = Format::from(args.format);
    let scheduled = Schedule::new(format, engines.len(), rules.players, args.games);
    let rounds = scheduled.map_err(|error| UsageError(error.to_string()))?.rounds();
    let plan = Arc::new(Plan {
        openings: openings(args, &rules, rounds)?,
        rules,
        engines,
        format,
        games: args.games,
        seed: args.openings.seed,
        max_plies: args.budgets.max_plies,
        hang_timeout: Duration::from_millis(args.budgets.hang_timeout),
        sprt: args.sprt,
    });
    let schedule = plan.schedule().map_err(|error| UsageError(error.to_string()))?;
    let host = host(args, output)?;
    let (mut folder, finished) = match &args.out {
        Some(path) => {
            let opened = Folder::open(path, &plan, &schedule, args.resume);
            let (folder, finished) = opened.map_err(explain)?;
            (Some(folder), finished)
        }
        None => (None, Vec::new()),
    };
    if !finished.is_empty() {
        let (played, planned) = (finished.len(), schedule.games());
        output.message(format_args!("{played} of {planned} games have been played before."));
    }
    let progress = Progress::new(schedule.games(), finished.len(), output);
    let on_result = |result: &GameResult, tally: &Tally| progress.game(result, tally);
    let stop = interrupted();
    let played = run(&plan, &schedule, &host, finished, folder.as_mut(), stop, on_result).await;
    progress.finish();
    let (results, end) = played.map_err(explain)?;
    report(args, &plan, &schedule, &results, end, output)
}

fn rules(args: &MatchArgs) -> Result<Rules, UsageError> {
    let missing = || UsageError("a match needs a game: give --game, or name it in the file".into());
    let game = args.game.as_ref().ok_or_else(missing)?;
    let (kind, options) = proposal::read_game(game, &args.options)?;
    let clock = adamant_rules::TimeControl::from_wire(args.budgets.clock)
        .map_err(|error| UsageError(error.to_string()))?;
    Rules::new(kind, &options, args.players.into(), clock)
        .map_err(|error| UsageError(format!("{error}\n{}", proposal::option_list(kind))))
}

/// Returns the engines of the file and of the command line. Each is started once.
async fn engines(
    args: &MatchArgs,
    rules: &Rules,
    output: Output,
) -> anyhow::Result<Vec<EngineSpec>> {
    let mut entries: Vec<EngineEntry> = match &args.config {
        Some(path) => read_engines(path)?,
        None => Vec::new(),
    };
    let in_file = entries.len();
    entries.extend(args.engine.iter().map(|command| EngineEntry::of_command(command)));
    for (entry, name) in entries[in_file..].iter_mut().zip(&args.name) {
        entry.name = Some(name.clone());
    }
    if args.name.len() > args.engine.len() {
        let why = "there are more --name than --engine";
        return Err(UsageError(why.to_owned()).into());
    }
    let mut taken: Vec<UserName> = entries.iter().filter_map(|entry| entry.name.clone()).collect();
    let mut specs = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let command = EngineCommand::parse(&entry.command);
        let mut spec = EngineSpec {
            name: entry.name.clone().unwrap_or_else(|| name_for("", index, &taken)),
            line: entry.command.clone(),
            command: command
                .map_err(|error| UsageError(format!("--engine {:?}: {error}", entry.command)))?,
            options: entry.settings(),
            nodes: entry.nodes.or(args.budgets.nodes),
            movetime: entry.movetime.or(args.budgets.movetime).map(Duration::from_millis),
        };
        let introduction = enter(&spec, rules).await?;
        if entry.name.is_none() {
            spec.name = name_for(&introduction.name, index, &taken);
            taken.push(spec.name.clone());
        }
        output.message(format_args!("{} is {}.", spec.name, spec.line));
        specs.push(spec);
    }
    Ok(specs)
}

fn openings(args: &MatchArgs, rules: &Rules, rounds: u32) -> anyhow::Result<Openings> {
    let arguments = &args.openings;
    let Some(path) = &arguments.openings else {
        let drawn = Openings::random(rules, arguments.opening_plies, rounds, arguments.seed);
        return drawn.map_err(|error| UsageError(error.to_string()).into());
    };
    let book = fs::read_to_string(path)
        .with_context(|| format!("the book {} cannot be read", path.display()))?;
    let read = Openings::read(&book, rules);
    read.map_err(|error| UsageError(format!("{}: {error}", path.display())).into())
}

fn host(args: &MatchArgs, output: Output) -> Result<Host, UsageError> {
    if !(1..=CONCURRENCY_MAX).contains(&args.concurrency) {
        let why = format!("--concurrency must be from 1 to {CONCURRENCY_MAX}");
        return Err(UsageError(why));
    }
    let is_verbose = args.verbose;
    let log: EngineLog = Arc::new(move |engine: &str, line: &str| {
        if is_verbose {
            output.message(format_args!("{engine}: {line}"));
        }
    });
    let now = jiff::Timestamp::now().as_millisecond();
    let time = GameTime::starting_at(u64::try_from(now).unwrap_or_default());
    Ok(Host { time, log, concurrency: args.concurrency })
}

/// Ends when the user presses Ctrl-C.
#[expect(clippy::disallowed_methods, reason = "the program ends here, and not by a lifecycle")]
async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn report(
    args: &MatchArgs,
    plan: &Plan,
    schedule: &Schedule,
    results: &[GameResult],
    end: End,
    output: Output,
) -> CommandResult {
    let mut tally = Tally::new(plan, schedule);
    for result in results {
        tally.add(result);
    }
    let report = Report::new(plan, schedule, &tally, end);
    if output.json {
        output.entry(&report)?;
    } else {
        output.line(report_text(&report))?;
    }
    if end != End::Interrupted {
        return Ok(ExitStatus::Success);
    }
    let (games, planned) = (report.games, report.planned);
    let how = match &args.out {
        Some(_) => "The same command with --resume goes on.",
        None => "Nothing was stored: with --out DIR a match can be resumed.",
    };
    output.message(format_args!("Interrupted after {games} of {planned} games. {how}"));
    Ok(ExitStatus::Failed)
}

/// A folder that cannot be used for this match is an error of the command line.
fn explain(error: FolderError) -> anyhow::Error {
    match error {
        FolderError::Locked(_) | FolderError::Exists(_) | FolderError::Differs { .. } => {
            UsageError(error.to_string()).into()
        }
        FolderError::Io { .. } | FolderError::Damaged { .. } => error.into(),
    }
}

/// An engine as a file or the command line names it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct EngineEntry {
    command: String,
    /// Its name in records and tables.
    name: Option<UserName>,
    /// The nodes of each move, instead of those of the match.
    nodes: Option<u64>,
    /// The time of each move, instead of that of the match.
    #[serde(default, deserialize_with = "read_time")]
    movetime: Option<u64>,
    /// Options of the engine, with their values.
    #[serde(default)]
    options: BTreeMap<String, toml::Value>,
}

impl EngineEntry {
    /// Returns an engine that has only a command.
    fn of_command(command: &str) -> Self {
        let options = BTreeMap::new();
        Self { command: command.to_owned(), name: None, nodes: None, movetime: None, options }
    }

    /// Returns the options as an engine takes them.
    fn settings(&self) -> Vec<(String, String)> {
        let text = |value: &toml::Value| match value.as_str() {
            Some(text) => text.to_owned(),
            None => value.to_string(),
        };
        self.options.iter().map(|(name, value)| (name.clone(), text(value))).collect()
    }
}

/// Reads the engines of a file. Its other entries are options, which have been read before.
fn read_engines(path: &Path) -> Result<Vec<EngineEntry>, UsageError> {
    let shown = path.display();
    let invalid = |why: &dyn std::fmt::Display| UsageError(format!("{shown} is invalid: {why}"));
    let text = fs::read_to_string(path)
        .map_err(|why| UsageError(format!("{shown} cannot be read: {why}")))?;
    let mut table: toml::Table = text.parse().map_err(|why: toml::de::Error| invalid(&why))?;
    let Some(toml::Value::Array(all)) = table.remove("engine") else { return Ok(Vec::new()) };
    let tables = all.into_iter().filter(toml::Value::is_table);
    tables.map(|one| one.try_into().map_err(|why: toml::de::Error| invalid(&why))).collect()
}

fn read_time<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let wrong = || serde::de::Error::custom("write a time such as 500ms or 2s");
    read_length(&text).map(Some).ok_or_else(wrong)
}

/// The longest name in letters, without what tells two of a name apart.
const LETTERS_MAX: usize = 17;

/// Returns a name for an engine that calls itself `said`: its letters and digits, and a number if
/// another engine has that name.
fn name_for(said: &str, index: usize, taken: &[UserName]) -> UserName {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let plain: String = said.chars().map(letter).take(LETTERS_MAX).collect();
    let plain = plain.trim_matches('-');
    let first = if plain.len() < 2 { format!("engine-{}", index + 1) } else { plain.to_owned() };
    let others = (2..).map(|number| format!("{first}-{number}"));
    let mut names = std::iter::once(first.clone()).chain(others);
    let is_free = |name: &UserName| !taken.iter().any(|other| other.is_same(name.as_str()));
    let free = names.find_map(|name| name.parse().ok().filter(is_free));
    free.expect("there are fewer engines than numbers of two digits")
}

/// What shows how far a match is.
struct Progress {
    bar: Option<ProgressBar>,
    planned: u32,
    output: Output,
}

impl Progress {
    /// Begins with the games that have been played before.
    fn new(planned: u32, played: usize, output: Output) -> Self {
        let has_bar = !output.json && io::stderr().is_terminal();
        let bar = has_bar.then(|| {
            let bar = progress_bar(planned.into(), "{wide_bar} {pos}/{len} {msg} {eta}");
            // A match that is resumed goes on at its own pace.
            bar.set_position(played as u64);
            bar.reset_eta();
            bar
        });
        Self { bar, planned, output }
    }

    fn game(&self, result: &GameResult, tally: &Tally) {
        let faults = result.faults.iter().map(|fault| fault_sentence(result.game, fault));
        if let Some(bar) = &self.bar {
            faults.for_each(|fault| bar.println(fault));
            bar.set_position(tally.games().into());
            bar.set_message(score(tally));
        } else {
            let (number, planned) = (tally.games(), self.planned);
            let text = sentence(result);
            self.output.message(format_args!("{number}/{planned} {text}"));
            faults.for_each(|fault| self.output.message(fault));
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The score of the first engine: short, because it stands beside a bar.
fn score(tally: &Tally) -> String {
    let (name, Trinomial { wins, draws, losses }) = tally.first();
    format!("{name} +{wins} ={draws} -{losses}")
}

fn sentence(result: &GameResult) -> String {
    let GameResult { game, seats, winners, reason, plies, .. } = result;
    let who = match &winners[..] {
        [winner] => format!("{winner} wins"),
        _ => "draw".to_owned(),
    };
    format!("game {game}: {}: {who} ({reason}, {plies} plies)", seats.join(" - "))
}

fn fault_sentence(game: u32, fault: &Fault) -> String {
    let Fault { engine, ply, kind, text } = fault;
    format!("game {game}: {engine} {kind} at ply {ply}: {text}")
}

fn report_text(report: &Report) -> String {
    let mut parts = vec![engine_table(report)];
    parts.extend(usage(report));
    let is_ladder = report.engines.len() > 2;
    if report.players == 2 && is_ladder {
        parts.push(pairings(&report.pairings));
    } else if let (2, Some(pairing)) = (report.players, report.pairings.first()) {
        parts.push(duel(pairing));
    }
    parts.extend(report.sprt.as_ref().map(sprt));
    parts.join("\n\n")
}

fn engine_table(report: &Report) -> String {
    let has_ratings = report.engines.iter().any(|engine| engine.rating.is_some());
    let mut sorted: Vec<&EngineReport> = report.engines.iter().collect();
    let elo = |engine: &EngineReport| engine.rating.map_or(share(engine), |rating| rating.elo);
    sorted.sort_by(|one, other| elo(other).total_cmp(&elo(one)));
    let row = |engine: &&EngineReport| {
        let counts = engine.results;
        let faults = engine.faults.iter().map(|(kind, number)| format!("{number} {kind}"));
        [
            engine.name.clone(),
            engine.games.to_string(),
            counts.wins.to_string(),
            counts.draws.to_string(),
            counts.losses.to_string(),
            points(engine.points),
            percent(share(engine)),
            engine.rating.map_or_else(String::new, rating),
            faults.collect::<Vec<_>>().join(", "),
        ]
    };
    let rows: Vec<[String; 9]> = sorted.iter().map(row).collect();
    let elo = if has_ratings { "ELO" } else { "" };
    let heading = ["ENGINE", "GAMES", "WON", "DRAWN", "LOST", "POINTS", "SHARE", elo, "FAULTS"];
    format_table(heading, &rows)
}

/// What the engines used for a move, a line each.
fn usage(report: &Report) -> Option<String> {
    let line = |engine: &EngineReport| {
        let used = engine.usage?;
        let mut line = format!(
            "{}: {:.1} ms a move, at most {:.1}",
            engine.name, used.time_ms, used.time_ms_max
        );
        if let (Some(nodes), Some(most)) = (used.nodes, used.nodes_max) {
            write!(line, "; {nodes:.0} nodes, at most {most}").expect("a string has room");
        }
        Some(line)
    };
    let lines: Vec<_> = report.engines.iter().filter_map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn pairings(all: &[PairingReport]) -> String {
    let row = |pairing: &PairingReport| {
        let counts = pairing.results;
        [
            pairing.engines.join(" - "),
            format!("+{} ={} -{}", counts.wins, counts.draws, counts.losses),
            pairing.estimate.map_or_else(String::new, |found| elo(&found)),
            pairing.estimate.map_or_else(String::new, |found| percent(found.los)),
        ]
    };
    let rows: Vec<[String; 4]> = all.iter().map(row).collect();
    format_table(["PAIRING", "RESULT", "ELO", "LOS"], &rows)
}

/// The result between two.
fn duel(pairing: &PairingReport) -> String {
    let mut lines = Vec::new();
    let names = pairing.engines.join(" - ");
    let counts = pairing.results;
    lines.push(format!("{names}: +{} ={} -{}", counts.wins, counts.draws, counts.losses));
    if let Some(pairs) = pairing.pentanomial {
        let counts = pairs.0.map(|count| count.to_string()).join(" ");
        lines.push(format!("Pairs by points, from 0 to 2: {counts}"));
    }
    if let Some(found) = &pairing.estimate {
        lines.push(format!("Elo difference: {}", elo(found)));
        lines.push(format!("Likelihood of superiority: {}", percent(found.los)));
    }
    lines.join("\n")
}

fn elo(found: &Estimate) -> String {
    let Estimate { elo, elo_low, elo_high, .. } = *found;
    if !elo.is_finite() {
        format!("{elo:+} (no interval: one engine has won every point)")
    } else if elo_low == f64::NEG_INFINITY && elo_high == f64::INFINITY {
        // Without a sign at zero.
        format!("{:+.1} (no interval: all pairs ended alike)", elo + 0.0)
    } else {
        format!("{elo:+.1} (95 %: {elo_low:+.1} to {elo_high:+.1})")
    }
}

fn rating(rating: Rating) -> String {
    let Rating { elo, elo_high, .. } = rating;
    format!("{elo:+.1} ±{:.1}", elo_high - elo)
}

fn sprt(test: &Sprt) -> String {
    let verdict = match test.verdict {
        Verdict::Continue => "undecided",
        Verdict::AcceptH0 => "failed, H0 is accepted",
        Verdict::AcceptH1 => "passed, H1 is accepted",
    };
    let Sprt { bounds, llr, lower, upper, .. } = test;
    format!(
        "SPRT of Elo {} against {}: LLR {llr:.2} ({lower:.2} to {upper:.2}), {verdict}",
        bounds.elo0, bounds.elo1
    )
}

fn share(engine: &EngineReport) -> f64 {
    if engine.games == 0 { 0.0 } else { engine.points / f64::from(engine.games) }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Points with as many digits as a draw of two or three needs.
fn points(points: f64) -> String {
    let text = format!("{points:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use adamant_engine::tournament::stats::Pentanomial;

    use super::*;

    #[test]
    fn pairs_that_all_end_alike_have_no_interval() {
        let found = |pairs| elo(&Estimate::of(&Pentanomial(pairs)).unwrap());
        assert_eq!(found([0, 0, 4, 0, 0]), "+0.0 (no interval: all pairs ended alike)");
        assert_eq!(found([0, 0, 0, 0, 4]), "+inf (no interval: one engine has won every point)");
        assert!(found([0, 1, 4, 0, 0]).contains("95 %"));
    }

    fn read_text(text: &str) -> Result<Vec<EngineEntry>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.toml");
        fs::write(&path, text).unwrap();
        read_engines(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn engines_are_tables() {
        let engines = read_text(
            "games = 4\n[[engine]]\nname = \"old\"\ncommand = \"python3 engine.py\"\n\
             nodes = 7\nmovetime = \"2s\"\noptions = { Hash = 16, style = \"wild\" }\n\
             [[engine]]\ncommand = \"other\"\n",
        );
        let engines = engines.unwrap();
        assert_eq!((engines[0].nodes, engines[0].movetime), (Some(7), Some(2_000)));
        let wanted = [("Hash", "16"), ("style", "wild")];
        assert_eq!(engines[0].settings(), wanted.map(|(a, b)| (a.to_owned(), b.to_owned())));
        assert_eq!(engines[1], EngineEntry::of_command("other"));
        assert_eq!(read_text("engine = [\"one\", \"two\"]\n"), Ok(Vec::new()));
    }

    #[test]
    fn faults_of_a_file_are_named() {
        for (text, why) in [
            ("[[engine]]\nname = \"old\"\n", "missing field `command`"),
            ("[[engine]]\ncommand = \"x\"\ncolour = 1\n", "unknown field `colour`"),
            ("[[engine]]\ncommand = \"x\"\nmovetime = \"2\"\n", "write a time such as"),
            ("[[engine]]\ncommand = \"x\"\nname = \"a b\"\n", "a name is 2 to 20"),
        ] {
            let error = read_text(text).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn names_are_short_words_and_different() {
        let mut taken: Vec<UserName> = Vec::new();
        for (said, name) in [
            ("adamant search", "adamant-search"),
            ("Adamant Search", "Adamant-Search-2"),
            ("engine.py", "engine-py"),
            ("", "engine-4"),
            ("ü", "engine-5"),
            ("a very long name of an engine", "a-very-long-name"),
            ("a very long name of another", "a-very-long-name-2"),
        ] {
            let found = name_for(said, taken.len(), &taken);
            assert_eq!(found.as_str(), name);
            taken.push(found);
        }
    }
}
