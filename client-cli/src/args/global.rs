//! Options of every command.

use std::path::PathBuf;

use clap::Args;

use crate::{color::ColorMode, settings::Settings};

const SERVER_HELP: &str =
    "The server: HOST:PORT, ws://HOST:PORT or wss://HOST [env: ADAMANT_SERVER]";

/// What every command understands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Global {
    /// The server
    #[arg(long, global = true, value_name = "URL", help = SERVER_HELP)]
    pub(crate) server: Option<String>,
    /// Act as this user, one of those who have logged in here
    #[arg(long = "as", global = true, value_name = "NAME")]
    pub(crate) acting_as: Option<String>,
    /// Act as the owner of this token
    #[arg(long, global = true, help = "Act as the owner of this token [env: ADAMANT_TOKEN]")]
    pub(crate) token: Option<String>,
    /// A PEM file of certificates to trust for wss://, beside the machine's
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Print JSON, one object a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Use colours; by itself on terminals that can
    #[arg(long, global = true, value_name = "WHEN")]
    pub(crate) color: Option<ColorMode>,
    /// What is set otherwise.
    #[arg(skip)]
    pub(crate) settings: Settings,
}

impl Global {
    /// The token to act with, where one was given.
    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref().or(self.settings.token.as_deref())
    }

    /// When to use colours.
    pub(crate) fn color(&self) -> ColorMode {
        self.color.or(self.settings.file.color).unwrap_or(ColorMode::Auto)
    }
}
