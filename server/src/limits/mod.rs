//! Every limit inside the server that an operator does not set, with its unit and its reason.
//! `config/limits.rs` has those that an operator sets.

mod accounts;
mod admin;
mod cluster;
mod connections;
mod downloads;
mod lobby;
mod notifications;
mod pictures;
mod postgres;
mod rooms;
mod store;

pub(crate) use accounts::*;
pub(crate) use admin::*;
pub(crate) use cluster::*;
pub(crate) use connections::*;
pub(crate) use downloads::*;
pub(crate) use lobby::*;
pub(crate) use notifications::*;
pub(crate) use pictures::*;
pub(crate) use postgres::*;
pub(crate) use rooms::*;
pub(crate) use store::*;
