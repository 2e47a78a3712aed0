//! Runs commands of the server's program.

use tokio::{process::Command, time::timeout};

use super::{binaries::binary, timeout::PATIENCE};

/// Runs the server's program with a command; returns its exit status and output.
pub(crate) async fn server_command(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(binary("adamant-server"));
    command.args(arguments);
    let output = timeout(PATIENCE, command.output()).await.expect("in time").expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).expect("text"))
}
