//! The rating of a finished game, also after a crash before it is recorded.

use futures::FutureExt as _;

use super::*;
use crate::{
    limits::APPEND_RETRIES_MAX,
    room::outcome::awaits_rating,
    store::{ArchivedState, Journal as _},
};

/// Begins a rated game of users with accounts.
fn begin_unplayed(users: &[&str]) -> Script {
    let mut setup = setup(users, TimeControl::None);
    setup.rated = true;
    for seat in Seat::all(users.len()) {
        setup.seats[seat].guest = false;
    }
    Script::begin_game(setup)
}

/// The same, after a move of each.
fn begin_rated(users: &[&str]) -> Script {
    let mut script = begin_unplayed(users);
    let moves: &[&str] =
        if users.len() == 2 { &["c1-c2", "c5-c4"] } else { &["d1-d2", "g4-f4", "a4-b4"] };
    for ((user, notation), turn) in users.iter().zip(moves).zip(0..) {
        let reply = Client::new(91, user).act(&mut script, "first", move_to(turn, notation));
        assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
    }
    script
}

/// Returns the rating change among the messages of a client.
fn rated(client: &mut Client) -> (Vec<u16>, Vec<u16>) {
    loop {
        if let EventBody::Rated(rated) = client.next_event() {
            return (rated.before, rated.after);
        }
    }
}

#[test]
fn rated_game_ends_with_its_rating_change() {
    let mut script = begin_rated(&["ann", "bob"]);
    let (mut ann, mut eve) = (Client::new(1, "ann"), Client::new(3, "eve"));
    ann.join(&mut script);
    eve.join(&mut script);
    let reply = ann.act(&mut script, "r", PlayerAction::Resign);
    assert!(matches!(reply, ToClient::Ok(done) if !done.dup));
    assert_eq!(rated(&mut eve), (vec![1500, 1500], vec![1338, 1662]));
    assert_eq!(script.kinds(4), ["ended", "rated"]);
    // Asked again, it is the same request; and nothing more is to come.
    let again = ann.act(&mut script, "r", PlayerAction::Resign);
    assert!(matches!(again, ToClient::Ok(done) if done.dup));
    let late = ann.act(&mut script, "late", PlayerAction::Abort);
    assert!(matches!(&late, ToClient::Error(failed) if failed.code == ErrorCode::GameOver));
    assert_eq!(script.kinds(4).len(), 2);
    assert_eq!(script.archived, [ArchivedState::Finished]);
}

#[test]
fn end_is_answered_at_once_and_published_when_it_is_rated_and_archived() {
    let mut script = begin_rated(&["ann", "bob"]);
    let (mut ann, mut bob) = (Client::new(1, "ann"), Client::new(2, "bob"));
    for client in [&mut ann, &mut bob] {
        client.join(&mut script);
        client.messages();
    }
    ann.start_act(&mut script, "r", PlayerAction::Resign);
    script.answer();
    assert!(matches!(&ann.messages()[..], [ToClient::Ok(_)]));
    script.answer();
    assert!(matches!(script.question, Some(Output::Archive(_))));
    assert_eq!((ann.messages(), bob.messages()), (vec![], vec![]));
    script.settle();
    for client in [&mut ann, &mut bob] {
        assert_eq!(event_kinds(&client.messages()), ["ended", "rated"]);
    }
}

#[test]
fn unrated_and_aborted_games_have_no_rating_change() {
    let unrated = Script::begin(TimeControl::None);
    for (mut script, action, kind) in [
        (unrated, PlayerAction::Resign, "ended"),
        (begin_unplayed(&["ann", "bob"]), PlayerAction::Abort, "aborted"),
        (begin_unplayed(&["ann", "bob"]), PlayerAction::Resign, "ended"),
    ] {
        let mut ann = Client::new(1, "ann");
        ann.join(&mut script);
        assert!(matches!(ann.act(&mut script, "r", action), ToClient::Ok(_)));
        assert_eq!(script.kinds(2), [kind]);
    }
}

#[test]
fn three_players_are_rated_by_their_places() {
    let mut script = begin_rated(&["ann", "bob", "cy"]);
    let (mut ann, mut cy) = (Client::new(1, "ann"), Client::new(2, "cy"));
    ann.join(&mut script);
    cy.join(&mut script);
    assert!(matches!(cy.act(&mut script, "r", PlayerAction::Resign), ToClient::Ok(_)));
    assert!(matches!(ann.act(&mut script, "m", move_to(4, "d2-d3")), ToClient::Ok(_)));
    assert!(matches!(ann.act(&mut script, "r", PlayerAction::Resign), ToClient::Ok(_)));
    let (_, after) = rated(&mut cy);
    let [ann, bob, cy] = after[..] else { panic!("{after:?}") };
    assert!(bob > ann && ann > cy, "{after:?}");
}

#[test]
fn missing_rating_is_recorded_by_the_next_load() {
    let mut script = begin_rated(&["ann", "bob"]);
    let (ann, eve) = (Client::new(1, "ann"), Client::new(3, "eve"));
    eve.join(&mut script);
    ann.join(&mut script);
    script.fates.push_back(Fate::Decided);
    script.fates.extend(vec![Fate::LostUnknown; usize::from(APPEND_RETRIES_MAX) + 1]);
    script.send(ann.acts("r", PlayerAction::Resign, script.now));
    assert!(!script.is_open() && script.fates.is_empty());
    assert_eq!(script.kinds(4), ["ended"], "the end was acknowledged and lasts");
    assert_eq!(eve.closed(), Some(CloseCode::Restart));
    assert_eq!(script.archived, []);

    for recoveries in 1..=2 {
        script.recover();
        assert_eq!(script.kinds(4), ["ended", "rated"]);
        assert_eq!(script.archived, vec![ArchivedState::Finished; recoveries]);
    }
    let loaded = script.load();
    assert!(!awaits_rating(&loaded.table, loaded.ratings.as_ref()));
    let stored = script.journal.rating_change(game()).now_or_never().unwrap().unwrap();
    assert_eq!(loaded.entry().ratings, stored);
}

#[test]
fn rating_with_an_unknown_outcome_is_recorded_once() {
    for fate in [Fate::StoredUnknown, Fate::LostUnknown, Fate::Conflict] {
        let mut script = begin_rated(&["ann", "bob"]);
        let (mut ann, mut eve) = (Client::new(1, "ann"), Client::new(3, "eve"));
        eve.join(&mut script);
        script.fates.extend([Fate::Decided, fate]);
        assert!(matches!(ann.act(&mut script, "r", PlayerAction::Resign), ToClient::Ok(_)));
        assert_eq!(script.kinds(4), ["ended", "rated"], "{fate:?}");
        let messages = eve.messages();
        assert_eq!(
            event_kinds(&messages),
            ["created", "started", "moved", "moved", "ended", "rated"],
            "{fate:?}"
        );
        assert_eq!(script.archived, [ArchivedState::Finished]);
    }
}
