//! A room: one task that owns a live game's table, the head of its record and its audience.

mod actor;
mod audience;
mod claim;
mod command;
mod commit;
mod damaged;
mod delayed_view;
mod fan_out;
pub(crate) mod game_reader;
pub(crate) mod hints;
mod idempotency;
pub(crate) mod live_feed;
mod loaded;
mod move_list;
mod outcome;
mod parking;
mod presence;
mod rating;
mod recovery;
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
pub(crate) use loaded::{GameLoader, LoadedGame};
pub(crate) use parking::ParkedGames;
pub(crate) use presence::ClaimAfter;
pub(crate) use rating::archive_finished;
pub(crate) use spawn::{NewGame, StartGameError, open, start};
pub(crate) use state::{RoomContext, Slot};
