//! When to use colours.

use clap::ValueEnum;

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ColorMode {
    /// On terminals that support them.
    Auto,
    /// Into pipes and files too.
    Always,
    /// Never.
    Never,
}

impl ColorMode {
    /// Returns the value as it is spelt on the command line.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}
