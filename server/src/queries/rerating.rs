//! Rates results again after an operator has annulled one: a task of one node, some results at a
//! time, so that games go on meanwhile.

use std::{sync::Arc, time::Duration};

use tokio::{sync::Notify, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    limits,
    store::{SharedWork, Store, StoreError},
};

/// Says that a result was annulled, here or at another node. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Annulled(Arc<Notify>);

impl Annulled {
    pub(crate) fn note(&self) {
        self.0.notify_one();
    }

    async fn heard(&self, at_most: Duration) {
        // Whether it was heard or not: the store says what there is to do.
        drop(timeout(at_most, self.0.notified()).await);
    }
}

/// Rates results again until the server stops.
pub(crate) async fn rate_again(
    store: Store,
    annulled: Annulled,
    work: SharedWork,
    stop: CancellationToken,
) {
    while stop.run_until_cancelled(work.taken()).await.is_some() {
        let rated = stop.run_until_cancelled(rate_all_again(&store, &work)).await;
        if let Some(Err(error)) = rated {
            // operator: the store failed; the server goes on some seconds later. Until then the
            // standings are as they were before the annulment
            tracing::warn!(%error, "computing ratings anew failed");
        }
        let heard = annulled.heard(limits::RATING_AGAIN_LOOKED_FOR_EVERY);
        if stop.run_until_cancelled(heard).await.is_none() {
            return;
        }
    }
}

async fn rate_all_again(store: &Store, work: &SharedWork) -> Result<(), StoreError> {
    loop {
        let pools = store.reratings().await?;
        if pools.is_empty() || !work.is_ours() {
            return Ok(());
        }
        for begun in pools {
            let pool = begun.pool().to_owned();
            let (mut next, mut changed) = (Some(begun), 0);
            while let Some(rerating) = next {
                let step = store.rerate(rerating, limits::RESULTS_RATED_AGAIN_AT_ONCE).await?;
                next = step.next;
                changed += step.changed;
                if next.is_some() {
                    tokio::time::sleep(limits::RATING_AGAIN_PAUSE).await;
                }
            }
            // operator: a result was annulled, and so many later ones of its games were rated again
            tracing::info!(pool, changed, "ratings were computed anew");
        }
    }
}
