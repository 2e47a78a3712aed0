//! Statements on challenges and rematches.

use adamant_protocol::{ChallengeId, GameId, UserName};
use futures::{FutureExt as _, future::BoxFuture};
use tokio_postgres::Row;

use super::{
    columns::{SqlResult, read_u64},
    offer_locks::lock_offers,
    postgres::Postgres,
    transaction::Transaction,
    tries::Tries,
    values::{parse, parse_optional, to_sql},
};
use crate::store::{
    AcceptChallengeOutcome, AddChallengeOutcome, Challenges, NewChallenge, StoreError,
    StoredChallenge, WaitingChallenges, has_name,
};

const SELECT: &str = "SELECT id, bots, challenged, created_at, network FROM challenges";

/// Reads the columns of [`SELECT`]; `None` if they are unreadable.
fn read_challenge(row: &Row) -> SqlResult<Option<StoredChallenge>> {
    let texts = (row.try_get(1)?, row.try_get(2)?);
    let (created_at, from) = (read_u64(row, 3)?, parse_optional(row, 4)?);
    Ok(StoredChallenge::read(row.try_get(0)?, texts, created_at, from))
}

/// Returns the rematch of a game.
pub(super) async fn rematch_of(tx: &Transaction, game: &GameId) -> SqlResult<Option<GameId>> {
    let select = "SELECT next FROM rematches WHERE game = $1";
    let found = tx.query_opt(select, &[&game.as_str()]).await?;
    found.map(|row| parse(&row, 0)).transpose()
}

/// Returns the counts that decide about a new challenge: those made by its maker, and those that
/// wait for each user who has to answer.
async fn counts(
    tx: &Transaction,
    new: &NewChallenge,
) -> SqlResult<(usize, Vec<WaitingChallenges>)> {
    let maker = new.stored.challenged.by.folded();
    let number = |row: &Row, column: usize| {
        let count: i64 = row.try_get(column)?;
        SqlResult::Ok(usize::try_from(count).unwrap_or(usize::MAX))
    };
    let made = "SELECT COUNT(*) FROM challenges WHERE maker = $1";
    let made = number(&tx.query_one(made, &[&maker.as_str()]).await?, 0)?;
    let network = new.stored.from.map(|network| network.to_string());
    // An unknown network equals none.
    let count = "SELECT COUNT(*), COUNT(*) FILTER (WHERE guest),
             COUNT(*) FILTER (WHERE maker = $2), COUNT(*) FILTER (WHERE network = $3)
         FROM waiting_challenges JOIN challenges ON id = challenge WHERE user_name = $1";
    let mut waiting = Vec::new();
    for user in new.waiting_users() {
        let row =
            tx.query_one(count, &[&user.folded().as_str(), &maker.as_str(), &network]).await?;
        waiting.push(WaitingChallenges {
            all: number(&row, 0)?,
            of_guests: number(&row, 1)?,
            of_pair: number(&row, 2)?,
            of_network: number(&row, 3)?,
        });
    }
    Ok((made, waiting))
}

async fn add(
    tx: &Transaction,
    new: &NewChallenge,
    tries: &Tries<()>,
) -> SqlResult<AddChallengeOutcome> {
    let stored = &new.stored;
    let challenged = &stored.challenged;
    lock_offers(tx, challenged.seats.iter().chain([&challenged.by]), None).await?;
    let present = "SELECT 1 FROM challenges WHERE id = $1";
    if tries.has(&()) && tx.query_opt(present, &[&stored.id.as_str()]).await?.is_some() {
        return Ok(AddChallengeOutcome::Added);
    }
    if let Some(before) = &challenged.rematch_of {
        // A game that begins from it ends the wait, and then it has begun.
        let open = "SELECT id FROM challenges WHERE rematch_of = $1 FOR UPDATE";
        let open = tx.query_opt(open, &[&before.as_str()]).await?;
        if let Some(game) = rematch_of(tx, before).await? {
            return Ok(AddChallengeOutcome::RematchBegun(game));
        }
        if let Some(row) = open {
            return Ok(AddChallengeOutcome::RematchOpen(parse(&row, 0)?));
        }
    }
    let (made, waiting) = counts(tx, new).await?;
    if let Err(reached) = new.check(made, &waiting) {
        return Ok(AddChallengeOutcome::LimitReached(reached));
    }
    let (bots, terms) = stored.texts();
    tx.execute(
        "INSERT INTO challenges
             (id, bots, challenged, created_at, maker, guest, network, rematch_of)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        &[
            &stored.id.as_str(),
            &bots,
            &terms,
            &to_sql(stored.created_at),
            &challenged.by.folded().as_str(),
            &challenged.guest,
            &stored.from.map(|network| network.to_string()),
            &challenged.rematch_of.as_ref().map(GameId::as_str),
        ],
    )
    .await?;
    tries.note(());
    let is_waiting = |user: &&UserName| !has_name(&challenged.accepted, user);
    let waiting: Vec<UserName> =
        challenged.seats.iter().filter(is_waiting).map(UserName::folded).collect();
    let waiting: Vec<&str> = waiting.iter().map(UserName::as_str).collect();
    let insert = "INSERT INTO waiting_challenges (user_name, challenge)
         SELECT user_name, $2 FROM unnest($1::text[]) AS user_name ON CONFLICT DO NOTHING";
    tx.execute(insert, &[&waiting, &stored.id.as_str()]).await?;
    Ok(AddChallengeOutcome::Added)
}

