//! Doors to parts of the server that micro benchmarks measure one by one: what a room tells, and the
//! journal. Nothing in the server uses them, and nothing is decided here.

use std::{path::Path, sync::Arc};

use adamant_protocol::{
    GameId, RequestId,
    to_client::{Presence, ToClient},
};
use adamant_record::Head;
use adamant_rules::{Seat, Table};
use anyhow::Context as _;
use bytes::Bytes;
use futures::future::try_join_all;

use crate::{
    config,
    outbound::{client::ClientPrefs, frame::Frame},
    room::{hints, snapshot},
    store::{Append, Journal as _, Sqlite, Summary},
};

/// A record as the frame that everybody gets who hears of it.
pub fn event_frame(record: &[u8]) -> Arc<[u8]> {
    Frame::text(record).into_bytes()
}

/// A message as the frame that one client gets.
pub fn frame(message: &ToClient) -> Arc<[u8]> {
    Frame::of(message).into_bytes()
}

/// The whole state of a game where nobody is.
pub fn snapshot(table: &Table, head: &Head, re: RequestId) -> ToClient {
    let presence = Presence {
        game: head.game.clone(),
        seats: Vec::new(),
        spectators: 0,
        spectator_names: Vec::new(),
    };
    Box::new(snapshot::snapshot(table, head, Some(re), None, presence)).into()
}

/// What tells a player that it is their turn.
pub fn your_turn(table: &Table, head: &Head, seat: Seat) -> ToClient {
    snapshot::your_turn(table, head, seat, ClientPrefs::default()).into()
}

/// Where the side to move may begin, and where the piece on one cell may go; `None` if there is no
/// such cell.
pub fn hints(
    table: &Table,
    seat: Seat,
    head: &Head,
    re: RequestId,
    from: &str,
) -> Option<ToClient> {
    hints::hints(table, seat, head, re, Some(from), None).ok().map(Into::into)
}

/// The journal of a directory, and games in it to append to.
#[derive(Debug)]
pub struct BenchJournal {
    store: Sqlite,
    /// With the last seq of each.
    games: Vec<(GameId, u64)>,
    record: Bytes,
    summary: Summary,
}

impl BenchJournal {
    /// Makes a journal of so many games, all of them like this one. What is appended to them is this
    /// record.
    pub async fn create(
        directory: &Path,
        games: usize,
        table: &Table,
        record: Vec<u8>,
    ) -> anyhow::Result<Self> {
        let (store, _) = Sqlite::open(&config::StoreConfig::at(directory), Arc::default())?;
        let summary = snapshot::summary_after(table, []);
        let names = (0..games).map(|number| format!("game{number}").parse::<GameId>());
        let games = names.map(|game| Ok((game?, 0))).collect::<anyhow::Result<_>>()?;
        let mut journal = Self { store, games, record: record.into(), summary };
        let all = journal.games.len();
        journal
            .append_with(all, |game| Some(snapshot::entry(table, &Head::new(game), 0, None)))
            .await?;
        Ok(journal)
    }

    /// Appends one record to each of so many games, all at once, and waits until all of them are
    /// durable.
    pub async fn append(&mut self, games: usize) -> anyhow::Result<()> {
        self.append_with(games, |_| None).await
    }

    async fn append_with(
        &mut self,
        games: usize,
        created: impl Fn(GameId) -> Option<adamant_protocol::to_client::GameEntry>,
    ) -> anyhow::Result<()> {
        let Self { store, record, summary, .. } = &*self;
        let some = self.games.get(..games).context("there are not so many games")?;
        let appends = some.iter().map(|(game, last_seq)| {
            store.append(Append {
                game: game.clone(),
                expected_seq: *last_seq,
                records: vec![record.clone()],
                summary: *summary,
                reseated: None,
                created: created(game.clone()).map(Box::new),
                closes: None,
                rematch_of: None,
                result: None,
            })
        });
        try_join_all(appends.collect::<Vec<_>>()).await?;
        self.games[..games].iter_mut().for_each(|(_, last_seq)| *last_seq += 1);
        Ok(())
    }
}
