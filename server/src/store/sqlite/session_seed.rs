//! What a session reads when its user logs in.

use adamant_protocol::UserName;
use rusqlite::Connection;

use super::{database::Sqlite, standings::ratings_of, talk::mutes};
use crate::store::{SessionSeed, StoreError};

/// Reads what a session of a user starts with.
pub(super) fn session_seed(
    connection: &Connection,
    user: &UserName,
) -> rusqlite::Result<SessionSeed> {
    Ok(SessionSeed { muted: mutes(connection, user)?, ratings: ratings_of(connection, user)? })
}

impl Sqlite {
    /// Reads what a session of a user starts with.
    pub(crate) async fn session_seed(&self, user: UserName) -> Result<SessionSeed, StoreError> {
        self.read_with(move |connection| session_seed(connection, &user)).await
    }
}
