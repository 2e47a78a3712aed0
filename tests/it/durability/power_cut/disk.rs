//! What the disk may hold after a power cut: all that was synced, and a random part of the rest.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::Path,
};

use rand::{RngExt as _, rngs::SmallRng};

use super::trace::{Call, Moment};

/// The unit in bytes that a disk writes whole or not at all.
const SECTOR: usize = 512;

/// The database's WAL.
pub(super) const LOG: &str = "adamant.db-wal";
/// The database itself.
pub(super) const DATABASE: &str = "adamant.db";

/// Files without meaning after a power cut: shared memory and a lock.
const VOLATILE: [&str; 2] = ["adamant.db-shm", "adamant.lock"];

/// A change of a file's content.
#[derive(Debug)]
enum ChangeKind {
    Write { offset: usize, bytes: Vec<u8> },
    Truncate { length: usize },
}

#[derive(Debug)]
struct Change {
    file: String,
    what: ChangeKind,
    begun: Moment,
    done: Moment,
    /// The moment from which on the change survives a power cut.
    safe: Moment,
}

#[derive(Debug)]
struct Sync {
    /// Empty for the directory itself.
    file: String,
    begun: Moment,
    done: Moment,
    is_commit: bool,
}

/// When commits are synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Synchronous {
    /// Each commit, as the server configures it.
    Full,
    /// No commit: the WAL is synced only where it restarts and before a checkpoint.
    Normal,
}

/// The files of a directory, by name.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// The history of a directory.
#[derive(Debug)]
pub(super) struct Disk {
    /// The files at the start, all of them safe.
    before: Files,
    changes: Vec<Change>,
    /// New files: the moment of their creation, and the moment from which on their names survive.
    made: BTreeMap<String, (Moment, Moment)>,
    /// The number of checkpoints.
    pub(super) checkpoints: usize,
}

/// Reads the files of a directory that have a meaning after a power cut.
pub(super) fn files(directory: &Path) -> io::Result<Files> {
    let mut files = Files::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().into_string().expect("our names are text");
        if !VOLATILE.contains(&&*name) {
            files.insert(name, fs::read(entry.path())?);
        }
    }
    Ok(files)
}

/// Returns the changes to files of the directory, in the order in which they began.
fn of_directory<'a>(calls: &'a [Call], directory: &Path) -> Vec<(String, &'a Call)> {
    let directory = directory.to_str().expect("our paths are text");
    let name = |call: &Call| {
        let rest = call.target.strip_prefix(directory)?;
        Some(rest.trim_start_matches('/').to_owned())
    };
    calls
        .iter()
        .inspect(|call| {
            let moves = ["rename", "link", "unlink"].iter().any(|word| call.name.starts_with(word));
            let here = call.bytes.windows(directory.len()).any(|path| path == directory.as_bytes());
            assert!(!(moves && here), "what becomes of names is not modelled: {call:?}");
        })
        .filter_map(|call| Some((name(call)?, call)))
        .filter(|(name, _)| !VOLATILE.contains(&&**name))
        .collect()
}

impl Disk {
    /// Follows the calls of a server on a directory that held the files `before`.
    pub(super) fn new(
        before: Files,
        directory: &Path,
        calls: &[Call],
        synchronous: Synchronous,
    ) -> Self {
        let mut changes = Vec::new();
        let mut syncs: Vec<Sync> = Vec::new();
        let mut made = BTreeMap::new();
        let mut known: BTreeSet<String> = before.keys().cloned().collect();
        let mut checkpoints = 0;
        let mut log_was_begun = false;
        for (file, call) in of_directory(calls, directory) {
            let (begun, done) = (call.begun, call.done);
            let mut change = |what| {
                let file = file.clone();
                changes.push(Change { file, what, begun, done, safe: Moment::MAX });
            };
            match &*call.name {
                "open" | "openat" | "creat" => {
                    if !file.is_empty() && known.insert(file.clone()) {
                        made.insert(file, (done, Moment::MAX));
                    }
                }
                "pwrite64" => {
                    let offset = call.last.expect("a write has a place");
                    let length = call.result.unwrap_or(call.bytes.len());
                    change(ChangeKind::Write { offset, bytes: call.bytes[..length].to_vec() });
                    log_was_begun = file == LOG && offset == 0;
                    if file == DATABASE
                        && let Some(last) = syncs.last_mut()
                        && last.is_commit
                    {
                        // A checkpoint: the sync before it belongs to it, not to a commit.
                        checkpoints += 1;
                        last.is_commit = false;
                    }
                }
                "ftruncate" => {
                    let length = call.last.expect("a length");
                    change(ChangeKind::Truncate { length });
                }
                "fsync" | "fdatasync" if call.result.is_some() => {
                    let is_commit = file == LOG && !log_was_begun;
                    syncs.push(Sync { file, begun, done, is_commit });
                }
                "fsync" | "fdatasync" => {}
                other => panic!("what {other} does to {file} is not modelled"),
            }
        }
        syncs.retain(|sync| synchronous == Synchronous::Full || !sync.is_commit);
        for change in &mut changes {
            let covers = |sync: &&Sync| sync.file == change.file && sync.begun > change.done;
            change.safe = syncs.iter().find(covers).map_or(Moment::MAX, |sync| sync.done);
        }
        for (there, safe) in made.values_mut() {
            let covers = |sync: &&Sync| sync.file.is_empty() && sync.begun > *there;
            *safe = syncs.iter().find(covers).map_or(Moment::MAX, |sync| sync.done);
        }
        Self { before, changes, made, checkpoints }
    }

