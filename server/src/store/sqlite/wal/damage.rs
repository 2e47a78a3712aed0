//! Whether a WAL is damaged, and how much of it is lost.

use std::{
    collections::HashMap,
    fmt,
    fs::File,
    io::{self, BufReader, Read},
    os::unix::fs::FileExt as _,
    path::Path,
};

use data_encoding::HEXLOWER;

use super::format::{FRAME_HEADER, HEADER, WalFrames, WalHeader};

/// Bytes of the WAL per read.
const READ_BYTES: usize = 64 * 1024;

/// The part of a damaged WAL that is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// Number of frames behind the last readable commit.
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
fn read_header(mut file: &File) -> io::Result<Option<WalHeader>> {
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

/// A frame that `SQLite` does not accept.
#[derive(Debug, Clone, Copy)]
struct Unaccepted {
    /// Whether it carries the header's salts.
    is_present: bool,
    ends_commit: CommitEnd,
}

/// Whether a frame ends a commit.
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

/// The commits of a WAL with an invalid header.
struct Collected {
    loss: Loss,
    /// The offset of the last version of each page.
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
