//! What every store promises of talk, mutes and blocks, push subscriptions and webhooks.

use super::*;

fn game(id: &str) -> GameId {
    id.parse().unwrap()
}

fn line(by: &str, req: &str, text: &str) -> NewLine {
    NewLine {
        game: game("g1"),
        room: TalkRoom::Players,
        by: name(by),
        req: req.parse().unwrap(),
        at: 10,
        text: text.into(),
    }
}

/// Returns the lines in the room of the players as number, author and text.
async fn lines(store: &Store, before: u64, limit: u32) -> Vec<(u64, String, String)> {
    let lines = store.talk(game("g1"), TalkRoom::Players, before, limit).await.unwrap();
    lines.into_iter().map(|line| (line.n, line.by.to_string(), line.text.to_string())).collect()
}

#[tokio::test]
async fn lines_are_numbered_by_game_and_room() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        for (n, text) in (1..).zip(["one", "two", "three"]) {
            let said = store.say(line("Ann", text, text)).await.unwrap();
            assert_eq!(said, SayOutcome::New(n));
        }
        let elsewhere = [
            NewLine { room: TalkRoom::Spectators, ..line("ann", "other room", "x") },
            NewLine { game: game("g2"), ..line("ann", "one", "x") },
        ];
        for line in elsewhere {
            assert_eq!(store.say(line).await.unwrap(), SayOutcome::New(1));
        }
        let said = |n, text: &str| (n, "Ann".to_owned(), text.to_owned());
        assert_eq!(lines(store, u64::MAX, 2).await, [said(2, "two"), said(3, "three")]);
        assert_eq!(lines(store, 2, 9).await, [said(1, "one")]);
        assert_eq!(lines(store, 1, 9).await, []);
    }
}

#[tokio::test]
async fn a_repeated_request_says_its_line_once() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let first = store.say(line("Ann", "r", "hello")).await.unwrap();
        assert_eq!(first, SayOutcome::New(1));
        // The author's name ignores case, the request's id does not.
        let again = store.say(line("ANN", "r", "hello")).await.unwrap();
        assert_eq!(again, SayOutcome::Repeated(1));
        let other_text = store.say(line("ann", "r", "bye")).await.unwrap();
        assert_eq!(other_text, SayOutcome::IdReused);
        let other_room = NewLine { room: TalkRoom::Spectators, ..line("ann", "r", "hello") };
        assert_eq!(store.say(other_room).await.unwrap(), SayOutcome::IdReused);
        assert_eq!(store.say(line("ann", "R", "hello")).await.unwrap(), SayOutcome::New(2));
        assert_eq!(store.say(line("bob", "r", "hello")).await.unwrap(), SayOutcome::New(3));
        store.unsay(game("g1"), TalkRoom::Players, 1, None).await.unwrap();
        // The text of a deleted line is gone.
        assert_eq!(store.say(line("ann", "r", "bye")).await.unwrap(), SayOutcome::Repeated(1));
        assert_eq!(lines(store, 9, 9).await.len(), 2);
    }
}

#[tokio::test]
async fn lines_at_the_same_moment_have_different_numbers() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let say = |number: u64| {
            // Each request comes twice, as it does if its node dies before it answers.
            store.say(line(
                ["ann", "bob"][usize::from(number.is_multiple_of(2))],
                &format!("{}", number / 4),
                "x",
            ))
        };
        let outcomes = join_all((0..40).map(say)).await;
        let mut numbers = Vec::new();
        for outcome in outcomes {
            match outcome.unwrap() {
                SayOutcome::New(n) => numbers.push(n),
                SayOutcome::Repeated(n) => assert!(n <= 20),
                SayOutcome::IdReused => panic!("the same line"),
            }
        }
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=20).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn an_author_deletes_a_recent_line_and_an_operator_any() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        for req in ["a", "b"] {
            store.say(line("Ann", req, req)).await.unwrap();
        }
        let unsay = |n, by: Option<(&str, u64)>| {
            let by = by.map(|(by, not_before)| (name(by), not_before));
            store.unsay(game("g1"), TalkRoom::Players, n, by)
        };
        assert_eq!(unsay(3, Some(("ann", 0))).await.unwrap(), UnsayOutcome::NotFound);
        assert_eq!(unsay(1, Some(("bob", 0))).await.unwrap(), UnsayOutcome::NotAuthor);
        assert_eq!(unsay(1, Some(("ann", 11))).await.unwrap(), UnsayOutcome::TooLate);
        assert_eq!(unsay(1, Some(("ANN", 10))).await.unwrap(), UnsayOutcome::Deleted);
        // What is deleted is not too late to delete.
        assert_eq!(unsay(1, Some(("ann", 11))).await.unwrap(), UnsayOutcome::AlreadyDeleted);
        assert_eq!(unsay(2, None).await.unwrap(), UnsayOutcome::Deleted);
        assert_eq!(unsay(2, None).await.unwrap(), UnsayOutcome::AlreadyDeleted);
        assert_eq!(lines(store, 9, 9).await, []);
        // A deleted line keeps its number.
        assert_eq!(store.say(line("ann", "c", "c")).await.unwrap(), SayOutcome::New(3));
    }
}

