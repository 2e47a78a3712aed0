//! Where a session's last commands went.

use adamant_protocol::GameId;

use crate::{limits::SESSION_ROOMS_MAX, room::RoomHandle};

/// Rooms that the session has sent something to, in the order of their games: no registry is asked
/// again per move. Most sessions are at one game, and a map for that would be the larger part of
/// what it holds.
#[derive(Debug, Default)]
pub(super) struct KnownRooms(Vec<RoomHandle>);

impl KnownRooms {
    fn place(&self, game: &GameId) -> Result<usize, usize> {
        self.0.binary_search_by(|room| room.game().cmp(game))
    }

    pub(super) fn get(&self, game: &GameId) -> Option<&RoomHandle> {
        self.place(game).ok().map(|place| &self.0[place])
    }

    /// Remembers a room instead of what was known of its game. When there are too many, all others
    /// are forgotten.
    pub(super) fn remember(&mut self, room: RoomHandle) {
        match self.place(room.game()) {
            Ok(place) => self.0[place] = room,
            Err(_) if self.0.len() >= SESSION_ROOMS_MAX => {
                self.0.clear();
                self.0.push(room);
            }
            Err(place) => {
                if self.0.is_empty() {
                    self.0.reserve_exact(1);
                }
                self.0.insert(place, room);
            }
        }
    }
}
