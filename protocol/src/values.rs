//! Values that several messages share.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, MapAccess, Visitor},
    ser::SerializeMap as _,
};

use crate::{
    ids::UserName,
    words::{Known, Word, constructor, words},
};

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// Returns whether a number is zero, for fields that are omitted then.
pub(crate) fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

/// The default of a flag that is set unless the client clears it.
pub(crate) const fn yes() -> bool {
    true
}

/// A value of a game's option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionValue {
    /// A flag.
    Flag(bool),
    /// A number.
    Number(u32),
    /// A word.
    Text(Box<str>),
}

impl Serialize for OptionValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Flag(flag) => serializer.serialize_bool(*flag),
            Self::Number(number) => serializer.serialize_u32(*number),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for OptionValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ValueVisitor;
        impl Visitor<'_> for ValueVisitor {
            type Value = OptionValue;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false, a whole number or a word")
            }
            fn visit_bool<E: de::Error>(self, flag: bool) -> Result<OptionValue, E> {
                Ok(OptionValue::Flag(flag))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<OptionValue, E> {
                u32::try_from(number).map(OptionValue::Number).map_err(E::custom)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<OptionValue, E> {
                Ok(OptionValue::Text(text.into()))
            }
        }
        deserializer.deserialize_any(ValueVisitor)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for OptionValue {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "OptionValue".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The value of a game's option: a flag, a whole number or a word.",
            "anyOf": [
                { "type": "boolean" },
                { "type": "integer", "minimum": 0, "maximum": u32::MAX },
                { "type": "string" },
            ],
        })
    }
}

/// Named values in order, as a JSON object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named<T>(pub Vec<(Box<str>, T)>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Named<T> {
    /// Returns whether there are no values.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of that name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(known, _)| known.as_ref() == name).map(|(_, value)| value)
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for EntriesVisitor<T> {
            type Value = Named<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Named(entries))
            }
        }
        deserializer.deserialize_map(EntriesVisitor(std::marker::PhantomData))
    }
}

#[cfg(feature = "schema")]
impl<T: JsonSchema> JsonSchema for Named<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("NamedOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "additionalProperties": generator.subschema_for::<T>(),
        })
    }
}

/// Options in a request: named values, or pbmserv's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Options {
    /// `{"size":4,"prog_cap":true}`
    Named(Named<OptionValue>),
    /// `"-size=4 -prog_cap"`
    Text(Box<str>),
}

impl Default for Options {
    fn default() -> Self {
        Self::Named(Named::default())
    }
}

impl Serialize for Options {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Named(named) => named.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Options {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OptionsVisitor;
        impl<'de> Visitor<'de> for OptionsVisitor {
            type Value = Options;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("options as an object or as text like \"-size=4\"")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Options, E> {
                Ok(Options::Text(text.into()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Options, A::Error> {
                Named::deserialize(de::value::MapAccessDeserializer::new(map)).map(Options::Named)
            }
        }
        deserializer.deserialize_any(OptionsVisitor)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Options {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Options".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A game's options: an object, or text like `-size=4 -prog_cap`.",
            "anyOf": [
                { "type": "object", "additionalProperties": generator.subschema_for::<OptionValue>() },
                { "type": "string" },
            ],
        })
    }
}

/// A time control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(tag = "mode", rename_all = "snake_case"))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum TimeControl {
    /// No limit.
    #[default]
    #[cfg_attr(feature = "schema", schemars(title = "NoClock"))]
    None,
    /// A time for the game, and an increment for each move.
    #[cfg_attr(feature = "schema", schemars(title = "FischerClock"))]
    Fischer {
        /// The main time in milliseconds.
        #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1_000, "maximum" = 2_592_000_000_u64)))]
        base_ms: u64,
        /// The increment after each move in milliseconds.
        #[cfg_attr(feature = "schema", schemars(extend("minimum" = 0, "maximum" = 3_600_000)))]
        inc_ms: u64,
    },
    /// A time for each move.
    #[cfg_attr(feature = "schema", schemars(title = "PerMoveClock"))]
    PerMove {
        /// The time for one move.
        #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1_000, "maximum" = 2_592_000_000_u64)))]
        move_ms: u64,
    },
    /// A main time, then periods. A move within a period restores it.
    #[cfg_attr(feature = "schema", schemars(title = "ByoyomiClock"))]
    Byoyomi {
        /// The main time.
        #[cfg_attr(feature = "schema", schemars(extend("minimum" = 0, "maximum" = 2_592_000_000_u64)))]
        base_ms: u64,
        /// The number of periods after the main time.
        #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = 99)))]
        periods: u32,
        /// The length of a period in milliseconds.
        #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1_000, "maximum" = 3_600_000)))]
        period_ms: u64,
    },
    /// Days for each move.
    #[cfg_attr(feature = "schema", schemars(title = "DaysClock"))]
    Days {
        /// The time for one move.
        #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = 30)))]
        per_move_days: u32,
    },
    /// A mode that this version of the crate does not know. Its fields are not kept.
    #[cfg_attr(feature = "schema", schemars(skip))]
    Unknown(Word),
}

/// How the modes are encoded that this version of the crate knows.
#[derive(Serialize, Deserialize)]
#[serde(remote = "TimeControl", tag = "mode", rename_all = "snake_case")]
enum KnownClock {
    None,
    Fischer {
        base_ms: u64,
        inc_ms: u64,
    },
    PerMove {
        move_ms: u64,
    },
    Byoyomi {
        base_ms: u64,
        periods: u32,
        period_ms: u64,
    },
    Days {
        per_move_days: u32,
    },
    #[serde(skip)]
    Unknown(Word),
}

/// The mode of a time control, of whatever version.
#[derive(Serialize, Deserialize)]
struct Mode {
    mode: Word,
}

impl Serialize for TimeControl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unknown(mode) => Mode { mode: *mode }.serialize(serializer),
            known => KnownClock::serialize(known, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for TimeControl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = serde_json::Value::deserialize(deserializer)?;
        match Mode::deserialize(&fields) {
            Ok(Mode { mode }) if !ClockMode::WORDS.contains(&mode.as_str()) => {
                Ok(Self::Unknown(mode))
            }
            _ => KnownClock::deserialize(fields).map_err(de::Error::custom),
        }
    }
}

