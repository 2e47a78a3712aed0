//! Requests about the session, the account with its tokens and bots, and notifications.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{
    ids::{Chain, RequestId, TokenId, UserName},
    values::Named,
    words::constructor,
};

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

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

/// Creates an account, or turns the guest of this session into one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Signup {
    /// The id of the request.
    pub id: RequestId,
    /// The name of the account.
    pub user: UserName,
    /// The new password.
    #[cfg_attr(feature = "schema", schemars(extend("maxLength" = 256)))]
    pub password: Box<str>,
    /// The invitation, where the server asks for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("maxLength" = 64)))]
    pub invitation: Option<Box<str>>,
}

constructor!(Signup { id: RequestId, user: UserName, password: Box<str>; invitation });

impl std::fmt::Debug for Signup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signup")
            .field("id", &self.id)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

/// Changes the password and ends the sessions of the old one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PasswordChange {
    /// The id of the request.
    pub id: RequestId,
    /// The old password.
    pub old: Box<str>,
    /// The new password.
    #[cfg_attr(feature = "schema", schemars(extend("maxLength" = 256)))]
    pub new: Box<str>,
    /// Whether the tokens of programs end, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub revoke_all: bool,
}

constructor!(PasswordChange { id: RequestId, old: Box<str>, new: Box<str>; revoke_all });

impl std::fmt::Debug for PasswordChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PasswordChange")
            .field("id", &self.id)
            .field("revoke_all", &self.revoke_all)
            .finish_non_exhaustive()
    }
}

/// Closes the account and those of its bots for good.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct AccountClose {
    /// The id of the request.
    pub id: RequestId,
    /// The password of the account.
    pub password: Box<str>,
}

constructor!(AccountClose { id: RequestId, password: Box<str> });

impl std::fmt::Debug for AccountClose {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccountClose").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Gives the account a new recovery code, in place of the last one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct RecoveryCode {
    /// The id of the request.
    pub id: RequestId,
    /// The password of the account.
    pub password: Box<str>,
}

constructor!(RecoveryCode { id: RequestId, password: Box<str> });

impl std::fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecoveryCode").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Sets the mail address of the account, to which the server sends a code, or deletes it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct MailSet {
    /// The id of the request.
    pub id: RequestId,
    /// The password of the account.
    pub password: Box<str>,
    /// The address; absent to delete the one that the account has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("minLength" = 3, "maxLength" = 254)))]
    pub address: Option<Box<str>>,
}

constructor!(MailSet { id: RequestId, password: Box<str>; address });

impl std::fmt::Debug for MailSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MailSet").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Confirms a mail address with the code that the server has sent to it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct MailConfirm {
    /// The id of the request.
    pub id: RequestId,
    /// The code from the mail.
    #[cfg_attr(feature = "schema", schemars(extend("maxLength" = 64)))]
    pub code: Box<str>,
}

constructor!(MailConfirm { id: RequestId, code: Box<str> });

impl std::fmt::Debug for MailConfirm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MailConfirm").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Requests the mail address of the account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct MailGet {
    /// The id of the request.
    pub id: RequestId,
}

constructor!(MailGet { id: RequestId });

/// Asks for a code to set a new password with, sent to the mail address of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PasswordMail {
    /// The id of the request.
    pub id: RequestId,
    /// The name of the account.
    pub user: UserName,
}

constructor!(PasswordMail { id: RequestId, user: UserName });

/// Sets a new password with the account's recovery code or a code from the server's operator, and
/// ends all sessions of the account and its bots.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PasswordReset {
    /// The id of the request.
    pub id: RequestId,
    /// The name of the account.
    pub user: UserName,
    /// The code, which is valid once.
    #[cfg_attr(feature = "schema", schemars(extend("maxLength" = 64)))]
    pub code: Box<str>,
    /// The new password.
    #[cfg_attr(feature = "schema", schemars(extend("maxLength" = 256)))]
    pub new: Box<str>,
}

constructor!(PasswordReset { id: RequestId, user: UserName, code: Box<str>, new: Box<str> });

impl std::fmt::Debug for PasswordReset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PasswordReset")
            .field("id", &self.id)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

