//! The faults of a run, as its seed decides them: which attempts to connect are refused, how each
//! session ends, and what happens to single frames. Pure: nothing here waits or sends.
//! Limits of the chaos mode. Its waits are those of a test: long enough for a busy machine.

use std::time::Duration;

use adamant_protocol::error::CloseCode;

/// How a session ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The connection breaks between two frames.
    Cut,
    /// The connection breaks in the middle of a frame.
    CutFrame,
    /// The connection breaks before an act reaches the server.
    LoseAct,
    /// The connection breaks after an act reached the server, and before its reply.
    LoseReply,
    /// A close frame with this code.
    Close(u16),
    /// A `notice` and a close frame with 1012; the client waits this number of milliseconds.
    Notice(u64),
    /// The server restarts as an operator restarts it.
    Restart,
    /// The connection breaks, and the server restarts.
    Crash,
}

impl Ending {
    /// The name in a verdict.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Cut => "cut",
            Self::CutFrame => "cut_frame",
            Self::LoseAct => "lost_act",
            Self::LoseReply => "lost_reply",
            Self::Close(_) => "close_code",
            Self::Notice(_) => "notice",
            Self::Restart => "restart",
            Self::Crash => "crash",
        }
    }
}

/// How an attempt to connect is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UpgradeRefusal {
    /// With an HTTP status; the client waits this number of milliseconds.
    Status(u16, u64),
    /// Without an answer.
    Silent,
}

/// What happens to one frame to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fault of its own")]
pub(crate) struct FramePlan {
    /// Milliseconds for which everything waits.
    pub(crate) stall_ms: u64,
    /// Whether the frame arrives twice, if it may.
    pub(crate) doubled: bool,
    /// Whether frames of other games overtake it.
    pub(crate) held: bool,
    /// Whether it has a field that no client knows.
    pub(crate) unknown_field: bool,
    /// Whether a message of a type that no client knows precedes it.
    pub(crate) unknown_message: bool,
}

/// The faults of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// The seed.
    pub(crate) draw: Draw,
    /// Whether waits are short.
    pub(crate) fast: bool,
}

/// Codes with which a server closes and after which a client comes back. The last two are those of
/// a later version of the protocol.
const PASSING_CODES: [u16; 6] = [
    CloseCode::Restart.number(),
    CloseCode::SlowConsumer.number(),
    CloseCode::Rate.number(),
    CloseCode::Heartbeat.number(),
    4100,
    4999,
];

impl Plan {
    /// How many sessions end early. Each costs the client a wait, whose limit doubles.
    pub(crate) const fn endings(self) -> u64 {
        if self.fast { 4 } else { 8 }
    }

    /// How the session with this number from 0 ends early, and after how many frames.
    pub(crate) fn ending(self, session: u64) -> Option<(Ending, u64)> {
        if session >= self.endings() {
            return None;
        }
        let draw = self.draw.of("ending");
        let code = draw.of("code").at(session).pick(&PASSING_CODES);
        let in_ms = 100 + draw.of("notice").at(session).below(if self.fast { 300 } else { 2_900 });
        let kinds = [
            Ending::LoseReply,
            Ending::Close(code),
            Ending::CutFrame,
            Ending::Restart,
            Ending::LoseAct,
            Ending::Notice(in_ms),
            Ending::Cut,
            Ending::Crash,
        ];
        // One after the other from a drawn place, so that two seeds see most of them.
        let place = (draw.of("first").below(8) + session) % 8;
        let ending = kinds[usize::try_from(place).unwrap_or_default()];
        Some((ending, 6 + draw.of("frames").at(session).below(12)))
    }

    /// Whether the attempt to connect with this number from 0 is refused.
    pub(crate) fn refusal(self, attempt: u64) -> Option<UpgradeRefusal> {
        let draw = self.draw.of("refusal").at(attempt);
        if attempt == 0 || !draw.chance(20) || self.refusal(attempt - 1).is_some() {
            return None;
        }
        let wait_ms = 200 + draw.of("wait").below(if self.fast { 200 } else { 2_000 });
        let all = [
            UpgradeRefusal::Status(503, wait_ms),
            UpgradeRefusal::Status(429, wait_ms),
            UpgradeRefusal::Silent,
        ];
        Some(draw.of("kind").pick(&all))
    }

    /// What happens to a frame of a session, both counted from 0.
    pub(crate) fn frame(self, session: u64, frame: u64) -> FramePlan {
        let draw = self.draw.of("frame").at(session).at(frame);
        let longest = if self.fast { 150 } else { 1_500 };
        let stall_ms =
            if draw.of("stall").chance(4) { 1 + draw.of("for").below(longest) } else { 0 };
        FramePlan {
            stall_ms,
            doubled: draw.of("double").chance(15),
            held: draw.of("hold").chance(15),
            unknown_field: draw.of("field").chance(20),
            unknown_message: draw.of("message").chance(6),
        }
    }

    /// Returns the error, without its `re`, with which the move with this number is rejected, and
    /// the time to wait before the client sends it again.
    pub(crate) fn rejection(self, number: u64) -> Option<(&'static str, &'static str, u64)> {
        let draw = self.draw.of("rejection").at(number);
        if !draw.chance(8) || number == 0 || self.rejection(number - 1).is_some() {
            return None;
        }
        let wait_ms = 50 + draw.of("wait").below(if self.fast { 250 } else { 2_000 });
        let all = [
            ("x_weather", "after", wait_ms),
            ("x_weather", "same", 0),
            ("busy", "after", wait_ms),
            ("read_only", "after", wait_ms),
            ("internal", "same", 0),
        ];
        Some(draw.of("kind").pick(&all))
    }

