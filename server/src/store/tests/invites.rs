//! What every store promises of invites.

use adamant_protocol::InviteId;
use futures::future::join_all;

use super::{begin, people::name, tested_store::TestedStore};
use crate::{
    limits::{INVITES_PER_NETWORK_MAX, INVITES_PER_USER_MAX},
    store::{Begin, BeginError, JoinInviteOutcome, Origin, StoredInvite},
};

fn id(text: &str) -> InviteId {
    text.parse().unwrap()
}

fn invite(id: &str, by: &str, players: u8) -> StoredInvite {
    let entry = serde_json::json!({
        "invite": id, "by": by, "rules": "adamas@1", "options": {}, "players": players,
        "seat": "random", "clock": {"mode": "none"}, "rated": false, "joined": [by], "created": 5,
        "expires": 50,
    });
    let entry = serde_json::from_value(entry).unwrap();
    StoredInvite { entry, bots: Vec::new(), from: None, version: 0 }
}

#[tokio::test]
async fn users_join_and_leave_an_invite() {
    for tested in TestedStore::all().await {
        let invites = &tested.store.invites;
        let mut new = invite("i1", "Ann", 3);
        new.from = Some("192.0.2.7".parse().unwrap());
        invites.add_invite(new.clone()).await.unwrap().unwrap();
        assert_eq!(invites.find_invite(id("i1")).await.unwrap(), Some(new.clone()));
        assert_eq!(invites.open_invites().await.unwrap(), [new]);
        let join = |user, bot| invites.join_invite(id("i1"), name(user), bot);
        let JoinInviteOutcome::Waiting(waiting) = join("Bob", true).await.unwrap() else {
            panic!("one is missing")
        };
        assert_eq!(waiting.entry.joined, [name("Ann"), name("Bob")]);
        assert_eq!((waiting.bots.as_slice(), waiting.version), ([name("Bob")].as_slice(), 1));
        assert_eq!(invites.find_invite(id("i1")).await.unwrap(), Some(*waiting.clone()));
        assert_eq!(join("ann", false).await.unwrap(), JoinInviteOutcome::AlreadyJoined);
        for _ in 0..2 {
            let full = join("cy", false).await.unwrap();
            assert!(matches!(full, JoinInviteOutcome::Full(_)), "{full:?}");
        }
        assert_eq!(invites.find_invite(id("i1")).await.unwrap(), Some(*waiting));
        let leave = |user| invites.leave_invite(id("i1"), name(user));
        assert_eq!(leave("ann").await.unwrap(), None, "the maker cannot leave");
        assert_eq!(leave("cy").await.unwrap(), None);
        let left = leave("BOB").await.unwrap().unwrap();
        assert_eq!((left.entry.joined.len(), left.bots.len(), left.version), (1, 0, 2));
        let cy = invites.join_invite(id("i1"), name("cy"), false).await.unwrap();
        assert!(matches!(cy, JoinInviteOutcome::Waiting(_)), "{cy:?}");
        let joined = ["Ann", "cy"].map(name).to_vec();
        assert_eq!(invites.delete_invite(id("i1")).await.unwrap(), Some(joined));
        assert_eq!(invites.delete_invite(id("i1")).await.unwrap(), None);
        assert_eq!(join("bob", false).await.unwrap(), JoinInviteOutcome::Gone);
        assert_eq!(invites.open_invites().await.unwrap(), []);
    }
}

#[tokio::test]
async fn open_invites_are_limited_by_user_and_network() {
    for tested in TestedStore::all().await {
        let invites = &tested.store.invites;
        let make = |n: usize| invites.add_invite(invite(&format!("ann{n}"), "ann", 3));
        let outcomes = join_all((0..INVITES_PER_USER_MAX + 2).map(make)).await;
        let refused: Vec<_> =
            outcomes.into_iter().filter_map(|outcome| outcome.unwrap().err()).collect();
        assert_eq!(refused.iter().map(|limit| limit.limit).collect::<Vec<_>>(), ["invites"; 2]);
        invites.add_invite(invite("bob", "bob", 2)).await.unwrap().unwrap();
        let join = || invites.join_invite(id("bob"), name("ANN"), false);
        let refused = join().await.unwrap();
        assert!(matches!(refused, JoinInviteOutcome::LimitReached(_)), "{refused:?}");
        let one = invites.open_invites().await.unwrap();
        let one = one.iter().find(|open| open.entry.by == name("ann")).unwrap();
        invites.delete_invite(one.entry.invite.clone()).await.unwrap();
        assert!(matches!(join().await.unwrap(), JoinInviteOutcome::Full(_)));

        for n in 0..=INVITES_PER_NETWORK_MAX {
            let maker = format!("user{n}");
            let mut new = invite(&maker, &maker, 2);
            new.from = Some("192.0.2.7".parse().unwrap());
            let refused = invites.add_invite(new).await.unwrap().err().map(|limit| limit.limit);
            let is_last = n == INVITES_PER_NETWORK_MAX;
            assert_eq!(refused, is_last.then_some("invites_per_network"));
        }
    }
}

#[tokio::test]
async fn users_who_join_at_the_same_moment_are_all_there() {
    for tested in TestedStore::all().await {
        let invites = &tested.store.invites;
        for round in 0..5 {
            let round = format!("i{round}");
            invites.add_invite(invite(&round, "ann", 3)).await.unwrap().unwrap();
            let join = ["bob", "cy"].map(|user| invites.join_invite(id(&round), name(user), false));
            let outcomes = join_all(join).await;
            let full =
                outcomes.iter().filter(|outcome| matches!(outcome, Ok(JoinInviteOutcome::Full(_))));
            assert_eq!(full.count(), 1, "{outcomes:?}");
            invites.delete_invite(id(&round)).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_game_begins_with_those_who_are_still_in_its_invite() {
    for tested in TestedStore::all().await {
        let (invites, journal) = (&tested.store.invites, &tested.store.journal);
        invites.add_invite(invite("i1", "ann", 3)).await.unwrap().unwrap();
        let join = async |user| invites.join_invite(id("i1"), name(user), false).await.unwrap();
        let begin = |game, full: &StoredInvite| {
            journal.begin(Begin { origin: Some(full.claim()), ..begin(game) })
        };
        join("bob").await;
        let JoinInviteOutcome::Full(left) = join("cy").await else { panic!("all are there") };
        invites.leave_invite(id("i1"), name("bob")).await.unwrap().unwrap();
        for users in [vec![name("ann")], vec![name("ann"), name("dee")]] {
            let refused = begin("g1", &left).await.unwrap_err();
            let BeginError::OriginChanged(origin) = &refused else { panic!("{refused:?}") };
            assert_eq!(*origin, Origin::Invite(id("i1")));
            let open = invites.find_invite(id("i1")).await.unwrap().unwrap().entry;
            assert_eq!((open.joined, open.game), (users, None));
            join("dee").await;
        }
        let JoinInviteOutcome::Full(full) = join("cy").await else { panic!("all are there") };
        begin("g1", &full).await.unwrap();
        let refused = begin("g2", &full).await.unwrap_err();
        assert!(matches!(refused, BeginError::OriginGone(_)), "{refused:?}");
    }
}
