//! The server's binary: configuration, log, start, stop.

use std::process::ExitCode;

use adamant_server::{
    app::App,
    audit::{self, RatingsTask},
    config::{Args, Config, Task},
    lifecycle::ProcessSignals,
    telemetry,
};
use clap::Parser as _;

/// The exit status for a configuration that cannot be used.
const USAGE: u8 = 2;

#[expect(clippy::print_stderr, clippy::print_stdout, reason = "a command's own words")]
fn main() -> ExitCode {
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
        println!("the configuration is fine");
        return ExitCode::SUCCESS;
    }
    if let Some(Task::Ratings(asked)) = &args.task {
        let task = if asked.rebuild { RatingsTask::Rebuild } else { RatingsTask::Check };
        return match audit::ratings(&config.store.data, task) {
            Ok(findings) => {
                for line in &findings.lines {
                    println!("{line}");
                }
                // What has been stored anew is no longer wrong.
                let is_well = findings.is_well || task == RatingsTask::Rebuild;
                if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
            }
            Err(error) => {
                eprintln!("adamant-server: {error}");
                ExitCode::FAILURE
            }
        };
    }
    telemetry::start(&config.log);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("adamant-server: no threads to run on: {error}");
            return ExitCode::FAILURE;
        }
    };
    runtime.block_on(async {
        match run(&config).await {
            Ok(code) => code,
            Err(error) => {
                eprintln!("adamant-server: {error}");
                ExitCode::FAILURE
            }
        }
    })
}

async fn run(config: &Config) -> anyhow::Result<ExitCode> {
    let mut signals = ProcessSignals::listen()?;
    let mut port = None;
    loop {
        let app = App::start_on(config, port).await?;
        let code = app.lifecycle.run(&mut signals).await;
        app.close_store().await;
        port = app.begins_anew();
        if port.is_none() {
            tracing::info!("stopped");
            return Ok(code);
        }
    }
}
