//! What a challenge may choose, in pbmserv's spelling (`-size=4 -prog_cap`) and as named values.

use std::fmt;

/// A value of an option.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum OptionValue {
    /// Given or not, such as `-prog_cap`; `-prog_cap=off` says so where it would be on by default.
    Flag(bool),
    /// A number, such as `-size=4`.
    Number(u32),
    /// A word, such as `-board=8x4`.
    Text(Box<str>),
}

/// One option that a game knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OptionSpec {
    /// Its name, without the dash.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The kind of its values.
    pub kind: OptionKind,
    /// The values that there are, where they are few.
    pub choices: &'static [OptionChoice],
    /// What it does and what its default is, in one line.
    pub about: &'static str,
}

/// A value of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OptionChoice {
    /// The value as it is written in a challenge.
    pub value: &'static str,
    /// What it means, for people.
    pub title: &'static str,
}

impl OptionChoice {
    /// Returns a value with its meaning.
    pub(crate) const fn new(value: &'static str, title: &'static str) -> Self {
        Self { value, title }
    }
}

/// The kind of an option's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum OptionKind {
    /// Present or absent.
    Flag,
    /// A whole number within bounds.
    Number {
        /// The least.
        min: u32,
        /// The greatest.
        max: u32,
    },
    /// A word that the game reads itself.
    Text,
}

/// Named values in a stable order.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options(Vec<(Box<str>, OptionValue)>);

impl Options {
    /// No choice made.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Sets a value, in place of an earlier one of that name.
    pub fn set(&mut self, name: &str, value: OptionValue) {
        match self.0.iter_mut().find(|(known, _)| known.as_ref() == name) {
            Some((_, slot)) => *slot = value,
            None => self.0.push((name.into(), value)),
        }
    }

    /// The value of that name.
    pub fn get(&self, name: &str) -> Option<&OptionValue> {
        self.0.iter().find(|(known, _)| known.as_ref() == name).map(|(_, value)| value)
    }

    /// The number of that name, if it is one.
    pub fn number(&self, name: &str) -> Option<u32> {
        match self.get(name)? {
            OptionValue::Number(number) => Some(*number),
            OptionValue::Flag(_) | OptionValue::Text(_) => None,
        }
    }

    /// Whether the flag of that name is set.
    pub fn flag(&self, name: &str) -> bool {
        self.get(name) == Some(&OptionValue::Flag(true))
    }

    /// Names and values in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &OptionValue)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), value))
    }

    /// How many values were chosen.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was chosen.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads pbmserv's spelling, for a game that knows `specs`. Words that do not begin with a
    /// dash are not options and are refused.
    pub fn parse(text: &str, specs: &[OptionSpec]) -> Result<Self, OptionError> {
        let mut options = Self::new();
        for word in text.split_whitespace() {
            options.parse_word(word, specs)?;
        }
        Ok(options)
    }

    /// Reads one word such as `-size=4` and adds it.
    pub fn parse_word(&mut self, word: &str, specs: &[OptionSpec]) -> Result<(), OptionError> {
        let bare = word
            .strip_prefix('-')
            .map(|rest| rest.strip_prefix('-').unwrap_or(rest))
            .ok_or_else(|| OptionError::NotAnOption { word: word.into() })?;
        let (name, given) = match bare.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (bare, None),
        };
        let spec = specs
            .iter()
            .find(|spec| spec.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| OptionError::Unknown { name: name.into() })?;
        if self.get(spec.name).is_some() {
            return Err(OptionError::Twice { name: spec.name });
        }
        let value = match (spec.kind, given) {
            (OptionKind::Flag, None | Some("on")) => OptionValue::Flag(true),
            (OptionKind::Flag, Some("off")) => OptionValue::Flag(false),
            (OptionKind::Flag, Some(_)) => {
                return Err(OptionError::TakesNoValue { name: spec.name });
            }
            (OptionKind::Number { .. } | OptionKind::Text, None) => {
                return Err(OptionError::NeedsValue { name: spec.name });
            }
            (OptionKind::Number { min, max }, Some(text)) => match text.parse() {
                Ok(number) => OptionValue::Number(number),
                Err(_) => return Err(OptionError::OutOfBounds { name: spec.name, min, max }),
            },
            (OptionKind::Text, Some(text)) => OptionValue::Text(text.into()),
        };
        self.set(spec.name, value);
        Ok(())
    }

    /// Checks that every value is of a known name, the right kind and within its bounds.
    pub fn check(&self, specs: &'static [OptionSpec]) -> Result<(), OptionError> {
        for (name, value) in self.iter() {
            let spec = specs
                .iter()
                .find(|spec| spec.name == name)
                .ok_or_else(|| OptionError::Unknown { name: name.into() })?;
            match (spec.kind, value) {
                (OptionKind::Flag, OptionValue::Flag(_))
                | (OptionKind::Text, OptionValue::Text(_)) => {}
                (OptionKind::Number { min, max }, OptionValue::Number(number)) => {
                    if !(min..=max).contains(number) {
                        return Err(OptionError::OutOfBounds { name: spec.name, min, max });
                    }
                }
                (OptionKind::Flag | OptionKind::Number { .. } | OptionKind::Text, _) => {
                    return Err(OptionError::WrongKind { name: spec.name });
                }
            }
        }
        Ok(())
    }
}

/// pbmserv's spelling; flags that are not set are left out.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut gap = "";
        for (name, value) in self.iter() {
            match value {
                OptionValue::Flag(false) => continue,
                OptionValue::Flag(true) => write!(f, "{gap}-{name}")?,
                OptionValue::Number(number) => write!(f, "{gap}-{name}={number}")?,
                OptionValue::Text(text) => write!(f, "{gap}-{name}={text}")?,
            }
            gap = " ";
        }
        Ok(())
    }
}

/// Why options were refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum OptionError {
    /// The game knows no such option.
    #[error("there is no option -{name} in this game")]
    Unknown {
        /// The name as given.
        name: Box<str>,
    },
    /// A word where an option was expected.
    #[error("\"{word}\" is not an option: options begin with a dash")]
    NotAnOption {
        /// The word as given.
        word: Box<str>,
    },
    /// Given more than once.
    #[error("-{name} was given twice")]
    Twice {
        /// The option.
        name: &'static str,
    },
    /// A flag with a value.
    #[error("-{name} takes no value but on, which it means without one, or off")]
    TakesNoValue {
        /// The option.
        name: &'static str,
    },
    /// A value is missing.
    #[error("-{name} needs a value, as in -{name}=VALUE")]
    NeedsValue {
        /// The option.
        name: &'static str,
    },
    /// Not a number, or beyond the bounds.
    #[error("-{name} takes a whole number from {min} to {max}")]
    OutOfBounds {
        /// The option.
        name: &'static str,
        /// The least.
        min: u32,
        /// The greatest.
        max: u32,
    },
    /// A value of another kind.
    #[error("-{name} takes another kind of value")]
    WrongKind {
        /// The option.
        name: &'static str,
    },
    /// A word that the game cannot read.
    #[error("-{name}: {why}")]
    Unreadable {
        /// The option.
        name: &'static str,
        /// What it should look like.
        why: &'static str,
    },
    /// Too few or too many players.
    #[error("{game} is for {min} to {max} players, not {players}")]
    Players {
        /// The game.
        game: &'static str,
        /// The fewest.
        min: usize,
        /// The most.
        max: usize,
        /// As asked.
        players: usize,
    },
}
