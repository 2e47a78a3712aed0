//! Arguments of the commands that read a record from a file.

use std::path::PathBuf;

use adamant_protocol::ids::PublicKey;
use clap::Args;

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The record; - is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
    /// Require a signature with this key, 64 hex digits
    #[arg(long, value_name = "HEX")]
    pub(crate) key: Option<PublicKey>,
    /// Require a signature with any key
    #[arg(long)]
    pub(crate) require_signature: bool,
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The text record; - is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
    /// Ignore the repetition rule, which belongs to the server and not to the games
    #[arg(long)]
    pub(crate) no_repetition: bool,
}

/// Arguments of `count`.
#[derive(Debug, Args)]
pub(crate) struct CountArgs {
    /// The text record; - is standard input
    #[arg(default_value = "-")]
    pub(crate) record: PathBuf,
    /// Count sequences of N moves instead of single moves
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: u32,
}
