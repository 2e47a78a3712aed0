//! What spectators of a delayed game may know: the game as it stood some moves ago, and the records
//! that they have yet to hear. What they know is always a beginning of the one record, so that
//! numbers and chain fit when they resume. How they are told is the audience's business.

use std::collections::VecDeque;

use adamant_protocol::EventFrame;
use adamant_record::Head;
use adamant_rules::{Event, EventKind, Table, table::ApplyError};
use bytes::Bytes;

/// A record that spectators have yet to hear.
#[derive(Debug)]
struct PendingRecord {
    record: Bytes,
    event: Event,
}

/// A game as its spectators may see it while it goes on.
#[derive(Debug)]
pub(super) struct DelayedView {
    /// How many moves stay hidden.
    delay: usize,
    table: Table,
    head: Head,
    pending: VecDeque<PendingRecord>,
}

const fn is_move(event: &Event) -> bool {
    matches!(event.kind, EventKind::Moved { .. } | EventKind::Swapped { .. })
}

const fn is_end(event: &Event) -> bool {
    matches!(event.kind, EventKind::Ended { .. } | EventKind::Aborted { .. })
}

impl DelayedView {
    /// For a game that has just been created; `None` if spectators may see all of it.
    pub(super) fn new(table: &Table, head: &Head) -> Option<Self> {
        let delay = usize::from(table.setup().delay);
        (delay > 0).then(|| Self {
            delay,
            table: table.clone(),
            head: head.clone(),
            pending: VecDeque::new(),
        })
    }

    /// The game as of the last event that may be seen.
    pub(super) const fn table(&self) -> &Table {
        &self.table
    }

    /// The same, when nothing more is to be told.
    pub(super) fn into_table(self) -> Table {
        self.table
    }

    /// The end of the record as far as it may be seen.
    pub(super) const fn head(&self) -> &Head {
        &self.head
    }

    /// Takes in a record that has happened.
    pub(super) fn push(&mut self, record: Bytes, event: Event) {
        self.pending.push_back(PendingRecord { record, event });
    }

    /// The hidden events that may be seen once `news` have happened: all that came before the
    /// moves that are to stay hidden, and everything when the game is over.
    pub(super) fn visible_after<'a>(
        &'a self,
        news: &'a [Event],
    ) -> impl Iterator<Item = &'a Event> + Clone {
        let all = self.pending.iter().map(|pending| &pending.event).chain(news);
        let moves = all.clone().filter(|event| is_move(event)).count();
        let over = all.clone().any(is_end);
        let mut moves_left = moves.saturating_sub(self.delay);
        all.take_while(move |event| {
            let passes = over || !is_move(event) || moves_left > 0;
            if is_move(event) {
                moves_left = moves_left.saturating_sub(1);
            }
            passes
        })
    }

    /// Lets spectators see what they may by now, and gives back the records that they must hear.
    pub(super) fn release(&mut self) -> Result<Vec<Bytes>, ApplyError> {
        let count = self.visible_after(&[]).count();
        let mut records = Vec::with_capacity(count);
        for PendingRecord { record, event } in self.pending.drain(..count) {
            self.table.apply(&event)?;
            self.head.seq += 1;
            if let Some((_, chain)) = EventFrame::unseal(&record) {
                self.head.chain = chain;
            }
            records.push(record);
        }
        Ok(records)
    }
}
