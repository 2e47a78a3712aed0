//! What nodes announce to each other.

use adamant_protocol::{
    ChallengeId, GameId, UserName,
    ids::TokenId,
    to_client::{ChallengeClosed, DirectoryEntry, InviteEntry, Notice},
    values::TalkRoom,
};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

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
    Began(StartedGame),
    /// An offer was opened, or a user has joined or left it, or it is a seek that was closed.
    OfferChanged(OfferId),
    /// A challenge was closed without a game of its own. These users take part.
    ChallengeClosed {
        closed: ChallengeClosed,
        users: Vec<UserName>,
    },
    /// An invite was closed or has become a game. These users take part.
    InviteClosed {
        entry: Box<InviteEntry>,
        users: Vec<UserName>,
    },
    /// A line of talk was stored.
    Said {
        game: GameId,
        room: TalkRoom,
        n: u64,
    },
    /// A line of talk was deleted.
    Unsaid {
        game: GameId,
        room: TalkRoom,
        n: u64,
    },
    /// The users whom a user mutes or blocks have changed.
    Muted(UserName),
    /// The settings of a user have changed.
    SettingsChanged(UserName),
    /// Tokens of a user are valid no longer.
    SessionsEnded {
        user: UserName,
        ended: EndedSessions,
    },
    /// A bot has opened a session, at a time in epoch milliseconds. Older ones of the same token
    /// end.
    SessionOpened {
        user: UserName,
        token: TokenId,
        at: u64,
    },
    /// Whether a user is connected to this node has changed.
    Online {
        user: UserName,
        is_online: bool,
    },
    /// Users who are connected to this node. The first of several announcements has none, and
    /// replaces what was announced before.
    OnlineUsers {
        users: Vec<UserName>,
        is_first: bool,
    },
    /// What a bot that is connected to this node says in the directory. Without an entry the node
    /// lists it no longer.
    BotListed {
        user: UserName,
        entry: Option<Box<DirectoryEntry>>,
    },
    /// The public keys of the node have changed.
    KeysChanged,
    /// The node asks who is connected to the others.
    OnlineWanted,
    /// Bans, who may sign up, or what is planned has changed.
    PolicyChanged,
    /// The result of a game is annulled.
    Annulled(GameId),
    /// The sessions of a user end, whose name has changed.
    SentAway(UserName),
    /// A notice to all, or to the sessions of one user.
    Noticed {
        user: Option<UserName>,
        notice: Notice,
    },
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
    Watching {
        game: GameId,
        spectators: u32,
    },
}

impl ClusterEvent {
    pub(crate) fn to_text(&self) -> String {
        serde_json::to_string(self).expect("every event has a text form")
    }

    /// Reads an event; `None` if its kind is unknown.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// The sessions of a user whose tokens are valid no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndedSessions {
    /// Those that these tokens have opened.
    Of(Vec<TokenId>),
    /// Those that any other token has opened. Those of programs end only if this is stated.
    AllBut {
        keep: TokenId,
        programs: bool,
    },
    All,
}

impl EndedSessions {
    /// Returns whether a session ends that this token has opened.
    pub(crate) fn includes(&self, is_program: bool, token: &TokenId) -> bool {
        match self {
            Self::Of(tokens) => tokens.contains(token),
            Self::AllBut { keep, programs } => token != keep && (*programs || !is_program),
            Self::All => true,
        }
    }
}

/// Records of a game that a standby has, so that they may be shown to clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AppendedRecords {
    pub(crate) game: GameId,
    pub(crate) until: u64,
    /// The last records, in order; none if they were too long to be announced. A room reads from
    /// the store what is not here.
    pub(crate) records: Vec<Bytes>,
}

impl AppendedRecords {
    /// Names records without their text.
    pub(crate) const fn up_to(game: GameId, until: u64) -> Self {
        Self { game, until, records: Vec::new() }
    }

    /// The seq of the first record whose text is here.
    pub(crate) fn first(&self) -> u64 {
        self.until.saturating_add(1).saturating_sub(self.records.len() as u64)
    }

    /// Number of bytes of the records that are here.
    pub(crate) fn bytes(&self) -> usize {
        self.records.iter().map(Bytes::len).sum()
    }

    /// Adds what was appended to the same game after it. What was appended before it adds nothing.
    pub(crate) fn add(&mut self, later: Self) {
        if later.until <= self.until {
            return;
        }
        let continues = later.first() == self.until.saturating_add(1);
        if !continues {
            self.records.clear();
        }
        self.until = later.until;
        self.records.extend(later.records);
    }

    /// Returns the records after a seq, up to the last one; none if one between is not here.
    pub(crate) fn after(&self, seq: u64) -> &[Bytes] {
        let known =
            (seq + 1).checked_sub(self.first()).and_then(|known| usize::try_from(known).ok());
        known.and_then(|known| self.records.get(known..)).unwrap_or_default()
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

    #[test]
    fn a_kept_token_and_perhaps_programs_stay() {
        let [kept, other]: [TokenId; 2] = ["t_1", "t_2"].map(|token| token.parse().unwrap());
        let people = EndedSessions::AllBut { keep: kept.clone(), programs: false };
        assert!(people.includes(false, &other) && !people.includes(true, &other));
        let all = EndedSessions::AllBut { keep: kept.clone(), programs: true };
        assert!(all.includes(true, &other) && !all.includes(false, &kept));
        let one = EndedSessions::Of(vec![other.clone()]);
        assert!(one.includes(true, &other) && !one.includes(false, &kept));
        assert!(EndedSessions::All.includes(false, &kept));
    }

    fn appended(until: u64, records: &[&'static str]) -> AppendedRecords {
        let records = records.iter().map(|record| Bytes::from_static(record.as_bytes())).collect();
        AppendedRecords { game: "k7q2mx".parse().unwrap(), until, records }
    }

    #[test]
    fn records_are_added_if_they_continue() {
        for (later, sum) in [
            (appended(6, &["6"]), appended(6, &["4", "5", "6"])),
            (appended(7, &["7"]), appended(7, &["7"])),
            (appended(6, &["5", "6"]), appended(6, &["5", "6"])),
            (appended(6, &[]), appended(6, &[])),
            (appended(5, &["x"]), appended(5, &["4", "5"])),
            (appended(3, &["3"]), appended(5, &["4", "5"])),
        ] {
            let mut known = appended(5, &["4", "5"]);
            known.add(later);
            assert_eq!(known, sum);
        }
        let mut unknown = appended(5, &[]);
        unknown.add(appended(6, &["6"]));
        assert_eq!(unknown, appended(6, &["6"]));
    }

    #[test]
    fn records_after_a_seq_have_no_hole_before_them() {
        let appended = appended(5, &["4", "5"]);
        assert_eq!(appended.after(2), [] as [Bytes; 0], "the third is missing");
        assert_eq!(appended.after(3), ["4", "5"]);
        assert_eq!(appended.after(4), ["5"]);
        for seq in [5, 6, u64::MAX - 1] {
            assert_eq!(appended.after(seq), [] as [Bytes; 0]);
        }
    }
}
