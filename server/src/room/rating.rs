//! What the end of a game that counts does to ratings. The store rates the result with the record
//! of the end; the numbers that come of it are recorded as the game's last event. If the server
//! dies between the two, whoever opens the game next finds the numbers in the store.

use std::sync::Arc;

use adamant_protocol::{UserName, values::RatingChange};
use adamant_record::wire;
use adamant_rules::{BySeat, Event, EventKind, Table, table::Outcome, table::ServerAction};
use bytes::Bytes;

use super::{
    commit::CommitOutcome,
    snapshot,
    spawn::LoadedGame,
    state::{Room, RoomContext, RoomError},
};
use crate::{
    ratings::{Pool, RatedResult},
    store::{FoldedState, StoreError},
};

/// How a game that counts has ended, if it ends with these events, which are yet to be applied.
pub(super) fn result_after(table: &Table, events: &[Event]) -> Option<RatedResult> {
    let setup = table.setup();
    let places = events.iter().find_map(|event| {
        if let EventKind::Ended { places, .. } = &event.kind { Some(places) } else { None }
    });
    let places = places.filter(|_| setup.rated)?;
    let seats = snapshot::reseated(table, events)
        .unwrap_or_else(|| wire::seats(table.players(), table.position()));
    let users: Vec<UserName> = seats.into_iter().map(|seat| seat.user).collect();
    let pool = Pool::of(setup.kind, users.len());
    Some(RatedResult { pool, users, places: places.iter().copied().collect() })
}

/// Whether the game is over and counts, but its record does not say yet what came of that.
pub(super) fn awaits_rating(table: &Table, ratings: Option<&RatingChange>) -> bool {
    let ended = matches!(table.outcome(), Some(Outcome::Ended { .. }));
    ended && table.setup().rated && ratings.is_none()
}

/// The ratings that an event tells, if it does.
pub(super) fn rating_change(event: &Event) -> Option<RatingChange> {
    if let EventKind::Rated { before, after } = &event.kind {
        let numbers = |ratings: &BySeat<u16>| ratings.iter().copied().collect();
        Some(RatingChange { before: numbers(before), after: numbers(after) })
    } else {
        None
    }
}

fn ruling(change: &RatingChange) -> Option<ServerAction> {
    let before = BySeat::try_from_iter(change.before.iter().copied())?;
    let after = BySeat::try_from_iter(change.after.iter().copied())?;
    Some(ServerAction::Rated { before, after })
}

impl Room {
    /// Records what the result has made of the ratings, behind the records of the end.
    pub(super) async fn record_rating(
        &mut self,
        change: &RatingChange,
        records: &mut Vec<Bytes>,
    ) -> Result<(), RoomError> {
        let Some(ruling) = ruling(change) else { return Ok(()) };
        let events = self.table.decide_server_action(&ruling, self.context.time.now_ms())?;
        match self.store(&events, None).await? {
            CommitOutcome::Committed(done) => records.extend(done.records),
            // Another writer has recorded the same.
            CommitOutcome::Conflict => records.extend(self.catch_up_with_journal().await?),
            // The end itself is stored and was not told yet: whoever opens the game next goes on.
            CommitOutcome::DiskFull => return Err(StoreError::Unwritten.into()),
        }
        Ok(())
    }

    /// The same for a game whose end was found on record.
    pub(super) async fn record_missing_rating(
        &mut self,
        records: &mut Vec<Bytes>,
    ) -> Result<(), RoomError> {
        if !awaits_rating(&self.table, self.ratings.as_ref()) {
            return Ok(());
        }
        match self.context.journal.rating_change(self.head.game.clone()).await? {
            Some(change) => self.record_rating(&change, records).await,
            // The game ended when no ratings were kept.
            None => Ok(()),
        }
    }
}

/// Brings a game that was found to be over to its end: what is missing about its rating is
/// recorded, and it leaves the journal.
pub(crate) async fn finish(
    context: Arc<RoomContext>,
    loaded: LoadedGame,
) -> Result<(), StoreError> {
    let mut room = Room::new(context, loaded);
    let mut records = Vec::new();
    room.record_missing_rating(&mut records).await.map_err(|error| match error {
        RoomError::Store(error) => error,
        RoomError::Record(_)
        | RoomError::ApplyError(_)
        | RoomError::Refused(_)
        | RoomError::Contended => StoreError::Failed(error.to_string().into()),
    })?;
    room.fold(FoldedState::Finished).await;
    Ok(())
}
