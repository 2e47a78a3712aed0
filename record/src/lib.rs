//! Game records: the rules' events as chained bytes, and back.
//!
//! The server writes records with [`Head::append`] and everyone who reads them, the server after a
//! restart and a client that follows a game alike, does so with [`Replay`]. There is one encoding:
//! what is stored, sent and exported are the same bytes.

mod chain;
mod replay;
pub mod signature;
pub mod verify;
pub mod wire;

pub use chain::{Head, chain_after};
pub use replay::{RecordError, Replay};
pub use signature::Signer;
pub use verify::{Verified, Verifier, VerifyError};
