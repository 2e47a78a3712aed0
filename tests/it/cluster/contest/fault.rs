//! Faults: what is killed and paused, for how long, and how it comes back.

use std::{collections::BTreeMap, time::Duration};

use rand::{RngExt as _, rngs::SmallRng};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, sleep_until};

use super::stage::Stage;

/// How long a node stays dead. Its clients find the others meanwhile.
const NODE_DEAD: Duration = Duration::from_millis(500);

/// How long a node stands still: longer than the others wait for its heartbeat.
const NODE_PAUSED: Duration = Duration::from_secs(3);

/// How long a primary stands still. It is replaced meanwhile.
const PRIMARY_PAUSED: Duration = Duration::from_secs(6);

/// How long the replaced primary runs before it is stopped.
const REPLACED_RUNS: Duration = Duration::from_secs(1);

/// How long a standby stays dead.
const STANDBY_DEAD: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FaultKind {
    /// A node is killed with SIGKILL and starts again.
    NodeKill,
    /// A node stands still.
    NodePause,
    /// The primary is killed with SIGKILL, and a standby is promoted.
    PrimaryKill,
    /// The primary stands still, a standby is promoted, and the old primary goes on for a while.
    PrimaryPause,
    /// A standby is killed with SIGKILL and starts again.
    StandbyKill,
}

impl FaultKind {
    pub(crate) const ALL: [Self; 5] =
        [Self::NodeKill, Self::NodePause, Self::PrimaryKill, Self::PrimaryPause, Self::StandbyKill];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::NodeKill => "node killed",
            Self::NodePause => "node paused",
            Self::PrimaryKill => "primary killed",
            Self::PrimaryPause => "primary paused",
            Self::StandbyKill => "standby killed",
        }
    }

    /// Draws a fault. Nodes fail more often than databases, which take long to come back.
    pub(super) fn draw(rng: &mut SmallRng) -> Self {
        match rng.random_range(0..10) {
            0..4 => Self::NodeKill,
            4..6 => Self::NodePause,
            6..8 => Self::PrimaryKill,
            8 => Self::PrimaryPause,
            _ => Self::StandbyKill,
        }
    }
}

/// A fault that has happened.
#[derive(Debug, Clone)]
pub(super) struct FaultRecord {
    pub(super) kind: FaultKind,
    pub(super) node: Option<usize>,
    pub(super) at: Instant,
    /// How long the promotion of a standby took.
    promotion: Option<Duration>,
}

impl FaultRecord {
    /// The record as a report has it.
    pub(super) fn to_json(&self, began: Instant) -> Value {
        json!({
            "kind": self.kind.name(),
            "node": self.node,
            "at_ms": u64::try_from((self.at - began).as_millis()).unwrap(),
            "promotion_ms": self.promotion.map(|took| u64::try_from(took.as_millis()).unwrap()),
        })
    }
}

/// Brings a fault about, and everything back into order.
pub(super) async fn carry_out(
    stage: &mut Stage,
    kind: FaultKind,
    rng: &mut SmallRng,
) -> FaultRecord {
    let node = match kind {
        FaultKind::NodeKill | FaultKind::NodePause => Some(rng.random_range(0..stage.nodes())),
        FaultKind::PrimaryKill | FaultKind::PrimaryPause | FaultKind::StandbyKill => None,
    };
    let mut record = FaultRecord { kind, node, at: Instant::now(), promotion: None };
    match (kind, node) {
        (FaultKind::NodeKill, Some(node)) => {
            stage.count_conflicts(node).await;
            record.at = Instant::now();
            stage.kill_node(node).await;
            sleep(NODE_DEAD).await;
            stage.restart_node(node).await;
        }
        (FaultKind::NodePause, Some(node)) => {
            stage.pause_node(node).await;
            sleep(NODE_PAUSED).await;
            stage.resume_node(node).await;
        }
        (FaultKind::PrimaryKill, _) => {
            let old = stage.primary();
            stage.databases(|cluster| cluster.servers()[old].kill());
            record.promotion = Some(stage.promote());
            sleep(REPLACED_RUNS).await;
            stage.rejoin(old);
        }
        (FaultKind::PrimaryPause, _) => {
            let old = stage.primary();
            stage.databases(|cluster| cluster.servers()[old].pause());
            record.promotion = Some(stage.promote());
            sleep_until(record.at + PRIMARY_PAUSED).await;
            stage.databases(|cluster| cluster.servers()[old].resume());
            sleep(REPLACED_RUNS).await;
            stage.rejoin(old);
        }
        (FaultKind::StandbyKill, _) => {
            let standby = (stage.primary() + rng.random_range(1..3)) % 3;
            stage.databases(|cluster| cluster.servers()[standby].kill());
            sleep(STANDBY_DEAD).await;
            stage.databases(|cluster| {
                cluster.servers()[standby].start();
                cluster.servers()[standby].wait_until_streaming();
            });
        }
        (FaultKind::NodeKill | FaultKind::NodePause, None) => unreachable!("a node was drawn"),
    }
    record
}

/// An acknowledgement, as one session received it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    pub(super) node: usize,
    pub(super) at: Instant,
}

/// Milliseconds without an acknowledgement, one for each session and fault, by the name of the
/// kind of fault and by whether the session was at the node that failed.
///
/// For a session that was there they end with the first acknowledgement of another node: later it
/// leaves that one for its own again, which is its own choice. For any other session it is the
/// longest pause until the next fault, because what came just after the fault may have been on its
/// way.
pub(super) fn after_faults(
    sessions: &[Vec<Answer>],
    faults: &[FaultRecord],
) -> BTreeMap<String, Vec<u64>> {
    let mut found: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (index, fault) in faults.iter().enumerate() {
        let until = faults.get(index + 1).map(|next| next.at);
        for answers in sessions {
            let first = answers.partition_point(|answer| answer.at < fault.at).saturating_sub(1);
            let answers = &answers[first..];
            let was_there = fault.node.is_some()
                && answers.first().is_some_and(|answer| Some(answer.node) == fault.node);
            let pause = if was_there {
                until_another_answers(answers, fault, until)
            } else {
                longest_pause(answers, fault, until)
            };
            let Some(pause) = pause else { continue };
            let name = match fault.node {
                Some(_) if was_there => format!("{}, its clients", fault.kind.name()),
                Some(_) => format!("{}, other clients", fault.kind.name()),
                None => fault.kind.name().to_owned(),
            };
            found.entry(name).or_default().push(u64::try_from(pause.as_millis()).unwrap());
        }
    }
    found
}

fn until_another_answers(
    answers: &[Answer],
    fault: &FaultRecord,
    until: Option<Instant>,
) -> Option<Duration> {
    let from_another =
        answers.iter().find(|answer| answer.at > fault.at && Some(answer.node) != fault.node)?;
    Some(until.map_or(from_another.at, |until| from_another.at.min(until)) - fault.at)
}

fn longest_pause(
    answers: &[Answer],
    fault: &FaultRecord,
    until: Option<Instant>,
) -> Option<Duration> {
    answers
        .windows(2)
        .take_while(|pair| until.is_none_or(|until| pair[0].at < until))
        .map(|pair| {
            // The rest is the next fault's.
            let end = until.map_or(pair[1].at, |until| pair[1].at.min(until));
            end - pair[0].at.max(fault.at)
        })
        .max()
}
