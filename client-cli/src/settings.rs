//! What this person has set: the configuration file and the environment. The command line beats both,
//! and what the program remembers by itself is in `store`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use etcetera::BaseStrategy as _;
use serde::Deserialize;

use crate::{color::ColorMode, failure::UsageError};

/// The variable that names the server.
const SERVER_VARIABLE: &str = "ADAMANT_SERVER";

/// The variable that holds a token.
const TOKEN_VARIABLE: &str = "ADAMANT_TOKEN";

/// What was found in the configuration file and the environment.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// The configuration file.
    pub(crate) file: FileSettings,
    /// The server, as the environment names it.
    pub(crate) server: Option<String>,
    /// The token that the environment holds.
    pub(crate) token: Option<String>,
    /// After whom guests are named.
    pub(crate) login_name: Option<String>,
    /// The program that shows long output, as the environment names it.
    pub(crate) pager: Option<String>,
}

/// The values of the configuration file; all of them may be missing.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileSettings {
    /// The server to talk to.
    pub(crate) server: Option<String>,
    /// As whom to act where this user has logged in.
    pub(crate) user: Option<String>,
    /// When to use colours.
    pub(crate) color: Option<ColorMode>,
    /// The program that shows long output on a terminal; none if it is empty.
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
    /// The program that shows long output: the file's, else the environment's; none if it is empty.
    pub(crate) fn pager(&self) -> Option<&str> {
        let set = self.file.pager.as_deref().or(self.pager.as_deref()).unwrap_or(PAGER);
        Some(set.trim()).filter(|program| !program.is_empty())
    }
}

/// The program that shows long output where nothing names another: it passes colours and ends by itself
/// with what fits the window.
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
            let why = format!("{} cannot be understood: {error}", path.display());
            UsageError(why.trim_end().to_owned()).into()
        })
    }
}

/// The folder in which this system keeps such files.
pub(crate) fn folder() -> anyhow::Result<PathBuf> {
    let strategy = etcetera::choose_base_strategy().context("there is no home directory")?;
    Ok(strategy.config_dir().join("adamant"))
}

/// Where the configuration file is, or would be.
pub(crate) fn path() -> anyhow::Result<PathBuf> {
    Ok(folder()?.join(FILE))
}

/// A variable of the environment that is set to something.
#[expect(clippy::disallowed_methods, reason = "this is where the environment is read, once")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_sets_what_it_names_and_a_slip_is_told() {
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
