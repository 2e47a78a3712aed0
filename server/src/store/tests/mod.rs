//! What every store promises, as one suite of tests over all of them.

mod challenges;
mod downloads;
mod games;
mod invites;
mod journal;
mod notifications;
mod open_rows;
mod people;
mod relations;
mod seeks;
mod standings;
mod statistics;
mod talk;
mod tested_store;
mod tokens;
mod users;

pub(super) use journal::{append, archived, begin};
