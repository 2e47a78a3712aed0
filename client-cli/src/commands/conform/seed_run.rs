//! One seed: a server in chaos mode, and the client against it.

use std::{
    env::consts::EXE_SUFFIX,
    fs::File,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use anyhow::{Context as _, bail};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

use crate::failure::UsageError;

/// The longest wait for a server to start, on a busy machine.
const START_MAX: Duration = Duration::from_mins(1);

/// The longest wait for a verdict. The server itself ends a run earlier.
const VERDICT_MAX: Duration = Duration::from_mins(15);

/// What all seeds share.
#[derive(Debug)]
pub(super) struct SeedRun {
    /// The server's program.
    pub(super) server: PathBuf,
    /// The client's command.
    pub(super) command: Vec<String>,
    /// Games for each seed.
    pub(super) games: u64,
    /// Whether waits are long.
    pub(super) slow: bool,
    /// The folder for what the client prints.
    pub(super) logs: Option<PathBuf>,
}

/// Finds the server's program: the one that is named, or the one beside this program, or in PATH.
pub(super) fn server_program(named: Option<&Path>) -> anyhow::Result<PathBuf> {
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
    pub(super) async fn torment(&self, seed: u64) -> anyhow::Result<Value> {
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

    /// Starts the client.
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
