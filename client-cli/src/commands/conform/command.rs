//! The command: one task for each seed, and the report at the end.

use std::{collections::BTreeMap, fs, sync::Arc};

use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressStyle};
use tokio::{sync::Semaphore, task::JoinSet};

use super::{
    report::{ConformanceReport, badge},
    seed_run::{SeedRun, server_program},
};
use crate::{args::ConformArgs, exit::ExitStatus, output::Output};

/// Runs a client against all seeds, and reports.
pub(crate) async fn conform(args: &ConformArgs, output: Output) -> anyhow::Result<ExitStatus> {
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
        ProgressBar::new(args.seed.map_or(args.seeds, |_| 1))
    };
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} seeds, {msg}");
    progress.set_style(style.expect("the template is well formed"));
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
