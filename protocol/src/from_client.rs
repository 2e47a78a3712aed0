//! What a client may say. Every message is a request with an id, and gets exactly one reply.

mod account;
mod people;

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{
    event::OfferWhat,
    ids::{Chain, ChallengeId, GameId, OfferId, RequestId, RulesName, SeekId, UserName},
    schema::Shape,
    sketch::Sketch,
    values::{Clock, Named, OptionsGiven, TalkRoom, is_zero},
};

pub use account::{
    BotCreate, BotList, PasswordChange, Signup, TokenCreate, TokenList, TokenRevoke,
};
pub use people::{History, Standings, User};

macro_rules! requests {
    ($($(#[$doc:meta])* $kind:literal => $name:ident),+ $(,)?) => {
        /// A request, by its `type`.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(tag = "type", rename_all = "snake_case")]
        pub enum FromClient { $($(#[$doc])* $name($name)),+ }

        impl FromClient {
            /// Every `type` there is.
            pub const TYPES: &'static [&'static str] = &[$($kind),+];

            /// The request's `type`.
            pub const fn kind(&self) -> &'static str {
                match self { $(Self::$name(_) => $kind),+ }
            }

            /// The request's id.
            pub const fn id(&self) -> &RequestId {
                match self { $(Self::$name(body) => &body.id),+ }
            }

            /// What each request looks like.
            pub(crate) fn shapes(generator: &mut SchemaGenerator) -> Vec<Shape> {
                vec![$(Shape::of::<$name>($kind, generator)),+]
            }

            /// Reads the request of that type; `None` if there is no such type.
            pub(crate) fn read(kind: &str, bytes: &[u8]) -> Option<serde_json::Result<Self>> {
                match kind {
                    $($kind => Some(serde_json::from_slice(bytes).map(Self::$name)),)+
                    _ => None,
                }
            }
        }

        $(impl From<$name> for FromClient {
            fn from(body: $name) -> Self { Self::$name(body) }
        })+
    };
}

requests! {
    /// Opens the session.
    "hello" => Hello,
    /// Makes an account.
    "signup" => Signup,
    /// Makes a token for a program.
    "token_create" => TokenCreate,
    /// Lists tokens.
    "token_list" => TokenList,
    /// Ends a token.
    "token_revoke" => TokenRevoke,
    /// Changes the password.
    "password_change" => PasswordChange,
    /// Makes an account for a program.
    "bot_create" => BotCreate,
    /// Lists one's own bots.
    "bot_list" => BotList,
    /// Asks which games can be played.
    "catalogue" => Catalogue,
    /// Looks for opponents.
    "seek" => Seek,
    /// Stops looking.
    "unseek" => Unseek,
    /// Challenges somebody.
    "challenge" => Challenge,
    /// Takes a seek or a challenge.
    "accept" => Accept,
    /// Turns a challenge down.
    "decline" => Decline,
    /// Takes back one's own challenge.
    "cancel" => Cancel,
    /// Watches the open seeks.
    "lobby" => Lobby,
    /// Lists games.
    "games" => Games,
    /// Lists the players of a game by strength.
    "standings" => Standings,
    /// Asks who somebody is.
    "user" => User,
    /// Lists a user's finished games.
    "history" => History,
    /// Follows a game.
    "watch" => Watch,
    /// Follows it no longer.
    "unwatch" => Unwatch,
    /// Asks for the server's signature under a game's record.
    "signature" => Signature,
    /// Asks for the board to draw.
    "layout" => Layout,
    /// Asks where pieces may go.
    "hints" => Hints,
    /// Asks whether a move would be legal.
    "try" => Try,
    /// Makes a move.
    "move" => Move,
    /// Gives up.
    "resign" => Resign,
    /// Calls a game off before it has begun in earnest.
    "abort" => Abort,
    /// Offers something to the opponents.
    "offer" => Offer,
    /// Answers an offer.
    "answer" => Answer,
    /// Takes an offer back.
    "withdraw" => Withdraw,
    /// Claims the consequence of a player's having gone.
    "claim" => Claim,
    /// Asks for the same game once more.
    "rematch" => Rematch,
    /// Asks for the boards that a game went through.
    "positions" => Positions,
    /// Watches which game is featured.
    "tv" => Tv,
    /// Watches the games that are being played.
    "live" => Live,
    /// Says something about a game.
    "say" => Say,
    /// Takes back something that was said.
    "unsay" => Unsay,
    /// Asks for what was said.
    "talk" => Talk,
    /// Wants to hear no more of somebody.
    "mute" => Mute,
    /// Wants to hear of somebody again.
    "unmute" => Unmute,
    /// Asks whom one has muted.
    "mutes" => Mutes,
    /// Measures the way to the server.
    "ping" => Ping,
}

/// Opens the session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hello {
    /// Names the request.
    pub id: RequestId,
    /// The versions of the protocol that the client speaks.
    pub proto: Vec<u32>,
    /// What program it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Software>,
    /// Who it is. Without it the session may look and sign up, but not play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<Auth>,
    /// What the client would like beyond the minimum.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caps: Vec<Box<str>>,
    /// What it knows of its games, by game id.
    #[serde(default, skip_serializing_if = "resume_is_empty")]
    pub resume: Named<Cursor>,
}

fn resume_is_empty(resume: &Named<Cursor>) -> bool {
    resume.0.is_empty()
}

/// The cap of bots that want their legal moves with `your_turn`.
pub const CAP_LEGAL: &str = "legal";

/// The cap of those who wish to be named where they watch.
pub const CAP_NAMED: &str = "named";

/// A program and its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Software {
    /// Its name.
    pub name: Box<str>,
    /// Its version.
    pub version: Box<str>,
}

/// The place up to which a client knows a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cursor {
    /// The last event it has.
    pub seq: u64,
    /// That event's chain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<Chain>,
}

