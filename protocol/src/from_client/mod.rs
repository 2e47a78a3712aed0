//! Messages from a client. Each is a request with an id and gets exactly one reply.

mod game_request;
mod lobby;
mod people;
mod playing;
mod session;
mod watching;

use serde::Serialize;

use crate::ids::RequestId;

pub use self::{
    lobby::{
        Accept, Acceptance, AcceptedGame, Allow, BotStatus, Cancel, Catalogue, Challenge,
        Challenges, ClockMode, Decline, Directory, GameState, Games, Invite, InviteInfo, Invites,
        Lobby, PaceRange, RatingRange, Rematch, SeatWish, Seek, SoughtResult, Unseek,
    },
    people::{
        Block, Blocks, History, Mute, Mutes, NoticeSeen, Opponents, Report, ReportReason, Say,
        SettingsGet, SettingsSet, Standings, Stats, Talk, Unblock, Unmute, Unsay, User,
    },
    playing::{
        Abort, Answer, Claim, ClaimKind, Explore, Hints, Move, Moves, Offer, Resign, Try, Withdraw,
    },
    session::{
        AccountClose, Auth, BotCreate, BotList, CAP_LEGAL, CAP_NAMED, CAP_POSITION, CAP_STEPS,
        Cursor, Hello, Logout, MailConfirm, MailGet, MailSet, PasswordChange, PasswordMail,
        PasswordReset, Ping, PushList, PushSubscribe, PushUnsubscribe, RecoveryCode, Signup,
        Software, TokenCreate, TokenList, TokenRevoke, WebhookDelete, WebhookGet, WebhookSet,
    },
    watching::{Analyse, Layout, Live, Positions, Signature, Tv, Unwatch, Watch},
};
#[cfg(feature = "schema")]
use crate::schema::shape::Shape;
pub use crate::words::DeclineReason;
#[cfg(feature = "schema")]
use schemars::SchemaGenerator;

