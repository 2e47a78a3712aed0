//! A server's word for a record: sent on request, and the last line of a record that was exported.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{Chain, GameId, PublicKey, RequestId, SignatureBytes};

/// How a record is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// Ed25519, as in RFC 8032.
    Ed25519,
}

/// A server vouches for a game's record up to one event, and by its chain for all before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SignedHead {
    /// The request it answers; absent in a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<RequestId>,
    /// Which game.
    pub game: GameId,
    /// The last event that is signed.
    pub seq: u64,
    /// That event's chain.
    pub chain: Chain,
    /// How it is signed.
    pub alg: Algorithm,
    /// The public half of the key that it is signed with.
    pub key: PublicKey,
    /// The signature.
    pub sig: SignatureBytes,
}
