//! Messages about games that can be begun: the catalogue, seeks, challenges, invites, the
//! directory of bots.

use serde::{Deserialize, Serialize};

use super::game::GameResult;
use crate::{
    from_client::{Acceptance, Allow, GameState, RatingRange, SeatWish},
    ids::{ChallengeId, GameId, InviteId, RequestId, RulesName, SeekId, UserName},
    values::{Named, OptionValue, RatingChange, SeatUser, TimeControl, is_zero},
    words::{ClosedReason, constructor, words},
};

/// A game in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct GameEntry {
    /// The game.
    pub game: GameId,
    /// The game that is played.
    pub rules: RulesName,
    /// Its options.
    pub options: Named<OptionValue>,
    /// The users by seat.
    pub seats: Vec<SeatUser>,
    /// The time control.
    pub clock: TimeControl,
    /// Whether the game is rated.
    pub rated: bool,
    /// The number of moves that spectators are behind while the game is live.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: u8,
    /// Whether no list shows the game to others than its players.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlisted: bool,
    /// Whether the game is live or finished.
    pub state: GameState,
    /// Moves and skips so far.
    pub ply: u32,
    /// The seat to move, in a live game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_move: Option<u8>,
    /// The start in epoch milliseconds.
    pub started_at: u64,
    /// The last change in epoch milliseconds.
    pub last_at: u64,
    /// The outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
    /// The change of the players' ratings, if the game counts for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratings: Option<RatingChange>,
    /// Whether an operator has annulled the result: it counts for nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub annulled: bool,
    /// The player who left the game, and whose seat a computer has taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub substituted: Option<SubstitutedUser>,
}

/// A player whose seat a computer has taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SubstitutedUser {
    /// The seat.
    pub seat: u8,
    /// The user who left it.
    pub user: UserName,
}

constructor!(SubstitutedUser { seat: u8, user: UserName });

/// A list of games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct GameList {
    /// The request that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The games, the newest first.
    pub games: Vec<GameEntry>,
    /// Whether there are more, or may be: request them with `before` set to `next`.
    pub more: bool,
    /// The game after which the list goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<GameId>,
}

constructor!(GameList { games: Vec<GameEntry>, more: bool; re, next });

/// A challenge to the client's user, or a further acceptance of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(clippy::struct_excessive_bools, reason = "they are fields of the message")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Challenged {
    /// The id of the challenge.
    pub challenge: ChallengeId,
    /// The challenger.
    pub by: UserName,
    /// Whether the user is a bot.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// Whether the user is a guest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// The game.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// The users by seat.
    pub seats: Vec<UserName>,
    /// Whether the seats are shuffled.
    pub shuffle: bool,
    /// The time control.
    pub clock: TimeControl,
    /// Whether the game is rated.
    pub rated: bool,
    /// The number of moves that spectators are behind while the game is live.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: u8,
    /// Whether no list shows the game to others than its players.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlisted: bool,
    /// The users who have accepted so far.
    pub accepted: Vec<UserName>,
    /// The game of which this is a rematch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_of: Option<GameId>,
    /// The time of creation in epoch milliseconds.
    #[serde(default)]
    pub created: u64,
    /// The time at which it expires, in epoch milliseconds.
    #[serde(default)]
    pub expires: u64,
}

words! {
    /// The direction of a challenge.
    #[derive(Default)]
    pub enum Direction {
        /// To the client's user.
        #[default]
        In = "in",
        /// By the client's user.
        Out = "out",
    }
}

/// An open challenge in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct OpenChallenge {
    /// The direction.
    #[serde(default)]
    pub direction: Direction,
    /// The challenge.
    #[serde(flatten)]
    pub challenged: Challenged,
}

constructor!(OpenChallenge { challenged: Challenged; direction });

/// Open challenges to and by the client's user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ChallengeList {
    /// The request that this answers.
    pub re: RequestId,
    /// The challenges, the newest first.
    pub challenges: Vec<OpenChallenge>,
    /// Whether there are more: request them with `before` set to the last one.
    pub more: bool,
}

constructor!(ChallengeList { re: RequestId, challenges: Vec<OpenChallenge>, more: bool });

