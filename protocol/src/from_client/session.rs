//! Requests about the session: `hello` and `ping`.

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{
    constructors::constructor,
    ids::{Chain, RequestId, UserName},
    values::Named,
};

/// Opens the session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Hello {
    /// The id of the request.
    pub id: RequestId,
    /// The versions of the protocol that the client speaks.
    #[cfg_attr(feature = "schema", schemars(extend("minItems" = 1)))]
    pub proto: Vec<u32>,
    /// The name and version of the client program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Software>,
    /// The user's credentials. Without them the session may watch and sign up, but not play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<Auth>,
    /// Optional capabilities that the client asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caps: Vec<Box<str>>,
    /// The client's cursors, by game id.
    #[serde(default, skip_serializing_if = "resume_is_empty")]
    #[cfg_attr(feature = "schema", schemars(extend("maxProperties" = 512)))]
    pub resume: Named<Cursor>,
}

constructor!(Hello { id: RequestId, proto: Vec<u32>; client, auth, caps, resume });

fn resume_is_empty(resume: &Named<Cursor>) -> bool {
    resume.0.is_empty()
}

/// The capability of bots that want their legal moves with `your_turn`.
pub const CAP_LEGAL: &str = "legal";

/// The capability of bots that want the board with `your_turn`.
pub const CAP_POSITION: &str = "position";

/// The capability of clients that want the first steps of a move with `your_turn`.
pub const CAP_STEPS: &str = "steps";

/// The capability of spectators who want to be named.
pub const CAP_NAMED: &str = "named";

/// A program and its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Software {
    /// Its name.
    pub name: Box<str>,
    /// Its version.
    pub version: Box<str>,
}

constructor!(Software { name: Box<str>, version: Box<str> });

/// The last event that a client knows of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Cursor {
    /// The seq of that event.
    pub seq: u64,
    /// The chain of that event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<Chain>,
}

constructor!(Cursor { seq: u64; chain });

/// The credentials of a user.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Auth {
    /// The secret of an earlier session or of `token_create`.
    Token(Box<str>),
    /// Name and password.
    Password {
        /// The user's name.
        user: UserName,
        /// The password.
        password: Box<str>,
    },
    /// A guest of that name.
    Guest(UserName),
    /// As a guest of that name that is a program.
    GuestProgram(UserName),
}

impl std::fmt::Debug for Auth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Secrets stay out of logs.
        match self {
            Self::Token(_) => f.write_str("Token(..)"),
            Self::Password { user, .. } => write!(f, "Password({user}, ..)"),
            Self::Guest(name) => write!(f, "Guest({name})"),
            Self::GuestProgram(name) => write!(f, "GuestProgram({name})"),
        }
    }
}

#[derive(Default, Serialize, Deserialize)]
struct AuthFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user: Option<UserName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    password: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    guest: Option<UserName>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    bot: bool,
}

impl Serialize for Auth {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = AuthFields::default();
        match self.clone() {
            Self::Token(token) => fields.token = Some(token),
            Self::Password { user, password } => {
                fields.user = Some(user);
                fields.password = Some(password);
            }
            Self::Guest(name) => fields.guest = Some(name),
            Self::GuestProgram(name) => (fields.guest, fields.bot) = (Some(name), true),
        }
        fields.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Auth {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match AuthFields::deserialize(deserializer)? {
            AuthFields { token: Some(token), user: None, password: None, guest: None, .. } => {
                Ok(Self::Token(token))
            }
            AuthFields {
                token: None,
                user: Some(user),
                password: Some(password),
                guest: None,
                ..
            } => Ok(Self::Password { user, password }),
            AuthFields { token: None, user: None, password: None, guest: Some(name), bot } => {
                Ok(if bot { Self::GuestProgram(name) } else { Self::Guest(name) })
            }
            AuthFields { .. } => Err(de::Error::custom(
                "auth is {\"token\":..}, {\"user\":..,\"password\":..} or {\"guest\":..}",
            )),
        }
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Auth {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Auth".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let name = generator.subschema_for::<UserName>();
        let way = |title: &str,
                   description: &str,
                   fields: &[(&str, &Schema)],
                   optional: Option<(&str, &Schema)>| {
            let required: Vec<_> = fields.iter().map(|(field, _)| *field).collect();
            let properties: serde_json::Map<_, _> = fields
                .iter()
                .copied()
                .chain(optional)
                .map(|(field, schema)| (field.to_owned(), schema.clone().into()))
                .collect();
            json_schema!({
                "title": title, "description": description,
                "type": "object", "required": required, "properties": properties,
            })
        };
        let token = json_schema!({ "type": "string", "description": "The token." });
        let bot = json_schema!({ "type": "boolean", "description": "Whether the guest is a bot." });
        let password =
            json_schema!({ "type": "string", "description": "The password.", "maxLength": 256 });
        json_schema!({
            "description": "The credentials of a user, in one of three forms.",
            "oneOf": [
                way("TokenAuth", "The secret of an earlier session or of `token_create`.", &[("token", &token)], None),
                way("PasswordAuth", "Name and password.", &[("user", &name), ("password", &password)], None),
                way("GuestAuth", "A guest of that name.", &[("guest", &name)], Some(("bot", &bot))),
            ],
        })
    }
}

/// Measures the round trip to the server and the difference of the clocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Ping {
    /// The id of the request.
    pub id: RequestId,
    /// The client's time. The answer returns it unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t0: Option<u64>,
}

constructor!(Ping { id: RequestId; t0 });
