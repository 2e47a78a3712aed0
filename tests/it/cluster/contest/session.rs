//! A session of a rival: at which node it is, and what it waits for there.

use std::{collections::BTreeMap, time::Duration};

use tokio::time::Instant;

use super::{outages::Answer, stage::Address};

/// A session whose request is unanswered for longer goes to another node.
const PATIENT_FOR: Duration = Duration::from_secs(2);

/// How long a session avoids a node that was silent.
const SILENT_FOR: Duration = Duration::from_secs(3);

/// How long a session avoids a node that ended it.
const LOST_FOR: Duration = Duration::from_secs(1);

/// The state of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineState {
    /// There is none.
    Down,
    /// The session is connecting.
    Opening,
    /// It is welcome.
    Open,
    /// The rival has cut it, and what it still sees does not count.
    Cut,
}

/// A request that a session has sent and that is not answered there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unanswered {
    /// When it was sent.
    pub(super) since: Instant,
    /// When it is to be sent again.
    pub(super) again_at: Option<Instant>,
}

/// A session.
#[derive(Debug)]
pub(super) struct Session {
    home: usize,
    /// Its node.
    pub(super) node: usize,
    /// Its connection.
    pub(super) line: LineState,
    avoided: BTreeMap<usize, Instant>,
    /// Requests without an answer, by their ids.
    pub(super) unanswered: BTreeMap<String, Unanswered>,
    /// The acknowledgements.
    pub(super) answers: Vec<Answer>,
}

impl Session {
    /// A session that belongs to a node.
    pub(super) fn new(home: usize) -> Self {
        Self {
            home,
            node: home,
            line: LineState::Down,
            avoided: BTreeMap::new(),
            unanswered: BTreeMap::new(),
            answers: Vec::new(),
        }
    }

    /// Whether requests can be sent.
    pub(super) fn is_open(&self) -> bool {
        self.line == LineState::Open
    }

    /// The node to connect to: its home, unless that is down or did not answer.
    pub(super) fn choose_node(&self, addresses: &[Address]) -> Option<usize> {
        let now = Instant::now();
        let runs = |node: &usize| addresses[*node].borrow().is_some();
        let nodes = addresses.len();
        let mut running = (0..nodes).map(|n| (self.home + n) % nodes).filter(runs);
        let is_avoided = |node: &usize| self.avoided.get(node).is_some_and(|until| *until > now);
        running.clone().find(|node| !is_avoided(node)).or_else(|| running.next())
    }

    /// Whether the session is to leave its node: it is silent, or not the session's own.
    pub(super) fn must_leave(&mut self, addresses: &[Address]) -> bool {
        let now = Instant::now();
        if self.unanswered.values().any(|asked| now - asked.since > PATIENT_FOR) {
            self.avoided.insert(self.node, now + SILENT_FOR);
            return true;
        }
        self.node != self.home && self.choose_node(addresses) == Some(self.home)
    }

    /// The connection is no more.
    pub(super) fn lose(&mut self) {
        if self.line != LineState::Cut {
            self.avoided.insert(self.node, Instant::now() + LOST_FOR);
        }
        self.line = LineState::Down;
    }

    /// The requests that are to be sent again now.
    pub(super) fn due(&self) -> Vec<String> {
        let now = Instant::now();
        let is_due = |asked: &Unanswered| asked.again_at.is_some_and(|at| at <= now);
        let due = self.unanswered.iter().filter(|(_, asked)| is_due(asked));
        due.map(|(id, _)| id.clone()).collect()
    }
}
