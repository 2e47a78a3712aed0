//! The acts of the client under test, by game and id: which are unanswered, and whether it sends
//! them again as it should.

use std::collections::HashMap;

use serde_json::Value;

use super::verdict::Breach;

/// The requests that change a game.
const ACTS: [&str; 7] = ["move", "resign", "abort", "offer", "answer", "withdraw", "claim"];

/// An act as the client sent it.
#[derive(Debug, Clone)]
pub(super) struct Act {
    /// Its id.
    pub(super) id: String,
    /// Its game.
    pub(super) game: String,
    /// The turn of a move.
    pub(super) turn: Option<u64>,
    kind: String,
    frame: Value,
    state: ActState,
    /// The session in which it was last sent.
    session: u64,
}

/// What has become of an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ActState {
    /// It has no answer.
    Open,
    /// The client was asked to send it again after a time.
    Again {
        /// When it was asked.
        since_ms: u64,
        /// How long it is to wait.
        wait_ms: u64,
    },
    /// It was carried out, and the client knows.
    Done,
    /// It was rejected: the client may correct it under the same id.
    Rejected,
}

/// What there is to say about an act that arrives.
#[derive(Debug, Default)]
pub(super) struct Sent {
    /// Whether it was sent before.
    pub(super) is_again: bool,
    /// What is wrong with it.
    pub(super) finding: Option<(Breach, String)>,
}

impl Act {
    /// Returns whether a request is an act.
    pub(super) fn is_act(frame: &Value) -> bool {
        frame["type"].as_str().is_some_and(|kind| ACTS.contains(&kind))
    }

    /// Reads a request; `None` if it is no act.
    pub(super) fn read(frame: &Value, session: u64) -> Option<Self> {
        Self::is_act(frame).then_some(())?;
        Some(Self {
            id: frame["id"].as_str()?.to_owned(),
            game: frame["game"].as_str()?.to_owned(),
            turn: frame["turn"].as_u64(),
            kind: frame["type"].as_str()?.to_owned(),
            frame: frame.clone(),
            state: ActState::Open,
            session,
        })
    }

    const fn waits(&self) -> bool {
        matches!(self.state, ActState::Open | ActState::Again { .. })
    }

    fn is_same_purpose(&self, other: &Self) -> bool {
        self.game == other.game && self.kind == other.kind && self.turn == other.turn
    }
}

/// All acts of a run.
#[derive(Debug, Default)]
pub(super) struct Acts(HashMap<(String, String), Act>);

impl Acts {
    /// An act arrives.
    pub(super) fn sent(&mut self, now_ms: u64, act: Act, waited_percent: u64) -> Sent {
        let key = (act.game.clone(), act.id.clone());
        let Some(before) = self.0.get_mut(&key) else {
            let doubles =
                self.0.values_mut().find(|open| open.waits() && open.is_same_purpose(&act));
            let finding = doubles.map(|open| {
                // Once is enough.
                open.state = ActState::Rejected;
                (Breach::ActDoubled, format!("it is {} again, which has no answer", open.id))
            });
            self.0.insert(key, act);
            return Sent { is_again: false, finding };
        };
        let finding = if before.state != ActState::Rejected && before.frame != act.frame {
            let what = format!("it was {}, and is {}", before.frame, act.frame);
            Some((Breach::IdReused, what))
        } else if let ActState::Again { since_ms, wait_ms } = before.state
            && (now_ms - since_ms.min(now_ms)) * 100 < wait_ms * waited_percent
        {
            let after = now_ms - since_ms.min(now_ms);
            let what = format!("it came again after {after} ms instead of {wait_ms} ms");
            Some((Breach::TooEarly, what))
        } else {
            None
        };
        let is_again = before.waits();
        // What was carried out stays so: the answer to its repetition says it again.
        let state = if before.state == ActState::Done { ActState::Done } else { ActState::Open };
        *before = Act { state, ..act };
        Sent { is_again, finding }
    }

    /// The client receives the answer to a request. Returns whether this is the end of an act.
    pub(super) fn answered(&mut self, re: &str, state: ActState) -> bool {
        let mut waiting = self.0.values_mut().filter(|act| act.id == re && act.waits());
        let Some(act) = waiting.next() else { return false };
        act.state = state;
        state == ActState::Done
    }

    /// The client receives the event to which an act led. Returns whether this is the end of the
    /// act.
    pub(super) fn confirmed(&mut self, game: &str, id: &str) -> bool {
        let key = (game.to_owned(), id.to_owned());
        let Some(act) = self.0.get_mut(&key).filter(|act| act.waits()) else { return false };
        act.state = ActState::Done;
        true
    }

    /// A game is over, and with it all that was to be done in it.
    pub(super) fn game_over(&mut self, game: &str) {
        self.0.retain(|(of, _), _| of != game);
    }

    /// Returns the acts that are unanswered since an earlier session, once.
    pub(super) fn never_sent_again(&mut self, session: u64) -> Vec<String> {
        let lost = self.0.values_mut().filter(|act| act.waits() && act.session < session);
        let lost = lost.map(|act| {
            act.state = ActState::Rejected;
            act.frame.to_string()
        });
        lost.collect()
    }
}
