//! The format of the WAL: its header, its frames and their checksums.

use std::io::{self, Read};

/// Bytes of the file's header.
pub(super) const HEADER: usize = 32;
/// Bytes of the file's header that its checksum covers.
const HEADER_SUMMED: usize = 24;

/// Bytes of a frame's header.
pub(super) const FRAME_HEADER: usize = 24;
/// Bytes of a frame's header that its checksum covers.
const FRAME_SUMMED: usize = 8;

/// The magic number. Its last bit says whether checksums read big-endian words.
const MAGIC: u32 = 0x377f_0682;
/// The only version of the format.
const VERSION: u32 = 3_007_000;

/// Valid page sizes in bytes.
const PAGE_BYTES: std::ops::RangeInclusive<u32> = 512..=65_536;
/// The default page size, for a damaged header.
const PAGE_BYTES_DEFAULT: u32 = 4096;

/// Bytes that every disk writes whole, or at least from their beginning.
pub(super) const SECTOR_BYTES: u64 = 512;

/// A running checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Checksum(u32, u32);

impl Checksum {
    /// Continues the checksum over more bytes.
    fn over(self, bytes: &[u8], big_endian: bool) -> Self {
        let word = |bytes: &[u8]| {
            let word = <[u8; 4]>::try_from(bytes).expect("words have four bytes");
            if big_endian { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) }
        };
        let (first, second) = bytes.chunks_exact(8).fold((self.0, self.1), |(s0, s1), pair| {
            let s0 = s0.wrapping_add(word(&pair[..4])).wrapping_add(s1);
            (s0, s1.wrapping_add(word(&pair[4..])).wrapping_add(s0))
        });
        Self(first, second)
    }

    fn read(bytes: &[u8]) -> Self {
        Self(read_u32(bytes, 0), read_u32(bytes, 4))
    }
}

/// Reads a number of a header.
pub(super) fn read_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// The file's header.
#[derive(Debug, Clone, Copy)]
pub(super) struct WalHeader {
    /// Whether `SQLite` accepts it.
    pub(super) is_valid: bool,
    big_endian: bool,
    pub(super) page_bytes: u32,
    pub(super) salts: [u8; 8],
    /// The stored and the computed checksum.
    sums: [Checksum; 2],
}

impl WalHeader {
    pub(super) fn read(bytes: &[u8; HEADER]) -> Self {
        let (magic, page_bytes) = (read_u32(bytes, 0), read_u32(bytes, 8));
        let is_magic = magic & !1 == MAGIC;
        let big_endian = if is_magic { magic & 1 == 1 } else { cfg!(target_endian = "big") };
        let is_size = page_bytes.is_power_of_two() && PAGE_BYTES.contains(&page_bytes);
        let stored = Checksum::read(&bytes[HEADER_SUMMED..]);
        let computed = Checksum(0, 0).over(&bytes[..HEADER_SUMMED], big_endian);
        let is_valid = is_magic && is_size && read_u32(bytes, 4) == VERSION && stored == computed;
        let salts = bytes[16..24].try_into().expect("eight bytes");
        let page_bytes = if is_size { page_bytes } else { PAGE_BYTES_DEFAULT };
        Self { is_valid, big_endian, page_bytes, salts, sums: [stored, computed] }
    }
}

/// A frame without its page.
#[derive(Debug, Clone, Copy)]
pub(super) struct WalFrame {
    pub(super) page: u32,
    /// The size of the database in pages if the frame ends a commit; otherwise 0.
    pub(super) size: u32,
    pub(super) salts: [u8; 8],
    /// Whether it was written right after the frame before it.
    pub(super) follows: bool,
    /// Whether its header lies in one sector, from the size on.
    pub(super) in_one_sector: bool,
}

impl WalFrame {
    pub(super) const fn ends_commit(&self) -> bool {
        self.size != 0
    }
}

/// Returns whether the header of a frame at this offset lies in one sector, from the size on.
pub(super) const fn in_one_sector(offset: u64) -> bool {
    (offset + 4) / SECTOR_BYTES == (offset + FRAME_HEADER as u64 - 1) / SECTOR_BYTES
}

/// Reads the frames of a WAL in order.
pub(super) struct WalFrames<R> {
    file: R,
    pub(super) header: WalHeader,
    page: Vec<u8>,
    /// The stored and the computed checksum before the next frame. The next frame continues the
    /// computed one if only the stored one is damaged.
    before: [Checksum; 2],
    /// Where the next frame begins in the file.
    offset: u64,
}

impl<R: Read> WalFrames<R> {
    pub(super) fn new(file: R, header: WalHeader) -> Self {
        let page = vec![0; usize::try_from(header.page_bytes).expect("pages are small")];
        Self { file, header, page, before: header.sums, offset: HEADER as u64 }
    }

    /// Reads the next frame. Returns `None` at the end of the file, even in the middle of a frame.
    pub(super) fn next(&mut self) -> io::Result<Option<WalFrame>> {
        let mut head = [0; FRAME_HEADER];
        for part in [&mut head[..], &mut self.page[..]] {
            match self.file.read_exact(part) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        let big_endian = self.header.big_endian;
        let after = |before: Checksum| {
            before.over(&head[..FRAME_SUMMED], big_endian).over(&self.page, big_endian)
        };
        let [before_stored, before_computed] = self.before;
        let (stored, computed) = (Checksum::read(&head[16..]), after(before_stored));
        let follows = stored == computed
            || before_stored != before_computed && stored == after(before_computed);
        self.before = [stored, computed];
        let in_one_sector = in_one_sector(self.offset);
        self.offset += FRAME_HEADER as u64 + u64::from(self.header.page_bytes);
        let (page, size) = (read_u32(&head, 0), read_u32(&head, 4));
        let salts = head[8..16].try_into().expect("eight bytes");
        Ok(Some(WalFrame { page, size, salts, follows, in_one_sector }))
    }
}
