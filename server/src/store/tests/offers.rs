//! What every store promises of offers: seeks, challenges and invites, about which several nodes
//! decide at once.

use super::*;

fn challenge_id(text: &str) -> OfferId {
    OfferId::Challenge(text.parse().unwrap())
}

fn invite_id(text: &str) -> OfferId {
    OfferId::Invite(text.parse().unwrap())
}

fn seek_id(text: &str) -> OfferId {
    OfferId::Seek(text.parse().unwrap())
}

fn invite(id: &str, by: &str, players: u8) -> OpenGame {
    let entry = serde_json::from_value(json!({
        "invite": id, "by": by, "rules": "adamas@1", "options": {}, "players": players,
        "seat": "random", "clock": {"mode": "none"}, "rated": false, "joined": [by], "created": 5,
        "expires": 50,
    }));
    OpenGame::new(Offer::Invite(entry.unwrap()), seeker(by, None), None)
}

/// A seek for a number of players, of a user with a session, or a lasting one.
fn seek(id: &str, by: &str, players: u8, number: Option<u64>) -> OpenGame {
    let lasting = number.is_none();
    let entry = serde_json::from_value(json!({
        "seek": id, "by": by, "bot": false, "guest": false, "rules": "adamas@1", "options": {},
        "players": players, "seat": "random", "clock": {"mode": "none"}, "rated": false,
        "allow": {}, "lasting": lasting, "expires": lasting.then_some(50), "joined": [by],
    }));
    OpenGame::new(Offer::Seek(entry.unwrap()), seeker(by, number), None)
}

/// Suits all users who have not joined.
fn others(user: &str) -> SuitsOffer {
    let user = name(user);
    Box::new(move |open| !open.has(&user))
}

async fn add(store: &Store, open: OpenGame) -> AddOfferOutcome {
    store.add_offer(NewOffer { open, house: Vec::new() }).await.unwrap()
}

/// Returns the limit that refuses an offer; none if it is stored.
async fn limit(store: &Store, open: OpenGame) -> Option<&'static str> {
    match add(store, open).await {
        AddOfferOutcome::Added => None,
        AddOfferOutcome::LimitReached(reached) => Some(reached.limit),
        other @ (AddOfferOutcome::RematchOpen(_) | AddOfferOutcome::RematchBegun(_)) => {
            panic!("{other:?}")
        }
    }
}

async fn join(store: &Store, id: &OfferId, user: &str) -> JoinOfferOutcome {
    store.join_offer(id.clone(), seeker(user, None), None).await.unwrap()
}

async fn open_or_join(store: &Store, seek: OpenGame, number: u64) -> SeekOutcome {
    let suits = others(seek.maker().as_str());
    store.seek(Seeking { seek, session: session(number), suits }).await.unwrap()
}

async fn open(store: &Store) -> Vec<(String, Vec<String>)> {
    let offers = store.open_offers().await.unwrap();
    let users = |open: &OpenGame| {
        assert_eq!(open.joined_users().len(), open.joined.len());
        open.joined_users().iter().map(ToString::to_string).collect()
    };
    offers.iter().map(|open| (open.id().as_str().to_owned(), users(open))).collect()
}

fn row(id: &str, users: &[&str]) -> (String, Vec<String>) {
    (id.to_owned(), users.iter().map(|user| (*user).to_owned()).collect())
}

#[tokio::test]
async fn an_offer_is_open_until_it_is_deleted() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let from = Some("192.0.2.7".parse().unwrap());
        let new = [
            OpenGame { from, ..challenge("h_1", &["Ann", "bob"]) },
            OpenGame { from, ..invite("i_1", "Ann", 2) },
            OpenGame { from, ..seek("k_1", "Ann", 2, None) },
        ];
        for new in new {
            let id = new.id();
            assert_eq!(add(store, new.clone()).await, AddOfferOutcome::Added);
            assert_eq!(store.find_offer(id.clone()).await.unwrap(), Some(new.clone()));
            assert_eq!(store.open_offers().await.unwrap(), std::slice::from_ref(&new));
            assert_eq!(store.delete_offer(id.clone()).await.unwrap(), Some(new));
            assert_eq!(store.delete_offer(id.clone()).await.unwrap(), None);
            assert_eq!(store.find_offer(id.clone()).await.unwrap(), None);
            assert_eq!(join(store, &id, "bob").await, JoinOfferOutcome::Gone);
        }
    }
}

