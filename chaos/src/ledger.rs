//! The account of a run: what the client was told, what it did, and what it should have done; and the
//! verdict about it. Plain state: every method takes the time, and nothing here waits.

use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    fmt::Write as _,
};

use serde::Serialize;
use serde_json::Value;

/// Attempts to connect within [`STORM_MS`] that are a storm: a client that waits longer each time
/// makes fewer.
const STORM_ATTEMPTS: usize = 15;

/// The time in which attempts count together, in milliseconds.
const STORM_MS: u64 = 2_000;

/// Messages above the rate of a session after which the client evidently does not care.
const ABOVE_RATE_MAX: u64 = 60;

/// Of a wait that the server asked for, the percentage that counts as waited: clocks differ.
const WAITED_PERCENT: u64 = 80;

/// Frames that the client has received in a session, and milliseconds that it lasted, after which
/// every unanswered act should have been sent again.
const SETTLED: (u64, u64) = (8, 1_000);

#[derive(Debug, Default)]
struct SessionState {
    /// When the client's `hello` arrived.
    since_ms: u64,
    /// Frames that the client received.
    frames: u64,
    /// Messages that it may still send at once, in thousandths.
    tokens: u64,
    counted_ms: u64,
    /// Messages beyond.
    above_rate: u64,
}

/// Messages of a connection: at once, and per second.
#[derive(Debug, Clone, Copy)]
pub struct MessageRate {
    /// At once.
    pub burst: u64,
    /// Per second.
    pub per_s: u64,
}

#[derive(Debug, Default)]
struct GameState {
    /// Whether the client has acted in it, so that it knows of the game.
    is_known: bool,
    has_ended: bool,
    seat: Option<u64>,
    /// When each turn of the client was announced, and in which session.
    asked: HashMap<u64, (u64, u64)>,
}

/// The account of a run.
#[derive(Debug)]
pub(crate) struct Ledger {
    rate: MessageRate,
    user: Option<String>,
    tokens: HashSet<String>,
    sessions: BTreeMap<u64, SessionState>,
    opened: u64,
    attempts: u64,
    recent_attempts: VecDeque<u64>,
    /// The time before which the client may not come back, and for how long that is, in ms.
    away_until: Option<(u64, u64)>,
    /// The final close code, once it was sent.
    closed_with: Option<u16>,
    acts: Acts,
    games: HashMap<String, GameState>,
    thinking_ms: Vec<u64>,
    faults: BTreeMap<&'static str, u64>,
    findings: BTreeMap<Breach, Found>,
    answered: u64,
    sent_again: u64,
    rate_limited: u64,
}

impl Ledger {
    /// Begins with the limits of a connection, and the token that the client was given.
    pub(crate) fn new(rate: MessageRate, token: &str) -> Self {
        Self {
            rate,
            user: None,
            tokens: HashSet::from([token.to_owned()]),
            sessions: BTreeMap::new(),
            opened: 0,
            attempts: 0,
            recent_attempts: VecDeque::new(),
            away_until: None,
            closed_with: None,
            acts: Acts::default(),
            games: HashMap::new(),
            thinking_ms: Vec::new(),
            faults: BTreeMap::new(),
            findings: BTreeMap::new(),
            answered: 0,
            sent_again: 0,
            rate_limited: 0,
        }
    }

    /// The name of the client's user, once it has come.
    pub(crate) fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    pub(crate) fn fault(&mut self, name: &'static str) {
        *self.faults.entry(name).or_default() += 1;
    }

    /// Notes what the client did wrong.
    pub(crate) fn find(&mut self, finding: Breach, what: impl FnOnce() -> String) {
        let found = self.findings.entry(finding);
        let (meaning, section) = (finding.meaning(), finding.section());
        let first = || Found { count: 0, meaning, section, first: what() };
        found.or_insert_with(first).count += 1;
    }

