//! The simulation: seeded clients and a server in one thread, with simulated time and disk.

mod account_requests; // what the clients ask about their accounts
mod accounts; // sign-ups, log-ins and tokens
mod clients; // the state of the clients
mod cluster; // one run of a seed with several nodes
mod disk; // the disk, its failures and its other writer
mod fault; // deliberate faults of the server
mod history; // all that happens in a run, as lines
mod invites; // the invites that clients know
mod journal; // what the disk holds, and its invariants
mod link; // one connection of a simulated client
mod network; // the network between nodes
mod nodes; // what must hold with several nodes
mod oracle; // compares what clients receive with the disk
mod repeats; // the test that a seed has one history
mod rest; // what must hold once nothing happens
mod runner; // one run of a seed
mod seeds; // the tests: many seeds, and servers with a fault
mod stats; // what happened in the runs, in numbers
mod tables; // copies of a database, and its rows as lines
mod totals; // what a run adds to the numbers
mod workload; // what the clients do
