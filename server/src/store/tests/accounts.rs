//! What every store promises of users, tokens, passwords and the clean-up.

use super::*;

#[tokio::test]
async fn a_name_is_taken_in_any_case_and_by_lookalikes() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let bill = account(store, "Bill").await;
        for taken in ["Bill", "bill", "BILL", "b1ll", "biII"] {
            for kind in [NewUserKind::Guest, NewUserKind::Account("hash".to_owned())] {
                let refused = store.create_user(new_user(taken, kind), None).await.unwrap();
                assert_eq!(refused, CreateUserOutcome::NameTaken(name("Bill")), "{taken}");
            }
            let like = store.find_lookalike(name(taken)).await.unwrap();
            assert_eq!(like, Some(name("Bill")));
        }
        assert_eq!(store.find_lookalike(name("ball")).await.unwrap(), None);
        let (found, hash) = store.find_user(name("bILL")).await.unwrap().unwrap();
        assert_eq!((found, hash.as_deref()), (bill, Some("Bill")));
        assert_eq!(store.find_user(name("b1ll")).await.unwrap(), None);
    }
}

#[tokio::test]
async fn only_the_same_name_is_taken_for_the_servers_own_bots() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        account(store, "h0use").await;
        let house = new_user("house", NewUserKind::House);
        let bot = created(store.create_user(house.clone(), None).await.unwrap());
        assert!(bot.house && !bot.guest && bot.is_bot(), "{bot:?}");
        let again = store.create_user(house, None).await.unwrap();
        assert_eq!(again, CreateUserOutcome::NameTaken(name("house")));
        // The same name comes first.
        let like = store.find_lookalike(name("HOUSE")).await.unwrap();
        assert_eq!(like, Some(name("house")));
        let like = store.find_lookalike(name("h0use")).await.unwrap();
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
    for TestedStore { store, .. } in &TestedStore::all().await {
        let ann = account(store, "ann").await;
        let create = |number: u32| {
            store.create_user(new_user(&format!("bot_{number}_"), NewUserKind::Bot(ann.id)), None)
        };
        let outcomes = join_all((0..BOTS_PER_OWNER_MAX + 3).map(create)).await;
        let refused = outcomes
            .iter()
            .filter(|outcome| matches!(outcome, Ok(CreateUserOutcome::BotLimitReached)));
        assert_eq!(refused.count(), 3, "{outcomes:?}");
        let bots = store.bots_of(ann.id).await.unwrap();
        assert_eq!(bots.len(), BOTS_PER_OWNER_MAX as usize);
        let (bot, hash) = store.find_user(bots[0].name.clone()).await.unwrap().unwrap();
        assert_eq!((bot.owner.clone(), hash), (Some(name("ann")), None));
        assert_eq!((bot.guest, bot.is_bot(), bot.account_since), (false, true, Some(1)));
        assert_eq!((bots[0].created_at, bots[0].tokens), (1, 0));
        store.add_token(bot.id, program(1)).await.unwrap();
        assert_eq!(store.bots_of(ann.id).await.unwrap()[0].tokens, 1);
        assert_eq!(store.bots_of(bot.id).await.unwrap(), []);
    }
}

#[tokio::test]
async fn a_guest_becomes_an_account_once() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        account(store, "bob").await;
        let visitor = guest(store, "visitor").await;
        assert!(visitor.guest && visitor.account_since.is_none());
        store.add_token(visitor.id, log_in(1)).await.unwrap();
        let upgrade = |to: &str| store.upgrade_guest(visitor.id, name(to), "hash".to_owned(), 9);
        assert_eq!(upgrade("B0B").await.unwrap(), UpgradeOutcome::NameTaken(name("bob")));
        assert!(has_token(store, 1).await);
        // The guest's own name is free for the guest.
        let UpgradeOutcome::Upgraded(cy) = upgrade("Visit0r").await.unwrap() else {
            panic!("the name is free");
        };
        assert_eq!((cy.id, cy.name.as_str(), cy.guest), (visitor.id, "Visit0r", false));
        assert_eq!(cy.account_since, Some(9));
        assert!(!has_token(store, 1).await);
        assert_eq!(store.find_user(name("visitor")).await.unwrap(), None);
        assert_eq!(upgrade("visitor").await.unwrap(), UpgradeOutcome::NoGuest);
        let nobody = store.upgrade_guest(UserId(99_999), name("dee"), String::new(), 9);
        assert_eq!(nobody.await.unwrap(), UpgradeOutcome::NoGuest);
    }
}

