//! Whether `SQLite`'s log was damaged, found before `SQLite` opens it. By itself it takes the log as
//! far as its checksums hold and drops the rest without a word, because it cannot tell a torn write
//! from a flipped byte. This server can, for it syncs each commit before it writes the next one.
//!
//! The format is that of <https://www.sqlite.org/fileformat2.html>, "The Write-Ahead Log": a header
//! of 32 bytes, then frames of 24 bytes and a page each. A frame names its page, the size of the
//! database in pages if it is the last of its commit (0 otherwise), the two salts of the header, and
//! a checksum. The checksum runs through all frames from the header on: each frame's begins where
//! that of the frame before ended, and that end stands in that frame. So it can be seen behind a bad
//! frame, too, that a frame was written right after the one before it: it *follows* it.
//!
//! What may lie in the file:
//!
//! - The frames of the present generation, which carry the header's salts. Those that `SQLite`
//!   accepts come first: all commits but possibly the last one.
//! - Behind them, of the last commit, any of its frames, whole, torn or missing: a power cut keeps
//!   what it likes of what was not synced, the frame that ends the commit among it. This is no
//!   damage, and no client was told of that commit.
//! - Frames with the present salts that were never committed: the room that was made for the log at
//!   the start, pages that were written out early and taken back, a commit whose sync failed. They
//!   were written over from their beginning, so that what is left follows none of what lies before.
//! - Frames of earlier generations, with other salts.
//!
//! A frame that follows one that ends a commit was written by the *next* commit, after the sync of
//! that one. So **the log is damaged if, at or behind the first frame that `SQLite` does not accept, a
//! frame with the present salts follows one that ends a commit.** Nothing in the list above looks so.
//!
//! That a frame ends a commit stands in its header, and is certain if the frame's own checksum holds.
//! If it does not, the header may be a mixture of what was written last and what lay there before,
//! whose end the frame behind it follows. So then it counts only if the header lies in one sector,
//! whose beginning is never older than its end, and if behind it a whole commit follows: what was
//! never committed has none.
//!
//! What this cannot see is damage inside the very last commit, which looks like a torn one; and in
//! the last but one, if it hits the header of the frame that ends it, or that header lies across two
//! sectors.
//!
//! A header that does not hold makes `SQLite` drop the whole log. A power cut can tear it only while
//! the log begins anew, when all that the log held had been copied into the database and synced. So
//! then it is damage if the database lacks anything of what the frames hold.

use std::{
    collections::HashMap,
    fmt,
    fs::File,
    io::{self, BufReader, Read},
    os::unix::fs::FileExt as _,
    path::Path,
};

use data_encoding::HEXLOWER;

/// Bytes of the file's header, and what of it the checksum covers.
const HEADER: usize = 32;
const HEADER_SUMMED: usize = 24;

/// Bytes of a frame's header, and what of it the checksum covers.
const FRAME_HEADER: usize = 24;
const FRAME_SUMMED: usize = 8;

/// How the file begins; the last bit says whether checksums take numbers as big-endian.
const MAGIC: u32 = 0x377f_0682;
/// The only version of the format.
const VERSION: u32 = 3_007_000;

/// Sizes of a page that the format knows, in bytes.
const PAGE_BYTES: std::ops::RangeInclusive<u32> = 512..=65_536;
/// The usual one, where the file does not say it any more.
const PAGE_BYTES_USUAL: u32 = 4096;

/// What a damaged log no longer gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// Frames behind the last commit that can be read.
    pub frames: u64,
    /// Commits that these frames ended, at the least: one that is itself unreadable is not seen.
    pub commits: u64,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { frames, commits } = self;
        write!(f, "{frames} frames with at least {commits} commits are cut off")
    }
}

/// Bytes of the log that are read at once.
const READ_BYTES: usize = 64 * 1024;

/// What every disk writes whole or from its beginning, in bytes.
const SECTOR_BYTES: u64 = 512;

/// A running checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sum(u32, u32);

impl Sum {
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
        Self(number(bytes, 0), number(bytes, 4))
    }
}

/// A number as headers have it.
fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// What the file's header says, and whether `SQLite` believes it.
#[derive(Debug, Clone, Copy)]
struct Header {
    holds: bool,
    big_endian: bool,
    page_bytes: u32,
    salts: [u8; 8],
    /// The checksum that stands in it, and the one that should.
    sums: [Sum; 2],
}

