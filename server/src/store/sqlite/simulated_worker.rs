//! The worker on a simulated disk, which is slow, fails commits and has another writer.

use std::{collections::VecDeque, sync::Arc};

use adamant_protocol::ids::Chain;
use tokio::{
    sync::{mpsc, oneshot},
    time::sleep,
};

use super::{
    executed_job::Written,
    job::{Job, Request},
    worker::{Worker, collect},
};
use crate::store::{Append, CommitFate, Disk, OtherAppend, StoreError, Summary};

impl Worker {
    /// Like `run`, as a task. The disk receives the records after the commit and before the
    /// replies.
    pub(super) async fn run_simulated(
        mut self,
        disk: Arc<dyn Disk>,
        mut waiting: mpsc::Receiver<Request>,
    ) {
        while let Some(first) = waiting.recv().await {
            sleep(disk.latency()).await;
            let (mut jobs, checkpoint) = collect(first, &mut waiting);
            overtake(&mut jobs, &*disk);
            while !jobs.is_empty() {
                let fate = disk.fate();
                let mut written = self.commit_with(fate, &mut jobs);
                written.report(&*disk);
                sleep(disk.latency()).await;
                if fate == CommitFate::Unheard {
                    written.lose_replies();
                }
                self.finish(written);
            }
            self.checkpoint(checkpoint);
        }
    }

    fn commit_with(&mut self, fate: CommitFate, jobs: &mut VecDeque<Job>) -> Written {
        match fate {
            CommitFate::Stored | CommitFate::Unheard => return self.commit(jobs),
            CommitFate::Refused | CommitFate::Failed => {}
        }
        self.connection.commit_hook(Some(|| true)).expect("the connection is open");
        let mut written = self.commit(jobs);
        self.connection.commit_hook(None::<fn() -> bool>).expect("the connection is open");
        if fate == CommitFate::Refused && written.committed.is_err() {
            written.committed = Err(StoreError::ReadOnly);
        }
        written
    }
}

/// Lets the other writer go first.
fn overtake(jobs: &mut VecDeque<Job>, disk: &dyn Disk) {
    let mut others = Vec::new();
    for job in &*jobs {
        let Job::Append(batch, _) = job else { continue };
        for Append { game, expected_seq, .. } in batch {
            let Some(other) = disk.other_append(game, *expected_seq) else { continue };
            let OtherAppend { records, ply, to_move, last_at } = other;
            others.push(Append {
                game: game.clone(),
                expected_seq: *expected_seq,
                prev: Chain::default(),
                records,
                chain: Chain::default(),
                summary: Summary { ply, to_move, last_at },
                deadline: None,
                reseated: None,
                result: None,
            });
        }
    }
    if !others.is_empty() {
        // The other writer's reply is not ours.
        jobs.push_front(Job::Append(others, oneshot::channel().0));
    }
}