/// Ways to say who one is.
#[derive(Clone, PartialEq, Eq)]
pub enum Auth {
    /// By a secret from an earlier session or from `token_create`.
    Token(Box<str>),
    /// By name and password.
    Password {
        /// The user's name.
        user: UserName,
        /// The password.
        password: Box<str>,
    },
    /// As a guest of that name.
    Guest(UserName),
}

impl std::fmt::Debug for Auth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Secrets stay out of logs.
        match self {
            Self::Token(_) => f.write_str("Token(..)"),
            Self::Password { user, .. } => write!(f, "Password({user}, ..)"),
            Self::Guest(name) => write!(f, "Guest({name})"),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct AuthFields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    user: Option<UserName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    password: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    guest: Option<UserName>,
}

impl Serialize for Auth {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = AuthFields { token: None, user: None, password: None, guest: None };
        match self.clone() {
            Self::Token(token) => fields.token = Some(token),
            Self::Password { user, password } => {
                fields.user = Some(user);
                fields.password = Some(password);
            }
            Self::Guest(name) => fields.guest = Some(name),
        }
        fields.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Auth {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match AuthFields::deserialize(deserializer)? {
            AuthFields { token: Some(token), user: None, password: None, guest: None } => {
                Ok(Self::Token(token))
            }
            AuthFields { token: None, user: Some(user), password: Some(password), guest: None } => {
                Ok(Self::Password { user, password })
            }
            AuthFields { token: None, user: None, password: None, guest: Some(name) } => {
                Ok(Self::Guest(name))
            }
            AuthFields { .. } => Err(de::Error::custom(
                "auth is {\"token\":..}, {\"user\":..,\"password\":..} or {\"guest\":..}",
            )),
        }
    }
}

impl JsonSchema for Auth {
    fn schema_name() -> Cow<'static, str> {
        "Auth".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let secret = json_schema!({ "type": "string" });
        let user = generator.subschema_for::<UserName>();
        let none = json_schema!({ "type": "null" });
        json_schema!({
            "description": "who one is, in one of three ways",
            "type": "object",
            "oneOf": [
                { "required": ["token"],
                  "properties": { "token": secret, "user": none, "password": none, "guest": none } },
                { "required": ["user", "password"],
                  "properties": { "token": none, "user": user, "password": secret, "guest": none } },
                { "required": ["guest"],
                  "properties": { "token": none, "user": none, "password": none, "guest": user } },
            ],
        })
    }
}

/// Asks which games can be played, by how many, and with which options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Catalogue {
    /// Names the request.
    pub id: RequestId,
}

/// Where a seeker would like to sit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SeatWish {
    /// Anywhere.
    #[default]
    Random,
    /// In this seat.
    Seat(u8),
}