    /// The client tries to connect. Returns the number of the attempt, from 0.
    pub(crate) fn attempt(&mut self, now_ms: u64) -> u64 {
        let number = self.attempts;
        self.attempts += 1;
        if let Some(code) = self.closed_with {
            self.find(Breach::CameBack, || format!("it came back after a close with {code}"));
            return number;
        }
        if let Some((until, wait)) = self.away_until.take()
            && now_ms < until.saturating_sub(wait * (100 - WAITED_PERCENT) / 100)
        {
            let early = until - now_ms;
            let what = || format!("it came back {early} ms before the {wait} ms were over");
            self.find(Breach::TooEarly, what);
        }
        self.recent_attempts.push_back(now_ms);
        self.recent_attempts.retain(|at| at + STORM_MS > now_ms);
        if self.recent_attempts.len() >= STORM_ATTEMPTS {
            let what = || format!("{STORM_ATTEMPTS} attempts within {STORM_MS} ms");
            self.find(Breach::Storm, what);
            self.recent_attempts.clear();
        }
        number
    }

    /// The client was asked to stay away for a time.
    pub(crate) fn asked_to_wait(&mut self, now_ms: u64, wait_ms: u64) {
        self.away_until = Some((now_ms + wait_ms, wait_ms));
    }

    pub(crate) fn closed_for_good(&mut self, code: u16) {
        self.closed_with = Some(code);
    }

    /// The client says hello. `is_cursor_right` says whether a cursor is a place in the record of a
    /// game. Returns the number of the session, from 0.
    pub(crate) fn hello(
        &mut self,
        now_ms: u64,
        hello: &Value,
        is_cursor_right: impl Fn(&str, &Value) -> bool,
    ) -> u64 {
        let number = self.opened;
        self.opened += 1;
        let tokens = self.rate.burst * 1_000;
        let session = SessionState {
            since_ms: now_ms,
            tokens,
            counted_ms: now_ms,
            ..SessionState::default()
        };
        self.sessions.insert(number, session);
        if self.user.is_none() {
            return number;
        }
        let token = hello["auth"]["token"].as_str();
        if hello["auth"]["password"].is_null()
            && !token.is_some_and(|token| self.tokens.contains(token))
        {
            let with =
                hello["auth"].as_object().map(|auth| auth.keys().cloned().collect::<Vec<_>>());
            let with = with.unwrap_or_default().join(", ");
            let what = || format!("session {number}: hello with {with:?} instead of its token");
            self.find(Breach::IdentityLost, what);
        }
        for (game, cursor) in hello["resume"].as_object().into_iter().flatten() {
            if !is_cursor_right(game, cursor) {
                let what = || format!("session {number}: {game} resumes at {cursor}");
                self.find(Breach::ResumeWrong, what);
            }
        }
        let missing: Vec<String> = self
            .games
            .iter()
            .filter(|(id, game)| game.is_known && !game.has_ended && hello["resume"][id].is_null())
            .map(|(id, _)| id.clone())
            .collect();
        for game in missing {
            let what = || format!("session {number}: hello.resume does not name {game}");
            self.find(Breach::ResumeMissing, what);
        }
        number
    }

    /// A request of the client arrives.
    pub(crate) fn request(&mut self, now_ms: u64, session: u64, frame: &Value) {
        self.count_message(now_ms, session);
        let Some(act) = Act::read(frame, session) else { return };
        let game = self.games.entry(act.game.clone()).or_default();
        game.is_known = true;
        if let Some((asked_ms, in_session)) = act.turn.and_then(|turn| game.asked.remove(&turn))
            && in_session == session
        {
            self.thinking_ms.push(now_ms.saturating_sub(asked_ms));
        }
        let id = act.id.clone();
        let sent = self.acts.sent(now_ms, act, WAITED_PERCENT);
        self.sent_again += u64::from(sent.is_again);
        if let Some((finding, what)) = sent.finding {
            self.find(finding, || format!("session {session}, request {id}: {what}"));
        }
    }