impl Header {
    fn read(bytes: &[u8; HEADER]) -> Self {
        let (magic, page_bytes) = (number(bytes, 0), number(bytes, 8));
        let is_magic = magic & !1 == MAGIC;
        let big_endian = if is_magic { magic & 1 == 1 } else { cfg!(target_endian = "big") };
        let is_size = page_bytes.is_power_of_two() && PAGE_BYTES.contains(&page_bytes);
        let stands = Sum::read(&bytes[HEADER_SUMMED..]);
        let should = Sum(0, 0).over(&bytes[..HEADER_SUMMED], big_endian);
        let holds = is_magic && is_size && number(bytes, 4) == VERSION && stands == should;
        let salts = bytes[16..24].try_into().expect("eight bytes");
        let page_bytes = if is_size { page_bytes } else { PAGE_BYTES_USUAL };
        Self { holds, big_endian, page_bytes, salts, sums: [stands, should] }
    }
}

/// A frame without its page.
#[derive(Debug, Clone, Copy)]
struct Frame {
    page: u32,
    /// The size of the database in pages, if the frame ends a commit.
    size: u32,
    salts: [u8; 8],
    /// Whether it was written right after what lies before it.
    follows: bool,
    /// Whether its header can only be torn together with its checksum.
    in_one_sector: bool,
}

impl Frame {
    const fn ends_commit(&self) -> bool {
        self.size != 0
    }
}

/// Whether the header of a frame at that place lies in one sector, from the size on to its end.
const fn in_one_sector(place: u64) -> bool {
    (place + 4) / SECTOR_BYTES == (place + FRAME_HEADER as u64 - 1) / SECTOR_BYTES
}

/// The frames of a log, one after the other.
struct Frames<R> {
    file: R,
    header: Header,
    page: Vec<u8>,
    /// The checksum that stands before the next frame; and the one that should stand there, which the
    /// next frame goes on from if no more than the checksum was damaged.
    before: [Sum; 2],
    /// Where in the file it begins.
    place: u64,
}

impl<R: Read> Frames<R> {
    fn new(file: R, header: Header) -> Self {
        let page = vec![0; usize::try_from(header.page_bytes).expect("pages are small")];
        Self { file, header, page, before: header.sums, place: HEADER as u64 }
    }

    /// The next one; `None` where the file ends, also in the middle of one.
    fn next(&mut self) -> io::Result<Option<Frame>> {
        let mut head = [0; FRAME_HEADER];
        for part in [&mut head[..], &mut self.page[..]] {
            match self.file.read_exact(part) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        let big_endian = self.header.big_endian;
        let after = |before: Sum| {
            before.over(&head[..FRAME_SUMMED], big_endian).over(&self.page, big_endian)
        };
        let [stood, should_have] = self.before;
        let (stands, should) = (Sum::read(&head[16..]), after(stood));
        let follows = stands == should || stood != should_have && stands == after(should_have);
        self.before = [stands, should];
        let in_one_sector = in_one_sector(self.place);
        self.place += FRAME_HEADER as u64 + u64::from(self.header.page_bytes);
        let (page, size) = (number(&head, 0), number(&head, 4));
        let salts = head[8..16].try_into().expect("eight bytes");
        Ok(Some(Frame { page, size, salts, follows, in_one_sector }))
    }
}

/// What a log that was damaged no longer gives; `None` if it is whole, or torn as a power cut may
/// leave it, or not there. Such a log is then synced, so that also over a crash each commit is on
/// the disk before the next one is written.
pub(super) fn examine(log: &Path, database: &Path) -> io::Result<Option<Loss>> {
    let file = match File::open(log) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let Some(header) = header_of(&file)? else { return Ok(None) };
    let frames = Frames::new(BufReader::with_capacity(READ_BYTES, &file), header);
    let loss = if header.holds {
        behind_accepted(frames)?
    } else {
        let loss = all_of(frames)?;
        if is_in(database, &loss.pages, &file, header)? { None } else { Some(loss.loss) }
    };
    if loss.is_none() {
        file.sync_all()?;
    }
    Ok(loss)
}

/// What tells one generation of a log from another: its salts, in hex. `None` if there is no header.
pub(super) fn generation(log: &Path) -> io::Result<Option<String>> {
    let header = header_of(&File::open(log)?)?;
    Ok(header.map(|header| HEXLOWER.encode(&header.salts)))
}

/// The header, read from the beginning of the file; `None` if the file is too short to have one.
fn header_of(mut file: &File) -> io::Result<Option<Header>> {
    let mut bytes = [0; HEADER];
    match file.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(Header::read(&bytes))),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// Looks for a later commit at or behind the first frame that `SQLite` does not accept.
fn behind_accepted(mut frames: Frames<impl Read>) -> io::Result<Option<Loss>> {
    let salts = frames.header.salts;
    let mut accepts = true;
    // Since the last commit that is accepted.
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
        // A damaged salt is no part of the checksum: one of two neighbours shows whose they are.
        match before.filter(|before| frame.follows && (before.is_present || is_present)) {
            Some(before) => {
                run.goes_on_behind(before);
                loss = if before.ends_commit == End::Certain { Some(since) } else { loss };
            }
            None => run = Run::default(),
        }
        since.frames += 1;
        since.commits += u64::from(frame.ends_commit() && (is_present || frame.follows));
        if run != Run::Any && frame.ends_commit() {
            run = Run::BehindCommit;
            loss = Some(since);
        }
        let ends_commit = match (frame.ends_commit(), frame.follows, frame.in_one_sector) {
            (true, true, _) => End::Certain,
            (true, false, true) => End::Possible,
            (true, false, false) | (false, ..) => End::No,
        };
        before = Some(Unaccepted { is_present, ends_commit });
    }
    Ok(loss)
}

