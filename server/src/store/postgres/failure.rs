//! What the failure of a statement means.

use std::sync::Arc;

use tokio_postgres::error::{DbError, SqlState};

use crate::store::StoreError;

/// The constraint by which each place in a game's record is taken once.
const JOURNAL_KEY: &str = "journal_pkey";

/// Why a statement or a transaction failed.
#[derive(Debug, Clone)]
pub(crate) enum Failure {
    /// PostgreSQL has rolled the transaction back because of another one. It can be sent again.
    Contested,
    /// The connection is lost, slow or not usable any more. The transaction may be committed.
    Unknown(Arc<str>),
    /// The transaction is not committed, and sending it again does not help.
    Final(StoreError),
}

impl Failure {
    /// A fault of the server or its database.
    pub(in crate::store) fn fault(text: impl Into<Arc<str>>) -> Self {
        Self::Final(StoreError::Failed(text.into()))
    }

    /// An unknown outcome.
    pub(super) fn unknown(text: impl Into<Arc<str>>) -> Self {
        Self::Unknown(text.into())
    }

    /// Returns the error for a caller that waits no longer.
    pub(in crate::store) fn into_error(self) -> StoreError {
        match self {
            Self::Contested => StoreError::Busy,
            Self::Unknown(text) => StoreError::Failed(text),
            Self::Final(error) => error,
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Final(error)
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        match error.as_db_error() {
            Some(database) => of_database(database),
            None if error.is_closed() || is_of_the_line(&error) => Self::unknown(error.to_string()),
            // A value of the wrong type: a fault of the server's code.
            None => Self::fault(text_of(&error)),
        }
    }
}

/// Whether the connection caused the error.
fn is_of_the_line(error: &tokio_postgres::Error) -> bool {
    std::error::Error::source(error).is_some_and(<dyn std::error::Error>::is::<std::io::Error>)
}

fn of_database(error: &DbError) -> Failure {
    let text: Arc<str> = format!("{}: {}", error.code().code(), error.message()).into();
    let code = error.code();
    match &code.code()[..2] {
        _ if [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED]
            .contains(code) =>
        {
            Failure::Contested
        }
        // Another append has taken the place at the same moment. The next try sees its row.
        _ if *code == SqlState::UNIQUE_VIOLATION && error.constraint() == Some(JOURNAL_KEY) => {
            Failure::Contested
        }
        _ if *code == SqlState::DISK_FULL => Failure::Final(StoreError::ReadOnly),
        // A standby, a shutdown, a broken connection, or no place for another one.
        _ if *code == SqlState::READ_ONLY_SQL_TRANSACTION => Failure::Unknown(text),
        // This node was too slow between two statements.
        _ if *code == SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => Failure::Unknown(text),
        "57" | "08" | "53" => Failure::Unknown(text),
        _ => Failure::Final(StoreError::Failed(text)),
    }
}

/// The text of an error with its causes.
pub(super) fn text_of(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        let words = source.to_string();
        if !text.contains(&words) {
            text.extend([": ", &words]);
        }
        cause = source.source();
    }
    text
}