#[tokio::test]
async fn the_oldest_lines_are_deleted_above_the_limit() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        for some in (0..TALK_LINES_MAX + 2).collect::<Vec<_>>().chunks(100) {
            let say = |number: &u64| store.say(line("ann", &number.to_string(), "x"));
            join_all(some.iter().map(say)).await;
        }
        let kept = lines(store, u64::MAX, u32::MAX).await;
        assert_eq!(kept.len() as u64, TALK_LINES_MAX);
        assert_eq!(kept[0].0, 3);
    }
}

#[tokio::test]
async fn the_lines_of_all_games_since_a_time_are_found() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let say = async |game: &str, room: TalkRoom, at| {
            let req = format!("{game}{}{at}", room.as_str());
            let text = format!("at {at}");
            let line = line("Ann", &req, &text);
            let game = game.parse().unwrap();
            store.say(NewLine { game, room, at, ..line }).await.unwrap();
        };
        for at in [10, 20, 30] {
            say("g1", TalkRoom::Players, at).await;
        }
        say("g2", TalkRoom::Spectators, 25).await;
        for n in [1, 2] {
            store.unsay("g1".parse().unwrap(), TalkRoom::Players, n, None).await.unwrap();
        }
        let recent = async |since, deleted_since, limit| {
            let lines = RecentLines { since, deleted_since, limit };
            let found: Vec<RecentLine> = store.recent_talk(lines).await.unwrap();
            let brief = |found: RecentLine| {
                let said = found.line.map(|line| {
                    assert_eq!((line.n, line.by.as_str()), (found.n, "Ann"));
                    line.text.to_string()
                });
                (found.game.to_string(), found.room, found.n, said)
            };
            found.into_iter().map(brief).collect::<Vec<_>>()
        };
        let row = |game: &str, room, n, text: Option<&str>| {
            (game.to_owned(), room, n, text.map(str::to_owned))
        };
        let deleted = row("g1", TalkRoom::Players, 2, None);
        let elsewhere = row("g2", TalkRoom::Spectators, 1, Some("at 25"));
        let last = row("g1", TalkRoom::Players, 3, Some("at 30"));
        assert_eq!(recent(26, 11, 9).await, [deleted.clone(), last.clone()]);
        assert_eq!(recent(25, 25, 9).await, [elsewhere.clone(), last.clone()]);
        assert_eq!(recent(25, 11, 9).await, [deleted, elsewhere.clone(), last.clone()]);
        assert_eq!(recent(0, 0, 2).await, [elsewhere, last], "the latest ones");
    }
}

#[tokio::test]
async fn those_whom_a_user_mutes_or_blocks_are_hidden() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        for user in ["Ann", "bob", "Cy", "dee"] {
            account(store, user).await;
        }
        let relate = |relation, other| store.relate(relation, name("ann"), name(other));
        let stored = |hidden: &[&str]| {
            RelateOutcome::Stored(hidden.iter().map(|hidden| name(hidden)).collect())
        };
        assert_eq!(relate(Relation::Mutes, "DEE").await.unwrap(), stored(&["dee"]));
        assert_eq!(relate(Relation::Mutes, "cy").await.unwrap(), stored(&["Cy", "dee"]));
        assert_eq!(relate(Relation::Blocks, "cy").await.unwrap(), stored(&["Cy", "dee"]));
        assert_eq!(relate(Relation::Blocks, "bob").await.unwrap(), stored(&["bob", "Cy", "dee"]));
        assert_eq!(relate(Relation::Mutes, "eve").await.unwrap(), RelateOutcome::UserNotFound);
        let back = store.relate(Relation::Blocks, name("dee"), name("ANN")).await.unwrap();
        assert_eq!(back, stored(&["Ann"]));

        let related = |relation, user| store.related(relation, name(user));
        assert_eq!(related(Relation::Mutes, "ann").await.unwrap(), [name("Cy"), name("dee")]);
        assert_eq!(related(Relation::Blocks, "ANN").await.unwrap(), [name("bob"), name("Cy")]);
        assert_eq!(related(Relation::Blocks, "bob").await.unwrap(), []);
        let mut around = store.blocks_around(name("ANN")).await.unwrap();
        around.sort_by_key(|block| (block.by.clone(), block.user.clone()));
        let block = |by, user| Block { by: name(by), user: name(user) };
        assert_eq!(around, [block("Ann", "Cy"), block("Ann", "bob"), block("dee", "Ann")]);

        let unrelate = |relation, other| store.unrelate(relation, name("ann"), name(other));
        let both = unrelate(Relation::Blocks, "CY").await.unwrap();
        assert_eq!(both, [name("bob"), name("Cy"), name("dee")], "cy is muted still");
        let rest = unrelate(Relation::Mutes, "Cy").await.unwrap();
        assert_eq!(rest, [name("bob"), name("dee")]);
        assert_eq!(unrelate(Relation::Mutes, "Cy").await.unwrap(), rest);
    }
}

