//! Players whose node has died.

use adamant_protocol::event::{AdjustReason, ClockAdjusted, EndReason};

use super::{
    elsewhere::{MOVE_MS, Node, begin, bob_at, bob_is, there},
    *,
};
use crate::{cluster::GoneNode, limits::NODE_GONE_KNOWN_MS};

/// The number of events before bob's turn, which began last.
const BEFORE: usize = 5;

/// How long before bob's flag falls his node has sent its last heartbeat.
const LEFT_MS: u64 = 2_400;

/// The time until the others notice.
const NOTICED_MS: u64 = 1_900;

impl Node {
    /// Bob's turn passes at the other node, until its last heartbeat. Returns when that was.
    fn bob_thinks_there(&mut self) -> u64 {
        self.script.hand(bob_is(true, self.script.now));
        self.script.advance_ms(MOVE_MS - LEFT_MS);
        self.script.now
    }

    fn dies(&mut self, died_at: u64) {
        self.script.hand(Input::NodeGone(GoneNode { node: there(), died_at: Some(died_at) }));
        self.script.settle();
    }

    /// The store has noticed that bob's node has died.
    fn bob_is_cut_off(&self, died_at: u64) {
        let mut bob = bob_at(vec![], Some(died_at));
        bob[0].is_cut_off = true;
        self.table.set(Some(bob));
    }

    /// Opens the room as another node does that has none yet. Returns the room before.
    fn open_elsewhere(&mut self) -> Option<crate::room::Room> {
        let other = std::mem::take(&mut self.script.room);
        self.script.reopen();
        other
    }

    fn later_events(&self) -> Vec<(u64, EventBody)> {
        let records = self.script.records();
        let frames = records[BEFORE..].iter().map(|record| EventFrame::from_bytes(record).unwrap());
        frames.map(|frame| (frame.at, frame.body)).collect()
    }

    /// Expects that bob got the time from the end of his node until then back, and moved.
    fn expect_one_credit(&self, died_at: u64, back_at: u64) {
        let events = self.later_events();
        assert_eq!(events[0], adjusted(back_at, back_at - died_at));
        assert!(matches!(events[1..], [(_, EventBody::Moved(_))]), "{events:?}");
    }

    fn bob_moves(&mut self) {
        let reply = Client::new(9, "bob").act(&mut self.script, "m", move_to(3, "c4-c5"));
        assert!(matches!(reply, ToClient::Ok(_)), "{reply:?}");
    }
}

fn adjusted(at: u64, by_ms: u64) -> (u64, EventBody) {
    let adjusted = ClockAdjusted { seat: 1, by_ms, reason: AdjustReason::Outage };
    (at, EventBody::ClockAdjusted(adjusted))
}

#[test]
fn the_clock_stands_from_the_end_of_the_node_until_the_player_is_back() {
    for is_back_here in [true, false] {
        let (mut node, _ann) = begin();
        let died_at = node.bob_thinks_there();
        node.script.advance_ms(NOTICED_MS);
        node.dies(died_at);
        node.script.advance_ms(8_000);
        assert_eq!(node.later_events(), []);
        let back_at = node.script.now;
        let bob = Client::new(2, "bob");
        if is_back_here {
            bob.join(&mut node.script);
        } else {
            node.script.hand(bob_is(true, back_at));
            node.script.settle();
        }
        node.script.advance_ms(LEFT_MS - 1);
        node.bob_moves();
        node.expect_one_credit(died_at, back_at);
    }
}

#[test]
fn a_player_who_does_not_come_back_loses_on_time_later() {
    let (mut node, _ann) = begin();
    let died_at = node.bob_thinks_there();
    node.script.advance_ms(NOTICED_MS);
    node.dies(died_at);
    node.script.advance_ms(60_000);
    let events = node.later_events();
    assert_eq!(events[0], adjusted(died_at + 20_000, 20_000));
    let [(at, EventBody::Ended(ended))] = &events[1..] else { panic!("{events:?}") };
    assert_eq!((ended.reason, ended.by), (EndReason::TimedOut, Some(1)));
    assert!(*at >= died_at + 20_000 + LEFT_MS, "{at}");
}

#[test]
fn a_flag_that_fell_before_the_end_of_the_node_stands() {
    let (mut node, _ann) = begin();
    let died_at = node.bob_thinks_there() + LEFT_MS;
    node.script.advance_ms(LEFT_MS + NOTICED_MS);
    node.dies(died_at);
    node.script.advance_ms(1_000);
    let events = node.later_events();
    let [(_, EventBody::Ended(ended))] = &events[..] else { panic!("{events:?}") };
    assert_eq!((ended.reason, ended.by), (EndReason::TimedOut, Some(1)));
}