/// Creates a token. Its secret is sent only once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct TokenCreate {
    /// The id of the request.
    pub id: RequestId,
    /// The purpose of the token, in the user's words.
    #[cfg_attr(feature = "schema", schemars(extend("minLength" = 1, "maxLength" = 64)))]
    pub label: Box<str>,
    /// Whether sessions with this token are a bot's.
    #[serde(default)]
    pub bot: bool,
    /// The expiry in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// The user's bot that the token is for, if it is for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
}

constructor!(TokenCreate { id: RequestId, label: Box<str>; bot, expires, user });

/// Lists tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct TokenList {
    /// The id of the request.
    pub id: RequestId,
    /// The user's bot whose tokens to list, if not the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
}

constructor!(TokenList { id: RequestId; user });

/// Ends a token and all sessions with that token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct TokenRevoke {
    /// The id of the request.
    pub id: RequestId,
    /// A token of the user or of one of the user's bots.
    pub token: TokenId,
}

constructor!(TokenRevoke { id: RequestId, token: TokenId });

/// Ends the token of this session, and all sessions with that token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Logout {
    /// The id of the request.
    pub id: RequestId,
    /// Whether a guest, who cannot log in again, resigns from live games.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forget: bool,
}

constructor!(Logout { id: RequestId; forget });

/// Creates an account for a bot, which belongs to this session's user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct BotCreate {
    /// The id of the request.
    pub id: RequestId,
    /// The name of the bot.
    pub name: UserName,
}

constructor!(BotCreate { id: RequestId, name: UserName });

/// Lists the user's bots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct BotList {
    /// The id of the request.
    pub id: RequestId,
}

constructor!(BotList { id: RequestId });

/// Stores the push subscription of this browser. It ends with the token of this session.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PushSubscribe {
    /// The id of the request.
    pub id: RequestId,
    /// The URL of the push service, with `https`.
    #[cfg_attr(feature = "schema", schemars(extend("minLength" = 1, "maxLength" = 1024)))]
    pub endpoint: Box<str>,
    /// The public key of the subscription in base64url: an uncompressed point of P-256.
    #[cfg_attr(feature = "schema", schemars(extend("minLength" = 87, "maxLength" = 88)))]
    pub p256dh: Box<str>,
    /// The authentication secret of the subscription in base64url: 16 bytes.
    #[cfg_attr(feature = "schema", schemars(extend("minLength" = 22, "maxLength" = 24)))]
    pub auth: Box<str>,
}

constructor!(PushSubscribe { id: RequestId, endpoint: Box<str>, p256dh: Box<str>, auth: Box<str> });

impl std::fmt::Debug for PushSubscribe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PushSubscribe").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Deletes a push subscription of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PushUnsubscribe {
    /// The id of the request.
    pub id: RequestId,
    /// The URL that it was stored with.
    #[cfg_attr(feature = "schema", schemars(extend("minLength" = 1, "maxLength" = 1024)))]
    pub endpoint: Box<str>,
}

constructor!(PushUnsubscribe { id: RequestId, endpoint: Box<str> });

/// Lists the user's push subscriptions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PushList {
    /// The id of the request.
    pub id: RequestId,
}

constructor!(PushList { id: RequestId });

/// Sets the webhook of the user, or of a bot of the user. Replaces an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct WebhookSet {
    /// The id of the request.
    pub id: RequestId,
    /// The URL to which the server sends notifications, with `https`.
    #[cfg_attr(feature = "schema", schemars(extend("minLength" = 1, "maxLength" = 1024)))]
    pub url: Box<str>,
    /// The user's bot whose webhook to set, if not the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
}

constructor!(WebhookSet { id: RequestId, url: Box<str>; user });

/// Requests the webhook of the user, or of a bot of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct WebhookGet {
    /// The id of the request.
    pub id: RequestId,
    /// The user's bot whose webhook to show, if not the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
}

constructor!(WebhookGet { id: RequestId; user });

/// Deletes the webhook of the user, or of a bot of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct WebhookDelete {
    /// The id of the request.
    pub id: RequestId,
    /// The user's bot whose webhook to delete, if not the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
}

constructor!(WebhookDelete { id: RequestId; user });