macro_rules! requests {
    ($($(#[$doc:meta])* $kind:literal => $name:ident -> $($reply:literal)|+),+ $(,)?) => {
        /// A request, by its `type`.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(tag = "type", rename_all = "snake_case")]
        #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
        pub enum FromClient { $($(#[$doc])* $name($name)),+ }

        impl FromClient {
            /// All types.
            pub const TYPES: &'static [&'static str] = &[$($kind),+];

            /// The types of the replies to each type of request that succeeds.
            pub const REPLIES: &'static [(&'static str, &'static [&'static str])] =
                &[$(($kind, &[$($reply),+])),+];

            /// Returns the request's `type`.
            pub const fn kind(&self) -> &'static str {
                match self { $(Self::$name(_) => $kind),+ }
            }

            /// Returns the request's id.
            pub const fn id(&self) -> &RequestId {
                match self { $(Self::$name(body) => &body.id),+ }
            }

            /// Returns the shapes of all requests.
            #[cfg(feature = "schema")]
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
    "hello" => Hello -> "welcome",
    /// Creates an account.
    "signup" => Signup -> "ok",
    /// Creates a token for a program.
    "token_create" => TokenCreate -> "ok",
    /// Lists tokens.
    "token_list" => TokenList -> "tokens",
    /// Ends a token.
    "token_revoke" => TokenRevoke -> "ok",
    /// Ends the session's own token.
    "logout" => Logout -> "ok",
    /// Changes the password.
    "password_change" => PasswordChange -> "ok",
    /// Makes a new recovery code.
    "recovery_code" => RecoveryCode -> "ok",
    /// Sets or deletes the mail address.
    "mail_set" => MailSet -> "ok",
    /// Confirms a mail address.
    "mail_confirm" => MailConfirm -> "ok",
    /// Requests the mail address.
    "mail_get" => MailGet -> "mail",
    /// Asks for a mail with a code for a new password.
    "password_mail" => PasswordMail -> "ok",
    /// Closes the account.
    "account_close" => AccountClose -> "ok",
    /// Sets a new password with a code.
    "password_reset" => PasswordReset -> "ok",
    /// Creates an account for a bot.
    "bot_create" => BotCreate -> "ok",
    /// Lists the user's bots.
    "bot_list" => BotList -> "bots",
    /// Lists the bot in the directory, or changes what it says there.
    "bot_status" => BotStatus -> "ok",
    /// Lists the bots that accept challenges.
    "directory" => Directory -> "directory",
    /// Stores the push subscription of a browser.
    "push_subscribe" => PushSubscribe -> "ok",
    /// Deletes a push subscription.
    "push_unsubscribe" => PushUnsubscribe -> "ok",
    /// Lists the user's push subscriptions.
    "push_list" => PushList -> "push_subscriptions",
    /// Sets a webhook.
    "webhook_set" => WebhookSet -> "ok",
    /// Requests a webhook.
    "webhook_get" => WebhookGet -> "webhook",
    /// Deletes a webhook.
    "webhook_delete" => WebhookDelete -> "ok",
    /// Requests the games that can be played.
    "catalogue" => Catalogue -> "catalogue",
    /// Opens a seek.
    "seek" => Seek -> "ok",
    /// Closes a seek.
    "unseek" => Unseek -> "ok",
    /// Challenges other users.
    "challenge" => Challenge -> "ok",
    /// Accepts a seek, a challenge or an invite.
    "accept" => Accept -> "ok",
    /// Declines a challenge.
    "decline" => Decline -> "ok",
    /// Cancels the user's own challenge or invite.
    "cancel" => Cancel -> "ok",
    /// Lists the user's open challenges.
    "challenges" => Challenges -> "challenges",
    /// Makes an invite.
    "invite" => Invite -> "ok",
    /// Lists the user's open invites.
    "invites" => Invites -> "invites",
    /// Requests an invite by its id.
    "invite_info" => InviteInfo -> "invite",
    /// Lists the open seeks and subscribes to their changes.
    "lobby" => Lobby -> "lobby",
    /// Lists games.
    "games" => Games -> "games",
    /// Lists the players of a game by strength.
    "standings" => Standings -> "standings",
    /// Requests the statistics of a game.
    "stats" => Stats -> "stats",
    /// Requests a user's profile.
    "user" => User -> "user",
    /// Lists a user's finished games.
    "history" => History -> "history",
    /// Subscribes to a game.
    "watch" => Watch -> "snapshot" | "ok",
    /// Unsubscribes from a game.
    "unwatch" => Unwatch -> "ok",
    /// Requests the server's signature of a game's record.
    "signature" => Signature -> "signature",
    /// Requests the board to draw.
    "layout" => Layout -> "layout",
    /// Requests the cells that a move can use.
    "hints" => Hints -> "hints",
    /// Requests the legal moves, page by page.
    "moves" => Moves -> "moves",
    /// Checks whether a move would be legal.
    "try" => Try -> "ok",
    /// Makes a move.
    "move" => Move -> "ok",
    /// Resigns.
    "resign" => Resign -> "ok",
    /// Aborts a game before each side has moved.
    "abort" => Abort -> "ok",
    /// Offers a draw, a takeback or an abort to the opponents.
    "offer" => Offer -> "ok",
    /// Accepts or declines an offer.
    "answer" => Answer -> "ok",
    /// Withdraws an offer.
    "withdraw" => Withdraw -> "ok",
    /// Claims the game from a player who is away.
    "claim" => Claim -> "ok",
    /// Requests a rematch.
    "rematch" => Rematch -> "ok",
    /// Requests the positions of a game by ply.
    "positions" => Positions -> "positions",
    /// Requests the position after tried moves.
    "explore" => Explore -> "explored",
    /// Requests the analysis of a finished game.
    "analyse" => Analyse -> "analysis",
    /// Returns the featured game of a kind and subscribes to changes.
    "tv" => Tv -> "tv",
    /// Lists the live games with their boards and subscribes to changes.
    "live" => Live -> "live",
    /// Sends a line of talk about a game.
    "say" => Say -> "ok",
    /// Deletes a line of talk.
    "unsay" => Unsay -> "ok",
    /// Requests lines of talk.
    "talk" => Talk -> "talk",
    /// Mutes a user.
    "mute" => Mute -> "ok",
    /// Unmutes a user.
    "unmute" => Unmute -> "ok",
    /// Lists the users that the user has muted.
    "mutes" => Mutes -> "mutes",
    /// Blocks a user.
    "block" => Block -> "ok",
    /// Unblocks a user.
    "unblock" => Unblock -> "ok",
    /// Lists the users that the user has blocked.
    "blocks" => Blocks -> "blocks",
    /// Reports a user or a game to the operators.
    "report" => Report -> "ok",
    /// Takes back a notice that the user has read.
    "notice_seen" => NoticeSeen -> "ok",
    /// Requests the user's settings.
    "settings_get" => SettingsGet -> "settings",
    /// Changes the user's settings.
    "settings_set" => SettingsSet -> "settings",
    /// Measures the round trip to the server.
    "ping" => Ping -> "pong",
}
