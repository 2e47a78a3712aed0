//! Counts of finished games.

use std::collections::{BTreeMap, BTreeSet};

use adamant_protocol::{GameId, from_client::Opponents, to_client::GameEntry};
use bytes::Bytes;
use futures::future::try_join_all;

use super::{
    games::records,
    sql::{Row, Sql, SqlResult, params},
    store::operations,
};
use crate::limits::{OPENING_RECORDS, OPENINGS_KEPT};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Aspect {
    Result,
    /// Why they ended; aborted games, too.
    Reason,
    Length,
    FirstMove,
    TwoMoves,
    ThreeMoves,
}

impl Aspect {
    pub(crate) const ALL: [Self; 6] = [
        Self::Result,
        Self::Reason,
        Self::Length,
        Self::FirstMove,
        Self::TwoMoves,
        Self::ThreeMoves,
    ];

    /// The openings by their number of moves. The store keeps only the most played ones.
    pub(crate) const OPENINGS: [Self; 3] = [Self::FirstMove, Self::TwoMoves, Self::ThreeMoves];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::Reason => "reason",
            Self::Length => "length",
            Self::FirstMove => "opening_1",
            Self::TwoMoves => "opening_2",
            Self::ThreeMoves => "opening_3",
        }
    }
}

/// Which games are counted together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TallyGroup {
    pub rules: Box<str>,
    pub players: u8,
    /// Who plays; `None` for all games.
    pub opponents: Option<Opponents>,
}

