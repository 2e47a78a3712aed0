//! What every store promises, as one suite of tests over all of them.

mod accounts;
mod annulments;
mod games;
mod journal;
mod offers;
mod operators;
mod reports;
mod talk;

use std::{sync::Arc, time::Duration};

use adamant_protocol::{
    ChallengeId, GameId, UserName,
    from_client::{GameState, Opponents, SeatWish},
    ids::Chain,
    to_client::GameEntry,
    values::{Challengers, TalkRoom, UserSettings},
};
use adamant_record::{LineDigest, chain_after};
use adamant_rules::{Kind, Seat};
use bytes::Bytes;
use futures::future::{join, join_all};
use serde_json::json;
use tempfile::TempDir;

use super::{fixture::entry, memory::Memory, postgres::TestDatabase, store::Database, *};
use crate::{
    cluster::NodeId,
    config::StoreConfig,
    limits::{
        BOTS_PER_OWNER_MAX, CHALLENGES_PER_NETWORK_MAX, CHALLENGES_PER_PAIR_MAX,
        CHALLENGES_PER_USER_MAX, GUESTS_CHALLENGES_WAITING_MAX, INVITES_PER_NETWORK_MAX,
        INVITES_PER_USER_MAX, NOTIFICATION_FAILURES_MAX, OPENINGS_KEPT,
        PUSH_SUBSCRIPTIONS_PER_USER_MAX, RELATIONS_PER_USER_MAX, SEEKS_PER_NETWORK_MAX,
        SEEKS_PER_USER_MAX, TALK_LINES_MAX, TOKENS_PER_USER_MAX,
    },
    outbound::{SessionId, frame::Frame},
    ratings::{Pool, RatedResult},
};

pub(super) use journal::{append, archived, begin};

pub(super) struct TestedStore {
    pub(super) store: Store,
    place: Place,
}

enum Place {
    Directory(TempDir),
    Database(Box<TestDatabase>),
}

#[derive(Debug)]
struct Unserved;

impl Backend for Unserved {
    fn durability(&self) -> &'static str {
        "replicated"
    }

    fn heartbeat_every(&self) -> Duration {
        Duration::MAX
    }
}

impl From<Postgres> for Store {
    fn from(postgres: Postgres) -> Self {
        Self {
            journal: Arc::new(postgres.clone()),
            database: Database::Postgres(postgres),
            backend: Arc::new(Unserved),
            presence: None,
            keys: None,
        }
    }
}

fn open(directory: &TempDir) -> Store {
    let config = StoreConfig { wal_mib: 1, ..StoreConfig::at(directory.path()) };
    Sqlite::open(&config, Arc::default()).unwrap().0.into()
}

impl TestedStore {
    pub(super) async fn all() -> [Self; 2] {
        [Self::embedded(), Self::shared().await]
    }

    fn embedded() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { store: open(&directory), place: Place::Directory(directory) }
    }

    async fn shared() -> Self {
        let database = TestDatabase::open().await;
        Self { store: database.store.clone().into(), place: Place::Database(database.into()) }
    }

    pub(super) async fn reopen(self) -> Self {
        let Self { store, place } = self;
        store.backend.close(1).await;
        drop(store);
        let store = match &place {
            Place::Directory(directory) => open(directory),
            Place::Database(database) => database.another_node().await.into(),
        };
        Self { store, place }
    }

    pub(super) async fn begin(&self, game: &str, users: [&str; 2]) {
        let mut new = begin(game);
        for (seat, user) in new.entry.seats.iter_mut().zip(users) {
            seat.user = name(user);
        }
        self.store.journal.begin(new).await.unwrap();
    }
}

/// Accepts every token that has not expired at 0.
pub(super) const ALWAYS: Validity = Validity { now_ms: 0, used_since: 0 };

pub(super) fn name(text: &str) -> UserName {
    text.parse().unwrap()
}

pub(super) fn new_user(text: &str, kind: NewUserKind) -> NewUser {
    NewUser { name: name(text), kind, created_at: 1 }
}

pub(super) fn log_in(digest: u8) -> NewToken {
    NewToken {
        digest: [digest; 32],
        label: "log-in".into(),
        bot: false,
        created_at: 1,
        expires_at: None,
        used_at: None,
        password_hash: None,
    }
}

pub(super) fn program(digest: u8) -> NewToken {
    NewToken { label: "program".into(), bot: true, ..log_in(digest) }
}

pub(super) fn created(outcome: CreateUserOutcome) -> User {
    let CreateUserOutcome::Created(user) = outcome else { panic!("{outcome:?}") };
    user
}

/// Creates an account whose password's hash is its name.
pub(super) async fn account(store: &Store, name: &str) -> User {
    let kind = NewUserKind::Account(name.to_owned());
    created(store.create_user(new_user(name, kind), None).await.unwrap())
}

pub(super) async fn guest(store: &Store, name: &str) -> User {
    created(store.create_user(new_user(name, NewUserKind::Guest), None).await.unwrap())
}

pub(super) async fn has_token(store: &Store, digest: u8) -> bool {
    store.has_token([digest; 32], ALWAYS).await.unwrap()
}

fn node() -> NodeId {
    "one".parse().unwrap()
}

fn session(number: u64) -> NodeSession {
    NodeSession { node: Some(node()), session: SessionId(number) }
}

fn seeker(user: &str, number: Option<u64>) -> Seeker {
    let (user, seat) = (name(user), SeatWish::Random);
    let session = number.map(session);
    Seeker { user, bot: false, guest: false, rating: 1500, seat, session }
}

/// A challenge whose maker has the first seat and has accepted.
fn challenge(id: &str, seats: &[&str]) -> OpenGame {
    let by = seats[0];
    let challenged = serde_json::from_value(json!({
        "challenge": id, "by": by, "rules": "adamas@1", "options": {}, "seats": seats,
        "shuffle": false, "clock": {"mode": "none"}, "rated": false, "accepted": [by],
        "created": 5, "expires": 50,
    }));
    OpenGame::new(Offer::Challenge(challenged.unwrap()), seeker(by, None), None)
}
