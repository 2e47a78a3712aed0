//! How long sessions receive no acknowledgement after a fault.

use std::collections::BTreeMap;

use tokio::time::Instant;

use super::fault::{FaultKind, FaultRecord};

/// An acknowledgement, as one session received it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    /// The node of the session.
    pub(super) node: usize,
    /// When it came.
    pub(super) at: Instant,
}

/// Milliseconds without an acknowledgement, one for each session and fault, by the name of the
/// kind of fault and by whether the session was at the node that failed.
pub(super) fn after_faults(
    sessions: &[Vec<Answer>],
    faults: &[FaultRecord],
) -> BTreeMap<String, Vec<u64>> {
    let mut found: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (index, fault) in faults.iter().enumerate() {
        let until = faults.get(index + 1).map(|next| next.at);
        for answers in sessions {
            // What came just after the fault may have been on its way, so the longest pause counts.
            let first = answers.partition_point(|answer| answer.at < fault.at).saturating_sub(1);
            let pauses = answers[first..]
                .windows(2)
                .take_while(|pair| until.is_none_or(|until| pair[0].at < until))
                .map(|pair| {
                    // The rest is the next fault's.
                    let end = until.map_or(pair[1].at, |until| pair[1].at.min(until));
                    end - pair[0].at.max(fault.at)
                });
            let Some(longest) = pauses.max() else { continue };
            let name = match fault.kind {
                FaultKind::NodeKill | FaultKind::NodePause => {
                    let was_there = answers.get(first).is_some_and(|a| Some(a.node) == fault.node);
                    let whose = if was_there { "its clients" } else { "other clients" };
                    format!("{}, {whose}", fault.kind.name())
                }
                FaultKind::PrimaryKill | FaultKind::PrimaryPause | FaultKind::StandbyKill => {
                    fault.kind.name().to_owned()
                }
            };
            found.entry(name).or_default().push(u64::try_from(longest.as_millis()).unwrap());
        }
    }
    found
}