#[tokio::test]
async fn settings_are_stored_for_a_name_in_any_case() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        account(store, "Ann").await;
        let settings = UserSettings { challenges: Challengers::None };
        assert_ne!(settings, UserSettings::default());
        for known in ["ann", "nobody_"] {
            assert_eq!(store.settings(name(known)).await.unwrap(), UserSettings::default());
        }
        store.set_settings(name("ANN"), settings).await.unwrap();
        store.set_settings(name("nobody_"), settings).await.unwrap();
        assert_eq!(store.settings(name("ann")).await.unwrap(), settings);
        assert_eq!(store.settings(name("nobody_")).await.unwrap(), UserSettings::default());
        assert_eq!(store.session_seed(name("ann")).await.unwrap().settings, settings);
    }
}

/// The bytes of a digest, the most significant first.
fn digest(number: u32) -> [u8; 32] {
    let mut digest = [0; 32];
    digest[..4].copy_from_slice(&number.to_be_bytes());
    digest
}

async fn add(store: &Store, owner: UserId, token: NewToken) -> Vec<[u8; 32]> {
    match store.add_token(owner, token).await.unwrap() {
        AddTokenOutcome::Added { evicted } => evicted,
        refused @ (AddTokenOutcome::PasswordChanged | AddTokenOutcome::LimitReached) => {
            panic!("{refused:?}")
        }
    }
}

#[tokio::test]
async fn a_token_opens_its_user_with_what_a_session_needs() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let ann = account(store, "Ann").await;
        account(store, "bob").await;
        account(store, "cy").await;
        for (relation, other) in [(Relation::Blocks, "cy"), (Relation::Mutes, "bob")] {
            store.relate(relation, name("ann"), name(other)).await.unwrap();
        }
        let label = "a \0 label".into();
        let token = NewToken { label, expires_at: Some(50), used_at: Some(7), ..program(1) };
        add(store, ann.id, token.clone()).await;
        let (user, stored, seed) = store.open_token([1; 32], ALWAYS).await.unwrap().unwrap();
        assert_eq!(user, ann);
        assert_eq!((stored.label, stored.bot, stored.created_at), (token.label, true, 1));
        assert_eq!(
            (stored.digest, stored.expires_at, stored.used_at),
            ([1; 32], Some(50), Some(7))
        );
        assert_eq!(seed.muted, [name("bob"), name("cy")]);
        assert_eq!((seed.ratings.len(), seed.settings), (0, UserSettings::default()));
        assert_eq!(store.open_token([2; 32], ALWAYS).await.unwrap(), None);
        assert_eq!(store.session_seed(name("ANN")).await.unwrap().muted, seed.muted);
        store.touch_tokens(vec![[1; 32]], 30).await.unwrap();
        add(store, ann.id, program(2)).await;
        store.touch_tokens(vec![[3; 32], [2; 32], [1; 32]], 31).await.unwrap();
        for known in [1, 2] {
            let opened = store.open_token([known; 32], ALWAYS).await.unwrap().unwrap();
            assert_eq!(opened.1.used_at, Some(31));
        }
        assert!(store.delete_token([1; 32]).await.unwrap());
        assert!(!store.delete_token([1; 32]).await.unwrap());
        assert_eq!(store.open_token([1; 32], ALWAYS).await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_token_is_valid_until_it_expires_or_is_not_used() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let ann = account(store, "ann").await;
        let house = new_user("house", NewUserKind::House);
        let house = created(store.create_user(house, None).await.unwrap());
        let used = |digest, used_at| NewToken { used_at: Some(used_at), ..log_in(digest) };
        add(store, ann.id, NewToken { expires_at: Some(50), ..used(1, 100) }).await;
        add(store, ann.id, NewToken { created_at: 40, ..log_in(2) }).await;
        add(store, ann.id, program(3)).await;
        add(store, house.id, log_in(4)).await;
        let valid = |now_ms, used_since| async move {
            let validity = Validity { now_ms, used_since };
            let each = (1..=4).map(|digest| store.has_token([digest; 32], validity));
            let mut valid = Vec::new();
            for (digest, has) in (1..=4).zip(join_all(each).await) {
                let opened = store.open_token([digest; 32], validity).await.unwrap();
                assert_eq!(has.unwrap(), opened.is_some());
                valid.extend(opened.map(|_| digest));
            }
            let asked = (1..=4).map(|digest| [digest; 32]).collect();
            let mut invalid = store.invalid_tokens(asked, validity).await.unwrap();
            invalid.sort_unstable();
            let rest = (1..=4).filter(|digest| !valid.contains(digest));
            assert_eq!(invalid, rest.map(|digest| [digest; 32]).collect::<Vec<_>>());
            valid
        };
        assert_eq!(valid(49, 40).await, [1, 2, 3, 4]);
        assert_eq!(valid(50, 40).await, [2, 3, 4]);
        assert_eq!(valid(49, 41).await, [1, 3, 4]);
        assert_eq!(valid(60, 101).await, [3, 4]);
    }
}

