//! The command `conform`: runs a client against servers in chaos mode, one for each seed, and
//! reports what they say about it. docs/CONFORMANCE.md is for authors of clients.

mod command;
mod report;
mod seed_run;

pub(crate) use command::conform;
