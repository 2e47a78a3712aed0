//! The parts of the server that micro benchmarks measure: the messages of a room, and the journal.
//! The server itself uses nothing of this.

use std::{path::Path, sync::Arc};

use adamant_protocol::{
    GameId, RequestId,
    ids::Chain,
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
    room::{snapshot, table_queries},
    store::{Append, Begin, Journal as _, Sqlite, Summary, entry_of},
};

/// Returns the frame of a record.
pub fn event_frame(record: &[u8]) -> Arc<[u8]> {
    Frame::text(record).into_bytes()
}

/// Returns the frame of a message.
pub fn frame(message: &ToClient) -> Arc<[u8]> {
    Frame::of(message).into_bytes()
}

/// Returns the snapshot of a game without clients.
pub fn snapshot(table: &Table, head: &Head, re: RequestId) -> ToClient {
    let presence = Presence {
        game: head.game.clone(),
        seats: Vec::new(),
        spectators: 0,
        spectator_names: Vec::new(),
    };
    Box::new(snapshot::snapshot(table, head, Some(re), None, presence)).into()
}

/// Returns the frame of the `your_turn` message of a seat, with or without the legal moves.
pub fn your_turn_frame(table: &Table, head: &Head, seat: Seat, legal: bool) -> Arc<[u8]> {
    let prefs = ClientPrefs { legal, ..ClientPrefs::default() };
    snapshot::your_turn(table, head, seat, prefs).into_bytes()
}

/// Returns the hints for a cell; `None` if there is no such cell.
pub fn hints(
    table: &Table,
    seat: Seat,
    head: &Head,
    re: RequestId,
    from: &str,
) -> Option<ToClient> {
    table_queries::hints(table, seat, head, re, Some(from), None, false).ok().map(Into::into)
}

/// A journal with games to append to.
#[derive(Debug)]
pub struct BenchJournal {
    store: Sqlite,
    /// The games with their last seq.
    games: Vec<(GameId, u64)>,
    record: Bytes,
    summary: Summary,
}

impl BenchJournal {
    /// Creates a journal with copies of one game. `record` is what [`append`](Self::append)
    /// appends.
    pub async fn create(
        directory: &Path,
        games: usize,
        table: &Table,
        record: Vec<u8>,
    ) -> anyhow::Result<Self> {
        let (store, _) = Sqlite::open(&config::StoreConfig::at(directory), Arc::default())?;
        let summary = snapshot::summary_after(table, []);
        let names = (0..games).map(|number| format!("game{number}").parse::<GameId>());
        let games = names.map(|game| Ok((game?, 1))).collect::<anyhow::Result<Vec<_>>>()?;
        let record = Bytes::from(record);
        let begin = |(game, _): &(GameId, u64)| {
            let entry = Box::new(entry_of(table, &Head::new(game.clone()), 0, None));
            let records = vec![record.clone()];
            let (chain, deadline) = (Chain::default(), None);
            store.begin(Begin { entry, records, chain, deadline, offer: None, rematch_of: None })
        };
        try_join_all(games.iter().map(begin)).await?;
        Ok(Self { store, games, record, summary })
    }

    /// Appends one record to each of the first `games` games, as one batch. Returns when all are
    /// durable.
    pub async fn append(&mut self, games: usize) -> anyhow::Result<()> {
        let Self { store, record, summary, .. } = &*self;
        let some = self.games.get(..games).context("the journal has fewer games")?;
        let appends = some.iter().map(|(game, last_seq)| Append {
            game: game.clone(),
            expected_seq: *last_seq,
            prev: Chain::default(),
            records: [Frame::text(record)].into_iter().collect(),
            chain: Chain::default(),
            summary: *summary,
            deadline: None,
            reseated: None,
            result: None,
        });
        let outcomes = store.append(appends.collect()).await;
        outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
        self.games[..games].iter_mut().for_each(|(_, last_seq)| *last_seq += 1);
        Ok(())
    }
}