    fn count_message(&mut self, now_ms: u64, session: u64) {
        let MessageRate { burst, per_s } = self.rate;
        let Some(state) = self.sessions.get_mut(&session) else { return };
        let refill = now_ms.saturating_sub(state.counted_ms) * per_s;
        state.tokens = (state.tokens + refill).min(burst * 1_000);
        state.counted_ms = now_ms;
        if state.tokens >= 1_000 {
            state.tokens -= 1_000;
            return;
        }
        state.above_rate += 1;
        if state.above_rate == ABOVE_RATE_MAX {
            let what = || format!("session {session}: {ABOVE_RATE_MAX} messages above the rate");
            self.find(Breach::LimitIgnored, what);
        }
    }

    /// A frame that is no request arrives.
    pub(crate) fn bad_frame(&mut self, session: u64, why: &str) {
        self.find(Breach::BadFrame, || format!("session {session}: {why}"));
    }

    /// A frame reaches the client.
    pub(crate) fn delivered(&mut self, now_ms: u64, session: u64, frame: &Value) {
        if let Some(state) = self.sessions.get_mut(&session) {
            state.frames += 1;
        }
        if let Some(re) = frame["re"].as_str() {
            self.reply(now_ms, session, re, frame);
        }
        let kind = frame["type"].as_str().unwrap_or_default();
        let Some(game) = frame["game"].as_str() else { return };
        if kind == "your_turn" {
            let state = self.games.entry(game.to_owned()).or_default();
            state.seat = frame["seat"].as_u64();
            if let Some(turn) = frame["turn"].as_u64() {
                let asked = state.asked.entry(turn).or_insert((now_ms, session));
                if asked.1 != session {
                    *asked = (now_ms, session);
                }
            }
        } else if kind == "event" {
            self.event(game, frame);
        }
    }

    fn reply(&mut self, now_ms: u64, session: u64, re: &str, frame: &Value) {
        if frame["type"] == "welcome" {
            if let Some(token) = frame["token"].as_str() {
                self.tokens.insert(token.to_owned());
            }
            if self.user.is_none() {
                self.user = frame["user"]["name"].as_str().map(ToOwned::to_owned);
            }
            return;
        }
        if frame["type"] != "error" {
            self.answered += u64::from(self.acts.answered(re, ActState::Done));
            return;
        }
        let wait_ms = frame["retry_after_ms"].as_u64().unwrap_or_default();
        let state = match frame["retry"].as_str() {
            Some("after" | "same") => ActState::Again { since_ms: now_ms, wait_ms },
            _ => ActState::Rejected,
        };
        self.acts.answered(re, state);
        let message = frame["message"].as_str().unwrap_or_default();
        let what = || format!("session {session}, request {re}: {message}");
        match frame["code"].as_str().unwrap_or_default() {
            "illegal_move" => self.find(Breach::IllegalMove, what),
            "id_reuse" => self.find(Breach::IdReused, what),
            "bad_json" | "bad_message" | "unknown_type" | "too_large" => {
                self.find(Breach::BadFrame, what);
            }
            "rate_limited" => self.rate_limited += 1,
            _ => {}
        }
    }

    fn event(&mut self, game: &str, frame: &Value) {
        if let Some(request) = frame["req"].as_str()
            && self.acts.confirmed(game, request)
        {
            self.answered += 1;
        }
        if !matches!(frame["kind"].as_str(), Some("ended" | "aborted")) {
            return;
        }
        let state = self.games.entry(game.to_owned()).or_default();
        let is_first = !std::mem::replace(&mut state.has_ended, true);
        self.acts.game_over(game);
        let winners = frame["winners"].as_array();
        let has_won =
            winners.is_some_and(|list| list.iter().any(|seat| seat.as_u64() == state.seat));
        let timed_out = matches!(frame["reason"].as_str(), Some("timed_out" | "no_show"));
        if is_first && timed_out && !has_won {
            self.find(Breach::LostOnTime, || format!("{game} ended by {}", frame["reason"]));
        }
    }

