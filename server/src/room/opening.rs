//! How a room comes to be: for a new game, or from the records of one that goes on.

use std::sync::Arc;

use adamant_protocol::{ChallengeId, GameId, to_client::GameEntry};
use adamant_record::{Head, RecordError, Replay};
use adamant_rules::{BySeat, Setup, Table, table::SetupError};
use bytes::Bytes;
use tokio::{
    sync::{Notify, mpsc},
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, info_span};

use super::{
    RoomHandle,
    audience::Audience,
    presence::Presence,
    requests::Requests,
    state::{Room, RoomContext},
    view,
};
use crate::{
    limits::MAILBOX_COMMANDS_MAX,
    store::{Append, AppendError, StoreError},
};

/// A game that everybody has agreed to.
#[derive(Debug)]
pub(crate) struct NewGame {
    /// Its name.
    pub game: GameId,
    /// What was agreed.
    pub setup: Setup,
    /// The challenge that it comes of.
    pub challenge: Option<ChallengeId>,
    /// The game that it repeats.
    pub rematch_of: Option<GameId>,
}

/// Why a game could not be started.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum StartError {
    /// What was agreed cannot be played.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// It could not be stored.
    #[error(transparent)]
    Append(#[from] AppendError),
}

/// A game read from its records.
#[derive(Debug)]
pub(crate) struct Opened {
    table: Table,
    head: Head,
    requests: Requests,
    started_at: u64,
}

impl Opened {
    /// Replays a game; `None` if there are no records of it.
    pub(crate) fn replay(records: &[Bytes]) -> Result<Option<Self>, RecordError> {
        let mut replay = Replay::new();
        let mut requests = Requests::default();
        let mut started_at = 0;
        for record in records {
            let (frame, event) = replay.push_frame(record)?;
            if frame.seq == 1 {
                started_at = frame.at;
            }
            if let (Some(req), Some(table)) = (&frame.req, replay.table()) {
                requests.remember(req, frame.seq, &event, table);
            }
        }
        Ok(replay.into_parts().map(|(table, head)| Self { table, head, requests, started_at }))
    }

    /// What lists say of it.
    pub(crate) fn entry(&self) -> GameEntry {
        view::entry(&self.table, &self.head, self.started_at)
    }

    /// When its last event was.
    pub(crate) fn last_at(&self) -> u64 {
        self.table.last_at()
    }

    /// Whether a clock of it runs.
    pub(crate) fn is_timed(&self) -> bool {
        self.table.next_deadline().is_some()
    }

    /// Whether it is over.
    pub(crate) fn is_over(&self) -> bool {
        self.table.outcome().is_some()
    }
}

/// Starts a game: its first events are made durable, then there is a room.
pub(crate) async fn start(context: RoomContext, new: NewGame) -> Result<RoomHandle, StartError> {
    let now = context.time.now_ms();
    let events = Table::begin(new.setup, now)?;
    let (first, later) = events.split_first().ok_or(AppendError::Store(StoreError::Stopped))?;
    let mut table = Table::new(first).map_err(|_| AppendError::Store(StoreError::Stopped))?;
    let mut head = Head::new(new.game.clone());
    let mut records = vec![Bytes::from(head.record(first, table.position(), None))];
    for event in later {
        records.push(head.record(event, table.position(), None).into());
        table.apply(event).map_err(|_| AppendError::Store(StoreError::Stopped))?;
    }
    let opened = Opened { table, head, requests: Requests::default(), started_at: now };
    let append = Append {
        game: new.game,
        expected_seq: 0,
        records,
        summary: view::summary_after(&opened.table, &[]),
        reseated: None,
        created: Some(Box::new(opened.entry())),
        closes: new.challenge,
        rematch_of: new.rematch_of,
    };
    context.journal.append(append).await?;
    Ok(open(context, opened))
}

/// Opens a room for a game that is on record.
pub(crate) fn open(context: RoomContext, opened: Opened) -> RoomHandle {
    let (mailbox, commands) = mpsc::channel(MAILBOX_COMMANDS_MAX);
    let game = opened.head.game.clone();
    let ended = CancellationToken::new();
    let span = info_span!("room", %game);
    let tasks = context.lifecycle.rooms.clone();
    let now = context.time.now_ms();
    // Who was away when the room was closed still is. Of what was before this process nothing is
    // known, and it counts from its start; of a new game, from now.
    let since = context.parked.take(&game).unwrap_or_else(|| {
        let since = context.opened_at.max(opened.started_at);
        BySeat::from_fn(opened.table.players().len(), |_| since)
    });
    let presence = Presence::new(&opened.table, &since, context.claim_after, now);
    let room = Room {
        context,
        table: opened.table,
        head: opened.head,
        requests: opened.requests,
        started_at: opened.started_at,
        audience: Audience::default(),
        presence,
        wake: Arc::new(Notify::new()),
        idle_since: Instant::now(),
    };
    let guard = ended.clone().drop_guard();
    tasks.spawn(
        async move {
            room.run(commands).await;
            drop(guard);
        }
        .instrument(span),
    );
    RoomHandle { game, mailbox, ended }
}
