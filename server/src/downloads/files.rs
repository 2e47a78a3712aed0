//! The files as clients read them: their names, sizes and signatures, and their bytes, put together
//! from the stored frames and records a little at a time.

use std::{collections::VecDeque, ops::Range, sync::Arc};

use adamant_protocol::downloads::{DownloadFile, DownloadList, SignedDownload};
use bytes::{Bytes, BytesMut};

use crate::{
    error::Denial,
    limits::{CATCH_UP_CHUNK, DOWNLOAD_LINES_AT_ONCE},
    signing::Signing,
    store::{DownloadHead, RecordRange, Store, StoreError, StoredLine},
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

/// A part of a file that is being read.
#[derive(Debug)]
pub(crate) struct DownloadContent {
    store: Store,
    file: String,
    /// The bytes that are still to be read.
    left: Range<u64>,
    /// Lines that have been looked up; the first is being read.
    lines: VecDeque<StoredLine>,
    /// The next record of the first line; 0 before its start.
    next_seq: u64,
    /// The offset of what is read next. It is before `left` in the middle of a line.
    offset: u64,
}

impl DownloadContent {
    /// Begins to read these bytes of a file, which a confirmed head has.
    pub(super) const fn new(store: Store, file: String, left: Range<u64>) -> Self {
        Self { store, file, left, lines: VecDeque::new(), next_seq: 0, offset: 0 }
    }

    /// Returns the next bytes; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, StoreError> {
        while !self.left.is_empty() {
            let piece = self.next_piece().await?;
            let begin = self.offset;
            self.offset += piece.len() as u64;
            let wanted = clip(&piece, begin, &self.left);
            if !wanted.is_empty() {
                self.left.start += wanted.len() as u64;
                return Ok(Some(wanted));
            }
        }
        Ok(None)
    }

    /// Returns the next piece of a line, with bytes that are not wanted.
    async fn next_piece(&mut self) -> Result<Bytes, StoreError> {
        if self.lines.is_empty() {
            let (file, at) = (self.file.clone(), self.left.start);
            self.lines = self.store.download_lines(file, at, DOWNLOAD_LINES_AT_ONCE).await?.into();
            self.next_seq = 0;
        }
        let Some(line) = self.lines.front() else {
            return Err(damaged(&self.file, self.left.start));
        };
        let (game, last) = (line.frame.game.clone(), line.frame.seq);
        if self.next_seq == 0 {
            self.next_seq = 1;
            self.offset = line.offset;
            return Ok(Bytes::copy_from_slice(line.frame.start.as_bytes()));
        }
        if self.next_seq <= last {
            let from = self.next_seq;
            let until = last.min(from + CATCH_UP_CHUNK as u64 - 1);
            let range = RecordRange { game, from, until };
            let read = self.store.journal.read_durable(vec![range]).await.pop();
            let records = read.unwrap_or_else(|| Ok(Vec::new()))?;
            let mut piece = BytesMut::new();
            for record in records {
                if self.next_seq > 1 {
                    piece.extend_from_slice(b",");
                }
                piece.extend_from_slice(&record);
                self.next_seq += 1;
            }
            if self.next_seq != until + 1 {
                return Err(damaged(&self.file, self.offset));
            }
            return Ok(piece.freeze());
        }
        let mut piece = BytesMut::from(line.frame.end.as_bytes());
        piece.extend_from_slice(b"\n");
        if self.offset + piece.len() as u64 != line.offset + line.length {
            return Err(damaged(&self.file, self.offset));
        }
        self.lines.pop_front();
        self.next_seq = 0;
        Ok(piece.freeze())
    }
}

/// Returns those bytes of a piece, which begins at an offset, that are wanted.
fn clip(piece: &Bytes, begin: u64, wanted: &Range<u64>) -> Bytes {
    let place = |offset: u64| {
        let inside = usize::try_from(offset.saturating_sub(begin)).unwrap_or(usize::MAX);
        inside.min(piece.len())
    };
    piece.slice(place(wanted.start)..place(wanted.end))
}

fn damaged(file: &str, offset: u64) -> StoreError {
    StoreError::Failed(format!("download {file} is damaged at byte {offset}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_month_and_perhaps_a_kind() {
        assert_eq!(parts("2026-11.ndjson"), ("2026-11", None));
        assert_eq!(parts("2026-11-chess.ndjson"), ("2026-11", Some("chess")));
    }

    #[test]
    fn a_piece_is_clipped_to_what_is_wanted() {
        let piece = Bytes::from_static(b"abcdef");
        let clipped = |begin, wanted| clip(&piece, begin, &wanted);
        assert_eq!(clipped(10, 0..100), "abcdef");
        assert_eq!(clipped(10, 12..100), "cdef");
        assert_eq!(clipped(10, 0..13), "abc");
        assert_eq!(clipped(10, 11..12), "b");
        assert_eq!(clipped(10, 16..20), "");
        assert_eq!(clipped(10, 0..10), "");
    }
}
