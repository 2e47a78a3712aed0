//! The audience at other nodes.

use std::sync::{Arc, Mutex};

use adamant_protocol::{GameId, UserName, to_client::Presence};
use futures::{
    FutureExt as _,
    future::{BoxFuture, ready},
};

use super::*;
use crate::{
    cluster::{ClusterEvent, GoneNode, NodeId, fixture::PublishedEvents},
    limits::PRESENCE_GRACE,
    room::{AudienceElsewhere, RoomContext},
    store::{PlayerAtGame, SharedPresence, StoreError},
};

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

    fn at_games(
        &self,
        games: Vec<GameId>,
    ) -> BoxFuture<'static, Result<Vec<Vec<PlayerAtGame>>, StoreError>> {
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
    let mut ann = Client::new(1, "ann");
    ann.join(&mut script);
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

pub(super) fn bob_is(here: bool, at: u64) -> Input {
    let user = "bob".parse().unwrap();
    Input::Elsewhere(there(), AudienceElsewhere::Player { user, here, at })
}

pub(super) fn bob_at(nodes: Vec<NodeId>, left_at: Option<u64>) -> Vec<PlayerAtGame> {
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
