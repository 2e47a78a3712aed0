//! Downloads by HTTP: the finished games of a month in one file. Nothing of this travels on the
//! WebSocket.

use serde::{Deserialize, Serialize};

use crate::{
    ids::{Chain, GameId, PublicKey, SignatureBytes},
    to_client::Algorithm,
};

/// The files that a server offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct DownloadList {
    /// The files, in the order of their names.
    pub files: Vec<DownloadFile>,
}

/// One file: the games of a month, of one kind or of all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct DownloadFile {
    /// The name of the file: it is at `/v1/downloads/{file}`.
    pub file: String,
    /// The month in UTC, such as `2026-11`.
    pub month: String,
    /// The kind of the games; absent in the file of all kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// The number of games, which is that of the lines.
    pub games: u64,
    /// The size in bytes.
    pub bytes: u64,
    /// Whether the file has come to its end. Until then it grows.
    pub complete: bool,
}

/// A server's signature of a download up to one line, and by its chain of all lines before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SignedDownload {
    /// The name of the file.
    pub file: String,
    /// The number of signed games, which is that of the lines.
    pub games: u64,
    /// The number of bytes up to the end of the last signed line.
    pub bytes: u64,
    /// The chain of that line.
    pub chain: Chain,
    /// The game of that line.
    pub last_game: GameId,
    /// Whether the file ends there for good.
    pub complete: bool,
    /// The algorithm.
    pub alg: Algorithm,
    /// The public half of the key that it is signed with.
    pub key: PublicKey,
    /// The signature.
    pub sig: SignatureBytes,
}

impl SignedDownload {
    /// Returns a file with a signature by Ed25519.
    #[expect(clippy::too_many_arguments, reason = "they are the fields of the message")]
    pub const fn new(
        file: String,
        games: u64,
        bytes: u64,
        chain: Chain,
        last_game: GameId,
        complete: bool,
        key: PublicKey,
        sig: SignatureBytes,
    ) -> Self {
        let alg = Algorithm::Ed25519;
        Self { file, games, bytes, chain, last_game, complete, alg, key, sig }
    }
}
