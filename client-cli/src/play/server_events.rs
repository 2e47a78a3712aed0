//! Handles the messages of the server.

use std::time::Duration;

use adamant_client::{Incoming, RequestError};
use adamant_protocol::{
    EventFrame,
    to_client::{ChallengeClosed, Challenged, Presence, ResumeDecision, Welcome},
};
use adamant_rules::{
    EventKind, Seat,
    event::{OfferKind, OfferOutcome},
};

use super::{
    history::GameHistory,
    message::{ConnectionState, Effect, FollowError, Request},
    role::Role,
    view::{ServerTime, View},
};
use crate::messages;

/// How long the note about a closed offer stays at least.
const NOTE_TIME: Duration = Duration::from_secs(5);

impl View {
    pub(super) fn receive(&mut self, incoming: Incoming) -> Vec<Effect> {
        match incoming {
            Incoming::Event { frame, bytes } => self.event(&frame, &bytes),
            // Before the first record, all records have been requested already.
            Incoming::Snapshot(snapshot)
                if snapshot.game == self.game && self.history.seq() > 0 =>
            {
                self.refetch()
            }
            Incoming::Connected(welcome) => self.connected(&welcome),
            Incoming::Disconnected { reason, retry_in } => {
                let again_at = retry_in.map(|wait| self.now + wait);
                self.connection = ConnectionState::Down { reason: reason.to_string(), again_at };
                // The server sends the presence again after the reconnect.
                self.presence = Vec::new();
                Vec::new()
            }
            Incoming::Notice(notice) => {
                self.show_note(messages::notice(&notice));
                Vec::new()
            }
            Incoming::ServerError(failed) => {
                self.show_error(failed.message);
                Vec::new()
            }
            Incoming::Said(said) => {
                self.receive_line(*said);
                Vec::new()
            }
            Incoming::Unsaid(unsaid) => {
                self.delete_line(&unsaid);
                Vec::new()
            }
            Incoming::Presence(presence) => {
                self.update_presence(presence);
                Vec::new()
            }
            Incoming::Challenged(challenged) => {
                self.rematch_offered(&challenged);
                Vec::new()
            }
            Incoming::ChallengeClosed(closed) => self.rematch_closed(closed),
            Incoming::Snapshot(_)
            | Incoming::YourTurn(_)
            | Incoming::Featured(_)
            | Incoming::Live(_)
            | Incoming::Invite(_)
            | Incoming::Lobby(_) => Vec::new(),
        }
    }

    fn update_presence(&mut self, presence: Presence) {
        if presence.game == self.game {
            self.presence = presence.seats;
        }
    }

    /// A player offers a rematch.
    fn rematch_offered(&mut self, challenged: &Challenged) {
        let (Some(me), true) = (&self.me, challenged.rematch_of.as_ref() == Some(&self.game))
        else {
            return;
        };
        if challenged.accepted.iter().any(|name| name.is_same(me.as_str())) {
            let missing = challenged.seats.len() - challenged.accepted.len();
            self.show_note(format!("The rematch waits for {missing} more."));
        } else {
            self.show_note(format!("{} offers a rematch; r accepts.", challenged.by));
        }
    }

    /// The offer of a rematch is closed.
    fn rematch_closed(&mut self, closed: ChallengeClosed) -> Vec<Effect> {
        if closed.rematch_of.as_ref() != Some(&self.game) || self.role != Role::Play {
            return Vec::new();
        }
        let Some(next) = closed.game else {
            let by = closed.by.map(|name| format!(": {name} closed it")).unwrap_or_default();
            self.show_note(format!("No rematch{by}."));
            return Vec::new();
        };
        self.game = next;
        self.presence = Vec::new();
        self.has_refetched = false;
        self.prompt.clear();
        self.show_note("The rematch starts.");
        self.refetch()
    }

