//! Statements on counts of finished games.

use std::collections::{BTreeMap, BTreeSet};

use adamant_protocol::GameId;
use futures::{FutureExt as _, future::BoxFuture};

use super::{
    columns::{SqlResult, read_u64},
    postgres::Postgres,
    record_reads::split_lines,
    transaction::Transaction,
    values::{parse, to_sql},
};
use crate::{
    limits::{OPENING_BYTES_MAX, OPENING_RECORDS, OPENINGS_KEPT},
    store::{
        Aspect, CountedGame, Statistics, StoreError, Tally, TallyGroup, TallyKey, TallyRow,
        UncountedGame,
    },
};

impl Statistics for Postgres {
    fn uncounted(
        &self,
        max: u32,
        count: fn(UncountedGame) -> CountedGame,
    ) -> BoxFuture<'_, Result<Vec<CountedGame>, StoreError>> {
        self.pool().read((), move |tx, ()| uncounted(tx, max, count).boxed()).boxed()
    }

    fn count(&self, games: Vec<CountedGame>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.pool().transact(games, |tx, games| count(tx, games).boxed()).boxed()
    }

    fn tallies(
        &self,
        group: TallyGroup,
        max: fn(Aspect) -> u32,
    ) -> BoxFuture<'_, Result<Vec<TallyRow>, StoreError>> {
        self.pool().read(group, move |tx, group| tallies(tx, group, max).boxed()).boxed()
    }
}

/// A row of the journal has many records if the game was imported: the first bytes have the first
/// records.
const UNCOUNTED: &str = "SELECT game, entry,
        ARRAY(SELECT substring(records FROM 1 FOR $2) FROM journal
              WHERE journal.game = games.game ORDER BY seq LIMIT $3)
    FROM games WHERE finished AND NOT counted ORDER BY game LIMIT $1";

async fn uncounted(
    tx: &Transaction,
    max: u32,
    count: fn(UncountedGame) -> CountedGame,
) -> SqlResult<Vec<CountedGame>> {
    let appends = i64::try_from(OPENING_RECORDS).unwrap_or(i64::MAX);
    let rows = tx.query(UNCOUNTED, &[&i64::from(max), &OPENING_BYTES_MAX, &appends]).await?;
    rows.iter()
        .map(|row| {
            let game: GameId = parse(row, 0)?;
            let entry = serde_json::from_str(row.try_get(1)?).ok();
            let blocks: Vec<&[u8]> = row.try_get(2)?;
            let records = blocks.into_iter().flat_map(split_lines).take(OPENING_RECORDS).collect();
            Ok(count(UncountedGame { game, entry, records }))
        })
        .collect()
}

/// Marks games, in an order in which no two transactions wait for each other.
const MARK: &str = "UPDATE games SET counted = true WHERE game IN (
        SELECT game FROM games WHERE game = ANY ($1) AND NOT counted
        ORDER BY game FOR NO KEY UPDATE)
    RETURNING game";

const ADD: &str = "INSERT INTO tallies (rules, players, opponents, aspect, value, games, first,
        second, third, draws)
    SELECT * FROM unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::text[],
        $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[])
    ON CONFLICT (rules, players, opponents, aspect, value) DO UPDATE SET
        games = tallies.games + excluded.games, first = tallies.first + excluded.first,
        second = tallies.second + excluded.second, third = tallies.third + excluded.third,
        draws = tallies.draws + excluded.draws";

