//! The presence of a game's players. Time and audience are arguments. Presence is never recorded.

use std::hash::{BuildHasher as _, Hash as _, Hasher as _};
use std::{collections::VecDeque, sync::Arc, time::Duration};

use adamant_protocol::to_client::{Presence, SeatPresence};
use adamant_record::wire::seat_number;
use adamant_rules::{BySeat, Seat, Table, TimeControl};

use crate::cluster::{GoneNode, NodeId};
use crate::limits::{PRESENCE_CONFLATE, PRESENCE_GRACE};
use crate::room::idempotency::{Fingerprint, KEYS};
use crate::{outbound::SessionId, runtime::time::milliseconds, store::PlayerAtGame};

/// Time after which the other players may claim that an absent player has abandoned the game.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClaimAfter {
    /// In games with clocks.
    pub timed: Duration,
    /// In games without clocks.
    pub untimed: Duration,
}

impl ClaimAfter {
    /// Returns the wait for this time control, in milliseconds; `None` if no claim is possible.
    fn of(self, clock: TimeControl) -> Option<u64> {
        match clock {
            TimeControl::None => Some(milliseconds(self.untimed)),
            TimeControl::Fischer { .. }
            | TimeControl::PerMove { .. }
            | TimeControl::Byoyomi { .. } => Some(milliseconds(self.timed)),
            // A player with days for a move may be away for days. The clock decides.
            TimeControl::Days { .. } => None,
        }
    }
}

/// Sessions that a room remembers to have left in order to join again. They do so at once.
const REJOINING_MAX: usize = 16;

/// A time that does not come.
const NEVER: u64 = u64::MAX;

/// The presence of one player, who may change seats.
#[derive(Debug)]
struct PlayerPresence {
    user: Arc<str>,
    /// Since when the player has a session at this node, as the others know.
    here_since: Option<u64>,
    /// Whether that has changed since it was announced.
    is_changed: bool,
    /// Boxed, since a server that is alone never has any.
    elsewhere: Option<Box<Elsewhere>>,
    away_since: Option<u64>,
    /// Whether the grace period has passed, so that clients see the player as away.
    shown_away: bool,
    /// The time of the last event that adjusted the player's clock; 0 without one.
    adjusted_at: u64,
}

/// The sessions of a player at other nodes.
#[derive(Debug, Default)]
struct Elsewhere {
    /// The nodes that have one.
    nodes: Vec<NodeId>,
    /// When the node of the player's last session died; `None` if the player is not away by that.
    cut_off_at: Option<u64>,
}

impl PlayerPresence {
    const fn away(user: Arc<str>, since: u64) -> Self {
        Self {
            user,
            here_since: None,
            is_changed: false,
            elsewhere: None,
            away_since: Some(since),
            shown_away: false,
            adjusted_at: 0,
        }
    }

    /// The player is away from `at` on, unless a session is left or the player was away before.
    fn leave_at(&mut self, at: u64) {
        if !self.is_present() {
            self.away_since.get_or_insert(at);
        }
    }

    fn is_present(&self) -> bool {
        self.here_since.is_some() || !self.nodes().is_empty()
    }

    /// Returns the other nodes at which the player has a session.
    fn nodes(&self) -> &[NodeId] {
        self.elsewhere.as_ref().map_or(&[], |elsewhere| &elsewhere.nodes)
    }

    fn cut_off_at(&self) -> Option<u64> {
        self.elsewhere.as_ref()?.cut_off_at
    }

    /// Removes a node. Returns whether the player had a session there.
    fn forget_node(&mut self, node: NodeId) -> bool {
        let Some(Elsewhere { nodes, .. }) = self.elsewhere.as_deref_mut() else { return false };
        let before = nodes.len();
        nodes.retain(|other| *other != node);
        nodes.len() != before
    }

    fn set_cut_off(&mut self, at: Option<u64>) {
        if at.is_some() || self.elsewhere.is_some() {
            self.elsewhere.get_or_insert_default().cut_off_at = at;
        }
    }
}

/// The presence that the audience has, as fingerprints. Spectators of a delayed game may be behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PublishedPresence {
    players: Fingerprint,
    spectators: Fingerprint,
}

impl PublishedPresence {
    pub(super) fn of(players: &Presence, spectators: &Presence) -> Self {
        Self { players: fingerprint(players), spectators: fingerprint(spectators) }
    }
}

