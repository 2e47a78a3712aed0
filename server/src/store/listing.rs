//! What lists are made of: which games, from where on, and how strong somebody is.

use adamant_protocol::{GameId, UserName, ids::StandingsCursor, to_client::GameEntry};

use crate::ratings::Rating;

/// Which games a list is of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GameFilter {
    /// Only those of this user.
    pub user: Option<UserName>,
    /// Only those of this game, whatever the version of its rules.
    pub rules: Option<Box<str>>,
    /// Only those at tables of so many.
    pub players: Option<u8>,
}

impl GameFilter {
    /// Whether a game is one of them.
    pub(crate) fn matches(&self, entry: &GameEntry) -> bool {
        let of_user = self
            .user
            .as_ref()
            .is_none_or(|user| entry.seats.iter().any(|seat| seat.user.is_same(user.as_str())));
        of_user && self.matches_kind(&entry.rules.name, entry.seats.len())
    }

    /// Whether games of this name at tables of so many are among them, whoever plays.
    pub(crate) fn matches_kind(&self, rules: &str, seats: usize) -> bool {
        let of_rules = self.rules.as_ref().is_none_or(|wanted| **wanted == *rules);
        let of_size = self.players.is_none_or(|players| usize::from(players) == seats);
        of_rules && of_size
    }
}

/// Where a game stands in a list, the newest first: when it began (or ended), and its name. It
/// never changes, so pages fit together whatever begins or ends meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ListKey {
    /// In epoch milliseconds.
    pub at: u64,
    /// Which.
    pub game: GameId,
}

impl ListKey {
    /// In a list by beginning.
    pub(crate) fn by_start(entry: &GameEntry) -> Self {
        Self { at: entry.started_at, game: entry.game.clone() }
    }
}

/// How often somebody was first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Score {
    /// Games that counted.
    pub games: u32,
    /// In how many the user alone was first.
    pub wins: u32,
    /// In how many the user shared the first place.
    pub draws: u32,
    /// In how many another was before the user.
    pub losses: u32,
}

impl Score {
    /// Nothing played yet.
    pub(crate) const NONE: Self = Self { games: 0, wins: 0, draws: 0, losses: 0 };

    /// With one more game, in which this place was reached among those.
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

/// A player among the others of a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StandingRow {
    /// From 1; equals share it.
    pub place: u32,
    /// Who, as the user spells it.
    pub user: UserName,
    /// Whether that is a program.
    pub bot: bool,
    /// The rating.
    pub rating: Rating,
    /// How it came about.
    pub score: Score,
    /// Where the list goes on after this one.
    pub key: StandingsKey,
}

/// Where somebody stands in a pool's list. Who neither wins nor loses meanwhile is on exactly one
/// of the pages that fit together by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StandingsKey {
    /// Sorts by strength.
    pub rank: i64,
    /// Sorts equals; the name as names are compared.
    pub user: UserName,
}

impl StandingsKey {
    /// As a client keeps it.
    pub(crate) fn cursor(&self) -> StandingsCursor {
        let text = format!("{}.{}", self.rank, self.user);
        text.parse().expect("digits, a full stop and a name make a cursor")
    }

    /// Reads what [`StandingsKey::cursor`] has written.
    pub(crate) fn read(cursor: &StandingsCursor) -> Option<Self> {
        let (rank, user) = cursor.as_str().split_once('.')?;
        Some(Self { rank: rank.parse().ok()?, user: user.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_won_drawn_and_lost() {
        let score = [(1, [1, 2, 3]), (1, [1, 1, 3]), (2, [1, 2, 3]), (3, [1, 1, 3])]
            .into_iter()
            .fold(Score::NONE, |score, (place, places)| score.with(place, &places));
        assert_eq!(score, Score { games: 4, wins: 1, draws: 1, losses: 2 });
    }

    #[test]
    fn cursors_read_back_and_others_are_not_taken() {
        let key = StandingsKey { rank: 4_293_467_296, user: "ann_b-2".parse().unwrap() };
        assert_eq!(StandingsKey::read(&key.cursor()), Some(key));
        for bad in ["ann", "7", "x.ann", "7.-", "7."] {
            assert_eq!(StandingsKey::read(&bad.parse().unwrap()), None, "{bad}");
        }
    }
}
