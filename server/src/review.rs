//! The boards that a game went through, ply by ply, for those who have no rules to replay it with.

use std::sync::Arc;

use adamant_protocol::{
    EventBody, EventFrame,
    from_client::Positions,
    to_client::{PlyPosition, PositionList},
};
use adamant_record::{
    RecordError, Replay,
    wire::{self, seat_number},
};
use adamant_rules::Table;
use bytes::Bytes;
use tokio::{sync::Semaphore, time::timeout};

use crate::{
    caller::Caller,
    error::Denial,
    limits::{POSITIONS_PAGE_MAX, REVIEW_WAIT_MAX, REVIEWS_MAX},
    rooms::Rooms,
    store::{Journal as _, StoreError},
};

/// Looks back at games. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Review {
    rooms: Rooms,
    /// Replaying a long game takes a core for a moment.
    permits: Arc<Semaphore>,
}

impl Review {
    /// Of the games in these rooms.
    pub(crate) fn new(rooms: Rooms) -> Self {
        Self { rooms, permits: Arc::new(Semaphore::new(REVIEWS_MAX)) }
    }

    /// The boards after some plies, as far as the caller may know the game.
    pub(crate) async fn positions(
        &self,
        caller: &Caller,
        request: Positions,
    ) -> Result<PositionList, Denial> {
        let Positions { id, game, from_ply, limit } = request;
        let limit = limit.unwrap_or(POSITIONS_PAGE_MAX).clamp(1, POSITIONS_PAGE_MAX);
        let until = self.rooms.verdict(&game, caller.user.as_ref(), None).await?.seq;
        let Ok(permit) = timeout(REVIEW_WAIT_MAX, self.permits.acquire()).await else {
            let what = "many games are being looked at".to_owned();
            return Err(Denial::Busy { what, retry_after_ms: 1000 });
        };
        let _permit = permit.map_err(|_| StoreError::Stopped)?;
        let max = usize::try_from(until).unwrap_or(usize::MAX);
        let records = self.rooms.store().read(game.clone(), 1, max).await?;
        let replaying =
            tokio::task::spawn_blocking(move || Page::of(&records, from_ply, limit)).await;
        let page = replaying.map_err(|_| StoreError::Stopped)?.map_err(|error| {
            tracing::error!(%game, %error, "a game's records are damaged");
            StoreError::Failed(error.to_string().into())
        })?;
        Ok(PositionList { re: id, game, positions: page.found, more: page.more })
    }
}

/// Some plies of a game.
#[derive(Debug)]
struct Page {
    from: u32,
    /// The first ply that is behind the page.
    end: u32,
    found: Vec<PlyPosition>,
    more: bool,
}

impl Page {
    fn of(records: &[Bytes], from: u32, limit: u32) -> Result<Self, RecordError> {
        let end = from.saturating_add(limit);
        let mut page = Self { from, end, found: Vec::new(), more: false };
        let mut replay = Replay::new();
        for record in records {
            let (frame, _) = replay.push_frame(record)?;
            if let Some(table) = replay.table() {
                page.turn(&frame, table);
            }
        }
        Ok(page)
    }

    /// Takes note of an event that has led to this table.
    fn turn(&mut self, frame: &EventFrame, table: &Table) {
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
            EventBody::Started(_)
            | EventBody::Removed(_)
            | EventBody::Offered(_)
            | EventBody::Agreed(_)
            | EventBody::OfferClosed(_)
            | EventBody::Aborted(_)
            | EventBody::Ended(_)
            | EventBody::ClockAdjusted(_)
            | EventBody::Rated(_)
            | EventBody::Unknown(_) => {}
        }
        // What follows from a move, such as the removal of a seat, still belongs to its ply.
        if let Some(last) = self.found.last_mut().filter(|last| last.ply == table.ply()) {
            last.position = wire::position(table.position());
            last.threatened = wire::threatened(table);
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
        left_ms: None,
    }
}
