//! The command: checks its arguments, starts every engine once, plays and reports.

use std::{fs, sync::Arc, time::Duration};

use adamant_engine::protocol::EngineCommand;
use adamant_engine::tournament::{
    End, EngineLog, EngineSpec, Folder, FolderError, Format, GameResult, GameTime, Host, Openings,
    Plan, Report, Rules, Schedule, Tally, enter, limits::CONCURRENCY_MAX, run,
};
use adamant_protocol::UserName;
use adamant_record::wire::Mirror as _;
use anyhow::Context as _;

use super::{
    config::{self, EngineEntry},
    naming::name_for,
    progress::Progress,
    table,
};
use crate::{args::MatchArgs, exit::ExitStatus, failure::UsageError, output::Output, proposal};

/// Plays a match.
pub(crate) async fn play_match(args: &MatchArgs, output: Output) -> anyhow::Result<ExitStatus> {
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
    let clock = adamant_rules::TimeControl::from_wire(args.budgets.clock);
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
        Some(path) => config::read(path)?,
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
) -> anyhow::Result<ExitStatus> {
    let mut tally = Tally::new(plan, schedule);
    for result in results {
        tally.add(result);
    }
    let report = Report::new(plan, schedule, &tally, end);
    if output.json {
        output.entry(&report)?;
    } else {
        output.line(table::text(&report))?;
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
