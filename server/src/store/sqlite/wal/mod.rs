//! Finds damage in SQLite's write-ahead log (WAL) before SQLite opens it. SQLite itself accepts
//! the WAL as far as its checksums hold and silently drops the rest, because it cannot tell a torn
//! write from a flipped byte. This server can, because it syncs each commit before it writes the
//! next one.
//!
//! The format is that of <https://www.sqlite.org/fileformat2.html>, "The Write-Ahead Log": a header
//! of 32 bytes, then frames of 24 bytes and a page each. A frame names its page, the size of the
//! database in pages if it ends a commit (0 otherwise), the header's two salts, and a checksum.
//! The checksum runs through all frames from the header on: each frame's checksum continues that of
//! the frame before. Therefore also behind a bad frame it can be seen that a frame was written
//! right after the one before it: it *follows* it.
//!
//! The file may hold:
//!
//! - Frames of the present generation, which carry the header's salts. Those that `SQLite` accepts
//!   come first: all commits except possibly the last one.
//! - Behind them any frames of the last commit, whole, torn or missing. A power cut keeps an
//!   arbitrary part of what was not synced, possibly with the frame that ends the commit. This is
//!   no damage: the commit was not acknowledged.
//! - Frames with the present salts that were never committed: preallocated space, pages that were
//!   written early and rolled back, a commit whose sync failed. They were overwritten from their
//!   beginning, so that the remaining ones follow none of the frames before them.
//! - Frames of earlier generations, with other salts.
//!
//! A frame that follows one that ends a commit was written by the *next* commit, after that one was
//! synced. Therefore **the WAL is damaged if, at or behind the first frame that `SQLite` does not
//! accept, a frame with the present salts follows one that ends a commit.** Nothing in the list
//! above looks so.
//!
//! A frame's header says whether it ends a commit. This is certain if the frame's checksum holds.
//! If not, the header may be a mixture of an old and a new frame. Then it counts only if it lies in
//! one sector, whose beginning is never older than its end, and if a whole commit follows: frames
//! that were never committed have none.
//!
//! Undetected is damage inside the very last commit, which looks like a torn one. So is damage in
//! the last but one, if it hits the header of the frame that ends it, or if that header lies across
//! two sectors.
//!
//! `SQLite` drops the whole WAL if its header does not hold. A power cut can tear the header only
//! when the WAL restarts, after all of it has been copied into the database and synced. Therefore a
//! bad header is damage if the database lacks anything that the frames hold.

#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    fmt,
    fs::File,
    io::{self, BufReader, Read},
    os::unix::fs::FileExt as _,
    path::Path,
};

use data_encoding::HEXLOWER;

pub(super) const HEADER: usize = 32;
/// Bytes of the file's header that its checksum covers.
const HEADER_SUMMED: usize = 24;

pub(super) const FRAME_HEADER: usize = 24;
/// Bytes of a frame's header that its checksum covers.
const FRAME_SUMMED: usize = 8;

/// The magic number. Its last bit says whether checksums read big-endian words.
const MAGIC: u32 = 0x377f_0682;
const VERSION: u32 = 3_007_000;

const PAGE_BYTES: std::ops::RangeInclusive<u32> = 512..=65_536;
/// The default page size, for a damaged header.
const PAGE_BYTES_DEFAULT: u32 = 4096;

/// Bytes that every disk writes whole, or at least from their beginning.
pub(super) const SECTOR_BYTES: u64 = 512;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Checksum(u32, u32);

impl Checksum {
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

pub(super) fn read_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

#[derive(Debug, Clone, Copy)]
pub(super) struct WalHeader {
    pub(super) is_valid: bool,
    big_endian: bool,
    pub(super) page_bytes: u32,
    pub(super) salts: [u8; 8],
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

pub(super) struct WalFrames<R> {
    file: R,
    pub(super) header: WalHeader,
    page: Vec<u8>,
    /// The stored and the computed checksum before the next frame. The next frame continues the
    /// computed one if only the stored one is damaged.
    before: [Checksum; 2],
    offset: u64,
}

/// The end of the frames that were read up to here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FramesEnd {
    pub(super) offset: u64,
    /// The checksum that the next frame continues.
    checksum: Checksum,
}

impl<R: Read> WalFrames<R> {
    pub(super) fn new(file: R, header: WalHeader) -> Self {
        let page = vec![0; usize::try_from(header.page_bytes).expect("pages are small")];
        Self { file, header, page, before: header.sums, offset: HEADER as u64 }
    }

    /// Continues in a file that stands behind frames that were read before.
    pub(super) fn behind(file: R, header: WalHeader, end: FramesEnd) -> Self {
        let FramesEnd { offset, checksum } = end;
        Self { before: [checksum; 2], offset, ..Self::new(file, header) }
    }

    /// Returns where the frame ends that was read last, which must follow the one before.
    pub(super) const fn end(&self) -> FramesEnd {
        FramesEnd { offset: self.offset, checksum: self.before[1] }
    }

