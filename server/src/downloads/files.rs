//! What is said about the files: their names and sizes, and signatures of them.

use std::{ops::Range, sync::Arc};

use adamant_protocol::downloads::{DownloadFile, DownloadList, SignedDownload};

use super::content::DownloadContent;
use crate::{
    error::Denial,
    signing::Signing,
    store::{DownloadHead, Store, StoreError},
};

/// What a name of a file ends with.
const EXTENSION: &str = ".ndjson";

/// The files that clients may read.
#[derive(Debug, Clone)]
pub(crate) struct DownloadFiles {
    store: Store,
    signing: Arc<Signing>,
}

/// Returns the month of a file, and its kind unless it has all.
fn parts(file: &str) -> (&str, Option<&str>) {
    let stem = file.strip_suffix(EXTENSION).unwrap_or(file);
    let kind_at = stem.match_indices('-').nth(1).map(|(at, _)| at);
    kind_at.map_or((stem, None), |at| (&stem[..at], Some(&stem[at + 1..])))
}

impl DownloadFiles {
    /// Serves the files of a store.
    pub(crate) const fn new(store: Store, signing: Arc<Signing>) -> Self {
        Self { store, signing }
    }

    /// Lists all files.
    pub(crate) async fn list(&self) -> Result<DownloadList, StoreError> {
        // The state is read first: a file that is complete then is complete for good.
        let first_open = self.store.download_state().await?.first_open;
        let heads = self.store.download_files().await?;
        let listed = heads.into_iter().map(|head| {
            let (month, rules) = parts(&head.file);
            DownloadFile {
                month: month.to_owned(),
                rules: rules.map(str::to_owned),
                games: head.at.games,
                bytes: head.at.bytes,
                complete: month < first_open.as_str(),
                file: head.file,
            }
        });
        Ok(DownloadList { files: listed.collect() })
    }

    /// Returns a file as it is, and whether it is complete.
    pub(crate) async fn head(&self, file: &str) -> Result<(DownloadHead, bool), Denial> {
        let first_open = self.store.download_state().await?.first_open;
        let head = self.store.download_head(file.to_owned(), None).await?;
        let head = head.ok_or_else(|| Denial::NotFound(format!("download called {file:.32}")))?;
        Ok((head, parts(file).0 < first_open.as_str()))
    }

    /// Signs a file as it is, or as it was after a number of games.
    pub(crate) async fn sign(
        &self,
        file: &str,
        games: Option<u64>,
    ) -> Result<SignedDownload, Denial> {
        let (present, is_complete) = self.head(file).await?;
        let head = match games {
            None => present.clone(),
            Some(games) => {
                let earlier = self.store.download_head(file.to_owned(), Some(games));
                let none = || Denial::NotFound(format!("download {file:.32} of {games} games"));
                earlier.await?.ok_or_else(none)?
            }
        };
        let is_complete = is_complete && head.at.games == present.at.games;
        let DownloadHead { file, at, last_game } = head;
        // Without room for a key there is none.
        self.signing.sign_download(file, &at, last_game, is_complete).ok_or(Denial::ReadOnly)
    }

    /// Reads bytes of a file, which a head of it has.
    pub(crate) fn read(&self, file: &str, bytes: Range<u64>) -> DownloadContent {
        DownloadContent::new(self.store.clone(), file.to_owned(), bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_month_and_perhaps_a_kind() {
        assert_eq!(parts("2026-11.ndjson"), ("2026-11", None));
        assert_eq!(parts("2026-11-chess.ndjson"), ("2026-11", Some("chess")));
    }
}
