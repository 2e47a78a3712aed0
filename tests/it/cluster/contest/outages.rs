//! How long sessions receive no acknowledgement after a fault.

use std::{collections::BTreeMap, time::Duration};

use tokio::time::Instant;

use super::fault::FaultRecord;

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
