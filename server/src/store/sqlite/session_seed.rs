//! What a session reads when its user logs in.

use adamant_protocol::{UserName, values::UserSettings};
use rusqlite::{Connection, OptionalExtension as _};

use super::{relations::hidden, standings::ratings_of};
use crate::store::SessionSeed;

/// Reads what a session of a user starts with.
pub(super) fn session_seed(
    connection: &Connection,
    user: &UserName,
) -> rusqlite::Result<SessionSeed> {
    Ok(SessionSeed {
        muted: hidden(connection, user)?,
        ratings: ratings_of(connection, user)?,
        settings: settings_of(connection, user)?,
    })
}

/// Returns the settings of a user; the default ones if there are none.
pub(super) fn settings_of(
    connection: &Connection,
    user: &UserName,
) -> rusqlite::Result<UserSettings> {
    let stored: Option<Option<String>> = connection
        .prepare_cached("SELECT settings FROM users WHERE folded = ?1")?
        .query_row([user.folded().as_str()], |row| row.get(0))
        .optional()?;
    let Some(text) = stored.flatten() else { return Ok(UserSettings::default()) };
    Ok(serde_json::from_str(&text).unwrap_or_else(|error| {
        tracing::error!(%user, %error, "the stored settings of a user are unreadable");
        UserSettings::default()
    }))
}
