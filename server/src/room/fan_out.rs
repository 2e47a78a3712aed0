//! How events reach a room's spectators, of whom there may be thousands: in passes that the room
//! interrupts whenever a player asks something. Whoever is visited gets everything that there is for
//! them, in one go: the further a pass is behind, the less each event costs.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Bound,
    sync::Arc,
};

use adamant_protocol::{GameId, UserName};

use crate::{
    caller::{Caller, SessionId},
    frame::Frame,
    limits::FAN_OUT_FRAMES_MAX,
    outbox::Offer,
};

/// A spectator's session.
#[derive(Debug)]
pub(super) struct Spectator {
    caller: Arc<Caller>,
    /// The number of the first thing that it is still to be told.
    next: u64,
    /// Something did not fit into its queue; it gets a snapshot before anything further.
    lagging: bool,
    /// Whether it has been told who is there, as it was told last.
    pub(super) knows_presence: bool,
}

impl Spectator {
    /// Sends a frame; whether the session is still there.
    pub(super) fn tell(&mut self, game: &GameId, frame: &Frame) -> bool {
        tell(&self.caller, &mut self.lagging, game, std::iter::once(frame))
    }
}

/// Sends frames, unless there is no room for them: then a snapshot is owed instead. Whether the
/// session is still there.
fn tell<'a>(
    caller: &Caller,
    lagging: &mut bool,
    game: &GameId,
    frames: impl Iterator<Item = &'a Frame>,
) -> bool {
    if *lagging {
        return !caller.outbox.is_closed();
    }
    match caller.outbox.offer_all(frames) {
        Offer::Taken => true,
        Offer::Full => {
            *lagging = true;
            caller.outbox.note_lag(game);
            true
        }
        Offer::Gone => false,
    }
}

/// Something that every spectator is told.
#[derive(Debug)]
struct Telling {
    frame: Frame,
    /// Whose word it is, for those who do not want to hear them.
    by: Option<UserName>,
}

impl Telling {
    fn is_for(&self, caller: &Caller) -> bool {
        self.by.as_ref().is_none_or(|by| !caller.muted.has(by))
    }
}

/// The spectators, and what not all of them have been told yet.
#[derive(Debug, Default)]
pub(super) struct FanOut {
    spectators: BTreeMap<SessionId, Spectator>,
    tellings: VecDeque<Telling>,
    /// The number of the first of `tellings`; they are numbered in their order.
    first: u64,
    /// The pass under way.
    pass: Option<Pass>,
}

/// One visit to every spectator.
#[derive(Debug, Clone, Copy)]
struct Pass {
    /// What was told before it began: when it ends, everybody knows that.
    until: u64,
    /// Who was visited last.
    after: Option<SessionId>,
}

impl FanOut {
    /// Adds a session. It will be told what comes from here on.
    pub(super) fn join(&mut self, caller: Arc<Caller>) {
        let (session, next) = (caller.session, self.end());
        let spectator = Spectator { caller, next, lagging: false, knows_presence: false };
        self.spectators.insert(session, spectator);
    }

    /// Takes a session away.
    pub(super) fn leave(&mut self, session: SessionId) -> Option<Arc<Caller>> {
        self.spectators.remove(&session).map(|spectator| spectator.caller)
    }

    pub(super) fn has(&self, session: SessionId) -> bool {
        self.spectators.contains_key(&session)
    }

    pub(super) fn get(&mut self, session: SessionId) -> Option<&mut Spectator> {
        self.spectators.get_mut(&session)
    }

    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut Spectator> {
        self.spectators.values_mut()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.spectators.is_empty()
    }

    pub(super) fn into_callers(self) -> impl Iterator<Item = Arc<Caller>> {
        self.spectators.into_values().map(|spectator| spectator.caller)
    }

    /// The number of the next thing to be told.
    fn end(&self) -> u64 {
        self.first + self.tellings.len() as u64
    }

    /// Whether somebody has not been told everything yet.
    pub(super) fn is_behind(&self) -> bool {
        !self.tellings.is_empty()
    }

    /// Something to tell everybody. It is told by [`advance`](Self::advance).
    pub(super) fn push(&mut self, game: &GameId, frame: Frame, by: Option<UserName>) {
        if self.spectators.is_empty() {
            return;
        }
        // What outruns the spectators waits for them once in a while, so that memory stays bounded.
        while self.tellings.len() >= FAN_OUT_FRAMES_MAX {
            for session in self.advance(game, usize::MAX) {
                self.leave(session);
            }
        }
        self.tellings.push_back(Telling { frame, by });
    }

    /// Visits up to so many spectators. Gives back those who were gone.
    pub(super) fn advance(&mut self, game: &GameId, visits: usize) -> Vec<SessionId> {
        let mut gone = Vec::new();
        if !self.is_behind() {
            return gone;
        }
        let end = self.end();
        let mut pass = self.pass.unwrap_or(Pass { until: end, after: None });
        let from = pass.after.map_or(Bound::Unbounded, Bound::Excluded);
        let mut visited = 0;
        for (&session, spectator) in
            self.spectators.range_mut((from, Bound::Unbounded)).take(visits)
        {
            let Spectator { caller, next, lagging, .. } = spectator;
            let told = usize::try_from(next.saturating_sub(self.first)).unwrap_or(usize::MAX);
            let left = self.tellings.range(told.min(self.tellings.len())..);
            let frames = left.filter(|telling| telling.is_for(caller)).map(|left| &left.frame);
            if !tell(caller, lagging, game, frames) {
                gone.push(session);
            }
            *next = end;
            pass.after = Some(session);
            visited += 1;
        }
        if visited < visits {
            // Everybody has been visited.
            let known = usize::try_from(pass.until - self.first).unwrap_or(usize::MAX);
            self.tellings.drain(..known.min(self.tellings.len()));
            self.first = pass.until;
            self.pass = None;
        } else {
            self.pass = Some(pass);
        }
        gone
    }

    /// Whether a session still waits for a snapshot; if so it will get one now, which tells all that
    /// there is to tell.
    pub(super) fn catch_up(&mut self, session: SessionId) -> bool {
        let end = self.end();
        let Some(spectator) = self.spectators.get_mut(&session) else { return false };
        let lagged = std::mem::take(&mut spectator.lagging);
        if lagged {
            spectator.next = end;
        }
        lagged
    }
}