#[tokio::test]
async fn users_join_and_leave_until_the_last_one_leaves_the_offer_to_its_game() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        for new in [
            challenge("h_1", &["Ann", "Bob", "cy"]),
            invite("i_1", "Ann", 3),
            seek("k_1", "Ann", 3, None),
        ] {
            let id = new.id();
            add(store, new).await;
            let JoinOfferOutcome::Waiting(waiting) = join(store, &id, "Bob").await else {
                panic!("one is missing")
            };
            assert_eq!(waiting.joined_users(), [name("Ann"), name("Bob")]);
            assert_eq!(waiting.version, 1);
            assert_eq!(store.find_offer(id.clone()).await.unwrap(), Some(*waiting.clone()));
            assert_eq!(join(store, &id, "BOB").await, JoinOfferOutcome::AlreadyJoined);
            for _ in 0..2 {
                let full = join(store, &id, "cy").await;
                let JoinOfferOutcome::Full(full) = full else { panic!("{full:?}") };
                assert_eq!(full.joined_users().len(), 3);
            }
            assert_eq!(store.find_offer(id.clone()).await.unwrap(), Some(*waiting));
            let leave = |user| store.leave_offer(id.clone(), name(user));
            assert_eq!(leave("ann").await.unwrap(), None, "the maker cannot leave");
            assert_eq!(leave("cy").await.unwrap(), None);
            let left = leave("BOB").await.unwrap();
            if matches!(id, OfferId::Challenge(_)) {
                assert_eq!(left, None, "an acceptance stands");
            } else {
                let left = left.unwrap();
                assert_eq!((left.joined.len(), left.version), (1, 2));
            }
        }
    }
}

#[tokio::test]
async fn users_who_join_at_the_same_moment_are_all_there() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        for round in 0..5 {
            for new in [
                challenge(&format!("h_{round}"), &["ann", "bob", "cy"]),
                invite(&format!("i_{round}"), "ann", 3),
            ] {
                let id = new.id();
                add(store, new).await;
                let outcomes = join_all(["bob", "cy"].map(|user| join(store, &id, user))).await;
                let full = |outcome: &&_| matches!(outcome, JoinOfferOutcome::Full(_));
                assert_eq!(outcomes.iter().filter(full).count(), 1, "{outcomes:?}");
                store.delete_offer(id).await.unwrap();
            }
        }
    }
}

#[tokio::test]
async fn a_game_begins_with_those_who_are_still_there() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        for (number, new) in
            [invite("i_1", "ann", 3), seek("k_1", "ann", 3, None)].iter().enumerate()
        {
            let id = new.id();
            add(store, new.clone()).await;
            let begin = |game: &str, full: &OpenGame| {
                let game = format!("{game}{number}");
                store.journal.begin(Begin { offer: Some(full.claim()), ..begin(&game) })
            };
            join(store, &id, "bob").await;
            let JoinOfferOutcome::Full(left) = join(store, &id, "cy").await else {
                panic!("all are there")
            };
            store.leave_offer(id.clone(), name("bob")).await.unwrap().unwrap();
            for users in [vec![name("ann")], vec![name("ann"), name("dee")]] {
                let refused = begin("g", &left).await.unwrap_err();
                assert!(
                    matches!(&refused, BeginError::OfferChanged(of) if *of == id),
                    "{refused:?}"
                );
                let open = store.find_offer(id.clone()).await.unwrap().unwrap();
                assert_eq!((open.joined_users(), open.game()), (users.as_slice(), None));
                join(store, &id, "dee").await;
            }
            let JoinOfferOutcome::Full(full) = join(store, &id, "cy").await else {
                panic!("all are there")
            };
            begin("g", &full).await.unwrap();
            let refused = begin("other", &full).await.unwrap_err();
            assert!(matches!(refused, BeginError::OfferGone(_)), "{refused:?}");
            assert_eq!(join(store, &id, "eve").await, JoinOfferOutcome::Gone);
            assert_eq!(store.open_offers().await.unwrap(), []);
            let found = store.find_offer(id.clone()).await.unwrap();
            let game = found.as_ref().and_then(OpenGame::game).map(ToString::to_string);
            // Only an invite leads to its game, until it expires.
            let is_invite = matches!(id, OfferId::Invite(_));
            assert_eq!(game, is_invite.then(|| format!("g{number}")));
            store.forget_taken_offers(50).await.unwrap();
            assert_eq!(store.find_offer(id).await.unwrap(), None);
        }
    }
}

