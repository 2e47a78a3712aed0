//! The requests by their `type`.

use schemars::SchemaGenerator;
use serde::Serialize;

use super::{
    account::{
        BotCreate, BotList, Logout, PasswordChange, Signup, TokenCreate, TokenList, TokenRevoke,
    },
    exploring::Explore,
    invites::{Invite, InviteInfo, Invites},
    lobby::{
        Accept, Cancel, Catalogue, Challenge, Challenges, Decline, Games, Lobby, Rematch, Seek,
        Unseek,
    },
    notifications::{
        PushList, PushSubscribe, PushUnsubscribe, WebhookDelete, WebhookGet, WebhookSet,
    },
    people::{History, SettingsGet, SettingsSet, Standings, User},
    playing::{Abort, Answer, Claim, Hints, Move, Moves, Offer, Resign, Try, Withdraw},
    session::{Hello, Ping},
    talk::{Block, Blocks, Mute, Mutes, Say, Talk, Unblock, Unmute, Unsay},
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
            /// All types.
            pub const TYPES: &'static [&'static str] = &[$($kind),+];

            /// Returns the request's `type`.
            pub const fn kind(&self) -> &'static str {
                match self { $(Self::$name(_) => $kind),+ }
            }

            /// Returns the request's id.
            pub const fn id(&self) -> &RequestId {
                match self { $(Self::$name(body) => &body.id),+ }
            }

            /// Returns the shapes of all requests.
            pub(crate) fn shapes(generator: &mut SchemaGenerator) -> Vec<Shape> {
                vec![$(Shape::of::<$name>($kind, generator)),+]
            }

            /// Decodes a request of that type; `None` if the type is unknown.
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
    /// Creates an account.
    "signup" => Signup,
    /// Creates a token for a program.
    "token_create" => TokenCreate,
    /// Lists tokens.
    "token_list" => TokenList,
    /// Ends a token.
    "token_revoke" => TokenRevoke,
    /// Ends the session's own token.
    "logout" => Logout,
    /// Changes the password.
    "password_change" => PasswordChange,
    /// Creates an account for a bot.
    "bot_create" => BotCreate,
    /// Lists the user's bots.
    "bot_list" => BotList,
    /// Stores the push subscription of a browser.
    "push_subscribe" => PushSubscribe,
    /// Deletes a push subscription.
    "push_unsubscribe" => PushUnsubscribe,
    /// Lists the user's push subscriptions.
    "push_list" => PushList,
    /// Sets a webhook.
    "webhook_set" => WebhookSet,
    /// Requests a webhook.
    "webhook_get" => WebhookGet,
    /// Deletes a webhook.
    "webhook_delete" => WebhookDelete,
    /// Requests the games that can be played.
    "catalogue" => Catalogue,
    /// Opens a seek.
    "seek" => Seek,
    /// Closes a seek.
    "unseek" => Unseek,
    /// Challenges other users.
    "challenge" => Challenge,
    /// Accepts a seek, a challenge or an invite.
    "accept" => Accept,
    /// Declines a challenge.
    "decline" => Decline,
    /// Cancels the user's own challenge or invite.
    "cancel" => Cancel,
    /// Lists the user's open challenges.
    "challenges" => Challenges,
    /// Makes an invite.
    "invite" => Invite,
    /// Lists the user's open invites.
    "invites" => Invites,
    /// Requests an invite by its id.
    "invite_info" => InviteInfo,
    /// Lists the open seeks and subscribes to their changes.
    "lobby" => Lobby,
    /// Lists games.
    "games" => Games,
    /// Lists the players of a game by strength.
    "standings" => Standings,
    /// Requests a user's profile.
    "user" => User,
    /// Lists a user's finished games.
    "history" => History,
    /// Subscribes to a game.
    "watch" => Watch,
    /// Unsubscribes from a game.
    "unwatch" => Unwatch,
    /// Requests the server's signature of a game's record.
    "signature" => Signature,
    /// Requests the board to draw.
    "layout" => Layout,
    /// Requests the cells that a move can use.
    "hints" => Hints,
    /// Requests the legal moves, page by page.
    "moves" => Moves,
    /// Checks whether a move would be legal.
    "try" => Try,
    /// Makes a move.
    "move" => Move,
    /// Resigns.
    "resign" => Resign,
    /// Aborts a game before each side has moved.
    "abort" => Abort,
    /// Offers a draw, a takeback or an abort to the opponents.
    "offer" => Offer,
    /// Accepts or declines an offer.
    "answer" => Answer,
    /// Withdraws an offer.
    "withdraw" => Withdraw,
    /// Claims the game from a player who is away.
    "claim" => Claim,
    /// Requests a rematch.
    "rematch" => Rematch,
    /// Requests the positions of a game by ply.
    "positions" => Positions,
    /// Requests the position after tried moves.
    "explore" => Explore,
    /// Returns the featured game of a kind and subscribes to changes.
    "tv" => Tv,
    /// Lists the live games with their boards and subscribes to changes.
    "live" => Live,
    /// Sends a line of talk about a game.
    "say" => Say,
    /// Deletes a line of talk.
    "unsay" => Unsay,
    /// Requests lines of talk.
    "talk" => Talk,
    /// Mutes a user.
    "mute" => Mute,
    /// Unmutes a user.
    "unmute" => Unmute,
    /// Lists the users that the user has muted.
    "mutes" => Mutes,
    /// Blocks a user.
    "block" => Block,
    /// Unblocks a user.
    "unblock" => Unblock,
    /// Lists the users that the user has blocked.
    "blocks" => Blocks,
    /// Requests the user's settings.
    "settings_get" => SettingsGet,
    /// Changes the user's settings.
    "settings_set" => SettingsSet,
    /// Measures the round trip to the server.
    "ping" => Ping,
}