    /// Returns the page of the frame that was read last.
    pub(super) fn page(&self) -> &[u8] {
        &self.page
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

const READ_BYTES: usize = 64 * 1024;

/// The part of a damaged WAL that is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    pub frames: u64,
    /// Number of commits among them, at least: an unreadable one is not counted.
    pub commits: u64,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { frames, commits } = self;
        write!(f, "{frames} frames with at least {commits} commits are cut off")
    }
}

/// Returns what a damaged WAL has lost. Returns `None` if the WAL is whole, torn by a power cut, or
/// missing; then it is synced, so that each commit is on the disk before the next one is written.
pub(crate) fn examine(wal: &Path, database: &Path) -> io::Result<Option<Loss>> {
    let file = match File::open(wal) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let Some(header) = read_header(&file)? else { return Ok(None) };
    let frames = WalFrames::new(BufReader::with_capacity(READ_BYTES, &file), header);
    let loss = if header.is_valid {
        lost_commits(frames)?
    } else {
        let loss = collect_commits(frames)?;
        if database_contains(database, &loss.pages, &file, header)? {
            None
        } else {
            Some(loss.loss)
        }
    };
    if loss.is_none() {
        file.sync_all()?;
    }
    Ok(loss)
}

/// Returns the salts in hex, which differ between generations of a WAL; `None` without a header.
pub(crate) fn generation(wal: &Path) -> io::Result<Option<String>> {
    let header = read_header(&File::open(wal)?)?;
    Ok(header.map(|header| HEXLOWER.encode(&header.salts)))
}

/// Reads the header; `None` if the file is too short.
pub(super) fn read_header(mut file: &File) -> io::Result<Option<WalHeader>> {
    let mut bytes = [0; HEADER];
    match file.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(WalHeader::read(&bytes))),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the commits at or behind the first frame that `SQLite` does not accept.
pub(super) fn lost_commits(mut frames: WalFrames<impl Read>) -> io::Result<Option<Loss>> {
    let salts = frames.header.salts;
    let mut accepts = true;
    // Counted from the last accepted commit.
    let mut since = Loss { frames: 0, commits: 0 };
    let mut loss = None;
    let mut run = Run::default();
    let mut before: Option<Unaccepted> = None;
    while let Some(frame) = frames.next()? {
        let is_present = frame.salts == salts;
        accepts = accepts && frame.follows && is_present && frame.page != 0;
        if accepts {
            since.frames = if frame.ends_commit() { 0 } else { since.frames + 1 };
            continue;
        }
        // The checksum does not cover the salts. One may be damaged; its neighbour's is enough.
        match before.filter(|before| frame.follows && (before.is_present || is_present)) {
            Some(before) => {
                run.extend(before);
                loss = if before.ends_commit == CommitEnd::Certain { Some(since) } else { loss };
            }
            None => run = Run::default(),
        }
        since.frames += 1;
        since.commits += u64::from(frame.ends_commit() && (is_present || frame.follows));
        if run != Run::Unknown && frame.ends_commit() {
            run = Run::AfterCommit;
            loss = Some(since);
        }
        let ends_commit = match (frame.ends_commit(), frame.follows, frame.in_one_sector) {
            (true, true, _) => CommitEnd::Certain,
            (true, false, true) => CommitEnd::Possible,
            (true, false, false) | (false, ..) => CommitEnd::No,
        };
        before = Some(Unaccepted { is_present, ends_commit });
    }
    Ok(loss)
}

#[derive(Debug, Clone, Copy)]
struct Unaccepted {
    /// Whether it carries the header's salts.
    is_present: bool,
    ends_commit: CommitEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CommitEnd {
    Certain,
    /// Yes, unless its header is a mixture of two frames.
    Possible,
    No,
}

/// A run of frames, each following the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Run {
    /// Nothing is known about its start.
    #[default]
    Unknown,
    /// It follows a frame that may end a commit.
    PossiblyAfterCommit,
    /// It follows a frame that ends a commit.
    AfterCommit,
}

impl Run {
    fn extend(&mut self, before: Unaccepted) {
        *self = match (before.ends_commit, *self) {
            (CommitEnd::Certain, _) | (_, Self::AfterCommit) => Self::AfterCommit,
            (CommitEnd::Possible, _) | (_, Self::PossiblyAfterCommit) => Self::PossiblyAfterCommit,
            (CommitEnd::No, Self::Unknown) => Self::Unknown,
        };
    }
}

struct Collected {
    loss: Loss,
    pages: HashMap<u32, u64>,
}

/// Collects the commits of the generation at the start of the file.
fn collect_commits(mut frames: WalFrames<impl Read>) -> io::Result<Collected> {
    let frame_bytes = FRAME_HEADER as u64 + u64::from(frames.header.page_bytes);
    let mut collected = Collected { loss: Loss { frames: 0, commits: 0 }, pages: HashMap::new() };
    let (mut salts, mut written, mut index) = (None, Vec::new(), 0);
    while let Some(frame) = frames.next()? {
        let offset = HEADER as u64 + index * frame_bytes + FRAME_HEADER as u64;
        index += 1;
        if !frame.follows || *salts.get_or_insert(frame.salts) != frame.salts {
            written.clear();
            continue;
        }
        written.push((frame.page, offset));
        if frame.ends_commit() {
            collected.loss = Loss { frames: index, commits: collected.loss.commits + 1 };
            collected.pages.extend(written.drain(..));
            collected.pages.retain(|page, _| *page <= frame.size);
        }
    }
    Ok(collected)
}

/// Returns whether the database has the same content for these pages as the WAL.
fn database_contains(
    database: &Path,
    pages: &HashMap<u32, u64>,
    wal: &File,
    header: WalHeader,
) -> io::Result<bool> {
    if pages.is_empty() {
        return Ok(true);
    }
    let database = match File::open(database) {
        Ok(database) => database,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let length = usize::try_from(header.page_bytes).expect("pages are small");
    let (mut ours, mut theirs) = (vec![0; length], vec![0; length]);
    for (page, offset) in pages {
        let at = u64::from(page.saturating_sub(1)) * u64::from(header.page_bytes);
        wal.read_exact_at(&mut ours, *offset)?;
        match database.read_exact_at(&mut theirs, at) {
            Ok(()) if ours == theirs => {}
            Ok(()) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}
