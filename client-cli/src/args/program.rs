//! Arguments of the commands about this program and the games it knows.

use std::path::PathBuf;

use clap::Args;

use super::kinds::help_with_kinds;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// Arguments of `rules`.
#[derive(Debug, Args)]
pub(crate) struct RulesArgs {
    /// What game.
    #[arg(help = help_with_kinds("The game"))]
    pub(crate) game: String,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write a page of each command to this folder, instead of printing the first
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Arguments of `complete`.
#[derive(Debug, Args)]
pub(crate) struct CompleteArgs {
    /// The words behind the program's name, as far as they are typed
    #[arg(last = true)]
    pub(crate) words: Vec<String>,
}
