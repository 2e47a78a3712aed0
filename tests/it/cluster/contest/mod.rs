//! A contest: every user has sessions on two nodes, which act against each other, while nodes and
//! databases are killed and paused.
//!
//! [`round`] runs one and returns what it found. Everything that a client received is compared with
//! the journal of the database that survives, and with what every node returns.

mod fault; // what is killed and paused, and how it comes back
mod findings; // what a contest has found
mod hand; // one session of a rival
mod operations; // the order of acknowledged requests in real time
mod outages; // how long sessions receive no acknowledgement
mod rival; // a user with two sessions
mod round; // a whole contest
mod session; // where a session of a rival is, and what it waits for
mod sight; // a game as a rival knows it
mod stage; // the nodes and databases
mod survivors; // the journal after a contest
mod tactics; // what a rival does in a game

pub(crate) use fault::FaultKind;
pub(crate) use findings::Findings;
pub(crate) use round::{Plan, Report, run_round};
