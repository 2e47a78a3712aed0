//! Spawns the task of a room, for a new or a loaded game.

use std::{future::poll_fn, pin::pin, sync::Arc};

use adamant_protocol::{ChallengeId, GameId};
use adamant_record::Head;
use adamant_rules::{Seat, Setup, Table, table::SetupError};
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, debug_span};

use super::{
    command::RoomHandle,
    delayed_view::DelayedView,
    idempotency::AcceptedRequests,
    loaded::LoadedGame,
    state::{Room, RoomContext},
};
use crate::{
    limits::{GAME_ROW_BYTES, MAILBOX_COMMANDS_MAX, RECORD_ROW_BYTES},
    quotas::{GameDenied, StorageBudget},
    store::{Begin, BeginError, StoreError},
};

/// A game that all its players have accepted.
#[derive(Debug, Clone)]
pub(crate) struct NewGame {
    pub game: GameId,
    pub setup: Setup,
    /// The storage budget of each seat.
    pub payers: Vec<Option<Arc<StorageBudget>>>,
    /// The challenge that the game starts from.
    pub challenge: Option<ChallengeId>,
    /// The game that this one is a rematch of.
    pub rematch_of: Option<GameId>,
}

/// Why a game could not be started.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum StartGameError {
    /// The setup is invalid.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A player or a network has stored or started too much.
    #[error(transparent)]
    Denied(#[from] GameDenied),
    /// The store has refused the game, or has failed.
    #[error(transparent)]
    Begin(#[from] BeginError),
}

/// Starts a game: stores its first events, then spawns its room.
pub(crate) async fn start(
    context: Arc<RoomContext>,
    new: NewGame,
) -> Result<RoomHandle, StartGameError> {
    let now = context.time.now_ms();
    let events = Table::begin(new.setup, now)?;
    let (first, later) = events.split_first().ok_or(BeginError::Store(StoreError::Stopped))?;
    let mut table = Table::new(first).map_err(|_| BeginError::Store(StoreError::Stopped))?;
    let mut head = Head::new(new.game.clone());
    let mut records = vec![Bytes::from(head.append(first, table.position(), None))];
    let mut delayed = DelayedView::new(&table, &head).map(Box::new);
    for event in later {
        let record = Bytes::from(head.append(event, table.position(), None));
        table.apply(event).map_err(|_| BeginError::Store(StoreError::Stopped))?;
        if let Some(delayed) = &mut delayed {
            delayed.push(record.clone(), event.clone());
            delayed.release().map_err(|_| BeginError::Store(StoreError::Stopped))?;
        }
        records.push(record);
    }
    let requests = AcceptedRequests::default();
    let loaded = LoadedGame { table, head, requests, started_at: now, ratings: None, delayed };
    let begin = Begin {
        entry: Box::new(loaded.entry()),
        records,
        challenge: new.challenge,
        rematch_of: new.rematch_of,
    };
    let bytes = begin.records.iter().map(|record| record.len() as u64 + RECORD_ROW_BYTES);
    let bytes = GAME_ROW_BYTES + bytes.sum::<u64>();
    context.journal.begin(begin).await?;
    for payer in new.payers.iter().flatten() {
        payer.charge(bytes, now);
    }
    let mut room = Room::new(context, loaded);
    for (seat, payer) in Seat::all(new.payers.len()).zip(new.payers) {
        room.payers[seat] = payer;
    }
    room.publish_live();
    Ok(run(Box::new(room)))
}

/// Spawns the room of a loaded game.
pub(crate) fn open(context: Arc<RoomContext>, loaded: LoadedGame) -> RoomHandle {
    run(Box::new(Room::new(context, loaded)))
}

fn run(room: Box<Room>) -> RoomHandle {
    let (mailbox, commands) = mpsc::channel(MAILBOX_COMMANDS_MAX);
    let game = room.head.game.clone();
    let ended = CancellationToken::new();
    // At debug level only, since the span is entered for each move and kept for each room.
    let span = debug_span!("room", %game);
    let tasks = room.context.lifecycle.rooms.clone();
    let guard = ended.clone().drop_guard();
    let (slots, name) = (Arc::clone(&room.context.slots), game.clone());
    let wakeups = room.context.metrics.room_wakeups.clone();
    tasks.spawn(
        async move {
            let mut running = pin!(room.run(commands));
            poll_fn(|task| {
                wakeups.inc();
                running.as_mut().poll(task)
            })
            .await;
            drop(guard);
            // The slot may hold another room already.
            slots.remove_if(&name, |_, slot| slot.get().is_some_and(RoomHandle::has_ended));
        }
        .instrument(span),
    );
    RoomHandle { game, mailbox, ended }
}
