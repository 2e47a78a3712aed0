//! Arguments of the commands about records on this machine.

use std::path::PathBuf;

use adamant_protocol::ids::PublicKey;
use clap::Args;

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The record; - is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
    /// It must be signed with this key, 64 hex digits
    #[arg(long, value_name = "HEX")]
    pub(crate) key: Option<PublicKey>,
    /// It must be signed, with whatever key
    #[arg(long)]
    pub(crate) require_signature: bool,
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The text record; - is standard input
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
    /// Leave out the repetition rule, which belongs to this server and not to the games
    #[arg(long)]
    pub(crate) no_repetition: bool,
}

/// Arguments of `count`.
#[derive(Debug, Args)]
pub(crate) struct CountArgs {
    /// The text record; - is standard input
    #[arg(default_value = "-")]
    pub(crate) record: PathBuf,
    /// Count the sequences of this many moves instead of single moves
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) depth: u32,
}
