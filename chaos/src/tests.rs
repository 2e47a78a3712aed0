//! Tests of the account: forged histories of clients, one for each finding.

use serde_json::{Value, json};

use crate::ledger::{Breach, Ledger, MessageRate, Verdict};

#[test]
fn a_client_that_bears_everything_passes_with_its_times() {
    let mut history = History::new();
    history.waits(30).moves("g:0", 0, "a").comes_back();
    // The answer was lost: the same request again.
    history.moves("g:0", 0, "a").receives(&json!({"type": "ok", "re": "g:0", "game": "g"}));
    history.asked(2).waits(90).moves("g:2", 2, "b");
    history.rejected("g:2", "x_weather", "after", 100).waits(100).moves("g:2", 2, "b");
    history.receives(&json!({"type": "event", "game": "g", "kind": "moved", "req": "g:2"}));
    let over = json!({"type": "event", "game": "g", "kind": "ended", "reason": "resigned", "winners": [0]});
    history.receives(&over);
    let verdict = history.verdict();
    assert!(verdict.passed, "{verdict:?}");
    assert_eq!((verdict.acts, verdict.acts_sent_again, verdict.sessions), (2, 2, 2));
    assert_eq!((verdict.think_median_ms, verdict.think_max_ms), (90, 90));
}

#[test]
fn an_unanswered_act_under_a_new_id_is_doubled() {
    let mut history = History::new();
    history.moves("m1", 0, "a").comes_back().moves("m2", 0, "a");
    assert_eq!(history.findings(), [Breach::ActDoubled]);

    // After an answer a new id is a new act.
    let mut history = History::new();
    history.moves("m1", 0, "a").rejected("m1", "stale_turn", "resync", 0).moves("m2", 0, "a");
    assert_eq!(history.findings(), []);
}

#[test]
fn an_act_that_is_never_sent_again_is_lost() {
    for (again, findings) in [(false, vec![Breach::ActLost]), (true, vec![])] {
        let mut history = History::new();
        history.sends(&json!({"type": "offer", "id": "o", "game": "g", "what": "draw"}));
        history.comes_back();
        if again {
            history.sends(&json!({"type": "offer", "id": "o", "game": "g", "what": "draw"}));
        }
        for turn in 0..10 {
            history.asked(turn);
        }
        history.waits(1_500).lost();
        assert_eq!(history.findings(), findings);
    }

    // A session of many frames that is soon over had no time for it, a long one of few no reason.
    for (frames, lasts_ms) in [(10, 100), (2, 1_500)] {
        let mut history = History::new();
        history.moves("g:0", 0, "a").comes_back();
        for turn in 0..frames {
            history.asked(turn);
        }
        history.waits(lasts_ms).lost();
        assert_eq!(history.findings(), []);
    }

    // Its event has come with the tail: there is nothing left to send.
    let mut history = History::new();
    history.moves("g:0", 0, "a").comes_back();
    for _ in 0..10 {
        history.receives(&json!({"type": "event", "game": "g", "kind": "moved", "req": "g:0"}));
    }
    history.waits(1_500).lost();
    assert_eq!(history.findings(), []);
}

#[test]
fn one_id_for_two_acts_is_found() {
    let mut history = History::new();
    history.moves("m", 0, "a").comes_back().moves("m", 0, "b");
    assert_eq!(history.findings(), [Breach::IdReused]);

    let mut history = History::new();
    history.moves("m", 0, "a").rejected("m", "illegal_move", "never", 0).moves("m", 0, "b");
    assert_eq!(history.findings(), [Breach::IllegalMove], "a correction may keep its id");
}

#[test]
fn another_user_and_missing_or_wrong_cursors_are_found() {
    let cursor = json!({"g": {"seq": 4}});
    for (auth, resume, findings) in [
        (json!({"guest": "ann2"}), cursor.clone(), vec![Breach::IdentityLost]),
        (json!({"token": "at_other"}), cursor.clone(), vec![Breach::IdentityLost]),
        (json!({"user": "ann", "password": "x"}), cursor.clone(), vec![]),
        (json!({"token": TOKEN}), json!({}), vec![Breach::ResumeMissing]),
        (json!({"token": TOKEN}), json!({"g": {"seq": 99}}), vec![Breach::ResumeWrong]),
        (json!({"token": TOKEN}), cursor, vec![]),
    ] {
        let mut history = History::new();
        history.moves("m", 0, "a").receives(&json!({"type": "ok", "re": "m"}));
        history.lost().waits(100).hello(&auth, &resume);
        assert_eq!(history.findings(), findings, "{auth} {resume}");
    }
}

#[test]
fn a_return_after_a_final_close_is_found() {
    let mut history = History::new();
    history.ledger.closed_for_good(4003);
    history.lost().waits(5_000).attempts();
    assert_eq!(history.findings(), [Breach::CameBack]);
}

#[test]
fn a_return_or_a_request_before_its_time_is_found() {
    for (waited, findings) in [(700, vec![Breach::TooEarly]), (900, vec![])] {
        let mut history = History::new();
        history.ledger.asked_to_wait(0, 1_000);
        history.lost().waits(waited).attempts();
        assert_eq!(history.findings(), findings.clone(), "{waited}");

        let mut history = History::new();
        history.moves("m", 0, "a").rejected("m", "busy", "after", 1_000);
        history.waits(waited).moves("m", 0, "a");
        assert_eq!(history.findings(), findings, "{waited}");
    }
}

