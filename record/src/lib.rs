//! Game records: the rules' events as chained bytes, and back.
//!
//! The server writes records with [`Head::append`]. Every reader uses [`Replay`]: the server after
//! a restart and a client that follows a game. There is one encoding: the same bytes are stored,
//! sent and exported.

mod chain;
mod replay;
pub mod signature;
pub mod verify;
pub mod wire;

pub use chain::{Head, chain_after};
pub use replay::{RecordError, Replay};
pub use signature::Signer;
pub use verify::{Verified, Verifier, VerifyError};
