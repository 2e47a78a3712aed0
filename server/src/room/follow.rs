//! How a room follows its journal: it applies what other writers have appended, and completes a
//! game that has ended.

use std::time::Duration;

use adamant_protocol::values::RatingChange;
use adamant_record::RecordError;
use adamant_rules::Refusal;
use bytes::Bytes;

use crate::limits::{CATCH_UP_CHUNK, RATED_GRACE};
use crate::outbound::frame::Frame;
use crate::room::snapshot::{self, awaits_rating};
use crate::room::{AwaitedRating, Command, Output, Pass, Room, RoomError, Step, Unpublished};
use crate::runtime::{metrics::FollowedFrom, time::milliseconds};
use crate::{cluster::AppendedRecords, error::Denial, store::StoreError};

impl Room {
    /// Reads, applies and publishes the records that other writers have appended.
    pub(super) fn follow(&mut self, pass: &mut Pass<'_>) {
        self.follow_after(self.nothing_unpublished(), pass);
    }

    /// Returns what is published before the room follows. On a server that is alone all records are
    /// its own.
    fn nothing_unpublished(&self) -> Unpublished {
        let reports = self.context.cluster.is_alone();
        Unpublished { records: Vec::new(), turn_before: self.table.turn(), reports }
    }

    /// Another node has appended records. The room applies those that it is given, and reads the
    /// others. If it waits for something else, it reads all of them later.
    pub(super) fn on_announced(
        &mut self,
        appended: &AppendedRecords,
        pass: &mut Pass<'_>,
    ) -> Result<(), RoomError> {
        self.announced = self.announced.max(appended.until);
        if !self.is_behind_announced() {
            return Ok(());
        }
        let mut unpublished = match self.step.take() {
            Some(Step::AwaitRating(awaited)) => awaited.unpublished,
            // The move may have come in time.
            Some(Step::FlagGrace(_)) | None => self.nothing_unpublished(),
            step => {
                self.step = step;
                return Ok(());
            }
        };
        let records = appended.after(self.head.seq);
        let (applied, invalid) = self.apply(records);
        if let Some(error) = invalid {
            // What the store has decides.
            // operator: a record in an announcement does not continue the game as this node has it.
            // The room reads from the database instead. If it comes often, something else announces
            // on the database
            tracing::warn!(game = %self.head.game, %error, "an announced record does not fit");
        }
        unpublished.records.extend(records[..applied].iter().map(|record| Frame::text(record)));
        if applied > 0 {
            self.observe_followed(FollowedFrom::Announcement, applied, pass.now);
        }
        self.followed_announced(unpublished, pass)
    }

    /// Follows the announcements that the room has not followed yet. Returns whether it does.
    pub(super) fn catch_up_with_announced(&mut self, pass: &mut Pass<'_>) -> bool {
        let is_behind = self.is_behind_announced();
        if is_behind {
            self.follow_announced(self.nothing_unpublished(), pass);
        }
        is_behind
    }

    fn is_behind_announced(&self) -> bool {
        self.announced > self.head.seq
    }

    fn follow_announced(&mut self, unpublished: Unpublished, pass: &mut Pass<'_>) {
        let from = self.head.seq + 1;
        let until = self.announced.min(self.head.seq + CATCH_UP_CHUNK as u64);
        let output = Output::ReadAnnounced { from, until };
        self.wait_for(Step::FollowAnnounced(unpublished), output, pass);
    }

    /// Does the same, and publishes other records before them.
    pub(super) fn follow_after(&mut self, unpublished: Unpublished, pass: &mut Pass<'_>) {
        let output = Output::Read { from: self.head.seq + 1, max: CATCH_UP_CHUNK };
        self.wait_for(Step::Follow(unpublished), output, pass);
    }

