//! The presence of a game's players. Time and audience are arguments. Presence is never recorded.

use std::time::Duration;

use adamant_protocol::to_client::{Presence, SeatPresence};
use adamant_record::wire::seat_number;
use adamant_rules::{BySeat, Seat, Table, TimeControl};

use crate::{
    limits::{PRESENCE_CONFLATE, PRESENCE_GRACE},
    runtime::time::milliseconds,
};

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

/// The presence of one player, who may change seats.
#[derive(Debug)]
struct PlayerPresence {
    user: Box<str>,
    away_since: Option<u64>,
    /// Whether the grace period has passed, so that clients see the player as away.
    shown_away: bool,
}

/// The presence that the audience has. Spectators of a delayed game may be behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PublishedPresence {
    pub(super) players: Presence,
    pub(super) spectators: Presence,
}

/// The presence of one game's players, and the presence that the audience has.
#[derive(Debug)]
pub(super) struct PresenceTracker {
    players: Vec<PlayerPresence>,
    claim_after_ms: Option<u64>,
    published: Option<PublishedPresence>,
    publish_at: Option<u64>,
}

impl PresenceTracker {
    /// Starts with all players away. A player who joins within the grace period is never shown
    /// away.
    pub(super) fn new(table: &Table, since: &BySeat<u64>, after: ClaimAfter, now: u64) -> Self {
        let players = table.players().entries().map(|(seat, player)| PlayerPresence {
            user: player.user.clone(),
            away_since: Some(*since.get(seat).unwrap_or(&now)),
            shown_away: false,
        });
        let mut presence = Self {
            players: players.collect(),
            claim_after_ms: after.of(table.clock().control()),
            published: None,
            publish_at: None,
        };
        presence.update(|_| false, now);
        presence.publish_at = None;
        presence
    }

    /// Restores the presence that the audience has from the last room.
    pub(super) fn restore_published(&mut self, published: Option<PublishedPresence>) {
        self.published = published;
    }

    /// Returns the presence that the audience has.
    pub(super) fn published(&self) -> Option<&PublishedPresence> {
        self.published.as_ref()
    }

    /// Grace period before a player is shown away, at most the wait for a claim.
    fn grace_ms(&self) -> u64 {
        milliseconds(PRESENCE_GRACE).min(self.claim_after_ms.unwrap_or(u64::MAX))
    }

    /// Updates which players are present.
    pub(super) fn update(&mut self, is_present: impl Fn(&str) -> bool, now: u64) {
        let grace_ms = self.grace_ms();
        let mut changed = false;
        for player in &mut self.players {
            if is_present(&player.user) {
                player.away_since = None;
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

    /// Schedules a publication. Changes until then are published together.
    pub(super) fn mark_dirty(&mut self, now: u64) {
        self.publish_at.get_or_insert(now.saturating_add(milliseconds(PRESENCE_CONFLATE)));
    }

    /// Returns the time of the next update or publication.
    pub(super) fn next_deadline(&self) -> Option<u64> {
        let grace_ms = self.grace_ms();
        let shown_present = self.players.iter().filter(|player| !player.shown_away);
        let grace_ends =
            shown_present.filter_map(|player| Some(player.away_since?.saturating_add(grace_ms)));
        grace_ends.chain(self.publish_at).min()
    }

    /// Whether a publication is due.
    pub(super) fn is_due(&self, now: u64) -> bool {
        self.publish_at.is_some_and(|at| at <= now)
    }

    /// Records that this presence is published now. Returns whether it has changed.
    pub(super) fn set_published(&mut self, now: &PublishedPresence) -> bool {
        self.publish_at = None;
        let changed = self.published.as_ref() != Some(now);
        if changed {
            self.published = Some(now.clone());
        }
        changed
    }

    /// Whether players or spectators have exactly this presence.
    pub(super) fn is_published(&self, seen: &Presence, plays: bool) -> bool {
        let published = self.published.as_ref();
        published.is_some_and(|published| {
            seen == if plays { &published.players } else { &published.spectators }
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
