//! A journal in memory that several servers share, and that can fail: for tests of rooms.

use std::sync::Arc;

use adamant_protocol::{GameId, values::RatingChange};
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};

use super::{
    Append, AppendOutcome, ArchiveError, ArchivedGame, Begin, BeginError, Journal, StoreError,
    memory::Memory,
};

/// A journal over shared memory.
#[derive(Debug, Default)]
pub(crate) struct FakeJournal {
    memory: Arc<Memory>,
    /// The appends that fail.
    fail: Option<fn(&Append) -> bool>,
}

impl FakeJournal {
    /// Returns a journal over this memory, to which other journals append as well.
    pub(crate) fn sharing(memory: &Arc<Memory>) -> Self {
        Self { memory: Arc::clone(memory), fail: None }
    }

    /// Makes the appends fail for which the function returns true.
    pub(crate) fn failing(self, fail: fn(&Append) -> bool) -> Self {
        Self { fail: Some(fail), ..self }
    }
}

impl Journal for FakeJournal {
    fn append(&self, batch: Vec<Append>) -> BoxFuture<'static, Vec<AppendOutcome>> {
        if self.fail.is_some_and(|fail| batch.iter().any(fail)) {
            let error = StoreError::Failed("simulated failure".into());
            let outcomes = batch.iter().map(|_| Err(error.clone().into())).collect();
            return std::future::ready(outcomes).boxed();
        }
        self.memory.append(batch)
    }

    fn begin(&self, game: Begin) -> BoxFuture<'static, Result<(), BeginError>> {
        self.memory.begin(game)
    }

    fn archive(&self, game: ArchivedGame) -> BoxFuture<'static, Result<(), ArchiveError>> {
        assert!(self.fail.is_none(), "a game was archived after a failed append: {game:?}");
        self.memory.archive(game)
    }

    fn rating_change(
        &self,
        game: GameId,
    ) -> BoxFuture<'static, Result<Option<RatingChange>, StoreError>> {
        self.memory.rating_change(game)
    }

    fn read(
        &self,
        game: GameId,
        from: u64,
        max: usize,
    ) -> BoxFuture<'static, Result<Vec<Bytes>, StoreError>> {
        self.memory.read(game, from, max)
    }
}
