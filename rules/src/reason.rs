//! Reasons in words that can be translated: a stable key, an English sentence with a place for each
//! argument, and the arguments.

use std::fmt;

use crate::cell::CellName;

/// A sentence by its key. `{name}` in it stands for the argument of that name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReasonText {
    /// The key, which never changes its meaning.
    pub key: &'static str,
    /// The English sentence.
    pub sentence: &'static str,
    /// The names of its arguments.
    pub args: &'static [&'static str],
}

impl ReasonText {
    /// Returns a sentence without arguments.
    pub(crate) const fn plain(key: &'static str, sentence: &'static str) -> Self {
        Self { key, sentence, args: &[] }
    }
}

/// A sentence, and the one for the number one where there is another.
pub(crate) type WithSingular = (ReasonText, &'static [&'static str]);

/// An argument of a sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReasonArg {
    /// A name or a letter.
    Text(Box<str>),
    /// A number.
    Number(u32),
}

impl From<CellName> for ReasonArg {
    fn from(name: CellName) -> Self {
        Self::Text(name.as_str().into())
    }
}

impl From<char> for ReasonArg {
    fn from(letter: char) -> Self {
        Self::Text(String::from(letter).into())
    }
}

impl From<u8> for ReasonArg {
    fn from(number: u8) -> Self {
        Self::Number(number.into())
    }
}

impl From<u16> for ReasonArg {
    fn from(number: u16) -> Self {
        Self::Number(number.into())
    }
}

impl From<usize> for ReasonArg {
    fn from(number: usize) -> Self {
        Self::Number(u32::try_from(number).unwrap_or(u32::MAX))
    }
}

impl fmt::Display for ReasonArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
        }
    }
}

/// A sentence with its arguments. Displays as the sentence with the arguments in their places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// The sentence.
    pub text: ReasonText,
    /// The arguments in the order of the text's names.
    pub args: Vec<ReasonArg>,
}

impl Reason {
    /// The arguments with their names.
    pub fn named_args(&self) -> impl Iterator<Item = (&'static str, &ReasonArg)> {
        self.text.args.iter().copied().zip(&self.args)
    }
}

impl From<ReasonText> for Reason {
    fn from(text: ReasonText) -> Self {
        Self { text, args: Vec::new() }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.text.sentence;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            f.write_str(before)?;
            if let Some((_, arg)) = self.named_args().find(|(known, _)| *known == name) {
                arg.fmt(f)?;
            }
            rest = after;
        }
        f.write_str(rest)
    }
}

/// Defines an enum of reasons, each with its key and its sentence. `one(field) = ".."` is the
/// sentence for the number one in a field; its key ends with `_one`.
macro_rules! reasons {
    (
        $(#[$doc:meta])*
        $name:ident of $of:literal;
        $(
            $(#[$variant_doc:meta])*
            $variant:ident $key:literal
            $({ $($(#[$field_doc:meta])* $field:ident: $type:ty),+ $(,)? })?
            = $sentence:literal $(, one($count:ident) = $one:literal)?;
        )+
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
        pub enum $name {
            $($(#[$variant_doc])* $variant $({ $($(#[$field_doc])* $field: $type),+ })?),+
        }

        impl $name {
            /// Every sentence, and the one for the number one where there is another.
            pub(crate) const TEXTS: &'static [$crate::reason::WithSingular] =
                &[$((
                    $crate::reason::ReasonText {
                        key: concat!($of, ".", $key),
                        sentence: $sentence,
                        args: &[$($(stringify!($field)),+)?],
                    },
                    &[$($one)?],
                )),+];

            /// The reason in words.
            pub fn reason(&self) -> $crate::reason::Reason {
                match *self {
                    $(Self::$variant $({ $($field),+ })? => {
                        let args = &[$($(stringify!($field)),+)?];
                        let (key, sentence) = (concat!($of, ".", $key), $sentence);
                        $(let (key, sentence) = if $count == 1 {
                            (concat!($of, ".", $key, "_one"), $one)
                        } else {
                            (key, sentence)
                        };)?
                        $crate::reason::Reason {
                            text: $crate::reason::ReasonText { key, sentence, args },
                            args: vec![$($($crate::reason::ReasonArg::from($field)),+)?],
                        }
                    })+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.reason().fmt(f)
            }
        }

        impl std::error::Error for $name {}
    };
}

pub(crate) use reasons;
