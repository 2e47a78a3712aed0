//! What every store promises of talk.

use adamant_protocol::{GameId, values::TalkRoom};
use futures::future::join_all;

use super::{people::name, tested_store::TestedStore};
use crate::{
    limits::TALK_LINES_MAX,
    store::{NewLine, RecentLine, RecentLines, SayOutcome, Store, UnsayOutcome},
};

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
    for tested in TestedStore::all().await {
        let talk = &tested.store;
        for (n, text) in (1..).zip(["one", "two", "three"]) {
            let said = talk.say(line("Ann", text, text)).await.unwrap();
            assert_eq!(said, SayOutcome::New(n));
        }
        let elsewhere = [
            NewLine { room: TalkRoom::Spectators, ..line("ann", "other room", "x") },
            NewLine { game: game("g2"), ..line("ann", "one", "x") },
        ];
        for line in elsewhere {
            assert_eq!(talk.say(line).await.unwrap(), SayOutcome::New(1));
        }
        let said = |n, text: &str| (n, "Ann".to_owned(), text.to_owned());
        assert_eq!(lines(&tested.store, u64::MAX, 2).await, [said(2, "two"), said(3, "three")]);
        assert_eq!(lines(&tested.store, 2, 9).await, [said(1, "one")]);
        assert_eq!(lines(&tested.store, 1, 9).await, []);
    }
}

#[tokio::test]
async fn a_repeated_request_says_its_line_once() {
    for tested in TestedStore::all().await {
        let talk = &tested.store;
        let first = talk.say(line("Ann", "r", "hello")).await.unwrap();
        assert_eq!(first, SayOutcome::New(1));
        // The author's name ignores case, the request's id does not.
        let again = talk.say(line("ANN", "r", "hello")).await.unwrap();
        assert_eq!(again, SayOutcome::Repeated(1));
        let other_text = talk.say(line("ann", "r", "bye")).await.unwrap();
        assert_eq!(other_text, SayOutcome::IdReused);
        let other_room = NewLine { room: TalkRoom::Spectators, ..line("ann", "r", "hello") };
        assert_eq!(talk.say(other_room).await.unwrap(), SayOutcome::IdReused);
        assert_eq!(talk.say(line("ann", "R", "hello")).await.unwrap(), SayOutcome::New(2));
        assert_eq!(talk.say(line("bob", "r", "hello")).await.unwrap(), SayOutcome::New(3));
        talk.unsay(game("g1"), TalkRoom::Players, 1, None).await.unwrap();
        // The text of a deleted line is gone.
        assert_eq!(talk.say(line("ann", "r", "bye")).await.unwrap(), SayOutcome::Repeated(1));
        assert_eq!(lines(&tested.store, 9, 9).await.len(), 2);
    }
}

#[tokio::test]
async fn lines_at_the_same_moment_have_different_numbers() {
    for tested in TestedStore::all().await {
        let talk = &tested.store;
        let say = |number: u64| {
            // Each request comes twice, as it does if its node dies before it answers.
            talk.say(line(
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
    for tested in TestedStore::all().await {
        let talk = &tested.store;
        for req in ["a", "b"] {
            talk.say(line("Ann", req, req)).await.unwrap();
        }
        let unsay = |n, by: Option<(&str, u64)>| {
            let by = by.map(|(by, not_before)| (name(by), not_before));
            talk.unsay(game("g1"), TalkRoom::Players, n, by)
        };
        assert_eq!(unsay(3, Some(("ann", 0))).await.unwrap(), UnsayOutcome::NotFound);
        assert_eq!(unsay(1, Some(("bob", 0))).await.unwrap(), UnsayOutcome::NotAuthor);
        assert_eq!(unsay(1, Some(("ann", 11))).await.unwrap(), UnsayOutcome::TooLate);
        assert_eq!(unsay(1, Some(("ANN", 10))).await.unwrap(), UnsayOutcome::Deleted);
        // What is deleted is not too late to delete.
        assert_eq!(unsay(1, Some(("ann", 11))).await.unwrap(), UnsayOutcome::AlreadyDeleted);
        assert_eq!(unsay(2, None).await.unwrap(), UnsayOutcome::Deleted);
        assert_eq!(unsay(2, None).await.unwrap(), UnsayOutcome::AlreadyDeleted);
        assert_eq!(lines(&tested.store, 9, 9).await, []);
        // A deleted line keeps its number.
        assert_eq!(talk.say(line("ann", "c", "c")).await.unwrap(), SayOutcome::New(3));
    }
}

#[tokio::test]
async fn the_oldest_lines_are_deleted_above_the_limit() {
    for tested in TestedStore::all().await {
        let talk = &tested.store;
        for some in (0..TALK_LINES_MAX + 2).collect::<Vec<_>>().chunks(100) {
            let say = |number: &u64| talk.say(line("ann", &number.to_string(), "x"));
            join_all(some.iter().map(say)).await;
        }
        let kept = lines(&tested.store, u64::MAX, u32::MAX).await;
        assert_eq!(kept.len() as u64, TALK_LINES_MAX);
        assert_eq!(kept[0].0, 3);
    }
}

#[tokio::test]
async fn the_lines_of_all_games_since_a_time_are_found() {
    for tested in TestedStore::all().await {
        let store = &tested.store;
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