async fn count(tx: &Transaction, games: &[CountedGame]) -> SqlResult<()> {
    let ids: Vec<&str> = games.iter().map(|game| game.game.as_str()).collect();
    let marked = tx.query(MARK, &[&ids]).await?;
    let marked = marked.iter().map(|row| parse(row, 0)).collect::<SqlResult<BTreeSet<GameId>>>()?;
    let mut sums: BTreeMap<&TallyKey, Tally> = BTreeMap::new();
    for game in games.iter().filter(|game| marked.contains(&game.game)) {
        for key in &game.keys {
            sums.entry(key).or_default().add(&game.tally);
        }
    }
    let keys = || sums.keys();
    let number = |number: fn(&Tally) -> u64| -> Vec<i64> {
        sums.values().map(|tally| to_sql(number(tally))).collect()
    };
    let rules: Vec<&str> = keys().map(|key| &*key.group.rules).collect();
    let players: Vec<i16> = keys().map(|key| i16::from(key.group.players)).collect();
    let opponents: Vec<&str> = keys().map(|key| key.group.who()).collect();
    let aspects: Vec<&str> = keys().map(|key| key.aspect.name()).collect();
    let values: Vec<&str> = keys().map(|key| &*key.value).collect();
    let games = number(|tally| tally.games);
    let [first, second, third] = [
        number(|tally| tally.wins[0]),
        number(|tally| tally.wins[1]),
        number(|tally| tally.wins[2]),
    ];
    let draws = number(|tally| tally.draws);
    tx.execute(
        ADD,
        &[&rules, &players, &opponents, &aspects, &values, &games, &first, &second, &third, &draws],
    )
    .await?;
    let openings = keys().filter(|key| Aspect::OPENINGS.contains(&key.aspect));
    let grown: BTreeSet<_> = openings.map(|key| (&key.group, key.aspect)).collect();
    for (group, aspect) in grown {
        drop_rare(tx, group, aspect).await?;
    }
    Ok(())
}

/// Drops the openings with the fewest games once there are twice as many as are kept.
async fn drop_rare(tx: &Transaction, group: &TallyGroup, aspect: Aspect) -> SqlResult<()> {
    const OF_GROUP: &str = "rules = $1 AND players = $2 AND opponents = $3 AND aspect = $4";
    let (players, opponents, aspect) = (i16::from(group.players), group.who(), aspect.name());
    let count = format!("SELECT count(*) FROM tallies WHERE {OF_GROUP}");
    let found = tx.query_one(&count, &[&&*group.rules, &players, &opponents, &aspect]).await?;
    if read_u64(&found, 0)? <= 2 * u64::from(OPENINGS_KEPT) {
        return Ok(());
    }
    // The first one to drop, and then all from it on: both follow an index, whatever the planner
    // knows of the table.
    let first = format!(
        "SELECT games, value FROM tallies WHERE {OF_GROUP}
         ORDER BY games DESC, value OFFSET $5 LIMIT 1"
    );
    let key: [&(dyn tokio_postgres::types::ToSql + Sync); 5] =
        [&&*group.rules, &players, &opponents, &aspect, &i64::from(OPENINGS_KEPT)];
    let Some(first) = tx.query_opt(&first, &key).await? else { return Ok(()) };
    let (games, value): (i64, &str) = (first.try_get(0)?, first.try_get(1)?);
    let delete = format!(
        "DELETE FROM tallies WHERE {OF_GROUP} AND (games < $5 OR games = $5 AND value >= $6)"
    );
    tx.execute(&delete, &[&&*group.rules, &players, &opponents, &aspect, &games, &value]).await?;
    Ok(())
}

const SELECT: &str = "SELECT value, games, first, second, third, draws FROM tallies
    WHERE rules = $1 AND players = $2 AND opponents = $3 AND aspect = $4
    ORDER BY games DESC, value LIMIT $5";

async fn tallies(
    tx: &Transaction,
    group: &TallyGroup,
    max: fn(Aspect) -> u32,
) -> SqlResult<Vec<TallyRow>> {
    let (players, opponents) = (i16::from(group.players), group.who());
    let mut found = Vec::new();
    for aspect in Aspect::ALL {
        let limit = i64::from(max(aspect));
        let key: [&(dyn tokio_postgres::types::ToSql + Sync); 5] =
            [&&*group.rules, &players, &opponents, &aspect.name(), &limit];
        for row in &tx.query(SELECT, &key).await? {
            let wins = [read_u64(row, 2)?, read_u64(row, 3)?, read_u64(row, 4)?];
            let tally = Tally { games: read_u64(row, 1)?, wins, draws: read_u64(row, 5)? };
            found.push(TallyRow { aspect, value: row.try_get::<_, &str>(0)?.into(), tally });
        }
    }
    Ok(found)
}
