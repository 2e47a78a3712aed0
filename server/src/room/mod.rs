//! A room: one task that owns one table, the end of its record, and its audience.

mod actor;
mod audience;
mod claim;
mod command;
mod commit;
mod delayed_view;
mod fan_out;
pub(crate) mod game_reader;
pub(crate) mod hints;
mod idempotency;
pub(crate) mod live_feed;
mod parking;
mod presence;
mod rating;
pub(crate) mod registry;
pub(crate) mod snapshot;
mod spawn;
mod state;
mod table_queries;
#[cfg(test)]
mod tests;

pub(crate) use command::{
    Command, JoinFrom, PlayerAction, ResumePlan, RoomHandle, TableQuery, TalkBroadcast,
};
pub(crate) use parking::ParkedGames;
pub(crate) use presence::ClaimAfter;
pub(crate) use rating::finish;
pub(crate) use spawn::{GameLoader, LoadedGame, NewGame, StartError, open, start};
pub(crate) use state::{RoomContext, Slot};
