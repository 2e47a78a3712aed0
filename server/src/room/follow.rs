//! How a room follows its journal: it applies what other writers have appended, and completes a
//! game that has ended.

use adamant_protocol::values::RatingChange;
use adamant_record::Replay;
use bytes::Bytes;

use super::{
    command::Command,
    input::{Output, Pass},
    outcome::{self, awaits_rating},
    state::{Room, RoomError},
    step::{Step, Unpublished},
};
use crate::{limits::CATCH_UP_CHUNK, store::StoreError};

impl Room {
    /// Reads, applies and publishes the records that other writers have appended.
    pub(super) fn follow(&mut self, pass: &mut Pass<'_>) {
        let turn_before = self.table.turn();
        self.follow_after(Unpublished { records: Vec::new(), turn_before }, pass);
    }

    /// Does the same, and publishes other records before them.
    pub(super) fn follow_after(&mut self, unpublished: Unpublished, pass: &mut Pass<'_>) {
        let output = Output::Read { from: self.head.seq + 1, max: CATCH_UP_CHUNK };
        self.wait_for(Step::Follow(unpublished), output, pass);
    }

    /// Completes a game that was just loaded, if the last process has not completed it: records the
    /// missing rating change, and archives the game.
    pub(super) fn complete(&mut self, archived: bool, pass: &mut Pass<'_>) {
        if self.context.reads_only || self.credit_outage(pass) {
            return;
        }
        let unpublished = Unpublished { records: Vec::new(), turn_before: self.table.turn() };
        if awaits_rating(&self.table, self.ratings.as_ref()) {
            self.wait_for(Step::ReadRating(unpublished), Output::ReadRating, pass);
        } else if self.is_over() && !archived {
            self.finish(unpublished, pass);
        }
    }

    pub(super) fn on_records(
        &mut self,
        records: Result<Vec<Bytes>, StoreError>,
        pass: &mut Pass<'_>,
    ) -> Result<(), RoomError> {
        let Some(step) = self.step.take() else { return self.unexpected(None) };
        match (step, records) {
            (Step::Follow(unpublished), Ok(page)) => {
                return self.on_page(unpublished, page, pass);
            }
            (Step::Follow(unpublished), Err(error)) => {
                return self.on_follow_error(unpublished, error, pass);
            }
            (Step::Tail(request), Ok(records)) => self.send_tail(&request, &records, pass.now),
            (Step::Tail(request), Err(error)) => Command::Join(request).deny(error.into()),
            (Step::Cursor(request), Ok(records)) => {
                self.on_cursor_record(*request, records.first());
            }
            (Step::Cursor(request), Err(error)) => {
                Command::PlanResume(request).deny(error.into());
            }
            (step, _) => return self.unexpected(Some(&step)),
        }
        Ok(())
    }

    /// Refuses the session for which the journal was to be read. Without one the room ends, since a
    /// decision needs the records.
    fn on_follow_error(
        &mut self,
        unpublished: Unpublished,
        error: StoreError,
        pass: &mut Pass<'_>,
    ) -> Result<(), RoomError> {
        let is_followed = |command: &mut Command| {
            matches!(command, Command::Join(request) if request.followed)
                || matches!(command, Command::PlanResume(request) if request.followed)
        };
        let Some(command) = self.waiting.pop_front_if(is_followed) else {
            return Err(error.into());
        };
        command.deny(error.into());
        self.followed(unpublished, pass)
    }

    /// Applies a page of records of other writers.
    fn on_page(
        &mut self,
        mut unpublished: Unpublished,
        page: Vec<Bytes>,
        pass: &mut Pass<'_>,
    ) -> Result<(), RoomError> {
        if !page.is_empty() {
            // The unknown outcome is settled.
            self.failures = 0;
        }
        self.apply_page(&page)?;
        let is_last = page.len() < CATCH_UP_CHUNK;
        unpublished.records.extend(page);
        if is_last {
            return self.followed(unpublished, pass);
        }
        self.follow_after(unpublished, pass);
        Ok(())
    }

    fn apply_page(&mut self, records: &[Bytes]) -> Result<(), RoomError> {
        if records.is_empty() {
            return Ok(());
        }
        let mut replay = Replay::resume(self.table.clone(), self.head.clone());
        for record in records {
            let (frame, event) = replay.push_frame(record)?;
            self.ratings = self.ratings.take().or_else(|| outcome::rating_change(&event));
            if let (Some(req), Some(table)) = (&frame.req, replay.table()) {
                self.requests.record(req, frame.seq, &event, table);
            }
            if let Some(delayed) = &mut self.delayed {
                delayed.push(record.clone(), event);
            }
        }
        if let Some((table, head)) = replay.into_parts() {
            self.table = table;
            self.head = head;
        }
        Ok(())
    }

    /// Publishes what the room has applied. The end of a game is published once it is rated and
    /// archived.
    fn followed(&mut self, unpublished: Unpublished, pass: &mut Pass<'_>) -> Result<(), RoomError> {
        if awaits_rating(&self.table, self.ratings.as_ref()) {
            self.wait_for(Step::ReadRating(unpublished), Output::ReadRating, pass);
        } else if self.is_over() && !unpublished.records.is_empty() {
            self.finish(unpublished, pass);
        } else {
            let Unpublished { records, turn_before } = unpublished;
            self.publish(&records, turn_before, None, pass.now)?;
        }
        Ok(())
    }

    pub(super) fn on_rating(
        &mut self,
        change: Result<Option<RatingChange>, StoreError>,
        pass: &mut Pass<'_>,
    ) -> Result<(), RoomError> {
        let change = change?;
        match (self.step.take(), change) {
            (Some(Step::ReadRating(unpublished)), Some(change)) => {
                self.record_rating(&change, unpublished, pass)
            }
            (Some(Step::ReadRating(unpublished)), None) => {
                // The game ended before the store kept ratings.
                self.finish(unpublished, pass);
                Ok(())
            }
            (step, _) => self.unexpected(step.as_ref()),
        }
    }
}
