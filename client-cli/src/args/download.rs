//! Arguments of `download`.

use std::path::PathBuf;

use adamant_protocol::ids::PublicKey;
use clap::Args;

use super::kinds::help_with_kinds;

/// Arguments of `download`.
#[derive(Debug, Args)]
pub(crate) struct DownloadArgs {
    /// The month in UTC, such as 2026-11; without it the files are listed
    #[arg(value_parser = month)]
    pub(crate) month: Option<String>,
    /// Only games of this kind
    #[arg(long, value_name = "GAME", requires = "month", help = help_with_kinds("Only this game"))]
    pub(crate) game: Option<String>,
    /// The file to write, or to go on with; by default the server's name of it
    #[arg(short, long, value_name = "FILE", requires = "month")]
    pub(crate) output: Option<PathBuf>,
    /// Require a signature with this key, 64 hex digits, rather than with one of the server's
    #[arg(long, value_name = "HEX", requires = "month")]
    pub(crate) key: Option<PublicKey>,
}

impl DownloadArgs {
    /// Returns the server's name of the file; `None` to list the files.
    pub(crate) fn file(&self) -> Option<String> {
        let month = self.month.as_ref()?;
        Some(match &self.game {
            Some(game) => format!("{month}-{game}.ndjson"),
            None => format!("{month}.ndjson"),
        })
    }
}

fn month(text: &str) -> Result<String, &'static str> {
    let is_month = text.parse::<jiff::civil::Date>().is_err()
        && format!("{text}-01").parse::<jiff::civil::Date>().is_ok()
        && text.len() == "2026-11".len();
    if is_month { Ok(text.to_owned()) } else { Err("a month looks like 2026-11") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_months_are_months() {
        assert_eq!(month("2026-11").as_deref(), Ok("2026-11"));
        for bad in ["2026-13", "2026", "2026-11-01", "26-11", "2026/11", "../secret"] {
            assert!(month(bad).is_err(), "{bad}");
        }
    }
}