/// A frame that `SQLite` does not accept.
#[derive(Debug, Clone, Copy)]
struct Unaccepted {
    /// Whether it carries the present salts.
    is_present: bool,
    ends_commit: End,
}

/// Whether a frame ends a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Certain,
    /// Unless its header is a mixture.
    Possible,
    No,
}

/// Frames behind each other, each following the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Run {
    /// Nothing is known of them.
    #[default]
    Any,
    /// They follow a frame that may end a commit.
    PerhapsBehindCommit,
    /// They follow one that does.
    BehindCommit,
}

impl Run {
    fn goes_on_behind(&mut self, before: Unaccepted) {
        *self = match (before.ends_commit, *self) {
            (End::Certain, _) | (_, Self::BehindCommit) => Self::BehindCommit,
            (End::Possible, _) | (_, Self::PerhapsBehindCommit) => Self::PerhapsBehindCommit,
            (End::No, Self::Any) => Self::Any,
        };
    }
}

/// All that a log holds whose header does not.
struct All {
    loss: Loss,
    /// Where in the log the last version of each page is that the database has.
    pages: HashMap<u32, u64>,
}

/// Gathers the commits of the generation that the log begins with.
fn all_of(mut frames: Frames<impl Read>) -> io::Result<All> {
    let frame_bytes = FRAME_HEADER as u64 + u64::from(frames.header.page_bytes);
    let mut all = All { loss: Loss { frames: 0, commits: 0 }, pages: HashMap::new() };
    let (mut salts, mut written, mut index) = (None, Vec::new(), 0);
    while let Some(frame) = frames.next()? {
        let place = HEADER as u64 + index * frame_bytes + FRAME_HEADER as u64;
        index += 1;
        if !frame.follows || *salts.get_or_insert(frame.salts) != frame.salts {
            written.clear();
            continue;
        }
        written.push((frame.page, place));
        if frame.ends_commit() {
            all.loss = Loss { frames: index, commits: all.loss.commits + 1 };
            all.pages.extend(written.drain(..));
            all.pages.retain(|page, _| *page <= frame.size);
        }
    }
    Ok(all)
}

