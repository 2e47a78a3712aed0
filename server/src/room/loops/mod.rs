//! The loops that drive the rooms. A game belongs to one loop by its id.

mod effects;
mod room_loop;
mod slots;
#[cfg(test)]
mod tests;

pub(super) use effects::complete;
pub(super) use room_loop::{LoopServices, LoopStart};

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{future::poll_fn, pin::pin};

use adamant_protocol::GameId;
use tokio::sync::mpsc;

use crate::cluster::{AppendedRecords, GoneNode, NodeId};
use crate::room::loops::room_loop::{BegunGame, LoopCounts, LoopMessage, RoomLoop};
use crate::room::{AudienceElsewhere, Command, LoadedGame};
use crate::{
    limits::LOOP_INBOX_MAX, quotas::StorageBudget, runtime::shutdown::Lifecycle, store::StoreError,
};

#[derive(Debug)]
struct LoopHandle {
    inbox: mpsc::Sender<LoopMessage>,
    counts: Arc<LoopCounts>,
}

/// The loops. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct RoomLoops(Arc<[LoopHandle]>);

#[derive(Debug)]
pub(crate) struct InboxPlace<'a>(mpsc::Permit<'a, LoopMessage>);

impl InboxPlace<'_> {
    /// Sends a command to the room of the game for which the place was reserved.
    pub(crate) fn send(self, game: GameId, command: Command) {
        self.0.send(LoopMessage::Command(game, command));
    }
}

impl RoomLoops {
    pub(crate) fn start(
        count: usize,
        services: &Arc<LoopServices>,
        lifecycle: &Lifecycle,
        start: LoopStart,
    ) -> Self {
        let count = count.max(1);
        let mut starts: Vec<LoopStart> = (0..count).map(|_| LoopStart::default()).collect();
        for loaded in start.live {
            let index = index_of(&loaded.head.game, count);
            starts[index].live.push(loaded);
        }
        for (game, deadline) in start.deadlines {
            let index = index_of(&game, count);
            starts[index].deadlines.push((game, deadline));
        }
        let handles = starts.into_iter().enumerate().map(|(number, start)| {
            let (inbox, messages) = mpsc::channel(LOOP_INBOX_MAX);
            let counts = Arc::<LoopCounts>::default();
            let moves = services.context.metrics.moves_of_loop(number);
            let room_loop =
                RoomLoop::new(Arc::clone(services), messages, Arc::clone(&counts), moves, start);
            let wakeups = services.context.metrics.room_wakeups.clone();
            let stop = lifecycle.soft.clone();
            lifecycle.rooms.spawn(async move {
                let mut running = pin!(room_loop.run(stop));
                poll_fn(|task| {
                    wakeups.inc();
                    running.as_mut().poll(task)
                })
                .await;
            });
            LoopHandle { inbox, counts }
        });
        Self(handles.collect())
    }

    fn of(&self, game: &GameId) -> &LoopHandle {
        &self.0[index_of(game, self.0.len())]
    }

    /// Sends a command to the room of a game. Waits while the inbox is full, so that the sender
    /// reads no further requests from its socket.
    pub(crate) async fn send(&self, game: &GameId, command: Command) {
        let message = LoopMessage::Command(game.clone(), command);
        if let Err(mpsc::error::SendError(LoopMessage::Command(_, command))) =
            self.of(game).inbox.send(message).await
        {
            command.deny(StoreError::Stopped.into());
        }
    }

    /// Returns a place in the inbox of a game's loop; `None` if it is full or closed.
    pub(crate) fn try_reserve(&self, game: &GameId) -> Option<InboxPlace<'_>> {
        self.of(game).inbox.try_reserve().ok().map(InboxPlace)
    }

    /// Opens the room of a game that has just begun.
    pub(crate) async fn begin(&self, loaded: LoadedGame, payers: Vec<Option<Arc<StorageBudget>>>) {
        let game = loaded.head.game.clone();
        let begun = LoopMessage::Begun(Box::new(BegunGame { loaded, payers }));
        // At shutdown the game rests in the store.
        drop(self.of(&game).inbox.send(begun).await);
    }

    /// Hands announcements of other nodes to the loops of their games.
    pub(crate) async fn announced(&self, games: Vec<AppendedRecords>) {
        let mut shares: Vec<Vec<AppendedRecords>> = vec![Vec::new(); self.0.len()];
        for appended in games {
            shares[index_of(&appended.game, self.0.len())].push(appended);
        }
        for (handle, games) in self.0.iter().zip(shares) {
            if !games.is_empty() {
                // At shutdown the announcement needs no room.
                drop(handle.inbox.send(LoopMessage::Announced(games)).await);
            }
        }
    }

    /// Hands on what another node announces of a game's audience.
    pub(crate) async fn elsewhere(&self, node: NodeId, game: GameId, what: AudienceElsewhere) {
        let inbox = &self.of(&game).inbox;
        drop(inbox.send(LoopMessage::Elsewhere(node, game, what)).await);
    }

    /// Lets every loop forget the sessions at a node, and ask the store for its last writes.
    pub(crate) async fn node_gone(&self, gone: GoneNode) {
        for handle in self.0.iter() {
            drop(handle.inbox.send(LoopMessage::NodeGone(gone)).await);
        }
    }

    /// Opens the rooms of games whose clock has run out, or whose end is not archived.
    pub(crate) async fn due(&self, games: Vec<GameId>) {
        for game in games {
            let inbox = &self.of(&game).inbox;
            drop(inbox.send(LoopMessage::Due(game.clone())).await);
        }
    }

    /// Lets every loop ask the store for what it may have missed.
    pub(crate) async fn audit(&self) {
        for handle in self.0.iter() {
            drop(handle.inbox.send(LoopMessage::Audit).await);
        }
    }

    /// Returns the number of open rooms, and of those of finished games.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let sum = |count: fn(&LoopCounts) -> &AtomicUsize| {
            self.0.iter().map(|handle| count(&handle.counts).load(Ordering::Relaxed)).sum()
        };
        (sum(|counts| &counts.open), sum(|counts| &counts.over))
    }
}

/// Returns the loop of a game: its id's FNV-1a hash, which is the same in each process.
fn index_of(game: &GameId, loops: usize) -> usize {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(PRIME);
    let hash = game.as_str().bytes().fold(BASIS, step);
    usize::try_from(hash % loops as u64).unwrap_or(0)
}
