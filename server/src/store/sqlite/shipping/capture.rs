//! Follows the WAL: collects the pages of all commits since the last segment.
//!
//! `SQLite` overwrites the WAL from its beginning once all of it is in the database. The writer
//! alone copies it there, and has the frames collected first, so that none is overwritten unseen.
//! Each restart of the WAL adds one to the first of its salts. Where the frames do not continue
//! nonetheless, such as after another program has copied the WAL or a sync has failed, there is a
//! gap, and a new generation begins.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufReader, Seek as _, SeekFrom},
    os::unix::fs::FileExt as _,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use bytes::Bytes;
use parking_lot::Mutex;
use rusqlite::hooks::Wal;

use super::segment::{Segment, SegmentHead};
use crate::{
    limits::SHIP_READ_BYTES,
    store::sqlite::wal::{self, FRAME_HEADER, FramesEnd, HEADER, WalFrames, WalHeader, read_u32},
};

/// Where the frames that were collected end.
#[derive(Debug, Clone, Copy)]
struct Position {
    salts: [u8; 8],
    end: Option<FramesEnd>,
    /// The header of the last frame.
    last: [u8; FRAME_HEADER],
}

#[derive(Debug)]
pub(super) struct Capture {
    wal: PathBuf,
    /// `None` until the WAL has a header.
    at: Option<Position>,
    pages: BTreeMap<u32, Bytes>,
    page_bytes: u32,
    /// Pages of the database after the last commit.
    size: u32,
    /// The number of the next segment.
    next: u64,
    /// The segment with the first frame of the present WAL.
    wal_begins_in: u64,
    /// Whether nothing was committed between the last look and the copy of the WAL that followed.
    is_sealed: bool,
    /// Why the frames do not continue.
    gap: Option<&'static str>,
    /// Bytes of segments that wait elsewhere.
    pub(super) waiting: usize,
    /// Bytes that may wait in all.
    waiting_max: usize,
    /// Frames of the WAL after the last commit, as the writer knows.
    committed: Arc<AtomicU32>,
    /// The same if they were collected and then copied into the database since; otherwise 0.
    sealed: Arc<AtomicU32>,
}

impl Capture {
    pub(super) fn new(wal: PathBuf, waiting_max: usize) -> Self {
        Self {
            wal,
            at: None,
            pages: BTreeMap::new(),
            page_bytes: 0,
            size: 0,
            next: 1,
            wal_begins_in: 1,
            is_sealed: false,
            gap: Some("the server has started"),
            waiting: 0,
            waiting_max,
            committed: Arc::default(),
            sealed: Arc::default(),
        }
    }

    /// Begins again, with the first frame of the WAL.
    pub(super) fn begin(&mut self) {
        let begun = Self::new(std::mem::take(&mut self.wal), self.waiting_max);
        let (committed, sealed) = (Arc::clone(&self.committed), Arc::clone(&self.sealed));
        *self = Self { gap: None, committed, sealed, ..begun };
    }

