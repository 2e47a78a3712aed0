//! The server's binary: configuration, logging, start, stop.

use std::{future::Future, process::ExitCode};

use adamant_chaos::{ChaosError, ChaosRun, ChaosSettings};
use adamant_server::{
    admin::{self, AskError, Reloaded},
    app::App,
    chaos::ChaosServer,
    config::{
        self, AdminArgs, Args, BackupArgs, Config, ConfigError, DatabaseUrl, RenamedKey,
        RestoreArgs, StoreConfig, Task,
    },
    doctor::{self, Finding},
    health,
    maintenance::{self, BackupTarget, DatabaseTarget, RatingsTask},
    restore,
    runtime::{
        logging::{self, FilterHandle},
        sd_notify::SdNotify,
        shutdown::{ProcessSignals, SignalRequest, Signals as _},
    },
    salvage,
};
use anyhow::Context as _;
use clap::Parser as _;
use nix::sys::stat::{Mode, umask};
use serde::Serialize;

/// Exit status for an invalid command line or configuration.
const USAGE: u8 = 2;

#[expect(clippy::print_stderr, clippy::print_stdout, reason = "output of a command")]
fn main() -> ExitCode {
    // Files of this process are readable by its user alone unless their creator says otherwise.
    umask(Mode::from_bits_truncate(0o077));
    let args = Args::parse();
    let config = match read_config(&args) {
        Ok(config) => config,
        Err(error) => {
            eprintln!("adamant-server: {error}");
            return ExitCode::from(USAGE);
        }
    };
    if args.print_config {
        print!("{}", config.to_toml());
        return ExitCode::SUCCESS;
    }
    if args.check_config {
        let mut findings = doctor::of_configuration(&config);
        findings.extend(doctor::certificate(&config));
        findings.extend(doctor::moderators(&config));
        findings.extend(doctor::second_place(&config.store));
        for Finding { subject, found, remedy, .. } in findings {
            let Some(remedy) = remedy else { continue };
            eprintln!("adamant-server: {subject}: {found}: {remedy}");
        }
        println!("the configuration is valid");
        return ExitCode::SUCCESS;
    }
    if let Some(task) = &args.task {
        let database = database_to_read(&args, &config.store);
        if database.is_some()
            && args.data.is_none()
            && let Some(advice) = task.advice_on_database()
        {
            eprintln!("adamant-server: the store is a PostgreSQL database: {advice}");
            return ExitCode::from(USAGE);
        }
        return match run_task(task, &config, database) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(error) => {
                eprintln!("adamant-server: {error}");
                ExitCode::FAILURE
            }
        };
    }
    if let Some(seed) = args.chaos {
        return chaos(&args, &config, seed);
    }
    let filter = logging::start(&config.log);
    warn_of_renamed_keys(&config);
    // operator: the process started
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "starting");
    block_on(run(&args, &config, &filter))
}

/// Reads the configuration. Whoever may use the socket of a server need not be able to read that.
fn read_config(args: &Args) -> Result<Config, ConfigError> {
    let needs_none = matches!(&args.task, Some(Task::Admin(AdminArgs { socket: Some(_), .. })));
    if needs_none { Ok(Config::default()) } else { Config::load(args) }
}

/// Runs the server, and reports why it does not.
#[expect(clippy::print_stderr, reason = "output of a command")]
fn block_on(running: impl Future<Output = anyhow::Result<ExitCode>>) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("adamant-server: cannot start threads: {error}");
            return ExitCode::FAILURE;
        }
    };
    runtime.block_on(running).unwrap_or_else(|error| {
        eprintln!("adamant-server: {error}");
        let is_usage = matches!(
            error.downcast_ref(),
            Some(ChaosError::NotLoopback(_) | ChaosError::HoldsGames(_))
        );
        if is_usage { ExitCode::from(USAGE) } else { ExitCode::FAILURE }
    })
}

