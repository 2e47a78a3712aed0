//! Counts of finished games.

use adamant_protocol::{GameId, from_client::Opponents, to_client::GameEntry};
use bytes::Bytes;
use futures::future::BoxFuture;

use super::StoreError;

/// What games are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Aspect {
    /// All games with a result.
    Result,
    /// Why they ended; aborted games, too.
    Reason,
    /// The number of moves.
    Length,
    /// The first move.
    FirstMove,
    /// The first two moves.
    TwoMoves,
    /// The first three moves.
    ThreeMoves,
}

impl Aspect {
    /// Every aspect.
    pub(crate) const ALL: [Self; 6] = [
        Self::Result,
        Self::Reason,
        Self::Length,
        Self::FirstMove,
        Self::TwoMoves,
        Self::ThreeMoves,
    ];

    /// The openings by their number of moves. The store keeps only the most played ones.
    pub(crate) const OPENINGS: [Self; 3] = [Self::FirstMove, Self::TwoMoves, Self::ThreeMoves];

    /// Returns the stored name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::Reason => "reason",
            Self::Length => "length",
            Self::FirstMove => "opening_1",
            Self::TwoMoves => "opening_2",
            Self::ThreeMoves => "opening_3",
        }
    }
}

/// Which games are counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TallyGroup {
    /// The kind of game, with any version of the rules.
    pub rules: Box<str>,
    /// The number of players.
    pub players: u8,
    /// Who plays; `None` for all games.
    pub opponents: Option<Opponents>,
}

impl TallyGroup {
    /// Returns the stored name of those who play.
    pub(crate) const fn who(&self) -> &'static str {
        match self.opponents {
            None => "all",
            Some(Opponents::People) => "people",
            Some(Opponents::Bots) => "bots",
            Some(Opponents::Mixed) => "mixed",
        }
    }
}

/// What a tally counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TallyKey {
    pub group: TallyGroup,
    pub aspect: Aspect,
    /// The reason, the number of moves, or the moves with blanks between them.
    pub value: Box<str>,
}

/// Numbers of games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    pub games: u64,
    /// Those that one seat won, by seat.
    pub wins: [u64; 3],
    /// Those that several seats won.
    pub draws: u64,
}

impl Tally {
    /// Adds other games.
    pub(crate) fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.draws += other.draws;
        for (wins, added) in self.wins.iter_mut().zip(other.wins) {
            *wins += added;
        }
    }
}

/// A tally of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TallyRow {
    pub aspect: Aspect,
    pub value: Box<str>,
    pub tally: Tally,
}

/// A finished game that no tally has yet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UncountedGame {
    pub game: GameId,
    /// `None` if it is unreadable.
    pub entry: Option<Box<GameEntry>>,
    /// The first records.
    pub records: Vec<Bytes>,
}

/// A game with the tallies that it adds to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CountedGame {
    pub game: GameId,
    pub keys: Vec<TallyKey>,
    /// What it adds to each.
    pub tally: Tally,
}

/// Counts finished games.
pub(crate) trait Statistics: std::fmt::Debug + Send + Sync + 'static {
    /// Reads some finished games that no tally has yet, and returns what `count` makes of each. It
    /// runs where the store reads: the embedded store has one game's records in memory at a time.
    fn uncounted(
        &self,
        max: u32,
        count: fn(UncountedGame) -> CountedGame,
    ) -> BoxFuture<'_, Result<Vec<CountedGame>, StoreError>>;

    /// Counts those of the games that have not been counted, and drops rare openings if there are
    /// too many.
    fn count(&self, games: Vec<CountedGame>) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Returns the tallies of a group. Of each aspect the `max` with the most games come first, and
    /// the others are left out.
    fn tallies(
        &self,
        group: TallyGroup,
        max: fn(Aspect) -> u32,
    ) -> BoxFuture<'_, Result<Vec<TallyRow>, StoreError>>;
}
