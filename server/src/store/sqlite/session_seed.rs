//! What a session reads when its user logs in.

use adamant_protocol::UserName;
use rusqlite::Connection;

use super::{standings::ratings_of, talk::mutes};
use crate::store::SessionSeed;

/// Reads what a session of a user starts with.
pub(super) fn session_seed(
    connection: &Connection,
    user: &UserName,
) -> rusqlite::Result<SessionSeed> {
    Ok(SessionSeed { muted: mutes(connection, user)?, ratings: ratings_of(connection, user)? })
}
