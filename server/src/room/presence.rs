//! Who of the players is there, and since when not. What time it is and who listens comes in as
//! arguments; nothing of this is ever recorded.

use std::time::Duration;

use adamant_protocol::to_client::{Presence, SeatPresence};
use adamant_record::wire::seat_number;
use adamant_rules::{BySeat, Seat, Table, TimeControl};

use crate::{
    limits::{PRESENCE_CONFLATE, PRESENCE_GRACE},
    runtime::time::milliseconds,
};

/// How long the game waits for a player who is away before the others may claim that the seat is
/// abandoned.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClaimAfter {
    /// With clocks.
    pub timed: Duration,
    /// Without.
    pub untimed: Duration,
}

impl ClaimAfter {
    /// The wait in a game with this clock, in milliseconds; `None` if nobody may claim.
    fn of(self, clock: TimeControl) -> Option<u64> {
        match clock {
            TimeControl::None => Some(milliseconds(self.untimed)),
            TimeControl::Fischer { .. }
            | TimeControl::PerMove { .. }
            | TimeControl::Byoyomi { .. } => Some(milliseconds(self.timed)),
            // Who has days for a move may be away for days: the clock decides.
            TimeControl::Days { .. } => None,
        }
    }
}

/// A player, who may change seats.
#[derive(Debug)]
struct PlayerPresence {
    user: Box<str>,
    away_since: Option<u64>,
    /// Whether the others are told so.
    shown_away: bool,
}

/// What those who listen were told of it: spectators may be behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PublishedPresence {
    /// The players.
    pub(super) players: Presence,
    /// Everybody else.
    pub(super) spectators: Presence,
}

/// The presence of one game's players, and what the audience has been told of it.
#[derive(Debug)]
pub(super) struct PresenceTracker {
    players: Vec<PlayerPresence>,
    claim_after_ms: Option<u64>,
    /// What was told last.
    published: Option<PublishedPresence>,
    publish_at: Option<u64>,
}

impl PresenceTracker {
    /// Everybody is away at first. Who is back before the grace has passed was never told so.
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

    /// Those who listen were told this before the room was opened.
    pub(super) fn restore_published(&mut self, published: Option<PublishedPresence>) {
        self.published = published;
    }

    /// What those who listen were told last.
    pub(super) fn published(&self) -> Option<&PublishedPresence> {
        self.published.as_ref()
    }

    /// How long somebody may be gone before it is told: never longer than a claim has to wait.
    fn grace_ms(&self) -> u64 {
        milliseconds(PRESENCE_GRACE).min(self.claim_after_ms.unwrap_or(u64::MAX))
    }

    /// Takes note of who is there.
    pub(super) fn update(&mut self, is_here: impl Fn(&str) -> bool, now: u64) {
        let grace_ms = self.grace_ms();
        let mut changed = false;
        for player in &mut self.players {
            if is_here(&player.user) {
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

    /// Something may have changed: the audience is told soon, once for all that changes until then.
    pub(super) fn mark_dirty(&mut self, now: u64) {
        self.publish_at.get_or_insert(now.saturating_add(milliseconds(PRESENCE_CONFLATE)));
    }

    /// When to look again, or to tell.
    pub(super) fn next_deadline(&self) -> Option<u64> {
        let grace_ms = self.grace_ms();
        let fading = self.players.iter().filter(|player| !player.shown_away);
        let fades = fading.filter_map(|player| Some(player.away_since?.saturating_add(grace_ms)));
        fades.chain(self.publish_at).min()
    }

    /// Whether it is time to tell the audience.
    pub(super) fn is_due(&self, now: u64) -> bool {
        self.publish_at.is_some_and(|at| at <= now)
    }

    /// Notes that the audience is told this now; whether that is news.
    pub(super) fn set_published(&mut self, now: &PublishedPresence) -> bool {
        self.publish_at = None;
        let news = self.published.as_ref() != Some(now);
        if news {
            self.published = Some(now.clone());
        }
        news
    }

    /// Whether the players, or the others, were told just that.
    pub(super) fn is_published(&self, seen: &Presence, plays: bool) -> bool {
        let published = self.published.as_ref();
        published.is_some_and(|published| {
            seen == if plays { &published.players } else { &published.spectators }
        })
    }

    /// Whether somebody is said to be away.
    pub(super) fn has_absent_players(&self) -> bool {
        self.players.iter().any(|player| player.shown_away)
    }

    fn of(&self, table: &Table, seat: Seat) -> Option<&PlayerPresence> {
        let user = &table.players().get(seat)?.user;
        self.players.iter().find(|player| player.user == *user)
    }

    /// Since when a seat is away, as far as the others are told.
    pub(super) fn away_since(&self, table: &Table, seat: Seat) -> Option<u64> {
        self.of(table, seat).filter(|player| player.shown_away)?.away_since
    }

    /// From when on a seat that is away may be claimed against; `None` if it may not. Only the seat to
    /// move keeps the game waiting, and not before its turn began.
    pub(super) fn claim_at(&self, table: &Table, seat: Seat) -> Option<u64> {
        let since = self.away_since(table, seat)?;
        let (awaited, turn_since) = table.clock().running()?;
        let waits_since = (awaited == seat).then_some(since.max(turn_since))?;
        Some(waits_since.saturating_add(self.claim_after_ms?))
    }

    /// Each seat's presence, as it is told.
    pub(super) fn seats(&self, table: &Table) -> Vec<SeatPresence> {
        Seat::all(table.players().len())
            .map(|seat| {
                let since = self.away_since(table, seat);
                let claim_at = self.claim_at(table, seat);
                SeatPresence { seat: seat_number(seat), online: since.is_none(), since, claim_at }
            })
            .collect()
    }

    /// Since when each seat has been away, for when the room is opened again; who is still there
    /// goes away now.
    pub(super) fn away_since_by_seat(&self, table: &Table, now: u64) -> BySeat<u64> {
        BySeat::from_fn(table.players().len(), |seat| {
            self.of(table, seat).and_then(|player| player.away_since).unwrap_or(now)
        })
    }
}