/// The acceptance of a challenge.
#[derive(Debug)]
struct Acceptance {
    id: ChallengeId,
    user: UserName,
    bot: bool,
    tries: Tries<()>,
}

async fn accept(tx: &Transaction, acceptance: &Acceptance) -> SqlResult<AcceptChallengeOutcome> {
    let Acceptance { id, user, bot, tries } = acceptance;
    let select = format!("{SELECT} WHERE id = $1 FOR UPDATE");
    let found = tx.query_opt(&select, &[&id.as_str()]).await?;
    let Some(open) = found.map(|row| read_challenge(&row)).transpose()?.flatten() else {
        return Ok(AcceptChallengeOutcome::Gone);
    };
    let outcome = open.clone().accept(user, *bot);
    if let AcceptChallengeOutcome::Waiting(waiting) = &outcome {
        let (bots, terms) = waiting.texts();
        let update = "UPDATE challenges SET bots = $2, challenged = $3 WHERE id = $1";
        tx.execute(update, &[&id.as_str(), &bots, &terms]).await?;
        let answered = "DELETE FROM waiting_challenges WHERE user_name = $1 AND challenge = $2";
        tx.execute(answered, &[&user.folded().as_str(), &id.as_str()]).await?;
        tries.note(());
    }
    let is_ours = outcome == AcceptChallengeOutcome::AlreadyAccepted && tries.has(&());
    Ok(if is_ours { AcceptChallengeOutcome::Waiting(Box::new(open)) } else { outcome })
}

/// Deletes a challenge; returns whether it was open.
pub(super) async fn take_challenge(tx: &Transaction, id: &ChallengeId) -> SqlResult<bool> {
    Ok(tx.execute("DELETE FROM challenges WHERE id = $1", &[&id.as_str()]).await? > 0)
}

async fn find(tx: &Transaction, id: &ChallengeId) -> SqlResult<Option<StoredChallenge>> {
    let select = format!("{SELECT} WHERE id = $1");
    let found = tx.query_opt(&select, &[&id.as_str()]).await?;
    Ok(found.map(|row| read_challenge(&row)).transpose()?.flatten())
}

async fn all(tx: &Transaction) -> SqlResult<Vec<StoredChallenge>> {
    let rows = tx.query(&format!("{SELECT} ORDER BY id"), &[]).await?;
    rows.iter().filter_map(|row| read_challenge(row).transpose()).collect()
}

impl Challenges for Postgres {
    fn add_challenge(
        &self,
        new: NewChallenge,
    ) -> BoxFuture<'_, Result<AddChallengeOutcome, StoreError>> {
        self.pool()
            .transact((new, Tries::default()), |tx, (new, tries)| add(tx, new, tries).boxed())
            .boxed()
    }

    fn accept_challenge(
        &self,
        id: ChallengeId,
        user: UserName,
        bot: bool,
    ) -> BoxFuture<'_, Result<AcceptChallengeOutcome, StoreError>> {
        let acceptance = Acceptance { id, user, bot, tries: Tries::default() };
        self.pool().transact(acceptance, |tx, acceptance| accept(tx, acceptance).boxed()).boxed()
    }

    fn delete_challenge(&self, id: ChallengeId) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.pool()
            .transact((id, Tries::default()), |tx, (id, tries)| {
                async move {
                    let is_deleted = take_challenge(tx, id).await?;
                    Ok(!tries.deleted(is_deleted.then_some(())).is_empty())
                }
                .boxed()
            })
            .boxed()
    }

    fn find_challenge(
        &self,
        id: ChallengeId,
    ) -> BoxFuture<'_, Result<Option<StoredChallenge>, StoreError>> {
        self.pool().read_confirmed(id, |tx, id| find(tx, id).boxed()).boxed()
    }

    fn challenges(&self) -> BoxFuture<'_, Result<Vec<StoredChallenge>, StoreError>> {
        self.pool().read_confirmed((), |tx, ()| all(tx).boxed()).boxed()
    }

    fn rematch_of(&self, game: GameId) -> BoxFuture<'_, Result<Option<GameId>, StoreError>> {
        self.pool().read_confirmed(game, |tx, game| rematch_of(tx, game).boxed()).boxed()
    }
}
