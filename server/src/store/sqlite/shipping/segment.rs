//! A segment: the pages that some commits have changed, each as the last of them has left it.
//!
//! The file is a line of JSON, the pages with their numbers, compressed by deflate, and the BLAKE3
//! hash of all before. The line names the hash of the segment before, so that the segments of a
//! generation are a chain.

use std::{
    collections::BTreeMap,
    io::{self, Read as _, Write as _},
};

use bytes::Bytes;
use data_encoding::HEXLOWER;
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use serde::{Deserialize, Serialize};

/// The version of the files of a shipped store.
pub(super) const FORMAT: u32 = 1;

const HASH_BYTES: usize = blake3::OUT_LEN;
const PAGE_NUMBER_BYTES: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SegmentHead {
    format: u32,
    pub(super) number: u64,
    /// The time until which it has all commits, in epoch milliseconds.
    pub(super) at: u64,
    /// The hash of the segment before; of the first one, the generation.
    pub(super) before: String,
    pub(super) page_bytes: u32,
    /// Pages of the database after the last commit.
    pub(super) size: u32,
    pages: usize,
}

impl SegmentHead {
    pub(super) const fn new(number: u64, at: u64, page_bytes: u32, size: u32) -> Self {
        Self { format: FORMAT, number, at, before: String::new(), page_bytes, size, pages: 0 }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) head: SegmentHead,
    pub(super) pages: BTreeMap<u32, Bytes>,
}

/// A segment as it is shipped.
#[derive(Debug)]
pub(super) struct EncodedSegment {
    pub(super) number: u64,
    pub(super) bytes: Bytes,
    pub(super) hash: String,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum SegmentError {
    #[error("it is cut off")]
    CutOff,
    #[error("its checksum does not hold")]
    Checksum,
    #[error("it has the format {0}, which this version does not know")]
    Format(u32),
    #[error("it cannot be read: {0}")]
    Unreadable(io::Error),
}

impl Segment {
    /// Encodes the segment that follows the one with this hash.
    pub(super) fn encode(&self, before: &str) -> io::Result<EncodedSegment> {
        let (pages, before) = (self.pages.len(), before.to_owned());
        let head = SegmentHead { before, pages, ..self.head.clone() };
        let mut bytes = serde_json::to_vec(&head)?;
        bytes.push(b'\n');
        let mut encoder = DeflateEncoder::new(bytes, Compression::fast());
        for (number, page) in &self.pages {
            encoder.write_all(&number.to_be_bytes())?;
            encoder.write_all(page)?;
        }
        let mut bytes = encoder.finish()?;
        let hash = blake3::hash(&bytes);
        bytes.extend_from_slice(hash.as_bytes());
        let hash = HEXLOWER.encode(hash.as_bytes());
        Ok(EncodedSegment { number: head.number, bytes: bytes.into(), hash })
    }

    /// Decodes a segment; returns its hash, too.
    pub(super) fn decode(bytes: &[u8]) -> Result<(Self, String), SegmentError> {
        let cut = bytes.len().checked_sub(HASH_BYTES).ok_or(SegmentError::CutOff)?;
        let (content, stored) = bytes.split_at(cut);
        let hash = blake3::hash(content);
        if hash.as_bytes() != stored {
            return Err(SegmentError::Checksum);
        }
        let end = content.iter().position(|byte| *byte == b'\n').ok_or(SegmentError::CutOff)?;
        let unreadable = |error: serde_json::Error| SegmentError::Unreadable(error.into());
        let head: SegmentHead = serde_json::from_slice(&content[..end]).map_err(unreadable)?;
        if head.format != FORMAT {
            return Err(SegmentError::Format(head.format));
        }
        let mut decoder = DeflateDecoder::new(&content[end + 1..]);
        let page_bytes = usize::try_from(head.page_bytes).unwrap_or_default();
        let mut pages = BTreeMap::new();
        for _ in 0..head.pages {
            let (mut number, mut page) = ([0; PAGE_NUMBER_BYTES], vec![0; page_bytes]);
            for part in [&mut number[..], &mut page[..]] {
                decoder.read_exact(part).map_err(SegmentError::Unreadable)?;
            }
            pages.insert(u32::from_be_bytes(number), page.into());
        }
        Ok((Self { head, pages }, HEXLOWER.encode(hash.as_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment() -> Segment {
        let pages = (1..=3u8).map(|page| (page.into(), Bytes::from(vec![page; 512])));
        Segment { head: SegmentHead::new(7, 1000, 512, 3), pages: pages.collect() }
    }

    #[test]
    fn a_segment_is_read_as_it_was_written_and_names_the_one_before() {
        let encoded = segment().encode("abc").unwrap();
        let (decoded, hash) = Segment::decode(&encoded.bytes).unwrap();
        assert_eq!((&decoded.pages, hash), (&segment().pages, encoded.hash));
        let SegmentHead { number, at, before, page_bytes, size, .. } = decoded.head;
        assert_eq!((number, at, before.as_str(), page_bytes, size), (7, 1000, "abc", 512, 3));
    }

    #[test]
    fn every_changed_byte_and_every_cut_is_found() {
        let bytes = segment().encode("abc").unwrap().bytes;
        for at in 0..bytes.len() {
            let mut changed = bytes.to_vec();
            changed[at] ^= 1;
            assert!(Segment::decode(&changed).is_err(), "byte {at}");
            assert!(Segment::decode(&bytes[..at]).is_err(), "cut at {at}");
        }
    }
}