    pub(super) const fn gap(&self) -> Option<&'static str> {
        self.gap
    }

    /// Drops what was collected: the segments do not continue.
    pub(super) fn lose(&mut self, why: &'static str) {
        self.gap.get_or_insert(why);
        self.pages.clear();
    }

    /// The segment from which on a copy of the database that begins now needs them all. The
    /// database has all that earlier WALs had. While it is copied the WAL may be copied into it; the
    /// segments then put right what the copy has of those pages.
    pub(super) const fn needed_from(&self) -> u64 {
        self.wal_begins_in
    }

    /// The last segment that a copy of the database needs that has ended now.
    pub(super) fn needed_until(&self) -> u64 {
        if self.pages.is_empty() { self.next - 1 } else { self.next }
    }

    /// Collects the commits since the last look. A read error counts as a gap.
    pub(super) fn follow(&mut self) {
        if self.gap.is_none()
            && let Err(error) = self.try_follow()
        {
            tracing::debug!(%error, "the WAL cannot be read");
            self.lose("the WAL cannot be read");
        }
    }

    fn try_follow(&mut self) -> io::Result<()> {
        let committed = self.committed.load(Ordering::Acquire);
        let mut file = match File::open(&self.wal) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        // A header that does not hold is being written.
        let Some(header) = wal::read_header(&file)?.filter(|header| header.is_valid) else {
            return Ok(());
        };
        let Some(mut at) = self.position_in(&file, &header)? else { return Ok(()) };
        let offset = at.end.map_or(HEADER as u64, |end| end.offset);
        file.seek(SeekFrom::Start(offset))?;
        let reader = BufReader::with_capacity(SHIP_READ_BYTES, &file);
        let mut frames = match at.end {
            Some(end) => WalFrames::behind(reader, header, end),
            None => WalFrames::new(reader, header),
        };
        let mut commit = Vec::new();
        while let Some(frame) = frames.next()? {
            if !frame.follows || frame.salts != header.salts || frame.page == 0 {
                break;
            }
            commit.push((frame.page, Bytes::copy_from_slice(frames.page())));
            if frame.ends_commit() {
                self.pages.extend(commit.drain(..));
                (self.size, self.page_bytes) = (frame.size, header.page_bytes);
                at.end = Some(frames.end());
                self.is_sealed = false;
            }
        }
        let frame_bytes = FRAME_HEADER as u64 + u64::from(header.page_bytes);
        let collected = at.end.map_or(0, |end| (end.offset - HEADER as u64) / frame_bytes);
        if collected < committed.into() && committed <= self.committed.load(Ordering::Acquire) {
            self.lose("the WAL does not hold what was committed");
            return Ok(());
        }
        if let Some(end) = at.end {
            at.last = frame_header(&file, end, &header)?;
            // A generation may begin when all of the WAL is in the database already.
            self.is_sealed |= collected == u64::from(self.sealed.load(Ordering::Acquire));
        }
        self.at = Some(at);
        let waiting = self.pages.len() * usize::try_from(self.page_bytes).unwrap_or(usize::MAX);
        if waiting + self.waiting > self.waiting_max {
            self.lose("more waits to be shipped than may wait");
        }
        Ok(())
    }

    /// Returns where the commits go on; `None` if there is a gap.
    fn position_in(&mut self, file: &File, header: &WalHeader) -> io::Result<Option<Position>> {
        let begin = Position { salts: header.salts, end: None, last: [0; FRAME_HEADER] };
        // A WAL without a commit begins again under any salts.
        let Some(at) = self.at.filter(|at| at.end.is_some()) else { return Ok(Some(begin)) };
        if at.salts != header.salts {
            let restarts = read_u32(&header.salts, 0).wrapping_sub(read_u32(&at.salts, 0));
            if !self.is_sealed || restarts != 1 {
                self.lose("the WAL was copied into the database before it was shipped");
                return Ok(None);
            }
            self.wal_begins_in = self.next;
            self.is_sealed = false;
            return Ok(Some(begin));
        }
        if let Some(end) = at.end
            && frame_header(file, end, header)? != at.last
        {
            self.lose("a commit was taken back");
            return Ok(None);
        }
        Ok(Some(at))
    }

    /// Collects all commits, just before the WAL is copied into the database. Called by the writer.
    pub(super) fn seal(&mut self) {
        self.follow();
        self.is_sealed = true;
    }

    /// Makes a segment of what was collected; `None` if there is nothing.
    pub(super) fn take(&mut self, now_ms: u64) -> Option<Segment> {
        if self.pages.is_empty() {
            return None;
        }
        let (page_bytes, size) = (self.page_bytes, self.size);
        let head = SegmentHead::new(self.next, now_ms, page_bytes, size);
        self.next += 1;
        Some(Segment { head, pages: std::mem::take(&mut self.pages) })
    }
}

fn frame_header(file: &File, end: FramesEnd, header: &WalHeader) -> io::Result<[u8; FRAME_HEADER]> {
    let mut bytes = [0; FRAME_HEADER];
    let frame = FRAME_HEADER as u64 + u64::from(header.page_bytes);
    file.read_exact_at(&mut bytes, end.offset - frame)?;
    Ok(bytes)
}

/// What the writer does after each commit in the place of what `SQLite` does: it copies a WAL of
/// this many pages into the database, after its frames were collected. Moves wait for this as they
/// do without shipping.
pub(super) fn copy_when_full(
    capture: Arc<Mutex<Capture>>,
    pages_max: u32,
) -> impl FnMut(&mut Wal, std::ffi::c_int) -> rusqlite::Result<()> + Send + 'static {
    let (mut last, mut sealed) = (0, 0);
    let (committed, in_database) = {
        let capture = capture.lock();
        (Arc::clone(&capture.committed), Arc::clone(&capture.sealed))
    };
    move |wal, pages| {
        let pages = pages.unsigned_abs();
        if pages <= last && sealed != last {
            capture.lock().lose("another program has copied the WAL into the database");
        }
        last = pages;
        committed.store(pages, Ordering::Release);
        if pages >= pages_max {
            capture.lock().seal();
            sealed = pages;
            in_database.store(pages, Ordering::Release);
            // As with `SQLite`'s own copy, the next commit tries again.
            drop(wal.checkpoint());
        } else {
            in_database.store(0, Ordering::Release);
        }
        Ok(())
    }
}
