//! The bytes of a download, put together from the stored frames and records a little at a time.

use std::{collections::VecDeque, ops::Range};

use bytes::{Bytes, BytesMut};

use crate::{
    limits::{CATCH_UP_CHUNK, DOWNLOAD_LINES_AT_ONCE},
    store::{RecordRange, Store, StoreError, StoredLine},
};

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