    /// Completes a game that was just loaded, if the last process has not completed it: records the
    /// missing rating change, and archives the game.
    pub(super) fn complete(&mut self, archived: bool, pass: &mut Pass<'_>) {
        self.stand_after_failure();
        if self.context.reads_only || self.credit_outage(false, pass) {
            return;
        }
        let unpublished = self.nothing_unpublished();
        if awaits_rating(&self.table, self.ratings.as_deref()) {
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
                return self.on_page(unpublished, &page, pass);
            }
            (Step::FollowAnnounced(unpublished), Ok(page)) => {
                return self.on_announced_page(unpublished, &page, pass);
            }
            (Step::Follow(unpublished) | Step::FollowAnnounced(unpublished), Err(error)) => {
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

    /// Refuses the command for which the journal was to be read. Without one the room ends, since a
    /// decision needs the records. In a cluster it goes on: it decides nothing that the store does
    /// not check, and asks again later what it has missed.
    fn on_follow_error(
        &mut self,
        unpublished: Unpublished,
        error: StoreError,
        pass: &mut Pass<'_>,
    ) -> Result<(), RoomError> {
        self.announced = self.head.seq;
        let is_alone = self.context.cluster.is_alone();
        let is_followed = |command: &mut Command| match command {
            Command::Join(request) => request.followed,
            Command::PlanResume(request) => request.followed,
            Command::Act(request) => request.followed || !is_alone,
            Command::Rule(request) => request.followed || !is_alone,
            Command::Leave { .. }
            | Command::CatchUp { .. }
            | Command::Query { .. }
            | Command::ReadSnapshot { .. }
            | Command::ReadLiveGame { .. }
            | Command::ReadTable { .. }
            | Command::BroadcastTalk(_)
            | Command::NoteAnnulled => false,
        };
        match self.waiting.pop_front_if(is_followed) {
            Some(command) => command.deny(error.into()),
            None if is_alone => return Err(error.into()),
            None => {}
        }
        self.followed(unpublished, pass)
    }

    /// Applies a page of records of other writers.
    fn on_page(
        &mut self,
        mut unpublished: Unpublished,
        page: &[Bytes],
        pass: &mut Pass<'_>,
    ) -> Result<(), RoomError> {
        if !page.is_empty() {
            // The unknown outcome is settled.
            self.failures = 0;
        }
        self.apply_page(page)?;
        let is_last = page.len() < CATCH_UP_CHUNK;
        unpublished.records.extend(page.iter().map(|record| Frame::text(record)));
        if is_last {
            return self.followed(unpublished, pass);
        }
        self.follow_after(unpublished, pass);
        Ok(())
    }

    /// Applies a page of records that another node has announced.
    fn on_announced_page(
        &mut self,
        mut unpublished: Unpublished,
        page: &[Bytes],
        pass: &mut Pass<'_>,
    ) -> Result<(), RoomError> {
        self.apply_page(page)?;
        if page.is_empty() {
            // The next audit asks again.
            tracing::debug!(game = %self.head.game, until = self.announced, "no announced records");
            self.announced = self.head.seq;
        } else {
            self.observe_followed(FollowedFrom::Journal, page.len(), pass.now);
        }
        unpublished.records.extend(page.iter().map(|record| Frame::text(record)));
        self.followed_announced(unpublished, pass)
    }

    /// Reads the announced records that the room does not have yet, or publishes what it has.
    fn followed_announced(
        &mut self,
        unpublished: Unpublished,
        pass: &mut Pass<'_>,
    ) -> Result<(), RoomError> {
        if self.is_behind_announced() {
            self.follow_announced(unpublished, pass);
            return Ok(());
        }
        self.followed(unpublished, pass)
    }

    fn observe_followed(&self, from: FollowedFrom, records: usize, now: u64) {
        let age = now.saturating_sub(self.table.last_at());
        self.context.metrics.observe_follow(from, records, Duration::from_millis(age));
    }

    fn apply_page(&mut self, records: &[Bytes]) -> Result<(), RoomError> {
        self.apply(records).1.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Applies records up to the first that does not continue the game. Returns how many it has
    /// applied, and what is wrong with the next one.
    fn apply(&mut self, records: &[Bytes]) -> (usize, Option<RecordError>) {
        for (applied, record) in records.iter().enumerate() {
            let (frame, event) = match self.head.follow(&mut self.table, record) {
                Ok(followed) => followed,
                Err(error) => return (applied, Some(error)),
            };
            self.note_applied(&event);
            self.ratings = self.ratings.take().or_else(|| snapshot::rating_change(&event));
            if let Some(req) = &frame.req {
                self.requests.record(req, frame.seq, &event, &self.table);
            }
            if let Some(delayed) = &mut self.delayed {
                delayed.push(Frame::text(record), event);
            }
        }
        (records.len(), None)
    }

    /// Publishes what the room has applied. The end of a game is published once it is rated and
    /// archived.
    fn followed(&mut self, unpublished: Unpublished, pass: &mut Pass<'_>) -> Result<(), RoomError> {
        if awaits_rating(&self.table, self.ratings.as_deref()) {
            if self.context.cluster.is_alone() {
                self.wait_for(Step::ReadRating(unpublished), Output::ReadRating, pass);
            } else {
                let until = pass.now.saturating_add(milliseconds(RATED_GRACE));
                self.step = Some(Step::AwaitRating(Box::new(AwaitedRating { unpublished, until })));
            }
        } else if self.is_over() && !unpublished.records.is_empty() {
            self.finish(unpublished, pass);
        } else {
            let Unpublished { records, turn_before, reports } = unpublished;
            self.publish(&records, turn_before, None, reports, pass.now)?;
        }
        Ok(())
    }

    /// Whether a refusal may be due to records that the room has not read yet.
    pub(super) fn may_be_stale(&self, denial: &Denial) -> bool {
        let Denial::Refused { refusal, .. } = denial else { return false };
        !self.context.cluster.is_alone()
            && match refusal {
                Refusal::StaleTurn { given, turn } => given > turn,
                Refusal::NotReady
                | Refusal::SeatIsOffered
                | Refusal::NotYourTurn
                | Refusal::NoSuchOffer
                | Refusal::NotYourOffer { .. }
                | Refusal::OfferStands
                | Refusal::OfferedThisTurn
                | Refusal::NothingToTakeBack
                | Refusal::TakebackBarred
                | Refusal::NothingToClaim
                | Refusal::NotAwaited => true,
                // No later record changes these.
                Refusal::GameOver
                | Refusal::LeftTheGame
                | Refusal::Illegal(_)
                | Refusal::TakebacksSpent { .. }
                | Refusal::TooLongForOffers
                | Refusal::TooLateToAbort
                | Refusal::NotToBeRated => false,
            }
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
