//! Ids and names. Each newtype owns its text form and validates what arrives.

use std::{borrow::Borrow, fmt, str::FromStr};

use arrayvec::ArrayString;
use data_encoding::HEXLOWER;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A text that is no valid id or name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{expected}")]
pub struct ParseIdError {
    expected: &'static str,
}

/// Reads a type from its text form and describes it in the schema. The pattern holds for exactly
/// the texts that `FromStr` accepts. They are ASCII, so bytes are characters.
macro_rules! parsed_text {
    ($name:ident, $expected:expr, $pattern:literal, $about:literal) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct TextVisitor;
                impl de::Visitor<'_> for TextVisitor {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expected)
                    }
                    fn visit_str<E: de::Error>(self, text: &str) -> Result<$name, E> {
                        text.parse().map_err(E::custom)
                    }
                }
                deserializer.deserialize_str(TextVisitor)
            }
        }

        #[cfg(feature = "schema")]
        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "pattern": $pattern, "description": $about.trim_start() })
            }
        }
    };
}

/// Writes a type in its text form, and reads it.
macro_rules! displayed_text {
    ($name:ident, $pattern:literal, $about:literal) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        parsed_text!($name, "a string", $pattern, $about);
    };
}

macro_rules! text_id {
    (
        #[doc = $about:literal]
        $name:ident($text:ty), $check:expr, $pattern:literal, $what:literal
    ) => {
        #[doc = $about]
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name($text);

        impl $name {
            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = ParseIdError;
            fn from_str(text: &str) -> Result<Self, ParseIdError> {
                let check: fn(&str) -> bool = $check;
                let bad = ParseIdError { expected: $what };
                if !check(text) {
                    return Err(bad);
                }
                text.try_into().map(Self).map_err(|_| bad)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", self.0)
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        parsed_text!($name, $what, $pattern, $about);
    };
}

fn is_short_word(text: &str, max: usize) -> bool {
    !text.is_empty()
        && text.len() <= max
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

text_id! {
    /// The id of a request, chosen by the client. The reply carries it as `re`.
    RequestId(ArrayString<REQUEST_ID_BYTES_MAX>),
    |text| !text.is_empty() && text.len() <= REQUEST_ID_BYTES_MAX && !text.chars().any(char::is_control),
    r"^[^\u0000-\u001f\u007f-\u009f]{1,64}$",
    "an id is 1 to 64 bytes of text without control characters"
}

/// The longest game id. Game ids, request ids and user names are stored inline: a server has many
/// games, and names them in every message.
const GAME_ID_BYTES_MAX: usize = 16;

/// The longest name of a user.
const USER_NAME_BYTES_MAX: usize = 20;

/// The longest request id. The journal stores it with every act.
pub const REQUEST_ID_BYTES_MAX: usize = 64;

text_id! {
    /// The id of a game.
    GameId(ArrayString<GAME_ID_BYTES_MAX>),
    |text| is_short_word(text, GAME_ID_BYTES_MAX),
    "^[A-Za-z0-9_-]{1,16}$",
    "a game is named by 1 to 16 letters and digits"
}

text_id! {
    /// The id of an open seek.
    SeekId(Box<str>),
    |text| is_short_word(text, 32),
    "^[A-Za-z0-9_-]{1,32}$",
    "a seek is named by 1 to 32 letters, digits, _ and -"
}

text_id! {
    /// The id of an open challenge.
    ChallengeId(Box<str>),
    |text| is_short_word(text, 32),
    "^[A-Za-z0-9_-]{1,32}$",
    "a challenge is named by 1 to 32 letters, digits, _ and -"
}

text_id! {
    /// The id of an invite. Every user who knows it may accept the invite.
    InviteId(Box<str>),
    |text| is_short_word(text, 32),
    "^[A-Za-z0-9_-]{1,32}$",
    "an invite is named by 1 to 32 letters, digits, _ and -"
}

text_id! {
    /// The public id of a token. It does not contain the secret.
    TokenId(Box<str>),
    |text| text.strip_prefix("t_").is_some_and(|rest| is_short_word(rest, 32)),
    "^t_[A-Za-z0-9_-]{1,32}$",
    "a token is named by t_ and 1 to 32 letters and digits; its secret is not its name"
}

text_id! {
    /// A place in the standings, from which the next page goes on; opaque to clients.
    StandingsCursor(Box<str>),
    |text| !text.is_empty()
        && text.len() <= 48
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)),
    "^[A-Za-z0-9_.-]{1,48}$",
    "a place in the standings is what stood in next"
}

text_id! {
    /// A user's name as the user spells it; names that differ only in case are the same name.
    UserName(ArrayString<USER_NAME_BYTES_MAX>),
    |text| text.len() >= 2
        && is_short_word(text, USER_NAME_BYTES_MAX)
        && text.as_bytes()[0].is_ascii_alphanumeric(),
    "^[A-Za-z0-9][A-Za-z0-9_-]{1,19}$",
    "a name is 2 to 20 characters of A-Z a-z 0-9 _ -, the first a letter or digit"
}

impl UserName {
    /// Returns the lower-case form, which is used for comparison and as a key.
    #[must_use]
    pub fn folded(&self) -> Self {
        let mut folded = self.clone();
        folded.0.make_ascii_lowercase();
        folded
    }

    /// Returns whether both names are of the same user.
    pub fn is_same(&self, other: &str) -> bool {
        self.0.eq_ignore_ascii_case(other)
    }
}

/// Names an offer within its game: `o_` and a number counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OfferId(pub u32);

impl fmt::Display for OfferId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "o_{}", self.0)
    }
}