#[tokio::test]
async fn an_owner_sees_the_valid_tokens_of_the_bots_too_the_newest_first() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let ann = account(store, "ann").await;
        let bob = account(store, "bob").await;
        let bot = new_user("ann_bot", NewUserKind::Bot(ann.id));
        let bot = created(store.create_user(bot, None).await.unwrap());
        let at = |created_at, token: NewToken| NewToken { created_at, ..token };
        add(store, ann.id, at(5, log_in(1))).await;
        add(store, bot.id, at(7, program(3))).await;
        add(store, ann.id, at(7, program(2))).await;
        add(store, bob.id, at(8, log_in(4))).await;
        add(store, ann.id, NewToken { expires_at: Some(10), ..log_in(5) }).await;
        let listed = |now_ms| async move {
            let validity = Validity { now_ms, used_since: 0 };
            let tokens = store.tokens_under(ann.id, validity).await.unwrap();
            tokens.into_iter().map(|(user, token)| (user, token.digest[0])).collect::<Vec<_>>()
        };
        let (ann_bot, ann) = (name("ann_bot"), name("ann"));
        let three = [(ann.clone(), 2), (ann_bot, 3), (ann.clone(), 1)];
        assert_eq!(listed(10).await, three);
        assert_eq!(listed(9).await, [three.as_slice(), &[(ann, 5)]].concat());
    }
}

#[tokio::test]
async fn the_least_recently_used_log_in_makes_room() {
    for tested in TestedStore::all().await {
        let ann = account(&tested.store, "ann").await;
        let bob = account(&tested.store, "bob").await;
        add(&tested.store, bob.id, log_in(255)).await;
        let new = |number: u32, used_at| NewToken {
            digest: digest(number),
            created_at: 100,
            used_at,
            ..log_in(0)
        };
        for number in 0..TOKENS_PER_USER_MAX {
            // The first two are equally old.
            let used_at = (number > 1).then_some(u64::from(200 - number));
            assert_eq!(add(&tested.store, ann.id, new(number, used_at)).await, [[0; 32]; 0]);
        }
        add(&tested.store, ann.id, program(200)).await;
        // The new one stays, though it is used least recently.
        let oldest = NewToken { created_at: 1, ..new(1000, None) };
        assert_eq!(add(&tested.store, ann.id, oldest).await, [digest(1)]);
        assert_eq!(add(&tested.store, ann.id, new(1001, None)).await, [digest(1000)]);
        assert_eq!(add(&tested.store, ann.id, new(1002, Some(500))).await, [digest(1001)]);
        assert_eq!(add(&tested.store, ann.id, new(1003, Some(500))).await, [digest(0)]);
        let used_least = digest(TOKENS_PER_USER_MAX - 1);
        assert_eq!(add(&tested.store, ann.id, new(1004, Some(500))).await, [used_least]);
        assert!(has_token(&tested.store, 200).await && has_token(&tested.store, 255).await);
    }
}

