//! The server's binary: configuration, logging, start, stop.

use std::{path::Path, process::ExitCode};

use adamant_server::{
    app::App,
    config::{self, Args, Config, RenamedKey, Task},
    maintenance::{self, AuditError, Inspected, RatingsTask},
    runtime::{
        logging::{self, FilterSwitch},
        sd_notify::SdNotify,
        shutdown::{Asked, ProcessSignals},
    },
};
use clap::Parser as _;
use nix::sys::stat::{Mode, umask};

/// The exit status for a configuration that cannot be used.
const USAGE: u8 = 2;

#[expect(clippy::print_stderr, clippy::print_stdout, reason = "a command's own words")]
fn main() -> ExitCode {
    // Files of this process are readable by its user alone unless their creator says otherwise.
    umask(Mode::from_bits_truncate(0o077));
    let args = Args::parse();
    let config = match Config::load(&args) {
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
        for RenamedKey { old, new, line } in &config.renamed_keys {
            eprintln!("adamant-server: {old} (line {line}): is now named {new}");
        }
        println!("the configuration is valid");
        return ExitCode::SUCCESS;
    }
    if let Some(task) = &args.task {
        return match run_task(task, &config.store.data) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(error) => {
                eprintln!("adamant-server: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let filter = logging::start(&config.log);
    warn_of_renamed_keys(&config);
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "starting");
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("adamant-server: no threads to run on: {error}");
            return ExitCode::FAILURE;
        }
    };
    runtime.block_on(async {
        match run(&args, &config, &filter).await {
            Ok(code) => code,
            Err(error) => {
                eprintln!("adamant-server: {error}");
                ExitCode::FAILURE
            }
        }
    })
}

/// Runs a maintenance task. Returns whether its result is good.
fn run_task(task: &Task, data: &Path) -> Result<bool, AuditError> {
    match task {
        Task::Ratings(asked) => {
            let task = if asked.rebuild { RatingsTask::Rebuild } else { RatingsTask::Check };
            let findings = maintenance::ratings(data, task)?;
            print_lines(&findings.lines);
            // A rebuild has repaired what the check found.
            Ok(findings.is_well || task == RatingsTask::Rebuild)
        }
        Task::Check(asked) => {
            let found = maintenance::check(data)?;
            print_inspected(&found, asked.json);
            Ok(found.is_well())
        }
        Task::Backup(asked) => {
            let found = maintenance::backup(data, &asked.to, asked.with_key)?;
            print_inspected(&found, asked.json);
            if !asked.with_key && !asked.json {
                print_lines(
                    &["signing.key and signing.pub are not in it: keep them beside".into()],
                );
            }
            Ok(found.is_well())
        }
    }
}

fn print_inspected(found: &Inspected, as_json: bool) {
    if as_json {
        print_lines(&[serde_json::json!(found).to_string()]);
    } else {
        print_lines(&found.lines());
    }
}

#[expect(clippy::print_stdout, reason = "a command's own words")]
fn print_lines(lines: &[String]) {
    for line in lines {
        println!("{line}");
    }
}

async fn run(args: &Args, config: &Config, filter: &FilterSwitch) -> anyhow::Result<ExitCode> {
    let mut signals = ProcessSignals::listen()?;
    let (socket, patience) = config::service_manager();
    let manager = SdNotify::at(socket.as_deref(), patience);
    let mut port = None;
    loop {
        let app = App::start_on(config, port).await?;
        manager.ready();
        let alive = manager.clone().keep_alive(app.lifecycle.soft.clone());
        app.lifecycle.tasks.spawn(alive);
        let besides = |asked| match asked {
            Asked::ToStop => manager.stopping(),
            Asked::ToReload => {
                manager.reloading();
                reload(args, &app, filter);
                manager.ready();
            }
        };
        let code = app.lifecycle.run_and(&mut signals, besides).await;
        app.close_store().await;
        port = app.restarts();
        if port.is_none() {
            tracing::info!("stopped");
            return Ok(code);
        }
    }
}

fn warn_of_renamed_keys(config: &Config) {
    for RenamedKey { old, new, line } in &config.renamed_keys {
        tracing::warn!(key = old, new_key = new, line, "configuration key was renamed");
    }
}

/// Reloads the configuration and applies what can change at run time. If anything is wrong with
/// it, nothing changes.
fn reload(args: &Args, app: &App, filter: &FilterSwitch) {
    let config = Config::load(args).map_err(|error| error.to_string());
    let taken = config.and_then(|config| {
        app.reload(&config)?;
        filter.set(&config.log);
        warn_of_renamed_keys(&config);
        Ok(())
    });
    match taken {
        Ok(()) => tracing::info!("configuration reloaded"),
        Err(why) => {
            tracing::error!(why, "configuration reload failed");
        }
    }
}
