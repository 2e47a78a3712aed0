//! Every limit inside the server that an operator does not set, with its unit and its reason.
//! `config/limits.rs` has those that an operator sets.

mod admin;
mod clients;
mod lobby;
mod nodes;
mod rooms;
mod store;
mod users;

pub(crate) use admin::*;
pub(crate) use clients::*;
pub(crate) use lobby::*;
pub(crate) use nodes::*;
pub(crate) use rooms::*;
pub(crate) use store::*;
pub(crate) use users::*;
