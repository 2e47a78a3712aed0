//! Adds finished games to the files, in the order of their ends.
//!
//! Nodes may finish games at the same time, and one that ends earlier may be archived later. So the
//! order of a file is that of publication: a game waits for a moment after its end, and from then
//! on its place is fixed. A publication names the one that it follows, so that of two nodes which
//! publish at once one is refused and looks again. A game that appears when its month is over
//! stands in the first month that still grows.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    time::Duration,
};

use adamant_protocol::{EventFrame, to_client::GameEntry};
use adamant_record::{
    DownloadChain, LineDigest,
    download::{line_end, line_start},
};
use tokio::time::sleep;

use crate::{
    limits::{CATCH_UP_CHUNK, GAMES_PUBLISHED_AT_ONCE, MONTH_SETTLES, PUBLISH_PAUSE},
    runtime::{
        shutdown::Lifecycle,
        time::{TimeSource, date, milliseconds},
    },
    store::{DownloadHead, DownloadLine, LineFrame, Publication, SharedWork, Store, StoreError},
};

/// Adds finished games to the downloads.
#[derive(Debug)]
pub(crate) struct Publisher {
    store: Store,
    time: TimeSource,
    every: Duration,
}

/// What a publication has left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Published {
    /// All games that ended long enough ago have their lines.
    All,
    Some,
}

/// Returns the month of a time in epoch milliseconds, such as `2026-11`.
fn month(epoch_ms: u64) -> String {
    let mut month = date(epoch_ms);
    month.truncate("2026-11".len());
    month
}

impl Publisher {
    /// Adds games `every` so often, as long after their ends.
    pub(crate) const fn new(store: Store, time: TimeSource, every: Duration) -> Self {
        Self { store, time, every }
    }

    /// Publishes until the server stops, while that is this node's work.
    pub(crate) async fn run(self, work: SharedWork, lifecycle: Lifecycle) {
        let stop = &lifecycle.soft;
        while stop.run_until_cancelled(work.taken()).await.is_some() {
            let pause = match self.publish_some().await {
                Ok(Published::Some) => PUBLISH_PAUSE,
                Ok(Published::All) => self.every,
                Err(error) => {
                    // operator: the store failed; the server tries again after `downloads.every`
                    tracing::warn!(%error, "publishing finished games failed");
                    self.every
                }
            };
            if stop.run_until_cancelled(sleep(pause)).await.is_none() {
                return;
            }
        }
    }

    /// Publishes all games that have waited long enough.
    #[cfg(test)]
    pub(super) async fn publish_all(&self) -> Result<(), StoreError> {
        while self.publish_some().await? == Published::Some {}
        Ok(())
    }

    /// Publishes the games that have waited longest.
    async fn publish_some(&self) -> Result<Published, StoreError> {
        let follows = self.store.download_state().await?;
        let now_ms = self.time.now_ms();
        let before = now_ms.saturating_sub(milliseconds(self.every));
        let waiting = self.store.unpublished_games(before, GAMES_PUBLISHED_AT_ONCE).await?;
        let is_all = waiting.len() < GAMES_PUBLISHED_AT_ONCE as usize;
        let mut publication = Publication {
            first_open: follows.first_open.clone(),
            follows,
            ..Publication::default()
        };
        let mut files = BTreeMap::new();
        for entry in waiting {
            self.add(entry, &mut publication, &mut files).await?;
        }
        if is_all {
            let settled = month(now_ms.saturating_sub(milliseconds(MONTH_SETTLES)));
            publication.first_open = publication.first_open.max(settled);
        }
        let is_new = publication.first_open != publication.follows.first_open
            || !publication.frames.is_empty()
            || !publication.left_out.is_empty();
        let is_done = !is_new || self.store.publish(publication).await?;
        Ok(if is_all && is_done { Published::All } else { Published::Some })
    }

    /// Gives a game its lines in the file of its month and in that of its kind.
    async fn add(
        &self,
        entry: GameEntry,
        publication: &mut Publication,
        files: &mut BTreeMap<String, DownloadChain>,
    ) -> Result<(), StoreError> {
        let game = entry.game.clone();
        let Some((frame, digest)) = self.read_line(&entry).await? else {
            // operator: the game is in no "download". `adamant-server check` says what is wrong
            // with it
            tracing::warn!(%game, "the records of a finished game are not published: they are damaged");
            publication.left_out.push(game);
            return Ok(());
        };
        let month = month(entry.last_at).max(publication.follows.first_open.clone());
        for file in [format!("{month}.ndjson"), format!("{month}-{}.ndjson", entry.rules.name)] {
            let at = match files.entry(file.clone()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let head = self.store.download_head(file.clone(), None).await?;
                    new.insert(head.map(|head| head.at).unwrap_or_default())
                }
            };
            let offset = at.bytes;
            at.add(digest.clone());
            let head = DownloadHead { file, at: at.clone(), last_game: game.clone() };
            let length = at.bytes - offset;
            publication.lines.push(DownloadLine { offset, length, head });
        }
        publication.frames.push(frame);
        Ok(())
    }

    /// Reads a game and digests its line; `None` if its records are not sealed one after the other.
    async fn read_line(
        &self,
        entry: &GameEntry,
    ) -> Result<Option<(LineFrame, LineDigest)>, StoreError> {
        let (game, start) = (entry.game.clone(), line_start(entry));
        let mut digest = LineDigest::default();
        digest.update(start.as_bytes());
        let (mut seq, mut last) = (0, None);
        loop {
            let records = self.store.journal.read(game.clone(), seq + 1, CATCH_UP_CHUNK).await?;
            let is_last = records.len() < CATCH_UP_CHUNK;
            for record in records {
                if seq > 0 {
                    digest.update(b",");
                }
                digest.update(&record);
                seq += 1;
                last = Some(record);
            }
            if is_last {
                break;
            }
        }
        let head = last.and_then(|last| EventFrame::from_bytes(&last).ok());
        let Some(head) = head.filter(|head| head.seq == seq && head.game == game) else {
            return Ok(None);
        };
        let end = line_end(seq, head.chain);
        digest.update(end.as_bytes());
        Ok(Some((LineFrame { game, seq, start, end }, digest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_ends_at_midnight_utc() {
        assert_eq!(month(1_793_491_199_999), "2026-10");
        assert_eq!(month(1_793_491_200_000), "2026-11");
    }
}
