//! Lasting seeks as they are stored.

use adamant_protocol::{SeekId, UserName, from_client::SeatWish, to_client::SeekEntry};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::StoreError;

/// A user who has joined a seek.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seeker {
    pub user: UserName,
    /// Whether the user came as a program.
    pub bot: bool,
    /// Whether the user is a guest.
    pub guest: bool,
    /// The rating in the game that is sought.
    pub rating: u16,
    /// The seat that the user prefers.
    pub seat: SeatWish,
}

/// A seek that outlives its connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredSeek {
    /// The seek as clients see it.
    pub entry: SeekEntry,
    /// Those who have joined, the one who made it first.
    pub joined: Vec<Seeker>,
}

/// Stores lasting seeks.
pub(crate) trait Seeks: std::fmt::Debug + Send + Sync + 'static {
    /// Stores a new seek.
    fn add_seek(&self, seek: StoredSeek) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Stores the state of a seek if it is still open.
    fn update_seek(&self, seek: StoredSeek) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Deletes a seek; returns whether it was open.
    fn delete_seek(&self, id: SeekId) -> BoxFuture<'_, Result<bool, StoreError>>;

    /// Returns all seeks.
    fn seeks(&self) -> BoxFuture<'_, Result<Vec<StoredSeek>, StoreError>>;
}
