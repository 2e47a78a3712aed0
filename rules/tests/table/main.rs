//! The table, played by script under explicit time and by chance.

mod acts;
mod chance;
mod clocks;
mod ending;
mod journal;
mod offers;
mod script;
mod swap;
mod written;