#[test]
fn a_flag_waits_until_the_end_of_the_node_would_be_known() {
    for dies in [true, false] {
        let (mut node, ann) = begin();
        let died_at = node.bob_thinks_there() + LEFT_MS - 1;
        node.script.advance_ms(LEFT_MS + NODE_GONE_KNOWN_MS - 1);
        assert_eq!(node.later_events(), [], "another node may have died");
        if dies {
            // What the opponent does meanwhile waits for the flag, and does not end the wait.
            let offer = PlayerAction::Offer(adamant_protocol::event::OfferKind::Draw);
            ann.start_act(&mut node.script, "o", offer);
            node.dies(died_at);
            let offered_at = node.script.now;
            node.script.advance_ms(4_000);
            let back_at = node.script.now;
            let bob = Client::new(2, "bob");
            bob.join(&mut node.script);
            node.bob_moves();
            let events = node.later_events();
            assert_eq!(events[0], adjusted(offered_at, offered_at - died_at));
            assert!(matches!(events[1], (_, EventBody::Offered(_))), "{events:?}");
            assert_eq!(events[2], adjusted(back_at, back_at - offered_at));
            assert!(matches!(events[3], (_, EventBody::Moved(_))), "{events:?}");
        } else {
            node.script.advance_ms(1);
            let events = node.later_events();
            assert!(matches!(events[..], [(_, EventBody::Ended(_))]), "{events:?}");
        }
    }
}

#[test]
fn a_player_who_is_back_before_the_end_of_the_node_is_known_gets_the_time_until_then() {
    // A short time is given back before the flag falls alone.
    for (away_ms, moves_late) in [(1_200, false), (1_200, true), (700, false), (700, true)] {
        let (mut node, _ann) = begin();
        let died_at = node.bob_thinks_there();
        node.script.advance_ms(away_ms);
        let bob = Client::new(2, "bob");
        bob.join(&mut node.script);
        node.script.advance_ms(NOTICED_MS - away_ms);
        node.dies(died_at);
        let left_ms = LEFT_MS - NOTICED_MS;
        node.script.advance_ms(if moves_late { left_ms + away_ms - 1 } else { left_ms - 1 });
        node.bob_moves();
        if away_ms > 1_000 || moves_late {
            node.expect_one_credit(died_at, died_at + away_ms);
        } else {
            let events = node.later_events();
            assert!(matches!(events[..], [(_, EventBody::Moved(_))]), "{events:?}");
        }
    }
}

#[test]
fn a_player_who_was_here_all_the_time_gets_nothing() {
    let (mut node, _ann) = begin();
    let bob = Client::new(2, "bob");
    bob.join(&mut node.script);
    let died_at = node.bob_thinks_there();
    node.script.advance_ms(LEFT_MS);
    node.dies(died_at);
    node.script.advance_ms(0);
    let events = node.later_events();
    assert!(matches!(events[..], [(_, EventBody::Ended(_))]), "{events:?}");
}

#[test]
fn a_game_that_opens_after_the_end_of_the_node_gets_one_credit() {
    let (mut node, _ann) = begin();
    let died_at = node.bob_thinks_there();
    node.script.room = None;
    node.bob_is_cut_off(died_at);
    node.script.advance_ms(6_000);
    node.script.reopen();
    node.script.advance_ms(1_000);
    let back_at = node.script.now;
    let bob = Client::new(2, "bob");
    bob.join(&mut node.script);
    // The node is told once more, by what the store has, and opens the room again.
    let mut cut_off = bob_at(vec![], Some(died_at));
    cut_off[0].is_cut_off = true;
    node.script.hand(Input::PlayersElsewhere(cut_off));
    node.script.room = None;
    node.script.reopen();
    node.bob_moves();
    node.expect_one_credit(died_at, back_at);
}

#[test]
fn only_one_of_the_nodes_that_see_the_end_of_another_credits_it() {
    for hears_of_it in [true, false] {
        let (mut node, _ann) = begin();
        let died_at = node.bob_thinks_there();
        node.script.advance_ms(NOTICED_MS);
        node.dies(died_at);
        node.bob_is_cut_off(died_at);
        node.script.advance_ms(3_000);
        let first = node.open_elsewhere();
        let back_at = node.script.now;
        let bob = Client::new(2, "bob");
        bob.join(&mut node.script);
        node.script.room = first;
        if hears_of_it {
            node.script.hand(bob_is(true, back_at));
            node.script.settle();
        }
        node.bob_moves();
        node.expect_one_credit(died_at, back_at);
    }
}

#[test]
fn an_outage_of_the_store_and_the_end_of_the_node_are_one_wait() {
    let (mut node, _ann) = begin();
    let died_at = node.bob_thinks_there();
    // The last heartbeat: later ones are not answered.
    node.script.context.outages.note_heartbeat(died_at, died_at, Duration::from_secs(1));
    node.script.advance_ms(7_000);
    let outage = crate::store::Outage { from: died_at + 300, until: node.script.now };
    node.script.context.outages.extend([outage]);
    node.dies(died_at);
    node.script.advance_ms(5_000);
    let back_at = node.script.now;
    let bob = Client::new(2, "bob");
    bob.join(&mut node.script);
    node.bob_moves();
    let events = node.later_events();
    assert_eq!(events[..1], [adjusted(back_at, back_at - died_at)]);
    assert!(matches!(events[1..], [(_, EventBody::Moved(_))]), "{events:?}");
}
