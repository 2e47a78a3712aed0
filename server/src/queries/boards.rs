//! The board of a game at one ply, for pictures of it.

use adamant_protocol::GameId;
use adamant_record::{RecordError, Replay};
use adamant_rules::{Position, Table};
use bytes::Bytes;

use crate::{
    address::ClientAddress,
    error::Denial,
    room::{ReadFor, registry::RoomRegistry},
};

/// The board of a game at one ply.
#[derive(Debug)]
pub(crate) struct BoardAtPly {
    /// The ply.
    pub ply: u32,
    /// The board.
    pub position: Position,
    /// The board one ply earlier, if there is one.
    pub before: Option<Position>,
    /// The users by seat.
    pub users: Vec<Box<str>>,
    /// Whether the game is over.
    pub over: bool,
}

/// Returns the board at a ply, or at the last one, as a spectator at this address may see it.
pub(crate) async fn board_at_ply(
    rooms: &RoomRegistry,
    game: &GameId,
    from: ClientAddress,
    ply: Option<u32>,
) -> Result<BoardAtPly, Denial> {
    let until = rooms.resume_plan(game, None, ReadFor::Client(Some(from)), None).await?.seq;
    let search = Search::new(ply.unwrap_or(u32::MAX));
    let search = rooms.read(game, until, Some(from), search, Search::push).await?;
    let Search { replay, wanted: _, ply: found, at, before } = search;
    let is_wanted = ply.is_none_or(|ply| ply == found);
    match (replay.table(), at) {
        (Some(table), Some(position)) if is_wanted => Ok(BoardAtPly {
            ply: found,
            position,
            before,
            users: table.setup().seats.iter().map(|player| player.user.clone()).collect(),
            over: table.outcome().is_some(),
        }),
        _ => Err(Denial::NotFound(format!("ply {} in game {game}", ply.unwrap_or_default()))),
    }
}

/// Looks for the board while a game is replayed.
struct Search {
    replay: Replay,
    wanted: u32,
    ply: u32,
    at: Option<Position>,
    before: Option<Position>,
}

impl Search {
    fn new(wanted: u32) -> Self {
        Self { replay: Replay::new(), wanted, ply: 0, at: None, before: None }
    }

    fn push(&mut self, record: &Bytes) -> Result<(), RecordError> {
        self.replay.push_frame(record)?;
        if let Some(ply) = self.replay.table().map(Table::ply).filter(|&ply| ply <= self.wanted) {
            // After a takeback the move before is not at hand.
            if ply != self.ply {
                self.before = self.at.take().filter(|_| ply == self.ply + 1);
            }
            self.ply = ply;
            // Consequences of a move, such as a removed seat, belong to its ply.
            self.at = self.replay.table().map(|table| table.position().clone());
        }
        Ok(())
    }
}
