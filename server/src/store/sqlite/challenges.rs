//! Statements on challenges and rematches.

use adamant_protocol::{ChallengeId, GameId, UserName};
use futures::{FutureExt as _, future::BoxFuture};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{
    database::Sqlite,
    games, open_tables,
    origins::take_challenge,
    rows::{from_sql, to_sql},
};
use crate::store::{
    AcceptChallengeOutcome, AddChallengeOutcome, Challenges, NewChallenge, StoreError,
    StoredChallenge,
};

/// Reads the columns `id`, `bots`, `challenged` and `created_at`; `None` if they are unreadable.
fn challenge(row: &Row<'_>) -> rusqlite::Result<Option<StoredChallenge>> {
    let (id, bots, terms): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    Ok(StoredChallenge::read(&id, (&bots, &terms), from_sql(row.get(3)?), None))
}

/// Reads all open challenges.
pub(super) fn all(connection: &Connection) -> rusqlite::Result<Vec<StoredChallenge>> {
    let mut select =
        connection.prepare("SELECT id, bots, challenged, created_at FROM challenges")?;
    let found: Vec<_> = select.query_map([], challenge)?.collect::<Result<_, _>>()?;
    Ok(found.into_iter().flatten().collect())
}

fn find(connection: &Connection, id: &ChallengeId) -> rusqlite::Result<Option<StoredChallenge>> {
    let found = connection
        .prepare_cached("SELECT id, bots, challenged, created_at FROM challenges WHERE id = ?1")?
        .query_row([id.as_str()], challenge)
        .optional()?;
    Ok(found.flatten())
}

fn add(connection: &Connection, new: &NewChallenge) -> rusqlite::Result<AddChallengeOutcome> {
    let stored = &new.stored;
    if let Some(before) = &stored.challenged.rematch_of {
        if let Some(game) = games::rematch_of(connection, before)? {
            return Ok(AddChallengeOutcome::RematchBegun(game));
        }
        let open = open_tables::open_rematch(connection, before.as_str())?;
        if let Some(open) = open.and_then(|id| id.parse().ok()) {
            return Ok(AddChallengeOutcome::RematchOpen(open));
        }
    }
    let (made, waiting) = open_tables::challenge_counts(connection, new)?;
    if let Err(reached) = new.check(made, &waiting) {
        return Ok(AddChallengeOutcome::LimitReached(reached));
    }
    let (bots, challenged) = stored.texts();
    connection
        .prepare_cached(
            "INSERT INTO challenges (id, bots, challenged, created_at) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![stored.id.as_str(), bots, challenged, to_sql(stored.created_at)])?;
    open_tables::insert_challenge(connection, stored)?;
    Ok(AddChallengeOutcome::Added)
}

fn accept(
    connection: &Connection,
    id: &ChallengeId,
    user: &UserName,
    bot: bool,
) -> rusqlite::Result<AcceptChallengeOutcome> {
    let Some(open) = find(connection, id)? else { return Ok(AcceptChallengeOutcome::Gone) };
    let outcome = open.accept(user, bot);
    if let AcceptChallengeOutcome::Waiting(waiting) = &outcome {
        let (bots, challenged) = waiting.texts();
        connection
            .prepare_cached("UPDATE challenges SET bots = ?2, challenged = ?3 WHERE id = ?1")?
            .execute([id.as_str(), &bots, &challenged])?;
        open_tables::answer_challenge(connection, waiting, user)?;
    }
    Ok(outcome)
}

impl Challenges for Sqlite {
    fn add_challenge(
        &self,
        new: NewChallenge,
    ) -> BoxFuture<'_, Result<AddChallengeOutcome, StoreError>> {
        self.writer.write(move |connection| add(connection, &new)).boxed()
    }

    fn accept_challenge(
        &self,
        id: ChallengeId,
        user: UserName,
        bot: bool,
    ) -> BoxFuture<'_, Result<AcceptChallengeOutcome, StoreError>> {
        self.writer.write(move |connection| accept(connection, &id, &user, bot)).boxed()
    }

    fn delete_challenge(&self, id: ChallengeId) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.writer.write(move |connection| take_challenge(connection, &id)).boxed()
    }

    fn find_challenge(
        &self,
        id: ChallengeId,
    ) -> BoxFuture<'_, Result<Option<StoredChallenge>, StoreError>> {
        self.read_with(move |connection| find(connection, &id)).boxed()
    }

    fn challenges(&self) -> BoxFuture<'_, Result<Vec<StoredChallenge>, StoreError>> {
        self.read_with(all).boxed()
    }

    fn rematch_of(&self, game: GameId) -> BoxFuture<'_, Result<Option<GameId>, StoreError>> {
        self.read_with(move |connection| games::rematch_of(connection, &game)).boxed()
    }
}
