//! The chaos mode (`adamant-server --chaos SEED`): an ordinary server, with a relay before it. The
//! relay does to a client, by a seed, everything that docs/PROTOCOL.md says a client must bear. A
//! scripted opponent challenges the client, and at the end there is a verdict. docs/CONFORMANCE.md
//! is for its users.
//!
//! `plan` says what happens to which frame, `connection` does it, and `ledger` keeps the account.
//! What the relay sends is what a later server could send: `records` numbers events anew.

mod acts;
mod connection;
mod draw;
mod ledger;
mod opponent;
mod plan;
mod records;
mod refusal;
mod run;
mod tormentor;
mod translation;
mod verdict;

#[cfg(test)]
mod tests;

pub use run::{ChaosError, ChaosRun, ChaosSettings, Invitation};
pub use verdict::{Breach, Found, Verdict};
