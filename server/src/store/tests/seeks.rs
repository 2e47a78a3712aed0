//! What every store promises of seeks.

use adamant_protocol::{SeekId, from_client::SeatWish};
use futures::future::join_all;

use super::{
    begin,
    people::name,
    tested_store::{Areas, TestedStore},
};
use crate::{
    cluster::NodeId,
    limits::{SEEKS_PER_NETWORK_MAX, SEEKS_PER_USER_MAX},
    outbound::SessionId,
    store::{
        Begin, BeginError, JoinSeekOutcome, NodeSession, Origin, SeekOutcome, Seeker, Seeking,
        StoredSeek, SuitsSeek,
    },
};

fn id(text: &str) -> SeekId {
    text.parse().unwrap()
}

fn node() -> NodeId {
    "one".parse().unwrap()
}

fn session(number: u64) -> NodeSession {
    NodeSession { node: Some(node()), session: SessionId(number) }
}

fn seeker(user: &str, number: u64) -> Seeker {
    let (user, seat) = (name(user), SeatWish::default());
    Seeker { user, bot: false, guest: false, rating: 1500, seat, session: Some(session(number)) }
}

/// A seek for a number of players, of a user with a session.
fn seek(id: &str, by: &str, players: u8, number: u64) -> StoredSeek {
    let entry = serde_json::json!({
        "seek": id, "by": by, "bot": false, "guest": false, "rules": "adamas@1", "options": {},
        "players": players, "seat": "random", "clock": {"mode": "none"}, "rated": false,
        "allow": {}, "joined": [by],
    });
    let entry = serde_json::from_value(entry).unwrap();
    StoredSeek { entry, joined: vec![seeker(by, number)], from: None, version: 0 }
}

/// Suits all users who have not joined.
fn others(user: &str) -> SuitsSeek {
    let user = name(user);
    Box::new(move |open| !open.has(&user))
}

async fn open_or_join(store: &Areas, seek: StoredSeek, number: u64) -> SeekOutcome {
    let suits = others(seek.entry.by.as_str());
    let seeking = Seeking { seek, session: session(number), suits };
    store.seeks.open_or_join(seeking).await.unwrap()
}

/// Returns the ids of open seeks with those who have joined.
async fn open(store: &Areas) -> Vec<(String, Vec<String>)> {
    let seeks = store.seeks.seeks().await.unwrap();
    let users = |seek: &StoredSeek| {
        assert_eq!(seek.entry.joined.len(), seek.joined.len());
        seek.entry.joined.iter().map(ToString::to_string).collect()
    };
    seeks.iter().map(|seek| (seek.entry.seek.to_string(), users(seek))).collect()
}

fn row(id: &str, users: &[&str]) -> (String, Vec<String>) {
    (id.to_owned(), users.iter().map(|user| (*user).to_owned()).collect())
}

#[tokio::test]
async fn a_user_joins_the_oldest_seek_that_suits_or_opens_one() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        assert_eq!(open_or_join(store, seek("k_1", "Ann", 3, 1), 1).await, SeekOutcome::Opened);
        // It does not suit its own maker.
        assert_eq!(open_or_join(store, seek("k_2", "ann", 3, 1), 1).await, SeekOutcome::Opened);
        // Other terms.
        assert_eq!(open_or_join(store, seek("k_3", "bob", 2, 2), 2).await, SeekOutcome::Opened);
        let joined = open_or_join(store, seek("k_4", "bob", 3, 2), 2).await;
        let SeekOutcome::Waiting(joined) = joined else { panic!("{joined:?}") };
        assert_eq!((joined.entry.seek.as_str(), joined.version), ("k_1", 1));
        assert_eq!(joined.joined[1], seeker("bob", 2));
        assert_eq!(store.seeks.find_seek(id("k_1")).await.unwrap(), Some(*joined));
        for _ in 0..2 {
            let full = open_or_join(store, seek("k_5", "cy", 3, 3), 3).await;
            let SeekOutcome::Full(full) = full else { panic!("{full:?}") };
            assert_eq!(full.entry.joined, [name("Ann"), name("bob"), name("cy")]);
        }
        let rows = [row("k_1", &["Ann", "bob"]), row("k_2", &["ann"]), row("k_3", &["bob"])];
        assert_eq!(open(store).await, rows);
        assert!(store.seeks.delete_seek(id("k_1")).await.unwrap());
        assert!(!store.seeks.delete_seek(id("k_1")).await.unwrap());
        assert_eq!(store.seeks.find_seek(id("k_1")).await.unwrap(), None);
        assert_eq!(open(store).await, rows[1..]);
    }
}

#[tokio::test]
async fn a_user_joins_and_leaves_a_named_seek() {
    for tested in TestedStore::all().await {
        let seeks = &tested.store.seeks;
        open_or_join(&tested.store, seek("k_1", "ann", 3, 1), 1).await;
        let join = |user, suits| seeks.join_seek(id("k_1"), seeker(user, 7), suits);
        let unsuitable = join("bob", Box::new(|_| false)).await.unwrap();
        assert!(matches!(unsuitable, JoinSeekOutcome::Unsuitable(_)), "{unsuitable:?}");
        let already = join("ANN", others("bob")).await.unwrap();
        assert_eq!(already, JoinSeekOutcome::AlreadyJoined);
        let waiting = join("bob", others("bob")).await.unwrap();
        assert!(matches!(waiting, JoinSeekOutcome::Waiting(_)), "{waiting:?}");
        let full = join("cy", others("cy")).await.unwrap();
        assert!(matches!(full, JoinSeekOutcome::Full(_)), "{full:?}");
        assert_eq!(open(&tested.store).await, [row("k_1", &["ann", "bob"])]);
        assert_eq!(seeks.leave_seek(id("k_1"), name("ann")).await.unwrap(), None);
        let left = seeks.leave_seek(id("k_1"), name("BOB")).await.unwrap().unwrap();
        assert_eq!((left.joined.len(), left.version), (1, 2));
        assert_eq!(seeks.leave_seek(id("k_1"), name("bob")).await.unwrap(), None);
        let gone = seeks.join_seek(id("k_9"), seeker("cy", 7), others("cy")).await.unwrap();
        assert_eq!(gone, JoinSeekOutcome::Gone);
    }
}

