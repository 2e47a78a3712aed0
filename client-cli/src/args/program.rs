//! Arguments of the commands about this program and the rules of the games.

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
    #[arg(help = help_with_kinds("The game"))]
    pub(crate) game: String,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write a page per command to this directory, instead of printing the main page
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Arguments of `complete`.
#[derive(Debug, Args)]
pub(crate) struct CompleteArgs {
    /// The words after the program's name, as typed so far
    #[arg(last = true)]
    pub(crate) words: Vec<String>,
}
