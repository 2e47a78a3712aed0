//! What every store promises, as one suite of tests over all of them.

mod downloads;
mod games;
mod journal;
mod notifications;
mod offers;
mod people;
mod relations;
mod standings;
mod statistics;
mod talk;
mod tested_store;
mod tokens;
mod users;

pub(super) use journal::{append, archived, begin};
