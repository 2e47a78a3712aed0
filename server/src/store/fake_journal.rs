//! A journal in memory that several servers share, and that can fail: for tests of rooms.

use std::sync::Arc;

use adamant_protocol::{GameId, values::RatingChange};
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};

use super::{Append, AppendError, ArchivedGame, Journal, StoreError, memory::Memory};

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
    fn append(&self, append: Append) -> BoxFuture<'_, Result<Option<RatingChange>, AppendError>> {
        if self.fail.is_some_and(|fail| fail(&append)) {
            let error = StoreError::Failed("simulated failure".into());
            return std::future::ready(Err(AppendError::Store(error))).boxed();
        }
        self.memory.append(append)
    }

    fn rating_change(
        &self,
        game: GameId,
    ) -> BoxFuture<'_, Result<Option<RatingChange>, StoreError>> {
        self.memory.rating_change(game)
    }

    fn archive(&self, game: ArchivedGame) -> BoxFuture<'_, Result<(), StoreError>> {
        assert!(self.fail.is_none(), "a game was archived after a failed append: {game:?}");
        self.memory.archive(game)
    }

    fn read(
        &self,
        game: GameId,
        from: u64,
        max: usize,
    ) -> BoxFuture<'_, Result<Vec<Bytes>, StoreError>> {
        self.memory.read(game, from, max)
    }
}