impl TallyGroup {
    pub(crate) const fn who(&self) -> &'static str {
        match self.opponents {
            None | Some(Opponents::Unknown(_)) => "all",
            Some(Opponents::People) => "people",
            Some(Opponents::Bots) => "bots",
            Some(Opponents::Mixed) => "mixed",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TallyKey {
    pub group: TallyGroup,
    pub aspect: Aspect,
    /// The reason, the number of moves, or the moves with blanks between them.
    pub value: Box<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    pub games: u64,
    /// Those that one seat won, by seat.
    pub wins: [u64; 3],
    /// Those that several seats won.
    pub draws: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.draws += other.draws;
        for (wins, added) in self.wins.iter_mut().zip(other.wins) {
            *wins += added;
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TallyRow {
    pub aspect: Aspect,
    pub value: Box<str>,
    pub tally: Tally,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UncountedGame {
    pub game: GameId,
    /// `None` if it is unreadable.
    pub entry: Option<Box<GameEntry>>,
    pub records: Vec<Bytes>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CountedGame {
    pub game: GameId,
    pub keys: Vec<TallyKey>,
    pub tally: Tally,
}

async fn uncounted(
    sql: &impl Sql,
    max: u32,
    count: fn(UncountedGame) -> CountedGame,
) -> SqlResult<Vec<CountedGame>> {
    let select =
        "SELECT game, entry FROM games WHERE finished AND NOT counted ORDER BY game LIMIT $1";
    let mut counted = Vec::new();
    for mut row in sql.query(select, params![max]).await? {
        let (game, entry) = (row.parse(0)?, row.json(1).ok());
        // One game's records are in memory at a time.
        let records = records(sql, &game, 1, OPENING_RECORDS).await?;
        counted.push(count(UncountedGame { game, entry, records }));
    }
    Ok(counted)
}

async fn count(sql: &impl Sql, games: &[CountedGame]) -> SqlResult<()> {
    // In one order, so that no two nodes wait for each other.
    let games: BTreeMap<_, _> = games.iter().map(|game| (&game.game, game)).collect();
    let mut sums: BTreeMap<&TallyKey, Tally> = BTreeMap::new();
    let mark = "UPDATE games SET counted = true WHERE game = $1 AND NOT counted";
    let marks = games.keys().map(|id| async { sql.execute(mark, params![id.as_str()]).await });
    let marked = try_join_all(marks).await?;
    for (game, _) in games.values().zip(marked).filter(|(_, marked)| *marked > 0) {
        for key in &game.keys {
            sums.entry(key).or_default().add(&game.tally);
        }
    }
    try_join_all(sums.iter().map(|(key, tally)| add(sql, key, tally))).await?;
    let openings = sums.keys().filter(|key| Aspect::OPENINGS.contains(&key.aspect));
    let grown: BTreeSet<_> = openings.map(|key| (&key.group, key.aspect)).collect();
    for (group, aspect) in grown {
        drop_rare(sql, group, aspect).await?;
    }
    Ok(())
}

async fn add(
    sql: &impl Sql,
    TallyKey { group, aspect, value }: &TallyKey,
    tally: &Tally,
) -> SqlResult<()> {
    let add = "INSERT INTO tallies (rules, players, opponents, aspect, value, games, first,
                 second, third, draws)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
             ON CONFLICT (rules, players, opponents, aspect, value) DO UPDATE SET
                 games = tallies.games + excluded.games, first = tallies.first + excluded.first,
                 second = tallies.second + excluded.second, third = tallies.third + excluded.third,
                 draws = tallies.draws + excluded.draws";
    let TallyGroup { rules, players, .. } = group;
    let Tally { games, wins: [first, second, third], draws } = *tally;
    let (rules, who, aspect, value) = (&**rules, group.who(), aspect.name(), &**value);
    let params = params![rules, *players, who, aspect, value, games, first, second, third, draws];
    sql.execute(add, params).await.map(drop)
}

/// Takes a game that was counted out of its tallies, as far as they are kept.
pub(super) async fn subtract(sql: &impl Sql, game: &CountedGame) -> SqlResult<()> {
    let Tally { games, wins: [first, second, third], draws } = game.tally;
    // In one order, as when games are counted.
    for TallyKey { group, aspect, value } in game.keys.iter().collect::<BTreeSet<_>>() {
        let (rules, who, aspect, value) = (&*group.rules, group.who(), aspect.name(), &**value);
        let one = format!("{OF_GROUP} AND value = $5");
        let rare = format!("DELETE FROM tallies WHERE {one} AND games <= $6");
        let key = params![rules, group.players, who, aspect, value, games];
        sql.execute(&rare, key).await?;
        let update = format!(
            "UPDATE tallies SET games = games - $6, first = first - $7, second = second - $8,
                 third = third - $9, draws = draws - $10
             WHERE {one} AND first >= $7 AND second >= $8 AND third >= $9 AND draws >= $10"
        );
        let params =
            params![rules, group.players, who, aspect, value, games, first, second, third, draws];
        sql.execute(&update, params).await?;
    }
    Ok(())
}

const OF_GROUP: &str = "rules = $1 AND players = $2 AND opponents = $3 AND aspect = $4";

/// Drops the openings with the fewest games once there are twice as many as are kept.
async fn drop_rare(sql: &impl Sql, group: &TallyGroup, aspect: Aspect) -> SqlResult<()> {
    let (players, who, aspect) = (group.players, group.who(), aspect.name());
    let count = format!("SELECT COUNT(*) FROM tallies WHERE {OF_GROUP}");
    let of_group = params![group.rules.clone(), players, who, aspect];
    if sql.count(&count, of_group).await? <= 2 * OPENINGS_KEPT as usize {
        return Ok(());
    }
    // The first one to drop, and then all from it on: both follow an index, whatever the planner of
    // PostgreSQL knows of the table.
    let first = format!(
        "SELECT games, value FROM tallies WHERE {OF_GROUP}
         ORDER BY games DESC, value LIMIT 1 OFFSET $5"
    );
    let key = params![group.rules.clone(), players, who, aspect, OPENINGS_KEPT];
    let Some(mut first) = sql.first(&first, key).await? else { return Ok(()) };
    let (games, value): (u64, Box<str>) = (first.get(0)?, first.get(1)?);
    let delete = format!(
        "DELETE FROM tallies WHERE {OF_GROUP} AND (games < $5 OR games = $5 AND value >= $6)"
    );
    let rare = params![group.rules.clone(), players, who, aspect, games, value];
    sql.execute(&delete, rare).await?;
    Ok(())
}

async fn tallies(
    sql: &impl Sql,
    group: &TallyGroup,
    max: fn(Aspect) -> u32,
) -> SqlResult<Vec<TallyRow>> {
    let select = format!(
        "SELECT value, games, first, second, third, draws FROM tallies
         WHERE {OF_GROUP} ORDER BY games DESC, value LIMIT $5"
    );
    let mut found = Vec::new();
    for aspect in Aspect::ALL {
        let (rules, players, who) = (group.rules.clone(), group.players, group.who());
        let params = params![rules, players, who, aspect.name(), max(aspect)];
        for mut row in sql.query(&select, params).await? {
            let tally = read_tally(&mut row)?;
            found.push(TallyRow { aspect, value: row.get(0)?, tally });
        }
    }
    Ok(found)
}

fn read_tally(row: &mut Row) -> SqlResult<Tally> {
    let wins = [row.get(2)?, row.get(3)?, row.get(4)?];
    Ok(Tally { games: row.get(1)?, wins, draws: row.get(5)? })
}

operations! {
    /// Reads some finished games that no tally has yet, and returns what `count` makes of each,
    /// where the store reads.
    fn uncounted(max: u32, count: fn(UncountedGame) -> CountedGame) -> Vec<CountedGame> =
        read_unconfirmed(uncounted(*max, *count));
    /// Counts those of the games that have not been counted, and drops rare openings if there are
    /// too many.
    fn count_finished(games: Vec<CountedGame>) -> () = transact(count(games));
    /// Returns the tallies of a group. Of each aspect the `max` with the most games come first, and
    /// the others are left out.
    fn tallies(group: TallyGroup, max: fn(Aspect) -> u32) -> Vec<TallyRow> =
        read_unconfirmed(tallies(group, *max));
}
