//! How games begin: seeks, challenges and rematches.

mod challenges; // challenges between named users
mod rematch; // rematches
mod seeks; // seeks and the lobby list
