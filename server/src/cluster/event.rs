//! What nodes announce to each other.

use adamant_protocol::{
    ChallengeId, GameId, UserName,
    ids::TokenId,
    to_client::{ChallengeClosed, DirectoryEntry, InviteEntry, Notice},
    values::TalkRoom,
};
use serde::{Deserialize, Serialize};

use super::ended_sessions::EndedSessions;
use crate::store::OfferId;

/// A game that has just started, whose players have yet to be seated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StartedGame {
    pub game: GameId,
    pub players: Vec<UserName>,
    /// The challenge that has become the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<ChallengeId>,
    /// The game of which this one is the rematch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rematch_of: Option<GameId>,
}

/// What a node announces. A kind that a node does not know is no event to it, so that nodes of two
/// releases can serve together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ClusterEvent {
    /// A game has begun.
    Began(StartedGame),
    /// An offer was opened, or a user has joined or left it, or it is a seek that was closed.
    OfferChanged(OfferId),
    /// A challenge was closed without a game of its own. These users take part.
    ChallengeClosed { closed: ChallengeClosed, users: Vec<UserName> },
    /// An invite was closed or has become a game. These users take part.
    InviteClosed { entry: Box<InviteEntry>, users: Vec<UserName> },
    /// A line of talk was stored.
    Said { game: GameId, room: TalkRoom, n: u64 },
    /// A line of talk was deleted.
    Unsaid { game: GameId, room: TalkRoom, n: u64 },
    /// The users whom a user mutes or blocks have changed.
    Muted(UserName),
    /// The settings of a user have changed.
    SettingsChanged(UserName),
    /// Tokens of a user are valid no longer.
    SessionsEnded { user: UserName, ended: EndedSessions },
    /// A bot has opened a session, at a time in epoch milliseconds. Older ones of the same token
    /// end.
    SessionOpened { user: UserName, token: TokenId, at: u64 },
    /// Whether a user is connected to this node has changed.
    Online { user: UserName, is_online: bool },
    /// Users who are connected to this node. The first of several announcements has none, and
    /// replaces what was announced before.
    OnlineUsers { users: Vec<UserName>, is_first: bool },
    /// What a bot that is connected to this node says in the directory. Without an entry the node
    /// lists it no longer.
    BotListed { user: UserName, entry: Option<Box<DirectoryEntry>> },
    /// The public keys of the node have changed.
    KeysChanged,
    /// The node asks who is connected to the others.
    OnlineWanted,
    /// Bans, who may sign up, or what is planned has changed.
    PolicyChanged,
    /// The sessions of a user end, whose name has changed.
    SentAway(UserName),
    /// A notice to all, or to the sessions of one user.
    Noticed { user: Option<UserName>, notice: Notice },
    /// A player's sessions at a game have changed.
    AtGame {
        game: GameId,
        user: UserName,
        /// Whether the player has a session at the game on this node.
        here: bool,
        /// The time of the change, in epoch milliseconds.
        at: u64,
    },
    /// The number of spectators of a game on this node has changed.
    Watching { game: GameId, spectators: u32 },
}

impl ClusterEvent {
    /// Returns the event as text.
    pub(crate) fn to_text(&self) -> String {
        serde_json::to_string(self).expect("every event has a text form")
    }

    /// Reads an event; `None` if its kind is unknown.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_keep_their_text_form() {
        let game: GameId = "k7q2mx".parse().unwrap();
        let watching = ClusterEvent::Watching { game: game.clone(), spectators: 2 };
        assert_eq!(watching.to_text(), r#"{"watching":{"game":"k7q2mx","spectators":2}}"#);
        let players = vec!["ann".parse().unwrap(), "bob".parse().unwrap()];
        let (challenge, rematch_of) = (None, None);
        let began = ClusterEvent::Began(StartedGame { game, players, challenge, rematch_of });
        assert_eq!(began.to_text(), r#"{"began":{"game":"k7q2mx","players":["ann","bob"]}}"#);
        for event in [watching, began] {
            assert_eq!(ClusterEvent::from_text(&event.to_text()), Some(event));
        }
    }

    #[test]
    fn unknown_kinds_are_no_events_and_unknown_fields_are_ignored() {
        assert_eq!(ClusterEvent::from_text(r#"{"painted":{"colour":"red"}}"#), None);
        let newer = r#"{"watching":{"game":"k7q2mx","spectators":2,"names":["eve"]}}"#;
        let game = "k7q2mx".parse().unwrap();
        assert_eq!(
            ClusterEvent::from_text(newer),
            Some(ClusterEvent::Watching { game, spectators: 2 })
        );
    }
}