#[tokio::test]
async fn the_number_of_program_tokens_is_limited_however_they_come() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let ann = account(store, "ann").await;
        let expired = NewToken { expires_at: Some(1), ..program(255) };
        add(store, ann.id, expired).await;
        let new = |number| NewToken { digest: digest(number), ..program(0) };
        let add = |number| store.add_token(ann.id, new(number));
        let outcomes = join_all((1..=TOKENS_PER_USER_MAX + 2).map(add)).await;
        let refused =
            outcomes.iter().filter(|outcome| matches!(outcome, Ok(AddTokenOutcome::LimitReached)));
        assert_eq!(refused.count(), 2, "{outcomes:?}");
        let listed = store.tokens_under(ann.id, Validity { now_ms: 1, used_since: 0 }).await;
        assert_eq!(listed.unwrap().len(), TOKENS_PER_USER_MAX as usize);
    }
}

#[tokio::test]
async fn a_password_changes_from_the_checked_one_and_ends_log_ins() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let ann = account(store, "ann").await;
        let bot = new_user("ann_bot", NewUserKind::Bot(ann.id));
        let bot = created(store.create_user(bot, None).await.unwrap());
        for digest in [1, 2] {
            add(store, ann.id, log_in(digest)).await;
        }
        add(store, ann.id, program(3)).await;
        add(store, bot.id, program(4)).await;
        let change = |old: &str, new: &str, bots| {
            store.change_password(PasswordChange {
                user: ann.id,
                old_hash: old.to_owned(),
                new_hash: new.to_owned(),
                keep: [1; 32],
                bots,
            })
        };
        let known = || async {
            let each = (1..=4).map(|digest| has_token(store, digest));
            join_all(each).await
        };
        assert!(!change("wrong", "new", true).await.unwrap());
        assert_eq!(known().await, [true, true, true, true]);
        assert!(change("ann", "new", false).await.unwrap());
        assert!(!change("ann", "new", false).await.unwrap());
        assert_eq!(known().await, [true, false, true, true]);
        assert_eq!(store.find_user(name("ann")).await.unwrap().unwrap().1.as_deref(), Some("new"));
        assert!(change("new", "newer", true).await.unwrap());
        assert_eq!(known().await, [true, false, false, false]);

        // A log-in that was checked against an earlier password is not stored.
        let checked = |hash: &str| NewToken { password_hash: Some(hash.to_owned()), ..log_in(9) };
        let late = store.add_token(ann.id, checked("new")).await.unwrap();
        assert_eq!(late, AddTokenOutcome::PasswordChanged);
        assert!(!has_token(store, 9).await);
        add(store, ann.id, checked("newer")).await;
        // Of two changes at the same moment one counts.
        let both = join_all(["a", "b"].map(|new| change("newer", new, false))).await;
        assert_eq!(both.into_iter().filter(|changed| *changed.as_ref().unwrap()).count(), 1);
    }
}

#[tokio::test]
async fn a_guest_is_a_program_if_its_first_token_says_so() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let [person, robot] = [guest(store, "one").await, guest(store, "two").await];
        let labelled = |token: NewToken| NewToken { label: GUEST_LABEL.into(), ..token };
        add(store, person.id, labelled(log_in(1))).await;
        add(store, person.id, program(2)).await;
        add(store, robot.id, labelled(program(3))).await;
        assert!(!store.is_guest_program(person.id).await.unwrap());
        assert!(store.is_guest_program(robot.id).await.unwrap());
    }
}

