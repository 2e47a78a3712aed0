//! Options of every command, from the command line, the environment and the configuration file,
//! in this order. Log-ins are in `credentials`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use clap::Args;
use etcetera::BaseStrategy as _;
use serde::Deserialize;

use crate::{
    failure::UsageError,
    output::{ColorMode, Output},
};

/// The variable that names the server.
const SERVER_VARIABLE: &str = "ADAMANT_SERVER";

/// The variable that holds a token.
const TOKEN_VARIABLE: &str = "ADAMANT_TOKEN";

/// The settings of the configuration file and the environment.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// The values of the configuration file.
    pub(crate) file: FileSettings,
    /// The server of the environment.
    pub(crate) server: Option<String>,
    /// The token of the environment.
    pub(crate) token: Option<String>,
    /// The name of the operating system's user, for names of guests.
    pub(crate) login_name: Option<String>,
    /// The pager of the environment.
    pub(crate) pager: Option<String>,
}

/// The values of the configuration file; all of them may be missing.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileSettings {
    /// The server to talk to.
    pub(crate) server: Option<String>,
    /// The preferred user, if that user has logged in.
    pub(crate) user: Option<String>,
    /// When to use colours.
    pub(crate) color: Option<ColorMode>,
    /// The pager for long output on a terminal; none if it is empty.
    pub(crate) pager: Option<String>,
}

impl Settings {
    /// Reads the configuration file, if there is one, and the environment.
    pub(crate) fn read() -> anyhow::Result<Self> {
        Ok(Self {
            file: FileSettings::read(&folder()?.join(FILE))?,
            server: variable(SERVER_VARIABLE),
            token: variable(TOKEN_VARIABLE),
            login_name: variable("USER"),
            pager: variable("PAGER"),
        })
    }
}

impl Settings {
    /// Returns the pager: the file's, else the environment's; none if it is empty.
    pub(crate) fn pager(&self) -> Option<&str> {
        let set = self.file.pager.as_deref().or(self.pager.as_deref()).unwrap_or(PAGER);
        Some(set.trim()).filter(|program| !program.is_empty())
    }
}

/// The default pager: it passes colours, and exits at once if the output fits the window.
const PAGER: &str = "less -FRX";

/// The name of the configuration file.
const FILE: &str = "config.toml";

impl FileSettings {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => {
                return Err(error).with_context(|| format!("{} cannot be read", path.display()));
            }
        };
        toml::from_str(&text).map_err(|error| {
            let why = format!("{} is invalid: {error}", path.display());
            UsageError(why.trim_end().to_owned()).into()
        })
    }
}

/// Returns the directory of the program's configuration.
pub(crate) fn folder() -> anyhow::Result<PathBuf> {
    let strategy = etcetera::choose_base_strategy().context("there is no home directory")?;
    Ok(strategy.config_dir().join("adamant"))
}

/// Returns the path of the configuration file, which may not exist.
pub(crate) fn path() -> anyhow::Result<PathBuf> {
    Ok(folder()?.join(FILE))
}

/// Whether the terminal says of itself that it only writes line after line.
pub(crate) fn is_dumb_terminal() -> bool {
    variable("TERM").is_some_and(|term| term == "dumb")
}

/// Returns an environment variable, if it is set and not empty.
#[expect(clippy::disallowed_methods, reason = "this is where the environment is read, once")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

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
    /// How results are shown.
    #[arg(skip)]
    pub(crate) output: Output,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_sets_its_keys_and_an_unknown_key_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        assert_eq!(FileSettings::read(&path).unwrap(), FileSettings::default());
        fs::write(&path, "server = \"wss://play.example.org\"\ncolor = \"never\"\n").unwrap();
        let values = FileSettings::read(&path).unwrap();
        assert_eq!(values.server.as_deref(), Some("wss://play.example.org"));
        assert_eq!((values.color, values.user), (Some(ColorMode::Never), None));
        fs::write(&path, "sever = 1").unwrap();
        let error = FileSettings::read(&path).unwrap_err().to_string();
        assert!(error.contains("config.toml") && error.contains("sever"), "{error}");
    }
}
