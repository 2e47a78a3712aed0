//! Events. The record in the journal and the frame that clients receive are the same bytes.
//!
//! A record is one JSON object. Head, body and tail are written one after the other, so that the
//! chain is always its last key: it seals the bytes before it.

mod body;
mod frame;
mod payloads;

pub use body::EventBody;
pub use frame::EventFrame;
pub use payloads::{
    AbortReason, Aborted, AdjustReason, Agreed, ClockAdjusted, Created, Ended, Moved, OfferClosed,
    OfferKind, OfferOutcome, Offered, Rated, Removed, Skipped, Started, Swapped, TakenBack,
};

pub use crate::reasons::{EndReason, LeaveReason};
