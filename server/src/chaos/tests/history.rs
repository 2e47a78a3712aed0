//! A forged history of a client.

use serde_json::{Value, json};

use super::super::{
    ledger::{Ledger, MessageRate},
    verdict::{Breach, Verdict},
};

/// The token of the client.
pub(super) const TOKEN: &str = "at_given";

/// What a client was told and did, in time that passes only when the test says so.
pub(super) struct History {
    pub(super) ledger: Ledger,
    now_ms: u64,
    session: u64,
}

impl History {
    /// A client that has come with its token, is in the game `g`, and is asked for turn 0.
    pub(super) fn new() -> Self {
        let ledger = Ledger::new(MessageRate { burst: 40, per_s: 10 }, TOKEN);
        let mut history = Self { ledger, now_ms: 0, session: 0 };
        history.ledger.attempt(0);
        history.hello(&json!({"token": TOKEN}), &json!({}));
        history.receives(&json!({"type": "welcome", "re": "h", "user": {"name": "ann"}}));
        history.asked(0);
        history
    }

    /// Lets time pass.
    pub(super) fn waits(&mut self, ms: u64) -> &mut Self {
        self.now_ms += ms;
        self
    }

    /// A `hello` of the client. Every cursor is right but `{"seq":99}`.
    pub(super) fn hello(&mut self, auth: &Value, resume: &Value) -> &mut Self {
        let hello = json!({"type": "hello", "id": "h", "auth": auth, "resume": resume});
        let is_right = |_: &str, cursor: &Value| cursor["seq"] != 99;
        self.session = self.ledger.hello(self.now_ms, &hello, is_right);
        self
    }

    /// The connection is lost, and the client is back after a time as it should be.
    pub(super) fn comes_back(&mut self) -> &mut Self {
        self.lost();
        self.waits(200).attempts();
        self.hello(&json!({"token": TOKEN}), &json!({"g": {"seq": 4}}))
    }

    /// The connection is lost.
    pub(super) fn lost(&mut self) -> &mut Self {
        self.ledger.session_over(self.now_ms, self.session);
        self
    }

    /// The client tries to connect.
    pub(super) fn attempts(&mut self) -> &mut Self {
        self.ledger.attempt(self.now_ms);
        self
    }

    /// The client sends a request.
    pub(super) fn sends(&mut self, frame: &Value) -> &mut Self {
        self.ledger.request(self.now_ms, self.session, frame);
        self
    }

    /// The client makes a move.
    pub(super) fn moves(&mut self, id: &str, turn: u64, notation: &str) -> &mut Self {
        self.sends(&json!({"type": "move", "id": id, "game": "g", "turn": turn, "move": notation}))
    }

    /// The client receives a frame.
    pub(super) fn receives(&mut self, frame: &Value) -> &mut Self {
        self.ledger.delivered(self.now_ms, self.session, frame);
        self
    }

    /// The client is asked for a move.
    pub(super) fn asked(&mut self, turn: u64) -> &mut Self {
        self.receives(&json!({"type": "your_turn", "game": "g", "seat": 0, "turn": turn}))
    }

    /// The client receives an error.
    pub(super) fn rejected(&mut self, re: &str, code: &str, retry: &str, ms: u64) -> &mut Self {
        self.receives(&json!({
            "type": "error", "re": re, "code": code, "retry": retry, "retry_after_ms": ms,
            "message": "no",
        }))
    }

    /// The verdict, if all games are over.
    pub(super) fn verdict(self) -> Verdict {
        self.ledger.verdict(self.now_ms, 1, 1, "")
    }

    /// The findings.
    pub(super) fn findings(self) -> Vec<Breach> {
        self.verdict().findings.into_keys().collect()
    }
}
