//! Players and spectators at other nodes, and players whose node has died.

use std::sync::{Arc, Mutex};

use adamant_protocol::event::{AdjustReason, ClockAdjusted, EndReason};
use adamant_protocol::{GameId, UserName, to_client::Presence};
use futures::FutureExt as _;
use futures::future::ready;

use crate::cluster::{ClusterEvent, GoneNode, NodeId, fixture::PublishedEvents};
use crate::limits::{NODE_GONE_KNOWN_MS, PRESENCE_GRACE};
use crate::room::{AudienceElsewhere, RoomContext, tests::*};
use crate::store::{PlayerAtGame, SharedPresence, StoreError, StoreFuture};

/// A shared presence that a test sets.
#[derive(Debug, Default)]
pub(super) struct ScriptedPresence {
    /// What the store has; `None` while nodes have not noted their sessions yet.
    found: Mutex<Option<Vec<PlayerAtGame>>>,
    noted: Mutex<Vec<(String, bool)>>,
}

impl ScriptedPresence {
    pub(super) fn set(&self, found: Option<Vec<PlayerAtGame>>) {
        *self.found.lock().unwrap() = found;
    }
}

impl SharedPresence for ScriptedPresence {
    fn note(&self, _: &GameId, user: &UserName, here: bool, _: u64) {
        self.noted.lock().unwrap().push((user.to_string(), here));
    }

    fn at_games(&self, games: Vec<GameId>) -> StoreFuture<Vec<Vec<PlayerAtGame>>> {
        let found = self.found.lock().unwrap().clone().ok_or(StoreError::Busy);
        ready(found.map(|found| vec![found; games.len()])).boxed()
    }
}

pub(super) struct Node {
    pub(super) script: Script,
    pub(super) table: Arc<ScriptedPresence>,
    bus: Arc<PublishedEvents>,
}

/// The time for a move.
pub(super) const MOVE_MS: u64 = 3_600_000;

/// Begins a game of ann, who is here and waits, and bob, who is to move.
pub(super) fn begin() -> (Node, Client) {
    let (bus, cluster) = PublishedEvents::node("here");
    let table =
        Arc::new(ScriptedPresence { found: Mutex::new(Some(Vec::new())), ..Default::default() });
    let presence = Some(Arc::clone(&table) as _);
    let context = RoomContext { cluster, presence, ..context(PARK_AFTER) };
    let clock = TimeControl::PerMove { move_ms: MOVE_MS };
    let mut script = Script::begin_with(setup(&["ann", "bob"], clock), context);
    both_move(&mut script);
    let mut ann = Client::joined(1, "ann", &mut script);
    assert!(matches!(ann.act(&mut script, "m2", move_to(2, "c2-c3")), ToClient::Ok(_)));
    (Node { script, table, bus }, ann)
}

pub(super) fn there() -> NodeId {
    "there".parse().unwrap()
}

/// The other node leaves in order.
fn there_has_gone() -> Input {
    Input::NodeGone(GoneNode { node: there(), died_at: None })
}

fn bob_is(here: bool, at: u64) -> Input {
    let user = "bob".parse().unwrap();
    Input::Elsewhere(there(), AudienceElsewhere::Player { user, here, at })
}

fn bob_at(nodes: Vec<NodeId>, left_at: Option<u64>) -> Vec<PlayerAtGame> {
    vec![PlayerAtGame { user: "bob".parse().unwrap(), nodes, left_at, is_cut_off: false }]
}

const CLAIM: PlayerAction = PlayerAction::Claim { seat: None };

/// Returns the last presence that a client has received.
fn presence(client: &mut Client) -> Presence {
    let messages = client.messages().into_iter();
    let mut presences = messages.filter_map(|message| {
        if let ToClient::Presence(presence) = message { Some(presence) } else { None }
    });
    presences.next_back().expect("a presence has arrived")
}

#[test]
fn player_at_another_node_is_online_until_the_node_says_otherwise_or_goes() {
    let (mut node, mut ann) = begin();
    node.script.hand(bob_is(true, node.script.now));
    node.script.advance(2 * PRESENCE_GRACE);
    assert!(presence(&mut ann).seats[1].online);
    let left_at = node.script.now - 1_000;
    node.script.hand(bob_is(false, left_at));
    node.script.advance(2 * PRESENCE_GRACE);
    assert_eq!(presence(&mut ann).seats[1].since, Some(left_at));
    node.script.hand(bob_is(true, node.script.now));
    node.script.advance(2 * PRESENCE_GRACE);
    assert!(presence(&mut ann).seats[1].online);
    let gone_at = node.script.now;
    node.script.hand(there_has_gone());
    node.script.advance(2 * PRESENCE_GRACE);
    assert_eq!(presence(&mut ann).seats[1].since, Some(gone_at));
}

