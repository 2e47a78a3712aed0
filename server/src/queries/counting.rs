//! Counts finished games, a few at a time, for the statistics of each game.
//!
//! The transaction that ends a game does not count it: its tallies are few and common to all games
//! of a kind, so that on PostgreSQL the ends of all nodes would wait for each other. Instead each
//! finished game has a mark that says whether it has been counted. A task of one node looks for
//! games without it, and adds them to the tallies in the same transaction in which it marks them.
//! So a game counts once, whatever fails. The same task counts the games of a database from before
//! the mark, those that were imported, and those that a node of an older version ends. What it
//! costs does not depend on the number of all games.

use std::collections::BTreeSet;

use adamant_protocol::{
    EventBody, EventFrame,
    from_client::Opponents,
    to_client::{GameEntry, ResultReason},
};
use adamant_record::wire;
use adamant_rules::{Kind, Options};
use bytes::Bytes;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::{
    limits::{
        COUNTED_LENGTH_MAX, COUNTING_EVERY, COUNTING_PAUSE, GAMES_COUNTED_AT_ONCE,
        OPENING_MOVES_MAX,
    },
    store::{
        Aspect, CountedGame, SharedWork, Store, StoreError, Tally, TallyGroup, TallyKey,
        UncountedGame,
    },
};

/// Counts finished games until the server stops.
pub(crate) async fn count_games(store: Store, work: SharedWork, stop: CancellationToken) {
    while stop.run_until_cancelled(work.taken()).await.is_some() {
        let pause = match count_some(&store).await {
            Ok(counted) if counted == GAMES_COUNTED_AT_ONCE => COUNTING_PAUSE,
            Ok(_) => COUNTING_EVERY,
            Err(error) => {
                // operator: the store failed; the server tries again some seconds later
                tracing::warn!(%error, "counting finished games failed");
                COUNTING_EVERY
            }
        };
        if stop.run_until_cancelled(sleep(pause)).await.is_none() {
            return;
        }
    }
}

/// Counts some games; returns their number.
async fn count_some(store: &Store) -> Result<u32, StoreError> {
    let games = store.uncounted(GAMES_COUNTED_AT_ONCE, counted_game).await?;
    let counted = u32::try_from(games.len()).unwrap_or(u32::MAX);
    if counted > 0 {
        store.count_finished(games).await?;
    }
    Ok(counted)
}

/// Returns the tallies that a game adds to. A game whose entry is unreadable adds to none.
fn counted_game(game: UncountedGame) -> CountedGame {
    let UncountedGame { game, entry, records } = game;
    let (keys, tally) = match &entry {
        Some(entry) => (keys_of(entry, &records), tally_of(entry)),
        None => (Vec::new(), Tally::default()),
    };
    CountedGame { game, keys, tally }
}

fn tally_of(entry: &GameEntry) -> Tally {
    let mut tally = Tally { games: 1, ..Tally::default() };
    match entry.result.as_ref().map(|result| &result.winners[..]) {
        Some([winner]) => {
            if let Some(wins) = tally.wins.get_mut(usize::from(*winner)) {
                *wins = 1;
            }
        }
        Some([_, _, ..]) => tally.draws = 1,
        Some([]) | None => {}
    }
    tally
}

fn keys_of(entry: &GameEntry, records: &[Bytes]) -> Vec<TallyKey> {
    let Some(result) = &entry.result else { return Vec::new() };
    let Ok(serde_json::Value::String(reason)) = serde_json::to_value(result.reason) else {
        return Vec::new();
    };
    let mut counted = vec![(Aspect::Reason, reason.into_boxed_str())];
    if result.reason != ResultReason::Aborted {
        counted.push((Aspect::Result, "".into()));
        counted.push((Aspect::Length, entry.ply.min(COUNTED_LENGTH_MAX).to_string().into()));
        if !entry.unlisted && has_usual_options(entry) {
            let moves = first_moves(records);
            let openings = (1..=moves.len()).map(|moved| moves[..moved].join(" ").into());
            counted.extend(Aspect::OPENINGS.into_iter().zip(openings));
        }
    }
    let players = u8::try_from(entry.seats.len()).unwrap_or(u8::MAX);
    let group = |opponents| TallyGroup { rules: entry.rules.name.clone(), players, opponents };
    let groups = [group(None), group(Some(opponents(entry)))];
    let keys = counted.into_iter().flat_map(|(aspect, value)| {
        groups.clone().map(|group| TallyKey { group, aspect, value: value.clone() })
    });
    keys.collect()
}

fn opponents(entry: &GameEntry) -> Opponents {
    let kinds: BTreeSet<bool> = entry.seats.iter().map(|seat| seat.bot).collect();
    match (kinds.contains(&true), kinds.contains(&false)) {
        (true, true) => Opponents::Mixed,
        (true, false) => Opponents::Bots,
        (false, _) => Opponents::People,
    }
}

/// Whether the players have chosen no options: the same moves on another board are another opening.
fn has_usual_options(entry: &GameEntry) -> bool {
    let Some(kind) = Kind::from_name(&entry.rules.name) else { return false };
    [Options::new(), kind.when_rated(Options::new())].into_iter().any(|chosen| {
        let usual = kind.complete(&chosen, entry.seats.len());
        usual.is_ok_and(|usual| wire::options(&usual) == entry.options)
    })
}

/// Returns the first moves that stand in the first records: those taken back there do not count.
fn first_moves(records: &[Bytes]) -> Vec<Box<str>> {
    let mut moves = Vec::new();
    for record in records {
        let Ok(frame) = EventFrame::from_bytes(record) else { break };
        if let EventBody::Moved(moved) = frame.body {
            moves.push(moved.notation);
        } else if let EventBody::TakenBack(back) = frame.body {
            moves.truncate(usize::try_from(back.ply).unwrap_or(usize::MAX));
        }
    }
    moves.truncate(OPENING_MOVES_MAX);
    moves
}
