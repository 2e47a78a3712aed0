//! How a room comes to be: for a new game, or from the records of one that goes on.

use adamant_protocol::{ChallengeId, GameId, to_client::GameEntry, values::RatingChange};
use adamant_record::{Head, RecordError, Replay};
use adamant_rules::{Setup, Table, table::SetupError};
use bytes::Bytes;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, info_span};

use super::{
    RoomHandle, rating,
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
    pub(super) table: Table,
    pub(super) head: Head,
    pub(super) requests: Requests,
    pub(super) started_at: u64,
    pub(super) ratings: Option<RatingChange>,
}

impl Opened {
    /// Replays a game; `None` if there are no records of it.
    pub(crate) fn replay(records: &[Bytes]) -> Result<Option<Self>, RecordError> {
        let mut replay = Replay::new();
        let mut requests = Requests::default();
        let (mut started_at, mut ratings) = (0, None);
        for record in records {
            let (frame, event) = replay.push_frame(record)?;
            if frame.seq == 1 {
                started_at = frame.at;
            }
            ratings = ratings.or_else(|| rating::told(&event));
            if let (Some(req), Some(table)) = (&frame.req, replay.table()) {
                requests.remember(req, frame.seq, &event, table);
            }
        }
        Ok(replay.into_parts().map(|(table, head)| Self {
            table,
            head,
            requests,
            started_at,
            ratings,
        }))
    }

    /// What lists say of it.
    pub(crate) fn entry(&self) -> GameEntry {
        view::entry(&self.table, &self.head, self.started_at, self.ratings.as_ref())
    }

    /// The game as people write it down.
    pub(crate) fn text_record(&self) -> String {
        adamant_rules::record::write(&self.table)
    }

    /// Whether it is over, but it has yet to be recorded what that is worth.
    pub(crate) fn awaits_rating(&self) -> bool {
        rating::awaits_rating(&self.table, self.ratings.as_ref())
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
    let requests = Requests::default();
    let opened = Opened { table, head, requests, started_at: now, ratings: None };
    let append = Append {
        game: new.game,
        expected_seq: 0,
        records,
        summary: view::summary_after(&opened.table, &[]),
        reseated: None,
        created: Some(Box::new(opened.entry())),
        closes: new.challenge,
        rematch_of: new.rematch_of,
        result: None,
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
    let room = Room::new(context, opened);
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
