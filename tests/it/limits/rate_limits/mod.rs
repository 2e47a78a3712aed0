//! Rates by user, by address, and by name at an address.
//!
//! Every rejection names its limit and, if waiting helps, the wait. Other users are not affected.

mod clients; // servers with limits, and clients at different addresses
mod connections; // handshakes, WebSockets and connections, also behind proxies
mod games; // seeks, games and stored data
mod requests; // requests of users, accounts and addresses
mod sign_in; // log-ins, passwords, new accounts and guests
mod switched_off; // a server without limits
