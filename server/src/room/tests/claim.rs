//! Claims that a player has abandoned the game.

use adamant_protocol::{
    event::{AbortReason, EndReason, LeaveReason},
    to_client::Failed,
};

use super::*;
use crate::limits::PRESENCE_GRACE;

const MS: Duration = Duration::from_millis(1);

fn claim(seat: Option<u8>) -> PlayerAction {
    PlayerAction::Claim { seat }
}

impl Client {
    /// Claims under a new id.
    fn claims(&mut self, script: &mut Script, seat: Option<u8>) -> ToClient {
        let id = format!("claim {} {seat:?}", script.now);
        self.act(script, &id, claim(seat))
    }

    fn is_refused(&mut self, script: &mut Script, seat: Option<u8>) -> Failed {
        let reply = self.claims(script, seat);
        let ToClient::Error(failed) = reply else { panic!("{reply:?}") };
        failed
    }
}

#[test]
fn claim_is_possible_after_the_wait_and_only_once() {
    let mut script = Script::begin(TimeControl::PerMove { move_ms: 3_600_000 });
    both_move(&mut script);
    let (mut ann, bob) = (Client::new(1, "ann"), Client::new(2, "bob"));
    ann.join(&mut script);
    bob.join(&mut script);
    assert!(matches!(ann.act(&mut script, "second", move_to(2, "c2-c3")), ToClient::Ok(_)));
    let here = ann.is_refused(&mut script, Some(1));
    assert_eq!((here.code, &*here.message), (ErrorCode::Forbidden, "seat 1 is here"));
    assert_eq!(ann.is_refused(&mut script, None).code, ErrorCode::Forbidden);
    drop(bob);
    script.advance(CLAIM_AFTER.timed.saturating_sub(MS));
    let early = ann.is_refused(&mut script, None);
    assert_eq!((early.code, early.retry_after_ms), (ErrorCode::TooSoon, Some(1)));

    // It counts by its arrival.
    ann.messages();
    let received_at = script.now + 1;
    let reply = ann.act_at(&mut script, "c", claim(None), received_at);
    assert!(matches!(&reply, ToClient::Ok(done) if done.seq == Some(6)), "{reply:?}");
    let EventBody::Ended(ended) = ann.next_event() else { panic!("no end") };
    assert_eq!((ended.reason, ended.winners), (EndReason::Abandoned, vec![0]));
    assert_eq!((ended.by, ended.claimed_by), (Some(1), Some(0)));

    script.reopen();
    for seat in [None, Some(1)] {
        let again = ann.act(&mut script, "c", claim(seat));
        assert!(matches!(&again, ToClient::Ok(done) if done.dup && done.seq == Some(6)));
    }
    let other = ann.act(&mut script, "c", claim(Some(0)));
    assert!(matches!(other, ToClient::Error(failed) if failed.code == ErrorCode::IdReuse));
    assert_eq!(ann.is_refused(&mut script, None).code, ErrorCode::GameOver);
}

#[test]
fn player_who_returns_in_time_cannot_be_claimed() {
    let mut script = Script::begin(TimeControl::None);
    let (mut ann, bob) = (Client::new(1, "ann"), Client::new(2, "bob"));
    ann.join(&mut script);
    bob.join(&mut script);
    assert!(matches!(ann.act(&mut script, "m", move_to(0, "c1-c2")), ToClient::Ok(_)));
    drop(bob);
    script.advance(CLAIM_AFTER.untimed);
    let back = Client::new(3, "bob");
    back.join(&mut script);
    assert_eq!(ann.is_refused(&mut script, None).code, ErrorCode::Forbidden);
    drop(back);
    let anew = ann.is_refused(&mut script, None);
    assert_eq!(anew.code, ErrorCode::Forbidden, "he has only just gone: {anew:?}");
    script.advance(PRESENCE_GRACE);
    assert_eq!(ann.is_refused(&mut script, None).code, ErrorCode::TooSoon);
}

/// A player who has moved may leave: the game waits for the other seat.
#[test]
fn absent_player_who_is_not_to_move_cannot_be_claimed() {
    let mut script = Script::begin(TimeControl::None);
    let (mut ann, mut bob) = (Client::new(1, "ann"), Client::new(2, "bob"));
    ann.join(&mut script);
    // Bob never comes: ann has the first move, and thinks about it.
    script.advance(3 * CLAIM_AFTER.untimed);
    for seat in [None, Some(1)] {
        let refused = ann.is_refused(&mut script, seat);
        assert_eq!(refused.code, ErrorCode::Forbidden);
        let message = "you can claim only that the player whose turn it is has gone";
        assert_eq!(&*refused.message, message);
    }
    // His turn has begun only now, and the wait with it.
    assert!(matches!(ann.act(&mut script, "m", move_to(0, "c1-c2")), ToClient::Ok(_)));
    let early = ann.is_refused(&mut script, None);
    let wait = milliseconds(CLAIM_AFTER.untimed);
    assert_eq!((early.code, early.retry_after_ms), (ErrorCode::TooSoon, Some(wait)));
    script.advance(CLAIM_AFTER.untimed.saturating_sub(MS));
    assert_eq!(ann.is_refused(&mut script, None).retry_after_ms, Some(1));
    // He moves without staying, and has gone when his next turn begins: it counts anew.
    assert!(matches!(bob.act(&mut script, "m", move_to(1, "c5-c4")), ToClient::Ok(_)));
    script.advance(CLAIM_AFTER.untimed);
    assert_eq!(ann.is_refused(&mut script, None).code, ErrorCode::Forbidden);
    assert!(matches!(ann.act(&mut script, "m2", move_to(2, "c2-c3")), ToClient::Ok(_)));
    // A room that is opened again goes on counting from where it was.
    script.advance(CLAIM_AFTER.untimed / 2);
    drop(ann);
    script.advance(2 * PARK_AFTER);
    assert!(!script.is_open());
    script.reopen();
    let mut ann = Client::new(3, "ann");
    ann.join(&mut script);
    let left = wait - wait / 2 - 2 * milliseconds(PARK_AFTER);
    assert_eq!(ann.is_refused(&mut script, None).retry_after_ms, Some(left));
    script.advance_ms(left);
    assert!(matches!(ann.claims(&mut script, None), ToClient::Ok(_)));
}