#[test]
fn claim_is_decided_by_the_presence_that_all_nodes_share() {
    let (mut node, mut ann) = begin();
    node.script.advance(CLAIM_AFTER.timed);
    // The room has not heard of it.
    node.table.set(Some(bob_at(vec![there()], None)));
    let reply = ann.act(&mut node.script, "c1", CLAIM);
    assert!(matches!(&reply, ToClient::Error(failed) if failed.code == ErrorCode::Forbidden));
    // Some node has not noted its sessions yet.
    node.table.set(None);
    let reply = ann.act(&mut node.script, "c2", CLAIM);
    assert!(matches!(&reply, ToClient::Error(failed) if failed.code == ErrorCode::Busy));
    let left_at = node.script.now;
    node.table.set(Some(bob_at(vec![], Some(left_at))));
    node.script.advance(PRESENCE_GRACE);
    let reply = ann.act(&mut node.script, "c3", CLAIM);
    assert!(matches!(&reply, ToClient::Error(failed) if failed.code == ErrorCode::TooSoon));
    node.script.advance(CLAIM_AFTER.timed);
    assert!(matches!(ann.act(&mut node.script, "c4", CLAIM), ToClient::Ok(_)));
    assert_eq!(node.script.kinds(5), ["ended"]);
}

/// The control of the test before: a presence of one node alone lets a claim pass.
#[test]
fn without_the_sessions_of_other_nodes_a_claim_is_false() {
    for knows_others in [true, false] {
        let (mut node, mut ann) = begin();
        let found = if knows_others { bob_at(vec![there()], None) } else { Vec::new() };
        node.table.set(Some(found));
        node.script.advance(CLAIM_AFTER.timed + PRESENCE_GRACE);
        let reply = ann.act(&mut node.script, "c", CLAIM);
        let is_false = matches!(reply, ToClient::Ok(_));
        assert_eq!(is_false, !knows_others, "{reply:?}");
    }
}

#[test]
fn a_visit_that_the_room_has_missed_starts_the_wait_for_a_claim_again() {
    let (mut node, mut ann) = begin();
    node.script.advance(CLAIM_AFTER.timed);
    let left_at = node.script.now;
    node.table.set(Some(bob_at(vec![], Some(left_at))));
    node.script.advance(PRESENCE_GRACE);
    let reply = ann.act(&mut node.script, "c1", CLAIM);
    let is_early = matches!(&reply, ToClient::Error(failed) if failed.code == ErrorCode::TooSoon);
    assert!(is_early, "{reply:?}");
    node.script.advance(CLAIM_AFTER.timed);
    assert!(matches!(ann.act(&mut node.script, "c2", CLAIM), ToClient::Ok(_)));
}

#[test]
fn sessions_of_players_are_announced_once_each_way() {
    let (mut node, ann) = begin();
    let second = Client::new(4, "ann");
    second.join(&mut node.script);
    let at_game = |events: Vec<ClusterEvent>| -> Vec<(String, bool)> {
        let at_game = events.into_iter().filter_map(|event| {
            let ClusterEvent::AtGame { user, here, .. } = event else { return None };
            Some((user.to_string(), here))
        });
        at_game.collect()
    };
    assert_eq!(at_game(node.bus.take()), [("ann".to_owned(), true)]);
    drop(ann);
    node.script.advance_ms(1);
    assert_eq!(at_game(node.bus.take()), []);
    drop(second);
    node.script.advance_ms(1);
    assert_eq!(at_game(node.bus.take()), [("ann".to_owned(), false)]);
    let noted = node.table.noted.lock().unwrap().clone();
    assert_eq!(noted, [("ann".to_owned(), true), ("ann".to_owned(), false)]);
}

#[test]
fn spectators_are_counted_over_all_nodes() {
    let (mut node, mut ann) = begin();
    let eve = Client::new(3, "eve");
    eve.join(&mut node.script);
    node.script.hand(Input::Elsewhere(there(), AudienceElsewhere::Spectators(4)));
    node.script.advance(PRESENCE_GRACE);
    assert_eq!(presence(&mut ann).spectators, 5);
    let spectators = 1;
    let watching = ClusterEvent::Watching { game: game(), spectators };
    assert_eq!(node.bus.take().iter().filter(|event| **event == watching).count(), 1);
    // A later node hears the number again.
    node.script.hand(Input::PlayersElsewhere(Vec::new()));
    assert_eq!(node.bus.take(), [watching]);
    node.script.hand(there_has_gone());
    node.script.advance(PRESENCE_GRACE);
    assert_eq!(presence(&mut ann).spectators, 1);
}

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
