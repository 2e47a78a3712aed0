//! The places of those who paint pictures of boards, and the pictures that are kept.

use std::sync::Arc;

use adamant_protocol::GameId;
use tokio::time::timeout;

use super::{
    board_picture::{Material, Theme},
    static_content::Content,
};
use crate::{
    address::{ClientAddress, ClientNetwork},
    cache::Cache,
    error::Denial,
    fair_queue::{FairPermit, FairQueue, Urgency},
    limits,
    runtime::time::milliseconds,
};

#[derive(Debug)]
pub(super) struct Painter {
    painting: FairQueue<ClientNetwork>,
    pub(super) kept: Cache<PictureKey, Arc<Content>>,
}

/// What makes a picture: all that is drawn, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PictureKey {
    pub(super) game: GameId,
    pub(super) ply: u32,
    /// The positions by their hashes: a move of a live game can be taken back.
    pub(super) boards: (u64, Option<u64>),
    pub(super) look: (Theme, Material, u32),
    pub(super) content_type: &'static str,
}

impl Painter {
    /// For a machine with so many cores.
    pub(super) fn new(cores: usize) -> Self {
        let permits = (cores / limits::CORES_PER_PAINTING).max(1);
        Self {
            painting: FairQueue::new(permits, limits::PAINTINGS_WAITING_MAX),
            kept: Cache::new(limits::PICTURE_CACHE_BYTES_MAX),
        }
    }

    /// Waits for a place to paint.
    pub(super) async fn place(
        &self,
        from: ClientAddress,
    ) -> Result<FairPermit<ClientNetwork>, Denial> {
        let place = self.painting.acquire(from.network(), Urgency::Ordinary);
        match timeout(limits::PAINTING_WAIT_MAX, place).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) | Err(_) => Err(Denial::Busy {
                what: "many pictures are being painted".to_owned(),
                retry_after_ms: milliseconds(limits::PAINTING_RETRY),
            }),
        }
    }
}