/// Torments a client. The exit status says whether the client has passed.
#[expect(clippy::print_stderr, reason = "output of a command")]
fn chaos(args: &Args, config: &Config, seed: u64) -> ExitCode {
    if args.task.is_some() {
        eprintln!("adamant-server: --chaos runs a server, and takes no task");
        return ExitCode::from(USAGE);
    }
    let mut log = config.log.clone();
    if args.log.is_none() {
        // What the inner server reports is part of every run.
        "error".clone_into(&mut log.filter);
    }
    logging::start(&log);
    let settings =
        ChaosSettings { seed, fast: args.fast, games: args.games, data: args.data.clone() };
    let as_json = args.chaos_json;
    block_on(async move {
        let mut signals = ProcessSignals::listen()?;
        let run: ChaosRun<ChaosServer> =
            Box::pin(ChaosRun::start(config.network.listen, settings)).await?;
        let invitation = run.invitation();
        if as_json {
            print_lines(&[serde_json::json!(invitation).to_string()]);
        } else {
            print_lines(&invitation.lines());
        }
        let stop = async move {
            loop {
                if let SignalRequest::Stop(signal) = signals.next().await {
                    break signal;
                }
            }
        };
        let verdict = Box::pin(run.run(stop)).await?;
        if as_json {
            print_lines(&[serde_json::json!(verdict).to_string()]);
        } else {
            print_lines(&[verdict.to_text()]);
        }
        Ok(if verdict.passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    })
}

/// Returns the database that a task reads, unless it reads the data directory: the command line
/// names one of the two, or the configuration does.
fn database_to_read<'a>(args: &Args, store: &'a StoreConfig) -> Option<&'a str> {
    let is_named = args.database.is_some() || args.data.is_none();
    store.database.as_ref().filter(|_| is_named).map(DatabaseUrl::reveal)
}

/// Runs a maintenance task. Returns whether its result is good.
fn run_task(task: &Task, config: &Config, database: Option<&str>) -> anyhow::Result<bool> {
    let store = &config.store;
    let data = &store.data;
    match task {
        Task::Doctor(args) => {
            let diagnosis = doctor::examine(config);
            print_answer(&diagnosis, diagnosis.lines(), args.json)?;
            Ok(diagnosis.is_ok())
        }
        Task::Health(args) => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let health = runtime.block_on(health::ask(&config.network))?;
            print_answer(&health, vec![health.says.clone()], args.json)?;
            Ok(health.ready)
        }
        Task::Admin(args) => {
            let configured = || config.admin.path(data);
            let socket = args.socket.clone().unwrap_or_else(configured);
            let answer = match admin::ask(&socket, &args.request) {
                Err(AskError::Refused(error)) if args.json => {
                    print_lines(&[serde_json::json!({ "error": error }).to_string()]);
                    return Ok(false);
                }
                answered => answered?,
            };
            print_answer(&answer, answer.lines(), args.json)?;
            Ok(true)
        }
        Task::Ratings(args) => {
            let task = if args.rebuild { RatingsTask::Rebuild } else { RatingsTask::Check };
            let report = match database {
                Some(url) => {
                    // A check acknowledges nothing, so that it needs no standby.
                    let is_unreplicated = args.unreplicated || task == RatingsTask::Check;
                    let target = DatabaseTarget { url, is_unreplicated };
                    maintenance::ratings_of_database(target, task)?
                }
                None => maintenance::ratings(data, task)?,
            };
            print_lines(&report.lines);
            // A rebuild has repaired what the check found.
            Ok(report.is_ok() || task == RatingsTask::Rebuild)
        }
        Task::Check(args) => {
            let report = match database {
                Some(url) => {
                    maintenance::check_database(DatabaseTarget { url, is_unreplicated: true })?
                }
                None => maintenance::check(data)?,
            };
            print_answer(&report, report.lines(), args.json)?;
            Ok(report.is_ok())
        }
        Task::Backup(args) => {
            let BackupArgs { to, with_key, keep, .. } = args;
            let target = BackupTarget { to, with_key: *with_key, keep: *keep };
            let report = maintenance::backup(data, target)?;
            print_answer(&report, report.lines(), args.json)?;
            if !args.with_key && !args.json {
                print_lines(&["not included: signing.key, signing.pub and vapid.key".into()]);
            }
            Ok(report.is_ok())
        }
        Task::Restore(args) => {
            if args.is_of_database() {
                anyhow::bail!(
                    "restore writes a data directory: restore PostgreSQL with its own tools, or \
                     into an export, and import that into a new database"
                );
            }
            let RestoreArgs { from, to, accept_loss, .. } = args;
            let report = match (&args.game, args.until) {
                (Some(game), _) => restore::restore_game(from, to, game)?,
                (None, Some(until)) => restore::restore_until(from, to, until, *accept_loss)?,
                (None, None) => restore::restore(from, to)?,
            };
            print_answer(&report, report.lines(), args.json)?;
            Ok(report.is_ok())
        }
        Task::Salvage(args) => {
            let report = salvage::salvage(data, &args.to)?;
            print_answer(&report, report.lines(), args.json)?;
            Ok(report.is_ok())
        }
        Task::Import(args) => {
            let target = database_of(store, args.unreplicated)?;
            let report = maintenance::import(&args.from, target)?;
            print_answer(&report, report.lines(), args.json)?;
            Ok(report.is_ok())
        }
        Task::Export(args) => {
            let source = database_of(store, args.unreplicated)?;
            let report = maintenance::export(source, &args.to)?;
            print_answer(&report, report.lines(), args.json)?;
            Ok(report.is_ok())
        }
    }
}

