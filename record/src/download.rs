//! Downloads: the finished games of a month in one file, one a line. Each line has the list entry
//! of a game, its whole record and the head of that record. Each line continues the chain of the
//! file, so that a signature of the last line vouches for all before it.

use adamant_protocol::{
    downloads::SignedDownload,
    ids::{Chain, GameId},
    to_client::{Algorithm, GameEntry},
};
use serde::{Deserialize, de::IgnoredAny};
use sha2::{Digest as _, Sha256};

use crate::{
    signature::{Signer, is_signature},
    verify::{Verifier, VerifyError},
    wire,
};

/// Domain separation: a signature made for another purpose never passes for one of a download.
const DOMAIN: &str = "adamant download v1";

/// What stands between a game's entry and its records.
const RECORD_KEY: &[u8] = b",\"record\":[";

/// Returns what stands in a line before the records of a game.
pub fn line_start(entry: &GameEntry) -> String {
    let mut text = serde_json::to_string(entry).expect("list entries are plain data");
    text.pop();
    text.push_str(",\"record\":[");
    text
}

/// Returns what stands in a line behind the records of a game: the head of the record. The line
/// break is not part of it.
pub fn line_end(seq: u64, chain: Chain) -> String {
    format!("],\"head\":{{\"seq\":{seq},\"chain\":\"{chain}\"}}}}")
}

/// The SHA-256 of one line without its line break, as its bytes become known.
#[derive(Debug, Clone, Default)]
pub struct LineDigest {
    hash: Sha256,
    bytes: u64,
}

impl LineDigest {
    /// Adds the next bytes of the line.
    pub fn update(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    /// Returns the number of bytes so far.
    pub const fn len(&self) -> u64 {
        self.bytes
    }

    /// Returns whether there are no bytes yet.
    pub const fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Returns what the chain needs of the line, once all its bytes are known.
    pub fn finish(self) -> LineHash {
        LineHash { hash: self.hash.finalize().into(), bytes: self.bytes }
    }
}

/// The SHA-256 of a whole line without its line break, and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineHash {
    hash: [u8; 32],
    bytes: u64,
}

/// The chain of a file up to one line: the SHA-256 of the chain before and the SHA-256 of the line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DownloadChain {
    /// The number of lines.
    pub games: u64,
    /// The number of bytes, line breaks included.
    pub bytes: u64,
    /// The chain of the last line; zeros before the first.
    pub chain: Chain,
}

impl DownloadChain {
    /// Adds a line of which the digest is known.
    pub fn add(&mut self, line: LineDigest) {
        self.add_hash(line.finish());
    }

    /// Adds a line of which the hash is known.
    pub fn add_hash(&mut self, line: LineHash) {
        let mut hash = Sha256::new();
        hash.update(self.chain.0);
        hash.update(line.hash);
        self.chain = Chain(hash.finalize().into());
        self.games += 1;
        self.bytes += line.bytes + 1;
    }

    /// Adds a line without its line break.
    pub fn add_line(&mut self, line: &[u8]) {
        let mut digest = LineDigest::default();
        digest.update(line);
        self.add(digest);
    }
}

/// The bytes that are signed: seven lines of text, each with its line break.
fn signed_bytes(file: &str, at: &DownloadChain, last_game: &GameId, complete: bool) -> Vec<u8> {
    let DownloadChain { games, bytes, chain } = at;
    let state = if complete { "complete" } else { "growing" };
    format!("{DOMAIN}\n{file}\n{games}\n{bytes}\n{chain}\n{last_game}\n{state}\n").into_bytes()
}

impl Signer {
    /// Signs a download up to a line.
    pub fn sign_download(
        &self,
        file: String,
        at: &DownloadChain,
        last_game: GameId,
        complete: bool,
    ) -> SignedDownload {
        let sig = self.sign_bytes(&signed_bytes(&file, at, &last_game, complete));
        let DownloadChain { games, bytes, chain } = *at;
        SignedDownload::new(file, games, bytes, chain, last_game, complete, self.key(), sig)
    }
}

/// Whether the signature was made with the key that it names, over what it names. The caller
/// decides whether to trust the key.
pub fn is_genuine(signed: &SignedDownload) -> bool {
    let SignedDownload { file, last_game, complete, alg, key, sig, .. } = signed;
    let at = DownloadChain { games: signed.games, bytes: signed.bytes, chain: signed.chain };
    *alg == Algorithm::Ed25519
        && is_signature(&signed_bytes(file, &at, last_game, *complete), key, sig)
}

/// Why a line is not one of a download.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum DownloadError {
    /// The line is not the JSON of a game with its record.
    #[error("the line cannot be read: {0}")]
    Unreadable(serde_json::Error),
    /// The line has no record.
    #[error("the line has no record")]
    NoRecord,
    /// The record is not valid.
    #[error(transparent)]
    Record(#[from] VerifyError),
    /// The line says something else about the game than its record.
    #[error("the record does not have the {0} that the line states")]
    Differs(&'static str),
}

#[derive(Deserialize)]
struct LineHead {
    seq: u64,
    chain: Chain,
}

#[derive(Deserialize)]
struct Line {
    #[serde(flatten)]
    entry: GameEntry,
    head: LineHead,
}

/// Returns the records of a line, each as the bytes that its chain covers.
///
/// # Errors
///
/// The line has no list of records, or that is not JSON.
pub fn records(line: &[u8]) -> Result<Vec<&[u8]>, DownloadError> {
    // A quotation mark inside of a text has a backslash before it, so this is a key.
    let start = line.windows(RECORD_KEY.len()).position(|found| found == RECORD_KEY);
    let mut rest = &line[start.ok_or(DownloadError::NoRecord)? + RECORD_KEY.len()..];
    let mut records = Vec::new();
    loop {
        let mut values = serde_json::Deserializer::from_slice(rest).into_iter::<IgnoredAny>();
        values.next().ok_or(DownloadError::NoRecord)?.map_err(DownloadError::Unreadable)?;
        let end = values.byte_offset();
        records.push(&rest[..end]);
        match rest.get(end) {
            Some(b',') => rest = &rest[end + 1..],
            Some(b']') => return Ok(records),
            _ => return Err(DownloadError::NoRecord),
        }
    }
}

/// Verifies a line without its line break: the chain, the moves, the clocks and the result of the
/// record, and that the list entry says the same.
///
/// # Errors
///
/// The line is not that of a finished game, or its record is not valid.
pub fn verify_line(line: &[u8]) -> Result<GameEntry, DownloadError> {
    let Line { entry, head } = serde_json::from_slice(line).map_err(DownloadError::Unreadable)?;
    let mut verifier = Verifier::new();
    for record in records(line)? {
        verifier.line(record)?;
    }
    let found = verifier.finish(None)?;
    let table = &found.table;
    let setup = table.setup();
    let facts = [
        ("game", entry.game == found.game),
        ("head", (head.seq, head.chain) == (found.seq, found.chain)),
        ("rules", entry.rules == wire::rules(setup.kind)),
        ("options", entry.options == wire::options(&setup.options)),
        ("players", entry.seats == wire::seats(table.players(), table.position())),
        ("clock", entry.clock == wire::Mirror::to_wire(setup.clock)),
        ("rated", entry.rated == setup.rated),
        ("number of moves", entry.ply == table.ply()),
        ("end", entry.last_at == table.last_at()),
        ("result", table.outcome().is_some() && entry.result == table.outcome().map(wire::result)),
    ];
    match facts.into_iter().find(|(_, is_same)| !is_same) {
        Some((what, _)) => Err(DownloadError::Differs(what)),
        None => Ok(entry),
    }
}
