//! A server's signature of a record: sent on request, and the last line of an exported record.

use serde::{Deserialize, Serialize};

use crate::{
    constructors::constructor,
    ids::{Chain, GameId, PublicKey, RequestId, SignatureBytes},
    words::words,
};

words! {
    /// The algorithm of a signature.
    pub enum Algorithm {
        /// Ed25519, as in RFC 8032.
        Ed25519 = "ed25519",
    }
}

/// A server's signature of a game's record up to one event, and by its chain of all before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SignedHead {
    /// The request it answers; absent in a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// The game.
    pub game: GameId,
    /// The seq of the last signed event.
    pub seq: u64,
    /// The chain of that event.
    pub chain: Chain,
    /// The algorithm.
    pub alg: Algorithm,
    /// The public half of the key that it is signed with.
    pub key: PublicKey,
    /// The signature.
    pub sig: SignatureBytes,
}

constructor!(SignedHead {
    game: GameId, seq: u64, chain: Chain, alg: Algorithm, key: PublicKey, sig: SignatureBytes;
    re
});
