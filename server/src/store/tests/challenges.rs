//! What every store promises of challenges.

use adamant_protocol::{ChallengeId, to_client::Challenged};
use futures::future::join_all;

use super::{
    people::name,
    tested_store::{Areas, TestedStore},
};
use crate::{
    limits::{
        CHALLENGES_PER_NETWORK_MAX, CHALLENGES_PER_PAIR_MAX, CHALLENGES_PER_USER_MAX,
        GUESTS_CHALLENGES_WAITING_MAX,
    },
    store::{AcceptChallengeOutcome, AddChallengeOutcome, NewChallenge, StoredChallenge},
};

fn id(text: &str) -> ChallengeId {
    text.parse().unwrap()
}

/// A challenge whose maker has the first seat and has accepted.
fn challenge(id: &str, seats: &[&str]) -> NewChallenge {
    let by = seats[0];
    let challenged = serde_json::json!({
        "challenge": id, "by": by, "rules": "adamas@1", "options": {}, "seats": seats,
        "shuffle": false, "clock": {"mode": "none"}, "rated": false, "accepted": [by],
        "created": 5, "expires": 50,
    });
    let challenged: Challenged = serde_json::from_value(challenged).unwrap();
    let id = id.parse().unwrap();
    let stored =
        StoredChallenge { id, challenged, bots: vec![name(by)], created_at: 5, from: None };
    NewChallenge { stored, house: Vec::new() }
}

async fn add(store: &Areas, new: NewChallenge) -> AddChallengeOutcome {
    store.challenges.add_challenge(new).await.unwrap()
}

/// Returns the limit that refuses a challenge; none if it is stored.
async fn limit(store: &Areas, new: NewChallenge) -> Option<&'static str> {
    match add(store, new).await {
        AddChallengeOutcome::Added => None,
        AddChallengeOutcome::LimitReached(reached) => Some(reached.limit),
        other @ (AddChallengeOutcome::RematchOpen(_) | AddChallengeOutcome::RematchBegun(_)) => {
            panic!("{other:?}")
        }
    }
}

#[tokio::test]
async fn a_challenge_is_open_until_it_is_deleted() {
    for tested in TestedStore::all().await {
        let challenges = &tested.store.challenges;
        let mut new = challenge("c1", &["Ann", "bob"]);
        new.stored.from = Some("192.0.2.7".parse().unwrap());
        assert_eq!(add(&tested.store, new.clone()).await, AddChallengeOutcome::Added);
        let found = challenges.find_challenge(id("c1")).await.unwrap().unwrap();
        assert_eq!(found.challenged, new.stored.challenged);
        assert_eq!((found.bots, found.created_at), (new.stored.bots, 5));
        let all = challenges.challenges().await.unwrap();
        assert_eq!(all.iter().map(|open| open.id.as_str()).collect::<Vec<_>>(), ["c1"]);
        assert!(challenges.delete_challenge(id("c1")).await.unwrap());
        assert!(!challenges.delete_challenge(id("c1")).await.unwrap());
        assert_eq!(challenges.find_challenge(id("c1")).await.unwrap(), None);
        let late = challenges.accept_challenge(id("c1"), name("bob"), false).await.unwrap();
        assert_eq!(late, AcceptChallengeOutcome::Gone);
    }
}

#[tokio::test]
async fn the_last_acceptance_leaves_a_challenge_to_its_game() {
    for tested in TestedStore::all().await {
        let challenges = &tested.store.challenges;
        add(&tested.store, challenge("c1", &["ann", "Bob", "cy"])).await;
        let accept = |user, bot| challenges.accept_challenge(id("c1"), name(user), bot);
        let AcceptChallengeOutcome::Waiting(waiting) = accept("bob", true).await.unwrap() else {
            panic!("cy has not accepted")
        };
        assert_eq!(waiting.challenged.accepted, [name("ann"), name("bob")]);
        assert_eq!(waiting.bots, [name("ann"), name("bob")]);
        let stored = challenges.find_challenge(id("c1")).await.unwrap().unwrap();
        assert_eq!(stored.challenged, waiting.challenged);
        assert_eq!(accept("BOB", true).await.unwrap(), AcceptChallengeOutcome::AlreadyAccepted);
        for _ in 0..2 {
            let AcceptChallengeOutcome::Full(full) = accept("cy", false).await.unwrap() else {
                panic!("all have accepted")
            };
            assert_eq!(full.challenged.accepted.len(), 3);
        }
        let stored = challenges.find_challenge(id("c1")).await.unwrap().unwrap();
        assert_eq!(stored.challenged, waiting.challenged, "the game takes it");
    }
}

