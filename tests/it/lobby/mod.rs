//! How games begin: seeks, challenges, invites and rematches.

mod challenges; // challenges between named users
mod consent; // blocks, and who may challenge
mod invites; // invites by a link
mod rematch; // rematches
mod seeks; // seeks and the lobby list
mod unlisted; // games that no list shows