impl Serialize for SeatWish {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Random => serializer.serialize_str("random"),
            Self::Seat(seat) => serializer.serialize_u8(*seat),
        }
    }
}

impl<'de> Deserialize<'de> for SeatWish {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Wish;
        impl de::Visitor<'_> for Wish {
            type Value = SeatWish;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("\"random\" or a seat number from 0")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<SeatWish, E> {
                if text == "random" {
                    Ok(SeatWish::Random)
                } else {
                    Err(E::invalid_value(de::Unexpected::Str(text), &self))
                }
            }
            fn visit_u64<E: de::Error>(self, seat: u64) -> Result<SeatWish, E> {
                u8::try_from(seat)
                    .map(SeatWish::Seat)
                    .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(seat), &self))
            }
        }
        deserializer.deserialize_any(Wish)
    }
}

impl JsonSchema for SeatWish {
    fn schema_name() -> Cow<'static, str> {
        "SeatWish".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "\"random\" or a seat number from 0",
            "oneOf": [
                { "const": "random" },
                { "type": "integer", "minimum": 0, "maximum": u8::MAX },
            ],
        })
    }
}

/// Whom a seeker would play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Allow {
    /// Programs too.
    #[serde(default = "yes")]
    pub bots: bool,
    /// Users without an account too.
    #[serde(default = "yes")]
    pub guests: bool,
}

const fn yes() -> bool {
    true
}

const fn two() -> u8 {
    2
}

impl Default for Allow {
    fn default() -> Self {
        Self { bots: true, guests: true }
    }
}

/// Looks for opponents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seek {
    /// Names the request.
    pub id: RequestId,
    /// The game.
    pub rules: RulesName,
    /// Its options.
    #[serde(default)]
    pub options: OptionsGiven,
    /// How many are to play, the seeker included.
    #[serde(default = "two")]
    pub players: u8,
    /// Where the seeker would like to sit.
    #[serde(default)]
    pub seat: SeatWish,
    /// The time control.
    #[serde(default)]
    pub clock: Clock,
    /// Whether the result shall count.
    #[serde(default)]
    pub rated: bool,
    /// How many moves spectators shall be behind.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: u8,
    /// Whom the seeker would play.
    #[serde(default)]
    pub allow: Allow,
}

/// Stops looking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unseek {
    /// Names the request.
    pub id: RequestId,
    /// Which seek.
    pub seek: SeekId,
}

/// Challenges somebody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Challenge {
    /// Names the request.
    pub id: RequestId,
    /// The game.
    pub rules: RulesName,
    /// Its options.
    #[serde(default)]
    pub options: OptionsGiven,
    /// Who sits where, the challenger included.
    pub seats: Vec<UserName>,
    /// Whether the seats are to be drawn by lot.
    #[serde(default)]
    pub shuffle: bool,
    /// The time control.
    #[serde(default)]
    pub clock: Clock,
    /// Whether the result shall count.
    #[serde(default)]
    pub rated: bool,
    /// How many moves spectators shall be behind.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: u8,
}

/// Takes a seek or a challenge; one of the two is named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Accept {
    /// Names the request.
    pub id: RequestId,
    /// The seek to take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seek: Option<SeekId>,
    /// The challenge to take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<ChallengeId>,
}

/// Why a challenge was turned down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeclineReason {
    /// Not now.
    Later,
    /// The clock is too fast.
    TooFast,
    /// The clock is too slow.
    TooSlow,
    /// It should be rated.
    Rated,
    /// It should be casual.
    Casual,
    /// Another game is preferred.
    Game,
    /// Other options are preferred.
    Options,
    /// No programs.
    NoBot,
    /// Too many games already.
    Busy,
    /// No reason given.
    #[default]
    Generic,
}

/// Turns a challenge down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decline {
    /// Names the request.
    pub id: RequestId,
    /// Which challenge.
    pub challenge: ChallengeId,
    /// Why.
    #[serde(default)]
    pub reason: DeclineReason,
}

/// Takes back one's own challenge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cancel {
    /// Names the request.
    pub id: RequestId,
    /// Which challenge.
    pub challenge: ChallengeId,
}

/// Watches the open seeks, or no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lobby {
    /// Names the request.
    pub id: RequestId,
    /// Whether to be told of changes from now on.
    #[serde(default = "yes")]
    pub watch: bool,
}

