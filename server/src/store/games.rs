//! Games: how they begin and end in the store, their records, and the filters and keys of lists.

use std::collections::BTreeSet;

use adamant_protocol::{
    GameId, UserName,
    from_client::GameState,
    ids::StandingsCursor,
    to_client::{GameEntry, ResultReason, SubstitutedUser},
    values::{RatingChange, SeatUser, TimeControl},
};
use adamant_record::{
    Head,
    wire::{self, seat_number},
};
use adamant_rules::{Kind, Table};
use bytes::Bytes;

use super::{
    ArchivedGame, ArchivedState, Begin, BeginError, OfferClaim, OfferId,
    sql::{Row, Sql, SqlError, SqlResult, params},
};
use crate::ratings::{Pool, Rating};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GameFilter {
    pub user: Option<UserName>,
    /// Only games of this kind, with any version of the rules.
    pub rules: Option<Box<str>>,
    pub players: Option<u8>,
    /// Unlisted games, too: the user asks for the own ones.
    pub unlisted: bool,
}

impl GameFilter {
    /// Returns the kinds of the list with their numbers of players; `None` for all.
    pub(crate) fn kinds(&self) -> Option<Vec<(&'static str, usize)>> {
        if self.rules.is_none() && self.players.is_none() {
            return None;
        }
        let kinds =
            Kind::ALL.iter().flat_map(|kind| kind.players().map(|size| (kind.name(), size)));
        Some(kinds.filter(|(rules, players)| self.matches_kind(rules, *players)).collect())
    }

    pub(crate) fn matches_kind(&self, rules: &str, seats: usize) -> bool {
        let of_rules = self.rules.as_ref().is_none_or(|wanted| **wanted == *rules);
        let of_size = self.players.is_none_or(|players| usize::from(players) == seats);
        of_rules && of_size
    }
}

/// The position of a game in a list, newest first. It never changes, so that pages neither overlap
/// nor leave out a game when others start or end.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ListKey {
    /// The start or the end of the game, in epoch milliseconds.
    pub at: u64,
    pub game: GameId,
}

