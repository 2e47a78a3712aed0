//! Words of the wire that stand for one of several things. Their lists grow: in a message to a
//! client a word that this version does not know is kept, and in a request it is an error.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, EnumAccess, VariantAccess as _, Visitor},
};

/// Room for every word of the wire. What is longer is cut. Requests have such words, and the server
/// holds one request for each session: with its length a word is no larger than a time control.
const WORD_BYTES_MAX: usize = 22;

/// A word that this version of the crate does not know.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word {
    bytes: [u8; WORD_BYTES_MAX],
    length: u8,
}

impl Word {
    /// Keeps the beginning of a text.
    pub fn new(text: &str) -> Self {
        let length = text.floor_char_boundary(WORD_BYTES_MAX);
        let mut bytes = [0; WORD_BYTES_MAX];
        bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        Self { bytes, length: u8::try_from(length).unwrap_or_default() }
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length.into()]).expect("it is cut between letters")
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WordVisitor;
        impl Visitor<'_> for WordVisitor {
            type Value = Word;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a word")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Word, E> {
                Ok(Word::new(text))
            }
        }
        deserializer.deserialize_str(WordVisitor)
    }
}

/// What requests read strictly.
pub trait Known: Sized {
    /// Decodes a value without unknown words.
    fn known<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// Decodes a value of a request, in which unknown words are errors: for `deserialize_with`.
///
/// # Errors
///
/// The value is malformed, or has a word that this version of the crate does not know.
pub fn known<'de, D: Deserializer<'de>, T: Known>(deserializer: D) -> Result<T, D::Error> {
    T::known(deserializer)
}

impl<T: Known> Known for Option<T> {
    fn known<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Strict<T>(T);
        impl<'de, T: Known> Deserialize<'de> for Strict<T> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                T::known(deserializer).map(Self)
            }
        }
        Option::deserialize(deserializer).map(|value| value.map(|Strict(value)| value))
    }
}

/// Reads a list's words.
pub(crate) struct WordVisitor<T> {
    /// The name of the list.
    pub(crate) list: &'static str,
    /// What makes a word of the list.
    pub(crate) make: fn(Word) -> T,
}

impl<'de, T> Visitor<'de> for WordVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "enum {}", self.list)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<T, A::Error> {
        let (word, rest) = data.variant::<Word>()?;
        rest.unit_variant()?;
        Ok((self.make)(word))
    }
}