/// Which games a list is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GameState {
    /// Being played.
    #[default]
    Live,
    /// Over.
    Finished,
}

/// Lists games, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Games {
    /// Names the request.
    pub id: RequestId,
    /// Only those of this user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserName>,
    /// Only those of this game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesName>,
    /// Only those at tables of so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<u8>,
    /// Live or finished ones.
    #[serde(default)]
    pub state: GameState,
    /// Only those that stand after this one in the list, to turn the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<GameId>,
    /// How many at the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Follows a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Watch {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// Replays the events from this one on, instead of a snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// Whether to be named among the spectators; as said in `hello` if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<bool>,
}

macro_rules! game_requests {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub struct $name {
            /// Names the request.
            pub id: RequestId,
            /// Which game.
            pub game: GameId,
        })+
    };
}

game_requests! {
    /// Follows a game no longer.
    Unwatch,
    /// Asks for the server's signature under the game's record as it now stands.
    Signature,
    /// Asks for the board to draw.
    Layout,
    /// Gives up.
    Resign,
    /// Calls the game off before each side has moved.
    Abort,
    /// Asks the same players for the same game once more.
    Rematch,
}

/// Asks which cells can be acted on, where pieces of one may go, and what a sketch comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hints {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// The cell to start from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Box<str>>,
    /// A move in the making.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sketch: Option<Sketch>,
}

macro_rules! move_requests {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub struct $name {
            /// Names the request.
            pub id: RequestId,
            /// Which game.
            pub game: GameId,
            /// The turn that the sender believes it to be.
            pub turn: u32,
            /// The move in the game's notation.
            #[serde(rename = "move")]
            pub notation: Box<str>,
        })+
    };
}

move_requests! {
    /// Asks whether a move would be legal, and what would follow. Records nothing.
    Try,
    /// Makes a move.
    Move,
}

/// Offers something to the opponents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Offer {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// What.
    pub what: OfferWhat,
}

/// Answers an offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// Which offer.
    pub offer: OfferId,
    /// Yes or no.
    pub accept: bool,
}

/// Takes one's own offer back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Withdraw {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// Which offer.
    pub offer: OfferId,
}

/// What can be claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimWhat {
    /// That a player has gone and does not come back.
    Abandoned,
}

/// Claims the consequence of a player's having gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// What.
    pub what: ClaimWhat,
    /// Of which seat, where there is a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
}

/// Asks for the boards that a game went through, ply by ply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Positions {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// The first ply; 0 is the board before the first move.
    #[serde(default)]
    pub from_ply: u32,
    /// How many at the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Watches which game is featured, or no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tv {
    /// Names the request.
    pub id: RequestId,
    /// Of which kind.
    pub rules: RulesName,
    /// Whether to be told of changes from now on.
    #[serde(default = "yes")]
    pub watch: bool,
}

/// Watches the games that are being played, or no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Live {
    /// Names the request.
    pub id: RequestId,
    /// Only those of this kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<RulesName>,
    /// Whether to be told of changes from now on.
    #[serde(default = "yes")]
    pub watch: bool,
}

/// Says something about a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Say {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// To whom.
    pub room: TalkRoom,
    /// What.
    pub text: Box<str>,
}

/// Takes back something that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unsay {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// In which room.
    pub room: TalkRoom,
    /// The line's number.
    pub n: u64,
}

/// Asks for the last lines that were said, or for those before one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Talk {
    /// Names the request.
    pub id: RequestId,
    /// Which game.
    pub game: GameId,
    /// In which room.
    pub room: TalkRoom,
    /// Only lines before this one, to turn the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// How many at the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

macro_rules! user_requests {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        $($(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub struct $name {
            /// Names the request.
            pub id: RequestId,
            /// Whom.
            pub user: UserName,
        })+
    };
}

user_requests! {
    /// Wants to hear no more of somebody.
    Mute,
    /// Wants to hear of somebody again.
    Unmute,
}

/// Asks whom one has muted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mutes {
    /// Names the request.
    pub id: RequestId,
}

/// Measures the way to the server and the difference of the clocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ping {
    /// Names the request.
    pub id: RequestId,
    /// The client's time, given back as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t0: Option<u64>,
}
