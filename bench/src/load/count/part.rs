//! The parts of a move's cost, and the part that an instruction belongs to.

use serde::Serialize;

use super::profile::Origin;

/// A part of the server's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// `SQLite` and its calls.
    Store,
    /// Copies of memory.
    Copies,
    /// Reading and writing JSON.
    Json,
    /// Allocation and release of memory.
    Allocation,
    /// Formatting of text.
    Formatting,
    /// The hashes of records and of tables in memory.
    Hashing,
    /// The rules of the games.
    Rules,
    /// The server's own code, with the protocol and the record.
    Server,
    /// Sockets, WebSockets, tasks and timers.
    Sockets,
    /// Everything else.
    Rest,
}

impl Part {
    /// All parts, in the order of tables.
    pub const ALL: [Self; 10] = [
        Self::Store,
        Self::Copies,
        Self::Json,
        Self::Allocation,
        Self::Formatting,
        Self::Hashing,
        Self::Rules,
        Self::Server,
        Self::Sockets,
        Self::Rest,
    ];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Store => "store (SQLite)",
            Self::Copies => "copies of memory",
            Self::Json => "JSON",
            Self::Allocation => "allocation",
            Self::Formatting => "formatting",
            Self::Hashing => "hashing",
            Self::Rules => "rules",
            Self::Server => "server, protocol, record",
            Self::Sockets => "sockets and tasks",
            Self::Rest => "rest",
        }
    }

    /// Returns the part that instructions of this origin belong to.
    pub(super) fn of(origin: &Origin) -> Self {
        let Origin { object, function, file } = origin;
        if object.contains("/libc.so") {
            return of_c_library(function, file);
        }
        let by_purpose = PURPOSES.iter().find(|(words, _)| function.contains(words));
        let by_file = || crate_of(file).map(of_crate);
        by_purpose.map(|&(_, part)| part).or_else(by_file).unwrap_or_else(|| of_function(function))
    }
}

/// Words in the names of functions whose purpose counts more than the crate that has them.
const PURPOSES: [(&str, Part); 6] = [
    ("alloc::raw_vec::", Part::Allocation),
    ("__rust_", Part::Allocation),
    ("core::fmt::", Part::Formatting),
    ("alloc::fmt::", Part::Formatting),
    ("serde", Part::Json),
    ("core::hash::", Part::Hashing),
];

/// The parts of crates. All others belong to the rest.
const CRATES: [(&str, Part); 34] = [
    ("libsqlite3-sys", Part::Store),
    ("rusqlite", Part::Store),
    ("hashlink", Part::Store),
    ("serde", Part::Json),
    ("serde_core", Part::Json),
    ("serde_json", Part::Json),
    ("itoa", Part::Json),
    ("memchr", Part::Json),
    ("blake3", Part::Hashing),
    ("constant_time_eq", Part::Hashing),
    ("data-encoding", Part::Formatting),
    ("rules", Part::Rules),
    ("adamant_rules", Part::Rules),
    ("server", Part::Server),
    ("adamant_server", Part::Server),
    ("protocol", Part::Server),
    ("adamant_protocol", Part::Server),
    ("record", Part::Server),
    ("adamant_record", Part::Server),
    ("tokio", Part::Sockets),
    ("tokio-util", Part::Sockets),
    ("tokio_util", Part::Sockets),
    ("tokio-tungstenite", Part::Sockets),
    ("tokio_tungstenite", Part::Sockets),
    ("tungstenite", Part::Sockets),
    ("mio", Part::Sockets),
    ("socket2", Part::Sockets),
    ("bytes", Part::Sockets),
    ("futures-core", Part::Sockets),
    ("futures-util", Part::Sockets),
    ("futures_util", Part::Sockets),
    ("hyper", Part::Sockets),
    ("hyper-util", Part::Sockets),
    ("parking_lot", Part::Sockets),
];

fn of_crate(name: &str) -> Part {
    CRATES.iter().find(|(known, _)| *known == name).map_or(Part::Rest, |&(_, part)| part)
}

/// Returns the crate that a file of the source belongs to; `None` for Rust's own library, whose
/// functions are mostly inlined and then belong to the function around them.
fn crate_of(file: &str) -> Option<&str> {
    if let Some((_, path)) = file.split_once("/registry/src/") {
        let folder = path.split('/').nth(1)?;
        let version = folder
            .match_indices('-')
            .map(|(at, _)| at)
            .find(|&at| folder[at + 1..].starts_with(|first: char| first.is_ascii_digit()));
        return Some(&folder[..version?]);
    }
    let (path, _) = file.rsplit_once("/src/").filter(|_| !file.contains("/library/"))?;
    Some(path.rsplit('/').next().unwrap_or(path))
}

/// Returns the part of the first crate in the name of a function.
fn of_function(function: &str) -> Part {
    let words = function.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let crates = words.map(of_crate).find(|&part| part != Part::Rest);
    let is_task = || function.contains("core::future::") || function.contains("core::task::");
    crates.unwrap_or_else(|| if is_task() { Part::Sockets } else { Part::Rest })
}

/// System calls and what surrounds them in the C library, by the part that makes them.
const SYSTEM_CALLS: [(&str, Part); 12] = [
    ("pread", Part::Store),
    ("pwrite", Part::Store),
    ("sync", Part::Store),
    ("fcntl", Part::Store),
    ("lseek", Part::Store),
    ("send", Part::Sockets),
    ("recv", Part::Sockets),
    ("epoll", Part::Sockets),
    ("read", Part::Sockets),
    ("write", Part::Sockets),
    ("pthread", Part::Sockets),
    ("syscall", Part::Sockets),
];

fn of_c_library(function: &str, file: &str) -> Part {
    if file.contains("/malloc/") {
        return Part::Allocation;
    }
    if ["memcpy", "memmove", "memset"].iter().any(|copy| function.contains(copy)) {
        return Part::Copies;
    }
    let call = SYSTEM_CALLS.iter().find(|(call, _)| function.contains(call));
    call.map_or(Part::Rest, |&(_, part)| part)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{super::profile, Part};

    /// Rows of a recorded profile. A called function's cost appears in the row after its call, too.
    const RECORDED: &str = include_str!("recorded.out");

    #[test]
    fn instructions_are_counted_once_in_the_part_of_their_source() {
        let profile = profile::parse(RECORDED).unwrap();
        let mut parts = BTreeMap::new();
        for (origin, instructions) in &profile.instructions {
            *parts.entry(Part::of(origin)).or_insert(0) += instructions;
        }
        let expected = BTreeMap::from([
            (Part::Store, 11),
            (Part::Copies, 102),
            (Part::Json, 23),
            (Part::Allocation, 34),
            (Part::Formatting, 45),
            (Part::Hashing, 56),
            (Part::Rules, 67),
            (Part::Server, 78),
            (Part::Sockets, 89),
            (Part::Rest, 7),
        ]);
        assert_eq!(parts, expected);
        let total = RECORDED.lines().find_map(|line| line.strip_prefix("totals: ")).unwrap();
        assert_eq!(parts.values().sum::<u64>(), total.parse::<u64>().unwrap());
        assert_eq!(profile.calls["fsync"], 3);
    }
}