    /// A session is over, or is about to be.
    pub(crate) fn session_over(&mut self, now_ms: u64, session: u64) {
        let Some(state) = self.sessions.remove(&session) else { return };
        let (frames, lasted_ms) = SETTLED;
        if state.frames < frames || now_ms.saturating_sub(state.since_ms) < lasted_ms {
            return;
        }
        for lost in self.acts.never_sent_again(session) {
            self.find(Breach::ActLost, || format!("session {session}: {lost}"));
        }
    }

    /// The challenges were declined.
    pub(crate) fn declined(&mut self, reason: &str) {
        self.find(Breach::Declined, || format!("with the reason {reason:?}"));
    }

    /// Returns the verdict at the end of a run.
    pub(crate) fn verdict(mut self, now_ms: u64, ended: u64, wanted: u64, why: &str) -> Verdict {
        let open: Vec<u64> = self.sessions.keys().copied().collect();
        for session in open {
            self.session_over(now_ms, session);
        }
        if ended < wanted {
            self.find(Breach::Unfinished, || why.to_owned());
        }
        self.thinking_ms.sort_unstable();
        let times = &self.thinking_ms;
        Verdict {
            passed: self.findings.is_empty(),
            user: self.user,
            games: ended,
            games_wanted: wanted,
            sessions: self.opened,
            attempts: self.attempts,
            acts: self.answered,
            acts_sent_again: self.sent_again,
            rate_limited: self.rate_limited,
            think_median_ms: times.get(times.len() / 2).copied().unwrap_or_default(),
            think_max_ms: times.last().copied().unwrap_or_default(),
            faults: self.faults,
            findings: self.findings,
            ..Verdict::default()
        }
    }
}

/// The requests that change a game.
const ACTS: [&str; 7] = ["move", "resign", "abort", "offer", "answer", "withdraw", "claim"];

/// An act as the client sent it.
#[derive(Debug, Clone)]
pub(crate) struct Act {
    pub(crate) id: String,
    pub(crate) game: String,
    /// The turn of a move.
    pub(crate) turn: Option<u64>,
    kind: String,
    frame: Value,
    state: ActState,
    /// The session in which it was last sent.
    session: u64,
}

/// What has become of an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ActState {
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
pub(crate) struct Sent {
    /// Whether it was sent before.
    pub(crate) is_again: bool,
    /// What is wrong with it.
    pub(crate) finding: Option<(Breach, String)>,
}

impl Act {
    /// Returns whether a request is an act.
    pub(crate) fn is_act(frame: &Value) -> bool {
        frame["type"].as_str().is_some_and(|kind| ACTS.contains(&kind))
    }

    /// Reads a request; `None` if it is no act.
    pub(crate) fn read(frame: &Value, session: u64) -> Option<Self> {
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

#[derive(Debug, Default)]
pub(crate) struct Acts(HashMap<(String, String), Act>);

impl Acts {
    /// An act arrives.
    pub(crate) fn sent(&mut self, now_ms: u64, act: Act, waited_percent: u64) -> Sent {
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
    pub(crate) fn answered(&mut self, re: &str, state: ActState) -> bool {
        let mut waiting = self.0.values_mut().filter(|act| act.id == re && act.waits());
        let Some(act) = waiting.next() else { return false };
        act.state = state;
        state == ActState::Done
    }

    /// The client receives the event to which an act led. Returns whether this is the end of the
    /// act.
    pub(crate) fn confirmed(&mut self, game: &str, id: &str) -> bool {
        let key = (game.to_owned(), id.to_owned());
        let Some(act) = self.0.get_mut(&key).filter(|act| act.waits()) else { return false };
        act.state = ActState::Done;
        true
    }

    /// A game is over, and with it all that was to be done in it.
    pub(crate) fn game_over(&mut self, game: &str) {
        self.0.retain(|(of, _), _| of != game);
    }

    /// Returns the acts that are unanswered since an earlier session, once.
    pub(crate) fn never_sent_again(&mut self, session: u64) -> Vec<String> {
        let lost = self.0.values_mut().filter(|act| act.waits() && act.session < session);
        let lost = lost.map(|act| {
            act.state = ActState::Rejected;
            act.frame.to_string()
        });
        lost.collect()
    }
}

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