#[tokio::test]
async fn open_challenges_are_limited_by_pair_maker_network_and_guests() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        // To one user, however they come.
        let to_bob = |n: usize| add(store, challenge(&format!("pair{n}"), &["ann", "bob"]));
        let outcomes = join_all((0..CHALLENGES_PER_PAIR_MAX + 2).map(to_bob)).await;
        let added = outcomes.iter().filter(|outcome| **outcome == AddOfferOutcome::Added);
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
            let from = Some("192.0.2.7".parse().unwrap());
            let new = OpenGame { from, ..challenge(&maker, &[&maker, "cy"]) };
            let is_last = n == CHALLENGES_PER_NETWORK_MAX;
            assert_eq!(limit(store, new).await, is_last.then_some("challenges_per_network"));
        }
        // Of guests; an acceptance makes room.
        for n in 0..=GUESTS_CHALLENGES_WAITING_MAX {
            let maker = format!("guest{n}");
            let mut new = challenge(&maker, &[&maker, "eve", "fay"]);
            if let Offer::Challenge(challenged) = &mut new.offer {
                challenged.guest = true;
            }
            let is_last = n == GUESTS_CHALLENGES_WAITING_MAX;
            let refused = limit(store, new.clone()).await;
            assert_eq!(refused, is_last.then_some("guests_challenges_waiting"));
            if is_last {
                for (accepted, user) in [("guest0", "eve"), ("guest1", "fay")] {
                    join(store, &challenge_id(accepted), user).await;
                }
                assert_eq!(limit(store, new).await, None);
            }
        }
    }
}

#[tokio::test]
async fn bounds_hold_after_a_restart_and_offers_that_are_games_do_not_count() {
    for tested in TestedStore::all().await {
        for n in 0..CHALLENGES_PER_PAIR_MAX {
            add(&tested.store, challenge(&format!("h_{n}"), &["ann", "bob"])).await;
        }
        for n in 0..INVITES_PER_USER_MAX {
            add(&tested.store, invite(&format!("i_{n}"), "ann", 2)).await;
        }
        let tested = tested.reopen().await;
        let store = &tested.store;
        let (to_bob, of_ann) = (challenge("h_x", &["ann", "bob"]), invite("i_x", "ann", 2));
        assert_eq!(limit(store, to_bob.clone()).await, Some("challenges_per_pair"));
        assert_eq!(limit(store, of_ann.clone()).await, Some("invites"));
        for (game, id) in [("g1", challenge_id("h_0")), ("g2", invite_id("i_0"))] {
            let JoinOfferOutcome::Full(full) = join(store, &id, "bob").await else {
                panic!("both are there")
            };
            let begin = Begin { offer: Some(full.claim()), ..begin(game) };
            store.journal.begin(begin).await.unwrap();
        }
        assert_eq!((limit(store, to_bob).await, limit(store, of_ann).await), (None, None));
    }
}

