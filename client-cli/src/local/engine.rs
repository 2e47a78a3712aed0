//! The levels of bots as an engine on standard input and output.

use std::io;

use adamant_engine::protocol::{ServeSettings, serve};

use crate::{args::EngineArgs, exit::ExitStatus};

/// Runs the engine until `quit` or the end of the input.
pub(crate) fn engine(args: &EngineArgs) -> anyhow::Result<ExitStatus> {
    let EngineArgs { level, nodes, seed } = *args;
    let settings = ServeSettings { level, nodes, seed };
    serve(io::stdin().lock(), io::stdout().lock(), settings)?;
    Ok(ExitStatus::Success)
}
