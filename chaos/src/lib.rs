//! The chaos mode (`adamant-server --chaos SEED`): a relay before an ordinary server, which the
//! caller starts ([`Server`]). By a seed the relay does to a client everything that
//! docs/PROTOCOL.md says a client must bear. A scripted opponent challenges the client, and at the
//! end there is a verdict. docs/CONFORMANCE.md is for its users.
//!
//! `plan` says what happens to which frame, `connection` does it, and `ledger` keeps the account.
//! What the relay sends is what a later server could send: `records` numbers events anew.

mod connection;
mod ledger;
mod limits;
mod opponent;
mod plan;
mod records;
mod run;
mod tormentor;
mod translation;
mod verdict;

#[cfg(test)]
mod tests;

pub use ledger::MessageRate;
pub use run::{ChaosError, ChaosRun, ChaosSettings, Invitation, Server};
pub use verdict::{Breach, Found, Verdict};
