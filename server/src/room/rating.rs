//! The rating of a finished game. The store rates the result together with the record of the end.
//! The room then records the rating change as the game's last event. If the server crashes between
//! the two, the next load of the game finds the change in the store and records it.

use std::sync::Arc;

use adamant_protocol::values::RatingChange;
use bytes::Bytes;

use super::{
    commit::CommitOutcome,
    loaded::LoadedGame,
    outcome::{awaits_rating, rating_action},
    state::{Room, RoomContext, RoomError},
};
use crate::store::{ArchivedState, StoreError};

impl Room {
    /// Records the rating change as an event after the end.
    pub(super) async fn record_rating(
        &mut self,
        change: &RatingChange,
        records: &mut Vec<Bytes>,
    ) -> Result<(), RoomError> {
        let Some(action) = rating_action(change) else { return Ok(()) };
        let events = self.table.decide_server_action(&action, self.context.time.now_ms())?;
        match self.persist(&events, None).await? {
            CommitOutcome::Committed(done) => records.extend(done.records),
            // Another writer has recorded the same change.
            CommitOutcome::Conflict => records.extend(self.apply_journal().await?),
            // The end is stored and not published yet. The next load of the game continues from
            // here.
            CommitOutcome::DiskFull => return Err(StoreError::ReadOnly.into()),
        }
        Ok(())
    }

    /// Records the rating change of a loaded game whose end is recorded without it.
    pub(super) async fn record_missing_rating(
        &mut self,
        records: &mut Vec<Bytes>,
    ) -> Result<(), RoomError> {
        if !awaits_rating(&self.table, self.ratings.as_ref()) {
            return Ok(());
        }
        match self.context.journal.rating_change(self.head.game.clone()).await? {
            Some(change) => self.record_rating(&change, records).await,
            // The game ended before the store kept ratings.
            None => Ok(()),
        }
    }
}

/// Completes a loaded game that is over: records its missing rating change and archives it.
pub(crate) async fn archive_finished(
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
    room.archive(ArchivedState::Finished).await;
    Ok(())
}