#[tokio::test]
async fn one_challenge_to_a_rematch_is_open_and_one_game_is_the_rematch() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let to = |id: &str, maker: &str, other: &str| {
            let mut new = challenge(id, &[maker, other]);
            if let Offer::Challenge(challenged) = &mut new.offer {
                challenged.rematch_of = Some("g0".parse().unwrap());
            }
            new
        };
        let both = [to("c1", "ann", "bob"), to("c2", "bob", "ann")];
        let outcomes = join_all(both.map(|new| add(store, new))).await;
        let open = store.open_offers().await.unwrap();
        assert_eq!(open.len(), 1, "{outcomes:?}");
        let OfferId::Challenge(id) = open[0].id() else { panic!("it is a challenge") };
        assert!(outcomes.contains(&AddOfferOutcome::RematchOpen(id)), "{outcomes:?}");
        assert_eq!(store.rematch_of("g0".parse().unwrap()).await.unwrap(), None);
        let rematch_of = Some("g0".parse().unwrap());
        let offer = Some(open[0].clone().with(seeker("bob", None)).claim());
        let rematch = Begin { offer, rematch_of: rematch_of.clone(), ..begin("g1") };
        store.journal.begin(rematch).await.unwrap();
        let begun = AddOfferOutcome::RematchBegun("g1".parse().unwrap());
        assert_eq!(add(store, to("c3", "ann", "bob")).await, begun);
        let again = store.journal.begin(Begin { rematch_of, ..begin("g2") }).await.unwrap_err();
        assert!(matches!(&again, BeginError::RematchExists(game) if game.as_str() == "g1"));
        assert_eq!(store.game_entry(&"g2".parse().unwrap()).await.unwrap(), None);
    }
}

#[tokio::test]
async fn open_invites_are_limited_by_user_and_network() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let make = |n: usize| limit(store, invite(&format!("ann{n}"), "ann", 3));
        let outcomes = join_all((0..INVITES_PER_USER_MAX + 2).map(make)).await;
        let refused: Vec<_> = outcomes.into_iter().flatten().collect();
        assert_eq!(refused, ["invites"; 2]);
        add(store, invite("bob", "bob", 2)).await;
        let refused = join(store, &invite_id("bob"), "ANN").await;
        assert!(matches!(refused, JoinOfferOutcome::LimitReached(_)), "{refused:?}");
        let open = store.open_offers().await.unwrap();
        let one = open.iter().find(|open| *open.maker() == name("ann")).unwrap();
        store.delete_offer(one.id()).await.unwrap();
        let full = join(store, &invite_id("bob"), "ANN").await;
        assert!(matches!(full, JoinOfferOutcome::Full(_)), "{full:?}");
        for n in 0..=INVITES_PER_NETWORK_MAX {
            let maker = format!("user{n}");
            let from = Some("192.0.2.7".parse().unwrap());
            let new = OpenGame { from, ..invite(&maker, &maker, 2) };
            let is_last = n == INVITES_PER_NETWORK_MAX;
            assert_eq!(limit(store, new).await, is_last.then_some("invites_per_network"));
        }
    }
}

#[tokio::test]
async fn a_user_joins_the_oldest_seek_that_suits_or_opens_one() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let sought = |id, by, players, number| {
            open_or_join(store, seek(id, by, players, Some(number)), number)
        };
        assert_eq!(sought("k_1", "Ann", 3, 1).await, SeekOutcome::Opened);
        // It does not suit its own maker.
        assert_eq!(sought("k_2", "ann", 3, 1).await, SeekOutcome::Opened);
        // Other terms.
        assert_eq!(sought("k_3", "bob", 2, 2).await, SeekOutcome::Opened);
        let joined = sought("k_4", "bob", 3, 2).await;
        let SeekOutcome::Waiting(joined) = joined else { panic!("{joined:?}") };
        assert_eq!((joined.id(), joined.version), (seek_id("k_1"), 1));
        assert_eq!(joined.joined[1], seeker("bob", Some(2)), "it leaves with its session");
        assert_eq!(store.find_offer(seek_id("k_1")).await.unwrap(), Some(*joined));
        for _ in 0..2 {
            let full = sought("k_5", "cy", 3, 3).await;
            let SeekOutcome::Full(full) = full else { panic!("{full:?}") };
            assert_eq!(full.joined_users(), [name("Ann"), name("bob"), name("cy")]);
        }
        let rows = [row("k_1", &["Ann", "bob"]), row("k_2", &["ann"]), row("k_3", &["bob"])];
        assert_eq!(open(store).await, rows);
    }
}

