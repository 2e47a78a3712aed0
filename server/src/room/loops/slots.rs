//! The rooms of one loop, by key and by game.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use adamant_protocol::GameId;
use hashbrown::DefaultHashBuilder;
use slab::Slab;

use crate::cluster::{GoneNode, NodeId};
use crate::room::{AudienceElsewhere, Command, Room};
use crate::{limits::OPENING_ANNOUNCED_MAX, quotas::StorageBudget};

#[derive(Debug)]
pub(super) enum Slot {
    Opening(Box<OpeningSlot>),
    Open(Box<OpenSlot>),
}

/// A game that is being loaded.
#[derive(Debug, Default)]
pub(super) struct OpeningSlot {
    /// The commands that wait, in order.
    pub(super) waiting: VecDeque<Command>,
    /// The storage budgets of the players of a new game.
    pub(super) payers: Vec<Option<Arc<StorageBudget>>>,
    /// Records up to this seq have been announced since the load began.
    pub(super) announced: u64,
    /// What other nodes have announced of the audience since the load began.
    pub(super) elsewhere: Vec<(NodeId, AudienceElsewhere)>,
    /// The nodes that have gone since the load began.
    pub(super) gone: Vec<GoneNode>,
    /// Whether the game may be over and not archived.
    pub(super) is_due: bool,
    /// Whether the game is loaded as its parked audience has it, which may be behind its records.
    pub(super) behind: bool,
}

impl OpeningSlot {
    /// Keeps what another node announces of the audience, the last of each player and of the
    /// spectators. What does not fit is read with the next audit.
    pub(super) fn note_elsewhere(&mut self, node: NodeId, what: AudienceElsewhere) {
        self.elsewhere.retain(|(known, told)| *known != node || !told.is_replaced_by(&what));
        if self.elsewhere.len() < OPENING_ANNOUNCED_MAX {
            self.elsewhere.push((node, what));
        }
    }
}

#[derive(Debug)]
pub(super) struct OpenSlot {
    pub(super) room: Room,
    /// The time of the room's timer, in epoch milliseconds.
    pub(super) timer_at: u64,
    /// Whether the room is in the queue of those whose spectators wait.
    pub(super) is_queued: bool,
    /// Whether the room counts as one of a finished game.
    pub(super) is_over: bool,
}

/// The games of one loop that have a room, or are being loaded.
#[derive(Debug, Default)]
pub(super) struct Slots {
    slots: Slab<(GameId, Slot)>,
    by_game: HashMap<GameId, usize, DefaultHashBuilder>,
}

impl Slots {
    pub(super) fn key(&self, game: &GameId) -> Option<usize> {
        self.by_game.get(game).copied()
    }

    /// Adds a game that has no slot.
    pub(super) fn insert(&mut self, game: &GameId, slot: Slot) -> usize {
        let key = self.slots.insert((game.clone(), slot));
        let before = self.by_game.insert(game.clone(), key);
        debug_assert_eq!(before, None, "{game} has a slot already");
        key
    }

    /// Returns the key that the next game gets.
    pub(super) fn next_key(&self) -> usize {
        self.slots.vacant_key()
    }

    pub(super) fn get_mut(&mut self, key: usize) -> Option<&mut Slot> {
        self.slots.get_mut(key).map(|(_, slot)| slot)
    }

    pub(super) fn open_mut(&mut self, key: usize) -> Option<&mut OpenSlot> {
        match self.get_mut(key)? {
            Slot::Open(open) => Some(open),
            Slot::Opening(_) => None,
        }
    }

    /// Returns the games that have a room.
    pub(super) fn open_games(&self) -> impl Iterator<Item = &GameId> {
        let open = self.slots.iter().filter(|(_, (_, slot))| matches!(slot, Slot::Open(_)));
        open.map(|(_, (game, _))| game)
    }

    /// Returns the keys of the games that have a room.
    pub(super) fn open_keys(&self) -> Vec<usize> {
        let open = self.slots.iter().filter(|(_, (_, slot))| matches!(slot, Slot::Open(_)));
        open.map(|(key, _)| key).collect()
    }

    /// Returns the games that are being loaded.
    pub(super) fn openings(&mut self) -> impl Iterator<Item = &mut OpeningSlot> {
        self.slots.iter_mut().filter_map(|(_, (_, slot))| match slot {
            Slot::Opening(opening) => Some(&mut **opening),
            Slot::Open(_) => None,
        })
    }

    pub(super) fn game(&self, key: usize) -> Option<&GameId> {
        self.slots.get(key).map(|(game, _)| game)
    }

    pub(super) fn remove(&mut self, key: usize) -> Option<(GameId, Slot)> {
        let (game, slot) = self.slots.try_remove(key)?;
        self.by_game.remove(&game);
        Some((game, slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_a_node_announces_the_last_waits_for_the_room() {
        let mut opening = OpeningSlot::default();
        let node: NodeId = "one".parse().unwrap();
        let player = |user: &str, at| AudienceElsewhere::Player {
            user: user.parse().unwrap(),
            here: true,
            at,
        };
        let told = [player("ann", 1), AudienceElsewhere::Spectators(1), player("bob", 2)];
        let later = [player("ann", 3), AudienceElsewhere::Spectators(2)];
        for what in told.iter().chain(&later) {
            opening.note_elsewhere(node, what.clone());
        }
        let [_, _, bob] = told;
        let expected: Vec<_> = [bob].into_iter().chain(later).map(|what| (node, what)).collect();
        assert_eq!(opening.elsewhere, expected);
        for number in 0..2 * OPENING_ANNOUNCED_MAX {
            opening.note_elsewhere(node, player(&format!("u{number}"), 4));
        }
        assert_eq!(opening.elsewhere.len(), OPENING_ANNOUNCED_MAX);
    }
}