fn fingerprint(presence: &Presence) -> Fingerprint {
    let Presence { game: _, seats, spectators, spectator_names } = presence;
    let mut hasher = KEYS.build_hasher();
    for SeatPresence { seat, online, since, claim_at } in seats {
        (seat, online, since, claim_at).hash(&mut hasher);
    }
    (spectators, spectator_names).hash(&mut hasher);
    hasher.finish()
}

/// The presence of one game's players, and the presence that the audience has.
#[derive(Debug)]
pub(super) struct PresenceTracker {
    players: Vec<PlayerPresence>,
    claim_after_ms: Option<u64>,
    published: Option<PublishedPresence>,
    /// The time of the next publication, in epoch milliseconds; [`NEVER`] if none is due.
    publish_at: u64,
    /// Number of spectators at other nodes; `None` if there are none. Boxed, since a server that is
    /// alone never has any.
    watching: Option<Box<WatchingElsewhere>>,
}

/// What a room in a cluster knows of its audience beyond its own sessions.
#[derive(Debug, Default)]
struct WatchingElsewhere {
    by_node: Vec<(NodeId, u32)>,
    /// Number of spectators at this node, as the other nodes know.
    announced: u32,
    /// Sessions that have left in order to join again.
    rejoining: VecDeque<SessionId>,
}

impl PresenceTracker {
    /// Starts with all players away. A player who joins within the grace period is never shown
    /// away.
    pub(super) fn new(table: &Table, since: &BySeat<u64>, after: ClaimAfter, now: u64) -> Self {
        let players = table.players().entries().map(|(seat, player)| {
            PlayerPresence::away(player.user.clone(), *since.get(seat).unwrap_or(&now))
        });
        let mut presence = Self {
            players: players.collect(),
            claim_after_ms: after.of(table.clock().control()),
            published: None,
            publish_at: NEVER,
            watching: None,
        };
        presence.update(|_| false, now);
        presence.publish_at = NEVER;
        presence
    }

    /// Forgets the player whose seat a computer has taken at `now`. The computer is on its way.
    pub(super) fn substitute(&mut self, table: &Table, now: u64) {
        let is_new = |user: &Arc<str>| !self.players.iter().any(|known| known.user == *user);
        let new = table.players().iter().map(|player| &player.user).find(|user| is_new(user));
        let left = self.players.iter_mut().find(|known| table.seat_of(&known.user).is_none());
        if let (Some(new), Some(left)) = (new, left) {
            *left = PlayerPresence::away(Arc::clone(new), now);
        }
    }

    /// Restores the presence that the audience has from the last room.
    pub(super) fn restore_published(&mut self, published: Option<PublishedPresence>) {
        self.published = published;
    }

    /// Returns the presence that the audience has.
    pub(super) const fn published(&self) -> Option<PublishedPresence> {
        self.published
    }

    /// Grace period before a player is shown away, at most the wait for a claim.
    fn grace_ms(&self) -> u64 {
        milliseconds(PRESENCE_GRACE).min(self.claim_after_ms.unwrap_or(u64::MAX))
    }

    /// Updates which players are present, given who has a session at this node.
    pub(super) fn update(&mut self, is_local: impl Fn(&str) -> bool, now: u64) {
        let grace_ms = self.grace_ms();
        let mut changed = false;
        for player in &mut self.players {
            let is_here = is_local(&player.user);
            player.is_changed |= is_here != player.here_since.is_some();
            player.here_since = is_here.then(|| player.here_since.unwrap_or(now));
            if player.is_present() {
                player.away_since = None;
                player.set_cut_off(None);
            } else {
                player.away_since.get_or_insert(now);
            }
            let shown_away =
                player.away_since.is_some_and(|since| since.saturating_add(grace_ms) <= now);
            changed |= shown_away != player.shown_away;
            player.shown_away = shown_away;
        }
        if changed {
            self.mark_dirty(now);
        }
    }

    /// Calls a function with each player who has come to this node since the last call, or left it.
    pub(super) fn take_local_changes(&mut self, mut announce: impl FnMut(&str, bool)) {
        for player in &mut self.players {
            if std::mem::take(&mut player.is_changed) {
                announce(&player.user, player.here_since.is_some());
            }
        }
    }

