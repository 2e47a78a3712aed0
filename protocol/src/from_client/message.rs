//! The requests by their `type`.

use schemars::SchemaGenerator;
use serde::Serialize;

use super::{
    account::{
        BotCreate, BotList, Logout, PasswordChange, Signup, TokenCreate, TokenList, TokenRevoke,
    },
    lobby::{
        Accept, Cancel, Catalogue, Challenge, Challenges, Decline, Games, Lobby, Rematch, Seek,
        Unseek,
    },
    people::{History, Standings, User},
    playing::{Abort, Answer, Claim, Hints, Move, Moves, Offer, Resign, Try, Withdraw},
    session::{Hello, Ping},
    talk::{Mute, Mutes, Say, Talk, Unmute, Unsay},
    watching::{Layout, Live, Positions, Signature, Tv, Unwatch, Watch},
};
use crate::{ids::RequestId, schema::shape::Shape};

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
    /// Ends the session's own token.
    "logout" => Logout,
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
    /// Lists one's open challenges.
    "challenges" => Challenges,
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
    /// Asks for the legal moves, page by page.
    "moves" => Moves,
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
