//! What the checks of a store find, and their progress.

use adamant_protocol::GameId;
use adamant_record::{RecordError, Replay};

use super::ratings_replay::RatingsReport;
use crate::limits::CHECK_FINDINGS_MAX;

/// A step of a check, a backup or a transfer, for progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckStep {
    /// Copying the database.
    Copy,
    /// Copying rows to another database.
    Rows,
    /// Copying games to another database.
    Transfer,
    /// Checking the pages.
    Pages,
    /// Replaying the games.
    Games,
    /// Recomputing the ratings.
    Ratings,
}

/// Receives the step, the number done and the total; 0 and 0 if they are unknown.
pub(crate) type Progress<'a> = dyn FnMut(CheckStep, u64, u64) + 'a;

/// What to do with differences between stored and computed ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RatingsMode {
    /// Report them. A server may be running.
    Check,
    /// Store the computed ratings. No server may be running.
    Rebuild,
}

/// The result of a check.
#[derive(Debug, Default)]
pub(crate) struct IntegrityReport {
    /// Number of games whose records were read.
    pub games: u64,
    /// Number of records that continue the chain of their game.
    pub records: u64,
    /// The first findings, as sentences.
    pub findings: Vec<String>,
    /// Number of all findings.
    pub found: u64,
}

impl IntegrityReport {
    /// Adds a finding.
    pub(crate) fn add(&mut self, finding: String) {
        self.found += 1;
        if self.findings.len() < CHECK_FINDINGS_MAX {
            self.findings.push(finding);
        }
    }

    /// Adds the differences of the ratings.
    pub(crate) fn add_ratings(&mut self, ratings: RatingsReport) {
        let unnamed = ratings.found - ratings.differences.len() as u64;
        ratings.differences.into_iter().for_each(|difference| self.add(difference));
        self.found += unnamed;
    }
}

/// What is wrong with the records of a game.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GameFault {
    #[error("this is not a game id")]
    Name,
    #[error("there are {found} records instead of {wanted}")]
    Count { found: u64, wanted: u64 },
    #[error("its records belong to game {0}")]
    OtherGame(GameId),
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl GameFault {
    /// Compares the game that its records name with the one under which they are stored.
    pub(crate) fn check_name(replay: &Replay, game: &GameId) -> Result<(), Self> {
        match replay.game() {
            Some(named) if named == game => Ok(()),
            Some(named) => Err(Self::OtherGame(named.clone())),
            None => Err(Self::Count { found: 0, wanted: 1 }),
        }
    }
}
