//! `adamant match`: games, faults of engines, interruptions, and every example of docs/MATCHES.md.

mod document;
mod faults;
mod interruptions;
mod playground;
mod results;
