//! The rating of a finished game, also after a crash before it is recorded.

use super::*;
use crate::room::archive_finished;

async fn start_rated(bench: &Bench, users: &[&str], rated: bool) -> RoomHandle {
    let player =
        |user: &&str| Player { user: (*user).into(), bot: false, guest: false, rating: None };
    let seats = BySeat::try_from_iter(users.iter().map(player)).unwrap();
    let kind = Kind::Adamas;
    let options = kind.complete(&Options::new(), users.len()).unwrap();
    let setup = Setup { kind, options, seats, clock: TimeControl::None, rated, delay: 0 };
    let new =
        NewGame { game: game(), setup, payers: Vec::new(), challenge: None, rematch_of: None };
    start(Arc::new(bench.context.clone()), new).await.unwrap()
}

/// The kinds of a game's records from the third on: after `created` and `started`.
async fn kinds(bench: &Bench) -> Vec<String> {
    let records = bench.records().await;
    let frames = records.iter().map(|record| EventFrame::from_bytes(record).unwrap());
    frames.skip(2).map(|frame| frame.body.kind().to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn rated_game_ends_with_its_rating_change() {
    let bench = Bench::new(Memory::default());
    let room = start_rated(&bench, &["ann", "bob"], true).await;
    let (mut ann, mut eve) = (Guest::new(1, "ann"), Guest::new(3, "eve"));
    ann.join(&room).await;
    eve.join(&room).await;
    ann.act(&room, "r", PlayerAction::Resign, bench.now()).await;
    let rated = loop {
        if let EventBody::Rated(rated) = eve.next_event().await {
            break rated;
        }
    };
    assert_eq!((rated.before, rated.after), (vec![1500, 1500], vec![1338, 1662]));
    assert_eq!(kinds(&bench).await, ["ended", "rated"]);
    // Asked again, it is the same request; and nothing more is to come.
    ann.act(&room, "r", PlayerAction::Resign, bench.now()).await;
    ann.act(&room, "late", PlayerAction::Abort, bench.now()).await;
    assert!(matches!(ann.next_reply().await, ToClient::Ok(done) if !done.dup));
    assert!(matches!(ann.next_reply().await, ToClient::Ok(done) if done.dup));
    let late = ann.next_reply().await;
    assert!(matches!(&late, ToClient::Error(failed) if failed.code == ErrorCode::GameOver));
    assert_eq!(kinds(&bench).await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn unrated_and_aborted_games_have_no_rating_change() {
    for (rated, action, kind) in
        [(false, PlayerAction::Resign, "ended"), (true, PlayerAction::Abort, "aborted")]
    {
        let bench = Bench::new(Memory::default());
        let room = start_rated(&bench, &["ann", "bob"], rated).await;
        let mut ann = Guest::new(1, "ann");
        ann.join(&room).await;
        ann.act(&room, "r", action, bench.now()).await;
        assert!(matches!(ann.next_reply().await, ToClient::Ok(_)));
        assert_eq!(kinds(&bench).await, [kind]);
    }
}

#[tokio::test(start_paused = true)]
async fn three_players_are_rated_by_their_places() {
    let bench = Bench::new(Memory::default());
    let room = start_rated(&bench, &["ann", "bob", "cy"], true).await;
    let (mut ann, mut cy) = (Guest::new(1, "ann"), Guest::new(2, "cy"));
    ann.join(&room).await;
    cy.join(&room).await;
    cy.act(&room, "r", PlayerAction::Resign, bench.now()).await;
    assert!(matches!(cy.next_reply().await, ToClient::Ok(_)));
    ann.act(&room, "m", move_to(1, "d1-d2"), bench.now()).await;
    assert!(matches!(ann.next_reply().await, ToClient::Ok(_)));
    ann.act(&room, "r", PlayerAction::Resign, bench.now()).await;
    let rated = loop {
        if let EventBody::Rated(rated) = cy.next_event().await {
            break rated;
        }
    };
    let [ann, bob, cy] = rated.after[..] else { panic!("{rated:?}") };
    assert!(bob > ann && ann > cy, "{rated:?}");
}

/// Whether an append records a rating change.
fn records_rating(append: &Append) -> bool {
    let frame = EventFrame::from_bytes(&append.records[0]).unwrap();
    matches!(frame.body, EventBody::Rated(_))
}

#[tokio::test(start_paused = true)]
async fn missing_rating_is_recorded_by_the_next_load() {
    let journal = Arc::new(Memory::default());
    let bench = Bench::new(FakeJournal::sharing(&journal).failing(records_rating));
    let room = start_rated(&bench, &["ann", "bob"], true).await;
    let eve = Guest::new(3, "eve");
    let ann = Guest::new(1, "ann");
    eve.join(&room).await;
    ann.join(&room).await;
    ann.act(&room, "r", PlayerAction::Resign, bench.now()).await;
    room.ended().await;
    assert_eq!(kinds(&bench).await, ["ended"], "the end was acknowledged and lasts");
    assert_eq!(eve.client.outbox.ended().await, SessionEnd::Close(CloseCode::Restart));

    let later = Bench::new(FakeJournal::sharing(&journal));
    for _ in 0..2 {
        let loaded = LoadedGame::replay(&later.records().await).unwrap().unwrap();
        archive_finished(Arc::new(later.context.clone()), loaded).await.unwrap();
        assert_eq!(kinds(&later).await, ["ended", "rated"]);
    }
    let loaded = LoadedGame::replay(&later.records().await).unwrap().unwrap();
    assert!(!loaded.awaits_rating());
    assert_eq!(loaded.entry().ratings, journal.rating_change(game()).await.unwrap());
}
