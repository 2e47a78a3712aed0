//! Damage is found, and what a power cut leaves is no damage.

use std::fs;

use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use rusqlite::Connection;
use tempfile::TempDir;

use super::{
    FRAME_HEADER, HEADER, Loss, SECTOR_BYTES, WalFrames, WalHeader, examine, in_one_sector,
    lost_commits, read_u32,
};
use crate::store::sqlite::connection;

const COMMITS: usize = 14;

#[expect(clippy::cast_possible_truncation, reason = "a sector is 512 bytes")]
const SECTOR: usize = SECTOR_BYTES as usize;

/// A WAL with commits of several frames as a crash leaves it, and its database.
struct Crashed {
    directory: TempDir,
    wal: Vec<u8>,
    /// The number of frames up to the end of each commit.
    ends: Vec<usize>,
    before_last: Vec<u8>,
}

/// The length that is checked, with some frames behind the last commit.
const LENGTH: usize = at(60);

const FRAME: usize = FRAME_HEADER + 4096;

const fn at(frame: usize) -> usize {
    HEADER + frame * FRAME
}

impl Crashed {
    fn after(generations: usize) -> Self {
        let source = tempfile::tempdir().unwrap();
        let path = source.path().join("db");
        let wal_path = source.path().join("db-wal");
        let connection = Connection::open(&path).unwrap();
        connection::configure(&connection).unwrap();
        connection.execute_batch("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)").unwrap();
        connection::preallocate_wal(&connection, 1, &wal_path).unwrap();
        let commit = |bytes: i64| {
            connection.execute("INSERT INTO t (b) VALUES (randomblob(?1))", [bytes]).unwrap();
        };
        for _ in 0..generations {
            (0..COMMITS).for_each(|_| commit(6000));
            connection.query_row("PRAGMA wal_checkpoint", [], |_| Ok(())).unwrap();
        }
        let mut before_last = Vec::new();
        for number in 0..COMMITS {
            before_last = fs::read(&wal_path).unwrap();
            // The last commit has several frames to tear.
            commit(if number % 3 == 0 || number == COMMITS - 1 { 12_000 } else { 50 });
        }
        let mut wal = fs::read(&wal_path).unwrap();
        assert!(wal.len() > LENGTH && before_last.len() > LENGTH);
        wal.truncate(LENGTH);
        before_last.truncate(LENGTH);
        let directory = tempfile::tempdir().unwrap();
        fs::copy(&path, directory.path().join("db")).unwrap();
        let salts = &wal[16..24];
        let frames = (wal.len() - HEADER) / FRAME;
        let is_end = |frame: &usize| {
            let head = &wal[at(*frame)..at(*frame) + FRAME_HEADER];
            read_u32(head, 4) != 0 && &head[8..16] == salts
        };
        let ends: Vec<usize> = (0..frames).filter(is_end).map(|frame| frame + 1).collect();
        assert_eq!(ends.len(), COMMITS);
        assert!(ends[ends.len() - 1] - ends[ends.len() - 2] > 3, "{ends:?}");
        Self { directory, wal, ends, before_last }
    }

    fn examine(&self, wal: &[u8]) -> Option<Loss> {
        if let Some((header, frames)) = wal.split_first_chunk()
            && WalHeader::read(header).is_valid
        {
            return lost_commits(WalFrames::new(frames, WalHeader::read(header))).unwrap();
        }
        let path = self.directory.path().join("db-wal");
        fs::write(&path, wal).unwrap();
        examine(&path, &self.directory.path().join("db")).unwrap()
    }

    fn rows(&self, wal: &[u8]) -> i64 {
        let copy = tempfile::tempdir().unwrap();
        fs::copy(self.directory.path().join("db"), copy.path().join("db")).unwrap();
        fs::write(copy.path().join("db-wal"), wal).unwrap();
        let connection = Connection::open(copy.path().join("db")).unwrap();
        let count = "SELECT count(*) FROM t";
        connection.query_row(count, [], |row| row.get(0)).unwrap_or(-1)
    }

    fn commit_of(&self, frame: usize) -> usize {
        self.ends.iter().position(|end| frame < *end).unwrap()
    }
}

#[test]
fn an_intact_wal_is_not_damaged_after_any_number_of_restarts() {
    for generations in [0, 1, 2] {
        let crashed = Crashed::after(generations);
        assert_eq!(crashed.examine(&crashed.wal), None);
        assert_eq!(crashed.examine(&crashed.wal[..at(crashed.ends[7])]), None);
        assert_eq!(crashed.examine(&crashed.wal[..HEADER]), None);
        assert_eq!(crashed.examine(&crashed.wal[..HEADER - 1]), None);
        assert_eq!(crashed.examine(&[]), None);
    }
}

/// Offsets in a frame: its header, and the first, some and the last of its page.
fn places() -> impl Iterator<Item = usize> {
    (0..FRAME_HEADER).chain([FRAME_HEADER, FRAME_HEADER + 7, 2000, FRAME - 1])
}

