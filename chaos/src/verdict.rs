//! What a run says about the client under test.

use std::{collections::BTreeMap, fmt::Write as _};

use serde::Serialize;

/// What a client did that the protocol does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Breach {
    /// After a lost connection it made an unanswered act under a new id.
    ActDoubled,
    /// It never sent an unanswered act again.
    ActLost,
    /// It used an id for two different acts.
    IdReused,
    /// It came back as another user.
    IdentityLost,
    /// It came back without a cursor for a game in which it had acted.
    ResumeMissing,
    /// It came back with a cursor that no event has.
    ResumeWrong,
    /// It came back after a close code that means not to.
    CameBack,
    /// It came back, or sent a request again, before the time that the server named.
    TooEarly,
    /// It tried to connect too often.
    Storm,
    /// It sent far more messages than it may.
    LimitIgnored,
    /// A frame was larger than allowed, binary, or no request.
    BadFrame,
    /// It made a move that is not legal.
    IllegalMove,
    /// It lost a game on time.
    LostOnTime,
    /// It declined the challenges.
    Declined,
    /// It was away, or did nothing, while its games waited.
    Unfinished,
}

impl Breach {
    /// Returns what it means, in a sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::ActDoubled => "made an unanswered act again under a new id",
            Self::ActLost => "never sent an unanswered act again",
            Self::IdReused => "used one id for two different acts",
            Self::IdentityLost => "came back as another user instead of with its token",
            Self::ResumeMissing => "came back without the cursor of a game in which it had acted",
            Self::ResumeWrong => "came back with a cursor that no event has",
            Self::CameBack => "came back after a close code that means not to",
            Self::TooEarly => "did not wait as long as the server asked for",
            Self::Storm => "tried to connect again without waiting",
            Self::LimitIgnored => "sent far more messages than welcome.limits allows",
            Self::BadFrame => "sent a frame that is no request",
            Self::IllegalMove => "made a move that is not legal",
            Self::LostOnTime => "lost a game on time",
            Self::Declined => "declined the challenges",
            Self::Unfinished => "was away or did nothing while its games waited",
        }
    }

    /// Returns the section of docs/PROTOCOL.md that says what to do instead.
    pub const fn section(self) -> &'static str {
        match self {
            Self::ActDoubled | Self::ActLost | Self::IdReused => "Guarantees",
            Self::IdentityLost | Self::ResumeMissing | Self::ResumeWrong | Self::Storm => {
                "Coming back"
            }
            Self::CameBack => "Close codes",
            Self::TooEarly | Self::IllegalMove => "Errors",
            Self::LimitIgnored => "Limits",
            Self::BadFrame => "Connecting",
            Self::LostOnTime => "Clocks",
            Self::Declined | Self::Unfinished => "What a client must bear",
        }
    }
}

/// How often a finding was made, and where first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Found {
    /// How often.
    pub count: u64,
    /// What it means, in a sentence.
    pub meaning: &'static str,
    /// The section of docs/PROTOCOL.md that says what to do instead.
    pub section: &'static str,
    /// What the client did the first time.
    pub first: String,
}

/// What a run says about a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default)]
pub struct Verdict {
    /// The seed.
    pub seed: u64,
    /// Whether waits were short.
    pub fast: bool,
    /// Whether there are no findings.
    pub passed: bool,
    /// The name of the client's user, if it came.
    pub user: Option<String>,
    /// Games that ended.
    pub games: u64,
    /// Games that were to be played.
    pub games_wanted: u64,
    /// Sessions that the client opened.
    pub sessions: u64,
    /// Attempts of the client to connect.
    pub attempts: u64,
    /// Acts that were answered.
    pub acts: u64,
    /// Acts that the client sent again.
    pub acts_sent_again: u64,
    /// Requests that the server rejected for a rate.
    pub rate_limited: u64,
    /// Milliseconds between `your_turn` and the move: the median.
    pub think_median_ms: u64,
    /// The longest of these times.
    pub think_max_ms: u64,
    /// How often each fault struck the client.
    pub faults: BTreeMap<&'static str, u64>,
    /// What the client did wrong.
    pub findings: BTreeMap<Breach, Found>,
}

impl Verdict {
    /// Returns the verdict as text.
    pub fn to_text(&self) -> String {
        let word = if self.passed { "passed" } else { "failed" };
        let mut text = format!("seed {}: {word}\n", self.seed);
        let who = self.user.as_deref().unwrap_or("no client");
        let mut row = |name: &str, value: String| {
            writeln!(text, "  {name:<10} {value}").expect("a string takes text");
        };
        row("client", who.to_owned());
        row("games", format!("{} of {}", self.games, self.games_wanted));
        row("sessions", format!("{} in {} attempts", self.sessions, self.attempts));
        row("acts", format!("{}, of these {} sent again", self.acts, self.acts_sent_again));
        row(
            "time",
            format!("median {} ms, at most {} ms", self.think_median_ms, self.think_max_ms),
        );
        let faults = self.faults.iter().map(|(name, count)| format!("{name} {count}"));
        row("faults", faults.collect::<Vec<_>>().join(", "));
        for Found { count, meaning, section, first } in self.findings.values() {
            row("finding", format!("{meaning} ({count}x); see \"{section}\" in docs/PROTOCOL.md"));
            row("", format!("first: {first}"));
        }
        text
    }
}