impl ListKey {
    pub(crate) fn by_start(entry: &GameEntry) -> Self {
        Self { at: entry.started_at, game: entry.game.clone() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Score {
    pub games: u32,
    /// Games in which the user alone was first.
    pub wins: u32,
    /// Games in which the user shared the first place.
    pub draws: u32,
    /// Games in which another user was before the user.
    pub losses: u32,
}

impl Score {
    pub(crate) const NONE: Self = Self { games: 0, wins: 0, draws: 0, losses: 0 };

    /// A game in which the user reached `place` among `places`.
    fn of(place: u8, places: &[u8]) -> Self {
        let first = place == 1;
        let shared = places.iter().filter(|&&other| other == 1).nth(1).is_some();
        let (wins, draws, losses) = (first && !shared, first && shared, !first);
        Self { games: 1, wins: wins.into(), draws: draws.into(), losses: losses.into() }
    }

    /// Adds a game in which the user reached `place` among `places`.
    pub(crate) fn with(self, place: u8, places: &[u8]) -> Self {
        let game = Self::of(place, places);
        Self {
            games: self.games + game.games,
            wins: self.wins + game.wins,
            draws: self.draws + game.draws,
            losses: self.losses + game.losses,
        }
    }

    /// Takes such a game back.
    pub(crate) fn without(self, place: u8, places: &[u8]) -> Self {
        let game = Self::of(place, places);
        Self {
            games: self.games.saturating_sub(game.games),
            wins: self.wins.saturating_sub(game.wins),
            draws: self.draws.saturating_sub(game.draws),
            losses: self.losses.saturating_sub(game.losses),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StandingsFilter {
    pub pool: Pool,
    /// Only bots, or only people.
    pub bot: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StandingRow {
    /// The place from 1 among the users of the list. Equal ratings share a place.
    pub place: u32,
    /// The name in the user's spelling.
    pub user: UserName,
    pub bot: bool,
    pub rating: Rating,
    pub score: Score,
    /// The position in the list, from which the next page continues.
    pub key: StandingsKey,
}

/// Numbers the rows of a page. The first one has this place, and `before` users are before it.
pub(super) fn number_places(rows: &mut [StandingRow], mut place: u32, mut before: u32) {
    let mut rank = rows.first().map(|row| row.key.rank);
    for row in rows {
        if Some(row.key.rank) != rank {
            place = before + 1;
            rank = Some(row.key.rank);
        }
        row.place = place;
        before += 1;
    }
}

/// The position of a user in a pool's standings. A user whose rating does not change is on exactly
/// one of consecutive pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StandingsKey {
    /// The rank key: the strongest first.
    pub rank: i64,
    /// The folded name, which orders users with equal ratings.
    pub user: UserName,
}

impl StandingsKey {
    pub(crate) fn cursor(&self) -> StandingsCursor {
        let text = format!("{}.{}", self.rank, self.user);
        text.parse().expect("digits, a full stop and a name make a cursor")
    }

    pub(crate) fn read(cursor: &StandingsCursor) -> Option<Self> {
        let (rank, user) = cursor.as_str().split_once('.')?;
        Some(Self { rank: rank.parse().ok()?, user: user.parse().ok()? })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LiveState {
    /// Whether the game has ended. It is live until it is archived.
    pub ended: bool,
    pub delay: u8,
}

/// A page of a list, and whether there are more games.
pub(crate) type GamesPage = (Vec<GameEntry>, bool);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DueGames {
    /// Those whose room is to be opened: they are over and not archived, or a clock has run out.
    pub due: Vec<GameId>,
    pub looked_at: usize,
}

/// Stores a game that begins, with all but its records. The store decides: an id, an offer and a
/// rematch serve one game. A decision against it leaves no change.
pub(super) async fn begin(sql: &impl Sql, begin: &Begin) -> SqlResult<Result<(), BeginError>> {
    let outcome = try_begin(sql, begin).await?;
    if outcome.is_err() {
        sql.undo().await?;
    }
    Ok(outcome)
}

async fn try_begin(sql: &impl Sql, begin: &Begin) -> SqlResult<Result<(), BeginError>> {
    let entry = &begin.entry;
    let (game, rules, players) = (entry.game.as_str(), &*entry.rules.name, entry.seats.len());
    let insert = "INSERT INTO games
             (game, finished, rules, players, delay, unlisted, started_at, entry, wake_at)
         VALUES ($1, false, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (game) DO NOTHING";
    let (delay, unlisted, started_at) = (entry.delay, entry.unlisted, entry.started_at);
    let text = entry_text(entry);
    let params = params![game, rules, players, delay, unlisted, started_at, text, begin.deadline];
    if sql.execute(insert, params).await? == 0 {
        return Ok(Err(BeginError::IdTaken));
    }
    if let Some(before) = &begin.rematch_of {
        let insert = "INSERT INTO rematches (game, next) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        if sql.execute(insert, params![before.as_str(), game]).await? == 0 {
            let select = "SELECT next FROM rematches WHERE game = $1";
            let found = sql.first(select, params![before.as_str()]).await?;
            let missing = || SqlError::Unreadable("a rematch that has gone".to_owned());
            return Ok(Err(BeginError::RematchExists(found.ok_or_else(missing)?.parse(0)?)));
        }
    }
    if let Some(claim) = &begin.offer
        && let Err(refusal) = take_offer(sql, claim, &entry.game).await?
    {
        return Ok(Err(refusal));
    }
    for user in users_of(entry) {
        let insert =
            "INSERT INTO game_users (user_name, game, rules, players, unlisted, started_at)
             VALUES ($1, $2, $3, $4, $5, $6)";
        let params = params![user.as_str(), game, rules, players, unlisted, started_at];
        sql.execute(insert, params).await?;
    }
    Ok(Ok(()))
}

/// Takes the offer of a game that begins, if it is open and as the game's players have found it.
async fn take_offer(
    sql: &impl Sql,
    claim: &OfferClaim,
    game: &GameId,
) -> SqlResult<Result<(), BeginError>> {
    let OfferClaim { offer, version } = claim;
    let taken = if matches!(offer, OfferId::Invite(_)) {
        let update = "UPDATE offers SET game = $2, network = NULL
             WHERE id = $1 AND version = $3 AND game IS NULL";
        sql.execute(update, params![offer.as_str(), game.as_str(), *version]).await?
    } else {
        let delete = "DELETE FROM offers WHERE id = $1 AND version = $2";
        sql.execute(delete, params![offer.as_str(), *version]).await?
    };
    if taken > 0 {
        // An invite that is a game does not count any more.
        sql.execute("DELETE FROM offer_users WHERE offer = $1", params![offer.as_str()]).await?;
        return Ok(Ok(()));
    }
    let is_open = "SELECT 1 FROM offers WHERE id = $1 AND game IS NULL";
    let is_open = sql.exists(is_open, params![offer.as_str()]).await?;
    let refusal = if is_open { BeginError::OfferChanged } else { BeginError::OfferGone };
    Ok(Err(refusal(offer.clone())))
}

/// Notes that a game is finished, or waits without a room. A finished game stays as it is. Returns
/// whether it has just finished.
pub(super) async fn archive(sql: &impl Sql, archived: &ArchivedGame) -> SqlResult<bool> {
    let ArchivedGame { game, seq, state, entry, deadline } = archived;
    let is_finished = *state == ArchivedState::Finished;
    let (ended_at, wake_at) =
        if is_finished { (Some(entry.last_at), None) } else { (None, *deadline) };
    let update = "UPDATE games SET finished = $2, ended_at = $3, entry = $4, archived_seq = $5,
             wake_at = $6
         WHERE game = $1 AND NOT finished";
    let params = params![game.as_str(), is_finished, ended_at, entry_text(entry), *seq, wake_at];
    if sql.execute(update, params).await? > 0 && is_finished {
        let update = "UPDATE game_users SET ended_at = $3 WHERE user_name = $1 AND game = $2";
        for user in users_of(entry) {
            sql.execute(update, params![user.as_str(), game.as_str(), ended_at]).await?;
        }
        return Ok(true);
    }
    Ok(false)
}

/// Returns the folded names of the users of a game, in order: those who left their seats to a
/// computer, too.
pub(super) fn users_of(entry: &GameEntry) -> BTreeSet<UserName> {
    let left = entry.substituted.iter().map(|left| left.user.folded());
    entry.seats.iter().map(|seat| seat.user.folded()).chain(left).collect()
}

/// Returns the entry of a game after its seats have changed: players have swapped them, or a
/// computer has taken one.
pub(super) fn reseated(entry: GameEntry, seats: &[SeatUser]) -> GameEntry {
    let is_in = |left: &SeatUser| seats.iter().any(|seat| seat.user == left.user);
    let left = (0..).zip(&entry.seats).find(|(_, left)| !is_in(left));
    let left = left.map(|(seat, left)| SubstitutedUser { seat, user: left.user.clone() });
    let substituted = left.or_else(|| entry.substituted.clone());
    GameEntry { seats: seats.to_vec(), substituted, ..entry }
}

/// Lists a game for the users of seats that have changed: one may be new to it.
pub(super) async fn list_for(sql: &impl Sql, game: &GameId, seats: &[SeatUser]) -> SqlResult<()> {
    let insert = "INSERT INTO game_users (user_name, game, rules, players, unlisted, started_at)
         SELECT $1, game, rules, players, unlisted, started_at FROM games WHERE game = $2
         ON CONFLICT DO NOTHING";
    for seat in seats {
        sql.execute(insert, params![seat.user.folded().as_str(), game.as_str()]).await?;
    }
    Ok(())
}

/// Returns the list entry of a game.
pub(crate) fn entry_of(
    table: &Table,
    head: &Head,
    started_at: u64,
    ratings: Option<&RatingChange>,
) -> GameEntry {
    let setup = table.setup();
    let over = table.outcome().is_some();
    GameEntry {
        game: head.game.clone(),
        rules: wire::rules(setup.kind),
        options: wire::options(&setup.options),
        seats: wire::seats(table.players(), table.position()),
        clock: wire::Mirror::to_wire(setup.clock),
        rated: setup.rated,
        delay: setup.delay,
        unlisted: setup.unlisted,
        state: if over { GameState::Finished } else { GameState::Live },
        ply: table.ply(),
        to_move: table.to_move().map(seat_number),
        started_at,
        last_at: table.last_at(),
        result: table.outcome().map(wire::result),
        ratings: ratings.cloned(),
        annulled: false,
        substituted: table.substituted().and_then(|(seat, left)| {
            Some(SubstitutedUser { seat: seat_number(seat), user: left.user.parse().ok()? })
        }),
    }
}

pub(super) fn entry_text(entry: &GameEntry) -> String {
    serde_json::to_string(entry).expect("list entries are plain data")
}

/// Returns the last seq of a game in the rows of the journal; 0 if there is none.
pub(super) async fn last_seq(sql: &impl Sql, game: &GameId) -> SqlResult<u64> {
    let select = "SELECT seq + events - 1 FROM journal WHERE game = $1 ORDER BY seq DESC LIMIT 1";
    sql.first(select, params![game.as_str()]).await?.map_or(Ok(0), |mut row| row.get(0))
}

/// Returns the list entry of a game, with the moves and times of its last row of the journal if it
/// is live; `None` if there is no such game.
pub(super) async fn entry(sql: &impl Sql, game: &GameId) -> SqlResult<Option<GameEntry>> {
    let select = "SELECT games.entry, last.ply, last.to_move, last.last_at
         FROM games LEFT JOIN journal AS last ON NOT games.finished AND last.game = games.game
             AND last.seq = (SELECT MAX(seq) FROM journal WHERE journal.game = games.game)
         WHERE games.game = $1";
    let found = sql.first(select, params![game.as_str()]).await?;
    found.map_or(Ok(None), |mut row| read_entry(&mut row))
}

/// Reads an entry and the columns of the last row of the journal that change it. An unreadable
/// entry is none.
pub(super) fn read_entry(row: &mut Row) -> SqlResult<Option<GameEntry>> {
    let text: Box<str> = row.get(0)?;
    let Some(mut entry) = parse_entry(&text) else { return Ok(None) };
    if let Some(ply) = row.get(1)? {
        entry.ply = ply;
        entry.to_move = row.get(2)?;
        entry.last_at = row.get(3)?;
    }
    Ok(Some(entry))
}

/// Returns an entry in which all words are known: another server has written the others.
pub(super) fn known(entry: GameEntry) -> Result<GameEntry, String> {
    let reason = entry.result.as_ref().map(|result| result.reason);
    let is_known = !matches!(entry.clock, TimeControl::Unknown(_))
        && !matches!(entry.state, GameState::Unknown(_))
        && !matches!(reason, Some(ResultReason::Unknown(_)));
    if is_known { Ok(entry) } else { Err("an unknown word".to_owned()) }
}

/// Reads a list entry; `None` if it is unreadable.
pub(super) fn parse_entry(entry: &str) -> Option<GameEntry> {
    let entry: serde_json::Result<GameEntry> = serde_json::from_str(entry);
    entry
        .map_err(|error| error.to_string())
        .and_then(known)
        // operator: the database is damaged; the server skips the game in lists. Run
        // `adamant-server check`
        .inspect_err(|error| tracing::error!(%error, "a stored game entry is unreadable"))
        .ok()
}

/// Returns at most `max` records of a game, from a seq on, in the rows of the journal.
pub(super) async fn records(
    sql: &impl Sql,
    game: &GameId,
    from: u64,
    max: usize,
) -> SqlResult<Vec<Bytes>> {
    let select = "SELECT seq, records FROM journal WHERE game = $1 AND seq < $3
           AND seq >= COALESCE(
             (SELECT MAX(seq) FROM journal WHERE game = $1 AND seq <= $2), 0)
         ORDER BY seq";
    let until = from.saturating_add(max as u64);
    let mut records = Vec::new();
    for mut row in sql.query(select, params![game.as_str(), from, until]).await? {
        let (seq, block): (u64, Vec<u8>) = (row.get(0)?, row.get(1)?);
        let skip = usize::try_from(from.saturating_sub(seq)).unwrap_or(usize::MAX);
        let block = Bytes::from(block);
        let room = max - records.len();
        records.extend(split_lines(&block).skip(skip).take(room));
    }
    Ok(records)
}

/// Splits a row of the journal into its records. Copies nothing.
pub(super) fn split_lines(block: &Bytes) -> impl Iterator<Item = Bytes> {
    block.split(|&byte| byte == b'\n').map(|line| block.slice_ref(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_counts_wins_draws_and_losses() {
        let score = [(1, [1, 2, 3]), (1, [1, 1, 3]), (2, [1, 2, 3]), (3, [1, 1, 3])]
            .into_iter()
            .fold(Score::NONE, |score, (place, places)| score.with(place, &places));
        assert_eq!(score, Score { games: 4, wins: 1, draws: 1, losses: 2 });
        let back = [(1, [1, 2, 3]), (1, [1, 1, 3]), (2, [1, 2, 3]), (3, [1, 1, 3])]
            .into_iter()
            .fold(score, |score, (place, places)| score.without(place, &places));
        assert_eq!(back, Score::NONE);
    }

    #[test]
    fn cursors_are_decoded_and_malformed_ones_are_rejected() {
        let key = StandingsKey { rank: 4_293_467_296, user: "ann_b-2".parse().unwrap() };
        assert_eq!(StandingsKey::read(&key.cursor()), Some(key));
        for bad in ["ann", "7", "x.ann", "7.-", "7."] {
            assert_eq!(StandingsKey::read(&bad.parse().unwrap()), None, "{bad}");
        }
    }
}