#[tokio::test]
async fn the_number_of_mutes_is_limited_however_they_come() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        account(store, "ann").await;
        let others: Vec<_> =
            (0..RELATIONS_PER_USER_MAX + 2).map(|number| format!("user_{number:03}_")).collect();
        for some in others.chunks(50) {
            join_all(some.iter().map(|other| guest(store, other))).await;
        }
        let mute = |other: &String| store.relate(Relation::Mutes, name("ann"), name(other));
        let outcomes = join_all(others.iter().map(mute)).await;
        let refused =
            outcomes.iter().filter(|outcome| matches!(outcome, Ok(RelateOutcome::LimitReached)));
        assert_eq!(refused.count(), 2);
        // Each relation has a limit of its own.
        let blocked = store.relate(Relation::Blocks, name("ann"), name(&others[0])).await;
        assert!(matches!(blocked.unwrap(), RelateOutcome::Stored(_)));
        let muted = store.related(Relation::Mutes, name("ann")).await.unwrap();
        assert_eq!(muted.len(), RELATIONS_PER_USER_MAX as usize);
    }
}

#[tokio::test]
async fn a_relation_ends_with_either_user() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        account(store, "ann").await;
        let visitor = guest(store, "visitor").await;
        for (user, other) in [("ann", "visitor"), ("visitor", "ann")] {
            for relation in [Relation::Mutes, Relation::Blocks] {
                store.relate(relation, name(user), name(other)).await.unwrap();
            }
        }
        store.delete_guest(visitor.id).await.unwrap();
        assert_eq!(store.related(Relation::Mutes, name("ann")).await.unwrap(), []);
        assert_eq!(store.blocks_around(name("ann")).await.unwrap(), []);
    }
}

fn subscription(endpoint: &str, created_at: u64) -> StoredSubscription {
    let endpoint = endpoint.into();
    StoredSubscription { endpoint, key: vec![4, 0, 255], auth: [7; 16], created_at, failures: 0 }
}

async fn logged_in(store: &Store, text: &str, digests: &[u8]) -> UserId {
    let user = account(store, text).await;
    for digest in digests {
        store.add_token(user.id, log_in(*digest)).await.unwrap();
    }
    user.id
}

async fn endpoints(store: &Store, user: &str) -> Vec<(String, u32)> {
    let found = store.subscriptions(name(user)).await.unwrap();
    found.into_iter().map(|found| (found.endpoint.into_string(), found.failures)).collect()
}

#[tokio::test]
async fn a_subscription_belongs_to_its_log_in() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        logged_in(store, "Ann", &[1, 2]).await;
        logged_in(store, "bob", &[3]).await;
        let add =
            |token, endpoint, at| store.add_subscription([token; 32], subscription(endpoint, at));
        assert!(!add(9, "a", 1).await.unwrap(), "there is no such token");
        assert!(add(1, "b", 2).await.unwrap());
        assert!(add(2, "c", 1).await.unwrap());
        assert!(add(2, "a", 1).await.unwrap());
        let found = store.subscriptions(name("ANN")).await.unwrap();
        let all = [subscription("a", 1), subscription("c", 1), subscription("b", 2)];
        assert_eq!(found, all, "the oldest first");
        // The browser's new user takes it over.
        assert!(add(3, "a", 5).await.unwrap());
        assert_eq!(store.subscriptions(name("bob")).await.unwrap(), [subscription("a", 5)]);
        let delete = |user, endpoint: &str| store.delete_subscription(name(user), endpoint.into());
        assert!(!delete("ann", "a").await.unwrap(), "it is bob's");
        assert!(delete("BOB", "a").await.unwrap());
        assert!(!delete("bob", "a").await.unwrap());
        store.delete_token([2; 32]).await.unwrap();
        assert_eq!(endpoints(store, "ann").await, [("b".to_owned(), 0)]);
    }
}

