//! The table, played by script under explicit time and by chance.

mod acts;
mod clocks;
mod ending;
mod journal;
mod offers;
mod script;
