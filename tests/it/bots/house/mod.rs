//! The server bots.

mod abandoned; // games that their opponents leave
mod challenging; // challenges to server bots
mod limits; // how many games a bot plays, and with whom
mod play; // whole games at every level, also after a crash
