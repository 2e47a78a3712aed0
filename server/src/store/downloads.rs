//! Downloads as the store keeps them: which game stands on which line of which file, and where the
//! line begins. A file only grows. The records stay where they are.

use adamant_protocol::{GameId, ids::Chain, to_client::GameEntry};
use adamant_record::DownloadChain;
use futures::future::BoxFuture;

use super::StoreError;

/// How far the downloads have come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DownloadState {
    /// The number of publications. A publication names the one that it follows.
    pub version: u64,
    /// The first month that may still grow, such as `2026-11`; empty before the first publication.
    pub first_open: String,
}

/// A file up to one of its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DownloadHead {
    /// The name of the file.
    pub file: String,
    /// The numbers of games and bytes, and the chain.
    pub at: DownloadChain,
    /// The game of the last line.
    pub last_game: GameId,
}

/// What a line has beside the records of its game. It is stored, so that the line keeps its bytes
/// whatever later versions of the server know about games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineFrame {
    /// The game.
    pub game: GameId,
    /// The last seq in the line.
    pub seq: u64,
    /// What stands before the records.
    pub start: String,
    /// What stands behind them, without the line break.
    pub end: String,
}

/// A line of a file that a publication adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DownloadLine {
    /// The offset of the first byte.
    pub offset: u64,
    /// The number of bytes, with the line break.
    pub length: u64,
    /// The file from this line on.
    pub head: DownloadHead,
}

/// Games that become part of the downloads together, or not at all.
#[derive(Debug, Clone, Default)]
pub(crate) struct Publication {
    /// The state that it rests on.
    pub follows: DownloadState,
    /// The first month that may still grow afterwards.
    pub first_open: String,
    /// The games.
    pub frames: Vec<LineFrame>,
    /// Their lines, in the order of each file.
    pub lines: Vec<DownloadLine>,
    /// Games without a readable record, which no download has.
    pub left_out: Vec<GameId>,
}

/// A stored line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredLine {
    /// The offset of the first byte.
    pub offset: u64,
    /// The number of bytes, with the line break.
    pub length: u64,
    /// What the line has beside the records.
    pub frame: LineFrame,
}

/// Keeps downloads.
pub(crate) trait Downloads: std::fmt::Debug + Send + Sync + 'static {
    /// Returns how far the downloads have come.
    fn download_state(&self) -> BoxFuture<'_, Result<DownloadState, StoreError>>;

    /// Returns finished and listed games that ended before a time in epoch milliseconds and have
    /// not been published, in the order of their ends.
    fn unpublished_games(
        &self,
        before: u64,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<GameEntry>, StoreError>>;

    /// Adds games to the downloads. Returns whether it has; if not, another publication was first.
    fn publish(&self, publication: Publication) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Returns all files as they are, in the order of their names.
    fn download_files(&self) -> BoxFuture<'_, Result<Vec<DownloadHead>, StoreError>>;

    /// Returns a file as it is, or as it was after a number of games; `None` if it has never had
    /// that many.
    fn download_head(
        &self,
        file: String,
        games: Option<u64>,
    ) -> BoxFuture<'_, Result<Option<DownloadHead>, StoreError>>;

    /// Returns lines of a file from the one on that has the byte at an offset. The caller knows
    /// from a head that they may be shown.
    fn download_lines(
        &self,
        file: String,
        offset: u64,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<StoredLine>, StoreError>>;
}

/// The head of a file from its stored numbers.
pub(super) fn head(
    file: String,
    (games, bytes): (u64, u64),
    chain: Chain,
    last_game: GameId,
) -> DownloadHead {
    DownloadHead { file, at: DownloadChain { games, bytes, chain }, last_game }
}
