//! The lines that this node has sent to its clients lately. A node that may have missed
//! announcements reads what was said in that time, and sends what is not among them.

use std::collections::{HashMap, VecDeque, hash_map::Entry};

use adamant_protocol::{GameId, values::TalkRoom};

use crate::{
    limits::{TALK_REREAD_BEFORE, TALK_REREAD_MAX, TALK_REREAD_WITHIN, TALK_SENT_MAX},
    runtime::time::milliseconds,
    store::RecentLines,
};

pub(super) type LineKey = (GameId, TalkRoom, u64);

/// What a client was told last of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SentAs {
    Said,
    Unsaid,
}

/// The lines that were sent, for a limited time and up to a limited number. All times are in epoch
/// milliseconds.
#[derive(Debug)]
pub(super) struct SentLines {
    lines: HashMap<LineKey, SentAs>,
    /// When each line was sent first, in that order.
    order: VecDeque<(u64, LineKey)>,
    /// Lines from before this time may be forgotten, or were said before the node has started.
    known_from: u64,
    /// When the node heard the last announcement without having missed an earlier one.
    heard_at: u64,
    /// Whether announcements may be missing that the node has not made up for.
    is_incomplete: bool,
}

impl SentLines {
    /// Starts without lines: clients list those from before.
    pub(super) fn new(now: u64) -> Self {
        Self {
            lines: HashMap::new(),
            order: VecDeque::new(),
            known_from: now,
            heard_at: now,
            is_incomplete: false,
        }
    }

    /// Notes that a line is being sent, or its deletion. Returns whether clients do not know that
    /// yet.
    pub(super) fn note(&mut self, line: LineKey, sent_as: SentAs, now: u64) -> bool {
        self.forget_old(now);
        match self.lines.entry(line) {
            Entry::Vacant(new) => {
                self.order.push_back((now, new.key().clone()));
                new.insert(sent_as);
                true
            }
            Entry::Occupied(mut known) => {
                // A line that is deleted stays deleted.
                let is_news = (*known.get(), sent_as) == (SentAs::Said, SentAs::Unsaid);
                if is_news {
                    known.insert(sent_as);
                }
                is_news
            }
        }
    }

    fn forget_old(&mut self, now: u64) {
        let kept_from = now.saturating_sub(milliseconds(TALK_REREAD_WITHIN));
        while let Some((at, _)) = self.order.front()
            && (*at < kept_from || self.order.len() >= TALK_SENT_MAX)
            && let Some((at, line)) = self.order.pop_front()
        {
            self.lines.remove(&line);
            // It was said no later than it was sent.
            self.known_from = self.known_from.max(at + 1);
        }
    }

    /// Notes an announcement of another node.
    pub(super) fn heard(&mut self, now: u64) {
        if !self.is_incomplete {
            self.heard_at = now;
        }
    }

    /// Notes that announcements may be missing. Until [`SentLines::completed`] the time from which
    /// on they may be missing stays.
    pub(super) fn missed(&mut self) {
        self.is_incomplete = true;
    }

    pub(super) fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// Returns which lines may be missing.
    pub(super) fn missing(&self, now: u64) -> RecentLines {
        let deleted_since =
            self.known_from.max(now.saturating_sub(milliseconds(TALK_REREAD_WITHIN)));
        let before = self.heard_at.saturating_sub(milliseconds(TALK_REREAD_BEFORE));
        RecentLines { since: deleted_since.max(before), deleted_since, limit: TALK_REREAD_MAX }
    }

    /// Notes that what was missing at this time has been sent.
    pub(super) fn completed(&mut self, now: u64) {
        self.is_incomplete = false;
        self.heard_at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u64 = 10_000_000;

    fn line(n: u64) -> LineKey {
        ("k7q2mx".parse().unwrap(), TalkRoom::Players, n)
    }

    #[test]
    fn a_line_is_sent_once_and_stays_deleted() {
        let mut sent = SentLines::new(START);
        assert!(sent.note(line(1), SentAs::Said, START));
        assert!(!sent.note(line(1), SentAs::Said, START));
        assert!(sent.note(line(1), SentAs::Unsaid, START));
        assert!(!sent.note(line(1), SentAs::Unsaid, START));
        assert!(!sent.note(line(1), SentAs::Said, START), "the announcement was late");
        assert!(sent.note(line(2), SentAs::Unsaid, START));
        assert!(!sent.note(line(2), SentAs::Said, START));
    }

    #[test]
    fn lines_may_be_missing_since_shortly_before_the_last_announcement() {
        let minute = 60_000;
        let mut sent = SentLines::new(START);
        assert_eq!(sent.missing(START + 5).since, START, "clients list what was said before");
        sent.heard(START + 20 * minute);
        let missing = sent.missing(START + 24 * minute);
        assert_eq!(missing.since, START + 19 * minute);
        assert_eq!(missing.deleted_since, START + 9 * minute);
        let missing = sent.missing(START + 50 * minute);
        assert_eq!(missing.since, START + 35 * minute, "authors delete no older lines");
    }

    #[test]
    fn what_is_missing_stays_so_until_it_is_read() {
        let minute = 60_000;
        let mut sent = SentLines::new(START);
        sent.heard(START + 2 * minute);
        sent.missed();
        sent.heard(START + 5 * minute);
        assert!(sent.is_incomplete());
        assert_eq!(sent.missing(START + 5 * minute).since, START + minute);
        sent.completed(START + 5 * minute);
        assert!(!sent.is_incomplete());
        assert_eq!(sent.missing(START + 6 * minute).since, START + 4 * minute);
    }

    #[test]
    fn forgotten_lines_are_not_read_again() {
        let mut sent = SentLines::new(START);
        for n in 0..=TALK_SENT_MAX as u64 {
            assert!(sent.note(line(n), SentAs::Said, START + n));
        }
        assert_eq!(sent.lines.len(), TALK_SENT_MAX);
        assert_eq!(sent.missing(START + 99).since, START + 1, "line 0 was sent at the start");
        let later = START + milliseconds(TALK_REREAD_WITHIN) + 100;
        sent.note(line(u64::MAX), SentAs::Said, later);
        assert_eq!(sent.missing(later).since, START + 100);
        assert_eq!(sent.lines.len(), TALK_SENT_MAX - 98);
    }
}
