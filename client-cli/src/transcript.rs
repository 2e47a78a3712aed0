//! A game's events, fetched whole, and the board as it stood after any of its moves.

use adamant_client::Incoming;
use adamant_protocol::{GameId, ToClient, from_client::Watch, to_client::Snapshot};
use adamant_record::Replay;
use adamant_rules::Table;
use anyhow::Context as _;
use bytes::Bytes;
use indicatif::{ProgressBar, ProgressStyle};

use crate::{failure::unexpected_reply, session::Session};

/// Events from which on fetching a game is worth a progress bar; fewer are there at once.
const LONG_RECORD_EVENTS: u64 = 1_000;

/// A game as it stands.
pub(crate) async fn snapshot(session: &Session, game: &GameId) -> anyhow::Result<Box<Snapshot>> {
    let watch = |id| Watch { id, game: game.clone(), from: None, named: None };
    let reply = session.client.request(watch).await?;
    if let ToClient::Snapshot(snapshot) = reply {
        Ok(snapshot)
    } else {
        Err(unexpected_reply(&reply).into())
    }
}

/// Every event of a game up to the present one.
#[derive(Debug)]
pub(crate) struct Transcript {
    /// The events as the server keeps them.
    pub(crate) records: Vec<Bytes>,
}

impl Transcript {
    /// Fetches it.
    pub(crate) async fn fetch(session: &mut Session, game: &GameId) -> anyhow::Result<Self> {
        let watch = |id| Watch { id, game: game.clone(), from: Some(1), named: None };
        let done = session.client.done(watch).await?;
        let last = done.seq.context("the server does not say how many events there are")?;
        let progress = if last < LONG_RECORD_EVENTS {
            ProgressBar::hidden()
        } else {
            let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} events");
            // It shows on stderr and only if that is a terminal.
            ProgressBar::new(last).with_style(style.expect("the template is well formed"))
        };
        let mut records = Vec::new();
        let mut next = 1;
        while next <= last {
            // Others that are still under way from before do not count: all come again.
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

    /// The table after the last event, or as soon as so many plies have been made. `None` if there
    /// were never so many.
    pub(crate) fn table(&self, ply: Option<u32>) -> anyhow::Result<Option<Table>> {
        let mut replay = Replay::new();
        let mut reached = None;
        for record in &self.records {
            replay.push(record).context("the server's record of this game does not hold")?;
            let table = replay.table().context("a record begins with a table")?;
            // What a move leads to belongs to it: the board is the one before the next ply.
            if ply.is_none_or(|ply| table.ply() == ply) {
                reached = Some(table.clone());
            } else if ply.is_some_and(|ply| table.ply() > ply) {
                break;
            }
        }
        Ok(reached)
    }
}
