//! The chain: each record seals the one before it, so that a reader detects a changed, dropped,
//! doubled or reordered record.

use adamant_protocol::{EventFrame, GameId, RequestId, ids::Chain};
use adamant_rules::{Event, Position};

use crate::wire;

/// Returns the hash that follows `before` for a record whose bytes without its chain are
/// `unsealed`.
pub fn chain_after(before: Chain, unsealed: &[u8]) -> Chain {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&before.0).update(unsealed);
    Chain(*hasher.finalize().as_bytes())
}

/// Room for the record of a move. Few records are longer.
const RECORD_BYTES: usize = 512;

/// The end of a game's record, to which the next record is chained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The game of the record.
    pub game: GameId,
    /// The last record's number; 0 before the first.
    pub seq: u64,
    /// The last record's chain; zeros before the first.
    pub chain: Chain,
}

impl Head {
    /// Returns the head of an empty record.
    pub fn new(game: GameId) -> Self {
        Self { game, seq: 0, chain: Chain::default() }
    }

    /// Encodes the next record and advances to it. `position` may be any position of the game: it
    /// only names cells and pieces.
    pub fn append(
        &mut self,
        event: &Event,
        position: &Position,
        req: Option<&RequestId>,
    ) -> Vec<u8> {
        let mut record = Vec::with_capacity(RECORD_BYTES);
        self.append_to(&mut record, event, position, req);
        record
    }

    /// Does the same, and appends the record to these bytes.
    pub fn append_to(
        &mut self,
        out: &mut Vec<u8>,
        event: &Event,
        position: &Position,
        req: Option<&RequestId>,
    ) {
        let start = out.len();
        self.seq += 1;
        wire::write_unsealed(out, &self.game, self.seq, event, position, req);
        self.chain = chain_after(self.chain, &out[start..]);
        EventFrame::seal_in_place(out, self.chain);
    }
}