/// Returns the database that the configuration names.
fn database_of(store: &StoreConfig, is_unreplicated: bool) -> anyhow::Result<DatabaseTarget<'_>> {
    let url = store.database.as_ref().context(
        "no database is configured: name it with --database, ADAMANT_DATABASE or store.database",
    )?;
    Ok(DatabaseTarget { url: url.reveal(), is_unreplicated })
}

/// Prints an answer as JSON, or its lines.
fn print_answer(answer: &impl Serialize, lines: Vec<String>, as_json: bool) -> anyhow::Result<()> {
    print_lines(&if as_json { vec![serde_json::to_string(answer)?] } else { lines });
    Ok(())
}

#[expect(clippy::print_stdout, reason = "output of a command")]
fn print_lines(lines: &[String]) {
    for line in lines {
        println!("{line}");
    }
}

async fn run(args: &Args, config: &Config, filter: &FilterHandle) -> anyhow::Result<ExitCode> {
    let mut signals = ProcessSignals::listen()?;
    let (socket, watchdog) = config::service_manager();
    let manager = SdNotify::open(socket.as_deref(), watchdog);
    let mut port = None;
    loop {
        let app = App::start_on(config, port).await?;
        manager.ready();
        let alive = manager.clone().keep_alive(app.lifecycle.soft.clone());
        app.lifecycle.tasks.spawn(alive);
        let on_signal = |request| match request {
            SignalRequest::Stop(_) => manager.stopping(),
            SignalRequest::Reload => {
                manager.reloading();
                reload(args, &app, filter);
                manager.ready();
            }
        };
        let code = app.run(&mut signals, on_signal).await;
        app.close().await;
        port = app.restarts();
        if port.is_none() {
            // operator: the server stopped
            tracing::info!("stopped");
            return Ok(code);
        }
    }
}

fn warn_of_renamed_keys(config: &Config) {
    for RenamedKey { old, new, line } in &config.renamed_keys {
        // operator: the earlier name still works; use the new name
        tracing::warn!(key = old, new_key = new, line, "configuration key was renamed");
    }
}

/// Reloads the configuration and applies what can change at run time. If anything is wrong with
/// it, nothing changes.
fn reload(args: &Args, app: &App, filter: &FilterHandle) {
    let config = Config::load(args).map_err(|error| error.to_string());
    let reloaded = config.and_then(|config| {
        let reloaded = app.reload(&config)?;
        filter.set(&config.log);
        warn_of_renamed_keys(&config);
        Ok(reloaded)
    });
    match &reloaded {
        Ok(Reloaded { needs_restart, .. }) => {
            // operator: the changed settings are in force, but for those that need a restart
            tracing::info!(needs_restart = needs_restart.join(", "), "configuration reloaded");
        }
        Err(why) => {
            // operator: the old configuration stays in force. Correct the mistakes and send
            // `SIGHUP` again
            tracing::error!(why, "configuration reload failed");
        }
    }
    app.answer_reload(reloaded);
}
