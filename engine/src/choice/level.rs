//! The names of the levels.

use std::{error::Error, fmt, str::FromStr};

/// How moves are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Level {
    /// Any legal move.
    Random,
    /// The move with the best position after it.
    Greedy,
    /// The best move against the best replies of a search several moves deep.
    Search,
}

impl Level {
    /// Every level, the weakest first.
    pub const ALL: &'static [Self] = &[Self::Random, Self::Greedy, Self::Search];

    /// Its name in commands and configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Greedy => "greedy",
            Self::Search => "search",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        let named = |level: &Self| level.name().eq_ignore_ascii_case(text);
        Self::ALL.iter().copied().find(named).ok_or(UnknownLevel)
    }
}

/// There is no level of that name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownLevel;

impl fmt::Display for UnknownLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the levels are")?;
        for (index, level) in Level::ALL.iter().enumerate() {
            let between = match index {
                0 => "",
                _ if index + 1 == Level::ALL.len() => " and",
                _ => ",",
            };
            write!(f, "{between} {level}")?;
        }
        Ok(())
    }
}

impl Error for UnknownLevel {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case_and_written_in_one() {
        for &level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
            assert_eq!(level.name().to_uppercase().parse(), Ok(level));
        }
        let error = "clever".parse::<Level>().unwrap_err();
        assert_eq!(error.to_string(), "the levels are random, greedy and search");
    }
}
