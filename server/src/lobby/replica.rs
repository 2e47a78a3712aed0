//! What this node knows of the open challenges, invites or seeks of the store.
//!
//! The store decides, and what it answers arrives here in any order: requests run side by side, and
//! other nodes decide, too. Versions put the states of one row in order. Ids are never used twice,
//! so that a row that has been closed cannot come back.

use std::{
    collections::{BTreeSet, HashMap, HashSet, VecDeque},
    hash::Hash,
};

use crate::limits::RECENTLY_CLOSED_MAX;

/// A row of the store that is open.
pub(super) trait OpenRow {
    type Id: Clone + Ord + Hash;

    fn id(&self) -> &Self::Id;

    /// Orders the states of a row.
    fn version(&self) -> u64;
}

/// What a row has done to the replica.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PutOutcome<Row> {
    /// The row was unknown.
    Opened,
    /// An older state of the row was known. It is returned.
    Changed(Row),
    /// The same or a newer state is known, or the row has been closed.
    Known,
}

/// The open rows that this node knows of.
#[derive(Debug)]
pub(super) struct Replica<Row: OpenRow> {
    rows: HashMap<Row::Id, ReplicaEntry<Row>>,
    closed: HashSet<Row::Id>,
    /// The ids in `closed`, the oldest first.
    closed_order: VecDeque<Row::Id>,
    /// Number of changes so far.
    changes: u64,
}

#[derive(Debug)]
struct ReplicaEntry<Row> {
    row: Row,
    /// The number of the change that has brought this state.
    changed_by: u64,
}

/// A moment in the history of a replica.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReplicaMoment(u64);

impl<Row: OpenRow> Default for Replica<Row> {
    fn default() -> Self {
        let (rows, closed) = (HashMap::new(), HashSet::new());
        Self { rows, closed, closed_order: VecDeque::new(), changes: 0 }
    }
}

impl<Row: OpenRow> Replica<Row> {
    pub(super) fn get(&self, id: &Row::Id) -> Option<&Row> {
        self.rows.get(id).map(|entry| &entry.row)
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.values().map(|entry| &entry.row)
    }

    /// Takes in the state of an open row.
    pub(super) fn put(&mut self, row: Row) -> PutOutcome<Row> {
        let is_known = |known: &ReplicaEntry<Row>| known.row.version() >= row.version();
        if self.closed.contains(row.id()) || self.rows.get(row.id()).is_some_and(is_known) {
            return PutOutcome::Known;
        }
        self.changes += 1;
        let entry = ReplicaEntry { changed_by: self.changes, row };
        match self.rows.insert(entry.row.id().clone(), entry) {
            Some(older) => PutOutcome::Changed(older.row),
            None => PutOutcome::Opened,
        }
    }

    /// Takes out a row that is open no longer. Returns its last known state.
    pub(super) fn close(&mut self, id: &Row::Id) -> Option<Row> {
        if self.closed.insert(id.clone()) {
            self.closed_order.push_back(id.clone());
            if self.closed_order.len() > RECENTLY_CLOSED_MAX
                && let Some(oldest) = self.closed_order.pop_front()
            {
                self.closed.remove(&oldest);
            }
        }
        self.rows.remove(id).map(|entry| entry.row)
    }

    /// Returns the present moment, before all rows are read from the store.
    pub(super) const fn moment(&self) -> ReplicaMoment {
        ReplicaMoment(self.changes)
    }

    /// Returns the rows that were known at a moment and that the store has no longer, in the order
    /// of their ids. `stored` are the rows that it has had since.
    pub(super) fn missing<'a>(
        &self,
        moment: ReplicaMoment,
        stored: impl IntoIterator<Item = &'a Row::Id>,
    ) -> BTreeSet<Row::Id>
    where
        Row::Id: 'a,
    {
        let stored: HashSet<&Row::Id> = stored.into_iter().collect();
        let known = self.rows.iter().filter(|(_, entry)| entry.changed_by <= moment.0);
        known.map(|(id, _)| id).filter(|id| !stored.contains(id)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Eq)]
    struct Row(&'static str, u64);

    impl OpenRow for Row {
        type Id = &'static str;

        fn id(&self) -> &&'static str {
            &self.0
        }

        fn version(&self) -> u64 {
            self.1
        }
    }

    #[test]
    fn the_newest_state_stays_in_whatever_order_states_arrive() {
        let mut replica = Replica::default();
        assert_eq!(replica.put(Row("a", 1)), PutOutcome::Opened);
        assert_eq!(replica.put(Row("a", 3)), PutOutcome::Changed(Row("a", 1)));
        for version in [2, 3] {
            assert_eq!(replica.put(Row("a", version)), PutOutcome::Known);
        }
        assert_eq!(replica.get(&"a"), Some(&Row("a", 3)));
    }

    #[test]
    fn a_row_that_is_closed_does_not_come_back() {
        let mut replica = Replica::default();
        assert_eq!(replica.close(&"a"), None, "another request was faster");
        assert_eq!(replica.put(Row("a", 0)), PutOutcome::Known);
        replica.put(Row("b", 0));
        assert_eq!(replica.close(&"b"), Some(Row("b", 0)));
        assert_eq!(replica.put(Row("b", 1)), PutOutcome::Known);
        assert!(replica.get(&"a").is_none() && replica.get(&"b").is_none());
    }

    #[test]
    fn the_memory_of_closed_rows_is_bounded() {
        let mut replica: Replica<NumberedRow> = Replica::default();
        for number in 0..2 * RECENTLY_CLOSED_MAX {
            replica.close(&number);
        }
        assert_eq!(
            (replica.closed.len(), replica.closed_order.len()),
            (RECENTLY_CLOSED_MAX, RECENTLY_CLOSED_MAX)
        );
    }

    struct NumberedRow(usize);

    impl OpenRow for NumberedRow {
        type Id = usize;

        fn id(&self) -> &usize {
            &self.0
        }

        fn version(&self) -> u64 {
            0
        }
    }

    #[test]
    fn rows_that_the_store_has_no_longer_are_missing_but_not_those_that_are_new() {
        let mut replica = Replica::default();
        for id in ["a", "b", "c"] {
            replica.put(Row(id, 0));
        }
        let moment = replica.moment();
        replica.put(Row("d", 0));
        replica.put(Row("c", 1));
        assert_eq!(replica.missing(moment, &["a"]), BTreeSet::from(["b"]));
    }
}