#[tokio::test]
async fn the_oldest_subscription_makes_room() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        logged_in(store, "ann", &[1, 2]).await;
        let max = u64::from(PUSH_SUBSCRIPTIONS_PER_USER_MAX);
        let add = |number: u64| {
            let token = [1 + u8::from(number.is_multiple_of(2)); 32];
            let new = subscription(&format!("push{number:03}"), 100 + number);
            store.add_subscription(token, new)
        };
        for added in join_all((0..max + 2).map(add)).await {
            assert!(added.unwrap());
        }
        let kept = endpoints(store, "ann").await;
        assert_eq!(kept.len() as u64, max);
        // The new one stays, though it is the oldest.
        store.add_subscription([1; 32], subscription("new", 1)).await.unwrap();
        let kept = endpoints(store, "ann").await;
        assert_eq!((kept.len() as u64, kept[0].0.as_str()), (max, "new"));
    }
}

#[tokio::test]
async fn failures_in_a_row_end_a_subscription() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        logged_in(store, "ann", &[1]).await;
        for endpoint in ["a", "b"] {
            store.add_subscription([1; 32], subscription(endpoint, 1)).await.unwrap();
        }
        let settle = |endpoint: &str, result| store.settle_subscription(endpoint.into(), result);
        for failures in 1..NOTIFICATION_FAILURES_MAX {
            settle("a", DeliveryResult::Failed).await.unwrap();
            assert_eq!(endpoints(store, "ann").await[0], ("a".to_owned(), failures));
        }
        settle("a", DeliveryResult::Delivered).await.unwrap();
        assert_eq!(endpoints(store, "ann").await[0].1, 0);
        for _ in 0..NOTIFICATION_FAILURES_MAX {
            settle("a", DeliveryResult::Failed).await.unwrap();
        }
        assert_eq!(endpoints(store, "ann").await, [("b".to_owned(), 0)]);
        settle("b", DeliveryResult::Gone).await.unwrap();
        settle("b", DeliveryResult::Failed).await.unwrap();
        assert_eq!(endpoints(store, "ann").await, []);
    }
}

#[tokio::test]
async fn a_user_has_one_webhook_whose_failures_count() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let ann = logged_in(store, "Ann", &[]).await;
        let webhook = |secret: &str, failures| StoredWebhook {
            user: ann,
            url: "https://example.org/hook".into(),
            secret: secret.into(),
            created_at: 5,
            failures,
        };
        let stored = || store.webhook(name("ANN"));
        assert_eq!(stored().await.unwrap(), None);
        store.set_webhook(webhook("old", 0)).await.unwrap();
        let settle = |secret, result| store.settle_webhook(webhook(secret, 0), result);
        assert_eq!(settle("old", DeliveryResult::Failed).await.unwrap(), 1);
        assert_eq!(settle("old", DeliveryResult::Gone).await.unwrap(), 2);
        assert_eq!(stored().await.unwrap(), Some(webhook("old", 2)));
        assert_eq!(settle("old", DeliveryResult::Delivered).await.unwrap(), 0);
        settle("old", DeliveryResult::Failed).await.unwrap();
        store.set_webhook(webhook("new", 0)).await.unwrap();
        assert_eq!(settle("old", DeliveryResult::Failed).await.unwrap(), 0, "it was replaced");
        assert_eq!(stored().await.unwrap(), Some(webhook("new", 0)));
        assert!(store.delete_webhook(ann).await.unwrap());
        assert!(!store.delete_webhook(ann).await.unwrap());
        assert_eq!(stored().await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_notice_is_sent_by_one_process_at_a_time() {
    for TestedStore { store, .. } in &TestedStore::all().await {
        let notice = |id, overdue_at| StoredNotice { id, overdue_at, occasion: "{}".into() };
        store.add_notice(notice(u64::MAX >> 1, 5)).await.unwrap();
        store.add_notice(notice(7, 9)).await.unwrap();
        assert_eq!(store.take_notices(4, 100).await.unwrap(), []);
        assert!(store.claim_notice(7, 9, 50).await.unwrap());
        assert!(!store.claim_notice(7, 9, 60).await.unwrap(), "another has prolonged it");
        let taken = store.take_notices(20, 100).await.unwrap();
        assert_eq!(taken, [notice(u64::MAX >> 1, 100)]);
        assert_eq!(store.take_notices(20, 110).await.unwrap(), [], "it is taken");
        assert!(!store.claim_notice(u64::MAX >> 1, 5, 60).await.unwrap());
        assert_eq!(store.take_notices(50, 120).await.unwrap(), [notice(7, 120)]);
        store.delete_notice(7).await.unwrap();
        assert!(!store.claim_notice(7, 120, 130).await.unwrap());
        let rest = store.take_notices(1000, 2000).await.unwrap();
        assert_eq!(rest, [notice(u64::MAX >> 1, 2000)]);
    }
}
