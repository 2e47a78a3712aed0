//! The simulation: seeded clients and a server in one thread, with simulated time and disk.

mod account_requests; // what the clients ask about their accounts
mod accounts; // sign-ups, log-ins and tokens
mod clients; // the state of the clients
mod disk; // the disk, its failures and its other writer
mod fault; // deliberate faults of the server
mod history; // all that happens in a run, as lines
mod invites; // the invites that clients know
mod journal; // what the disk holds, and its invariants
mod link; // one connection of a simulated client
mod oracle; // compares what clients receive with the disk
mod repeats; // the test that a seed has one history
mod runner; // one run of a seed
mod seeds; // the tests: many seeds, and servers with a fault
mod stats; // what happened in the runs, in numbers
mod tables; // copies of a database, and its rows as lines
mod workload; // what the clients do
