//! What a node reads that may have missed what others have said.

use adamant_protocol::values::TalkRoom;

use super::TestDatabase;
use crate::store::{NewLine, RecentLine, RecentLines, Talk as _};

/// Stores a line in a room of a game at a time.
async fn say(test: &TestDatabase, game: &str, room: TalkRoom, at: u64) {
    let line = NewLine {
        game: game.parse().unwrap(),
        room,
        by: "Ann".parse().unwrap(),
        req: format!("{game}{}{at}", room.as_str()).parse().unwrap(),
        at,
        text: format!("at {at}").into(),
    };
    test.store.say(line).await.unwrap();
}

#[tokio::test]
async fn the_lines_of_all_games_since_a_time_are_found() {
    let test = TestDatabase::open().await;
    for at in [10, 20, 30] {
        say(&test, "g1", TalkRoom::Players, at).await;
    }
    say(&test, "g2", TalkRoom::Spectators, 25).await;
    for n in [1, 2] {
        test.store.unsay("g1".parse().unwrap(), TalkRoom::Players, n, None).await.unwrap();
    }
    let recent = async |since, deleted_since, limit| {
        let lines = RecentLines { since, deleted_since, limit };
        let found: Vec<RecentLine> = test.store.recent(lines).await.unwrap();
        let brief = |found: RecentLine| {
            let said = found.line.map(|line| {
                assert_eq!((line.n, line.by.as_str()), (found.n, "Ann"));
                line.text.to_string()
            });
            (found.game.to_string(), found.room, found.n, said)
        };
        found.into_iter().map(brief).collect::<Vec<_>>()
    };
    let line = |game: &str, room, n, text: Option<&str>| {
        (game.to_owned(), room, n, text.map(str::to_owned))
    };
    let deleted = line("g1", TalkRoom::Players, 2, None);
    let elsewhere = line("g2", TalkRoom::Spectators, 1, Some("at 25"));
    let last = line("g1", TalkRoom::Players, 3, Some("at 30"));
    assert_eq!(recent(26, 11, 9).await, [deleted.clone(), last.clone()]);
    assert_eq!(recent(25, 25, 9).await, [elsewhere.clone(), last.clone()]);
    assert_eq!(recent(25, 11, 9).await, [deleted, elsewhere.clone(), last.clone()]);
    assert_eq!(recent(0, 0, 2).await, [elsewhere, last], "the latest ones");
}
