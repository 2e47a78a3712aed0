//! Games that are over at once, and data directories of their own.

use std::{path::Path, sync::Arc};

use adamant_protocol::{
    EventBody, EventFrame, GameId, UserName,
    event::{Created, EndReason, Ended, Rated},
    from_client::GameState,
    ids::{Chain, PositionHash, RulesName},
    to_client::GameEntry,
    values::{Named, RatingChange, SeatUser, TimeControl},
};
use bytes::Bytes;
use tempfile::TempDir;

use crate::{
    config::StoreConfig,
    ratings::{Pool, RatedResult},
    store::{
        Append, ArchivedGame, ArchivedState, Journal as _, Summary,
        sqlite::{RatingsMode, check_ratings, database::Sqlite, ratings_check::RatingsReport},
    },
};

/// A game that ends as soon as it starts.
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
            game: self.game.clone(),
            rules: RulesName::pinned("adamas", 1),
            options: Named::default(),
            seats: self.seats(),
            clock: TimeControl::None,
            rated: true,
            delay: 0,
            state: GameState::Live,
            ply: 0,
            to_move: None,
            started_at: 1,
            last_at: 2,
            result: None,
            ratings,
        })
    }

    pub(super) fn append(&self, after: u64, bodies: &[EventBody]) -> Append {
        let first = after == 0;
        let players = u8::try_from(self.users.len()).unwrap();
        let pool = Pool { rules: "adamas".into(), players };
        let (users, places) = (self.users.clone(), self.places.clone());
        let records = (after + 1..).zip(bodies).map(|(seq, body)| self.record(seq, body));
        Append {
            game: self.game.clone(),
            expected_seq: after,
            records: records.collect(),
            summary: Summary { ply: 0, to_move: None, last_at: 2 },
            reseated: None,
            created: first.then(|| self.entry(None)),
            closes: None,
            rematch_of: None,
            result: first.then_some(RatedResult { pool, users, places }),
        }
    }

    /// Stores the start and the end; returns the rating change.
    pub(super) async fn end(&self, store: &Sqlite) -> RatingChange {
        let created = EventBody::Created(Created {
            rules: RulesName::pinned("adamas", 1),
            options: Named::default(),
            seats: self.seats(),
            clock: TimeControl::None,
            rated: true,
            delay: 0,
        });
        let ended: EventBody = EventBody::Ended(Ended {
            winners: vec![0],
            places: self.places.clone(),
            reason: EndReason::LastPlayer,
            by: None,
            claimed_by: None,
        });
        let change = store.append(self.append(0, &[created, ended])).await.unwrap();
        change.expect("it counts")
    }

    /// Stores the `rated` event and archives the game.
    pub(super) async fn settle(&self, store: &Sqlite, change: RatingChange) {
        let (before, after) = (change.before.clone(), change.after.clone());
        let rated = EventBody::Rated(Rated { before, after });
        assert_eq!(store.append(self.append(2, &[rated])).await.unwrap(), None);
        let (game, entry) = (self.game.clone(), self.entry(Some(change)));
        let state = ArchivedState::Finished;
        store.archive(ArchivedGame { game, state, entry, deadline: None }).await.unwrap();
    }
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

    pub(super) fn store(&self) -> Sqlite {
        Sqlite::open(&small(self.0.path()), Arc::default()).unwrap().0
    }

    pub(super) fn check_ratings(&self, mode: RatingsMode) -> RatingsReport {
        check_ratings(self.0.path(), mode, |_, _| {}).unwrap()
    }

    /// Changes the database without the store.
    pub(super) fn tamper(&self, sql: &str) {
        let connection = rusqlite::Connection::open(self.0.path().join("adamant.db")).unwrap();
        assert!(connection.execute(sql, []).unwrap() > 0, "{sql}");
    }
}

pub(super) const NAMES: [&str; 5] = ["ann", "Bob", "cy", "dee", "eve"];

/// Returns the number of rows in the journal.
pub(super) async fn journal_rows(store: &Sqlite) -> usize {
    let count = "SELECT COUNT(*) FROM journal";
    let rows: u32 = store
        .read_with(move |connection| connection.query_row(count, [], |row| row.get(0)))
        .await
        .unwrap();
    rows.try_into().unwrap()
}