impl FromStr for OfferId {
    type Err = ParseIdError;
    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        text.strip_prefix("o_")
            .and_then(|number| number.parse().ok())
            .map(Self)
            .ok_or(ParseIdError { expected: "an offer is named by o_ and its number" })
    }
}

displayed_text!(
    OfferId,
    "^o_[0-9]+$",
    "Names an offer within its game: `o_` and a number counted from 1."
);

macro_rules! hex_bytes {
    (
        #[doc = $about:literal]
        $(#[$attribute:meta])*
        $name:ident, $length:literal, $pattern:literal, $what:literal
    ) => {
        #[doc = $about]
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; $length]);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                HEXLOWER.encode_display(&self.0).fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = ParseIdError;
            fn from_str(text: &str) -> Result<Self, ParseIdError> {
                let bad = ParseIdError { expected: $what };
                if text.len() != 2 * $length {
                    return Err(bad);
                }
                let mut bytes = [0; $length];
                // One spelling only: a chain seals everything but itself.
                HEXLOWER.decode_mut(text.as_bytes(), &mut bytes).map_err(|_| bad)?;
                Ok(Self(bytes))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(HEXLOWER.encode_mut_str(&self.0, &mut [0; 2 * $length]))
            }
        }

        parsed_text!($name, "a string", $pattern, $about);
    };
}

hex_bytes! {
    /// 32 bytes as 64 hex digits: a link of a record chain.
    #[derive(Default)]
    Chain,
    32,
    "^[0-9a-f]{64}$",
    "a chain is 64 hex digits in lower case"
}

impl Chain {
    /// Appends the hex digits to a text.
    pub(crate) fn append_to(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(HEXLOWER.encode_mut_str(&self.0, &mut [0; 64]).as_bytes());
    }
}

hex_bytes! {
    /// The public half of a server's key.
    PublicKey,
    32,
    "^[0-9a-f]{64}$",
    "a key is 64 hex digits in lower case"
}

hex_bytes! {
    /// A signature with such a key.
    SignatureBytes,
    64,
    "^[0-9a-f]{128}$",
    "a signature is 128 hex digits in lower case"
}

/// A position's hash as 16 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PositionHash(pub u64);

impl PositionHash {
    /// Appends the hex digits to a text.
    pub(crate) fn append_to(self, text: &mut Vec<u8>) {
        let digits = &mut [0; 16];
        text.extend_from_slice(HEXLOWER.encode_mut_str(&self.0.to_be_bytes(), digits).as_bytes());
    }
}

impl fmt::Display for PositionHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for PositionHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for PositionHash {
    type Err = ParseIdError;
    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        u64::from_str_radix(text, 16)
            .map(Self)
            .map_err(|_| ParseIdError { expected: "a position hash is 16 hex digits" })
    }
}

impl Serialize for PositionHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits = &mut [0; 16];
        serializer.serialize_str(HEXLOWER.encode_mut_str(&self.0.to_be_bytes(), digits))
    }
}

parsed_text!(
    PositionHash,
    "a string",
    "^[0-9a-f]{16}$",
    "Covers everything that the rules remember of a position: 16 hex digits."
);

/// A game's rules with their version: `adamas@1`. Without a version it means the present one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RulesName {
    /// The game.
    pub name: Box<str>,
    /// The version, if one is pinned.
    pub version: Option<u16>,
}

impl RulesName {
    /// Returns the name of a game with its version.
    pub fn pinned(name: &str, version: u16) -> Self {
        Self { name: name.into(), version: Some(version) }
    }
}

impl fmt::Display for RulesName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version {
            Some(version) => write!(f, "{}@{version}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl FromStr for RulesName {
    type Err = ParseIdError;
    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        let bad = ParseIdError {
            expected: "rules are named by a game, alone or with their version, as in NAME@1",
        };
        let (name, version) = match text.split_once('@') {
            Some((name, version)) => (name, Some(version.parse().map_err(|_| bad)?)),
            None => (text, None),
        };
        if !is_short_word(name, 32) {
            return Err(bad);
        }
        Ok(Self { name: name.to_ascii_lowercase().into(), version })
    }
}

displayed_text!(
    RulesName,
    "^[A-Za-z0-9_-]{1,32}(@[0-9]{1,5})?$",
    "A game's rules with their version, as in `NAME@1`; without a version, in a request, the present one."
);