    /// Returns the players who have a session at this node.
    pub(super) fn local_players(&self) -> impl Iterator<Item = &str> {
        self.players.iter().filter(|player| player.here_since.is_some()).map(|player| &*player.user)
    }

    /// Notes that a player has a session at another node since `at`, or has none there any more.
    pub(super) fn set_elsewhere(&mut self, user: &str, node: NodeId, here: bool, at: u64) {
        let is_user = |player: &&mut PlayerPresence| player.user.eq_ignore_ascii_case(user);
        let Some(player) = self.players.iter_mut().find(is_user) else { return };
        player.forget_node(node);
        if here {
            player.elsewhere.get_or_insert_default().nodes.push(node);
        }
        player.leave_at(at);
    }

    /// Replaces what is known of the players at other nodes than this one.
    pub(super) fn replace_elsewhere(&mut self, found: &[PlayerAtGame], here: NodeId, now: u64) {
        for player in &mut self.players {
            let found =
                found.iter().find(|found| found.user.as_str().eq_ignore_ascii_case(&player.user));
            let nodes = found.into_iter().flat_map(|found| &found.nodes);
            let elsewhere = player.elsewhere.get_or_insert_default();
            elsewhere.nodes = nodes.filter(|node| **node != here).copied().collect();
            let left_at = found.and_then(|found| found.left_at);
            player.leave_at(left_at.unwrap_or(now).min(now));
            if !player.is_present() && found.is_some_and(|found| found.is_cut_off) {
                player.set_cut_off(left_at);
            }
            // This room may have missed that the player came to another node and left it.
            player.away_since =
                player.away_since.map(|since| since.max(left_at.unwrap_or(0).min(now)));
        }
    }

    /// Notes the number of spectators at another node.
    pub(super) fn set_watching(&mut self, node: NodeId, spectators: u32) {
        let by_node = &mut self.watching.get_or_insert_default().by_node;
        by_node.retain(|(other, _)| *other != node);
        if spectators > 0 {
            by_node.push((node, spectators));
        }
    }

    pub(super) fn watching_elsewhere(&self) -> u32 {
        let by_node = self.watching.iter().flat_map(|watching| &watching.by_node);
        by_node.fold(0, |sum, (_, spectators)| sum.saturating_add(*spectators))
    }

    /// Records that this node announces this number of spectators. Returns whether it has
    /// changed.
    pub(super) fn set_announced(&mut self, spectators: u32) -> bool {
        let announced = &mut self.watching.get_or_insert_default().announced;
        std::mem::replace(announced, spectators) != spectators
    }

    /// Notes that a session has left in order to join again.
    pub(super) fn set_rejoining(&mut self, session: SessionId) {
        let rejoining = &mut self.watching.get_or_insert_default().rejoining;
        if rejoining.len() >= REJOINING_MAX {
            rejoining.pop_front();
        }
        rejoining.push_back(session);
    }

    /// Whether a session has left in order to join again.
    pub(super) fn is_rejoining(&self, session: SessionId) -> bool {
        self.watching.as_ref().is_some_and(|watching| watching.rejoining.contains(&session))
    }

    /// Notes that a session has joined.
    pub(super) fn has_joined(&mut self, session: SessionId) {
        if let Some(watching) = &mut self.watching {
            watching.rejoining.retain(|other| *other != session);
        }
    }

    /// Forgets a node that has gone. Returns whether any player or spectator was there.
    pub(super) fn forget_node(&mut self, gone: GoneNode, now: u64) -> bool {
        let GoneNode { node, died_at } = gone;
        let mut was_there = false;
        for player in &mut self.players {
            if player.forget_node(node) {
                was_there = true;
                player.set_cut_off(died_at.filter(|_| !player.is_present()));
            }
            player.leave_at(now);
        }
        if let Some(watching) = &mut self.watching {
            let before = watching.by_node.len();
            watching.by_node.retain(|(other, _)| *other != node);
            was_there |= watching.by_node.len() != before;
        }
        was_there
    }

    /// Schedules a publication. Changes until then are published together.
    pub(super) fn mark_dirty(&mut self, now: u64) {
        let at = now.saturating_add(milliseconds(PRESENCE_CONFLATE));
        self.publish_at = self.publish_at.min(at);
    }