impl Known for TimeControl {
    fn known<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        KnownClock::deserialize(deserializer)
    }
}

words! {
    /// A kind of clock.
    pub enum ClockMode {
        /// No clock.
        None = "none",
        /// A time for the game, and an increment.
        Fischer = "fischer",
        /// A time for each move.
        PerMove = "per_move",
        /// A main time, then periods.
        Byoyomi = "byoyomi",
        /// Days for each move.
        Days = "days",
    }
}

impl ClockMode {
    /// Returns the kind of a time control.
    pub const fn of(clock: TimeControl) -> Self {
        match clock {
            TimeControl::None => Self::None,
            TimeControl::Fischer { .. } => Self::Fischer,
            TimeControl::PerMove { .. } => Self::PerMove,
            TimeControl::Byoyomi { .. } => Self::Byoyomi,
            TimeControl::Days { .. } => Self::Days,
            TimeControl::Unknown(mode) => Self::Unknown(mode),
        }
    }
}

/// A seat of a game, as it was agreed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SeatUser {
    /// The user's name.
    pub user: UserName,
    /// The letter of the seat's pieces.
    pub letter: Box<str>,
    /// Whether the user is a bot.
    #[serde(default)]
    pub bot: bool,
    /// Whether the user is a guest.
    #[serde(default)]
    pub guest: bool,
    /// The rating at the start, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<u16>,
}

constructor!(SeatUser { user: UserName, letter: Box<str>; bot, guest, rating });

/// The change of the players' ratings by a game, by seat at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RatingChange {
    /// The ratings before the game.
    pub before: Vec<u16>,
    /// The ratings after the game.
    pub after: Vec<u16>,
}

constructor!(RatingChange { before: Vec<u16>, after: Vec<u16> });

words! {
    /// Who may challenge a user.
    #[derive(Default)]
    pub enum Challengers {
        /// Every user.
        #[default]
        All = "all",
        /// Users with an account, and their bots.
        Accounts = "accounts",
        /// No user.
        None = "none",
    }
}

/// The settings of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct UserSettings {
    /// Who may challenge the user.
    #[serde(default)]
    pub challenges: Challengers,
}

words! {
    /// One of the two talk rooms of a game.
    pub enum TalkRoom {
        /// The room of the players.
        Players = "players",
        /// The room of the spectators, and of all users after the end.
        Spectators = "spectators",
    }
}

/// Pieces that a move captured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Capture {
    /// Their cell.
    pub cell: Box<str>,
    /// The seat that they belonged to.
    pub seat: u8,
    /// One letter per piece.
    pub pieces: Box<str>,
}

constructor!(Capture { cell: Box<str>, seat: u8, pieces: Box<str> });
