//! Verifies an exported record line by line, without other data. Every event must continue the
//! chain and follow from the rules, including clocks and results. A signature at the end must be
//! valid and cover the records before it.

use adamant_protocol::{
    GameId, ToClient,
    ids::{Chain, PublicKey},
    to_client::SignedHead,
};
use adamant_rules::Table;

use crate::{
    replay::{RecordError, Replay},
    signature::is_valid,
};

/// The first error in a record.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum VerifyError {
    /// An event is not one that could stand there.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The file has no record.
    #[error("there is no record")]
    Empty,
    /// The last event requires another, which is missing.
    #[error("the record breaks off: the rules demand another event after record {seq}")]
    BrokenOff {
        /// The last event's number.
        seq: u64,
    },
    /// A line follows the signature, which is the last line of a record.
    #[error("something stands behind the signature")]
    BehindSignature,
    /// The signature is for another game.
    #[error("the signature is for game {found}")]
    OtherGame {
        /// The offer.
        found: GameId,
    },
    /// The signature is for more events, or fewer, than there are.
    #[error("the signature is for {signed} records, but there are {found}")]
    OtherLength {
        /// How many were signed.
        signed: u64,
        /// How many there are.
        found: u64,
    },
    /// The signature is for another record of the game.
    #[error("the signature is for a record that ends with another chain")]
    OtherChain,
    /// The signature was not made with the key it names.
    #[error("the signature is not genuine")]
    Forged,
    /// The signature was made with a key that is not the one asked for.
    #[error("the record is signed with key {found}, which is not one of those it should be")]
    OtherKey {
        /// The offer.
        found: PublicKey,
    },
    /// A signature is required and there is none.
    #[error("the record is not signed")]
    Unsigned,
}

/// A verified record.
#[derive(Debug, Clone)]
pub struct Verified {
    /// Which game's.
    pub game: GameId,
    /// The last event's number.
    pub seq: u64,
    /// And its chain.
    pub chain: Chain,
    /// The game as it then stood.
    pub table: Table,
    /// The key that the record is signed with, if it is.
    pub key: Option<PublicKey>,
}

/// Reads a record line by line.
#[derive(Debug, Default)]
pub struct Verifier {
    replay: Replay,
    signed: Option<SignedHead>,
}

/// The mark of byte order in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Verifier {
    /// Nothing read yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the next line, without its line break. What other systems add to it counts as none of
    /// it: a carriage return, and a mark of byte order before the first.
    pub fn line(&mut self, line: &[u8]) -> Result<(), VerifyError> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let is_first = self.replay.seq() == 0;
        let line = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first).unwrap_or(line);
        if self.signed.is_some() {
            return Err(VerifyError::BehindSignature);
        }
        if let Ok(Some(ToClient::Signature(signed))) = ToClient::from_bytes(line) {
            self.check_signature(&signed)?;
            self.signed = Some(signed);
        } else {
            self.replay.push(line)?;
        }
        Ok(())
    }

    fn check_signature(&self, signed: &SignedHead) -> Result<(), VerifyError> {
        if self.replay.game() != Some(&signed.game) {
            return Err(VerifyError::OtherGame { found: signed.game.clone() });
        }
        if !is_valid(signed) {
            return Err(VerifyError::Forged);
        }
        if signed.seq != self.replay.seq() {
            let found = self.replay.seq();
            return Err(VerifyError::OtherLength { signed: signed.seq, found });
        }
        if signed.chain != self.replay.chain() {
            return Err(VerifyError::OtherChain);
        }
        Ok(())
    }

    /// Finishes after the last line. With `keys` the record must be signed with one of them.
    pub fn finish(self, keys: Option<&[PublicKey]>) -> Result<Verified, VerifyError> {
        let key = self.signed.map(|signed| signed.key);
        let (table, head) = self.replay.into_parts().ok_or(VerifyError::Empty)?;
        if table.has_pending_transition() {
            return Err(VerifyError::BrokenOff { seq: head.seq });
        }
        if let Some(keys) = keys {
            let found = key.ok_or(VerifyError::Unsigned)?;
            if !keys.contains(&found) {
                return Err(VerifyError::OtherKey { found });
            }
        }
        Ok(Verified { game: head.game, seq: head.seq, chain: head.chain, table, key })
    }
}
