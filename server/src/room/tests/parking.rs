//! Parking: when a room without clients closes, and when it stays open.

use super::*;
use crate::store::ArchivedState;

#[test]
fn room_parks_once_its_clients_have_left() {
    let mut script = Script::begin(TimeControl::None);
    let ann = Client::new(1, "ann");
    ann.join(&mut script);
    script.advance(3 * PARK_AFTER);
    assert!(script.is_open(), "a client is in the room");
    drop(ann);
    script.advance(PARK_AFTER);
    assert!(!script.is_open());
    assert_eq!(script.archived, [ArchivedState::Parked]);
}

#[test]
fn idle_time_counts_from_the_last_command() {
    let mut script = Script::begin(TimeControl::None);
    script.advance(PARK_AFTER.saturating_sub(Duration::from_millis(1)));
    let mut ann = Client::new(1, "ann");
    assert!(matches!(ann.act(&mut script, "m1", move_to(0, "c1-c2")), ToClient::Ok(_)));
    script.advance(PARK_AFTER.saturating_sub(Duration::from_millis(1)));
    assert!(script.is_open());
    script.advance_ms(1);
    assert!(!script.is_open());
}

#[test]
fn room_whose_clock_runs_out_soon_stays_open() {
    let park_after = milliseconds(PARK_AFTER);
    let mut script = Script::begin(TimeControl::PerMove { move_ms: 2 * park_after });
    both_move(&mut script);
    script.advance(PARK_AFTER + PARK_AFTER / 2);
    assert!(script.is_open());

    let mut script = Script::begin(TimeControl::PerMove { move_ms: 2 * park_after + 1 });
    both_move(&mut script);
    script.advance(PARK_AFTER);
    assert!(!script.is_open());
}

#[test]
fn parked_game_keeps_its_deadline() {
    let mut script = Script::begin(TimeControl::Days { per_move_days: 1 });
    script.advance(PARK_AFTER);
    assert!(!script.is_open());
    assert_eq!(script.parked.next_deadline(), Some(BEGINNING + 86_400_000));
}

#[test]
fn command_that_arrives_while_the_game_is_archived_is_left_to_the_next_room() {
    let mut script = Script::begin(TimeControl::None);
    script.now += milliseconds(PARK_AFTER);
    script.hand(Input::Deadline);
    assert!(matches!(script.question, Some(Output::Archive(_))));
    let mut ann = Client::new(1, "ann");
    ann.start_act(&mut script, "m1", move_to(0, "c1-c2"));
    script.settle();
    assert!(!script.is_open());
    script.reopen();
    let command = script.returned.pop_front().unwrap();
    script.send(command);
    assert!(matches!(ann.next_reply(), ToClient::Ok(_)));
}
