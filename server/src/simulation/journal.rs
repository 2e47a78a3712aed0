//! The journal of a simulated cluster, as one node uses it: it announces what the node has
//! appended.

use std::sync::Arc;

use adamant_protocol::{GameId, values::RatingChange};
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};

use super::{bus::MemberBus, member::Member};
use crate::{
    cluster::AppendedRecords,
    store::{
        Append, AppendOutcome, ArchiveError, ArchivedGame, Begin, BeginError, Journal, StoreError,
    },
};

/// The journal, behind the gate of a node.
#[derive(Debug)]
pub(super) struct MemberJournal {
    pub(super) inner: Arc<dyn Journal>,
    pub(super) member: Arc<Member>,
    pub(super) bus: Arc<MemberBus>,
}

impl MemberJournal {
    /// Lets a question through the gate, and its answer back.
    fn pass<T: Send + 'static>(&self, answer: BoxFuture<'static, T>) -> BoxFuture<'static, T> {
        let member = Arc::clone(&self.member);
        async move {
            member.pass().await;
            let answer = answer.await;
            member.pass().await;
            answer
        }
        .boxed()
    }
}

impl Journal for MemberJournal {
    fn append(&self, batch: Vec<Append>) -> BoxFuture<'static, Vec<AppendOutcome>> {
        let appended = |append: &Append| AppendedRecords {
            game: append.game.clone(),
            until: append.expected_seq + append.records.len() as u64,
            records: append.records.clone(),
        };
        let appended: Vec<AppendedRecords> = batch.iter().map(appended).collect();
        let (member, bus) = (Arc::clone(&self.member), Arc::clone(&self.bus));
        let inner = Arc::clone(&self.inner);
        async move {
            member.pass().await;
            let outcomes = inner.append(batch).await;
            member.pass().await;
            let stored = appended.into_iter().zip(&outcomes);
            let stored = stored.filter(|(_, outcome)| outcome.is_ok());
            let stored: Vec<AppendedRecords> = stored.map(|(appended, _)| appended).collect();
            if !stored.is_empty() {
                bus.publish_appended(&stored);
            }
            outcomes
        }
        .boxed()
    }

    fn begin(&self, game: Begin) -> BoxFuture<'static, Result<(), BeginError>> {
        self.pass(self.inner.begin(game))
    }

    fn archive(&self, game: ArchivedGame) -> BoxFuture<'static, Result<(), ArchiveError>> {
        let (member, inner) = (Arc::clone(&self.member), Arc::clone(&self.inner));
        async move {
            member.pass().await;
            let archived = inner.archive(game).await;
            member.pass().await;
            archived
        }
        .boxed()
    }

    fn rating_change(
        &self,
        game: GameId,
    ) -> BoxFuture<'static, Result<Option<RatingChange>, StoreError>> {
        self.pass(self.inner.rating_change(game))
    }

    fn read(
        &self,
        game: GameId,
        from: u64,
        max: usize,
    ) -> BoxFuture<'static, Result<Vec<Bytes>, StoreError>> {
        self.pass(self.inner.read(game, from, max))
    }
}