#[tokio::test]
async fn a_guest_is_deleted_without_tokens_and_games() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        let delete = async |text: &str| {
            let (user, _) = store.find_user(name(text)).await.unwrap().unwrap();
            store.delete_guest(user.id).await.unwrap();
            store.find_user(name(text)).await.unwrap().is_none()
        };
        guest(store, "idle").await;
        account(store, "account").await;
        let logged_in = guest(store, "loggedin").await;
        add(store, logged_in.id, log_in(1)).await;
        guest(store, "Player").await;
        tested.begin("g1", ["player", "account"]).await;
        assert!(delete("idle").await);
        for stays in ["account", "loggedin", "Player"] {
            assert!(!delete(stays).await, "{stays}");
        }
    }
}

#[tokio::test]
async fn a_sweep_deletes_invalid_tokens_and_unused_guests() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
        let ann = account(store, "ann").await;
        let house = new_user("house", NewUserKind::House);
        let house = created(store.create_user(house, None).await.unwrap());
        add(store, ann.id, NewToken { expires_at: Some(100), ..log_in(1) }).await;
        add(store, ann.id, NewToken { expires_at: Some(101), used_at: Some(50), ..log_in(2) })
            .await;
        add(store, ann.id, NewToken { used_at: Some(49), ..log_in(3) }).await;
        add(store, ann.id, NewToken { created_at: 50, ..log_in(4) }).await;
        add(store, ann.id, program(5)).await;
        add(store, ann.id, NewToken { expires_at: Some(99), ..program(6) }).await;
        add(store, house.id, log_in(7)).await;
        guest(store, "unused").await;
        for (player, game) in [("player", "g1"), ("other", "g2")] {
            guest(store, player).await;
            tested.begin(game, [player, "ann"]).await;
        }
        let returned = guest(store, "returned").await;
        add(store, returned.id, NewToken { used_at: Some(60), ..log_in(8) }).await;
        let left = guest(store, "left").await;
        add(store, left.id, NewToken { used_at: Some(59), ..log_in(9) }).await;
        let late = NewUserKind::Guest;
        let late = NewUser { created_at: 60, ..new_user("late", late) };
        created(store.create_user(late, None).await.unwrap());

        let validity = Validity { now_ms: 100, used_since: 50 };
        let swept = store.sweep(validity, 60).await.unwrap();
        assert_eq!(swept, Swept { tokens: 3, guests: 2 });
        let mut stays = Vec::new();
        for digest in 1..=9 {
            if has_token(store, digest).await {
                stays.push(digest);
            }
        }
        assert_eq!(stays, [2, 4, 5, 7, 8]);
        for (guest, is_known) in [
            ("unused", false),
            ("left", false),
            ("returned", true),
            ("player", true),
            ("late", true),
        ] {
            let found = store.find_user(name(guest)).await.unwrap();
            assert_eq!(found.is_some(), is_known, "{guest}");
        }
        let again = store.sweep(validity, 60).await.unwrap();
        assert_eq!(again, Swept { tokens: 0, guests: 0 });
    }
}

#[tokio::test]
async fn a_sweep_deletes_any_number_of_guests() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let names: Vec<_> = (0..450).map(|number| format!("guest_{number:04}_")).collect();
        for some in names.chunks(50) {
            let create = |text: &String| {
                let guest = new_user(text, NewUserKind::Guest);
                let number: u32 = text[6..10].parse().unwrap();
                let token = NewToken { digest: digest(number), ..log_in(0) };
                store.create_user(guest, Some(token))
            };
            for outcome in join_all(some.iter().map(create)).await {
                created(outcome.unwrap());
            }
        }
        let swept = store.sweep(Validity { now_ms: 9, used_since: 9 }, 9).await.unwrap();
        assert_eq!(swept, Swept { tokens: 450, guests: 450 });
    }
}
