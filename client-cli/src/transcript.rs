//! All events of a game, and the board after any of its moves.

use adamant_client::Incoming;
use adamant_protocol::{GameId, ToClient, from_client::Watch, to_client::Snapshot};
use adamant_record::Replay;
use adamant_rules::Table;
use anyhow::Context as _;
use bytes::Bytes;
use indicatif::{ProgressBar, ProgressStyle};

use crate::{failure::unexpected_reply, session::Session};

/// Number of events from which a progress bar is shown.
const LONG_RECORD_EVENTS: u64 = 1_000;

/// Requests the snapshot of a game.
pub(crate) async fn snapshot(session: &Session, game: &GameId) -> anyhow::Result<Box<Snapshot>> {
    let watch = |id| Watch { id, game: game.clone(), from: None, named: None };
    let reply = session.client.request(watch).await?;
    if let ToClient::Snapshot(snapshot) = reply {
        Ok(snapshot)
    } else {
        Err(unexpected_reply(&reply).into())
    }
}

/// All events of a game up to now.
#[derive(Debug)]
pub(crate) struct Transcript {
    /// The events as the server stores them.
    pub(crate) records: Vec<Bytes>,
}

impl Transcript {
    /// Requests all events of a game.
    pub(crate) async fn fetch(session: &mut Session, game: &GameId) -> anyhow::Result<Self> {
        let watch = |id| Watch { id, game: game.clone(), from: Some(1), named: None };
        let done = session.client.done(watch).await?;
        let last = done.seq.context("the server does not say how many events there are")?;
        let progress = if last < LONG_RECORD_EVENTS {
            ProgressBar::hidden()
        } else {
            let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} events");
            // Drawn on stderr, and only if that is a terminal.
            ProgressBar::new(last).with_style(style.expect("the template is well formed"))
        };
        let mut records = Vec::new();
        let mut next = 1;
        while next <= last {
            // Skips events that were sent before the request, which repeats them.
            if let Incoming::Event { frame, bytes } = session.next().await?
                && frame.game == *game
                && frame.seq == next
            {
                records.push(bytes);
                next += 1;
                progress.inc(1);
            }
        }
        progress.finish_and_clear();
        Ok(Self { records })
    }

    /// Returns the table after the last event, or after this number of plies. `None` if the game
    /// has fewer plies.
    pub(crate) fn table(&self, ply: Option<u32>) -> anyhow::Result<Option<Table>> {
        let mut replay = Replay::new();
        let mut reached = None;
        for record in &self.records {
            replay.push(record).context("the server's record of this game is invalid")?;
            let table = replay.table().context("a record starts with a table")?;
            // The consequences of a move belong to it: the board is the one before the next ply.
            if ply.is_none_or(|ply| table.ply() == ply) {
                reached = Some(table.clone());
            } else if ply.is_some_and(|ply| table.ply() > ply) {
                break;
            }
        }
        Ok(reached)
    }
}
