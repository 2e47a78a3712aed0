//! Game records: the rules' events as chained bytes, and back.
//!
//! The server writes records with [`Head::append`]. Every reader uses [`Replay`]: the server after
//! a restart and a client that follows a game. There is one encoding: the same bytes are stored,
//! sent and exported.
//!
//! # Examples
//!
//! Write a record, replay it, sign it and verify the signed record:
//!
//! ```
//! use adamant_protocol::{ToClient, encode};
//! use adamant_record::{Head, Replay, Signer, Verifier};
//! use adamant_rules::{BySeat, Kind, Player, Seat, Setup, Table};
//!
//! let names = ["ann", "bob"];
//! let player = |seat: Seat| Player::new(names[seat.index()]);
//! let setup = Setup::new(Kind::Adamas, BySeat::from_fn(2, player));
//! let events = Table::begin(setup, 0)?;
//! let table = Table::new(&events[0])?;
//! let mut head = Head::new("K7Q2M9XA".parse()?);
//! let records: Vec<Vec<u8>> =
//!     events.iter().map(|event| head.append(event, table.position(), None)).collect();
//!
//! let mut replay = Replay::new();
//! for record in &records {
//!     replay.push(record)?;
//! }
//! assert_eq!(replay.chain(), head.chain);
//!
//! let signer = Signer::new(&[7; 32]);
//! let signature = ToClient::Signature(signer.sign(head.clone()));
//!
//! let mut verifier = Verifier::new();
//! for record in &records {
//!     verifier.line(record)?;
//! }
//! verifier.line(encode(&signature).as_bytes())?;
//! let verified = verifier.finish(Some(&[signer.key()]))?;
//! assert_eq!(verified.seq, head.seq);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod download;
mod replay;
pub mod signature;
pub mod verify;
pub mod wire;

pub use self::{
    download::{DownloadChain, DownloadError, LineDigest, LineHash},
    replay::{Head, RecordError, Replay, chain_after},
    signature::Signer,
    verify::{Verified, Verifier, VerifyError},
};

/// Has the programs of README.md tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
