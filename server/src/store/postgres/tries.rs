//! What the tries of one write have done.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

/// The rows that the tries of one write have stored or deleted. A write is tried again when its
/// commit was not answered. The database may have kept the earlier try, or not. If it has, the next
/// try finds its own rows and so returns the same outcome.
#[derive(Debug)]
pub(super) struct Tries<K>(Mutex<BTreeSet<K>>);

impl<K> Default for Tries<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Ord + Clone> Tries<K> {
    /// Notes a row that this try has stored or deleted.
    pub(super) fn note(&self, row: K) {
        self.rows(|rows| rows.insert(row));
    }

    /// Returns whether an earlier try has stored or deleted a row, unless it was undone.
    pub(super) fn has(&self, row: &K) -> bool {
        self.rows(|rows| rows.contains(row))
    }

    /// Notes the rows that this try has deleted; returns these and those of earlier tries.
    pub(super) fn deleted(&self, deleted: impl IntoIterator<Item = K>) -> Vec<K> {
        self.rows(|rows| {
            rows.extend(deleted);
            rows.iter().cloned().collect()
        })
    }

    fn rows<T>(&self, with: impl FnOnce(&mut BTreeSet<K>) -> T) -> T {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