#[tokio::test]
async fn acceptances_at_the_same_moment_are_both_there() {
    for tested in TestedStore::all().await {
        let challenges = &tested.store.challenges;
        for round in 0..5 {
            let round = id(&format!("c{round}"));
            add(&tested.store, challenge(round.as_str(), &["ann", "bob", "cy"])).await;
            let accept = ["bob", "cy"]
                .map(|user| challenges.accept_challenge(round.clone(), name(user), false));
            let outcomes = join_all(accept).await;
            let full = outcomes
                .iter()
                .filter(|outcome| matches!(outcome, Ok(AcceptChallengeOutcome::Full(_))));
            assert_eq!(full.count(), 1, "{outcomes:?}");
            challenges.delete_challenge(round).await.unwrap();
        }
    }
}

#[tokio::test]
async fn open_challenges_are_limited_by_pair_maker_network_and_guests() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        // To one user, however they come.
        let to_bob = |n: usize| add(store, challenge(&format!("pair{n}"), &["ann", "bob"]));
        let outcomes = join_all((0..CHALLENGES_PER_PAIR_MAX + 2).map(to_bob)).await;
        let added = outcomes.iter().filter(|outcome| **outcome == AddChallengeOutcome::Added);
        assert_eq!(added.count(), CHALLENGES_PER_PAIR_MAX, "{outcomes:?}");
        let one_more = challenge("more", &["ANN", "BOB"]);
        assert_eq!(limit(store, one_more).await, Some("challenges_per_pair"));
        // Of one maker.
        for n in CHALLENGES_PER_PAIR_MAX..CHALLENGES_PER_USER_MAX {
            let other = format!("user{n}");
            assert_eq!(limit(store, challenge(&other, &["ann", &other])).await, None);
        }
        let one_more = challenge("more", &["Ann", "dee"]);
        assert_eq!(limit(store, one_more).await, Some("challenges"));
        // From one network.
        for n in 0..=CHALLENGES_PER_NETWORK_MAX {
            let maker = format!("net{n}");
            let mut new = challenge(&maker, &[&maker, "cy"]);
            new.stored.from = Some("192.0.2.7".parse().unwrap());
            let is_last = n == CHALLENGES_PER_NETWORK_MAX;
            assert_eq!(limit(store, new).await, is_last.then_some("challenges_per_network"));
        }
        // Of guests; an acceptance makes room.
        for n in 0..=GUESTS_CHALLENGES_WAITING_MAX {
            let maker = format!("guest{n}");
            let mut new = challenge(&maker, &[&maker, "eve", "fay"]);
            new.stored.challenged.guest = true;
            let is_last = n == GUESTS_CHALLENGES_WAITING_MAX;
            let refused = limit(store, new.clone()).await;
            assert_eq!(refused, is_last.then_some("guests_challenges_waiting"));
            if is_last {
                for user in ["eve", "fay"] {
                    let accepted = format!("guest{}", usize::from(user == "fay"));
                    store
                        .challenges
                        .accept_challenge(id(&accepted), name(user), false)
                        .await
                        .unwrap();
                }
                assert_eq!(limit(store, new).await, None);
            }
        }
    }
}

#[tokio::test]
async fn one_challenge_to_a_rematch_is_open() {
    for tested in TestedStore::all().await {
        let to = |id: &str, maker: &str, other: &str| {
            let mut new = challenge(id, &[maker, other]);
            new.stored.challenged.rematch_of = Some("g1".parse().unwrap());
            new
        };
        let both = [to("c1", "ann", "bob"), to("c2", "bob", "ann")];
        let outcomes = join_all(both.map(|new| add(&tested.store, new))).await;
        let open = tested.store.challenges.challenges().await.unwrap();
        assert_eq!(open.len(), 1, "{outcomes:?}");
        assert!(outcomes.contains(&AddChallengeOutcome::RematchOpen(open[0].id.clone())));
        let game = "g1".parse().unwrap();
        assert_eq!(tested.store.challenges.rematch_of(game).await.unwrap(), None);
    }
}
