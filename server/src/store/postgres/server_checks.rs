//! Whether a server can keep what it acknowledges.

use tokio_postgres::Row;

use super::{
    connection::Connection, failure::Failure, postgres_error::PostgresError, url::PostgresUrl,
};

/// The oldest major version that the server can use.
const VERSION_MIN: u32 = 15;

/// Asks a server what it is.
const QUESTION: &str = "SELECT CASE WHEN NOT pg_is_in_recovery() \
         THEN substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END, \
     current_setting('server_version_num'), current_setting('fsync'), \
     current_setting('full_page_writes'), current_setting('synchronous_standby_names'), \
     current_setting('server_encoding')";

/// What a server says about itself.
#[derive(Debug)]
pub(super) struct ServerAnswer {
    /// Its timeline if it is a primary; `None` if it is a standby.
    pub(super) timeline: Option<u32>,
    /// Why it cannot be used.
    pub(super) refusal: Option<PostgresError>,
}

/// Asks the server at the other end of a connection.
pub(super) async fn ask(
    connection: &Connection,
    url: &PostgresUrl,
    host: usize,
    is_replicated: bool,
) -> Result<ServerAnswer, Failure> {
    let rows = connection.query(QUESTION, &[]).await?;
    let row = rows.first().ok_or_else(|| Failure::fault("PostgreSQL says nothing of itself"))?;
    let timeline: Option<&str> = row.try_get(0)?;
    let timeline = timeline.and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let refusal = refusal(row, url, host, is_replicated)?;
    Ok(ServerAnswer { timeline, refusal })
}

fn refusal(
    row: &Row,
    url: &PostgresUrl,
    host: usize,
    is_replicated: bool,
) -> Result<Option<PostgresError>, Failure> {
    let text = |column: usize| row.try_get::<_, String>(column);
    let host = url.hosts[host].to_string();
    let version = text(1)?.parse::<u32>().unwrap_or(0) / 10_000;
    if version < VERSION_MIN {
        return Ok(Some(PostgresError::Version { host, found: version, needed: VERSION_MIN }));
    }
    for (setting, value) in [("fsync", text(2)?), ("full_page_writes", text(3)?)] {
        if value != "on" {
            return Ok(Some(PostgresError::Unsafe { host, setting, value }));
        }
    }
    if is_replicated && text(4)?.is_empty() {
        return Ok(Some(PostgresError::NotReplicated { host }));
    }
    let found = text(5)?;
    if found != "UTF8" {
        let database = url.database().to_owned();
        return Ok(Some(PostgresError::Encoding { database, found }));
    }
    Ok(None)
}
