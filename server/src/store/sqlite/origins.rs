//! Takes what a game begins from: it serves one game.

use adamant_protocol::{ChallengeId, GameId, InviteId, SeekId};
use rusqlite::Connection;

use super::open_tables;
use crate::store::{BeginError, Origin, OriginClaim};

/// Takes the origin of a game, if it is open and as the game's players have found it.
pub(super) fn take(
    connection: &Connection,
    OriginClaim { origin, version }: &OriginClaim,
    game: &GameId,
) -> rusqlite::Result<Result<(), BeginError>> {
    let found = open_tables::version(connection, origin)?;
    if found.is_some() && found != *version {
        return Ok(Err(BeginError::OriginChanged(origin.clone())));
    }
    let was_open = match origin {
        Origin::Challenge(id) => take_challenge(connection, id),
        Origin::Invite(id) => take_invite(connection, id, game),
        Origin::Seek(id) => take_seek(connection, id),
    };
    Ok(if was_open? { Ok(()) } else { Err(BeginError::OriginGone(origin.clone())) })
}

/// Deletes a challenge that becomes a game; returns whether it was open.
pub(super) fn take_challenge(
    connection: &Connection,
    challenge: &ChallengeId,
) -> rusqlite::Result<bool> {
    let deleted = connection
        .prepare_cached("DELETE FROM challenges WHERE id = ?1")?
        .execute([challenge.as_str()])?;
    Ok(deleted > 0)
}

/// Notes the game of an invite; returns whether the invite was open.
fn take_invite(
    connection: &Connection,
    invite: &InviteId,
    game: &GameId,
) -> rusqlite::Result<bool> {
    let changed = connection
        .prepare_cached("UPDATE invites SET game = ?2 WHERE id = ?1 AND game IS NULL")?
        .execute([invite.as_str(), game.as_str()])?;
    Ok(changed > 0)
}

/// Deletes a seek; returns whether it was open.
pub(super) fn take_seek(connection: &Connection, seek: &SeekId) -> rusqlite::Result<bool> {
    // Only a lasting one has a row here.
    connection.prepare_cached("DELETE FROM seeks WHERE id = ?1")?.execute([seek.as_str()])?;
    open_tables::remove_seek(connection, seek)
}
