//! Flags that fall while the store stalls, or before a node notices that it does.

use super::{cluster::in_cluster, *};
use crate::{
    limits::{FLAG_CHECK_EVERY, FLAG_GRACE},
    store::Outage,
};

/// The time for a move.
const MOVE_MS: u64 = 60_000;

/// The time between two heartbeats.
const EVERY: Duration = Duration::from_millis(500);

/// A game in a cluster in which ann is to move, and the time at which her flag falls. The last
/// heartbeat is half a second before that.
fn ann_to_move() -> (Script, u64) {
    let clock = TimeControl::PerMove { move_ms: MOVE_MS };
    let mut script = Script::begin_with(setup(&["ann", "bob"], clock), in_cluster());
    both_move(&mut script);
    let deadline = script.now + MOVE_MS;
    script.heartbeat(deadline - 500, deadline - 500);
    script.advance_ms(MOVE_MS - 500);
    (script, deadline)
}

impl Script {
    /// The store has answered a heartbeat.
    fn heartbeat(&self, sent: u64, answered: u64) {
        self.context.outages.note_heartbeat(sent, answered, EVERY);
    }

    fn advance_to(&mut self, time: u64) {
        self.advance_ms(time - self.now);
    }
}

#[test]
fn flag_waits_until_a_later_heartbeat_says_that_there_was_no_outage() {
    let (mut script, deadline) = ann_to_move();
    let ann = Client::new(1, "ann");
    ann.join(&mut script);
    script.advance_to(deadline + 400);
    assert_eq!(script.kinds(4), [] as [&str; 0], "the store may be away");
    script.heartbeat(deadline, deadline + 400);
    script.advance(FLAG_CHECK_EVERY);
    assert_eq!(script.kinds(4), ["ended"]);
}

#[test]
fn flag_that_falls_in_an_outage_is_credited_with_it() {
    let (mut script, deadline) = ann_to_move();
    let mut ann = Client::new(1, "ann");
    ann.join(&mut script);
    script.advance_to(deadline + 2_000);
    ann.start_act(&mut script, "m", move_to(2, "c2-c1"));
    script.advance_to(deadline + 3_000);
    assert_eq!(script.kinds(4), [] as [&str; 0]);
    let outage = Outage { from: deadline - 500, until: deadline + 3_000 };
    script.context.outages.extend([outage]);
    script.heartbeat(deadline - 100, deadline + 3_000);
    script.advance(FLAG_CHECK_EVERY);
    assert_eq!(script.kinds(4), ["clock_adjusted", "moved"]);
    assert!(matches!(ann.next_reply(), ToClient::Ok(_)));
}

#[test]
fn node_without_the_player_on_the_move_leaves_time_after_a_stall_as_well() {
    for move_arrived in [false, true] {
        let (mut script, deadline) = ann_to_move();
        let bob = Client::new(2, "bob");
        bob.join(&mut script);
        let ended = deadline + 1_400;
        script.advance_to(ended);
        assert_eq!(script.kinds(4), [] as [&str; 0]);
        script.heartbeat(deadline, ended);
        script.advance_ms(milliseconds(FLAG_GRACE) - 1);
        assert_eq!(script.kinds(4), [] as [&str; 0], "the move may be on its way");
        if move_arrived {
            let again = Act::Move { seat: Seat::FIRST, turn: 2, notation: "c2-c1", lag_ms: 0 };
            script.append_decided(None, |table| table.decide(&again, deadline - 1).unwrap());
            script.announce(5, 0);
            script.settle();
        }
        bob.start_act(&mut script, "o", PlayerAction::Resign);
        script.settle();
        script.advance(FLAG_CHECK_EVERY);
        // Bob hears late that it is his turn.
        let moved = ["moved", "clock_adjusted", "ended"];
        let expected: &[&str] = if move_arrived { &moved } else { &["ended"] };
        assert_eq!(script.kinds(4), expected);
    }
}
