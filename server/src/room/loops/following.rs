//! How a loop learns of records that other nodes append: by announcements, and by asking the store.

use adamant_protocol::GameId;

use super::{
    room_loop::RoomLoop,
    slots::{OpenSlot, Slot},
};
use crate::{
    cluster::{AppendedRecords, GoneNode, NodeId},
    limits::{AUDIT_EVERY, AUDIT_GAMES_MAX, AUDIT_RETRY},
    room::{AudienceElsewhere, input::Input},
    runtime::time::milliseconds,
    store::{PlayerAtGame, StoreError},
};

impl RoomLoop {
    /// Hands announcements to the rooms. A game without a room opens if it has an audience.
    pub(super) fn announced(&mut self, games: Vec<AppendedRecords>) {
        for appended in games {
            let game = &appended.game;
            let Some(key) = self.slots.key(game) else {
                let feed = &self.services.context.live_feed;
                if self.parked.has_listeners(game) || feed.is_subscribed(game) {
                    self.start_opening(&appended.game, None);
                }
                continue;
            };
            match self.slots.get_mut(key) {
                Some(Slot::Open(_)) => self.handle(key, Input::Announced(appended)),
                Some(Slot::Opening(opening)) => {
                    opening.announced = opening.announced.max(appended.until);
                }
                None => {}
            }
        }
    }

    /// Hands what another node announces of a game's audience to its room.
    pub(super) fn elsewhere(&mut self, node: NodeId, game: &GameId, what: AudienceElsewhere) {
        let Some(key) = self.slots.key(game) else { return };
        match self.slots.get_mut(key) {
            Some(Slot::Open(_)) => self.handle(key, Input::Elsewhere(node, what)),
            Some(Slot::Opening(opening)) => opening.note_elsewhere(node, what),
            None => {}
        }
    }

    /// Forgets the sessions at a node that has gone. Its last writes may not be announced.
    pub(super) fn node_gone(&mut self, gone: GoneNode) {
        for opening in self.slots.openings() {
            opening.elsewhere.retain(|(known, _)| *known != gone.node);
            opening.gone.push(gone);
        }
        for key in self.slots.open_keys() {
            self.handle(key, Input::NodeGone(gone));
        }
        self.start_audit();
    }

    /// Opens the room of a game that has something due, unless it is open.
    pub(super) fn open_due(&mut self, game: &GameId) {
        if self.slots.key(game).is_some() {
            return;
        }
        tracing::debug!(%game, "parked game's deadline passed");
        self.start_opening(game, None);
        if let Some(Slot::Opening(opening)) =
            self.slots.key(game).and_then(|key| self.slots.get_mut(key))
        {
            opening.is_due = true;
        }
    }

    /// Hands the players at other nodes to the rooms.
    pub(super) fn on_presence(
        &mut self,
        games: &[GameId],
        found: Result<Vec<Vec<PlayerAtGame>>, StoreError>,
    ) {
        match found {
            Ok(found) => {
                for (game, players) in games.iter().zip(found) {
                    let key = self.slots.key(game);
                    if let Some(key) = key.filter(|key| self.slots.open_mut(*key).is_some()) {
                        self.handle(key, Input::PlayersElsewhere(players));
                    }
                }
            }
            // The next audit reads it again, and claims ask.
            Err(error) => tracing::debug!(%error, "reading the presence failed"),
        }
    }

    /// Asks the store for all games with a room or an audience: an announcement may be lost.
    pub(super) fn start_audit(&mut self) {
        if self.audit.is_asking {
            self.audit.again = true;
            return;
        }
        let open = self.slots.open_games();
        self.audit.queue = open.chain(self.parked.games_with_listeners()).cloned().collect();
        self.continue_audit();
    }

    /// Starts the audit that is due.
    pub(super) fn audit_if_due(&mut self, now: u64) {
        if self.audit.at.is_some_and(|at| at <= now) {
            self.audit.at = Some(now.saturating_add(milliseconds(AUDIT_EVERY)));
            self.start_audit();
        }
    }

    fn continue_audit(&mut self) {
        let mut known = Vec::new();
        while known.len() < AUDIT_GAMES_MAX
            && let Some(game) = self.audit.queue.pop_front()
        {
            // The game may have closed meanwhile.
            if let Some(seq) = self.known_seq(&game) {
                known.push((game, seq));
            }
        }
        if !known.is_empty() {
            self.audit.is_asking = true;
            self.effects.audit(known);
        } else if std::mem::take(&mut self.audit.again) {
            self.start_audit();
        }
    }

    /// Returns the last seq of a game that a room here, or its audience, has.
    fn known_seq(&mut self, game: &GameId) -> Option<u64> {
        let Some(key) = self.slots.key(game) else { return self.parked.seq_of(game) };
        let OpenSlot { room, .. } = self.slots.open_mut(key)?;
        Some(room.last_seq())
    }

    /// The store has answered which games have moved on.
    pub(super) fn on_audited(&mut self, moved_on: Result<Vec<(GameId, u64)>, StoreError>) {
        self.audit.is_asking = false;
        match moved_on {
            Ok(games) => {
                let named = |(game, until)| AppendedRecords::up_to(game, until);
                self.announced(games.into_iter().map(named).collect());
                self.continue_audit();
            }
            Err(error) => {
                tracing::debug!(%error, "asking which games have moved on failed");
                self.audit.queue.clear();
                self.audit.again = false;
                let now = self.services.time.now_ms();
                self.audit.at = Some(now.saturating_add(milliseconds(AUDIT_RETRY)));
            }
        }
    }
}