/// A challenge was closed, with or without a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ChallengeClosed {
    /// The challenge.
    pub challenge: ChallengeId,
    /// The new game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The reason, if there is no game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ClosedReason>,
    /// The user who declined or cancelled it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<UserName>,
    /// The limit that is reached, if a house player declined it as `busy`:
    /// `house_games_per_user`, `house_games_per_network` or `house_games`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Box<str>>,
    /// The reason in words, if a house player declined it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Box<str>>,
    /// The game of which this was a rematch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_of: Option<GameId>,
}

constructor!(ChallengeClosed {
    challenge: ChallengeId; game, reason, by, limit, message, rematch_of
});

/// An open seek.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(clippy::struct_excessive_bools, reason = "they are fields of the message")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SeekEntry {
    /// The id of the seek.
    pub seek: SeekId,
    /// The seeker.
    pub by: UserName,
    /// Whether the user is a bot.
    pub bot: bool,
    /// Whether the user is a guest.
    pub guest: bool,
    /// The game.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// The number of players.
    pub players: u8,
    /// The seat that the seeker prefers.
    pub seat: SeatWish,
    /// The time control.
    pub clock: TimeControl,
    /// Whether the game is rated.
    pub rated: bool,
    /// The number of moves that spectators are behind while the game is live.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: u8,
    /// Whether no list shows the game to others than its players.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlisted: bool,
    /// The opponents that the seeker accepts.
    pub allow: Allow,
    /// The ratings that the seeker accepts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingRange>,
    /// Whether the seek outlives the seeker's connection.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lasting: bool,
    /// The time at which a lasting seek expires, in epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
    /// The users who have joined so far, the seeker included.
    pub joined: Vec<UserName>,
}

/// The open seeks, or their changes. A seek that is added again replaces the old entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct LobbyChange {
    /// The request that this answers. The answer adds every open seek.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The new or changed seeks.
    pub add: Vec<SeekEntry>,
    /// The closed seeks.
    pub remove: Vec<SeekId>,
    /// Whether an answer omits older seeks: request them with `before` set to the first one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

constructor!(LobbyChange { add: Vec<SeekEntry>, remove: Vec<SeekId>; re, more });

/// An invite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(clippy::struct_excessive_bools, reason = "they are fields of the message")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct InviteEntry {
    /// The id of the invite.
    pub invite: InviteId,
    /// The inviting user.
    pub by: UserName,
    /// Whether the user is a bot.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bot: bool,
    /// Whether the user is a guest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// The game.
    pub rules: RulesName,
    /// Its options, complete.
    pub options: Named<OptionValue>,
    /// The number of players.
    pub players: u8,
    /// The seat that the inviting user prefers.
    pub seat: SeatWish,
    /// The time control.
    pub clock: TimeControl,
    /// Whether the game is rated, if no player is a guest.
    pub rated: bool,
    /// The number of moves that spectators are behind while the game is live.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub delay: u8,
    /// Whether no list shows the game to others than its players.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlisted: bool,
    /// The users who have joined so far, the inviting user included.
    pub joined: Vec<UserName>,
    /// The time of creation in epoch milliseconds.
    pub created: u64,
    /// The time at which it expires, in epoch milliseconds.
    pub expires: u64,
    /// The game that has begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The reason, if it was closed without a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<ClosedReason>,
}

/// One invite. Without `re` it has changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct InviteState {
    /// The request that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The invite.
    #[serde(flatten)]
    pub entry: InviteEntry,
}

constructor!(InviteState { entry: InviteEntry; re });

/// The user's open invites.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct InviteList {
    /// The request that this answers.
    pub re: RequestId,
    /// The invites, the newest first.
    pub invites: Vec<InviteEntry>,
}

constructor!(InviteList { re: RequestId, invites: Vec<InviteEntry> });

/// The bots that are connected and accept challenges, in the order of their names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct DirectoryList {
    /// The request that this answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// One page of them.
    pub bots: Vec<DirectoryEntry>,
    /// Whether there are more: request them with `before` set to the last one.
    pub more: bool,
}

constructor!(DirectoryList { bots: Vec<DirectoryEntry>, more: bool; re });

/// A bot in the directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct DirectoryEntry {
    /// The name, which challenges go to.
    pub user: UserName,
    /// The owner, if the bot has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<UserName>,
    /// Whether the bot is a guest.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// The level, if the bot is one of the server's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<HouseLevel>,
    /// The bot's ratings, by game and number of players: `adamas/2`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub ratings: Named<u16>,
    /// Which challenges the bot accepts.
    pub accepts: Acceptance,
    /// How many more games the bot would begin at present. The server's own bots do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<u32>,
}

