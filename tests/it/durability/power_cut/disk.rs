//! What the disk may hold after a power cut: all that was synced, and a random part of the rest.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs, io,
    path::Path,
};

use rand::{RngExt as _, rngs::SmallRng};

/// The unit in bytes that a disk writes whole or not at all.
const SECTOR: usize = 512;

/// The database's WAL.
const LOG: &str = "adamant.db-wal";
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

// Parser of strace's output: the calls in their order.
//
// A thread leaves a call only after strace has written the line. So if one thread acts because of
// another, its line comes later, and the order of the lines is one of cause and effect: a reply
// that waited for a sync begins after the end of the sync.

/// The calls that move bytes to files and sockets, or names in directories.
pub(super) const CALLS: &str = "open,openat,creat,write,writev,pwrite64,pwritev,pwritev2,sendto,\
    sendmsg,sendmmsg,sendfile,fsync,fdatasync,sync_file_range,msync,truncate,ftruncate,fallocate,\
    rename,renameat,renameat2,link,linkat,unlink,unlinkat";

/// Longer than any single write, in bytes.
pub(super) const TEXT_MAX: usize = 8 * 1024 * 1024;

/// A moment in the trace: before one line, or between the beginning and end of its call.
pub(super) type Moment = usize;

/// A system call.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) name: String,
    /// The path or socket of its first descriptor or, for a call that opens one, of the new
    /// descriptor.
    pub(super) target: String,
    /// Everything in quotes, concatenated: the written bytes, or a path.
    pub(super) bytes: Vec<u8>,
    /// The last argument, if it is a number.
    pub(super) last: Option<usize>,
    /// The return value; `None` for an error, or if the call never returned.
    pub(super) result: Option<usize>,
    pub(super) begun: Moment,
    /// When it ended; later than everything if it never did.
    done: Moment,
}

impl Call {
    /// What the other end of a socket may have received. A kill can end the thread after a call has
    /// sent its bytes and before strace has written its result.
    pub(super) fn sent(&self) -> Option<&[u8]> {
        let interrupted = (self.done == Moment::MAX).then_some(self.bytes.len());
        self.result.or(interrupted).map(|length| &self.bytes[..length])
    }
}

/// The words of a line outside of quotes, with a pair of quotes for each text, and the texts.
#[derive(Debug, Default)]
struct Words {
    plain: String,
    texts: Vec<u8>,
}

/// A call whose line is interrupted by another thread's.
#[derive(Debug)]
struct Unfinished {
    words: Words,
    begun: Moment,
}

/// Parses a whole trace. Returns the calls in the order of their beginning, and the moment after
/// the last line.
pub(super) fn read(trace: &[u8]) -> (Vec<Call>, Moment) {
    let mut calls = Vec::new();
    let mut unfinished: HashMap<String, Unfinished> = HashMap::new();
    let mut now = 0;
    for line in trace.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let (begun, done) = (now, now + 1);
        now += 2;
        let end = line.iter().position(|&byte| byte == b' ').expect("a line names its thread");
        let thread = String::from_utf8(line[..end].to_vec()).expect("a number");
        let line = line[end..].trim_ascii_start();
        if line.starts_with(b"---") || line.starts_with(b"+++") {
            continue;
        }
        if let Some(rest) = line.strip_prefix(b"<... ") {
            let Unfinished { mut words, begun } = unfinished.remove(&thread).expect("it was begun");
            let (_, rest) = split_at(rest, b" resumed>").expect("a call goes on");
            words.read(rest);
            calls.push(words.into_call(begun, done));
        } else if let Some(line) = line.strip_suffix(b" <unfinished ...>") {
            let mut words = Words::default();
            words.read(line);
            unfinished.insert(thread, Unfinished { words, begun });
        } else {
            let mut words = Words::default();
            words.read(line);
            calls.push(words.into_call(begun, done));
        }
    }
    // A call that a kill interrupted never ends.
    let never_ended = unfinished.into_values().map(|Unfinished { mut words, begun }| {
        words.plain.push_str(") = ?");
        words.into_call(begun, begun)
    });
    calls.extend(never_ended);
    calls.sort_by_key(|call| call.begun);
    (calls, now)
}

fn split_at<'a>(bytes: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = bytes.windows(mark.len()).position(|window| window == mark)?;
    Some((&bytes[..at], &bytes[at + mark.len()..]))
}

impl Words {
    fn read(&mut self, mut line: &[u8]) {
        while let Some(quote) = line.iter().position(|&byte| byte == b'"') {
            self.plain.push_str(std::str::from_utf8(&line[..quote]).expect("words are text"));
            self.plain.push_str("\"\"");
            line = self.read_text(&line[quote + 1..]);
            assert!(!line.starts_with(b"..."), "a text was cut short: {}", self.plain);
        }
        self.plain.push_str(std::str::from_utf8(line).expect("words are text"));
    }

