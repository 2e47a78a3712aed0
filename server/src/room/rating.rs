//! What the end of a game that counts does to ratings. The store rates the result with the record
//! of the end; the numbers that come of it are recorded as the game's last event. If the server
//! dies between the two, whoever opens the game next finds the numbers in the store.

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
    /// Records what the result has made of the ratings, behind the records of the end.
    pub(super) async fn record_rating(
        &mut self,
        change: &RatingChange,
        records: &mut Vec<Bytes>,
    ) -> Result<(), RoomError> {
        let Some(action) = rating_action(change) else { return Ok(()) };
        let events = self.table.decide_server_action(&action, self.context.time.now_ms())?;
        match self.persist(&events, None).await? {
            CommitOutcome::Committed(done) => records.extend(done.records),
            // Another writer has recorded the same.
            CommitOutcome::Conflict => records.extend(self.apply_journal().await?),
            // The end itself is stored and was not told yet: whoever opens the game next goes on.
            CommitOutcome::DiskFull => return Err(StoreError::ReadOnly.into()),
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
