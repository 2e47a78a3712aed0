//! A journal in memory, for tests of rooms and loops.

use std::collections::{HashMap, HashSet};

use adamant_protocol::{GameId, values::RatingChange};
use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};
use parking_lot::Mutex;

use super::{
    Append, AppendError, AppendOutcome, ArchiveError, ArchivedGame, Begin, BeginError, Journal,
    OfferClaim, OfferId, StoreFuture,
};
use crate::outbound::frame::Frame;
use crate::ratings::{self, Rating};

#[derive(Debug, Default)]
struct Tables {
    records: HashMap<GameId, Vec<Bytes>>,
    /// Each player enters each game with the initial rating.
    changes: HashMap<GameId, RatingChange>,
    offers: HashSet<OfferId>,
    rematches: HashMap<GameId, GameId>,
}

/// A journal in memory. No lock is held across an await.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    tables: Mutex<Tables>,
}

impl Memory {
    /// Loses the records of a game after this number, as the promotion of a stale standby does.
    pub(crate) fn lose_after(&self, game: &GameId, kept: usize) {
        self.tables.lock().records.get_mut(game).expect("the game has begun").truncate(kept);
    }

    pub(crate) fn add_offer(&self, offer: OfferId) {
        self.tables.lock().offers.insert(offer);
    }
}

impl Tables {
    fn append(&mut self, append: Append) -> AppendOutcome {
        let Some(records) = self.records.get_mut(&append.game) else {
            return Err(AppendError::Conflict { last_seq: 0 });
        };
        let last_seq = records.len() as u64;
        if last_seq != append.expected_seq {
            return Err(AppendError::Conflict { last_seq });
        }
        records.extend(append.records.iter().map(Frame::message));
        Ok(append.result.map(|result| {
            let before = vec![Rating::START; result.users.len()];
            let change = ratings::change(&before, &ratings::rate(&before, &result.places));
            self.changes.insert(append.game, change.clone());
            change
        }))
    }

    fn begin(&mut self, begin: Begin) -> Result<(), BeginError> {
        let game = begin.entry.game;
        if self.records.contains_key(&game) {
            return Err(BeginError::IdTaken);
        }
        if let Some(next) = begin.rematch_of.as_ref().and_then(|before| self.rematches.get(before))
        {
            return Err(BeginError::RematchExists(next.clone()));
        }
        if let Some(OfferClaim { offer, .. }) = &begin.offer
            && !self.offers.remove(offer)
        {
            return Err(BeginError::OfferGone(offer.clone()));
        }
        if let Some(before) = begin.rematch_of {
            self.rematches.insert(before, game.clone());
        }
        self.records.insert(game, begin.records);
        Ok(())
    }

    fn archive(&self, game: &ArchivedGame) -> Result<(), ArchiveError> {
        let last_seq = self.records.get(&game.game).map_or(0, Vec::len) as u64;
        if last_seq == game.seq { Ok(()) } else { Err(ArchiveError::Conflict { last_seq }) }
    }

    fn read(&self, game: &GameId, from: u64, max: usize) -> Vec<Bytes> {
        let skip = usize::try_from(from.saturating_sub(1)).unwrap_or(usize::MAX);
        let records = self.records.get(game);
        records
            .map(|records| records.iter().skip(skip).take(max).cloned().collect())
            .unwrap_or_default()
    }
}

impl Journal for Memory {
    fn append(&self, batch: Vec<Append>) -> BoxFuture<'static, Vec<AppendOutcome>> {
        let mut tables = self.tables.lock();
        let outcomes = batch.into_iter().map(|append| tables.append(append)).collect();
        std::future::ready(outcomes).boxed()
    }

    fn begin(&self, game: Begin) -> BoxFuture<'static, Result<(), BeginError>> {
        std::future::ready(self.tables.lock().begin(game)).boxed()
    }

    fn archive(&self, game: ArchivedGame) -> BoxFuture<'static, Result<(), ArchiveError>> {
        std::future::ready(self.tables.lock().archive(&game)).boxed()
    }

    fn rating_change(&self, game: GameId) -> StoreFuture<Option<RatingChange>> {
        std::future::ready(Ok(self.tables.lock().changes.get(&game).cloned())).boxed()
    }

    fn read(&self, game: GameId, from: u64, max: usize) -> StoreFuture<Vec<Bytes>> {
        std::future::ready(Ok(self.tables.lock().read(&game, from, max))).boxed()
    }
}
