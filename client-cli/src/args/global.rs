//! Options of every command.

use std::path::PathBuf;

use clap::Args;

use crate::{output::ColorMode, settings::Settings};

const SERVER_HELP: &str =
    "The server: HOST, wss://HOST:PORT or, not encrypted, ws://HOST:PORT [env: ADAMANT_SERVER]";

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The server
    #[arg(long, global = true, value_name = "URL", help = SERVER_HELP)]
    pub(crate) server: Option<String>,
    /// Act as this user, who has logged in on this machine
    #[arg(long = "as", global = true, value_name = "NAME")]
    pub(crate) acting_as: Option<String>,
    /// Act as the owner of this token
    #[arg(long, global = true, help = "Act as the owner of this token [env: ADAMANT_TOKEN]")]
    pub(crate) token: Option<String>,
    /// A PEM file of extra certificates to trust for wss://
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Print JSON, one object per line
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colours; auto uses them on terminals that support them
    #[arg(long, global = true, value_name = "WHEN")]
    pub(crate) color: Option<ColorMode>,
    /// Values of the configuration file and the environment.
    #[arg(skip)]
    pub(crate) settings: Settings,
}

impl Global {
    /// Returns the token of the command line or the environment.
    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref().or(self.settings.token.as_deref())
    }

    /// Returns when to use colours: the command line first, then the configuration file.
    pub(crate) fn color(&self) -> ColorMode {
        self.color.or(self.settings.file.color).unwrap_or(ColorMode::Auto)
    }
}