    /// The code with which the server closes at the end, after which no client comes back.
    pub(crate) fn last_code(self) -> CloseCode {
        let last: Vec<CloseCode> =
            CloseCode::ALL.into_iter().filter(|code| !code.reconnect()).collect();
        self.draw.of("last").pick(&last)
    }
}

/// The seed of everything below one place. A number depends on what it is for, never on what was
/// drawn before, so that faults do not depend on the order in which tasks run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) const fn seeded(seed: u64) -> Self {
        Self(mix(seed ^ 0x5ad0_1f2b_93c7_4e61))
    }

    pub(crate) fn of(self, purpose: &str) -> Self {
        purpose.bytes().fold(self, |draw, byte| draw.at(u64::from(byte)))
    }

    /// Returns the draw for one number of a series.
    pub(crate) const fn at(self, number: u64) -> Self {
        Self(mix(self.0 ^ mix(number.wrapping_add(1))))
    }

    /// Returns a number below a bound, which is not 0.
    pub(crate) const fn below(self, bound: u64) -> u64 {
        self.0 % bound
    }

    /// Returns an element of a list, which is not empty.
    pub(crate) fn pick<T: Clone>(self, list: &[T]) -> T {
        let length = u64::try_from(list.len()).unwrap_or(u64::MAX);
        list[usize::try_from(self.below(length)).unwrap_or_default()].clone()
    }

    /// Returns whether something happens that happens so often in a hundred times.
    pub(crate) const fn chance(self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// The finalizer of `SplitMix64`.
const fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// The longest wait for the head of an HTTP request, and its size in bytes.
pub(crate) const HEAD: (Duration, usize) = (Duration::from_secs(5), 8_192);

/// The longest wait for the handshakes and for the end of a connection.
pub(crate) const HANDSHAKE_MAX: Duration = Duration::from_secs(10);

/// The longest wait for a closing handshake: a client that does not answer has read the code.
pub(crate) const CLOSE_MAX: Duration = Duration::from_millis(500);

/// The longest time for which frames of one game wait so that those of others overtake them.
pub(crate) const HOLD_MAX: Duration = Duration::from_millis(60);

/// Frames that overtake at most.
pub(crate) const OVERTAKING_MAX: u32 = 4;

/// The longest wait for records that a snapshot contains, and for the reply that is to be lost.
pub(crate) const REPLY_MAX: Duration = Duration::from_secs(2);

/// Restarts of the inner server that may wait for their turn.
pub(crate) const RESTARTS_MAX: usize = 4;

/// The largest frame in bytes that is read at all from the client under test. It is larger than the
/// protocol's limit, so that the inner server can reject it.
pub(crate) const READ_BYTES_MAX: usize = 1 << 20;

/// Games at once of the client under test.
pub(crate) const GAMES_AT_ONCE: usize = 3;

/// Challenges in a row that the client may decline.
pub(crate) const DECLINES_MAX: u32 = 12;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn plan(seed: u64) -> Plan {
        Plan { draw: Draw::seeded(seed), fast: true }
    }

    #[test]
    fn some_seeds_have_every_ending_every_code_and_every_rejection() {
        let endings: BTreeSet<&str> = (0..40)
            .flat_map(|seed| (0..4).filter_map(move |session| plan(seed).ending(session)))
            .map(|(ending, _)| ending.name())
            .collect();
        assert_eq!(endings.len(), 8, "{endings:?}");
        let mut codes: BTreeSet<u16> = (0..200)
            .flat_map(|seed| (0..4).filter_map(move |session| plan(seed).ending(session)))
            .filter_map(|(ending, _)| match ending {
                Ending::Close(code) => Some(code),
                Ending::Notice(_) => Some(1012),
                _ => None,
            })
            .collect();
        codes.extend((0..200).map(|seed| plan(seed).last_code().number()));
        assert!(CloseCode::ALL.iter().all(|code| codes.contains(&code.number())), "{codes:?}");
        let rejected: BTreeSet<_> = (0..400).filter_map(|n| plan(1).rejection(n)).collect();
        assert!(rejected.iter().any(|(code, ..)| *code == "x_weather"), "{rejected:?}");
    }

    #[test]
    fn a_client_that_comes_back_is_let_in_at_last() {
        for seed in 0..100 {
            assert_eq!(plan(seed).ending(4), None);
            for attempt in 0..50 {
                let both = plan(seed).refusal(attempt).and(plan(seed).refusal(attempt + 1));
                assert_eq!(both, None, "seed {seed}");
                let both = plan(seed).rejection(attempt).and(plan(seed).rejection(attempt + 1));
                assert_eq!(both, None, "seed {seed}");
            }
        }
    }

    #[test]
    fn a_seed_decides_each_number_and_other_seeds_decide_others() {
        let series = |seed| -> Vec<u64> {
            let draw = Draw::seeded(seed).of("frames");
            (0..64).map(|number| draw.at(number).below(1_000)).collect()
        };
        assert_eq!(series(7), series(7));
        assert_ne!(series(7), series(8));
        let hits = (0..10_000).filter(|&n| Draw::seeded(1).at(n).chance(25)).count();
        assert!((2_200..2_800).contains(&hits), "{hits}");
    }
}