constructor!(DirectoryEntry {
    user: UserName, accepts: Acceptance;
    owner, guest, level, ratings, free
});

/// The games that can be played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct GameCatalogue {
    /// The request that this answers.
    pub re: RequestId,
    /// Every game.
    pub games: Vec<PlayableGame>,
    /// The server's own bots, weakest first; empty if there are none.
    #[serde(default)]
    pub house: Vec<HousePlayer>,
}

constructor!(GameCatalogue { re: RequestId, games: Vec<PlayableGame>; house });

/// One of the server's own bots, which accepts every challenge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct HousePlayer {
    /// Its name, which challenges go to.
    pub user: UserName,
    /// Its level.
    pub level: HouseLevel,
    /// The number of its level, from 1, the weakest, to 8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u8>,
    /// What its measured strength is above that of level 1, in Elo, by game: `diam`.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub elo: Named<u16>,
    /// The name of a second bot of this level, for another seat of the same game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin: Option<UserName>,
}

constructor!(HousePlayer { user: UserName, level: HouseLevel; number, elo, twin });

words! {
    /// The level of one of the server's own bots.
    pub enum HouseLevel {
        /// Level 1 plays random legal moves.
        Easy = "easy",
        /// Level 2 often prefers a better move.
        Level2 = "level2",
        /// Level 3 is the first that takes and stops every win in one.
        Level3 = "level3",
        /// Level 4 looks about one move ahead.
        Medium = "medium",
        /// Level 5 and those above it look further and further ahead.
        Level5 = "level5",
        /// Level 6.
        Level6 = "level6",
        /// Level 7.
        Level7 = "level7",
        /// Level 8 looks as far ahead as it can.
        Hard = "hard",
    }
}

impl HouseLevel {
    /// The levels, the weakest first.
    pub const ALL: [Self; 8] = [
        Self::Easy,
        Self::Level2,
        Self::Level3,
        Self::Medium,
        Self::Level5,
        Self::Level6,
        Self::Level7,
        Self::Hard,
    ];

    /// Returns its number, from 1, the weakest, to 8; `None` for a word that is not known.
    pub fn number(self) -> Option<u8> {
        (1..).zip(Self::ALL).find(|(_, level)| *level == self).map(|(number, _)| number)
    }

    /// Returns the level of a number.
    pub fn of_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.number() == Some(number))
    }
}

/// A game that can be played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PlayableGame {
    /// Its name, with the version of its rules.
    pub rules: RulesName,
    /// Its name for people.
    #[serde(default)]
    pub title: Box<str>,
    /// What it is about, in one sentence.
    #[serde(default)]
    pub goal: Box<str>,
    /// The possible numbers of players.
    pub players: Vec<u8>,
    /// The options.
    pub options: Vec<GameOption>,
    /// A summary of the rules and the notation, in lines of text.
    pub page: Box<str>,
}

constructor!(PlayableGame {
    rules: RulesName, players: Vec<u8>, options: Vec<GameOption>, page: Box<str>;
    title, goal
});

/// An option of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct GameOption {
    /// Its name in `options`.
    pub name: Box<str>,
    /// Its name for people.
    #[serde(default)]
    pub title: Box<str>,
    /// The kind of its values.
    pub kind: GameOptionKind,
    /// The least number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<u32>,
    /// The greatest number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
    /// Its effect and default, in one line.
    pub about: Box<str>,
    /// The values that there are, where they are few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<GameOptionChoice>,
}

constructor!(GameOption {
    name: Box<str>, kind: GameOptionKind, about: Box<str>;
    title, least, most, choices
});

/// A value of an option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct GameOptionChoice {
    /// The value, as in `options`.
    pub value: OptionValue,
    /// What it means, for people.
    pub title: Box<str>,
}

constructor!(GameOptionChoice { value: OptionValue, title: Box<str> });

words! {
    /// The kinds of option values.
    pub enum GameOptionKind {
        /// True or false; false by default.
        Flag = "flag",
        /// A whole number.
        Number = "number",
        /// A word.
        Word = "word",
    }
}