/// Defines lists of words.
macro_rules! words {
    ($(
        $(#[$about:meta])*
        pub enum $name:ident { $($(#[$attribute:meta])* $variant:ident = $text:literal,)+ }
    )+) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[cfg_attr(feature = "schema", schemars(rename_all = "snake_case"))]
        #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
        pub enum $name {
            $($(#[$attribute])* $variant,)+
            /// A word that this version of the crate does not know.
            #[cfg_attr(feature = "schema", schemars(skip))]
            Unknown($crate::words::Word),
        }

        impl $name {
            /// The words that this version of the crate knows.
            pub const WORDS: &'static [&'static str] = &[$($text),+];

            /// Returns the word on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)+
                    Self::Unknown(word) => word.as_str(),
                }
            }

            fn from_word(word: $crate::words::Word) -> Self {
                match word.as_str() {
                    $($text => Self::$variant,)+
                    _ => Self::Unknown(word),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let list = stringify!($name);
                let visitor = $crate::words::WordVisitor { list, make: Self::from_word };
                deserializer.deserialize_enum(list, Self::WORDS, visitor)
            }
        }

        impl $crate::words::Known for $name {
            fn known<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                match serde::Deserialize::deserialize(deserializer)? {
                    Self::Unknown(word) => {
                        Err(serde::de::Error::unknown_variant(word.as_str(), Self::WORDS))
                    }
                    known => Ok(known),
                }
            }
        }
    )+};
}

/// Defines a constructor, whose arguments stand before the `;`. What stands behind it has a default.
macro_rules! constructor {
    ($name:ident {
        $($field:ident: $type:ty),* $(,)? $(; $($other:ident $(= $default:expr)?),+ $(,)?)?
    }) => {
        impl $name {
            /// Returns a value with these fields. Fields that may be left out have their defaults.
            pub fn new($($field: $type),*) -> Self {
                Self {
                    $($field,)*
                    $($($other: $crate::words::default!($($default)?),)+)?
                }
            }
        }
    };
}

/// The default of a field.
macro_rules! default {
    () => {
        Default::default()
    };
    ($default:expr) => {
        $default
    };
}

/// Defines two lists of words: one with the common words, one that puts further words before them.
macro_rules! reasons {
    (
        $(#[$about:meta])* $name:ident;
        $(#[$wide_about:meta])* $wide:ident {
            $($(#[$further_doc:meta])* $further:ident = $further_text:literal,)+
        };
        $($(#[doc = $doc:literal])+ $word:ident = $text:literal $(($attribute:meta))?,)+
    ) => {
        words! {
            $(#[$about])*
            pub enum $name { $($(#[doc = $doc])+ $(#[$attribute])? $word = $text,)+ }

            $(#[$wide_about])*
            pub enum $wide {
                $($(#[$further_doc])* $further = $further_text,)+
                $($(#[doc = $doc])+ $word = $text,)+
            }
        }

        impl From<$name> for $wide {
            fn from(reason: $name) -> Self {
                match reason {
                    $($name::$word => Self::$word,)+
                    $name::Unknown(word) => Self::Unknown(word),
                }
            }
        }
    };
}

reasons! {
    /// Why a seat left the game.
    LeaveReason;
    /// Whether a seat still plays, or why it left.
    SeatState {
        /// The seat plays.
        In = "in",
    };
    /// Its last piece was captured.
    NoPieces = "no_pieces",
    /// It could not move.
    NoMove = "no_move",
    /// It resigned.
    Resigned = "resigned",
    /// Its clock ran out.
    TimedOut = "timed_out",
    /// Its player went away.
    Abandoned = "abandoned",
}

reasons! {
    /// Why a game ended.
    EndReason;
    /// Why a game ended or was aborted.
    ResultReason {
        /// The game was aborted and has no result.
        Aborted = "aborted",
    };
    /// One player was left.
    LastPlayer = "last_player",
    /// Two pieces were left that do not see each other.
    TwoPieces = "two_pieces",
    /// Two edges were connected.
    Connected = "connected",
    /// Two like pieces stood opposite each other.
    Aligned = "aligned",
    /// No side could move.
    Stuck = "stuck",
    /// The same position occurred for the third time.
    Repetition = "repetition",
    /// The game reached the longest length that is allowed.
    TooLong = "too_long",
    /// The players agreed.
    Agreement = "agreement",
    /// The last opponent resigned.
    Resigned = "resigned",
    /// The last opponent's clock ran out.
    TimedOut = "timed_out",
    /// The last opponent went away.
    Abandoned = "abandoned",
    /// An operator of the server has decided.
    Ruling = "ruling",
}

reasons! {
    /// Why a user declined a challenge.
    #[derive(Default)]
    DeclineReason;
    /// Why a challenge was closed without a game. All reasons but the first two mean that a user
    /// declined it.
    ClosedReason {
        /// The challenger cancelled it.
        Cancelled = "cancelled",
        /// It was not answered in time.
        Expired = "expired",
    };
    /// Not now.
    Later = "later",
    /// The clock is too fast.
    TooFast = "too_fast",
    /// The clock is too slow.
    TooSlow = "too_slow",
    /// The game should be rated.
    Rated = "rated",
    /// The game should be casual.
    Casual = "casual",
    /// Another game is preferred.
    Game = "game",
    /// Other options are preferred.
    Options = "options",
    /// Bots are not welcome.
    NoBot = "no_bot",
    /// The user plays too many games already.
    Busy = "busy",
    /// No reason was given.
    Generic = "generic" (default),
}

pub(crate) use {constructor, default, words};
