//! The long form's parts are dealt out over the commits: a part runs at the commits whose number,
//! with an offset from the hash of the part's name, is a multiple of the number of shares.

use std::fmt;

use anyhow::Result;

use crate::run::{output, program};

/// How many commits in a row it takes until every part has run. A prime, so that landings of any
/// other number of commits each come round, too.
pub(crate) const SHARES: u32 = 7;

/// Which parts of the long form run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Share {
    /// All, and more of what is drawn by lot.
    All,
    /// Those of the commit with this number.
    Of(u32),
}

impl Share {
    /// The share of the commit that is checked out.
    pub(crate) fn of_head() -> Self {
        Self::Of(commits())
    }

    /// Whether the part of this name is in the share.
    pub(crate) fn has(self, part: &str) -> bool {
        match self {
            Self::All => true,
            Self::Of(commit) => fnv1a(part).wrapping_add(commit % SHARES).is_multiple_of(SHARES),
        }
    }

    /// The number of its commit.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::All => 0,
            Self::Of(commit) => commit,
        }
    }

    /// The value of the variable `ADAMANT_LONG`, by which tests that list their parts themselves
    /// choose them.
    pub(crate) fn variable(self) -> String {
        match self {
            Self::All => "all".to_owned(),
            Self::Of(commit) => format!("{}/{SHARES}", commit % SHARES),
        }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("the long form"),
            Self::Of(commit) => write!(f, "share {} of {SHARES}", commit % SHARES + 1),
        }
    }
}

/// The number of commits up to the one that is checked out: what is drawn by lot begins there. 0
/// outside a repository.
pub(crate) fn commits() -> u32 {
    let count = || -> Result<u32> {
        let said = output(program("git").args(["rev-list", "--count", "HEAD"]))?;
        Ok(String::from_utf8(said)?.trim().parse()?)
    };
    count().unwrap_or(0)
}

/// FNV-1a of 32 bits: a hash that is a few lines in any language.
fn fnv1a(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::{SHARES, Share, fnv1a};

    #[test]
    fn every_part_is_in_one_of_so_many_shares_in_a_row() {
        assert_eq!(fnv1a("a"), 0xe40c_292c);
        for part in ["contest", "packages", "talk::messages::a_line_reaches_the_room"] {
            let shares = (400..400 + SHARES).filter(|commit| Share::Of(*commit).has(part));
            assert_eq!(shares.count(), 1, "{part}");
            assert!(Share::All.has(part));
        }
    }
}
