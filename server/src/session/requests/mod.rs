//! One file for each group of requests that a session handles.

pub(super) mod account;
pub(super) mod catalogue;
pub(super) mod matchmaking;
pub(super) mod notifications;
pub(super) mod play;
pub(super) mod queries;
pub(super) mod relations;
mod sign_record;
pub(super) mod talk;