#[test]
fn a_flipped_byte_is_found_with_the_commits_it_costs() {
    let crashed = Crashed::after(1);
    let all = *crashed.ends.last().unwrap();
    let rows = crashed.rows(&crashed.wal);
    for frame in 0..all {
        for offset in places() {
            let mut wal = crashed.wal.clone();
            wal[at(frame) + offset] ^= 0x41;
            let loss = crashed.examine(&wal);
            let commit = crashed.commit_of(frame);
            let behind = crashed.ends.len() - 1 - commit;
            let is_end = crashed.ends.contains(&(frame + 1));
            if behind == 0 && !(4..8).contains(&offset) {
                assert_eq!(loss, None, "frame {frame}, byte {offset}: as if torn");
            }
            if behind == 0 || behind == 1 && is_end && !in_one_sector(at(frame) as u64) {
                continue;
            }
            let loss = loss.unwrap_or_else(|| panic!("frame {frame}, byte {offset}"));
            let accepted = if commit == 0 { 0 } else { crashed.ends[commit - 1] };
            assert_eq!(loss.frames, (all - accepted) as u64, "frame {frame}, byte {offset}");
            let commits = (crashed.ends.len() - commit) as u64;
            // A byte that marked the end of a commit may add or remove one.
            assert!(loss.commits.abs_diff(commits) <= 1, "{loss:?}, {commits} expected");
            if offset == 2000 && frame % 7 == 0 {
                assert_eq!(crashed.rows(&wal), rows - i64::try_from(commits).unwrap());
            }
        }
    }
}

#[test]
fn a_damaged_header_costs_all_commits() {
    let crashed = Crashed::after(1);
    for offset in 0..HEADER {
        let mut wal = crashed.wal.clone();
        wal[offset] ^= 0x20;
        let loss = crashed.examine(&wal).unwrap_or_else(|| panic!("byte {offset}"));
        assert_eq!(loss.commits, COMMITS as u64, "byte {offset}");
        assert_eq!(loss.frames, *crashed.ends.last().unwrap() as u64, "byte {offset}");
    }
}

#[test]
fn several_damaged_bytes_and_lost_sectors_are_found() {
    let crashed = Crashed::after(1);
    let mut rng = SmallRng::seed_from_u64(7);
    let safe = at(crashed.ends[crashed.ends.len() - 4]);
    for _ in 0..300 {
        let mut wal = crashed.wal.clone();
        for _ in 0..rng.random_range(1..4) {
            let from = rng.random_range(0..safe) / SECTOR * SECTOR;
            let to = (from + SECTOR).min(safe);
            let byte = rng.random_range(0..=255);
            wal[from..to].fill(byte);
        }
        assert!(crashed.examine(&wal).is_some());
    }
}

/// A power cut keeps some writes of the last commit, loses some and tears some.
#[test]
fn a_torn_commit_is_not_damage() {
    for generations in [0, 1] {
        let crashed = Crashed::after(generations);
        let [.., from, to] = *crashed.ends else { panic!("two commits") };
        let mut rng = SmallRng::seed_from_u64(11);
        for _ in 0..500 {
            let mut wal = crashed.before_last.clone();
            wal.resize(crashed.wal.len().max(wal.len()), 0);
            let kept = [0.1, 0.5, 0.9][rng.random_range(0..3)];
            let mut offset = at(from);
            while offset < at(to) {
                let end = ((offset / SECTOR + 1) * SECTOR).min(at(to));
                if rng.random_bool(kept) {
                    let torn =
                        if rng.random_bool(0.2) { rng.random_range(offset..end) } else { end };
                    wal[offset..torn].copy_from_slice(&crashed.wal[offset..torn]);
                }
                offset = end;
            }
            assert_eq!(crashed.examine(&wal), None);
        }
    }
}

/// The WAL restarts when all of it is in the database; a power cut may tear the new header.
#[test]
fn a_torn_header_is_not_damage() {
    let source = tempfile::tempdir().unwrap();
    let path = source.path().join("db");
    let connection = Connection::open(&path).unwrap();
    connection::configure(&connection).unwrap();
    connection.execute_batch("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)").unwrap();
    let wal_path = source.path().join("db-wal");
    connection::preallocate_wal(&connection, 1, &wal_path).unwrap();
    for _ in 0..COMMITS {
        connection.execute("INSERT INTO t (b) VALUES (randomblob(6000))", []).unwrap();
    }
    connection.query_row("PRAGMA wal_checkpoint", [], |_| Ok(())).unwrap();
    let before = fs::read(&wal_path).unwrap();
    let copy = tempfile::tempdir().unwrap();
    let database = copy.path().join("db");
    fs::copy(&path, &database).unwrap();
    connection.execute("INSERT INTO t (b) VALUES (randomblob(6000))", []).unwrap();
    let after = fs::read(&wal_path).unwrap();
    assert_ne!(before[..HEADER], after[..HEADER]);
    for torn in 0..=HEADER {
        let mut wal = before.clone();
        wal[..torn].copy_from_slice(&after[..torn]);
        let path = copy.path().join("db-wal");
        fs::write(&path, &wal).unwrap();
        assert_eq!(examine(&path, &database).unwrap(), None, "{torn} bytes are new");
    }
}
