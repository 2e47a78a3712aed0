//! Why the server does not use a database.

use crate::store::StoreError;

/// Why a PostgreSQL database cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PostgresError {
    /// The URL cannot be used.
    #[error("the URL of the database cannot be used: {reason}")]
    Url {
        /// The reason, without the URL, which has the password.
        reason: String,
    },
    /// The file with the root certificates cannot be used.
    #[error("the root certificate {path}: {reason}")]
    RootCertificate {
        /// The file.
        path: String,
        /// The reason.
        reason: String,
    },
    /// No server accepts connections.
    #[error("PostgreSQL cannot be reached: {reason}")]
    Unreachable {
        /// The reason of each server.
        reason: String,
    },
    /// The certificate of a server is not accepted.
    #[error("the certificate of PostgreSQL at {host} is not accepted: {reason}")]
    Certificate {
        /// The server.
        host: String,
        /// The reason, and what the operator can do.
        reason: String,
    },
    /// A server refuses the user or the password.
    #[error("PostgreSQL at {host} does not accept the user {user}: {reason}")]
    LogIn {
        /// The server.
        host: String,
        /// The user.
        user: String,
        /// What PostgreSQL says.
        reason: String,
    },
    /// There is no such database.
    #[error(
        "PostgreSQL at {host} has no database {database}; create it with: CREATE DATABASE {database} OWNER {user}"
    )]
    NoDatabase {
        /// The server.
        host: String,
        /// The database.
        database: String,
        /// The user.
        user: String,
    },
    /// The user may not create tables.
    #[error(
        "the user {user} may not create tables in the database {database}; make it the owner: ALTER DATABASE {database} OWNER TO {user}"
    )]
    NoRights {
        /// The database.
        database: String,
        /// The user.
        user: String,
    },
    /// No server is a primary.
    #[error("no PostgreSQL server is the primary: {reason}")]
    NoPrimary {
        /// What each server says.
        reason: String,
    },
    /// The primary cannot commit: no standby answers.
    #[error("PostgreSQL at {host} cannot commit: none of its synchronous standbys answers")]
    NoStandby {
        /// The server.
        host: String,
    },
    /// PostgreSQL is too old.
    #[error("PostgreSQL at {host} has version {found}; the server needs {needed} or newer")]
    Version {
        /// The server.
        host: String,
        /// Its major version.
        found: u32,
        /// The oldest major version that the server can use.
        needed: u32,
    },
    /// A setting of the server could lose what it has acknowledged.
    #[error(
        "PostgreSQL at {host} has {setting} = {value}, which can lose acknowledged moves; set it to on"
    )]
    Unsafe {
        /// The server.
        host: String,
        /// The setting.
        setting: &'static str,
        /// Its value.
        value: String,
    },
    /// The server has no synchronous standby.
    #[error(
        "PostgreSQL at {host} has no synchronous standby (synchronous_standby_names is empty), so its loss would lose acknowledged moves; start with --unreplicated to use it nonetheless"
    )]
    NotReplicated {
        /// The server.
        host: String,
    },
    /// The database has another encoding than UTF-8.
    #[error("the database {database} has the encoding {found}; the server needs UTF8")]
    Encoding {
        /// The database.
        database: String,
        /// Its encoding.
        found: String,
    },
    /// A node of the same name serves the database.
    #[error(
        "a node named {node} serves the database already; each node needs a cluster.node of its own"
    )]
    NodeLives {
        /// The name.
        node: String,
    },
    /// An import was interrupted, or still runs.
    #[error(
        "an import into the database has not finished: wait for it, or drop the database, create it anew and import again"
    )]
    HalfImported,
    /// A newer server has changed the tables.
    #[error(
        "the database has schema {found}, and servers before schema {min_reader} may not use it; this server has schema {known}"
    )]
    Newer {
        /// The schema of the database.
        found: i32,
        /// The oldest schema of a server that may use it.
        min_reader: i32,
        /// The schema of this server.
        known: i32,
    },
    /// The database has no tables.
    #[error("the database has no tables: start a server on it first, or name another database")]
    Empty,
    /// The database has the tables of a version from before the first release.
    #[error(
        "the database has tables of another version of the server: create a new one, and name that"
    )]
    OtherTables,
    /// The games have records of a newer release.
    #[error(
        "the games may have records of version {found}, and this server reads up to version {known}: install the release that the other nodes run"
    )]
    NewerRecords {
        /// The newest version of records in the database.
        found: i32,
        /// The newest one that the server can read.
        known: i32,
    },
    /// A statement failed.
    #[error("the database cannot be opened: {0}")]
    Store(#[from] StoreError),
}
