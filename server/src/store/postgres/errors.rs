//! What the failure of a statement means, and why the server does not use a database.

use std::{error::Error, io, sync::Arc};

use rustls::CertificateError;
use tokio_postgres::error::{DbError, SqlState};

use crate::store::StoreError;

/// The constraint by which each place in a game's record is taken once.
const JOURNAL_KEY: &str = "journal_pkey";

#[derive(Debug, Clone)]
pub(crate) enum Failure {
    Contested,
    Unknown(Arc<str>),
    Final(StoreError),
}

impl Failure {
    pub(in crate::store) fn fault(text: impl Into<Arc<str>>) -> Self {
        Self::Final(StoreError::Failed(text.into()))
    }

    pub(super) fn unknown(text: impl Into<Arc<str>>) -> Self {
        Self::Unknown(text.into())
    }

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

fn is_of_the_line(error: &tokio_postgres::Error) -> bool {
    error.source().is_some_and(<dyn Error>::is::<io::Error>)
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

pub(super) fn text_of(error: &dyn Error) -> String {
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

#[derive(Debug, Clone, thiserror::Error)]
pub enum PostgresError {
    #[error("the URL of the database cannot be used: {reason}")]
    Url {
        /// The reason, without the URL, which has the password.
        reason: String,
    },
    #[error("the root certificate {path}: {reason}")]
    RootCertificate { path: String, reason: String },
    #[error("PostgreSQL cannot be reached: {reason}")]
    Unreachable { reason: String },
    #[error("the certificate of PostgreSQL at {host} is not accepted: {reason}")]
    Certificate { host: String, reason: String },
    #[error("PostgreSQL at {host} does not accept the user {user}: {reason}")]
    LogIn { host: String, user: String, reason: String },
    #[error(
        "PostgreSQL at {host} has no database {database}; create it with: CREATE DATABASE {database} OWNER {user}"
    )]
    NoDatabase { host: String, database: String, user: String },
    #[error(
        "the user {user} may not create tables in the database {database}; make it the owner: ALTER DATABASE {database} OWNER TO {user}"
    )]
    NoRights { database: String, user: String },
    #[error("no PostgreSQL server is the primary: {reason}")]
    NoPrimary { reason: String },
    #[error("PostgreSQL at {host} cannot commit: none of its synchronous standbys answers")]
    NoStandby { host: String },
    #[error("PostgreSQL at {host} has version {found}; the server needs {needed} or newer")]
    Version { host: String, found: u32, needed: u32 },
    #[error(
        "PostgreSQL at {host} has {setting} = {value}, which can lose acknowledged moves; set it to on"
    )]
    Unsafe { host: String, setting: &'static str, value: String },
    #[error(
        "PostgreSQL at {host} has no synchronous standby (synchronous_standby_names is empty), so its loss would lose acknowledged moves; start with --unreplicated to use it nonetheless"
    )]
    NotReplicated { host: String },
    #[error("the database {database} has the encoding {found}; the server needs UTF8")]
    Encoding { database: String, found: String },
    #[error(
        "a node named {node} serves the database already; each node needs a cluster.node of its own"
    )]
    NodeLives { node: String },
    #[error(
        "an import into the database has not finished: wait for it, or drop the database, create it anew and import again"
    )]
    HalfImported,
    #[error(
        "the database has schema {found}, and servers before schema {min_reader} may not use it; this server has schema {known}"
    )]
    Newer { found: i32, min_reader: i32, known: i32 },
    #[error(
        "the database has schema {found}, and this release has schema {known}: start a server of it first"
    )]
    Older { found: i32, known: i32 },
    #[error(
        "node {node} could not use the database once it is migrated from schema {from} to {to}: stop all nodes first"
    )]
    OlderNode { node: String, from: i32, to: i32 },
    #[error("the database has no tables: start a server on it first, or name another database")]
    Empty,
    #[error(
        "the database has tables of another version of the server: create a new one, and name that"
    )]
    OtherTables,
    #[error(
        "the games may have records of version {found}, and this server reads up to version {known}: install the release that the other nodes run"
    )]
    NewerRecords { found: i32, known: i32 },
    #[error("the database cannot be opened: {0}")]
    Store(#[from] StoreError),
}

pub(super) fn certificate_fault(error: &(dyn Error + 'static)) -> Option<String> {
    let fault = find(error)?;
    let is_untrusted =
        matches!(fault, CertificateError::UnknownIssuer | CertificateError::BadSignature);
    let has_other_name = matches!(
        fault,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }
    );
    Some(if is_untrusted {
        "its authority is not trusted; name the authority's certificate with sslrootcert".to_owned()
    } else if has_other_name {
        format!("it is for another name than the one in the URL ({fault})")
    } else {
        fault.to_string()
    })
}

impl From<Failure> for PostgresError {
    fn from(failure: Failure) -> Self {
        Self::Store(failure.into_error())
    }
}

fn find<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a CertificateError> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(rustls::Error::InvalidCertificate(fault)) = error.downcast_ref() {
            return Some(fault);
        }
        // The source of such an error is the source of what it carries.
        let carried = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        cause = carried.map_or_else(|| error.source(), |carried| Some(carried));
    }
    None
}
