//! The boards of a game by ply: pages of positions for clients that do not implement the rules, and
//! one board for a picture.

use adamant_protocol::{
    EventBody, EventFrame, GameId,
    from_client::Positions,
    to_client::{PlyPosition, PositionList},
};
use adamant_record::{
    RecordError, Replay,
    wire::{self, seat_number},
};
use adamant_rules::{Position, Table};
use bytes::Bytes;

use crate::{
    address::ClientAddress,
    error::Denial,
    limits::POSITIONS_PAGE_MAX,
    outbound::client::ClientHandle,
    room::{ReadFor, registry::RoomRegistry},
};

/// Answers queries for positions by ply. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct PositionPages {
    rooms: RoomRegistry,
}

impl PositionPages {
    /// Returns the service for the games in these rooms.
    pub(crate) const fn new(rooms: RoomRegistry) -> Self {
        Self { rooms }
    }

    /// Returns a page of positions, as far as the client may see the game.
    pub(crate) async fn positions(
        &self,
        client: &ClientHandle,
        request: Positions,
    ) -> Result<PositionList, Denial> {
        let Positions { id, game, from_ply, limit } = request;
        let limit = limit.unwrap_or(POSITIONS_PAGE_MAX).clamp(1, POSITIONS_PAGE_MAX);
        let (user, from) = (client.user.as_ref(), client.from);
        let until = self.rooms.resume_plan(&game, user, ReadFor::Client(from), None).await?.seq;
        let page = Page::new(from_ply, limit);
        let page = self.rooms.read(&game, until, from, page, Page::push).await?;
        Ok(PositionList { re: id, game, positions: page.found, more: page.more })
    }
}

/// A page of positions, collected while a game is replayed.
#[derive(Debug)]
struct Page {
    replay: Replay,
    from: u32,
    end: u32,
    found: Vec<PlyPosition>,
    more: bool,
}

impl Page {
    fn new(from: u32, limit: u32) -> Self {
        let end = from.saturating_add(limit);
        Self { replay: Replay::new(), from, end, found: Vec::new(), more: false }
    }

    fn push(&mut self, record: &Bytes) -> Result<(), RecordError> {
        let (frame, _) = self.replay.push_frame(record)?;
        self.add_event(&frame);
        Ok(())
    }

    /// Adds an event that has just been applied to the table.
    fn add_event(&mut self, frame: &EventFrame) {
        match &frame.body {
            EventBody::Created(_) => self.add(empty(0)),
            EventBody::Moved(moved) => self.add(PlyPosition {
                seat: Some(moved.seat),
                notation: Some(moved.notation.clone()),
                captures: moved.captures.clone(),
                ..empty(moved.ply)
            }),
            EventBody::Swapped(swapped) => self.add(PlyPosition {
                seat: Some(swapped.seat),
                notation: Some("swap".into()),
                ..empty(swapped.ply)
            }),
            EventBody::Skipped(skipped) => self.add(PlyPosition {
                seat: Some(skipped.seat),
                notation: Some("pass".into()),
                ..empty(skipped.ply)
            }),
            EventBody::TakenBack(taken_back) => {
                self.found.retain(|ply| ply.ply <= taken_back.ply);
                self.more &= taken_back.ply >= self.end;
            }
            _ => {}
        }
        let Some(table) = self.replay.table() else { return };
        // Consequences of a move, such as a removed seat, belong to its ply.
        if let Some(last) = self.found.last_mut().filter(|last| last.ply == table.ply()) {
            last.position = wire::position(table.position());
            last.threatened = wire::threatened(table);
            last.winning = wire::winning(table);
            last.to_move = table.to_move().map(seat_number);
            last.left_ms = table.clock().left_ms().map(|left| left.iter().copied().collect());
        }
    }

    fn add(&mut self, ply: PlyPosition) {
        if ply.ply >= self.end {
            self.more = true;
        } else if ply.ply >= self.from {
            self.found.push(ply);
        }
    }
}

fn empty(ply: u32) -> PlyPosition {
    PlyPosition {
        ply,
        seat: None,
        notation: None,
        captures: Vec::new(),
        position: adamant_protocol::values::Named::default(),
        threatened: None,
        to_move: None,
        winning: Vec::new(),
        left_ms: None,
    }
}

/// The board of a game at one ply.
#[derive(Debug)]
pub(crate) struct BoardAtPly {
    pub ply: u32,
    pub position: Position,
    /// The board one ply earlier, if there is one.
    pub before: Option<Position>,
    /// The users by seat.
    pub users: Vec<Box<str>>,
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
            users: table.setup().seats.iter().map(|player| &*player.user).map(Box::from).collect(),
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
