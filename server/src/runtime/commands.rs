//! Commands of the operator, which are given their input and report by their status.

use std::{future::Future, io, process::Stdio, time::Duration};

use bytes::Bytes;
use tokio::{
    io::AsyncWriteExt as _,
    process::{Child, Command},
    time::timeout,
};

/// Runs a command with these parts as its input, and waits for its end. Each part, and the end
/// after them, may take as long as `wait`. What fails ends the command.
pub(crate) async fn feed(
    command: &mut Command,
    parts: impl Iterator<Item = io::Result<Bytes>>,
    wait: Duration,
) -> io::Result<()> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).kill_on_drop(true).spawn()?;
    let fed = feed_parts(&mut child, parts, wait).await;
    let status = within(wait, child.wait()).await?;
    // Its status says more than an input that it has not read.
    if !status.success() {
        let program = command.as_std().get_program().display();
        return Err(io::Error::other(format!("{program}: {status}")));
    }
    fed
}

async fn feed_parts(
    child: &mut Child,
    parts: impl Iterator<Item = io::Result<Bytes>>,
    wait: Duration,
) -> io::Result<()> {
    let Some(mut input) = child.stdin.take() else { return Ok(()) };
    for part in parts {
        match part {
            Ok(part) => within(wait, input.write_all(&part)).await?,
            Err(error) => {
                // Otherwise it would take the end of its input for that of the file.
                child.start_kill()?;
                return Err(error);
            }
        }
    }
    within(wait, input.shutdown()).await
}

async fn within<T>(wait: Duration, task: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout(wait, task).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}
