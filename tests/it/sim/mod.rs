//! The simulation: seeded clients and a server in one thread, with simulated time and disk.

mod clients; // the state of the clients
mod fault; // deliberate faults of the server
mod journal; // what the disk holds, and its invariants
mod link; // one connection of a simulated client
mod oracle; // compares what clients receive with the disk
mod runner; // one run of a seed
mod seeds; // the tests: many seeds, and servers with a fault
mod stats; // what happened in the runs, in numbers
mod workload; // what the clients do
