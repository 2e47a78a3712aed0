//! Games that begin, each in one transaction with what it begins from.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering},
};

use adamant_protocol::{GameId, UserName};
use bytes::Bytes;

use super::{
    append_rows::join_records,
    challenges::take_challenge,
    failure::Failure,
    transaction::Transaction,
    values::{parse, to_sql},
};
use crate::store::{Begin, BeginError, Origin, OriginClaim};

/// A game that begins.
#[derive(Debug)]
pub(super) struct BeginningGame {
    begin: Begin,
    records: Bytes,
    /// Whether an earlier try may have been committed.
    tried: AtomicBool,
}

/// What a game that begins has in common with its rows.
struct GameColumns<'a> {
    game: &'a str,
    rules: &'a str,
    players: i16,
    started_at: i64,
}

impl BeginningGame {
    /// Returns a game that begins.
    pub(super) fn new(begin: Begin) -> Self {
        Self { records: join_records(&begin.records), begin, tried: AtomicBool::new(false) }
    }

    /// The game's id.
    pub(super) fn game(&self) -> &GameId {
        &self.begin.entry.game
    }

    /// The seq of its last record.
    pub(super) fn last_seq(&self) -> u64 {
        self.begin.records.len() as u64
    }

    /// Stores the game in an open transaction. A decision against it leaves no change.
    pub(super) async fn store(
        &self,
        transaction: &Transaction,
    ) -> Result<Result<(), BeginError>, Failure> {
        let tried = self.tried.swap(true, Ordering::Relaxed);
        let columns = self.columns();
        if !self.insert_game(transaction, &columns).await? {
            let is_ours = tried && self.is_stored(transaction).await?;
            return Ok(if is_ours { Ok(()) } else { Err(BeginError::IdTaken) });
        }
        if let Some(next) = self.earlier_rematch(transaction).await? {
            transaction.start_over().await?;
            return Ok(Err(BeginError::RematchExists(next)));
        }
        if let Some(claim) = &self.begin.origin
            && let Err(refusal) = take(transaction, claim, self.game()).await?
        {
            transaction.start_over().await?;
            return Ok(Err(refusal));
        }
        self.insert_users(transaction, &columns).await?;
        self.insert_records(transaction).await?;
        Ok(Ok(()))
    }

    fn columns(&self) -> GameColumns<'_> {
        let entry = &self.begin.entry;
        GameColumns {
            game: entry.game.as_str(),
            rules: entry.rules.name.as_ref(),
            players: i16::try_from(entry.seats.len()).unwrap_or(i16::MAX),
            started_at: to_sql(entry.started_at),
        }
    }

    /// Returns whether the id was free.
    async fn insert_game(
        &self,
        transaction: &Transaction,
        columns: &GameColumns<'_>,
    ) -> Result<bool, Failure> {
        let entry = &self.begin.entry;
        let text = serde_json::to_string(entry).expect("list entries are plain data");
        let insert =
            "INSERT INTO games (game, finished, rules, players, delay, unlisted, started_at,
                entry, wake_at)
            VALUES ($1, false, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (game) DO NOTHING";
        let inserted = transaction
            .execute(
                insert,
                &[
                    &columns.game,
                    &columns.rules,
                    &columns.players,
                    &i16::from(entry.delay),
                    &entry.unlisted,
                    &columns.started_at,
                    &text,
                    &self.begin.deadline.map(to_sql),
                ],
            )
            .await?;
        Ok(inserted > 0)
    }

    /// Whether the journal begins with the records of this very beginning.
    async fn is_stored(&self, transaction: &Transaction) -> Result<bool, Failure> {
        let select = "SELECT records = $2 FROM journal WHERE game = $1 AND seq = 1";
        let found =
            transaction.query_opt(select, &[&self.game().as_str(), &&self.records[..]]).await?;
        found.map_or(Ok(false), |row| Ok(row.try_get(0)?))
    }

    /// Notes that the game is a rematch, or returns the game that already is.
    async fn earlier_rematch(&self, transaction: &Transaction) -> Result<Option<GameId>, Failure> {
        let Some(before) = &self.begin.rematch_of else { return Ok(None) };
        let insert = "INSERT INTO rematches (game, next) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        let game = self.game().as_str();
        if transaction.execute(insert, &[&before.as_str(), &game]).await? > 0 {
            return Ok(None);
        }
        let select = "SELECT next FROM rematches WHERE game = $1";
        parse(&transaction.query_one(select, &[&before.as_str()]).await?, 0).map(Some)
    }

    async fn insert_users(
        &self,
        transaction: &Transaction,
        columns: &GameColumns<'_>,
    ) -> Result<(), Failure> {
        let seats = &self.begin.entry.seats;
        let users: BTreeSet<UserName> = seats.iter().map(|seat| seat.user.folded()).collect();
        let users: Vec<&str> = users.iter().map(UserName::as_str).collect();
        let GameColumns { game, rules, players, started_at } = columns;
        let insert =
            "INSERT INTO game_users (user_name, game, rules, players, unlisted, started_at)
            SELECT user_name, $2, $3, $4, $5, $6 FROM unnest($1::text[]) AS seat (user_name)";
        let unlisted = self.begin.entry.unlisted;
        transaction.execute(insert, &[&users, game, rules, players, &unlisted, started_at]).await?;
        Ok(())
    }

    async fn insert_records(&self, transaction: &Transaction) -> Result<(), Failure> {
        let Begin { entry, chain, deadline, records, .. } = &self.begin;
        let insert = "INSERT INTO journal
                (game, seq, events, chain, ply, to_move, last_at, deadline, records)
            VALUES ($1, 1, $2, $3, $4, $5, $6, $7, $8)";
        transaction
            .execute(
                insert,
                &[
                    &entry.game.as_str(),
                    &i16::try_from(records.len()).unwrap_or(i16::MAX),
                    &&chain.0[..],
                    &i32::try_from(entry.ply).unwrap_or(i32::MAX),
                    &entry.to_move.map(i16::from),
                    &to_sql(entry.last_at),
                    &deadline.map(to_sql),
                    &&self.records[..],
                ],
            )
            .await?;
        Ok(())
    }
}

/// Takes the origin of a game, if it is open and as the game's players have found it.
async fn take(
    transaction: &Transaction,
    OriginClaim { origin, version }: &OriginClaim,
    game: &GameId,
) -> Result<Result<(), BeginError>, Failure> {
    let version = version.map(to_sql);
    let (taken, is_open) = match origin {
        Origin::Challenge(id) => (take_challenge(transaction, id).await?, None),
        Origin::Invite(id) => {
            let update =
                "UPDATE invites SET game = $2 WHERE id = $1 AND game IS NULL AND version = $3";
            let taken =
                transaction.execute(update, &[&id.as_str(), &game.as_str(), &version]).await?;
            let is_open = "SELECT 1 FROM invites WHERE id = $1 AND game IS NULL";
            (taken > 0, Some((is_open, id.as_str())))
        }
        Origin::Seek(id) => {
            let delete = "DELETE FROM seeks WHERE id = $1 AND version = $2";
            let taken = transaction.execute(delete, &[&id.as_str(), &version]).await?;
            (taken > 0, Some(("SELECT 1 FROM seeks WHERE id = $1", id.as_str())))
        }
    };
    if taken {
        return Ok(Ok(()));
    }
    Ok(Err(match is_open {
        Some((select, id)) if transaction.query_opt(select, &[&id]).await?.is_some() => {
            BeginError::OriginChanged(origin.clone())
        }
        _ => BeginError::OriginGone(origin.clone()),
    }))
}
