//! Tests of the account: forged histories of clients, one for each finding.

mod findings;
mod history;