/// Whether the database has these pages as they are in the log.
fn is_in(
    database: &Path,
    pages: &HashMap<u32, u64>,
    log: &File,
    header: Header,
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
    for (page, place) in pages {
        let at = u64::from(page.saturating_sub(1)) * u64::from(header.page_bytes);
        log.read_exact_at(&mut ours, *place)?;
        match database.read_exact_at(&mut theirs, at) {
            Ok(()) if ours == theirs => {}
            Ok(()) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
    use rusqlite::Connection;
    use tempfile::TempDir;

    use super::*;
    use crate::store::sqlite::connection;

    /// Commits of a log.
    const COMMITS: usize = 14;

    #[expect(clippy::cast_possible_truncation, reason = "a sector is 512 bytes")]
    const SECTOR: usize = SECTOR_BYTES as usize;

    /// A log in which commits of several frames lie, as a crash leaves it, and its database.
    struct Crashed {
        directory: TempDir,
        log: Vec<u8>,
        /// Behind which frames commits end.
        ends: Vec<usize>,
        /// What lay there before the last commit.
        before_last: Vec<u8>,
    }

    /// As much of it as is looked at: some of what lies behind the last commit, too.
    const LENGTH: usize = at(60);

    const FRAME: usize = FRAME_HEADER + 4096;

    const fn at(frame: usize) -> usize {
        HEADER + frame * FRAME
    }

    impl Crashed {
        /// With so many generations of the log behind it.
        fn after(generations: usize) -> Self {
            let source = tempfile::tempdir().unwrap();
            let path = source.path().join("db");
            let log_path = source.path().join("db-wal");
            let connection = Connection::open(&path).unwrap();
            connection::configure(&connection).unwrap();
            connection.execute_batch("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)").unwrap();
            connection::preallocate_wal(&connection, 1, &log_path).unwrap();
            let commit = |bytes: i64| {
                connection.execute("INSERT INTO t (b) VALUES (randomblob(?1))", [bytes]).unwrap();
            };
            for _ in 0..generations {
                (0..COMMITS).for_each(|_| commit(6000));
                connection.query_row("PRAGMA wal_checkpoint", [], |_| Ok(())).unwrap();
            }
            let mut before_last = Vec::new();
            for number in 0..COMMITS {
                before_last = fs::read(&log_path).unwrap();
                // The last has several frames to tear.
                commit(if number % 3 == 0 || number == COMMITS - 1 { 12_000 } else { 50 });
            }
            let mut log = fs::read(&log_path).unwrap();
            assert!(log.len() > LENGTH && before_last.len() > LENGTH);
            log.truncate(LENGTH);
            before_last.truncate(LENGTH);
            let directory = tempfile::tempdir().unwrap();
            fs::copy(&path, directory.path().join("db")).unwrap();
            let salts = &log[16..24];
            let frames = (log.len() - HEADER) / FRAME;
            let is_end = |frame: &usize| {
                let head = &log[at(*frame)..at(*frame) + FRAME_HEADER];
                number(head, 4) != 0 && &head[8..16] == salts
            };
            let ends: Vec<usize> = (0..frames).filter(is_end).map(|frame| frame + 1).collect();
            assert_eq!(ends.len(), COMMITS);
            assert!(ends[ends.len() - 1] - ends[ends.len() - 2] > 3, "{ends:?}");
            Self { directory, log, ends, before_last }
        }

        fn examine(&self, log: &[u8]) -> Option<Loss> {
            if let Some((header, frames)) = log.split_first_chunk()
                && Header::read(header).holds
            {
                return behind_accepted(Frames::new(frames, Header::read(header))).unwrap();
            }
            let path = self.directory.path().join("db-wal");
            fs::write(&path, log).unwrap();
            examine(&path, &self.directory.path().join("db")).unwrap()
        }

        /// How many rows `SQLite` finds.
        fn rows(&self, log: &[u8]) -> i64 {
            let copy = tempfile::tempdir().unwrap();
            fs::copy(self.directory.path().join("db"), copy.path().join("db")).unwrap();
            fs::write(copy.path().join("db-wal"), log).unwrap();
            let connection = Connection::open(copy.path().join("db")).unwrap();
            let count = "SELECT count(*) FROM t";
            connection.query_row(count, [], |row| row.get(0)).unwrap_or(-1)
        }

        /// The commit that a frame belongs to.
        fn commit_of(&self, frame: usize) -> usize {
            self.ends.iter().position(|end| frame < *end).unwrap()
        }
    }

    #[test]
    fn a_whole_log_is_no_damage_however_often_it_began_anew() {
        for generations in [0, 1, 2] {
            let crashed = Crashed::after(generations);
            assert_eq!(crashed.examine(&crashed.log), None);
            assert_eq!(crashed.examine(&crashed.log[..at(crashed.ends[7])]), None);
            assert_eq!(crashed.examine(&crashed.log[..HEADER]), None);
            assert_eq!(crashed.examine(&crashed.log[..HEADER - 1]), None);
            assert_eq!(crashed.examine(&[]), None);
        }
    }

    /// Places in a frame: its header's bytes, and of its page the first, some and the last.
    fn places() -> impl Iterator<Item = usize> {
        (0..FRAME_HEADER).chain([FRAME_HEADER, FRAME_HEADER + 7, 2000, FRAME - 1])
    }

    #[test]
    fn a_flipped_byte_is_noticed_with_what_it_costs() {
        let crashed = Crashed::after(1);
        let all = *crashed.ends.last().unwrap();
        let rows = crashed.rows(&crashed.log);
        for frame in 0..all {
            for place in places() {
                let mut log = crashed.log.clone();
                log[at(frame) + place] ^= 0x41;
                let loss = crashed.examine(&log);
                let commit = crashed.commit_of(frame);
                let behind = crashed.ends.len() - 1 - commit;
                let is_end = crashed.ends.contains(&(frame + 1));
                if behind == 0 && !(4..8).contains(&place) {
                    assert_eq!(loss, None, "frame {frame}, byte {place}: as if torn");
                }
                if behind == 0 || behind == 1 && is_end && !in_one_sector(at(frame) as u64) {
                    continue;
                }
                let loss = loss.unwrap_or_else(|| panic!("frame {frame}, byte {place}"));
                let accepted = if commit == 0 { 0 } else { crashed.ends[commit - 1] };
                assert_eq!(loss.frames, (all - accepted) as u64, "frame {frame}, byte {place}");
                let commits = (crashed.ends.len() - commit) as u64;
                // Where the byte was what told the end of a commit, there may be one more or less.
                assert!(loss.commits.abs_diff(commits) <= 1, "{loss:?}, {commits} expected");
                if place == 2000 && frame % 7 == 0 {
                    assert_eq!(crashed.rows(&log), rows - i64::try_from(commits).unwrap());
                }
            }
        }
    }

    #[test]
    fn a_damaged_header_costs_everything() {
        let crashed = Crashed::after(1);
        for place in 0..HEADER {
            let mut log = crashed.log.clone();
            log[place] ^= 0x20;
            let loss = crashed.examine(&log).unwrap_or_else(|| panic!("byte {place}"));
            assert_eq!(loss.commits, COMMITS as u64, "byte {place}");
            assert_eq!(loss.frames, *crashed.ends.last().unwrap() as u64, "byte {place}");
        }
    }

    #[test]
    fn several_damaged_places_and_lost_sectors_are_noticed() {
        let crashed = Crashed::after(1);
        let mut rng = SmallRng::seed_from_u64(7);
        let safe = at(crashed.ends[crashed.ends.len() - 4]);
        for _ in 0..300 {
            let mut log = crashed.log.clone();
            for _ in 0..rng.random_range(1..4) {
                let from = rng.random_range(0..safe) / SECTOR * SECTOR;
                let to = (from + SECTOR).min(safe);
                let byte = rng.random_range(0..=255);
                log[from..to].fill(byte);
            }
            assert!(crashed.examine(&log).is_some());
        }
    }

    /// Of what the last commit wrote, some is kept, some lost, and some torn.
    #[test]
    fn a_torn_commit_is_no_damage() {
        for generations in [0, 1] {
            let crashed = Crashed::after(generations);
            let [.., from, to] = *crashed.ends else { panic!("two commits") };
            let mut rng = SmallRng::seed_from_u64(11);
            for _ in 0..500 {
                let mut log = crashed.before_last.clone();
                log.resize(crashed.log.len().max(log.len()), 0);
                let kept = [0.1, 0.5, 0.9][rng.random_range(0..3)];
                let mut place = at(from);
                while place < at(to) {
                    let end = ((place / SECTOR + 1) * SECTOR).min(at(to));
                    if rng.random_bool(kept) {
                        let torn =
                            if rng.random_bool(0.2) { rng.random_range(place..end) } else { end };
                        log[place..torn].copy_from_slice(&crashed.log[place..torn]);
                    }
                    place = end;
                }
                assert_eq!(crashed.examine(&log), None);
            }
        }
    }

    /// The log begins anew once all of it is in the database; any part of the header may be new.
    #[test]
    fn a_torn_header_is_no_damage() {
        let source = tempfile::tempdir().unwrap();
        let path = source.path().join("db");
        let connection = Connection::open(&path).unwrap();
        connection::configure(&connection).unwrap();
        connection.execute_batch("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)").unwrap();
        let log_path = source.path().join("db-wal");
        connection::preallocate_wal(&connection, 1, &log_path).unwrap();
        for _ in 0..COMMITS {
            connection.execute("INSERT INTO t (b) VALUES (randomblob(6000))", []).unwrap();
        }
        connection.query_row("PRAGMA wal_checkpoint", [], |_| Ok(())).unwrap();
        let before = fs::read(&log_path).unwrap();
        let copy = tempfile::tempdir().unwrap();
        let database = copy.path().join("db");
        fs::copy(&path, &database).unwrap();
        connection.execute("INSERT INTO t (b) VALUES (randomblob(6000))", []).unwrap();
        let after = fs::read(&log_path).unwrap();
        assert_ne!(before[..HEADER], after[..HEADER]);
        for torn in 0..=HEADER {
            let mut log = before.clone();
            log[..torn].copy_from_slice(&after[..torn]);
            let path = copy.path().join("db-wal");
            fs::write(&path, &log).unwrap();
            assert_eq!(examine(&path, &database).unwrap(), None, "{torn} bytes are new");
        }
    }
}
