//! Filters, keys and rows of lists.

use adamant_protocol::{GameId, UserName, ids::StandingsCursor, to_client::GameEntry};
use adamant_rules::Kind;

use crate::ratings::{Pool, Rating};

/// Selects the games of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GameFilter {
    /// Only games of this user.
    pub user: Option<UserName>,
    /// Only games of this kind, with any version of the rules.
    pub rules: Option<Box<str>>,
    /// Only games with this number of players.
    pub players: Option<u8>,
    /// Unlisted games, too: the user asks for the own ones.
    pub unlisted: bool,
}

impl GameFilter {
    /// Returns whether the list has a game.
    pub(crate) fn matches(&self, entry: &GameEntry) -> bool {
        let of_user = self
            .user
            .as_ref()
            .is_none_or(|user| entry.seats.iter().any(|seat| seat.user.is_same(user.as_str())));
        of_user
            && (self.unlisted || !entry.unlisted)
            && self.matches_kind(&entry.rules.name, entry.seats.len())
    }

    /// Returns the kinds of the list with their numbers of players; `None` for all.
    pub(crate) fn kinds(&self) -> Option<Vec<(&'static str, usize)>> {
        if self.rules.is_none() && self.players.is_none() {
            return None;
        }
        let kinds =
            Kind::ALL.iter().flat_map(|kind| kind.players().map(|size| (kind.name(), size)));
        Some(kinds.filter(|(rules, players)| self.matches_kind(rules, *players)).collect())
    }

    /// Returns whether the list has games of this kind and size, for any user.
    pub(crate) fn matches_kind(&self, rules: &str, seats: usize) -> bool {
        let of_rules = self.rules.as_ref().is_none_or(|wanted| **wanted == *rules);
        let of_size = self.players.is_none_or(|players| usize::from(players) == seats);
        of_rules && of_size
    }
}

/// The position of a game in a list, newest first. It never changes, so that pages neither overlap
/// nor leave out a game when others start or end.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ListKey {
    /// The start or the end of the game, in epoch milliseconds.
    pub at: u64,
    /// The game's id.
    pub game: GameId,
}

impl ListKey {
    /// Returns the key in a list by start.
    pub(crate) fn by_start(entry: &GameEntry) -> Self {
        Self { at: entry.started_at, game: entry.game.clone() }
    }
}

/// A user's numbers of rated games by result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Score {
    /// Rated games.
    pub games: u32,
    /// Games in which the user alone was first.
    pub wins: u32,
    /// Games in which the user shared the first place.
    pub draws: u32,
    /// Games in which another user was before the user.
    pub losses: u32,
}

impl Score {
    /// The score before the first game.
    pub(crate) const NONE: Self = Self { games: 0, wins: 0, draws: 0, losses: 0 };

    /// Adds a game in which the user reached `place` among `places`.
    pub(crate) fn with(self, place: u8, places: &[u8]) -> Self {
        let first = place == 1;
        let shared = places.iter().filter(|&&other| other == 1).nth(1).is_some();
        Self {
            games: self.games + 1,
            wins: self.wins + u32::from(first && !shared),
            draws: self.draws + u32::from(first && shared),
            losses: self.losses + u32::from(!first),
        }
    }
}

/// Selects the users of a list of standings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StandingsFilter {
    /// The pool of the ratings.
    pub pool: Pool,
    /// Only bots, or only people.
    pub bot: Option<bool>,
}

/// A row of the standings of a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StandingRow {
    /// The place from 1 among the users of the list. Equal ratings share a place.
    pub place: u32,
    /// The name in the user's spelling.
    pub user: UserName,
    /// Whether the user is a program.
    pub bot: bool,
    pub rating: Rating,
    pub score: Score,
    /// The position in the list, from which the next page continues.
    pub key: StandingsKey,
}

/// Numbers the rows of a page. The first one has this place, and `before` users are before it.
pub(super) fn number_places(rows: &mut [StandingRow], mut place: u32, mut before: u32) {
    let mut rank = rows.first().map(|row| row.key.rank);
    for row in rows {
        if Some(row.key.rank) != rank {
            place = before + 1;
            rank = Some(row.key.rank);
        }
        row.place = place;
        before += 1;
    }
}

/// The position of a user in a pool's standings. A user whose rating does not change is on exactly
/// one of consecutive pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StandingsKey {
    /// The rank key: the strongest first.
    pub rank: i64,
    /// The folded name, which orders users with equal ratings.
    pub user: UserName,
}

impl StandingsKey {
    /// Encodes the key as a cursor for clients.
    pub(crate) fn cursor(&self) -> StandingsCursor {
        let text = format!("{}.{}", self.rank, self.user);
        text.parse().expect("digits, a full stop and a name make a cursor")
    }

    /// Decodes a cursor of [`StandingsKey::cursor`].
    pub(crate) fn read(cursor: &StandingsCursor) -> Option<Self> {
        let (rank, user) = cursor.as_str().split_once('.')?;
        Some(Self { rank: rank.parse().ok()?, user: user.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_counts_wins_draws_and_losses() {
        let score = [(1, [1, 2, 3]), (1, [1, 1, 3]), (2, [1, 2, 3]), (3, [1, 1, 3])]
            .into_iter()
            .fold(Score::NONE, |score, (place, places)| score.with(place, &places));
        assert_eq!(score, Score { games: 4, wins: 1, draws: 1, losses: 2 });
    }

    #[test]
    fn cursors_are_decoded_and_malformed_ones_are_rejected() {
        let key = StandingsKey { rank: 4_293_467_296, user: "ann_b-2".parse().unwrap() };
        assert_eq!(StandingsKey::read(&key.cursor()), Some(key));
        for bad in ["ann", "7", "x.ann", "7.-", "7."] {
            assert_eq!(StandingsKey::read(&bad.parse().unwrap()), None, "{bad}");
        }
    }
}

/// What is known of a live game without its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LiveState {
    /// Whether the game has ended. It is live until it is archived.
    pub ended: bool,
    /// The delay for spectators, in moves.
    pub delay: u8,
}

/// A page of a list, and whether there are more games.
pub(crate) type GamesPage = (Vec<GameEntry>, bool);

/// Games whose time to look at them has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DueGames {
    /// Those whose room is to be opened: they are over and not archived, or a clock has run out.
    pub due: Vec<GameId>,
    /// The number of games that were looked at.
    pub looked_at: usize,
}
