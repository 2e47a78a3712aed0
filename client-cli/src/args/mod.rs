//! The command line, as clap parses it.

mod cli;
pub(crate) mod command;
mod global;
mod groups;
mod option_file;
pub(crate) mod spelling;

pub(crate) use cli::Cli;
pub(crate) use command::Command;
pub(crate) use global::Global;
