//! The delayed view for spectators: the game `delay` moves ago and the records that are not
//! released yet. The view is always a prefix of the journal, so that cursors and the hash chain
//! stay valid.

use std::collections::VecDeque;

use adamant_protocol::EventFrame;
use adamant_record::Head;
use adamant_rules::{Event, EventKind, Table, table::ApplyError};

use crate::outbound::frame::Frame;

/// A record that is not released yet.
#[derive(Debug)]
struct PendingRecord {
    record: Frame,
    event: Event,
}

/// A live game as its spectators may see it.
#[derive(Debug)]
pub(super) struct DelayedView {
    /// Number of moves that are held back.
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
    /// Returns the view of a new game; `None` if the game has no delay.
    pub(super) fn new(table: &Table, head: &Head) -> Option<Self> {
        let delay = usize::from(table.setup().delay);
        (delay > 0).then(|| Self {
            delay,
            table: table.clone(),
            head: head.clone(),
            pending: VecDeque::new(),
        })
    }

    /// Returns the table after the last released record.
    pub(super) const fn table(&self) -> &Table {
        &self.table
    }

    /// Returns the table after the last released record.
    pub(super) fn into_table(self) -> Table {
        self.table
    }

    pub(super) const fn head(&self) -> &Head {
        &self.head
    }

    /// Adds a record, which is held back until [`release`](Self::release).
    pub(super) fn push(&mut self, record: Frame, event: Event) {
        self.pending.push_back(PendingRecord { record, event });
    }

    /// Returns the held-back events that become visible after `news`: those before the last `delay`
    /// moves, or all of them once the game is over.
    pub(super) fn visible_after<'a>(
        &'a self,
        news: &'a [Event],
    ) -> impl Iterator<Item = &'a Event> + Clone {
        let all = self.pending.iter().map(|pending| &pending.event).chain(news);
        let moves = all.clone().filter(|event| is_move(event)).count();
        let over = all.clone().any(is_end);
        let mut moves_left = moves.saturating_sub(self.delay);
        all.take_while(move |event| {
            let visible = over || !is_move(event) || moves_left > 0;
            if is_move(event) {
                moves_left = moves_left.saturating_sub(1);
            }
            visible
        })
    }

    /// Releases the records that have become visible, and returns them.
    pub(super) fn release(&mut self) -> Result<Vec<Frame>, ApplyError> {
        let count = self.visible_after(&[]).count();
        let mut records = Vec::with_capacity(count);
        for PendingRecord { record, event } in self.pending.drain(..count) {
            let unsealed = EventFrame::unseal(record.payload());
            debug_assert!(unsealed.is_some(), "records are sealed");
            self.table.apply(&event)?;
            self.head.seq += 1;
            if let Some((_, chain)) = unsealed {
                self.head.chain = chain;
            }
            records.push(record);
        }
        Ok(records)
    }
}
