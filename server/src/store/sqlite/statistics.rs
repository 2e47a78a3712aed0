//! Statements on counts of finished games.

use std::collections::{BTreeMap, BTreeSet};

use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::{Connection, params};

use super::{
    database::Sqlite,
    record_blocks,
    rows::{from_sql, read_game, to_sql},
};
use crate::{
    limits::{OPENING_RECORDS, OPENINGS_KEPT},
    store::{
        Aspect, CountedGame, Statistics, StoreError, Tally, TallyGroup, TallyKey, TallyRow,
        UncountedGame,
    },
};

impl Statistics for Sqlite {
    fn uncounted(
        &self,
        max: u32,
        count: fn(UncountedGame) -> CountedGame,
    ) -> BoxFuture<'_, Result<Vec<CountedGame>, StoreError>> {
        self.read_with(move |connection| uncounted(connection, max, count)).boxed()
    }

    fn count(&self, games: Vec<CountedGame>) -> BoxFuture<'_, Result<(), StoreError>> {
        self.writer.write(move |connection| count(connection, &games)).boxed()
    }

    fn tallies(
        &self,
        group: TallyGroup,
        max: fn(Aspect) -> u32,
    ) -> BoxFuture<'_, Result<Vec<TallyRow>, StoreError>> {
        self.read_with(move |connection| tallies(connection, &group, max)).boxed()
    }
}

fn uncounted(
    connection: &Connection,
    max: u32,
    count: fn(UncountedGame) -> CountedGame,
) -> rusqlite::Result<Vec<CountedGame>> {
    let mut select = connection.prepare_cached(
        "SELECT id, entry FROM games WHERE state = 'finished' AND counted = 0 ORDER BY id LIMIT ?1",
    )?;
    let mut rows = select.query([max])?;
    let mut games = Vec::new();
    while let Some(row) = rows.next()? {
        let game = read_game(row, 0)?;
        let entry = serde_json::from_str(row.get_ref(1)?.as_str()?).ok();
        let records = record_blocks::read(connection, &game, 1, OPENING_RECORDS)?;
        games.push(count(UncountedGame { game, entry, records }));
    }
    Ok(games)
}

fn count(connection: &Connection, games: &[CountedGame]) -> rusqlite::Result<()> {
    let mut mark =
        connection.prepare_cached("UPDATE games SET counted = 1 WHERE id = ?1 AND counted = 0")?;
    let mut sums: BTreeMap<&TallyKey, Tally> = BTreeMap::new();
    for game in games {
        if mark.execute([game.game.as_str()])? > 0 {
            for key in &game.keys {
                sums.entry(key).or_default().add(&game.tally);
            }
        }
    }
    let mut add = connection.prepare_cached(
        "INSERT INTO tallies (rules, players, opponents, aspect, value, games, first, second,
             third, draws)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT DO UPDATE SET games = games + excluded.games, first = first + excluded.first,
             second = second + excluded.second, third = third + excluded.third,
             draws = draws + excluded.draws",
    )?;
    for (TallyKey { group, aspect, value }, tally) in &sums {
        let (rules, players, opponents) = (&group.rules, group.players, group.who());
        let Tally { games, wins: [first, second, third], draws } = *tally;
        let [games, first, second, third, draws] = [games, first, second, third, draws].map(to_sql);
        let aspect = aspect.name();
        add.execute(params![
            rules, players, opponents, aspect, value, games, first, second, third, draws
        ])?;
    }
    let openings = sums.keys().filter(|key| Aspect::OPENINGS.contains(&key.aspect));
    let grown: BTreeSet<_> = openings.map(|key| (&key.group, key.aspect)).collect();
    grown.into_iter().try_for_each(|(group, aspect)| drop_rare(connection, group, aspect))
}

/// Drops the openings with the fewest games once there are twice as many as are kept.
fn drop_rare(connection: &Connection, group: &TallyGroup, aspect: Aspect) -> rusqlite::Result<()> {
    const OF_GROUP: &str = "rules = ?1 AND players = ?2 AND opponents = ?3 AND aspect = ?4";
    let (rules, players, opponents) = (&group.rules, group.players, group.who());
    let found: u32 = connection
        .prepare_cached(&format!("SELECT COUNT(*) FROM tallies WHERE {OF_GROUP}"))?
        .query_row(params![rules, players, opponents, aspect.name()], |row| row.get(0))?;
    if found > 2 * OPENINGS_KEPT {
        connection
            .prepare_cached(&format!(
                "DELETE FROM tallies WHERE {OF_GROUP} AND value IN (
                     SELECT value FROM tallies WHERE {OF_GROUP}
                     ORDER BY games DESC, value LIMIT -1 OFFSET ?5)"
            ))?
            .execute(params![rules, players, opponents, aspect.name(), OPENINGS_KEPT])?;
    }
    Ok(())
}

fn tallies(
    connection: &Connection,
    group: &TallyGroup,
    max: fn(Aspect) -> u32,
) -> rusqlite::Result<Vec<TallyRow>> {
    let mut select = connection.prepare_cached(
        "SELECT value, games, first, second, third, draws FROM tallies
         WHERE rules = ?1 AND players = ?2 AND opponents = ?3 AND aspect = ?4
         ORDER BY games DESC, value LIMIT ?5",
    )?;
    let mut found = Vec::new();
    for aspect in Aspect::ALL {
        let (rules, players, opponents) = (&group.rules, group.players, group.who());
        let key = params![rules, players, opponents, aspect.name(), max(aspect)];
        let rows = select.query_map(key, |row| {
            let number = |column: usize| row.get(column).map(from_sql);
            let wins = [number(2)?, number(3)?, number(4)?];
            let tally = Tally { games: number(1)?, wins, draws: number(5)? };
            Ok(TallyRow { aspect, value: row.get(0)?, tally })
        })?;
        for row in rows {
            found.push(row?);
        }
    }
    Ok(found)
}