#[test]
fn a_storm_of_attempts_is_found() {
    for (pause, findings) in [(50, vec![Breach::Storm]), (200, vec![])] {
        let mut history = History::new();
        for _ in 0..30 {
            history.waits(pause).attempts();
        }
        assert_eq!(history.findings(), findings, "{pause}");
    }
}

#[test]
fn a_client_far_above_its_rate_is_found() {
    for (pause, findings) in [(0, vec![Breach::LimitIgnored]), (100, vec![])] {
        let mut history = History::new();
        for number in 0..150 {
            history.waits(pause).sends(&json!({"type": "ping", "id": format!("p{number}")}));
        }
        assert_eq!(history.findings(), findings, "{pause}");
    }
}

#[test]
fn frames_that_are_no_requests_are_found() {
    let mut history = History::new();
    history.ledger.bad_frame(0, "a binary frame");
    assert_eq!(history.findings(), [Breach::BadFrame]);
    let mut history = History::new();
    history.rejected("p", "unknown_type", "never", 0);
    assert_eq!(history.findings(), [Breach::BadFrame]);
}

#[test]
fn only_the_side_that_ran_out_of_time_has_lost_on_time() {
    for (winner, findings) in [(1, vec![Breach::LostOnTime]), (0, vec![])] {
        let mut history = History::new();
        history.receives(&json!({
            "type": "event", "game": "g", "kind": "ended", "reason": "timed_out", "winners": [winner],
        }));
        assert_eq!(history.findings(), findings);
    }
}

#[test]
fn declined_challenges_and_unfinished_games_are_found() {
    let mut history = History::new();
    history.ledger.declined("busy");
    let findings = history.ledger.verdict(0, 2, 4, "it sent nothing for 30 s").findings;
    assert_eq!(findings[&Breach::Unfinished].first, "it sent nothing for 30 s");
    assert!(findings.contains_key(&Breach::Declined));
}

#[test]
fn a_verdict_names_each_finding_its_place_and_its_section() {
    let mut history = History::new();
    history.moves("m", 0, "a").comes_back().moves("m", 0, "b");
    let text = history.verdict().to_text();
    assert!(
        text.contains("failed") && text.contains("used one id for two different acts"),
        "{text}"
    );
    assert!(text.contains("session 1, request m:") && text.contains("\"Guarantees\""), "{text}");
}

/// The token of the client.
pub(crate) const TOKEN: &str = "at_given";

/// What a client was told and did, in time that passes only when the test says so.
pub(crate) struct History {
    pub(crate) ledger: Ledger,
    now_ms: u64,
    session: u64,
}

impl History {
    /// A client that has come with its token, is in the game `g`, and is asked for turn 0.
    pub(crate) fn new() -> Self {
        let ledger = Ledger::new(MessageRate { burst: 40, per_s: 10 }, TOKEN);
        let mut history = Self { ledger, now_ms: 0, session: 0 };
        history.ledger.attempt(0);
        history.hello(&json!({"token": TOKEN}), &json!({}));
        history.receives(&json!({"type": "welcome", "re": "h", "user": {"name": "ann"}}));
        history.asked(0);
        history
    }

    /// Lets time pass.
    pub(crate) fn waits(&mut self, ms: u64) -> &mut Self {
        self.now_ms += ms;
        self
    }

    /// A `hello` of the client. Every cursor is right but `{"seq":99}`.
    pub(crate) fn hello(&mut self, auth: &Value, resume: &Value) -> &mut Self {
        let hello = json!({"type": "hello", "id": "h", "auth": auth, "resume": resume});
        let is_right = |_: &str, cursor: &Value| cursor["seq"] != 99;
        self.session = self.ledger.hello(self.now_ms, &hello, is_right);
        self
    }

    /// The connection is lost, and the client is back after a time as it should be.
    pub(crate) fn comes_back(&mut self) -> &mut Self {
        self.lost();
        self.waits(200).attempts();
        self.hello(&json!({"token": TOKEN}), &json!({"g": {"seq": 4}}))
    }

    /// The connection is lost.
    pub(crate) fn lost(&mut self) -> &mut Self {
        self.ledger.session_over(self.now_ms, self.session);
        self
    }

    /// The client tries to connect.
    pub(crate) fn attempts(&mut self) -> &mut Self {
        self.ledger.attempt(self.now_ms);
        self
    }

    pub(crate) fn sends(&mut self, frame: &Value) -> &mut Self {
        self.ledger.request(self.now_ms, self.session, frame);
        self
    }

    pub(crate) fn moves(&mut self, id: &str, turn: u64, notation: &str) -> &mut Self {
        self.sends(&json!({"type": "move", "id": id, "game": "g", "turn": turn, "move": notation}))
    }

    pub(crate) fn receives(&mut self, frame: &Value) -> &mut Self {
        self.ledger.delivered(self.now_ms, self.session, frame);
        self
    }

    /// The client is asked for a move.
    pub(crate) fn asked(&mut self, turn: u64) -> &mut Self {
        self.receives(&json!({"type": "your_turn", "game": "g", "seat": 0, "turn": turn}))
    }

    /// The client receives an error.
    pub(crate) fn rejected(&mut self, re: &str, code: &str, retry: &str, ms: u64) -> &mut Self {
        self.receives(&json!({
            "type": "error", "re": re, "code": code, "retry": retry, "retry_after_ms": ms,
            "message": "no",
        }))
    }

    /// The verdict, if all games are over.
    pub(crate) fn verdict(self) -> Verdict {
        self.ledger.verdict(self.now_ms, 1, 1, "")
    }

    pub(crate) fn findings(self) -> Vec<Breach> {
        self.verdict().findings.into_keys().collect()
    }
}
