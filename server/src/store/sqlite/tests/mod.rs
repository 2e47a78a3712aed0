//! Tests of the store over files, with games that are over at once.

mod ratings;
mod writes;

use std::{
    path::Path,
    sync::{Arc, mpsc},
};

use adamant_protocol::{
    EventBody, EventFrame, GameId, UserName,
    event::{Created, EndReason, Ended, Rated},
    ids::{Chain, PositionHash, RulesName},
    to_client::GameEntry,
    values::{Named, RatingChange, SeatUser, TimeControl},
};
use bytes::Bytes;
use futures::future::{join, join_all, join3};
use proptest::prelude::*;
use rusqlite::{Connection, StatementStatus, ffi};
use tempfile::TempDir;

use super::{check_ratings, database::Sqlite};
use crate::{
    config::StoreConfig,
    limits::{STALE_ROWS_KEPT, STORE_READERS_MAX},
    outbound::frame::Frame,
    ratings::{Pool, RatedResult, Rating},
    runtime::metrics::Metrics,
    store::{
        Act, Append, AppendError, AppendOutcome, ArchiveError, ArchivedGame, ArchivedState,
        Backend as _, Begin, CountedGame, Journal as _, RatingsMode, Store, StoreError, Summary,
        Tally, UncountedGame,
        check::RatingsReport,
        fixture::entry,
        game_lists::{self, Order},
        tokens,
    },
};

#[derive(Debug, Clone)]
pub(super) struct Played {
    pub(super) game: GameId,
    pub(super) users: Vec<UserName>,
    places: Vec<u8>,
}

impl Played {
    pub(super) fn new(game: &str, users: &[&str], places: &[u8]) -> Self {
        Self {
            game: game.parse().unwrap(),
            users: users.iter().map(|user| user.parse().unwrap()).collect(),
            places: places.to_vec(),
        }
    }

    fn seats(&self) -> Vec<SeatUser> {
        let seat = |user: &UserName| SeatUser {
            user: user.clone(),
            letter: "O".into(),
            bot: false,
            guest: false,
            rating: None,
        };
        self.users.iter().map(seat).collect()
    }

    fn record(&self, seq: u64, body: &EventBody) -> Bytes {
        let hash = PositionHash(0);
        let unsealed = EventFrame::unsealed_bytes(&self.game, seq, seq, body, None, hash);
        EventFrame::seal(unsealed, Chain::default()).into()
    }

    pub(super) fn entry(&self, ratings: Option<RatingChange>) -> Box<GameEntry> {
        Box::new(GameEntry {
            seats: self.seats(),
            rated: true,
            to_move: None,
            ratings,
            ..entry(self.game.as_str(), "adamas", 2)
        })
    }

    pub(super) fn begin(&self) -> Begin {
        let created = EventBody::Created(Created {
            rules: RulesName::pinned("adamas", 1),
            options: Named::default(),
            seats: self.seats(),
            clock: TimeControl::None,
            rated: true,
            delay: 0,
            unlisted: false,
        });
        let records = vec![self.record(1, &created)];
        let (chain, deadline) = (Chain::default(), None);
        Begin { entry: self.entry(None), records, chain, deadline, offer: None, rematch_of: None }
    }

    pub(super) fn append(&self, after: u64, body: &EventBody) -> Append {
        let players = u8::try_from(self.users.len()).unwrap();
        let pool = Pool { rules: "adamas".into(), players };
        let (users, places) = (self.users.clone(), self.places.clone());
        Append {
            game: self.game.clone(),
            expected_seq: after,
            prev: Chain::default(),
            records: [Frame::text(&self.record(after + 1, body))].into_iter().collect(),
            chain: Chain::default(),
            summary: Summary { ply: 0, to_move: None, last_at: 2 },
            deadline: None,
            reseated: None,
            result: matches!(body, EventBody::Ended(_))
                .then(|| RatedResult::new(pool, users, places)),
        }
    }

    pub(super) fn finished(&self, seq: u64) -> ArchivedGame {
        let (game, entry) = (self.game.clone(), self.entry(None));
        ArchivedGame { game, seq, state: ArchivedState::Finished, entry, deadline: None }
    }

    pub(super) fn ended(&self) -> EventBody {
        EventBody::Ended(Ended {
            winners: vec![0],
            places: self.places.clone(),
            reason: EndReason::LastPlayer,
            by: None,
            claimed_by: None,
        })
    }

    pub(super) async fn end(&self, store: &Sqlite) -> RatingChange {
        store.begin(self.begin()).await.unwrap();
        append_one(store, self.append(1, &self.ended())).await.unwrap().expect("it counts")
    }

    pub(super) async fn settle(&self, store: &Sqlite, change: RatingChange) {
        let (before, after) = (change.before.clone(), change.after.clone());
        let rated = EventBody::Rated(Rated { before, after });
        assert_eq!(append_one(store, self.append(2, &rated)).await.unwrap(), None);
        let entry = self.entry(Some(change));
        store.archive(ArchivedGame { entry, ..self.finished(3) }).await.unwrap();
    }
}

pub(super) async fn append_one(store: &Sqlite, append: Append) -> AppendOutcome {
    store.append(vec![append]).await.pop().unwrap()
}

/// Returns a configuration with a small WAL, which is preallocated fast.
pub(super) fn small(directory: &Path) -> StoreConfig {
    StoreConfig { wal_mib: 1, ..StoreConfig::at(directory) }
}

pub(super) struct DataDirectory(pub(super) TempDir);

impl DataDirectory {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(super) fn with_store() -> (Self, Sqlite) {
        let directory = Self::new();
        let store = directory.store();
        (directory, store)
    }

    pub(super) fn store(&self) -> Sqlite {
        Sqlite::open(&small(self.0.path()), Arc::default()).unwrap().0
    }

    pub(super) fn check_ratings(&self, mode: RatingsMode) -> RatingsReport {
        check_ratings(self.0.path(), mode, |_, _| {}).unwrap()
    }

    pub(super) fn tamper(&self, sql: &str) {
        let connection = Connection::open(self.0.path().join("adamant.db")).unwrap();
        assert!(connection.execute(sql, []).unwrap() > 0, "{sql}");
    }
}

pub(super) const NAMES: [&str; 5] = ["ann", "Bob", "cy", "dee", "eve"];

pub(super) async fn arrivals(store: &Sqlite) -> usize {
    let count = "SELECT COUNT(*) FROM arrivals";
    let rows: u32 = store
        .read_with(move |connection| Ok(connection.query_row(count, [], |row| row.get(0))?))
        .await
        .unwrap();
    rows.try_into().unwrap()
}
