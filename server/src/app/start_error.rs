//! Why the server does not start.

use crate::{
    accounts::AuthError,
    admin::AdminSocketError,
    http::BindError,
    notify::PushKeyError,
    runtime::fd_limits::TooFewDescriptors,
    signing::SigningError,
    store::{PostgresError, StoreError, sqlite::OpenError},
};

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There are too few file descriptors.
    #[error(transparent)]
    Descriptors(#[from] TooFewDescriptors),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The database cannot be used.
    #[error(transparent)]
    Database(#[from] PostgresError),
    /// The configuration has no name for this node, and the machine has none.
    #[error("the machine has no host name: set cluster.node to the name of this node")]
    NoNodeName,
    /// The store cannot be read or written.
    #[error(transparent)]
    StoreUse(#[from] StoreError),
    /// The signing key cannot be used.
    #[error(transparent)]
    Signing(#[from] SigningError),
    /// The key for push messages cannot be used.
    #[error(transparent)]
    PushKey(#[from] PushKeyError),
    /// The server cannot listen on its address.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The account of a server bot cannot be used.
    #[error("a server bot has no account: {0}")]
    House(#[from] AuthError),
    /// The socket of `adamant-server admin` cannot be made.
    #[error(transparent)]
    Admin(#[from] AdminSocketError),
    /// The operating system does not report the address.
    #[error("cannot read the bound address: {0}")]
    Address(std::io::Error),
}

impl StartError {
    /// Returns whether the disk is full.
    pub(super) fn is_disk_full(&self) -> bool {
        match self {
            Self::Store(error) => error.is_disk_full(),
            Self::Signing(error) => error.is_disk_full(),
            Self::PushKey(error) => error.is_disk_full(),
            Self::StoreUse(error) => matches!(error, StoreError::ReadOnly),
            Self::House(error) => matches!(error, AuthError::Store(StoreError::ReadOnly)),
            Self::Descriptors(_)
            | Self::Database(_)
            | Self::NoNodeName
            | Self::Bind(_)
            | Self::Admin(_)
            | Self::Address(_) => false,
        }
    }
}