#[tokio::test]
async fn seeks_end_with_their_session_and_their_node_unless_they_last() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        open_or_join(store, seek("k_1", "ann", 3, 1), 1).await;
        open_or_join(store, seek("k_2", "bob", 2, 2), 2).await;
        let suits = || others("cy");
        store.seeks.join_seek(id("k_1"), seeker("cy", 2), suits()).await.unwrap();
        let mut lasting = seek("k_3", "dee", 4, 2);
        lasting.entry.lasting = true;
        lasting.joined[0].session = None;
        open_or_join(store, lasting, 2).await;
        store.seeks.join_seek(id("k_3"), seeker("cy", 2), suits()).await.unwrap();

        let mut ended = store.seeks.end_seeks_of_session(session(2)).await.unwrap();
        ended.sort();
        assert_eq!(ended, [id("k_1"), id("k_2")]);
        assert_eq!(open(store).await, [row("k_1", &["ann"]), row("k_3", &["dee", "cy"])]);
        assert_eq!(store.seeks.end_seeks_of_session(session(2)).await.unwrap(), []);
        assert_eq!(store.seeks.end_seeks_of_node("two".parse().unwrap()).await.unwrap(), []);
        assert_eq!(store.seeks.end_seeks_of_node(node()).await.unwrap(), [id("k_1")]);
        assert_eq!(open(store).await, [row("k_3", &["dee", "cy"])]);
    }
}

#[tokio::test]
async fn users_who_seek_at_the_same_moment_meet() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        let users = ["ann", "bob", "cy", "dee"];
        let seeking = (1..).zip(users).map(|(number, user)| {
            open_or_join(store, seek(&format!("k_{number}"), user, 5, number), number)
        });
        let outcomes = join_all(seeking).await;
        let found = open(store).await;
        assert_eq!(found.len(), 1, "{outcomes:?}");
        assert_eq!(found[0].1.len(), users.len());
    }
}

#[tokio::test]
async fn open_seeks_are_limited_by_user_and_network() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        let make = |n: usize| open_or_join(store, seek(&format!("k_{n}"), "ann", 2, 1), 1);
        let outcomes = join_all((0..SEEKS_PER_USER_MAX + 2).map(make)).await;
        let refused: Vec<_> = outcomes
            .iter()
            .filter_map(|outcome| match outcome {
                SeekOutcome::LimitReached(limit) => Some(limit.limit),
                SeekOutcome::Opened | SeekOutcome::Waiting(_) | SeekOutcome::Full(_) => None,
            })
            .collect();
        assert_eq!(refused, ["seeks"; 2], "{outcomes:?}");
        for n in 0..=SEEKS_PER_NETWORK_MAX {
            let maker = format!("user{n}");
            let mut new = seek(&maker, &maker, 3, 9);
            new.from = Some("192.0.2.7".parse().unwrap());
            let suits = Box::new(|_: &StoredSeek| false);
            let seeking = Seeking { seek: new, session: session(9), suits };
            let is_last = n == SEEKS_PER_NETWORK_MAX;
            match store.seeks.open_or_join(seeking).await.unwrap() {
                SeekOutcome::Opened => assert!(!is_last),
                SeekOutcome::LimitReached(limit) => {
                    assert!(is_last && limit.limit == "seeks_per_network", "{n}: {limit:?}");
                }
                other @ (SeekOutcome::Waiting(_) | SeekOutcome::Full(_)) => panic!("{other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn a_game_begins_with_those_who_are_still_in_its_seek() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        open_or_join(store, seek("k_1", "ann", 3, 1), 1).await;
        let join = async |user| {
            store.seeks.join_seek(id("k_1"), seeker(user, 7), others(user)).await.unwrap()
        };
        let begin = |game, full: &StoredSeek| {
            store.journal.begin(Begin { origin: Some(full.claim()), ..begin(game) })
        };
        join("bob").await;
        let JoinSeekOutcome::Full(left) = join("cy").await else { panic!("all are there") };
        store.seeks.leave_seek(id("k_1"), name("bob")).await.unwrap().unwrap();
        for users in [row("k_1", &["ann"]), row("k_1", &["ann", "dee"])] {
            let refused = begin("g1", &left).await.unwrap_err();
            let BeginError::OriginChanged(origin) = &refused else { panic!("{refused:?}") };
            assert_eq!(*origin, Origin::Seek(id("k_1")));
            assert_eq!(open(store).await, [users]);
            join("dee").await;
        }
        let JoinSeekOutcome::Full(full) = join("cy").await else { panic!("all are there") };
        begin("g1", &full).await.unwrap();
        let refused = begin("g2", &full).await.unwrap_err();
        assert!(matches!(refused, BeginError::OriginGone(_)), "{refused:?}");
    }
}
