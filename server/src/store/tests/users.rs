//! What every store promises of users.

use adamant_protocol::values::{Challengers, UserSettings};
use futures::future::join_all;

use super::{
    people::{account, created, guest, has_token, log_in, name, new_user, program},
    tested_store::TestedStore,
};
use crate::{
    limits::BOTS_PER_OWNER_MAX,
    store::{CreateUserOutcome, NewUserKind, UserId},
};

#[tokio::test]
async fn a_name_is_taken_in_any_case_and_by_lookalikes() {
    for tested in TestedStore::all().await {
        let users = &tested.store;
        let bill = account(&tested.store, "Bill").await;
        for taken in ["Bill", "bill", "BILL", "b1ll", "biII"] {
            for kind in [NewUserKind::Guest, NewUserKind::Account("hash".to_owned())] {
                let refused = users.create_user(new_user(taken, kind), None).await.unwrap();
                assert_eq!(refused, CreateUserOutcome::NameTaken(name("Bill")), "{taken}");
            }
            let like = users.find_lookalike(name(taken)).await.unwrap();
            assert_eq!(like, Some(name("Bill")));
        }
        assert_eq!(users.find_lookalike(name("ball")).await.unwrap(), None);
        let (found, hash) = users.find_user(name("bILL")).await.unwrap().unwrap();
        assert_eq!((found, hash.as_deref()), (bill, Some("Bill")));
        assert_eq!(users.find_user(name("b1ll")).await.unwrap(), None);
    }
}

#[tokio::test]
async fn only_the_same_name_is_taken_for_the_servers_own_bots() {
    for tested in TestedStore::all().await {
        let users = &tested.store;
        account(&tested.store, "h0use").await;
        let house = new_user("house", NewUserKind::House);
        let bot = created(users.create_user(house.clone(), None).await.unwrap());
        assert!(bot.house && !bot.guest && bot.is_bot(), "{bot:?}");
        let again = users.create_user(house, None).await.unwrap();
        assert_eq!(again, CreateUserOutcome::NameTaken(name("house")));
        // The same name comes first.
        let like = users.find_lookalike(name("HOUSE")).await.unwrap();
        assert_eq!(like, Some(name("house")));
        let like = users.find_lookalike(name("h0use")).await.unwrap();
        assert_eq!(like, Some(name("h0use")));
    }
}

#[tokio::test]
async fn one_of_several_lookalikes_at_the_same_moment_is_created() {
    for tested in TestedStore::all().await {
        for round in 0..5 {
            let alike = ["bob", "b0b", "BOB", "B0b"].map(|like| format!("{like}_{round}"));
            let create = |(like, digest): (&String, u8)| {
                let new = new_user(like, NewUserKind::Guest);
                tested.store.create_user(new, Some(log_in(digest)))
            };
            let digests = (4 * round..).take(alike.len());
            let outcomes = join_all(alike.iter().zip(digests.clone()).map(create)).await;
            let mut winners = Vec::new();
            for (outcome, digest) in outcomes.into_iter().zip(digests) {
                match outcome.unwrap() {
                    CreateUserOutcome::Created(user) => winners.push((user.name, digest)),
                    CreateUserOutcome::NameTaken(_) => {
                        assert!(!has_token(&tested.store, digest).await);
                    }
                    CreateUserOutcome::BotLimitReached => panic!("this is no bot"),
                }
            }
            assert_eq!(winners.len(), 1, "{winners:?}");
            assert!(has_token(&tested.store, winners[0].1).await);
        }
    }
}

#[tokio::test]
async fn an_owner_has_a_limited_number_of_bots() {
    for tested in TestedStore::all().await {
        let users = &tested.store;
        let ann = account(&tested.store, "ann").await;
        let create = |number: u32| {
            users.create_user(new_user(&format!("bot_{number}_"), NewUserKind::Bot(ann.id)), None)
        };
        let outcomes = join_all((0..BOTS_PER_OWNER_MAX + 3).map(create)).await;
        let refused = outcomes
            .iter()
            .filter(|outcome| matches!(outcome, Ok(CreateUserOutcome::BotLimitReached)));
        assert_eq!(refused.count(), 3, "{outcomes:?}");
        let bots = users.bots_of(ann.id).await.unwrap();
        assert_eq!(bots.len(), BOTS_PER_OWNER_MAX as usize);
        let (bot, hash) = users.find_user(bots[0].name.clone()).await.unwrap().unwrap();
        assert_eq!((bot.owner.clone(), hash), (Some(name("ann")), None));
        assert_eq!((bot.guest, bot.is_bot(), bot.account_since), (false, true, Some(1)));
        assert_eq!((bots[0].created_at, bots[0].tokens), (1, 0));
        tested.store.add_token(bot.id, program(1)).await.unwrap();
        assert_eq!(users.bots_of(ann.id).await.unwrap()[0].tokens, 1);
        assert_eq!(users.bots_of(bot.id).await.unwrap(), []);
    }
}

#[tokio::test]
async fn a_guest_becomes_an_account_once() {
    for tested in TestedStore::all().await {
        let users = &tested.store;
        account(&tested.store, "bob").await;
        let visitor = guest(&tested.store, "visitor").await;
        assert!(visitor.guest && visitor.account_since.is_none());
        tested.store.add_token(visitor.id, log_in(1)).await.unwrap();
        let upgrade = |to: &str| users.upgrade_guest(visitor.id, name(to), "hash".to_owned(), 9);
        let refused = upgrade("B0B").await.unwrap();
        assert_eq!(refused, Some(CreateUserOutcome::NameTaken(name("bob"))));
        assert!(has_token(&tested.store, 1).await);
        // The guest's own name is free for the guest.
        let cy = created(upgrade("Visit0r").await.unwrap().unwrap());
        assert_eq!((cy.id, cy.name.as_str(), cy.guest), (visitor.id, "Visit0r", false));
        assert_eq!(cy.account_since, Some(9));
        assert!(!has_token(&tested.store, 1).await);
        assert_eq!(users.find_user(name("visitor")).await.unwrap(), None);
        assert_eq!(upgrade("visitor").await.unwrap(), None, "the user is no guest any more");
        assert_eq!(
            users.upgrade_guest(UserId(99_999), name("dee"), String::new(), 9).await.unwrap(),
            None
        );
    }
}

#[tokio::test]
async fn settings_are_stored_for_a_name_in_any_case() {
    for tested in TestedStore::all().await {
        let users = &tested.store;
        account(&tested.store, "Ann").await;
        let settings = UserSettings { challenges: Challengers::None };
        assert_ne!(settings, UserSettings::default());
        for known in ["ann", "nobody_"] {
            assert_eq!(users.settings(name(known)).await.unwrap(), UserSettings::default());
        }
        users.set_settings(name("ANN"), settings).await.unwrap();
        users.set_settings(name("nobody_"), settings).await.unwrap();
        assert_eq!(users.settings(name("ann")).await.unwrap(), settings);
        assert_eq!(users.settings(name("nobody_")).await.unwrap(), UserSettings::default());
        assert_eq!(users.session_seed(name("ann")).await.unwrap().settings, settings);
    }
}
