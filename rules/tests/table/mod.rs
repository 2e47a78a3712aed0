//! The table, played by script under explicit time and by chance.

mod acts;
mod clocks;
mod ending;
mod journal;
mod length;
mod long_takebacks;
mod notation;
mod offers;
mod random_games;
mod script;
mod server_actions;
mod state_machine;
mod swap;
mod takebacks;
