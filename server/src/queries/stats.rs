//! The statistics of each game: their queries, and the task that counts finished games.
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
    EventBody, EventFrame, RequestId,
    from_client::{self, Opponents},
    ids::RulesName,
    known,
    to_client::{
        GameEntry, GameStats, LengthCounts, OpeningCount, ReasonCount, ResultCounts, ResultReason,
    },
};
use adamant_record::wire;
use adamant_rules::{Kind, Options};
use bytes::Bytes;
use serde::Deserialize;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::people::{UserQueries, kind_and_players};
use crate::{
    error::Denial,
    limits,
    store::{
        Aspect, CountedGame, SharedWork, Store, StoreError, Tally, TallyGroup, TallyKey, TallyRow,
        UncountedGame,
    },
};

/// A query for the statistics of a game.
#[derive(Debug, Clone)]
pub(crate) struct StatsQuery {
    pub rules: RulesName,
    pub filter: StatsFilter,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct StatsFilter {
    players: Option<u8>,
    #[serde(default, deserialize_with = "known")]
    opponents: Option<Opponents>,
}

impl From<from_client::Stats> for StatsQuery {
    fn from(request: from_client::Stats) -> Self {
        let from_client::Stats { id: _, rules, players, opponents } = request;
        Self { rules, filter: StatsFilter { players, opponents } }
    }
}

impl UserQueries {
    /// Returns the statistics of a game.
    pub(crate) async fn stats(
        &self,
        re: Option<RequestId>,
        query: StatsQuery,
    ) -> Result<GameStats, Denial> {
        let StatsQuery { rules, filter: StatsFilter { players, opponents } } = query;
        let (kind, players) = kind_and_players(&rules, players)?;
        let size = u8::try_from(players).expect("a table has few seats");
        let group = TallyGroup { rules: kind.name().into(), players: size, opponents };
        let rows = self.store.tallies(group, rows_max).await?;
        let of = |aspect| rows.iter().filter(move |row| row.aspect == aspect);
        let all = of(Aspect::Result).next().map(|row| row.tally).unwrap_or_default();
        let reasons: Vec<ReasonCount> = of(Aspect::Reason).filter_map(reason).collect();
        let (aborted, reasons): (Vec<_>, Vec<_>) =
            reasons.into_iter().partition(|count| count.reason == ResultReason::Aborted);
        let lengths =
            of(Aspect::Length).filter_map(|row| Some((row.value.parse().ok()?, row.tally.games)));
        let openings = Aspect::OPENINGS.into_iter().flat_map(of).map(|row| OpeningCount {
            moves: row.value.split(' ').map(Box::from).collect(),
            results: results(&row.tally, players),
        });
        Ok(GameStats {
            re,
            rules: wire::rules(kind),
            players: size,
            opponents,
            results: results(&all, players),
            aborted: aborted.iter().map(|count| count.games).sum(),
            reasons,
            length: lengths_of(lengths.collect()),
            openings: openings.collect(),
        })
    }
}

/// How many tallies of each aspect an answer needs.
const fn rows_max(aspect: Aspect) -> u32 {
    match aspect {
        Aspect::Result => 1,
        Aspect::Reason => limits::RESULT_REASONS_MAX,
        Aspect::Length => limits::COUNTED_LENGTH_MAX + 1,
        Aspect::FirstMove | Aspect::TwoMoves | Aspect::ThreeMoves => limits::OPENINGS_SHOWN,
    }
}

fn results(tally: &Tally, players: usize) -> ResultCounts {
    let Tally { games, wins, draws } = *tally;
    ResultCounts { games, wins: wins.into_iter().take(players).collect(), draws }
}

fn reason(row: &TallyRow) -> Option<ReasonCount> {
    let reason = serde_json::Value::String(row.value.to_string());
    let reason = serde_json::from_value(reason).ok()?;
    Some(ReasonCount { reason, games: row.tally.games })
}

/// Sums up lengths with their numbers of games; `None` without games.
fn lengths_of(mut lengths: Vec<(u32, u64)>) -> Option<LengthCounts> {
    lengths.sort_unstable();
    let all: u64 = lengths.iter().map(|(_, games)| games).sum();
    // The shortest length that this many quarters of the games do not exceed.
    let quartile = |quarters: u64| {
        let mut so_far = 0;
        let mut reaches = |(_, games): &&(u32, u64)| {
            so_far += games;
            so_far * 4 >= all * quarters
        };
        lengths.iter().find(&mut reaches).map(|(length, _)| *length)
    };
    let ((shortest, _), (longest, _)) = (*lengths.first()?, *lengths.last()?);
    let bar_width = [1, 2, 5, 10, 20]
        .into_iter()
        .find(|width| longest / width < limits::LENGTH_BARS_MAX)
        .unwrap_or(limits::COUNTED_LENGTH_MAX / limits::LENGTH_BARS_MAX + 1);
    let mut bars = vec![0; usize::try_from(longest / bar_width + 1).unwrap_or(1)];
    for (length, games) in &lengths {
        let bar = usize::try_from(length / bar_width).unwrap_or(usize::MAX);
        if let Some(bar) = bars.get_mut(bar) {
            *bar += games;
        }
    }
    Some(LengthCounts {
        shortest,
        lower_quartile: quartile(1)?,
        median: quartile(2)?,
        upper_quartile: quartile(3)?,
        longest,
        bar_width,
        bars,
    })
}

/// Counts finished games until the server stops.
pub(crate) async fn count_games(store: Store, work: SharedWork, stop: CancellationToken) {
    while stop.run_until_cancelled(work.taken()).await.is_some() {
        let pause = match count_some(&store).await {
            Ok(counted) if counted == limits::GAMES_COUNTED_AT_ONCE => limits::COUNTING_PAUSE,
            Ok(_) => limits::COUNTING_EVERY,
            Err(error) => {
                // operator: the store failed; the server tries again some seconds later
                tracing::warn!(%error, "counting finished games failed");
                limits::COUNTING_EVERY
            }
        };
        if stop.run_until_cancelled(sleep(pause)).await.is_none() {
            return;
        }
    }
}

/// Counts some games; returns their number.
async fn count_some(store: &Store) -> Result<u32, StoreError> {
    let games = store.uncounted(limits::GAMES_COUNTED_AT_ONCE, counted_game).await?;
    let counted = u32::try_from(games.len()).unwrap_or(u32::MAX);
    if counted > 0 {
        store.count_finished(games).await?;
    }
    Ok(counted)
}

/// Returns the tallies that a game adds to. A game whose entry is unreadable adds to none.
pub(crate) fn counted_game(game: UncountedGame) -> CountedGame {
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
        counted
            .push((Aspect::Length, entry.ply.min(limits::COUNTED_LENGTH_MAX).to_string().into()));
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
    moves.truncate(limits::OPENING_MOVES_MAX);
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_and_bars_follow_from_the_lengths() {
        assert_eq!(lengths_of(Vec::new()), None);
        let counts = lengths_of(vec![(30, 1), (4, 2), (9, 5)]).unwrap();
        let found = [counts.shortest, counts.lower_quartile, counts.median, counts.upper_quartile];
        assert_eq!((found, counts.longest), ([4, 4, 9, 9], 30));
        assert_eq!(counts.bars.iter().sum::<u64>(), 8);
        assert_eq!((counts.bar_width, counts.bars.len()), (1, 31));
        assert_eq!((counts.bars[4], counts.bars[9], counts.bars[30]), (2, 5, 1));
    }

    #[test]
    fn the_bars_are_bounded_for_any_length() {
        for longest in 0..=limits::COUNTED_LENGTH_MAX {
            let counts = lengths_of(vec![(longest, 1)]).unwrap();
            assert!(counts.bars.len() <= limits::LENGTH_BARS_MAX as usize, "{longest}");
            assert_eq!(counts.bars.last(), Some(&1), "{longest}");
            assert_eq!(counts.median, longest);
        }
    }
}