    /// Returns the time of the next update or publication.
    pub(super) fn next_deadline(&self) -> Option<u64> {
        let grace_ms = self.grace_ms();
        let shown_present = self.players.iter().filter(|player| !player.shown_away);
        let grace_ends =
            shown_present.filter_map(|player| Some(player.away_since?.saturating_add(grace_ms)));
        let publish_at = Some(self.publish_at).filter(|at| *at != NEVER);
        grace_ends.chain(publish_at).min()
    }

    pub(super) fn is_due(&self, now: u64) -> bool {
        self.publish_at <= now
    }

    /// Records that this presence is published now. Returns whether it has changed.
    pub(super) fn set_published(&mut self, now: PublishedPresence) -> bool {
        self.publish_at = NEVER;
        self.published.replace(now) != Some(now)
    }

    /// Whether players or spectators have exactly this presence.
    pub(super) fn is_published(&self, seen: &Presence, plays: bool) -> bool {
        let published = self.published;
        published.is_some_and(|published| {
            fingerprint(seen) == if plays { published.players } else { published.spectators }
        })
    }

    /// Whether a player is shown away.
    pub(super) fn has_absent_players(&self) -> bool {
        self.players.iter().any(|player| player.shown_away)
    }

    fn of(&self, table: &Table, seat: Seat) -> Option<&PlayerPresence> {
        let user = &table.players().get(seat)?.user;
        self.players.iter().find(|player| player.user == *user)
    }

    /// Whether the seat's user has a session at another node.
    pub(super) fn is_elsewhere(&self, table: &Table, seat: Seat) -> bool {
        self.of(table, seat).is_some_and(|player| !player.nodes().is_empty())
    }

    /// Whether the seat's user has a session at this other node.
    pub(super) fn is_at(&self, table: &Table, seat: Seat, node: NodeId) -> bool {
        self.of(table, seat).is_some_and(|player| player.nodes().contains(&node))
    }

    /// Since when the seat's user has a session at this node.
    pub(super) fn here_since(&self, table: &Table, seat: Seat) -> Option<u64> {
        self.of(table, seat)?.here_since
    }

    /// When the node of the last session of the seat's user died; `None` if the user is not away by
    /// that.
    pub(super) fn cut_off_at(&self, table: &Table, seat: Seat) -> Option<u64> {
        self.of(table, seat)?.cut_off_at()
    }

    /// Notes that the clock of a seat's user was adjusted at this time.
    pub(super) fn set_adjusted(&mut self, table: &Table, seat: Seat, at: u64) {
        let Some(adjusted) = table.players().get(seat) else { return };
        let mut players = self.players.iter_mut();
        if let Some(player) = players.find(|player| player.user == adjusted.user) {
            player.adjusted_at = at;
        }
    }

    /// When the clock of the seat's user was last adjusted; 0 if it never was.
    pub(super) fn adjusted_at(&self, table: &Table, seat: Seat) -> u64 {
        self.of(table, seat).map_or(0, |player| player.adjusted_at)
    }

    /// Returns the time since which a seat is away; `None` if it is not shown away.
    pub(super) fn away_since(&self, table: &Table, seat: Seat) -> Option<u64> {
        self.of(table, seat).filter(|player| player.shown_away)?.away_since
    }

    /// Returns the time from which an absent seat may be claimed; `None` if it may not. The wait
    /// counts for the seat to move only, and starts with its turn at the earliest.
    pub(super) fn claim_at(&self, table: &Table, seat: Seat) -> Option<u64> {
        let since = self.away_since(table, seat)?;
        let (awaited, turn_since) = table.clock().running()?;
        let waits_since = (awaited == seat).then_some(since.max(turn_since))?;
        Some(waits_since.saturating_add(self.claim_after_ms?))
    }

    /// Returns the presence of each seat for the wire.
    pub(super) fn seats(&self, table: &Table) -> Vec<SeatPresence> {
        Seat::all(table.players().len())
            .map(|seat| {
                let since = self.away_since(table, seat);
                let claim_at = self.claim_at(table, seat);
                SeatPresence { seat: seat_number(seat), online: since.is_none(), since, claim_at }
            })
            .collect()
    }

    /// Returns the time since which each seat is away, for the next room. Present players count as
    /// away from now on.
    pub(super) fn away_since_by_seat(&self, table: &Table, now: u64) -> BySeat<u64> {
        BySeat::from_fn(table.players().len(), |seat| {
            self.of(table, seat).and_then(|player| player.away_since).unwrap_or(now)
        })
    }
}
