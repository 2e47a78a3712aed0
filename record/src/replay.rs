//! The chain of a record, and replaying it. Each record seals the one before it, so that a reader
//! detects a changed, dropped, doubled or reordered record.

use adamant_protocol::{EventFrame, GameId, RequestId, ids::Chain};
use adamant_rules::{Event, Position, Table, table::ApplyError};

use crate::wire::{self, WireError};

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

/// The reason why records do not make a game.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum RecordError {
    /// The bytes are not a record.
    #[error("record {seq} cannot be read: {error}")]
    Unreadable {
        /// The number it should have.
        seq: u64,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// The record does not end with its chain.
    #[error("record {seq} does not end with a chain")]
    Unsealed {
        /// The number it should have.
        seq: u64,
    },
    /// A record is missing, doubled or out of order.
    #[error("record {seq} was expected, but {found} was found")]
    OutOfOrder {
        /// The number it should have.
        seq: u64,
        /// The number it has.
        found: u64,
    },
    /// The record was written for another game.
    #[error("record {seq} belongs to game {found}")]
    OtherGame {
        /// Its number.
        seq: u64,
        /// The game it names.
        found: GameId,
    },
    /// The record, or one before it, has been changed.
    #[error("record {seq} does not continue the chain")]
    ChainBroken {
        /// Its number.
        seq: u64,
    },
    /// The record has values that no game can have.
    #[error("record {seq}: {error}")]
    Invalid {
        /// Its number.
        seq: u64,
        /// What.
        error: WireError,
    },
    /// The record does not follow from those before it.
    #[error("record {seq}: {error}")]
    Apply {
        /// Its number.
        seq: u64,
        /// Why not.
        error: ApplyError,
    },
}

impl RecordError {
    /// The number of the first record that is wrong.
    pub const fn seq(&self) -> u64 {
        match self {
            Self::Unreadable { seq, .. }
            | Self::Unsealed { seq }
            | Self::OutOfOrder { seq, .. }
            | Self::OtherGame { seq, .. }
            | Self::ChainBroken { seq }
            | Self::Invalid { seq, .. }
            | Self::Apply { seq, .. } => *seq,
        }
    }
}

/// A table that follows a game record by record. Each record is checked before it is applied.
#[derive(Debug, Clone, Default)]
pub struct Replay {
    game: Option<GameId>,
    seq: u64,
    chain: Chain,
    table: Option<Table>,
}

impl Replay {
    /// Nothing read yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Applies the next record. After an error nothing has changed.
    pub fn push(&mut self, record: &[u8]) -> Result<Event, RecordError> {
        self.push_frame(record).map(|(_, event)| event)
    }

    /// Like [`Replay::push`]; also returns the decoded frame.
    pub fn push_frame(&mut self, record: &[u8]) -> Result<(EventFrame, Event), RecordError> {
        let (frame, chain) = self.next_frame(record)?;
        let event = event_of(&frame, self.table.as_ref())?;
        self.apply(&frame, chain, &event)?;
        Ok((frame, event))
    }

    /// Applies the next record as a client does: an event with a kind or a word that only later
    /// versions know counts, and changes nothing else. Returns `None` for such an event.
    pub fn follow(&mut self, record: &[u8]) -> Result<Option<Event>, RecordError> {
        let (frame, chain) = self.next_frame(record)?;
        match event_of(&frame, self.table.as_ref()) {
            Ok(event) => {
                self.apply(&frame, chain, &event)?;
                Ok(Some(event))
            }
            Err(RecordError::Invalid {
                error: WireError::UnknownKind(_) | WireError::UnknownWord(_),
                ..
            }) if self.table.is_some() => {
                self.advance(&frame, chain);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn apply(
        &mut self,
        frame: &EventFrame,
        chain: Chain,
        event: &Event,
    ) -> Result<(), RecordError> {
        let apply_error = |error| RecordError::Apply { seq: frame.seq, error };
        if let Some(table) = &mut self.table {
            table.apply(event).map_err(apply_error)?;
        } else {
            self.table = Some(Table::new(event).map_err(apply_error)?);
        }
        self.advance(frame, chain);
        Ok(())
    }

    /// Decodes the next record, and checks that it is the next one.
    fn next_frame(&self, record: &[u8]) -> Result<(EventFrame, Chain), RecordError> {
        frame_after(self.game.as_ref(), self.seq, self.chain, record)
    }

    fn advance(&mut self, frame: &EventFrame, chain: Chain) {
        self.seq = frame.seq;
        self.chain = chain;
        if self.game.is_none() {
            self.game = Some(frame.game.clone());
        }
    }

    /// The table as of the last record; `None` before the first.
    pub const fn table(&self) -> Option<&Table> {
        self.table.as_ref()
    }

    /// The last record's number; 0 before the first.
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// The last record's chain; zeros before the first.
    pub const fn chain(&self) -> Chain {
        self.chain
    }

    /// The game, once a record has named it.
    pub const fn game(&self) -> Option<&GameId> {
        self.game.as_ref()
    }

    /// The table and the head of its record, to go on writing; `None` if nothing was read.
    pub fn into_parts(self) -> Option<(Table, Head)> {
        let head = Head { game: self.game?, seq: self.seq, chain: self.chain };
        Some((self.table?, head))
    }
}

impl Head {
    /// Applies the next record to the table at this head, and advances to it. Makes the same checks
    /// as [`Replay::push_frame`]. After an error nothing has changed.
    pub fn follow(
        &mut self,
        table: &mut Table,
        record: &[u8],
    ) -> Result<(EventFrame, Event), RecordError> {
        let (frame, chain) = frame_after(Some(&self.game), self.seq, self.chain, record)?;
        let event = event_of(&frame, Some(table))?;
        table.apply(&event).map_err(|error| RecordError::Apply { seq: frame.seq, error })?;
        (self.seq, self.chain) = (frame.seq, chain);
        Ok((frame, event))
    }
}

/// Decodes a record, and checks that it continues a record that ends here.
fn frame_after(
    game: Option<&GameId>,
    last_seq: u64,
    last_chain: Chain,
    record: &[u8],
) -> Result<(EventFrame, Chain), RecordError> {
    let seq = last_seq + 1;
    let frame =
        EventFrame::from_bytes(record).map_err(|error| RecordError::Unreadable { seq, error })?;
    if frame.seq != seq {
        return Err(RecordError::OutOfOrder { seq, found: frame.seq });
    }
    if let Some(game) = game
        && *game != frame.game
    {
        return Err(RecordError::OtherGame { seq, found: frame.game });
    }
    let (unsealed, chain) = EventFrame::unseal(record).ok_or(RecordError::Unsealed { seq })?;
    if chain_after(last_chain, &unsealed) != chain {
        return Err(RecordError::ChainBroken { seq });
    }
    Ok((frame, chain))
}

/// Returns the event of a frame, for the table before it.
fn event_of(frame: &EventFrame, table: Option<&Table>) -> Result<Event, RecordError> {
    let invalid = |error| RecordError::Invalid { seq: frame.seq, error };
    wire::from_wire(frame, table).map_err(invalid)
}