    /// Reads up to the closing quote and returns the rest of the line.
    fn read_text<'a>(&mut self, mut rest: &'a [u8]) -> &'a [u8] {
        loop {
            let special = rest.iter().position(|byte| b"\"\\".contains(byte));
            let special = special.expect("a quote is closed");
            self.texts.extend_from_slice(&rest[..special]);
            let is_end = rest[special] == b'"';
            rest = &rest[special + 1..];
            if is_end {
                return rest;
            }
            let octal = rest.iter().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
            let (byte, length) = match rest[0] {
                b'n' => (b'\n', 1),
                b't' => (b'\t', 1),
                b'r' => (b'\r', 1),
                b'f' => (0x0c, 1),
                b'v' => (0x0b, 1),
                _ if octal > 0 => {
                    let digits = std::str::from_utf8(&rest[..octal]).expect("digits");
                    (u8::from_str_radix(digits, 8).expect("a byte"), octal)
                }
                quoted => (quoted, 1),
            };
            self.texts.push(byte);
            rest = &rest[length..];
        }
    }

    fn into_call(self, begun: Moment, done: Moment) -> Call {
        let Self { plain, texts } = self;
        let (head, result) = plain.rsplit_once(" = ").expect("a call has a result");
        let (name, arguments) = head.split_once('(').expect("a call has arguments");
        let arguments = arguments.trim_end().trim_end_matches(')');
        let opens = name.starts_with("open") || name == "creat";
        let target = meaning(if opens { result } else { arguments });
        let last = arguments.rsplit(", ").next().and_then(|last| last.parse().ok());
        // What a kill interrupts never ends, also if strace prints no mark of it.
        let done = if result.starts_with('?') { Moment::MAX } else { done };
        let word = result.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        let (name, target) = (name.to_owned(), target.unwrap_or_default().to_owned());
        Call { name, target, bytes: texts, last, result: word.parse().ok(), begun, done }
    }
}

/// Returns what the leading descriptor stands for: `12</tmp/x>`.
fn meaning(text: &str) -> Option<&str> {
    let (number, rest) = text.split_once('<')?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    // The next argument or the end follows a path.
    let end = rest.find(">,").or_else(|| rest.rfind('>'))?;
    is_number.then_some(&rest[..end])
}

#[test]
fn parses_the_output_of_strace() {
    let trace = br#"7  openat(AT_FDCWD</x>, "d", O_RDWR|O_CREAT, 0644) = 12</x/d>
7  pwrite64(12</x/d>, "a\0\1\"b\\\n\3772", 9, 4152) = 9
8  sendto(9<socket:[77]>, "hi", 2, MSG_NOSIGNAL, NULL, 0 <unfinished ...>
7  fsync(12</x/d>) = 0
8  <... sendto resumed>) = 2
8  writev(9<socket:[77]>, [{iov_base="a", iov_len=1}, {iov_base="b", iov_len=1}], 2) = 2
8  sendto(9<socket:[77]>, "no", 2, MSG_NOSIGNAL, NULL, 0) = -1 EAGAIN (Resource temporarily unavailable)
8  pwrite64(12</x/d>, "last", 4, 8) = ?
7  pwrite64(12</x/d>, "late", 4, 0 <unfinished ...>
8  sendto(9<socket:[77]>, "end", 3, MSG_NOSIGNAL, NULL, 0 <unfinished ...>
7  +++ killed by SIGKILL +++
"#;
    let (calls, end) = read(trace);
    assert_eq!(end, 22);
    let seen: Vec<_> = calls
        .iter()
        .map(|call| (&*call.name, &*call.target, &*call.bytes, call.last, call.result))
        .collect();
    assert_eq!(
        seen,
        [
            ("openat", "/x/d", &b"d"[..], Some(644), Some(12)),
            ("pwrite64", "/x/d", b"a\0\x01\"b\\\n\xff2", Some(4152), Some(9)),
            ("sendto", "socket:[77]", b"hi", Some(0), Some(2)),
            ("fsync", "/x/d", b"", None, Some(0)),
            ("writev", "socket:[77]", b"ab", Some(2), Some(2)),
            ("sendto", "socket:[77]", b"no", Some(0), None),
            ("pwrite64", "/x/d", b"last", Some(8), None),
            ("pwrite64", "/x/d", b"late", Some(0), None),
            ("sendto", "socket:[77]", b"end", Some(0), None),
        ]
    );
    let sent = [2, 5, 8].map(|call: usize| calls[call].sent());
    assert_eq!(sent, [Some(&b"hi"[..]), None, Some(b"end")]);
    let times: Vec<_> = calls.iter().map(|call| (call.begun, call.done)).collect();
    assert_eq!(times[2..4], [(4, 9), (6, 7)]);
    assert_eq!(times[6..], [(14, Moment::MAX), (16, Moment::MAX), (18, Moment::MAX)]);
}