    fn event(&mut self, frame: &EventFrame, record: &[u8]) -> Vec<Effect> {
        // Skips records that were sent before a request that repeats them.
        if frame.game != self.game || frame.seq != self.history.seq() + 1 {
            return Vec::new();
        }
        if frame.at > self.server_ms() {
            self.time = ServerTime { at_ms: frame.at, received: self.now };
        }
        let offers = self.table().map(|table| table.offers().to_vec()).unwrap_or_default();
        match self.history.push(record) {
            Ok(None) => Vec::new(),
            Ok(Some(event)) => {
                match event.kind {
                    EventKind::OfferClosed {
                        offer,
                        outcome: outcome @ (OfferOutcome::Declined | OfferOutcome::Withdrawn),
                        by,
                    } => {
                        let what = offers.iter().find(|open| open.offer == offer);
                        if let Some(what) = what.map(|open| open.what) {
                            self.offer_closed(what, outcome, by);
                        }
                    }
                    EventKind::Swapped { .. } => {
                        self.board_changed();
                        // The presence is stored by seat.
                        for known in &mut self.presence {
                            known.seat = 1 - known.seat.min(1);
                        }
                    }
                    EventKind::Moved { .. }
                    | EventKind::Skipped { .. }
                    | EventKind::Removed { .. }
                    | EventKind::TakenBack { .. }
                    | EventKind::Aborted { .. }
                    | EventKind::Ended { .. } => self.board_changed(),
                    EventKind::Created(_)
                        if self.role == Role::Play && self.my_seat().is_none() =>
                    {
                        self.role = Role::Watch;
                        self.show_note("You do not play in this game; you are watching.");
                    }
                    EventKind::Created(_)
                    | EventKind::Started { .. }
                    | EventKind::Offered { .. }
                    | EventKind::Agreed { .. }
                    | EventKind::OfferClosed { .. }
                    | EventKind::ClockAdjusted { .. }
                    | EventKind::Rated { .. } => {}
                }
                Vec::new()
            }
            Err(error) if self.has_refetched => {
                vec![Effect::Fail(FollowError::Damaged(error.to_string()))]
            }
            Err(_) => {
                self.has_refetched = true;
                self.refetch()
            }
        }
    }

    /// The board has changed: clears the preview, the move input and old notes.
    fn board_changed(&mut self) {
        self.preview = None;
        self.clear_input();
        if self.now >= self.keep_note_until {
            self.note = None;
        }
        // The ply that is shown may have been taken back.
        let last = self.last_ply();
        self.past_ply = self.past_ply.filter(|&past| past < last);
    }

    /// An offer was declined or withdrawn. The note stays for some seconds, even if a move follows.
    fn offer_closed(&mut self, what: OfferKind, outcome: OfferOutcome, by: Seat) {
        if self.my_seat() == Some(by) {
            return;
        }
        let Some((_, names)) = self.history.table() else { return };
        let (by, what) = (names.of(by), messages::the_offered(what));
        self.show_note(if outcome == OfferOutcome::Withdrawn {
            format!("{by} withdraws the offer of {what}.")
        } else {
            format!("{by} declines {what}.")
        });
        self.keep_note_until = self.now + NOTE_TIME;
    }

    /// Discards the game and requests all its records again.
    fn refetch(&mut self) -> Vec<Effect> {
        self.history = GameHistory::default();
        self.past_ply = None;
        self.preview = None;
        self.clear_input();
        self.pointer = None;
        vec![Effect::Send(Request::Follow { from: 1 })]
    }

    fn connected(&mut self, welcome: &Welcome) -> Vec<Effect> {
        self.connection = ConnectionState::Up;
        if let Some(pointer) = &mut self.pointer {
            pointer.input.retry();
        }
        self.time = ServerTime { at_ms: welcome.ts, received: self.now };
        self.has_refetched = false;
        // Notes about the lost connection are out of date.
        self.note.take_if(|note| !note.is_error);
        let from = self.history.seq() + 1;
        let verdict = welcome.games.iter().find(|resumed| resumed.game == self.game);
        match verdict.map(|resumed| resumed.resume) {
            Some(ResumeDecision::Gone) => vec![Effect::Fail(FollowError::Gone)],
            // The server sends the missing records, or a snapshot that triggers a refetch.
            Some(ResumeDecision::Tail | ResumeDecision::Snapshot | ResumeDecision::Fork)
                if from > 1 =>
            {
                Vec::new()
            }
            Some(_) | None => vec![Effect::Send(Request::Follow { from })],
        }
    }

    pub(super) fn receive_response(
        &mut self,
        request: &Request,
        answer: Result<(), RequestError>,
    ) -> Vec<Effect> {
        if let Request::Follow { .. } = request {
            return match answer {
                // The records are requested again after the reconnect.
                Ok(()) | Err(RequestError::ConnectionLost) => Vec::new(),
                Err(error) => vec![Effect::Fail(FollowError::Request(error))],
            };
        }
        let mut line = self.sent.take().unwrap_or_default();
        if let (Request::Say { text, .. }, Some(_)) = (request, &self.talk) {
            line.clone_from(text);
        }
        if let Err(error) = answer {
            // Returns the line to the prompt, to be corrected.
            if self.prompt.is_empty() {
                self.prompt.write(&line);
            }
            if let RequestError::Refused(failed) = error {
                self.show_error(failed.why.unwrap_or(failed.message));
            } else {
                self.show_error(error.to_string());
            }
        }
        Vec::new()
    }
}