    /// Returns the files that the directory cannot hold like this at the end without a power cut. A
    /// call that the kill interrupted may have been carried out in part.
    pub(super) fn wrong_at(&self, end: Moment, found: &Files) -> Vec<String> {
        let with = self.files(end, |_, _| true);
        let without =
            self.files(end, |_, change| change.is_none_or(|change| change.done != Moment::MAX));
        let is_right = |name: &String| {
            let (Some(with), Some(found)) = (with.get(name), found.get(name)) else { return false };
            let without = without.get(name).map_or(&[][..], Vec::as_slice);
            let lengths = with.len().min(without.len())..=with.len().max(without.len());
            let byte =
                |at: usize, byte: &u8| with.get(at) == Some(byte) || without.get(at) == Some(byte);
            lengths.contains(&found.len())
                && found.iter().enumerate().all(|(at, found)| byte(at, found))
        };
        let names: BTreeSet<&String> = with.keys().chain(found.keys()).collect();
        names.into_iter().filter(|name| !is_right(name)).cloned().collect()
    }

    /// Returns what the directory may hold if the power fails at that moment.
    pub(super) fn cut(&self, moment: Moment, rng: &mut SmallRng) -> Files {
        // Neighbouring changes are often kept or lost together.
        let kept = [0.0, 0.5, 0.9, 1.0][rng.random_range(0..4)];
        let torn = [0.0, 0.3][rng.random_range(0..2)];
        self.files(moment, |content, change| {
            if rng.random_bool(torn) {
                if let Some(Change { what: ChangeKind::Write { offset, bytes }, .. }) = change {
                    tear(content, *offset, bytes, rng);
                }
                return false;
            }
            rng.random_bool(kept)
        })
    }

    /// Applies all changes begun before a moment that were safe by then, and those of the other
    /// changes and new names that `keeps` selects.
    fn files(
        &self,
        moment: Moment,
        mut keeps: impl FnMut(&mut Vec<u8>, Option<&Change>) -> bool,
    ) -> Files {
        let mut files = self.before.clone();
        for change in self.changes.iter().filter(|change| change.begun < moment) {
            let content = files.entry(change.file.clone()).or_default();
            if change.safe < moment || keeps(content, Some(change)) {
                match &change.what {
                    ChangeKind::Write { offset, bytes } => put(content, *offset, bytes),
                    ChangeKind::Truncate { length } => content.resize(*length, 0),
                }
            }
        }
        for (name, (_, safe)) in self.made.iter().filter(|(_, (there, _))| *there < moment) {
            // Without its name a file is lost with its content.
            if *safe >= moment && !keeps(&mut Vec::new(), None) {
                files.remove(name);
            } else {
                files.entry(name.clone()).or_default();
            }
        }
        files
    }
}

fn put(content: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    let end = offset + bytes.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    content[offset..end].copy_from_slice(bytes);
}

/// Writes only some sectors, and of the last one only the first few bytes.
fn tear(content: &mut Vec<u8>, offset: usize, bytes: &[u8], rng: &mut SmallRng) {
    let mut from = 0;
    while from < bytes.len() {
        let to = (((offset + from) / SECTOR + 1) * SECTOR - offset).min(bytes.len());
        match rng.random_range(0..5) {
            0 | 1 => put(content, offset + from, &bytes[from..to]),
            2 => {
                let torn = rng.random_range(from..to);
                put(content, offset + from, &bytes[from..torn]);
            }
            _ => {}
        }
        from = to;
    }
}