#[tokio::test]
async fn a_named_seek_is_joined_if_it_suits() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        open_or_join(store, seek("k_1", "ann", 3, None), 1).await;
        let join =
            |user, suits| store.join_offer(seek_id("k_1"), seeker(user, Some(7)), Some(suits));
        let unsuitable = join("bob", Box::new(|_| false)).await.unwrap();
        assert!(matches!(unsuitable, JoinOfferOutcome::Unsuitable(_)), "{unsuitable:?}");
        let already = join("ANN", others("bob")).await.unwrap();
        assert_eq!(already, JoinOfferOutcome::AlreadyJoined);
        let waiting = join("bob", others("bob")).await.unwrap();
        let JoinOfferOutcome::Waiting(waiting) = waiting else { panic!("{waiting:?}") };
        assert_eq!(waiting.joined[1].session, None, "a lasting seek outlives the connection");
    }
}

#[tokio::test]
async fn seeks_end_with_their_session_and_their_node_unless_they_last() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        open_or_join(store, seek("k_1", "ann", 3, Some(1)), 1).await;
        open_or_join(store, seek("k_2", "bob", 2, Some(2)), 2).await;
        let join = |id, number| {
            store.join_offer(seek_id(id), seeker("cy", Some(number)), Some(others("cy")))
        };
        join("k_1", 2).await.unwrap();
        open_or_join(store, seek("k_3", "dee", 4, None), 2).await;
        join("k_3", 2).await.unwrap();

        let mut ended = store.end_offers_of_session(session(2)).await.unwrap();
        ended.sort();
        assert_eq!(ended, ["k_1", "k_2"].map(seek_id));
        assert_eq!(open(store).await, [row("k_1", &["ann"]), row("k_3", &["dee", "cy"])]);
        assert_eq!(store.end_offers_of_session(session(2)).await.unwrap(), []);
        let two = Some("two".parse().unwrap());
        for other in [two, None] {
            assert_eq!(store.end_offers_of_node(other).await.unwrap(), []);
        }
        assert_eq!(store.end_offers_of_node(Some(node())).await.unwrap(), [seek_id("k_1")]);
        assert_eq!(open(store).await, [row("k_3", &["dee", "cy"])]);
    }
}

#[tokio::test]
async fn users_who_seek_at_the_same_moment_meet() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let users = ["ann", "bob", "cy", "dee"];
        let seeking = (1..).zip(users).map(|(number, user)| {
            open_or_join(store, seek(&format!("k_{number}"), user, 5, Some(number)), number)
        });
        let outcomes = join_all(seeking).await;
        let found = open(store).await;
        assert_eq!(found.len(), 1, "{outcomes:?}");
        assert_eq!(found[0].1.len(), users.len());
    }
}

#[tokio::test]
async fn open_seeks_are_limited_by_user_and_network() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let make = |n: usize| open_or_join(store, seek(&format!("k_{n}"), "ann", 2, Some(1)), 1);
        let outcomes = join_all((0..SEEKS_PER_USER_MAX + 2).map(make)).await;
        let refused = |outcome: &SeekOutcome| match outcome {
            SeekOutcome::LimitReached(limit) => Some(limit.limit),
            SeekOutcome::Opened | SeekOutcome::Waiting(_) | SeekOutcome::Full(_) => None,
        };
        assert_eq!(outcomes.iter().filter_map(refused).collect::<Vec<_>>(), ["seeks"; 2]);
        for n in 0..=SEEKS_PER_NETWORK_MAX {
            let maker = format!("user{n}");
            let from = Some("192.0.2.7".parse().unwrap());
            let seek = OpenGame { from, ..seek(&maker, &maker, 3, Some(9)) };
            let suits = Box::new(|_: &OpenGame| false);
            let sought = store.seek(Seeking { seek, session: session(9), suits }).await.unwrap();
            let is_last = n == SEEKS_PER_NETWORK_MAX;
            assert_eq!(refused(&sought), is_last.then_some("seeks_per_network"), "{n}");
        }
    }
}