#[test]
fn correspondence_games_allow_no_claim() {
    let mut script = Script::begin(TimeControl::Days { per_move_days: 3 });
    let mut bob = Client::new(2, "bob");
    bob.join(&mut script);
    script.advance(2 * CLAIM_AFTER.untimed);
    assert_eq!(bob.is_refused(&mut script, Some(0)).code, ErrorCode::Forbidden);
}

#[test]
fn claim_among_three_removes_the_seat_to_move() {
    let mut script = Script::begin_game(setup(&["ann", "bob", "cy"], TimeControl::None));
    for ((user, notation), turn) in
        [("ann", "d1-d2"), ("bob", "g4-f4"), ("cy", "a4-b4")].into_iter().zip(0..)
    {
        let reply = Client::new(91, user).act(&mut script, "first", move_to(turn, notation));
        assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
    }
    let mut cy = Client::new(3, "cy");
    // Ann is to move; bob has been away for longer, for he never came.
    let ann = Client::new(1, "ann");
    cy.join(&mut script);
    ann.join(&mut script);
    script.advance(Duration::from_mins(1));
    drop(ann);
    script.advance(CLAIM_AFTER.untimed.saturating_sub(Duration::from_mins(1)));
    assert_eq!(cy.is_refused(&mut script, None).code, ErrorCode::TooSoon);
    assert_eq!(cy.is_refused(&mut script, Some(7)).code, ErrorCode::BadMessage);
    for seat in [1, 2] {
        assert_eq!(cy.is_refused(&mut script, Some(seat)).code, ErrorCode::Forbidden);
    }

    script.advance(Duration::from_mins(1));
    cy.messages();
    assert!(matches!(cy.claims(&mut script, None), ToClient::Ok(_)));
    let EventBody::Removed(removed) = cy.next_event() else { panic!("no player is removed") };
    assert_eq!((removed.seat, removed.reason), (0, LeaveReason::Abandoned));
    assert_eq!((removed.claimed_by, removed.to_move), (Some(2), Some(1)));
    assert_eq!(cy.is_refused(&mut script, Some(0)).code, ErrorCode::Forbidden);
    // Bob has been away for long enough; his turn has only just begun.
    let early = cy.act(&mut script, "early", claim(None));
    assert!(matches!(early, ToClient::Error(failed) if failed.code == ErrorCode::TooSoon));
    let mut ann = Client::new(4, "ann");
    ann.join(&mut script);
    assert_eq!(ann.is_refused(&mut script, None).code, ErrorCode::Forbidden);
    script.advance(CLAIM_AFTER.untimed);
    cy.messages();
    assert!(matches!(cy.claims(&mut script, None), ToClient::Ok(_)));
    assert!(matches!(cy.next_event(), EventBody::Removed(removed) if removed.seat == 1));
    assert!(matches!(cy.next_event(), EventBody::Ended(ended) if ended.winners == [2]));
}

#[test]
fn claim_against_a_player_who_never_moved_aborts_the_game_once() {
    let mut script = Script::begin(TimeControl::None);
    let mut ann = Client::new(1, "ann");
    ann.join(&mut script);
    assert!(matches!(ann.act(&mut script, "m", move_to(0, "c1-c2")), ToClient::Ok(_)));
    script.advance(CLAIM_AFTER.untimed);
    ann.messages();
    assert!(matches!(ann.act(&mut script, "c", claim(None)), ToClient::Ok(_)));
    let EventBody::Aborted(aborted) = ann.next_event() else { panic!("the game has a result") };
    assert_eq!((aborted.by, aborted.reason), (1, AbortReason::NoShow));
    assert_eq!(aborted.claimed_by, Some(0));
    let again = ann.act(&mut script, "c", claim(Some(1)));
    assert!(matches!(again, ToClient::Ok(done) if done.dup && done.seq == Some(4)));
}

#[test]
fn no_show_aborts_the_game() {
    let mut script = Script::begin(TimeControl::PerMove { move_ms: 3_600_000 });
    let mut bob = Client::new(2, "bob");
    bob.join(&mut script);
    script.advance_ms(adamant_rules::clock::NO_SHOW_MS - 1);
    bob.messages();
    script.advance_ms(1);
    let EventBody::Aborted(aborted) = bob.next_event() else { panic!("the game goes on") };
    assert_eq!(aborted.by, 0);
}
